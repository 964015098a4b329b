//! A unit of a solution on its way to another machine, and what that says of it.

use super::{SearchReply, SearchThread, TreeUnit, UnitPlace};
use crate::core::encoding::{decode, encode};
use crate::core::game::Game;
use crate::core::quantity::mebibytes;
use crate::jobs::solve::{SolveJob, Visitor};
use crate::jobs::tree::coordinator::LeafUnit;
use crate::jobs::tree::credit::Spent;
use crate::jobs::tree::settings::Window;
use crate::jobs::tree::state::play;
use crate::jobs::tree::unit::{UnitId, UnitOutcome};
use crate::queue::any::AnyUnit;
use crate::queue::copies::UnitCopy;
use crate::queue::{Portable, Unpacked};
use crate::runner::engine::Plan;
use crate::runner::parcel::Parcel;
use crate::runner::tree::Elsewhere;
use crate::runner::tree::exchange::{RecordExchange, is_plausible, worth_most};
use crate::runner::tree::solver::{ByEngine, SearchState, SharedTable, Solver, SolverAnswer, UnitControl, locked};
use crate::solvers::solvable::Solvable;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// A packed unit of a solution.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SolveParcel {
    /// The job as JSON.
    job: String,
    unit: UnitId,
    /// Codes of the moves from the job's position to the unit's.
    path: Vec<u16>,
    window: Window,
    budget: u64,
    alone: bool,
}

/// What a machine is told with a unit beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitKnowledge {
    /// What the search continues from.
    pub state: Option<SearchState>,
    /// What other machines have found.
    pub records: Vec<u8>,
    /// What is worth telling others, if anything is: the logarithm of the nodes that a record took.
    pub telling_from: Option<u32>,
}

impl UnitKnowledge {
    /// Whether it can be that, as far as that can be seen.
    fn is_plausible(&self) -> bool {
        self.state.as_ref().is_none_or(SearchState::is_plausible) && is_plausible(&self.records)
    }
}

/// What the machine says of the unit.
#[derive(Debug, Serialize, Deserialize)]
enum SolveWord {
    Nodes(u64),
    Ended {
        window: Window,
        outcome: UnitOutcome,
        spent: Spent,
        error: Option<String>,
    },
    /// How far it has come, and what it was last told.
    At {
        nodes: u64,
        window: Window,
        cancelled: bool,
    },
    /// What another search can continue from.
    State(SearchState),
    /// What the solvers of the machine have found that is worth telling others.
    Found(Vec<u8>),
    /// How often it has heard [`SolveOrder::Learn`].
    Learned(u64),
    /// It has ended, and that was found.
    EndedWith {
        window: Window,
        outcome: UnitOutcome,
        spent: Spent,
        error: Option<String>,
        found: Vec<u8>,
    },
}

/// What the machine is told.
#[derive(Debug, Serialize, Deserialize)]
enum SolveOrder {
    Cancel,
    Window(Window),
    /// What other machines have found.
    Learn(Vec<u8>),
}

/// The solver of a worker: a [`SearchThread`] of its job's game.
struct KeptSolver {
    /// The job as JSON.
    job: String,
    thread: Arc<dyn Any + Send + Sync>,
    table: Arc<SharedTable>,
}

/// The solvers of a machine, one for each of its workers and the job that it was last at. Those of one job share a
/// table, which remembers what earlier units have found out.
#[derive(Default)]
pub struct SolverRegistry {
    /// Most bytes of a table for each worker.
    memory: u64,
    workers: u32,
    solvers: Mutex<BTreeMap<u32, KeptSolver>>,
}

