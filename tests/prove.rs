//! Proofs: the prover against brute force on small regions, its file after crashes, and the checker on good and bad
//! certificates. Most tests do without a solver of linear programs: a prover that is told nothing splits every point.
//!
//! `MORPION_PROOFS=all` also checks the large certificates, which takes a minute, and searches longer.

use assert_cmd::Command;
use morpion::core::seed::rng;
use morpion::jobs::prove::ProvingEnd;
use morpion::morpion::geometry::{Point, cross};
use morpion::morpion::position::Position;
use morpion::morpion::referee;
use morpion::morpion::variant::{D4, D5, Rules, T4, T5, Variant};
use morpion::proofs::branching::{ProofCounts, Step};
use morpion::proofs::check::check;
use morpion::proofs::file::{HEAD, ProofRecord, Statement, pack, read_file};
use morpion::proofs::loops::Loop;
use morpion::proofs::program::{PointState, Program, ProgramRow};
use morpion::proofs::region::Region;
use morpion::proofs::relaxation::{Relaxation, Relaxed};
use morpion::proofs::tree::ProofTree;
use morpion::runner::proving::{Estimated, PROOF, Proving, ProvingError};
use rand::RngExt;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A solver that knows nothing.
struct Silent;

impl Relaxation for Silent {
    fn solve(&mut self, _: &[PointState]) -> Relaxed {
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

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn long() -> bool {
    std::env::var("MORPION_PROOFS").is_ok_and(|value| value == "all")
}

/// Opens a proof. A process that another test starts has the locks of this one, too, until it runs a program of its own.
fn open(statement: &Statement, directory: Option<&Path>) -> Result<Proving, ProvingError> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        match Proving::open(statement, directory) {
            Err(ProvingError::Locked(_)) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            opened => return opened,
        }
    }
}

fn run<L: Relaxation>(
    statement: &Statement,
    directory: Option<&Path>,
    solver: impl Fn(&Program) -> L + Sync,
) -> ProvingEnd {
    let mut proof = open(statement, directory).unwrap();
    proof.run(1, solver, &|| false, &mut |_| {}).unwrap()
}

/// The points of a random game of `moves` moves and a few beside them.
fn small_region<R: Rules>(seed: u64, moves: usize, more: usize) -> Region {
    let rng = &mut rng(seed, &[R::VARIANT as u64]);
    let mut position = Position::<R>::new();
    for _ in 0..moves {
        let legal = position.moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[rng.random_range(0..legal.len())];
        position.play(mv);
    }
    let mut points: Vec<Point> = position.played().iter().map(|mv| mv.point()).collect();
    while points.len() < moves + more {
        let near = points[rng.random_range(0..points.len())];
        let (x, y) = (near.x() + rng.random_range(-1..=1), near.y() + rng.random_range(-1..=1));
        let point = Point::new(x, y).unwrap();
        if !points.contains(&point) && !cross(R::VARIANT).contains(&point) {
            points.push(point);
        }
    }
    Region::new(R::VARIANT, points).unwrap()
}

/// The most moves of a game inside a region, by trying all of them.
fn longest<R: Rules>(region: &Region) -> usize {
    fn walk<R: Rules>(position: &mut Position<R>, region: &Region, seen: &mut HashSet<Vec<u32>>) -> usize {
        let mut key: Vec<u32> = position.played().iter().map(|mv| mv.bits()).collect();
        key.sort_unstable();
        if !seen.insert(key) {
            return 0;
        }
        let mut best = position.played().len();
        for mv in position.moves().to_vec() {
            if region.added().contains(&mv.point()) {
                position.play(mv);
                best = best.max(walk(position, region, seen));
                position.undo();
            }
        }
        best
    }
    walk(&mut Position::<R>::new(), region, &mut HashSet::new())
}

