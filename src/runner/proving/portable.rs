//! A unit of a proof on its way to another machine, and what that says of it. Of the outcome every step is checked
//! here: witnesses in integers, and refuted sets of points by the filler.

use super::unit::{ProveOutcome, ProveReply, ProveTask, ProveUnit, SolvedProgram, SolverMaker};
use crate::core::encoding::{decode, encode};
use crate::jobs::prove::{CaseUnit, ProveJob};
use crate::morpion::geometry::{Move, Point};
use crate::morpion::referee;
use crate::proofs::branching::{DiveEnd, Filled, ProofCounts, UnitEnd};
use crate::proofs::leaf::fill_points;
use crate::proofs::program::{PointState, Program};
use crate::proofs::steps::{read_steps, write_steps};
use crate::proofs::tree::check_steps;
use crate::queue::nats::worker::NotOpened;
use crate::queue::{Portable, Unpacked};
use crate::runner::parcel::Parcel;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time within which the sets of points of an outcome are refuted again. A unit has few of them.
const CHECK: Duration = Duration::from_secs(5);
/// Counts above this are not those of a unit.
const MOST: u64 = 1 << 40;
/// Programs that a machine keeps, for the proofs that it has units of.
const PROGRAMS: usize = 8;

/// The name of what a program needs for units of proofs.
pub const LINEAR_PROGRAMS: &str = "linear programs";

/// A packed unit of a proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProveParcel {
    job: ProveJob,
    /// One byte for each point of the region.
    case: Vec<u8>,
    task: TaskParcel,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum TaskParcel {
    Search { unit: u64, budget: u64 },
    Dive { seed: u64 },
}

/// What the machine says of the unit.
#[derive(Debug, Serialize, Deserialize)]
enum ProveWord {
    Searched { steps: Vec<u8>, counts: ProofCounts, milliseconds: u64 },
    Grid { moves: Vec<Move>, counts: ProofCounts, milliseconds: u64 },
    Estimated { nodes: f64, shapes: f64 },
    Met { moves: Vec<Move> },
}

const STATES: [PointState; 3] = [PointState::Open, PointState::Out, PointState::In];

fn packed_case(case: &[PointState]) -> Vec<u8> {
    case.iter().filter_map(|state| STATES.iter().position(|other| other == state)).map(|at| at as u8).collect()
}

fn case_of(bytes: &[u8], program: &Program) -> Option<Vec<PointState>> {
    let case: Option<Vec<PointState>> = bytes.iter().map(|&byte| STATES.get(usize::from(byte)).copied()).collect();
    case.filter(|case| case.len() == program.points().len())
}

/// The programs of the proofs that this machine has units of, with their solvers.
#[derive(Debug, Default)]
pub struct ProgramRegistry(Mutex<Vec<(ProveJob, SolvedProgram)>>);

impl ProgramRegistry {
    /// The unit that was packed, with a solver of this machine.
    ///
    /// # Errors
    /// What is wrong with it, or that there is no solver.
    pub fn open(&self, parcel: ProveParcel, solver: Option<SolverMaker>) -> Result<ProveUnit, NotOpened> {
        const NO_SOLVER: &str = "this program was built without the solver HiGHS, which proofs need: build it by \
                                 `cargo build --release --features prove`";
        let solver = solver.ok_or_else(|| NotOpened::Unable(NO_SOLVER.to_owned()))?;
        let ProveParcel { job, case, task } = parcel;
        let solved = self.solved(job, solver)?;
        let case = case_of(&case, solved.program()).ok_or_else(|| "the case is not one of its region".to_owned())?;
        Ok(match task {
            TaskParcel::Search { unit, budget } => ProveUnit::search(CaseUnit { unit, case, budget }, solved, None),
            TaskParcel::Dive { seed } => ProveUnit::dive(case, seed, solved),
        })
    }

    fn solved(&self, job: ProveJob, solver: SolverMaker) -> Result<SolvedProgram, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, solved)) = known.iter().find(|(other, _)| *other == job) {
            return Ok(solved.clone());
        }
        let statement = job.statement().map_err(|error| format!("the region: {error}"))?;
        let solved = SolvedProgram::new(Arc::new(Program::new(&statement.region, statement.moves)), solver);
        if known.len() >= PROGRAMS {
            known.remove(0);
        }
        known.push((job, solved.clone()));
        Ok(solved)
    }
}