impl fmt::Debug for SolverRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolverRegistry").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl SolverRegistry {
    /// For so many workers, and tables of at most `memory` bytes for each.
    pub fn new(memory: u64, workers: u32) -> SolverRegistry {
        SolverRegistry { memory, workers, solvers: Mutex::default() }
    }

    /// The unit of a parcel, for this worker, with what was told beside it.
    ///
    /// # Errors
    /// What is wrong with it, or why it cannot be computed here.
    pub fn open(&self, parcel: SolveParcel, known: UnitKnowledge, worker: u32) -> Result<AnyUnit, String> {
        struct OpenVisitor<'a> {
            registry: &'a SolverRegistry,
            job: &'a SolveJob,
            parcel: SolveParcel,
            known: UnitKnowledge,
            worker: u32,
        }
        impl Visitor for OpenVisitor<'_> {
            type Out = Result<AnyUnit, String>;
            fn visit<G: Solvable>(self, root: G) -> Self::Out {
                let OpenVisitor { registry, job, parcel, known, worker } = self;
                let position = play(&root, &parcel.path).map_err(|error| error.to_string())?;
                let (thread, table) = registry.thread::<G>(&parcel.job, job, worker)?;
                let SolveParcel { job: _, unit, path, window, budget, alone } = parcel;
                let work = LeafUnit { unit, node: 0, path, position, window, budget, alone };
                let control = Arc::new(UnitControl::new(window, budget));
                if !alone {
                    table.note_from(known.telling_from.unwrap_or(u64::BITS));
                    table.learn(&known.records);
                    if let Some(state) = known.state {
                        control.continue_from(Arc::new(state));
                    }
                }
                Ok(AnyUnit::new(TreeUnit::new(work, control, thread, None, UnitPlace::FromElsewhere(table))))
            }
        }
        if !known.is_plausible() {
            return Err("what it is to be continued from is no state of a search".to_owned());
        }
        let job: SolveJob = serde_json::from_str(&parcel.job).map_err(|error| format!("the job: {error}"))?;
        // A smaller table takes more nodes for the same value. Where several are to agree it must be the same.
        if job.memory > self.memory && parcel.alone {
            let (needed, most) = (mebibytes(job.memory), mebibytes(self.memory));
            return Err(format!("its table takes {needed} of memory, and a worker may have {most} here (--memory)"));
        }
        job.visit(OpenVisitor { registry: self, job: &job, parcel, known, worker })
    }

    /// The solver of a worker, and its table. When another job comes, it goes.
    fn thread<G: Solvable>(
        &self,
        text: &str,
        job: &SolveJob,
        worker: u32,
    ) -> Result<(Arc<SearchThread<G>>, Arc<SharedTable>), String> {
        let plan = Plan::new(&job.choice, 1).map_err(|error| error.to_string())?;
        let mut solvers = self.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(KeptSolver { job: of, thread, table }) = solvers.get(&worker)
            && of == text
            && let Ok(thread) = Arc::clone(thread).downcast()
        {
            return Ok((thread, Arc::clone(table)));
        }
        // Those of other jobs whose workers are idle, or at something else, give their memory back.
        solvers.retain(|_, solver| solver.job == text || Arc::strong_count(&solver.thread) > 1);
        let same = solvers.values().find(|solver| solver.job == text);
        let table = same.map(|solver| Arc::clone(&solver.table)).unwrap_or_else(|| {
            let free = u64::from(self.workers).saturating_sub(solvers.len() as u64).max(1);
            SharedTable::new(job.memory.min(self.memory), free, &job.settings)
        });
        let shared = Arc::clone(&table);
        let factory = move || Ok(Box::new(ByEngine::new(plan, shared.table()?)) as Box<dyn Solver<G>>);
        let thread = Arc::new(SearchThread::new(Box::new(factory)));
        let kept = KeptSolver { job: text.to_owned(), thread: Arc::clone(&thread) as _, table: Arc::clone(&table) };
        solvers.insert(worker, kept);
        Ok((thread, table))
    }
}