/// On small regions a grid of `n` moves is found exactly if brute force knows one, and otherwise the checker accepts
/// the proof.
fn like_brute_force<R: Rules, L: Relaxation>(seed: u64, solver: impl Fn(&Program) -> L + Sync) -> [usize; 2] {
    let (mut found, mut proved) = (0, 0);
    let region = small_region::<R>(seed, 6, 4);
    let best = longest::<R>(&region);
    for moves in 1..=region.added().len() as u32 {
        let statement = Statement { region: region.clone(), title: "a small region".into(), moves };
        let directory = tempfile::tempdir().unwrap();
        let end = run(&statement, Some(directory.path()), &solver);
        let name = format!("{} seed {seed}, {moves} moves, {best} possible", R::VARIANT);
        match end {
            ProvingEnd::Grid(grid) => {
                assert!(moves as usize <= best && grid.len() == moves as usize, "{name}");
                assert!(grid.iter().all(|mv| region.added().contains(&mv.point())), "{name}");
                referee::replay(R::VARIANT, &grid).unwrap_or_else(|error| panic!("{name}: {error}"));
                found += 1;
            }
            ProvingEnd::Proved => {
                assert!(moves as usize > best, "{name}");
                let bytes = fs::read(directory.path().join(PROOF)).unwrap();
                let checked = check(&bytes, &mut |_, _| {}).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(checked.is_complete() && checked.moves == moves, "{name}: {checked:?}");
                proved += 1;
            }
            ProvingEnd::Open => panic!("{name}: it was not stopped"),
        }
    }
    [found, proved]
}

#[test]
fn the_prover_that_is_told_nothing_agrees_with_brute_force() {
    for seed in 0..if long() { 20 } else { 2 } {
        for counts in [
            like_brute_force::<T5, _>(seed, |_| Silent),
            like_brute_force::<D5, _>(seed, |_| Silent),
            like_brute_force::<T4, _>(seed, |_| Silent),
            like_brute_force::<D4, _>(seed, |_| Silent),
        ] {
            assert!(counts[0] >= 5 && counts[1] >= 1, "seed {seed}: {counts:?}");
        }
    }
}

/// A region whose points lie far from each other, so that no line fits. A proof that splits every point takes several
/// units.
fn with_units() -> Statement {
    let points = (0..15).map(|at| Point::new(4 + 12 * (at % 5), 2 + 20 * (at / 5)).unwrap());
    let region = Region::new(Variant::T4, points.filter(|point| !cross(Variant::T4).contains(point))).unwrap();
    Statement { moves: region.added().len() as u32 / 2, region, title: "points far apart".into() }
}

/// The steps of all units in the order of the tree: what is handed on is replaced by the steps of its unit.
fn tree_of(bytes: &[u8]) -> Vec<Step> {
    let (mut next, mut units) = (1, HashMap::new());
    for record in read_file(bytes).unwrap().records {
        let ProofRecord::Unit { unit, steps, .. } = record else { panic!("{record:?}") };
        let handed = steps.iter().filter(|&step| *step == Step::Handed).count() as u64;
        units.insert(unit, (steps, next));
        next += handed;
    }
    fn put(units: &HashMap<u64, (Vec<Step>, u64)>, unit: u64, tree: &mut Vec<Step>) {
        let (steps, mut next) = units[&unit].clone();
        for step in steps {
            if step == Step::Handed {
                put(units, next, tree);
                next += 1;
            } else {
                tree.push(step);
            }
        }
    }
    let mut tree = Vec::new();
    put(&units, 0, &mut tree);
    tree
}