impl ProveUnit {
    fn case(&self) -> &[PointState] {
        match &self.task {
            ProveTask::Search(open) => &open.case,
            ProveTask::Dive(case, _) => case,
        }
    }

    /// Checks a grid that a machine has found in the region.
    fn check_grid(&self, moves: &[Move]) -> Result<(), String> {
        let program = self.solved.program();
        let grid = referee::replay(program.variant(), moves).map_err(|error| format!("a grid: {error}"))?;
        if grid.score() != program.moves() {
            return Err(format!("a grid of {} moves, where {} are asked for", grid.score(), program.moves()));
        }
        let outside = moves.iter().map(|mv| mv.point()).find(|point| !program.points().contains(point));
        match outside {
            Some(point) => Err(format!("a grid with the point ({},{}) outside of the region", point.x(), point.y())),
            None => Ok(()),
        }
    }

    fn check_steps(&self, bytes: &[u8]) -> Result<UnitEnd, String> {
        let ProveTask::Search(open) = &self.task else { return Err("an outcome of a search".to_owned()) };
        let steps = read_steps(bytes).map_err(|error| format!("the steps: {error}"))?;
        if steps.is_empty() {
            return Err("an outcome without a step".to_owned());
        }
        let (variant, end) = (self.solved.program().variant(), Instant::now() + CHECK);
        let mut is_refuted =
            |points: &[Point]| fill_points(variant, points, &mut 0, &|| Instant::now() >= end) == Filled::No;
        check_steps(self.solved.program(), open.unit, &open.case, &steps, &mut is_refuted)
            .map_err(|error| error.to_string())?;
        Ok(UnitEnd::Steps(steps))
    }
}

fn checked_counts(counts: ProofCounts, milliseconds: u64) -> Result<(), String> {
    let ProofCounts { nodes, programs, shapes, conflicts, unknown } = counts;
    let all = [nodes, programs, shapes, conflicts, unknown, milliseconds];
    if all.iter().any(|&count| count > MOST) { Err("counts that no unit has".to_owned()) } else { Ok(()) }
}

impl Portable<(), ProveReply> for ProveUnit {
    fn pack(&self, _attempt: u32) -> Vec<u8> {
        let task = match &self.task {
            ProveTask::Search(open) => TaskParcel::Search { unit: open.unit, budget: open.budget },
            ProveTask::Dive(_, seed) => TaskParcel::Dive { seed: *seed },
        };
        let points = self.solved.program().points().iter().map(|point| [point.x(), point.y()]).collect();
        let (variant, moves) = (self.solved.program().variant(), self.solved.program().moves());
        let job = ProveJob { variant, moves, region: String::new(), points };
        Parcel::Prove(ProveParcel { job, case: packed_case(self.case()), task }).to_bytes()
    }