impl<G: Game + Send + Sync + 'static> Portable<(), SearchReply> for TreeUnit<G> {
    /// The third attempt begins anew.
    fn pack(&self, attempt: u32) -> Vec<u8> {
        let LeafUnit { unit, path, budget, alone, .. } = &*self.work;
        if attempt > 2 {
            self.control.forget();
        }
        let (job, exchange) = match &self.place {
            UnitPlace::Anywhere(Elsewhere { job, exchange }) => (&**job, exchange.as_ref()),
            UnitPlace::HereOnly | UnitPlace::FromElsewhere(_) => ("", None),
        };
        let parcel = SolveParcel {
            job: job.to_owned(),
            unit: *unit,
            path: path.clone(),
            window: self.control.pass_window(),
            budget: *budget,
            alone: *alone,
        };
        let mut known = UnitKnowledge {
            state: self.control.begins_with().map(|state| SearchState::clone(&state)),
            ..UnitKnowledge::default()
        };
        if let Some(exchange) = exchange {
            let (records, told) = exchange.begin(*unit);
            *locked(&self.told) = Some(told);
            (known.records, known.telling_from) = (records, Some(exchange.least()));
        }
        match known {
            UnitKnowledge { state: None, telling_from: None, .. } => Parcel::Solve(parcel),
            known => Parcel::SolveKnowing(parcel, known),
        }
        .to_bytes()
    }

    /// One that is cancelled anybody may end.
    fn copy(&self) -> Option<&UnitCopy> {
        self.copy.as_ref().filter(|_| !self.control.is_cancelled())
    }

    fn unpack(&self, _worker: u32, message: &[u8]) -> Result<Unpacked<(), SearchReply>, String> {
        let word = decode::<SolveWord>(message).ok_or("its words about a solution cannot be read")?;
        Ok(match word {
            SolveWord::Nodes(nodes) => {
                self.control.note_nodes(nodes);
                Unpacked::Noted
            }
            SolveWord::At { nodes, window, cancelled } => {
                self.control.note_nodes(nodes);
                self.control.note_told(window, cancelled);
                Unpacked::Noted
            }
            SolveWord::State(state) => {
                if self.work.alone || !state.is_plausible() {
                    return Err("its state is none of this unit".to_owned());
                }
                self.control.note_state(state);
                Unpacked::Advanced
            }
            SolveWord::Ended { window, outcome, spent, error } => self.ended(window, outcome, spent, error)?,
            SolveWord::Found(records) => {
                self.take_in(&records)?;
                Unpacked::Noted
            }
            SolveWord::Learned(times) => {
                if let Some(told) = &mut *locked(&self.told) {
                    told.note_heard(times);
                }
                Unpacked::Noted
            }
            SolveWord::EndedWith { window, outcome, spent, error, found } => {
                let ended = self.ended(window, outcome, spent, error)?;
                self.take_in(&found)?;
                ended
            }
        })
    }

    fn order(&self) -> Option<Vec<u8>> {
        if let Some(cancelled) = self.control.take_change() {
            let window = SolveOrder::Window(self.control.window());
            return Some(encode(&if cancelled { SolveOrder::Cancel } else { window }));
        }
        let mut told = locked(&self.told);
        let records = self.exchange()?.later(self.work.unit, told.as_mut()?)?;
        Some(encode(&SolveOrder::Learn(records)))
    }

    /// It begins anew, from its last state.
    fn given_back(&self) {
        if let Some(copy) = &self.copy {
            copy.leave();
        }
        self.control.restart();
    }

    fn pack_report(&self, (): ()) -> Vec<u8> {
        encode(&SolveWord::Nodes(self.control.nodes()))
    }

    fn pack_outcome(&self, outcome: SearchReply) -> Vec<u8> {
        let failed = |error: String| SolveWord::Ended {
            window: self.control.window(),
            outcome: UnitOutcome::Failed,
            spent: self.control.spent(),
            error: Some(error),
        };
        encode(&match outcome {
            SearchReply::Answered { answer: SolverAnswer { window, outcome, .. }, spent, error } => {
                let found = self.found();
                if found.is_empty() {
                    SolveWord::Ended { window, outcome, spent, error }
                } else {
                    SolveWord::EndedWith { window, outcome, spent, error, found }
                }
            }
            SearchReply::NoTable(error) => failed(error.to_string()),
            SearchReply::NoThread(error) => failed(format!("cannot start a thread: {error}")),
        })
    }

    fn news(&self) -> Vec<Vec<u8>> {
        let control = &self.control;
        let (nodes, window, cancelled) = (control.nodes(), control.window(), control.is_cancelled());
        let mut words = vec![encode(&SolveWord::At { nodes, window, cancelled })];
        if control.is_save_due()
            && let Some(state) = control.save()
        {
            words.push(encode(&SolveWord::State(SearchState::clone(&state))));
        }
        let heard = self.heard[0].load(Ordering::SeqCst);
        if self.heard[1].swap(heard, Ordering::SeqCst) != heard {
            words.push(encode(&SolveWord::Learned(heard)));
        }
        let found = self.found();
        if !found.is_empty() {
            words.push(encode(&SolveWord::Found(found)));
        }
        words
    }

    /// The budget is the most that it may take.
    fn fraction(&self) -> Option<f64> {
        Some(self.control.nodes() as f64 / self.work.budget.max(1) as f64)
    }

    fn cancelled(&self) -> Option<SearchReply> {
        self.control.is_cancelled().then(|| {
            let (window, spent) = (self.control.window(), self.control.spent());
            let answer = SolverAnswer { window, outcome: UnitOutcome::Stopped, nodes: spent.nodes };
            SearchReply::Answered { answer, spent, error: None }
        })
    }

    /// What it took may differ.
    fn agree(&self, one: &[u8], other: &[u8]) -> bool {
        let said = |word: &[u8]| match decode(word) {
            Some(SolveWord::Ended { window, outcome, .. } | SolveWord::EndedWith { window, outcome, .. }) => {
                Some((window, outcome))
            }
            _ => None,
        };
        said(one).is_some_and(|one| said(other) == Some(one))
    }

    fn obey(&self, order: &[u8]) -> Result<(), String> {
        match decode(order).ok_or("the order cannot be read")? {
            SolveOrder::Cancel => self.control.cancel(),
            SolveOrder::Window(window) => self.control.set_window(window),
            SolveOrder::Learn(records) => {
                if let UnitPlace::FromElsewhere(table) = &self.place
                    && is_plausible(&records)
                {
                    table.learn(&records);
                }
                self.heard[0].fetch_add(1, Ordering::SeqCst);
            }
        }
        Ok(())
    }
}