/// However often a proof is stopped, even within a unit, and whatever a crash leaves at the end of its file, it ends as
/// one that runs through.
#[test]
fn a_stopped_proof_continues_to_the_same_end() {
    let statement = with_units();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(PROOF);
    let mut sessions = 0;
    loop {
        let mut proof = open(&statement, Some(directory.path())).unwrap();
        let before = proof.progress().done;
        let polls = AtomicU32::new(0);
        let stop = || polls.fetch_add(1, Ordering::SeqCst) > if sessions % 3 == 0 { 300 } else { 2_500 };
        let end = proof.run(1, |_| Silent, &stop, &mut |_| {}).unwrap();
        let progress = proof.progress();
        drop(proof);
        sessions += 1;
        assert!(progress.done > before, "session {sessions} has done nothing");
        if end == ProvingEnd::Proved {
            break;
        }
        assert_eq!(end, ProvingEnd::Open);
        assert!(progress.closed < 1.0 && progress.open > 0);
        // What a crash leaves of a frame.
        let bytes = fs::read(&path).unwrap();
        let open = check(&bytes, &mut |_, _| {}).unwrap();
        assert_eq!((open.open, open.units, open.is_complete()), (progress.open, progress.done, false));
        let (steps, counts) = (vec![Step::Refuted; 40], ProofCounts::default());
        let frame = ProofRecord::Unit { unit: 1, counts, milliseconds: 0, steps }.to_frame();
        let end = if sessions % 2 == 0 { &frame[..30] } else { &[0; 30] };
        fs::write(&path, [&bytes[..], end].concat()).unwrap();
    }
    let set_aside = fs::read(directory.path().join("proof.log.cut-1")).unwrap();
    assert_eq!(set_aside.len(), 30, "what was cut off is kept");
    assert!(sessions > 2, "{sessions} sessions");
    let through = tempfile::tempdir().unwrap();
    assert_eq!(run(&statement, Some(through.path()), |_| Silent), ProvingEnd::Proved);
    // Units and times differ; the tree does not.
    let through = fs::read(through.path().join(PROOF)).unwrap();
    assert!(tree_of(&fs::read(&path).unwrap()) == tree_of(&through), "another tree");
    check(&fs::read(&path).unwrap(), &mut |_, _| {}).unwrap();
}

/// A grid that a random descent meets ends the proof, and is still there when it is continued.
#[test]
fn a_descent_that_meets_a_grid_ends_the_proof() {
    let region = small_region::<D5>(3, 8, 0);
    let moves = region.added().len() as u32;
    let statement = Statement { region, title: "a game".into(), moves };
    let directory = tempfile::tempdir().unwrap();
    let mut proof = open(&statement, Some(directory.path())).unwrap();
    let Estimated::Grid(met) = proof.estimate(1, |_| Silent, &|| false).unwrap() else { panic!("no grid is met") };
    assert_eq!(met.len(), moves as usize);
    referee::replay(Variant::D5, &met).unwrap();
    assert_eq!(proof.end(), ProvingEnd::Grid(met.clone()));
    drop(proof);
    let mut proof = open(&statement, Some(directory.path())).unwrap();
    assert_eq!(proof.end(), ProvingEnd::Grid(met));
    assert_eq!(proof.estimate(1, |_| Silent, &|| false).unwrap(), Estimated::Nothing);
    // A stopped estimate says nothing.
    let mut other = open(&with_units(), None).unwrap();
    assert_eq!(other.estimate(5, |_| Silent, &|| true).unwrap(), Estimated::Nothing);
    assert!(matches!(other.estimate(5, |_| Silent, &|| false).unwrap(), Estimated::Rest(rest) if rest.dives == 5));
}

#[test]
fn a_directory_belongs_to_one_statement_and_one_process() {
    let statement = with_units();
    let directory = tempfile::tempdir().unwrap();
    let proof = open(&statement, Some(directory.path())).unwrap();
    assert!(matches!(Proving::open(&statement, Some(directory.path())), Err(ProvingError::Locked(_))));
    drop(proof);
    let path = directory.path().join(PROOF);
    let before = fs::read(&path).unwrap();
    let other = Statement { moves: statement.moves + 1, ..statement.clone() };
    let Err(ProvingError::Other { found, .. }) = open(&other, Some(directory.path())) else {
        panic!("it is opened for another statement")
    };
    assert!(found.contains(&format!("{} moves of 4T", statement.moves)), "{found}");
    assert_eq!(fs::read(&path).unwrap(), before);
    // A damaged file is refused and left as it is.
    run(&statement, Some(directory.path()), |_| Silent);
    let mut damaged = fs::read(&path).unwrap();
    let in_first_unit = HEAD.len() + statement.to_frame().len() + 20;
    damaged[in_first_unit] ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(matches!(open(&statement, Some(directory.path())), Err(ProvingError::Damaged { .. })));
    assert_eq!(fs::read(&path).unwrap(), damaged);
    fs::write(&path, "not a proof\n").unwrap();
    assert!(matches!(open(&statement, Some(directory.path())), Err(ProvingError::Damaged { .. })));
}