    fn ability(&self) -> Option<&'static str> {
        Some(LINEAR_PROGRAMS)
    }

    fn unpack(&self, _worker: u32, message: &[u8]) -> Result<Unpacked<(), ProveReply>, String> {
        let is_search = matches!(self.task, ProveTask::Search(_));
        let reply = match decode::<ProveWord>(message).ok_or("a message that is none")? {
            ProveWord::Searched { steps, counts, milliseconds } => {
                checked_counts(counts, milliseconds)?;
                ProveReply::Searched(ProveOutcome { end: self.check_steps(&steps)?, counts, milliseconds })
            }
            ProveWord::Grid { moves, counts, milliseconds } if is_search => {
                checked_counts(counts, milliseconds)?;
                self.check_grid(&moves)?;
                ProveReply::Searched(ProveOutcome { end: UnitEnd::Grid(moves), counts, milliseconds })
            }
            ProveWord::Estimated { nodes, shapes } if !is_search => {
                if ![nodes, shapes].iter().all(|number| number.is_finite() && *number >= 0.0) {
                    return Err("an estimate that is no number of cases".to_owned());
                }
                ProveReply::Dived(DiveEnd::Estimate { nodes, shapes })
            }
            ProveWord::Met { moves } if !is_search => {
                self.check_grid(&moves)?;
                ProveReply::Dived(DiveEnd::Grid(moves))
            }
            _ => return Err("an answer to another task".to_owned()),
        };
        Ok(Unpacked::Outcome(reply))
    }

    fn order(&self) -> Option<Vec<u8>> {
        None
    }

    fn given_back(&self) {}

    fn continues(&self) -> bool {
        false
    }

    fn pack_report(&self, (): ()) -> Vec<u8> {
        Vec::new()
    }

    fn pack_outcome(&self, outcome: ProveReply) -> Vec<u8> {
        encode(&match outcome {
            ProveReply::Searched(ProveOutcome { end, counts, milliseconds }) => match end {
                UnitEnd::Grid(moves) => ProveWord::Grid { moves, counts, milliseconds },
                UnitEnd::Steps(steps) => {
                    let mut bytes = Vec::new();
                    write_steps(&steps, &mut bytes);
                    ProveWord::Searched { steps: bytes, counts, milliseconds }
                }
                // Such a unit has no outcome; this one is refused.
                UnitEnd::Stopped => ProveWord::Searched { steps: Vec::new(), counts, milliseconds },
            },
            ProveReply::Dived(DiveEnd::Estimate { nodes, shapes }) => ProveWord::Estimated { nodes, shapes },
            ProveReply::Dived(DiveEnd::Grid(moves)) => ProveWord::Met { moves },
            ProveReply::Dived(DiveEnd::Stopped) => ProveWord::Estimated { nodes: f64::NAN, shapes: f64::NAN },
        })
    }

    fn news(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Different steps may prove the same, and each was checked by itself.
    fn agree(&self, _one: &[u8], _other: &[u8]) -> bool {
        true
    }

    fn obey(&self, _order: &[u8]) -> Result<(), String> {
        Err("a unit of a proof takes no orders".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::prove::ProveCoordinator;
    use crate::morpion::geometry::cross;
    use crate::morpion::position::Position;
    use crate::morpion::variant::{D5, Variant};
    use crate::proofs::branching::Step;
    use crate::proofs::file::Statement;
    use crate::proofs::program::ProgramRow;
    use crate::proofs::region::Region;
    use crate::proofs::relaxation::{Relaxation, Relaxed};
    use crate::queue::{Lease, Stop, Unit};
    use crate::runner::proving::unit::LinearSolver;

    /// A solver that knows nothing, so that everything is tried.
    struct Blind;

    impl Relaxation for Blind {
        fn solve(&mut self, _case: &[PointState]) -> Relaxed {
            Relaxed::Unknown
        }

        fn values(&self) -> &[f64] {
            &[]
        }

        fn duals(&self) -> &[f64] {
            &[]
        }

        fn add_rows(&mut self, _: &[ProgramRow]) {}

        fn drop_idle_rows(&mut self) -> Vec<bool> {
            Vec::new()
        }
    }

    fn blind() -> Option<SolverMaker> {
        Some(Arc::new(|_: &Program| -> LinearSolver { Box::new(Blind) }))
    }

    fn blind_program(program: &Arc<Program>) -> SolvedProgram {
        SolvedProgram::new(Arc::clone(program), blind().unwrap())
    }

    struct Alone;

    impl Lease<()> for Alone {
        fn worker(&self) -> u32 {
            1
        }

        fn stop(&self) -> Option<Stop> {
            None
        }

        fn report(&self, (): ()) {}
    }

    fn statement(moves: u32) -> Statement {
        // The points of four first moves, and two corners of the board around the cross, which no line reaches.
        let first = Position::<D5>::new().moves().iter().map(|mv| mv.point()).take(4).collect::<Vec<Point>>();
        let cross = cross(Variant::D5);
        let left = cross.iter().map(|point| point.x()).min().unwrap();
        let top = cross.iter().map(|point| point.y()).min().unwrap();
        let corners = [(0, 0), (1, 0), (0, 1), (9, 9), (8, 9), (9, 8)];
        let corners = corners.iter().map(|&(x, y)| Point::new(left + x, top + y).unwrap());
        let region = Region::new(Variant::D5, first.into_iter().chain(corners)).unwrap();
        Statement { region, title: "a few points".to_owned(), moves }
    }

    /// A proof whose units all travel there and back.
    fn proved_elsewhere(moves: u32) -> (ProveCoordinator, u64) {
        let (mut coordinator, programs) = (ProveCoordinator::new(&statement(moves)), ProgramRegistry::default());
        let mut units = 0;
        while let Some(open) = coordinator.next(2) {
            let unit = ProveUnit::search(open.clone(), blind_program(coordinator.program()), None);
            let Some(Parcel::Prove(parcel)) = decode(&unit.pack(1)) else { panic!("another parcel") };
            let there = programs.open(parcel, blind()).unwrap();
            let outcome = there.run(&mut there.begin(1).unwrap(), &Alone).expect("nobody stops it");
            let Ok(Unpacked::Outcome(ProveReply::Searched(outcome))) = unit.unpack(1, &there.pack_outcome(outcome))
            else {
                panic!("unit {} is refused", open.unit)
            };
            coordinator.apply(outcome.record(open.unit).unwrap()).unwrap();
            units += 1;
            if coordinator.end() != crate::jobs::prove::ProvingEnd::Open {
                break;
            }
        }
        (coordinator, units)
    }

    #[test]
    fn a_proof_whose_units_are_computed_elsewhere_is_one() {
        let (proof, units) = proved_elsewhere(5);
        assert_eq!(proof.end(), crate::jobs::prove::ProvingEnd::Proved);
        assert!(units > 0, "{units}");
        let (met, _) = proved_elsewhere(1);
        assert!(matches!(met.end(), crate::jobs::prove::ProvingEnd::Grid(moves) if moves.len() == 1));
    }

    #[test]
    fn what_does_not_follow_is_refused() {
        let mut coordinator = ProveCoordinator::new(&statement(1));
        let open = coordinator.next(1).unwrap();
        let program = Arc::clone(coordinator.program());
        let unit = ProveUnit::search(open.clone(), blind_program(&program), None);
        let says = |word: ProveWord| unit.unpack(1, &encode(&word)).map(|_| ());
        let counts = ProofCounts::default();
        let steps = |steps: &[Step]| {
            let mut bytes = Vec::new();
            write_steps(steps, &mut bytes);
            ProveWord::Searched { steps: bytes, counts, milliseconds: 1 }
        };
        assert_eq!(says(steps(&[Step::Handed])), Ok(()));
        // The first point in, then all others out: a set of one point, which may be that of a grid.
        let game = game();
        let at = program.points().iter().position(|&point| point == game[0].point()).unwrap() as u16;
        let split = Step::Split { point: at, first: PointState::In };
        let lie = says(steps(&[split.clone(), Step::Refuted, Step::Handed])).unwrap_err();
        assert!(lie.contains("refutes a set of points that is not refuted"), "{lie}");
        for (word, why) in [
            (steps(&[]), "without a step"),
            (steps(&[Step::Refuted]), "points undecided"),
            (steps(&[split.clone(), Step::Handed]), "fewer steps"),
            (steps(&[Step::Witness(vec![(0, -1)])]), "wrong sign"),
            (steps(&[Step::Witness(vec![(0, i64::MAX), (1, i64::MAX)])]), "too large"),
            (ProveWord::Searched { steps: vec![9], counts, milliseconds: 1 }, "the steps"),
            (ProveWord::Estimated { nodes: 1.0, shapes: 1.0 }, "another task"),
            (ProveWord::Grid { moves: Vec::new(), counts, milliseconds: 1 }, "a grid of 0 moves"),
            (ProveWord::Grid { moves: vec![game[0]; 2], counts, milliseconds: 1 }, "a grid: "),
            (
                ProveWord::Searched {
                    steps: Vec::new(),
                    counts: ProofCounts { nodes: u64::MAX, ..counts },
                    milliseconds: 1,
                },
                "counts that no unit has",
            ),
        ] {
            let error = says(word).unwrap_err();
            assert!(error.contains(why), "{why}: {error}");
        }
        assert_eq!(says(ProveWord::Grid { moves: game.clone(), counts, milliseconds: 1 }), Ok(()));
        let dive = ProveUnit::dive(open.case, 1, blind_program(&program));
        assert!(dive.unpack(1, &encode(&ProveWord::Estimated { nodes: f64::NAN, shapes: 1.0 })).is_err());
        assert!(dive.unpack(1, &encode(&ProveWord::Met { moves: game })).is_ok());
    }

    /// A game of one move in the region.
    fn game() -> Vec<Move> {
        Position::<D5>::new().moves()[..1].to_vec()
    }
}
