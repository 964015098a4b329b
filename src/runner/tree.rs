//! Solves by units: threads and files around the coordinator of [`crate::jobs::tree`].
//!
//! The calling thread hands units to the workers and takes in how they end. A unit is on disk before a worker gets it,
//! and an outcome before it is reported or any other unit handed out; every few seconds a checkpoint is taken. So a crash loses the units
//! that were running, and no other.

pub mod crew;

use super::Interrupt;
use super::cpu::thread_seconds;
use crate::core::game::Game;
use crate::jobs::tree::coordinator::{Coordinator, Effects, Next, Order, Work};
use crate::jobs::tree::credit::WorkerId;
use crate::jobs::tree::record::{Event, Misfit};
use crate::jobs::tree::state::State;
use crate::jobs::tree::unit::{Outcome, Spent};
use crate::store::tree::{TreeStore, TreeStoreError};
use crew::{Answer, Control, Solver};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between two looks at the interrupt, and between two reports of how it stands.
const TICK: Duration = Duration::from_millis(50);
/// Time between two checkpoints.
const CHECKPOINT: Duration = Duration::from_secs(10);

/// Why a solution by units came to a bad end.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// The state cannot be read or written.
    #[error(transparent)]
    Store(#[from] TreeStoreError),
    /// The state does not go together.
    #[error("the state of the solution makes no sense: {0}")]
    Misfit(#[from] Misfit),
    /// Units are left that no worker may answer.
    #[error(
        "no worker is left for the units that are open: {trusted} of {workers} workers are trusted, \
         and where they do not agree another is needed"
    )]
    Stuck {
        /// Workers that are trusted.
        trusted: usize,
        /// All workers.
        workers: usize,
    },
    /// A thread could not be started.
    #[error("cannot start a worker: {0}")]
    Thread(io::Error),
}

/// A worker.
pub struct Member<'a, G> {
    /// Who gets its credit.
    pub user: String,
    /// Its name among the user's.
    pub name: String,
    /// What it does.
    pub solver: Box<dyn Solver<G> + 'a>,
}

/// What the observer is told.
pub enum Told<'a> {
    /// Something happened.
    Event(&'a Event),
    /// How it stands, some times a second.
    Standing {
        /// Units that workers are at.
        running: usize,
        /// Nodes of these so far.
        nodes: u64,
    },
}

/// Why the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The question is answered.
    Finished,
    /// It was interrupted.
    Interrupted,
}

/// A unit on its way to a worker.
struct Task<G> {
    work: Work<G>,
    control: Arc<Control>,
}

/// A unit on its way back.
struct Done<G> {
    place: usize,
    task: Task<G>,
    answer: Answer,
    spent: Spent,
}

/// The desk of a worker, as the main thread sees it.
struct Desk<G> {
    worker: WorkerId,
    tasks: Sender<Task<G>>,
    busy: bool,
}

/// Works until the question is answered, or the interrupt asked. `store`, if there is one, holds the coordinator's state.
///
/// # Errors
/// A file that cannot be written, or workers that nobody trusts.
pub fn solve_by_units<G: Game + Send + Sync>(
    coordinator: &mut Coordinator<G>,
    store: Option<&mut TreeStore>,
    members: Vec<Member<'_, G>>,
    interrupt: &Interrupt,
    observer: &mut dyn FnMut(&State<G>, Told),
) -> Result<Ended, TreeError> {
    std::thread::scope(|scope| {
        let (sender, done) = unbounded();
        let mut desks = Vec::new();
        for (place, member) in members.into_iter().enumerate() {
            let worker = coordinator.join(&member.user, &member.name)?;
            let (tasks, receiver) = bounded(1);
            let sender = sender.clone();
            let thread = std::thread::Builder::new().name(format!("unit-{place}"));
            thread
                .spawn_scoped(scope, move || work(place, member.solver, &receiver, &sender))
                .map_err(TreeError::Thread)?;
            desks.push(Desk { worker, tasks, busy: false });
        }
        drop(sender);
        let mut session =
            Session { coordinator, store, desks, controls: BTreeMap::new(), checkpointed: Instant::now() };
        let ended = session.run(&done, interrupt, observer);
        // However it ended, the threads have to.
        session.cancel_all();
        ended
    })
}

/// What a worker's thread does.
fn work<G: Game + Sync>(
    place: usize,
    mut solver: Box<dyn Solver<G> + '_>,
    tasks: &Receiver<Task<G>>,
    done: &Sender<Done<G>>,
) {
    for task in tasks {
        let before = thread_seconds();
        let answer = catch_unwind(AssertUnwindSafe(|| solver.solve(&task.work, &task.control)));
        let answer = answer.unwrap_or_else(|_| {
            let (window, nodes) = (task.control.window(), task.control.nodes());
            Answer { window, outcome: Outcome::Failed, nodes }
        });
        let seconds = thread_seconds().zip(before).map_or(0.0, |(now, before)| now - before);
        let spent = Spent { nodes: answer.nodes, micros: (seconds * 1e6) as u64 };
        if done.send(Done { place, task, answer, spent }).is_err() {
            return;
        }
    }
}