/// The bytes of a file with this statement and these units.
fn file_of(statement: &Statement, units: &[Vec<Step>]) -> Vec<u8> {
    let mut bytes = [HEAD, &statement.to_frame()].concat();
    for (unit, steps) in (0..).zip(units) {
        let (counts, milliseconds) = (ProofCounts::default(), 0);
        bytes.extend(ProofRecord::Unit { unit, counts, milliseconds, steps: steps.clone() }.to_frame());
    }
    bytes
}

fn units_of(bytes: &[u8]) -> (Statement, Vec<Vec<Step>>) {
    let file = read_file(bytes).unwrap();
    let units = file.records.into_iter().map(|record| match record {
        ProofRecord::Unit { steps, .. } => steps,
        ProofRecord::Grid(moves) => panic!("a grid: {moves:?}"),
    });
    (file.statement, units.collect())
}

/// A proof that says too much is refused: by the checker, and by the prover that is to continue it.
#[test]
fn forged_proofs_are_refused() {
    let certificate = fs::read(root("results/proofs/5D-85-hull-rosin.cert")).unwrap();
    let (statement, units) = units_of(&certificate);
    let accepted = |statement: &Statement, units: &[Vec<Step>]| {
        check(&file_of(statement, units), &mut |_, _| {}).is_ok_and(|checked| checked.is_complete())
    };
    assert!(accepted(&statement, &units));
    // Another number of moves, another region.
    let other = Statement { moves: 82, ..statement.clone() };
    assert!(!accepted(&other, &units), "for 82 moves");
    let fewer = Region::new(Variant::D5, statement.region.added()[1..].iter().copied()).unwrap();
    assert!(!accepted(&Statement { region: fewer, ..statement.clone() }, &units), "in another region");
    // A step left out, said twice, or changed to "refuted".
    let all = units[0].len();
    for step in (0..all).step_by(all / 12) {
        let change = |change: &dyn Fn(&mut Vec<Step>)| {
            let mut units = units.clone();
            change(&mut units[0]);
            units
        };
        let is_witness = matches!(units[0][step], Step::Witness(_));
        if !is_witness {
            assert!(!accepted(&statement, &change(&|steps| drop(steps.remove(step)))), "without step {step}");
        }
        if units[0][step] != Step::Refuted {
            assert!(!accepted(&statement, &change(&|steps| steps[step] = Step::Refuted)), "step {step} is 'refuted'");
        }
        assert!(
            !accepted(&statement, &change(&|steps| steps[step] = Step::Witness(Vec::new()))),
            "no witness {step}"
        );
        assert!(!accepted(&statement, &change(&|steps| steps[step] = Step::Handed)), "step {step} is handed on");
        let negative = Step::Witness(vec![(0, -1_000_000)]);
        assert!(!accepted(&statement, &change(&|steps| steps[step] = negative.clone())), "a negative multiplier");
    }
    // A changed byte is noticed, or it is one of those that mean nothing in compressed data.
    let original = check(&certificate, &mut |_, _| {});
    let (rng, mut noticed) = (&mut rng(4, &[]), 0);
    for _ in 0..100 {
        let mut bytes = certificate.clone();
        let at = rng.random_range(0..bytes.len());
        bytes[at] ^= 1 << rng.random_range(0..8u32);
        let checked = check(&bytes, &mut |_, _| {});
        noticed += usize::from(checked.is_err());
        assert!(checked.is_err() || checked == original, "seed 4, byte {at}: {checked:?}");
        assert!(check(&bytes[..at], &mut |_, _| {}).is_err(), "seed 4, cut at {at}");
    }
    assert!(noticed > 80, "seed 4: {noticed} of 100");
}

