//! A service that lives in memory and runs nothing: jobs change their state when they are told to, and no other way.

use morpion::daemon::grids;
use morpion::daemon::positions::{self, NoPosition};
use morpion::daemon::service::{
    Adjustment, ClusterFilter, GridFilter, JobCommand, JobFilter, Page, Refusal, Service,
};
use morpion::daemon::view::*;
use morpion::morpion::variant::Variant;
use morpion::notation::catalogue::Catalogue;
use morpion::notation::clusters::{ClusteredGrid, clusters};
use morpion::notation::grid::Grid;
use morpion::tactics::goal::TacticalGoal;
use morpion::tactics::verdict::TacticsVerdict;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

/// Slow work ends after this, so that a test that fails does not hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The service.
pub struct Fake {
    state: Mutex<State>,
    events: broadcast::Sender<EventView>,
    catalogue: Catalogue,
    /// Submissions of the kind `slow` that are at work, and the most that ever were.
    pub at_work: AtomicUsize,
    pub most_at_work: AtomicUsize,
    /// Submissions of the kind `slow` end as soon as this is set.
    pub ends_slow: AtomicBool,
}

#[derive(Default)]
struct State {
    jobs: BTreeMap<JobId, JobView>,
    requests: BTreeMap<JobId, JobRequest>,
    keys: HashMap<String, (JobRequest, JobId)>,
    grids: BTreeMap<String, (GridView, Grid)>,
    events: Vec<EventView>,
    messages: Vec<MessageView>,
    /// Jobs that were ever submitted.
    submitted: JobId,
}