impl<G: Game + Send + Sync + 'static> TreeUnit<G> {
    /// What machines tell each other of the solution, where its coordinator is.
    fn exchange(&self) -> Option<&RecordExchange> {
        match &self.place {
            UnitPlace::Anywhere(Elsewhere { exchange, .. }) => exchange.as_deref(),
            UnitPlace::HereOnly | UnitPlace::FromElsewhere(_) => None,
        }
    }

    /// The outcome that another machine says.
    fn ended(
        &self,
        window: Window,
        outcome: UnitOutcome,
        spent: Spent,
        error: Option<String>,
    ) -> Result<Unpacked<(), SearchReply>, String> {
        if !self.control.has_asked(window) {
            return Err("it answers what nobody has asked".to_owned());
        }
        let answer = SolverAnswer { window, outcome, nodes: spent.nodes };
        Ok(Unpacked::Outcome(SearchReply::Answered { answer, spent, error }))
    }

    /// Takes in what its machine has found.
    fn take_in(&self, records: &[u8]) -> Result<(), String> {
        let exchange = self.exchange().filter(|_| is_plausible(records));
        exchange.ok_or("what it has found is nothing that it was asked for")?.take_in(self.work.unit, records);
        Ok(())
    }

    /// What the solvers of this machine have found since the last call, and is worth telling others.
    fn found(&self) -> Vec<u8> {
        match &self.place {
            UnitPlace::FromElsewhere(table) => worth_most(table.take_noted()),
            UnitPlace::HereOnly | UnitPlace::Anywhere(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::board::ReversiBoard;
    use crate::games::reversi::position::{ReversiPosition, Start};
    use crate::jobs::solve::SolvePosition;
    use crate::jobs::tree::settings::{StoreKind, TreeSettings};
    use crate::queue::{Lease, Stop, Unit};
    use crate::runner::parcel::ParcelOpener;
    use crate::solvers::choice::EngineChoice;

    /// A lease that ends when the unit has taken so many nodes.
    struct Until<'a>(&'a AnyUnit, f64);

    impl<R> Lease<R> for Until<'_> {
        fn worker(&self) -> u32 {
            1
        }

        fn stop(&self) -> Option<Stop> {
            let done = self.0.portable().and_then(|unit| unit.fraction());
            done.is_some_and(|done| done >= self.1).then_some(Stop::Halted)
        }

        fn report(&self, _report: R) {}
    }

    const BUDGET: u64 = 100_000_000;

    /// Reversi 5x6 as one unit, where its coordinator is: is black better by more than 10?
    fn whole(alone: bool) -> TreeUnit<ReversiPosition> {
        let position = ReversiPosition::new(ReversiBoard::new(5, 6).unwrap(), Start::Standard);
        let job = SolveJob {
            problem: SolvePosition::Reversi(position),
            title: "Reversi 5x6".to_owned(),
            choice: EngineChoice { algorithm: None, without: Vec::new() },
            memory: 1 << 24,
            settings: TreeSettings::default(),
            user: "nobody".to_owned(),
            store: StoreKind::Redb,
            initial_depth: 0,
        };
        let window = Window { alpha: 10, beta: 11 };
        let work = LeafUnit { unit: 1, node: 0, path: Vec::new(), position, window, budget: BUDGET, alone };
        let control = Arc::new(UnitControl::new(window, BUDGET));
        let thread = Arc::new(SearchThread::new(Box::new(|| unreachable!("it is searched elsewhere"))));
        let tables = SharedTable::new(1 << 24, 1, &TreeSettings { fresh: alone, ..TreeSettings::default() });
        let elsewhere =
            Elsewhere { job: serde_json::to_string(&job).unwrap().into(), exchange: RecordExchange::new(tables) };
        TreeUnit::new(work, control, thread, None, UnitPlace::Anywhere(elsewhere))
    }

    /// Computes the unit on a machine that knows nothing of it, until it has so many nodes; its outcome, if it came
    /// to one, as the coordinator unpacks it.
    fn computed(unit: &TreeUnit<ReversiPosition>, packed: &[u8], nodes: u64) -> Option<SearchReply> {
        let opened = ParcelOpener::new(1 << 24, 1).open(packed, 1).unwrap();
        let portable = opened.portable().unwrap();
        let mut running = opened.begin(1).unwrap();
        let lease = Until(&opened, nodes as f64 / BUDGET as f64);
        let word = match opened.run(&mut running, &lease) {
            Some(outcome) => portable.pack_outcome(outcome),
            None => {
                for word in portable.news() {
                    assert!(!matches!(unit.unpack(1, &word), Err(_) | Ok(Unpacked::Outcome(_))));
                }
                return None;
            }
        };
        match unit.unpack(1, &word) {
            Ok(Unpacked::Outcome(reply)) => Some(reply),
            other => panic!("{other:?}"),
        }
    }

    fn answer(reply: Option<SearchReply>) -> (SolverAnswer, Spent) {
        match reply {
            Some(SearchReply::Answered { answer, spent, error: None }) => (answer, spent),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_search_continues_on_another_machine_with_what_it_has_found() {
        let unit = whole(false);
        let (undisturbed, _) = answer(computed(&unit, &unit.pack(1), u64::MAX));
        assert!(matches!(undisturbed.outcome, UnitOutcome::Answered { .. }), "{undisturbed:?}");
        let half = undisturbed.nodes / 2;
        // On a busy machine the thread that interrupts the search may come too late.
        let interrupted = (0..20).find_map(|_| {
            let unit = whole(false);
            let first = unit.pack(1);
            computed(&unit, &first, half).is_none().then_some((unit, first))
        });
        let (unit, first) = interrupted.expect("it is interrupted");
        unit.given_back();
        let state = unit.control.state().expect("it has said how far it has come");
        assert!(state.nodes >= half && state.table.len() > 1000 && unit.control.nodes() == state.nodes, "{state:?}");
        let second = unit.pack(2);
        assert_eq!(crate::runner::parcel::identity(&second), crate::runner::parcel::identity(&first));
        let (continued, spent) = answer(computed(&unit, &second, u64::MAX));
        assert_eq!(continued.outcome, undisturbed.outcome);
        // What was spent before counts, and little of it is done again.
        assert_eq!(continued.nodes, spent.nodes);
        let again = continued.nodes as f64 / undisturbed.nodes as f64;
        assert!((0.8..1.3).contains(&again), "{again} times {} nodes", undisturbed.nodes);
        // The third attempt begins anew.
        assert_eq!(unit.pack(3).len(), unit.pack(1).len());
        assert!(second.len() > unit.pack(1).len() + 1000);
    }

    #[test]
    fn machines_tell_each_other_what_they_have_found() {
        let unit = whole(false);
        let (first, _) = answer(computed(&unit, &unit.pack(1), u64::MAX));
        // The same question for another machine, as if it were another unit.
        let again = TreeUnit { work: Arc::new(LeafUnit { unit: 2, ..LeafUnit::clone(&unit.work) }), ..unit.clone() };
        let packed = again.pack(1);
        let Some(Parcel::SolveKnowing(parcel, known)) = decode(&packed) else { panic!("nothing is known") };
        assert!(known.state.is_none() && known.telling_from.is_some() && known.records.len() > 100, "{known:?}");
        let nodes = |packed: &[u8]| {
            let (answer, _) = answer(computed(&again, packed, u64::MAX));
            assert_eq!(answer.outcome, first.outcome);
            answer.nodes
        };
        let told = nodes(&packed);
        assert!(told < first.nodes / 2, "{told} nodes instead of {}", first.nodes);
        // One that is told nothing takes as many as the first.
        assert_eq!(nodes(&Parcel::Solve(parcel.clone()).to_bytes()), first.nodes);
        for records in [vec![1; 17], vec![1; 16 * (crate::runner::tree::exchange::MOST_TOLD + 1)]] {
            assert!(unit.unpack(1, &encode(&SolveWord::Found(records.clone()))).is_err());
            let known = UnitKnowledge { records, ..UnitKnowledge::default() };
            let packed = Parcel::SolveKnowing(parcel.clone(), known).to_bytes();
            assert!(ParcelOpener::new(1 << 24, 1).open(&packed, 1).is_err());
        }
    }

    #[test]
    fn where_several_have_to_agree_nothing_is_passed_on() {
        let unit = whole(true);
        let packed = unit.pack(1);
        assert!(computed(&unit, &packed, 100_000).is_none());
        unit.given_back();
        assert!(unit.control.state().is_none());
        let state = SearchState { nodes: 1, unpaid: Spent::default(), table: Vec::new() };
        assert!(unit.unpack(1, &encode(&SolveWord::State(state))).is_err());
        assert!(unit.unpack(1, &encode(&SolveWord::Found(vec![1; 16]))).is_err());
        assert!(matches!(decode(&unit.pack(1)), Some(Parcel::Solve(_))));
    }

    #[test]
    fn states_that_are_none_are_refused() {
        let unit = whole(false);
        let spent = |nodes| Spent { nodes, micros: 0 };
        let most = crate::runner::tree::solver::MOST_RECORDS * 16;
        for (nodes, unpaid, bytes) in [(10, 11, 16), (10, 5, 17), (10, 10, most + 16)] {
            let state = SearchState { nodes, unpaid: spent(unpaid), table: vec![1; bytes] };
            assert!(unit.unpack(1, &encode(&SolveWord::State(state.clone()))).is_err(), "{nodes} {unpaid} {bytes}");
            let Parcel::SolveKnowing(parcel, _) = decode(&unit.pack(1)).unwrap() else { panic!("nothing is known") };
            let known = UnitKnowledge { state: Some(state), ..UnitKnowledge::default() };
            let packed = Parcel::SolveKnowing(parcel, known).to_bytes();
            assert!(ParcelOpener::new(1 << 24, 1).open(&packed, 1).is_err());
        }
    }

    #[test]
    fn orders_are_told_until_the_machine_knows_them() {
        let unit = whole(false);
        let machine = whole(false);
        let other = Window { alpha: 0, beta: 1 };
        assert!(unit.order().is_none());
        unit.control.set_window(other);
        let order = unit.order().expect("it is told");
        assert!(unit.order().is_none(), "not twice at once");
        // It has not heard that yet.
        unit.unpack(1, &machine.news()[0]).unwrap();
        std::thread::sleep(crate::runner::tree::solver::TELL_AGAIN);
        assert_eq!(unit.order(), Some(order.clone()), "it may be lost");
        machine.obey(&order).unwrap();
        unit.unpack(1, &machine.news()[0]).unwrap();
        std::thread::sleep(crate::runner::tree::solver::TELL_AGAIN);
        assert!(unit.order().is_none(), "the machine knows it");
        unit.control.cancel();
        assert!(unit.order().is_some_and(|last| last != order));
    }
}