/// A square of 25 points far from the cross has twelve lines, but none of its points can be reached. Rows of loops say
/// so; what is no loop says nothing.
#[test]
fn loops_are_checked() {
    let points = (0..25).map(|at| Point::new(4 + at % 5, 4 + at / 5).unwrap());
    let region = Region::new(Variant::D5, points).unwrap();
    let statement = Statement { region, title: "a square".into(), moves: 10 };
    let program = Program::new(&statement.region, statement.moves);
    let rows = program.rows().len() as u32;
    let all: Vec<u16> = (0..25).collect();
    let proof = |of: &dyn Fn(u16) -> Loop, loops: u16| {
        let named = (0..loops).map(|point| Step::Loop(of(point)));
        // No point is possible; but the points are ten.
        let witness = std::iter::once((rows - 2, -1)).chain((0..25).map(|number| (rows + number, 1)));
        vec![named.chain([Step::Witness(witness.collect())]).collect::<Vec<Step>>()]
    };
    let checked = |units: &[Vec<Step>]| check(&file_of(&statement, units), &mut |_, _| {});
    let follows = |units: &[Vec<Step>]| {
        let (mut tree, counts) = (ProofTree::new(&program), ProofCounts::default());
        tree.absorb(&program, 0, &units[0], counts).map(|()| tree.open().len())
    };
    let whole = |point: u16| Loop { set: all.clone(), point };
    let good = proof(&whole, 25);
    let accepted = checked(&good).unwrap();
    assert!(accepted.is_complete() && (accepted.loops, accepted.witnesses) == (25, 1), "{accepted:?}");
    assert_eq!(follows(&good), Ok(0));
    let bad = [
        ("one is missing", proof(&whole, 24)),
        ("its point is not in it", proof(&|point| Loop { set: all[..24].to_vec(), point }, 25)),
        ("it has a point that there is not", proof(&|point| Loop { set: vec![point, 25], point }, 25)),
        ("its lines are those of the point", proof(&|point| Loop { set: vec![point], point }, 25)),
    ];
    for (what, units) in bad {
        assert!(checked(&units).is_err(), "{what}: {:?}", checked(&units));
        assert!(follows(&units).is_err(), "{what}: {:?}", follows(&units));
    }
    // A loop may be named where no witness needs it, but not after the tree.
    let mut more = good.clone();
    more[0].push(Step::Loop(whole(0)));
    assert!(checked(&more).is_err() && follows(&more).is_err());
}

/// A set of points that has a grid cannot be called refuted.
#[test]
fn the_checker_finds_the_grids_of_refuted_points() {
    fn of<R: Rules>() {
        for seed in 0..3 {
            let region = small_region::<R>(seed, 12, 0);
            let moves = region.added().len() as u32;
            let statement = Statement { region, title: "a game".into(), moves };
            let error = check(&file_of(&statement, &[vec![Step::Refuted]]), &mut |_, _| {}).unwrap_err().to_string();
            assert!(error.contains("there is a grid"), "{} seed {seed}: {error}", R::VARIANT);
        }
    }
    of::<T5>();
    of::<D5>();
    of::<T4>();
    of::<D4>();
}

