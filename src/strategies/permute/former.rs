//! States that the program saved before the pool had a window: a search goes on with the grids they hold.

use super::Permute;
use super::RestoreError;
use super::Unit;
use crate::morpion::variant::Rules;
use crate::strategies::local::{SavedStart, WarmStart, check_grid};
use crate::strategies::params::Params;
use crate::strategies::{decode_with_results, restore_error};

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    start: Option<SavedStart>,
    members: Vec<Vec<u32>>,
    seen: Vec<(u32, u64)>,
    tries: [u32; 6],
    wins: [u32; 6],
    slices: u64,
    games: u64,
    found_at: u64,
    best: u32,
}

/// Lets a new search go on from such a state.
pub(super) fn restore<R: Rules>(
    search: &mut Permute<R>,
    params: &Params,
    unit: &Unit,
    saved: &[u8],
) -> Result<(), RestoreError> {
    let (saved, results): (Saved, _) = decode_with_results("permute", saved, 1)?;
    search.start = match saved.start {
        Some(start) => Some(WarmStart::restore(params, unit, start)?),
        None => None,
    };
    for member in &saved.members {
        check_grid::<R>(&unit.prefix, member).map_err(|reason| restore_error("permute", reason.to_owned()))?;
        search.take_in(member);
    }
    search.course.restore((saved.slices, saved.games, saved.found_at), saved.best, results);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::histogram::Histogram;
    use crate::core::search::Search;
    use crate::morpion::position::Position;
    use crate::morpion::variant::T5;
    use crate::strategies::encode_with_results;
    use crate::strategies::params::Strategy;

    #[test]
    fn a_former_state_is_gone_on_with() {
        let mut position = Position::<T5>::new();
        while let Some(&mv) = position.moves().first() {
            position.play(mv);
        }
        let grid: Vec<u32> = position.played().iter().map(|mv| mv.bits()).collect();
        let members = vec![grid.clone(), grid[..grid.len() - 2].to_vec()];
        let best = grid.len() as u32;
        let (seen, tries, wins) = (vec![(3, 4)], [5; 6], [1; 6]);
        let saved = |members| Saved {
            start: None,
            members,
            seen: seen.clone(),
            tries,
            wins,
            slices: 9,
            games: 700,
            found_at: 400,
            best,
        };
        let mut results = Histogram::default();
        results.add(60);
        let params = Params { strategy: Strategy::Permute, ..Params::default() };
        let unit = Unit { prefix: Vec::new(), candidates: None, seed: 3, max_iterations: None };
        let bytes = encode_with_results(&saved(members.clone()), &[results]);
        let search = Permute::<T5>::restore(&params, &unit, &bytes).unwrap();
        assert_eq!(search.pool.grids().collect::<Vec<_>>(), [&members[0], &members[1]]);
        assert_eq!((search.iterations(), search.best(), search.course.slices), (700, best, 9));
        assert_eq!((search.course.found_at, search.results()[0].total()), (400, 1));
        // Saved again, it is of the new form.
        let again = Permute::<T5>::restore(&params, &unit, &search.save()).unwrap();
        assert_eq!((again.save(), again.pool.len()), (search.save(), 2));
        let illegal = encode_with_results(&saved(vec![grid[1..].to_vec()]), &[Histogram::default()]);
        assert!(Permute::<T5>::restore(&params, &unit, &illegal).is_err());
    }
}
