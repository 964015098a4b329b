//! The known record grids, from the `morpion-solitaire-records` crate.

use super::format::{GridReadError, LoadedGrid, read};
use super::grid::Grid;

/// A published record grid.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownRecord {
    /// Name for people, for instance `Rosin 177A`.
    pub name: &'static str,
    /// Name of its file without extension: `5T-177-rosin-a`.
    pub stem: String,
    /// The grid, whose provenance names the registry's page as its source.
    pub grid: Grid,
}

impl KnownRecord {
    /// Whether people may mean it by this name: that of its file (`5T-177-rosin-a`) or its own (`Rosin 177A`), in
    /// capitals or not.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.stem.eq_ignore_ascii_case(name)
    }
}

/// All known records, best 5T first, then 5D, 4T and 4D.
///
/// # Errors
/// Only if the crate's data were damaged.
pub fn known() -> Result<Vec<KnownRecord>, GridReadError> {
    morpion_solitaire_records::RECORDS
        .iter()
        .map(|&(name, id, json)| {
            let LoadedGrid { mut grid, .. } = read(json.as_bytes(), None)?;
            let stem = stem(&grid, id);
            grid.provenance.notes.push("from the crate morpion-solitaire-records 0.1 (MIT OR Apache-2.0)".to_owned());
            Ok(KnownRecord { name, stem, grid })
        })
        .collect()
}

/// `rosin177a` with 177 moves of 5T becomes `5T-177-rosin-a`.
fn stem(grid: &Grid, id: &str) -> String {
    let score = grid.score().to_string();
    let name = id.replacen(&score, "-", 1);
    format!("{}-{score}-{}", grid.variant, name.trim_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morpion::variant::Variant;

    #[test]
    fn all_records_are_legal_and_finished() {
        let known = known().unwrap();
        assert_eq!(known.len(), 15);
        for record in &known {
            assert_eq!(record.grid.moves_left(), Some(0), "{}", record.name);
            assert!(record.grid.provenance.author.is_some() && record.grid.provenance.source.is_some());
        }
        for variant in Variant::ALL {
            let best = known.iter().filter(|r| r.grid.variant == variant).map(|r| r.grid.score()).max();
            assert_eq!(best, Some(variant.record() as usize));
        }
        for (name, record) in known.iter().flat_map(|record| [(record.name, record), (record.stem.as_str(), record)])
        {
            let called: Vec<&KnownRecord> =
                known.iter().filter(|other| other.is_called(&name.to_lowercase())).collect();
            assert_eq!(called, [record], "{name}");
        }
        let stems: Vec<&str> = known.iter().map(|r| r.stem.as_str()).collect();
        assert!(["5T-178-rosin", "5T-177-rosin-a", "4T-62-hyyroporanen"].iter().all(|s| stems.contains(s)));
    }
}