/// The certificates of the repository, checked anew; the large ones in the long form.
#[test]
fn the_certificates_are_accepted() {
    let mut count = 0;
    for entry in fs::read_dir(root("results/proofs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "cert")
            || (fs::metadata(&path).unwrap().len() > 20_000 && !long())
        {
            continue;
        }
        let checked = check(&fs::read(&path).unwrap(), &mut |_, _| {}).unwrap();
        assert!(checked.is_complete() && checked.is_octagon, "{}: {checked:?}", path.display());
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{}-{}-", checked.variant, checked.moves)), "{name}: {checked:?}");
        count += 1;
    }
    assert!(count >= 1, "{count} certificates");
}

fn morpion(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("morpion").unwrap();
    command.arg("prove").args(arguments);
    command
}

#[test]
fn the_command_checks_and_refuses() {
    let (certificate, rosin) = (root("results/proofs/5D-85-hull-rosin.cert"), root("grids/5D-82-rosin.txt"));
    let (certificate, rosin) = (certificate.to_str().unwrap(), rosin.to_str().unwrap());
    let output = morpion(&["--check", certificate, "--hull", rosin]).assert().code(0).get_output().stdout.clone();
    assert!(String::from_utf8(output).unwrap().contains("no grid of 5D with 85 moves or more"));
    let output = morpion(&["--check", certificate, "--json"]).assert().code(0).get_output().stdout.clone();
    let object: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!((object["end"].as_str(), object["moves"].as_u64()), (Some("proved"), Some(85)));
    let small = root("grids/4D-35-hyyroporanen.txt");
    let error = |arguments: &[&str], code: i32| {
        String::from_utf8(morpion(arguments).assert().code(code).get_output().stderr.clone()).unwrap()
    };
    let other = error(
        &["--check", certificate, "--hull", root("grids/starts/5D-82-rosin-first-30.txt").to_str().unwrap()],
        2,
    );
    assert!(other.contains("not the octagon hull"), "{other}");
    let not_read = error(&["--check", certificate, "--hull", small.to_str().unwrap()], 2);
    assert!(!not_read.is_empty());
    let directory = tempfile::tempdir().unwrap();
    let bad = directory.path().join("bad.cert");
    let mut bytes = fs::read(certificate).unwrap();
    bytes[2000] ^= 4;
    fs::write(&bad, bytes).unwrap();
    assert!(error(&["--check", bad.to_str().unwrap()], 2).contains("is refused"));
    // An unfinished proof is no proof.
    let statement = with_units();
    let open = directory.path().join("open.log");
    let bytes = file_of(&statement, &[vec![Step::Handed]]);
    fs::write(&open, pack(&bytes).unwrap()).unwrap();
    let output = morpion(&["--check", open.to_str().unwrap()]).assert().code(1).get_output().stdout.clone();
    assert!(String::from_utf8(output).unwrap().contains("checked, but open: 1 unit"));
    assert!(error(&["--moves", "85"], 2).contains("--hull"));
    assert!(error(&["--moves", "85", "--box", "1,2,3"], 2).contains("four are needed"));
    assert!(error(&["--moves", "85", "--box", "1,2,3,400"], 2).contains("outside of the playing area"));
}

#[cfg(not(feature = "prove"))]
#[test]
fn without_the_solver_the_command_says_what_to_build() {
    let rosin = root("grids/5D-82-rosin.txt");
    let assert = morpion(&["--moves", "85", "--hull", rosin.to_str().unwrap()]).assert().code(2);
    let error = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(error.contains("cargo build --release --features prove"), "{error}");
}

/// With the solver.
#[cfg(feature = "prove")]
mod solved {
    use super::*;
    use morpion::morpion::geometry::Move;
    use morpion::notation::file::load;
    use morpion::proofs::highs::HighsRelaxation;
    use morpion::runner::proving::CERTIFICATE;

    fn hull(file: &str) -> Region {
        let grid = load(&root(file), None).unwrap().grid;
        let points: Vec<Point> = grid.moves.iter().map(|mv: &Move| mv.point()).collect();
        Region::octagon(grid.variant, &points).unwrap()
    }

    #[test]
    fn the_prover_agrees_with_brute_force() {
        for seed in 10..if long() { 30 } else { 13 } {
            for counts in [
                like_brute_force::<T5, _>(seed, HighsRelaxation::new),
                like_brute_force::<D5, _>(seed, HighsRelaxation::new),
                like_brute_force::<T4, _>(seed, HighsRelaxation::new),
                like_brute_force::<D4, _>(seed, HighsRelaxation::new),
            ] {
                assert!(counts[0] >= 5 && counts[1] >= 1, "seed {seed}: {counts:?}");
            }
        }
    }

    /// Rosin's hull has no grid of 85 moves; with two threads and with one.
    #[test]
    fn the_hull_of_the_record_is_closed_for_85_moves() {
        let statement = Statement { region: hull("grids/5D-82-rosin.txt"), title: "Rosin".into(), moves: 85 };
        for threads in [1, 2] {
            let directory = tempfile::tempdir().unwrap();
            let mut proof = open(&statement, Some(directory.path())).unwrap();
            assert_eq!(proof.run(threads, HighsRelaxation::new, &|| false, &mut |_| {}).unwrap(), ProvingEnd::Proved);
            assert!(proof.progress().counts.shapes >= 10, "{:?}", proof.progress());
            proof.write_certificate().unwrap();
            let checked = check(&fs::read(directory.path().join(CERTIFICATE)).unwrap(), &mut |_, _| {}).unwrap();
            assert!(checked.is_complete() && checked.is_octagon, "{checked:?}");
        }
    }

    /// The points of a grid and those `more` others beside it that have most of its points around them.
    fn ring(file: &str, more: usize) -> Region {
        let grid = load(&root(file), None).unwrap().grid;
        let own: Vec<Point> = grid.moves.iter().map(|mv: &Move| mv.point()).chain(cross(grid.variant)).collect();
        let around = |(x, y): (i32, i32)| {
            own.iter().filter(|point| (point.x() - x).abs() <= 1 && (point.y() - y).abs() <= 1).count()
        };
        let mut beside: Vec<(i32, i32)> = (1..59)
            .flat_map(|y| (1..59).map(move |x| (x, y)))
            .filter(|&(x, y)| own.iter().all(|point| (point.x(), point.y()) != (x, y)))
            .collect();
        beside.sort_by_key(|&at| std::cmp::Reverse(around(at)));
        let beside = beside.iter().take(more).map(|&(x, y)| Point::new(x, y).unwrap());
        Region::new(grid.variant, own.iter().copied().chain(beside)).unwrap()
    }

    /// Lines of 4, where the linear program says little: near the best grids there is one of so many moves, and none
    /// of one more.
    #[test]
    fn the_best_grids_with_lines_of_4_are_found_and_not_surpassed() {
        let both = [("grids/4D-35-hyyroporanen.txt", 35, [5, 7]), ("grids/4T-62-hyyroporanen.txt", 62, [3, 5])];
        for (file, moves, more) in both {
            let region = ring(file, more[usize::from(long())]);
            let statement = |moves| Statement { region: region.clone(), title: "beside a grid".into(), moves };
            let directory = tempfile::tempdir().unwrap();
            let end = run(&statement(moves + 1), Some(directory.path()), HighsRelaxation::new);
            assert_eq!(end, ProvingEnd::Proved, "{file}");
            let checked = check(&fs::read(directory.path().join(PROOF)).unwrap(), &mut |_, _| {}).unwrap();
            assert!(checked.is_complete() && checked.shapes >= 5, "{file}: {checked:?}");
            let ProvingEnd::Grid(grid) = run(&statement(moves), None, HighsRelaxation::new) else {
                panic!("{file}: the grid is not found")
            };
            assert_eq!(grid.len(), moves as usize);
            referee::replay(region.variant(), &grid).unwrap();
        }
    }

    /// A unit that is stopped before it has solved its thousand programs hands on what it has: a proof whose every
    /// session is short gets on, and comes to an end that the checker accepts.
    #[test]
    fn sessions_shorter_than_a_unit_get_on() {
        let statement = Statement { region: hull("grids/5D-82-rosin.txt"), title: "Rosin".into(), moves: 85 };
        let directory = tempfile::tempdir().unwrap();
        let mut sessions = 0;
        loop {
            let mut proof = open(&statement, Some(directory.path())).unwrap();
            let before = proof.progress().done;
            let polls = AtomicU32::new(0);
            let stop = || polls.fetch_add(1, Ordering::SeqCst) > 60;
            let end = proof.run(1, HighsRelaxation::new, &stop, &mut |_| {}).unwrap();
            assert!(proof.progress().done > before, "session {sessions} has done nothing");
            sessions += 1;
            if end == ProvingEnd::Proved {
                break;
            }
        }
        assert!(sessions > 3, "{sessions} sessions");
        let checked = check(&fs::read(directory.path().join(PROOF)).unwrap(), &mut |_, _| {}).unwrap();
        assert!(checked.is_complete(), "{checked:?}");
    }

    /// A file for the grid that exists, or cannot be written, is refused before anything is searched.
    #[test]
    fn the_file_of_a_grid_is_tried_before_the_search() {
        let directory = tempfile::tempdir().unwrap();
        let (rosin, start) = (root("grids/5D-82-rosin.txt"), root("grids/starts/5D-82-rosin-first-30.txt"));
        let taken = directory.path().join("taken.txt");
        fs::write(&taken, "mine\n").unwrap();
        let nowhere = directory.path().join("no/such/folder.txt");
        for (file, reason) in [(&taken, "the file exists"), (&nowhere, "cannot be written")] {
            let flags = [
                "--moves",
                "83",
                "--hull",
                rosin.to_str().unwrap(),
                "--output",
                file.to_str().unwrap(),
                "--time",
                "2s",
            ];
            let error = String::from_utf8(morpion(&flags).assert().code(2).get_output().stderr.clone()).unwrap();
            assert!(error.contains(reason) && !error.contains(" s  "), "{error}");
        }
        assert_eq!(fs::read_to_string(&taken).unwrap(), "mine\n");
        // The file of the same proof is met again.
        let (state, found) = (directory.path().join("state"), directory.path().join("found.txt"));
        let flags = ["--moves", "30", "--hull", start.to_str().unwrap(), "--threads", "1"];
        for _ in 0..2 {
            let state = ["--state", state.to_str().unwrap(), "--output", found.to_str().unwrap()];
            morpion(&[&flags[..], &state[..]].concat()).assert().code(3);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 3, "a temporary file is left");
    }

    /// A grid that the descents of the estimate meet is printed and written.
    #[test]
    fn a_grid_met_by_the_estimate_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let start = root("grids/starts/5D-82-rosin-first-30.txt");
        let found = directory.path().join("found.txt");
        let flags = ["--moves", "20", "--hull", start.to_str().unwrap(), "--time", "0.001", "--dives", "200"];
        let output = morpion(&[&flags[..], &["--output", found.to_str().unwrap()]].concat()).assert().code(3);
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert!(text.contains("found: a grid of 5D with 20 moves"), "{text}");
        assert_eq!(load(&found, None).unwrap().grid.score(), 20);
    }

    /// The commands' exit statuses: 0 proved, 3 a grid was found, 1 open.
    #[test]
    fn the_command_proves_finds_and_stops() {
        let directory = tempfile::tempdir().unwrap();
        let (rosin, start) = (root("grids/5D-82-rosin.txt"), root("grids/starts/5D-82-rosin-first-30.txt"));
        let (rosin, start) = (rosin.to_str().unwrap(), start.to_str().unwrap());
        let state = directory.path().join("a");
        let state = state.to_str().unwrap();
        let proved = morpion(&["--moves", "86", "--hull", rosin, "--threads", "1", "--state", state, "--json"])
            .assert()
            .code(0);
        let object: serde_json::Value = serde_json::from_slice(&proved.get_output().stdout).unwrap();
        assert_eq!(object["end"].as_str(), Some("proved"));
        morpion(&["--check", &format!("{state}/proof.cert"), "--hull", rosin]).assert().code(0);
        morpion(&["--moves", "85", "--hull", rosin, "--state", state]).assert().code(2);
        let found = directory.path().join("found.txt");
        morpion(&["--moves", "30", "--hull", start, "--output", found.to_str().unwrap()]).assert().code(3);
        assert_eq!(load(&found, None).unwrap().grid.score(), 30);
        morpion(&["--moves", "83", "--hull", rosin, "--time", "0.3", "--dives", "1"]).assert().code(1);
    }

    /// The record itself is found in its hull; that takes minutes.
    #[test]
    fn the_record_reappears() {
        if long() {
            let statement = Statement { region: hull("grids/5D-82-rosin.txt"), title: "Rosin".into(), moves: 82 };
            assert!(matches!(run(&statement, None, HighsRelaxation::new), ProvingEnd::Grid(_)));
        }
    }
}