impl Fake {
    /// Without jobs, with the known records of 5D in the archive.
    pub fn new() -> Fake {
        let fake = Fake {
            state: Mutex::default(),
            events: broadcast::channel(64).0,
            catalogue: Catalogue::load().unwrap(),
            at_work: AtomicUsize::new(0),
            most_at_work: AtomicUsize::new(0),
            ends_slow: AtomicBool::new(false),
        };
        for known in fake.catalogue.records().filter(|known| known.grid.variant == Variant::D5) {
            let view = grids::view(&known.grid, &fake.catalogue, 1.0);
            fake.state().grids.insert(view.key.clone(), (view, known.grid.clone()));
        }
        fake
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Stores an event and tells it.
    pub fn happens(&self, job: Option<JobId>, what: EventKind) {
        let mut state = self.state();
        let id = state.events.len() as u64 + 1;
        let event = EventView { v: VERSION, id, time: 5.0, job, what };
        state.events.push(event.clone());
        let _ = self.events.send(event);
    }

    /// A solver job knows more: these are the bounds now, and the value if they have met.
    #[allow(dead_code)]
    pub fn closer(&self, job: JobId, lower: i32, upper: i32) {
        let settled = lower == upper;
        if let Some(found) = self.state().jobs.get_mut(&job).and_then(|job| job.summary.solution.as_mut()) {
            (found.lower, found.upper, found.settled) = (lower, upper, settled);
            if settled {
                (found.best_moves, found.line) = (vec!["c4".to_owned()], vec!["c4".to_owned(), "d2".to_owned()]);
            }
        }
        self.happens(Some(job), EventKind::Bounds { lower, upper, settled, nodes: 2000, seconds: 3.0 });
    }

    /// Tells how a job stands; nothing is stored.
    pub fn progress(&self, job: JobId, iterations: u64) {
        self.tell_progress(job, iterations, 4);
    }

    /// So many workers compute units of the job from now on, which its progress tells.
    #[allow(dead_code)]
    pub fn share(&self, job: JobId, workers: u32) {
        if let Some(job) = self.state().jobs.get_mut(&job) {
            job.summary.state = if workers > 0 { JobState::Running } else { JobState::Queued };
        }
        self.tell_progress(job, 10, workers);
    }

    fn tell_progress(&self, job: JobId, iterations: u64, workers: u32) {
        let what = EventKind::Progress {
            iterations,
            rate: 1.0,
            best: 2,
            units_done: 3,
            workers,
            threads: workers,
            seconds: 5.0,
        };
        let _ = self.events.send(EventView { v: VERSION, id: 0, time: 5.0, job: Some(job), what });
    }
}

/// A proof that is half done.
fn proof() -> ProofView {
    ProofView {
        region: "the box 3,2,2,2".to_owned(),
        points: 174,
        moves: 83,
        end: "open".to_owned(),
        closed: 0.53515625,
        units_open: 13,
        units_done: 6,
        nodes: 568,
        programs: 5701,
        shapes: 12,
        conflicts: 34,
        without_answer: 1,
        cpu_seconds: 48.5,
        left: Some(ProofLeftView { dives: 15, nodes: 1098.8, shapes: 4.0, cpu_seconds: 93.8 }),
        grids: 0,
    }
}

/// A match of Reversi, half played.
fn played() -> MatchView {
    MatchView {
        game: "reversi".to_owned(),
        title: "reversi 6x6, standard start".to_owned(),
        width: 6,
        height: 6,
        a: "morpion:5".to_owned(),
        b: "morpion:2".to_owned(),
        pairs: 40,
        pairs_done: 13,
        pairs_counted: 12,
        won: 15,
        drawn: 2,
        lost: 7,
        pair_scores: [1, 2, 3, 2, 4],
        score: 0.6666666666666666,
        elo: 120.4,
        elo_interval: [-3.7, 280.2],
        test: Some(MatchTestView {
            elo0: 0.0,
            elo1: 30.0,
            log_likelihood_ratio: 0.73,
            bound: 2.944,
            decision: "undecided".to_owned(),
        }),
        cpu_seconds: 48.5,
    }
}

/// Games of Gomoku, a few of which are made.
fn made() -> SelfplayView {
    SelfplayView {
        game: "gomoku".to_owned(),
        title: "gomoku 15x15, empty board, exactly 5 in a row".to_owned(),
        width: 15,
        height: 15,
        games: 1000,
        games_counted: 240,
        won_black: 130,
        drawn: 20,
        won_white: 90,
        plies: 8400,
        head: "morpion gomoku games 1 size=15x15 rule=five win=5 seed=0 nodes=2000 weights=00000000".to_owned(),
        cpu_seconds: 12.5,
    }
}

/// Weights of Gomoku, which are learned.
fn tuning() -> TuneView {
    let loss = |training, validation| FitLossView { training, validation };
    let part = |at, training, validation| TuneLossView { at, positions: 52_100, loss: loss(training, validation) };
    TuneView {
        game: "gomoku".to_owned(),
        of_network: false,
        title: "gomoku 15x15, empty board, exactly 5 in a row".to_owned(),
        games_of: vec![3, 5],
        games: 1500,
        positions: 52_100,
        parts: 2,
        parts_done: 2,
        losses: vec![part(150, 0.6123, 0.6201), part(300, 0.6012, 0.6154)],
        before: Some(loss(0.6312, 0.6345)),
        after: Some(loss(0.6013, 0.6155)),
        cpu_seconds: 12.5,
    }
}

/// Tactical questions, of which two are answered.
fn answering() -> TacticsView {
    TacticsView {
        title: "go".to_owned(),
        moves: "generators".to_owned(),
        questions: 3,
        questions_done: 2,
        compared: 2,
        by_code: 1,
        with_move: 1,
        unknown: 0,
        nodes: 1500,
        checked: 1,
        refused: 0,
        questions_counted: 2,
        cpu_seconds: 2.5,
    }
}

/// A question of them.
fn answered(number: u64) -> AnsweredQuestionView {
    let is_first = number == 0;
    let answer = TacticsAnswerView {
        goal: if is_first { TacticalGoal::Capture } else { TacticalGoal::Defend },
        target: "b2".to_owned(),
        with: None,
        region: None,
        side: if is_first { "black" } else { "white" }.to_owned(),
        verdict: if is_first { TacticsVerdict::Works } else { TacticsVerdict::Fails },
        code: Some(u8::from(is_first)),
        proven: is_first,
        levels: 1,
        first: is_first.then(|| "b1".to_owned()),
        zone: None,
        nodes: 750,
    };
    AnsweredQuestionView {
        number,
        line_number: number + 1,
        name: (17 + number).to_string(),
        width: 3,
        height: 3,
        cells: ".X.XOX...".to_owned(),
        answer,
        expected: vec![1],
        right_by_code: Some(is_first),
        right_with_move: Some(is_first),
        proofs_checked: u64::from(is_first),
        proof_fault: None,
        seconds: 1.25,
    }
}

/// Patterns of Go, which are mined.
fn mining() -> MineView {
    MineView {
        title: "go 9x9".to_owned(),
        games: 20,
        games_done: 20,
        positions: 1712,
        questions: 45_210,
        patterns_of_games: 6120,
        least: 2,
        patterns: Some(4321),
        kept: Some(321),
        cpu_seconds: 42.5,
    }
}

/// A plan of Gomoku that is looked for: three replies have none yet.
fn planning() -> PlanView {
    let open = |reply: &str, state: &str, proof, turns| PlanGoalView {
        reply: reply.to_owned(),
        state: state.to_owned(),
        proof,
        turns,
        nodes: 5_000_000 * turns,
    };
    PlanView {
        title: "gomoku 15x15, given position, exactly 5 in a row".to_owned(),
        start: "h8".to_owned(),
        wins: "black".to_owned(),
        goals: 35,
        answered: 32,
        open: vec![open("i9", "open", Some(726), 3), open("h9", "limit", Some(64), 9), open("a1", "open", None, 0)],
        moves: 16_043,
        nodes: 1_234_567_890,
        threats: 45_210,
        unit_nodes: 5_000_000,
        divide_after: 100_000_000,
        goal_nodes: Some(45_000_000),
        checked: false,
        cpu_seconds: 4200.5,
    }
}

/// A plan of Gomoku that is checked: one of its moves does not hold, and the first position has an open reply.
fn checking() -> CheckView {
    let hole = |number, moves: &str| HoleView {
        number,
        moves: moves.to_owned(),
        reason: "the plan has no move here, and threats are not found to win".to_owned(),
    };
    CheckView {
        title: "gomoku 15x15, given position, exactly 5 in a row".to_owned(),
        start: "h8".to_owned(),
        wins: "black".to_owned(),
        moves: 17_177,
        checked: 4_320,
        unit_moves: 20,
        start_answered: Some(false),
        unanswered: Some(hole(None, "a1")),
        hole: Some(hole(Some(4_320), "h9 i9 k12")),
        replies: 952_110,
        planned: 4_100,
        by_threats: 948_010,
        positions: 12_345_678,
        cpu_seconds: 3600.5,
    }
}

/// Positions of Gomoku, of which two are analysed.
fn analysing() -> AnalyseView {
    AnalyseView {
        game: "gomoku".to_owned(),
        title: "gomoku 5x5, given position, exactly 4 in a row".to_owned(),
        positions: 3,
        positions_done: 2,
        cpu_seconds: 2.5,
    }
}

/// A position of them.
fn analysed(number: u64) -> AnalysedPositionView {
    let found = |line: [&str; 2], value: i32, decided_in| AnalysedMoveView {
        name: Some(line[0].to_owned()),
        value: value.into(),
        decided_in,
        depth: 3,
        nodes: 1200,
        line: line.map(str::to_owned).to_vec(),
    };
    AnalysedPositionView {
        number,
        game: 0,
        played: ["c3", "b2"].map(str::to_owned)[..number as usize].to_vec(),
        next: Some(["b3", "b2"][(number as usize).min(1)].to_owned()),
        width: 5,
        height: 5,
        cells: ["............X............", "............X....O......."][(number as usize).min(1)].to_owned(),
        position: "...../...../..X../...../..... white".to_owned(),
        side: "white".to_owned(),
        moves: vec![found(["b3", "d3"], 12_000, Some(5)), found(["d2", "b3"], -4, None)],
        seconds: 1.25,
    }
}

/// A game of that match: an opening, and some moves.
fn game(number: u64) -> MatchGameView {
    MatchGameView {
        number,
        black: if number.is_multiple_of(2) { "a" } else { "b" }.to_owned(),
        winner: ["a", "b", "draw"][number as usize % 3].to_owned(),
        failure: None,
        opening: 2,
        moves: ["c2", "b2", "b3"].map(str::to_owned).to_vec(),
        text: "(;GM[Othello]BO[8]B[C2]W[B2]B[B3];)".to_owned(),
        saved_as: "ggf".to_owned(),
        line: None,
    }
}

/// What a solver job has found: Reversi on 4x4, nearly solved.
fn solution(request: &JobRequest) -> SolutionView {
    let asked = PositionRequest { settings: request.settings.clone(), moves: Vec::new(), opening: None };
    let shown = positions::position(asked).ok();
    let (position, game) = shown.map_or_else(Default::default, |shown| (shown.position, shown.game));
    let known = |name: &str, lower, upper| MoveBoundsView { name: name.to_owned(), lower, upper };
    // Whatever was asked for, the position is this one, unless it is another one of the same size.
    let same = game == "reversi" && position.len() == "-----OX--XO----- X".len();
    SolutionView {
        game: "reversi".to_owned(),
        title: "reversi 4x4, standard start".to_owned(),
        width: 4,
        height: 4,
        cells: ".....OX..XO.....".to_owned(),
        position: if same { position } else { "-----OX--XO----- X".to_owned() },
        side: "black".to_owned(),
        goal: "exact".to_owned(),
        settled: false,
        lower: -10,
        upper: -6,
        best_moves: Vec::new(),
        line: Vec::new(),
        moves: vec![
            known("b1", Some(-10), Some(-6)),
            known("a2", Some(-16), Some(-10)),
            known("d3", None, None),
            known("c4", Some(-8), Some(-8)),
        ],
        tree_nodes: 17,
        units: SolutionUnitsView { made: 9, finished: 4, split: 1, cancelled: 2, open: 2 },
        nodes: 1234,
        cpu_seconds: 0.5,
        user: "ada".to_owned(),
        quorum: 1,
        contradictions: 0,
    }
}

fn course() -> SolutionStatisticsView {
    let tally = |units| TallyView { units, nodes: 10 * units, cpu_seconds: 0.25 };
    let credit = CreditView { accepted: tally(5), not_needed: tally(2), refused: TallyView::default() };
    let at = |seconds, lower, upper| BoundsPoint { seconds, nodes: 100, units: 3, lower, upper };
    SolutionStatisticsView {
        course: vec![at(0.5, -16, 16), at(1.0, -16, -6), at(2.5, -10, -6)],
        total: credit,
        users: vec![UserCreditView { user: "ada".to_owned(), credit }],
        workers: vec![WorkerCreditView {
            user: "ada".to_owned(),
            name: "1".to_owned(),
            credit,
            right: 5,
            wrong: 0,
            failed: 0,
            trusted: true,
        }],
    }
}

/// What a user, or a part of one, has computed.
fn contribution(units: u64, machines: u32) -> ContributionView {
    let (seconds, credit) = (3600.0 * units as f64, 4.25 * units as f64);
    let (units_solve, units_prove, units_players) = (units / 3, 0, units / 9);
    let units_hunt = units - units_solve - units_players;
    let last = 1_790_000_000.0;
    ContributionView { units, units_hunt, units_solve, units_prove, units_players, seconds, credit, machines, last }
}

/// Part of a list whose cursors are places in it.
fn part<T: Clone>(all: &[T], page: &Page) -> Result<Listing<T>, Refusal> {
    let from = match &page.cursor {
        Some(cursor) => cursor.parse().map_err(|_| Refusal::Invalid("that is no cursor".to_owned()))?,
        None => 0usize,
    };
    let items: Vec<T> = all.iter().skip(from).take(page.limit).cloned().collect();
    let end = from.saturating_add(items.len());
    let next = (end < all.len() && !items.is_empty()).then(|| end.to_string());
    Ok(Listing { v: VERSION, items, next })
}

fn no_job(id: JobId) -> Refusal {
    Refusal::NotFound(format!("job {id}"))
}

impl Service for Fake {
    fn health(&self) -> HealthView {
        let state = self.state();
        HealthView {
            v: VERSION,
            status: "ok".to_owned(),
            version: "test".to_owned(),
            uptime: 1.0,
            workers: 2,
            busy: 1,
            jobs: BTreeMap::new(),
            grids: state.grids.len() as u64,
        }
    }