struct Session<'a, G> {
    coordinator: &'a mut Coordinator<G>,
    store: Option<&'a mut TreeStore>,
    desks: Vec<Desk<G>>,
    /// Of the units that workers are at, by worker.
    controls: BTreeMap<WorkerId, (u64, Arc<Control>)>,
    checkpointed: Instant,
}

impl<G: Game + Send + Sync> Session<'_, G> {
    fn run(
        &mut self,
        done: &Receiver<Done<G>>,
        interrupt: &Interrupt,
        observer: &mut dyn FnMut(&State<G>, Told),
    ) -> Result<Ended, TreeError> {
        loop {
            let stopping = interrupt.asked();
            if stopping {
                self.cancel_all();
                self.keep()?;
            } else {
                self.hand_out()?;
            }
            for event in self.pass_on() {
                observer(self.coordinator.state(), Told::Event(&event));
            }
            if self.controls.is_empty() {
                self.checkpoint()?;
                return if self.coordinator.state().is_finished() {
                    Ok(Ended::Finished)
                } else if stopping {
                    Ok(Ended::Interrupted)
                } else {
                    let workers = self.coordinator.state().workers();
                    let trusted = workers.iter().filter(|worker| !worker.distrusted).count();
                    Err(TreeError::Stuck { trusted, workers: workers.len() })
                };
            }
            match done.recv_timeout(TICK) {
                Ok(first) => {
                    for done in std::iter::once(first).chain(done.try_iter()) {
                        self.take(done)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(TreeError::Thread(io::Error::other("all workers are gone")));
                }
            }
            if self.checkpointed.elapsed() >= CHECKPOINT {
                self.checkpoint()?;
            }
            let nodes = self.controls.values().map(|(_, control)| control.nodes()).sum();
            observer(self.coordinator.state(), Told::Standing { running: self.controls.len(), nodes });
        }
    }

    /// Gives every idle worker a unit, as far as there are any.
    fn hand_out(&mut self) -> Result<(), TreeError> {
        let mut ready = Vec::new();
        for (place, desk) in self.desks.iter().enumerate().filter(|(_, desk)| !desk.busy) {
            match self.coordinator.next(desk.worker)? {
                Next::Unit(work) => ready.push((place, work)),
                Next::Wait | Next::Distrusted | Next::Finished => (),
            }
        }
        self.keep()?;
        for (place, work) in ready {
            let desk = &mut self.desks[place];
            let control = Arc::new(Control::new(work.window, work.budget));
            self.controls.insert(desk.worker, (work.unit, control.clone()));
            desk.busy = true;
            let sent = desk.tasks.send(Task { work: *work, control });
            sent.map_err(|_| TreeError::Thread(io::Error::other("a worker is gone")))?;
        }
        Ok(())
    }

    /// Takes in how a unit ended.
    fn take(&mut self, done: Done<G>) -> Result<(), TreeError> {
        let Done { place, task, answer: Answer { window, outcome, .. }, spent } = done;
        let desk = &mut self.desks[place];
        desk.busy = false;
        self.controls.remove(&desk.worker);
        Ok(self.coordinator.settle(desk.worker, task.work.unit, window, outcome, spent)?)
    }

    /// Tells the workers what they have to be told, and returns what happened.
    fn pass_on(&mut self) -> Vec<Event> {
        let Effects { events, orders } = self.coordinator.take_effects();
        for (worker, unit, order) in orders {
            // A worker whose outcome is on its way is beyond orders.
            if let Some((at, control)) = self.controls.get(&worker)
                && *at == unit
            {
                match order {
                    Order::Cancel => control.cancel(),
                    Order::Window(window) => control.set_window(window),
                }
            }
        }
        events
    }

    /// Stores what has changed.
    fn keep(&mut self) -> Result<(), TreeError> {
        let records = self.coordinator.take_records();
        match &mut self.store {
            Some(store) => Ok(store.append(&records)?),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self) -> Result<(), TreeError> {
        self.keep()?;
        if let Some(store) = &mut self.store {
            store.checkpoint(self.coordinator.state_mut())?;
        }
        self.checkpointed = Instant::now();
        Ok(())
    }

    fn cancel_all(&self) {
        for (_, control) in self.controls.values() {
            control.cancel();
        }
    }
}
