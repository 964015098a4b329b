//! Bytes choose the variant, the start, moves, undos and illegal attempts; after each step the engine and the referee
//! must agree on the whole list of legal moves.

use morpion_engine::morpion::geometry::Move;
use morpion_engine::morpion::position::IllegalMove;
use morpion_engine::morpion::referee::{FreeMove, Illegal, Referee};
use morpion_engine::morpion::start::Start;
use morpion_engine::morpion::variant::{Rules, Variant};
use morpion_engine::with_rules;

/// Bytes used at most: the referee is slow.
const LIMIT: usize = 160;

/// Runs one input.
///
/// # Panics
/// If engine and referee disagree.
pub fn run(data: &[u8]) {
    let Some((&first, steps)) = data.split_first() else { return };
    let variant = Variant::ALL[usize::from(first) % 4];
    let mut steps = &steps[..steps.len().min(LIMIT)];
    let mut start = Start::CROSS;
    // Every fourth time eight rows of eight bits are the start.
    if first & 12 == 12
        && let Some((rows, rest)) = steps.split_first_chunk::<8>()
    {
        let points = rows.iter().zip(0..).flat_map(|(&row, y)| (0..8).map(move |x| (row >> x & 1, x, y)));
        start = Start::of_points(points.filter(|point| point.0 == 1).map(|(_, x, y)| (x, y))).unwrap_or_default();
        steps = rest;
    }
    with_rules!(variant, R => steps_agree::<R>(&start, steps));
}

fn steps_agree<R: Rules>(start: &Start, mut steps: &[u8]) {
    let mut position = start.position::<R>();
    let mut referee = Referee::from_start(R::VARIANT, start);
    while let Some((&step, rest)) = steps.split_first() {
        steps = rest;
        match step {
            // Undo.
            224..=239 => {
                let undone = position.undo();
                assert_eq!(undone.map(FreeMove::from_move), referee.undo());
            }
            // Any four bytes as a move, most often an illegal one.
            240.. => {
                let Some((bytes, rest)) = steps.split_first_chunk::<4>() else { return };
                steps = rest;
                let Some(mv) = Move::from_bits(R::VARIANT, u32::from_le_bytes(*bytes) & 0x7FFF_FFFF) else {
                    continue;
                };
                same_answer(position.try_play(mv), referee.play(FreeMove::from_move(mv)), mv);
            }
            // A legal move.
            _ => {
                let count = position.moves().len();
                if count == 0 {
                    continue;
                }
                // One byte reaches all moves of usual lists; scaled, so that small changes stay small.
                let mv = position.moves()[usize::from(step) * count / 224];
                same_answer(position.try_play(mv), referee.play(FreeMove::from_move(mv)), mv);
            }
        }
        let mut engine: Vec<FreeMove> = position.moves().iter().map(|&mv| FreeMove::from_move(mv)).collect();
        engine.sort_unstable();
        let mut plain = referee.legal_moves();
        plain.retain(|mv| mv.in_area(R::VARIANT).is_some());
        assert_eq!(engine, plain, "{} after {:?}", R::VARIANT, position.played());
        assert_eq!(position.score(), referee.score());
    }
}

fn same_answer(engine: Result<(), IllegalMove>, referee: Result<(), Illegal>, mv: Move) {
    let same = match (engine, referee) {
        (Ok(()), Ok(()))
        | (Err(IllegalMove::PointSet), Err(Illegal::PointSet(_)))
        | (Err(IllegalMove::LineBlocked), Err(Illegal::Conflict { .. })) => true,
        (Err(IllegalMove::PointMissing(a)), Err(Illegal::PointMissing(b))) => (a.x(), a.y()) == b,
        _ => false,
    };
    assert!(same, "{mv:?}: the engine says {engine:?}, the referee {referee:?}");
}