    fn submit(&self, request: JobRequest, idempotency: Option<&str>) -> Result<JobView, Refusal> {
        match request.kind.as_str() {
            "hunt" | "solve" | "prove" | "match" | "selfplay" | "analyse" | "tune" | "tactics" | "mine" | "plan"
            | "check" => {}
            "full" => return Err(Refusal::Unavailable("the disk is full".to_owned())),
            "broken" => return Err(Refusal::Internal("secret details".to_owned())),
            "panic" => panic!("as it was asked to"),
            "slow" => {
                let at_work = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
                self.most_at_work.fetch_max(at_work, Ordering::SeqCst);
                let end = Instant::now() + PATIENCE;
                while !self.ends_slow.load(Ordering::SeqCst) && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(5));
                }
                self.at_work.fetch_sub(1, Ordering::SeqCst);
                return Err(Refusal::Invalid("it was slow".to_owned()));
            }
            other => return Err(Refusal::Invalid(format!("unknown kind '{other}': hunt is expected"))),
        }
        if !(1..=1000).contains(&request.weight) {
            return Err(Refusal::Invalid("the weight is out of range: 1 to 1000 is expected".to_owned()));
        }
        let mut state = self.state();
        if let Some((first, id)) = idempotency.and_then(|key| state.keys.get(key)) {
            return match *first == request {
                true => Ok(state.jobs[id].clone()),
                false => Err(Refusal::Conflict("the same Idempotency-Key, another request".to_owned())),
            };
        }
        state.submitted += 1;
        let id = state.submitted;
        if let Some(key) = idempotency {
            state.keys.insert(key.to_owned(), (request.clone(), id));
        }
        state.requests.insert(id, request.clone());
        let solution = (request.kind == "solve").then(|| solution(&request));
        let proof = (request.kind == "prove").then(proof);
        let matched = (request.kind == "match").then(played);
        let selfplay = (request.kind == "selfplay").then(made);
        let analyse = (request.kind == "analyse").then(analysing);
        let tune = (request.kind == "tune").then(tuning);
        let others = [solution.is_none(), proof.is_none(), matched.is_none(), selfplay.is_none(), analyse.is_none()]
            .into_iter()
            .all(|none| none);
        let tactics = (request.kind == "tactics").then(answering);
        let mine = (request.kind == "mine").then(mining);
        let plan = (request.kind == "plan").then(planning);
        let check = (request.kind == "check").then(checking);
        let others = others && plan.is_none() && check.is_none();
        let is_hunt = others && tune.is_none() && tactics.is_none() && mine.is_none();
        let chosen = is_hunt && !request.settings.contains_key("strategy");
        let summary = JobSummary {
            id,
            kind: request.kind,
            name: request.name.unwrap_or_else(|| format!("job {id}")),
            state: JobState::Running,
            reason: None,
            variant: (is_hunt || proof.is_some()).then_some(if is_hunt { Variant::T5 } else { Variant::D5 }),
            strategy: Some(if is_hunt { "nrpa" } else { "special" }.to_owned()),
            strategy_reason: chosen.then(|| "strategy nrpa, as the daemon chose".to_owned()),
            seed: Some(7),
            priority: request.priority,
            weight: request.weight,
            limits: request.limits,
            after: request.after,
            not_before: request.not_before,
            submitted: 1.0,
            began: Some(2.0),
            ended: None,
            seconds: 3.0,
            iterations: 1000,
            units_done: 1,
            units_stalled: 0,
            units_quarantined: 0,
            best: is_hunt.then_some(82),
            solution,
            proof,
            matched,
            selfplay,
            analyse,
            tune,
            tactics,
            mine,
            plan,
            check,
            units_summarised: false,
        };
        let best_grid = state.grids.keys().next().filter(|_| is_hunt).cloned();
        let mut job = JobView::idle(summary, best_grid, request.settings).with_workers(1);
        job.rate = 10.0;
        state.jobs.insert(id, job.clone());
        drop(state);
        self.happens(Some(id), EventKind::Submitted { name: job.summary.name.clone() });
        Ok(job)
    }

    fn jobs(&self, filter: &JobFilter, page: &Page) -> Result<Listing<JobView>, Refusal> {
        let state = self.state();
        let asked = |job: &&JobView| {
            filter.state.is_none_or(|s| job.summary.state == s)
                && filter.kind.as_ref().is_none_or(|k| job.summary.kind == *k)
        };
        part(&state.jobs.values().rev().filter(asked).cloned().collect::<Vec<_>>(), page)
    }

    fn job(&self, id: JobId) -> Result<JobView, Refusal> {
        self.state().jobs.get(&id).cloned().ok_or_else(|| no_job(id))
    }

    fn request(&self, id: JobId) -> Result<JobRequest, Refusal> {
        self.state().requests.get(&id).cloned().ok_or_else(|| no_job(id))
    }

    fn command(&self, id: JobId, command: JobCommand) -> Result<JobView, Refusal> {
        let mut state = self.state();
        let job = state.jobs.get_mut(&id).ok_or_else(|| no_job(id))?;
        if (command == JobCommand::Retry) != (job.summary.state == JobState::Failed) {
            return Err(Refusal::Conflict(format!("job {id} has not failed, or is over")));
        }
        if job.summary.state.is_over() && command != JobCommand::Retry {
            return Err(Refusal::Conflict(format!("job {id} is over")));
        }
        job.summary.state = match command {
            JobCommand::Retry => JobState::Queued,
            JobCommand::Pause => JobState::Paused,
            JobCommand::Resume => JobState::Running,
            JobCommand::Cancel => JobState::Cancelled,
            JobCommand::Drain => JobState::Finished,
        };
        let job = job.clone();
        drop(state);
        self.happens(Some(id), EventKind::State { state: job.summary.state, reason: None });
        Ok(job)
    }

    fn adjust(&self, id: JobId, adjustment: Adjustment) -> Result<JobView, Refusal> {
        let mut state = self.state();
        let job = state.jobs.get_mut(&id).ok_or_else(|| no_job(id))?;
        if adjustment.priority.is_some_and(|p| !(-100..=100).contains(&p)) {
            return Err(Refusal::Invalid("the priority is out of range: -100 to 100 is expected".to_owned()));
        }
        if adjustment.weight.is_some_and(|w| !(1..=1000).contains(&w)) {
            return Err(Refusal::Invalid("the weight is out of range: 1 to 1000 is expected".to_owned()));
        }
        job.summary.priority = adjustment.priority.unwrap_or(job.summary.priority);
        job.summary.weight = adjustment.weight.unwrap_or(job.summary.weight);
        if let Some(limits) = adjustment.limits {
            job.summary.limits = limits.replacing(&job.summary.limits).map_err(Refusal::Invalid)?;
        }
        Ok(job.clone())
    }

    fn remove(&self, id: JobId) -> Result<(), Refusal> {
        let mut state = self.state();
        match state.jobs.get(&id).map(|job| job.summary.state.is_over()) {
            None => Err(no_job(id)),
            Some(false) => Err(Refusal::Conflict(format!("job {id} is not over: cancel it first"))),
            Some(true) => {
                state.jobs.remove(&id);
                Ok(())
            }
        }
    }

    fn units(&self, id: JobId, state: Option<UnitState>, page: &Page) -> Result<Listing<UnitView>, Refusal> {
        self.job(id)?;
        let unit = |unit| UnitView {
            job: id,
            unit,
            state: if unit == 2 { UnitState::Running } else { UnitState::Done },
            attempts: 1,
            end: None,
            iterations: 100,
            best: 60,
            error: None,
        };
        let all: Vec<UnitView> = (0..3).map(unit).filter(|unit| state.is_none_or(|s| unit.state == s)).collect();
        part(&all, page)
    }

    fn statistics(&self, id: JobId) -> Result<StatisticsView, Refusal> {
        let is_proof = self.job(id)?.summary.proof.is_some();
        let is_match = self.job(id)?.summary.matched.is_some();
        let moment = |seconds, pairs| MatchPoint {
            seconds,
            pairs,
            elo: 100.0,
            elo_interval: [-200.0, 400.0],
            log_likelihood_ratio: Some(0.1),
        };
        let point = |seconds, closed| ProofPoint { seconds, closed, units_open: 4, nodes: 50, shapes: 3 };
        Ok(StatisticsView {
            v: VERSION,
            job: id,
            levels: vec![LevelView { level: 1, left: 3, total: 9 }],
            course: vec![CoursePoint { seconds: 1.0, iterations: 500, best: 70 }],
            scores: vec![LevelHistogram { level: 0, counts: vec![(50, 7)] }],
            units: vec![(60, 2)],
            solution: self.state().jobs[&id].summary.solution.is_some().then(course),
            proof: is_proof.then(|| ProofStatisticsView { course: vec![point(1.0, 0.25), point(2.0, 0.53515625)] }),
            matched: is_match.then(|| MatchStatisticsView { course: vec![moment(1.0, 2), moment(2.0, 8)] }),
            selfplay: None,
        })
    }

    fn games(&self, id: JobId, page: &Page) -> Result<Listing<MatchGameView>, Refusal> {
        let summary = self.job(id)?.summary;
        if summary.matched.is_none() && summary.selfplay.is_none() {
            return Err(Refusal::Conflict(format!("job {id} plays no games: it is neither match nor selfplay")));
        }
        let all: Vec<MatchGameView> = (0..26).map(game).collect();
        part(&all, page)
    }

    fn analyses(&self, id: JobId, page: &Page) -> Result<Listing<AnalysedPositionView>, Refusal> {
        if self.job(id)?.summary.analyse.is_none() {
            return Err(Refusal::Conflict(format!("job {id} analyses no positions: its kind is not analyse")));
        }
        part(&[analysed(0), analysed(1)], page)
    }

    fn answers(&self, id: JobId, page: &Page) -> Result<Listing<AnsweredQuestionView>, Refusal> {
        if self.job(id)?.summary.tactics.is_none() {
            return Err(Refusal::Conflict(format!("job {id} answers no questions")));
        }
        part(&[answered(0), answered(1)], page)
    }

    fn patterns(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        match self.job(id)?.summary.mine {
            Some(_) => Ok(b"(;GM[1]SZ[19])".to_vec()),
            None => Err(Refusal::Conflict(format!("job {id} mines no patterns"))),
        }
    }

    fn plan(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        match self.job(id)?.summary.plan {
            Some(_) => Ok(b"morpion plan 1\n".to_vec()),
            None => Err(Refusal::Conflict(format!("job {id} finds no plan"))),
        }
    }

    fn weights(&self, id: JobId) -> Result<Vec<u8>, Refusal> {
        match self.job(id)?.summary.tune {
            Some(_) => Ok(b"morpion gomoku weights".to_vec()),
            None => Err(Refusal::Conflict(format!("job {id} learns no weights"))),
        }
    }

    fn position(&self, request: PositionRequest) -> Result<PositionView, NoPosition> {
        positions::position(request)
    }

    fn chosen_move(&self, request: MoveRequest, stop: &dyn Fn() -> bool) -> Result<ChosenMoveView, NoPosition> {
        positions::chosen_move(request, stop)
    }

    fn analysis(
        &self,
        request: AnalysisRequest,
        stop: &dyn Fn() -> bool,
    ) -> Result<PositionAnalysisView, NoPosition> {
        positions::analysis(request, stop)
    }

    fn backups(&self) -> Result<BackupsView, Refusal> {
        let directory = "/var/lib/morpion/backups".to_owned();
        Ok(BackupsView { v: VERSION, directory, running: None, trouble: None, items: Vec::new() })
    }

    fn begin_backup(&self, _: Option<usize>) -> Result<BackupsView, Refusal> {
        self.backups()
    }

    fn workers(&self) -> Vec<WorkerView> {
        vec![WorkerView {
            worker: 1,
            machine: None,
            job: Some(1),
            unit: Some(2),
            iterations: 100,
            best: 60,
            seconds: 1.5,
            phase: None,
        }]
    }

    fn pool(&self) -> PoolView {
        let machine = MachineView {
            id: "00112233445566ff".to_owned(),
            name: "lab-7".to_owned(),
            user: "ada".to_owned(),
            team: "lab".to_owned(),
            speed: 1_200_000,
            version: "0.1.0".to_owned(),
            state: MachineStanding::Here,
            workers: 8,
            running: 3,
            units: 41,
            refused: 0,
            reason: None,
            silent: 0.5,
            seconds: 90.0,
        };
        PoolView { v: VERSION, open: true, connected: true, trouble: None, machines: vec![machine] }
    }

    fn grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        let state = self.state();
        let mut all: Vec<GridView> =
            state.grids.values().map(|(view, _)| GridView { moves: None, ..view.clone() }).collect();
        all.retain(|grid| filter.accepts(grid) && filter.job.is_none_or(|j| grid.job == Some(j)));
        all.sort_by_key(|grid| (filter.order.rank(grid), grid.key.clone()));
        if let Some(ClusterFilter { difference, of }) = &filter.clusters {
            let lines = |grid: &GridView| state.grids[&grid.key].1.moves.iter().map(|mv| mv.line()).collect();
            let prepared = all.iter().map(|grid| ClusteredGrid { variant: grid.variant, lines: lines(grid) });
            let found = clusters(&prepared.collect::<Vec<_>>(), *difference);
            let told = |cluster: &Vec<usize>| ClusterView {
                grids: cluster.len() as u64,
                shortest: all[cluster[cluster.len() - 1]].score,
                first: 1.0,
                last: 9.0,
            };
            let first = |cluster: &Vec<usize>| GridView { cluster: Some(told(cluster)), ..all[cluster[0]].clone() };
            all = match of {
                None => found.iter().map(first).collect(),
                Some(key) => {
                    let has = |cluster: &&Vec<usize>| cluster.iter().any(|&at| all[at].key == *key);
                    let cluster = found.iter().find(has);
                    let cluster = cluster.ok_or_else(|| Refusal::NotFound(format!("grid {key} in this list")))?;
                    cluster.iter().map(|&at| all[at].clone()).collect()
                }
            };
        }
        part(&all, page)
    }

    fn grid(&self, key: &str) -> Result<(GridView, Grid), Refusal> {
        self.state().grids.get(key).cloned().ok_or_else(|| Refusal::NotFound(format!("grid {key}")))
    }

    fn add_grid(&self, grid: Grid) -> Result<GridView, Refusal> {
        let view = grids::view(&grid, &self.catalogue, 9.0);
        let mut state = self.state();
        Ok(state.grids.entry(view.key.clone()).or_insert((view, grid)).0.clone())
    }

    fn remove_grid(&self, key: &str) -> Result<(), Refusal> {
        let removed = self.state().grids.remove(key);
        removed.map(drop).ok_or_else(|| Refusal::NotFound(format!("grid {key}")))
    }

    fn credit(&self) -> Result<ProjectCreditView, Refusal> {
        let named = |name: &str, units, machines| ContributorView {
            name: name.to_owned(),
            contribution: contribution(units, machines),
        };
        Ok(ProjectCreditView {
            v: VERSION,
            rule: "time".to_owned(),
            early: false,
            reference_speed: 1_000_000,
            total: contribution(120, 3),
            users_count: 2,
            users: vec![named("ada", 90, 2), named("bob b.", 30, 1)],
            teams_count: 1,
            teams: vec![named("lab", 90, 2)],
        })
    }

    fn credit_of(&self, user: &str) -> Result<UserAccountView, Refusal> {
        if !["ada", "bob b."].contains(&user) {
            return Err(Refusal::NotFound(format!("user {user} with credit")));
        }
        let day = |day: u32, units| DayContributionView {
            day: format!("2026-11-{day:02}"),
            contribution: contribution(units, 1),
        };
        let machine = |name: &str, units| MachineContributionView {
            name: name.to_owned(),
            team: "lab".to_owned(),
            contribution: contribution(units, 1),
        };
        Ok(UserAccountView {
            v: VERSION,
            name: user.to_owned(),
            total: contribution(90, 2),
            days: vec![day(20, 30), day(21, 12), day(24, 48)],
            machines: vec![machine("lab-7", 60), machine("lab-8", 30)],
        })
    }

    fn export_credit(&self) -> Result<String, Refusal> {
        Ok("user,team\nada,lab\n".to_owned())
    }

    fn messages(&self) -> Result<MessagesView, Refusal> {
        Ok(MessagesView { v: VERSION, items: self.state().messages.iter().rev().cloned().collect() })
    }

    fn send_message(&self, request: MessageRequest) -> Result<MessageView, Refusal> {
        let mut state = self.state();
        if request.text.is_empty() || request.text.len() > 500 {
            return Err(Refusal::Invalid("the text of a message: expected 1 to 500 characters".to_owned()));
        }
        let number = state.messages.len() as u64 + 1;
        let message = MessageView { number, time: 1_790_000_000.0, to: request.to, text: request.text };
        state.messages.push(message.clone());
        Ok(message)
    }

    fn events(&self, after: u64, job: Option<JobId>, limit: usize) -> Vec<EventView> {
        let state = self.state();
        let asked = |event: &&EventView| event.id > after && (job.is_none() || event.job == job);
        state.events.iter().filter(asked).take(limit).cloned().collect()
    }

    fn subscribe(&self) -> broadcast::Receiver<EventView> {
        self.events.subscribe()
    }
}
