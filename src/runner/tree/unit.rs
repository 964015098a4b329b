//! A unit of a solution as the workers of a queue compute it.
//!
//! A depth-first search of a game is a recursion, which cannot be left and entered again. So each member of the crew has a
//! thread of its own for its searches, and the worker that has the unit waits for it. When others come first, the
//! search is held up where it stands and the worker goes; it loses nothing, and how it ends depends on the unit
//! alone, as it would without an interruption. At no time more threads search than the queue has workers.

use super::crew::{Answer, Control, Solver};
use crate::core::game::Game;
use crate::core::panic::panic_text;
use crate::jobs::tree::coordinator::Work;
use crate::jobs::tree::unit::{Outcome, Spent, UnitId};
use crate::queue::{Lease, Unit};
use crate::runner::worker::Trap;
use crate::solvers::table::TableError;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The worker looks so often whether its search has to make room.
const LOOK: Duration = Duration::from_millis(2);

/// Makes what a member searches with; called on the member's thread, when its first unit comes.
pub type Hire<G> = Box<dyn FnOnce() -> Result<Box<dyn Solver<G>>, TableError> + Send>;

/// How a unit came back.
#[derive(Debug)]
pub enum Ended {
    /// The member came to an end with it.
    Answered {
        /// How.
        answer: Answer,
        /// What it took.
        spent: Spent,
        /// What a search said that broke down.
        error: Option<String>,
    },
    /// There is no memory for the member's table.
    NoTable(TableError),
    /// There is no thread for the member.
    NoThread(io::Error),
}

/// A unit on its way to a member.
struct Task<G> {
    work: Arc<Work<G>>,
    control: Arc<Control>,
    back: Sender<Ended>,
}

/// The place of a member: its thread, once it has one. The thread ends with the place.
pub struct Seat<G>(Mutex<Place<G>>);

enum Place<G> {
    Empty(Option<Hire<G>>),
    Taken(Sender<Task<G>>),
}

impl<G: Game + Send + Sync + 'static> Seat<G> {
    /// For a member that is still to be hired.
    pub fn new(hire: Hire<G>) -> Seat<G> {
        Seat(Mutex::new(Place::Empty(Some(hire))))
    }

    fn give(&self, task: Task<G>) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Place::Empty(hire) = &mut *place {
            let (sender, tasks) = unbounded();
            let Some(hire) = hire.take() else { return };
            match std::thread::Builder::new().name("search".to_owned()).spawn(move || sit(hire, &tasks)) {
                Ok(_) => *place = Place::Taken(sender),
                Err(error) => {
                    let _ = task.back.send(Ended::NoThread(error));
                    return;
                }
            }
        }
        if let Place::Taken(tasks) = &*place {
            // A thread that has ended drops the task, and the way back with it.
            let _ = tasks.send(task);
        }
    }
}

/// What a member's thread does.
fn sit<G: Game + Sync>(hire: Hire<G>, tasks: &Receiver<Task<G>>) {
    let mut hired = catch_unwind(AssertUnwindSafe(hire));
    for Task { work, control, back } in tasks {
        control.start();
        let ended = match &mut hired {
            Ok(Ok(solver)) => {
                let answer = catch_unwind(AssertUnwindSafe(|| solver.solve(&work, &control)));
                control.read_clock();
                let (answer, error) = match answer {
                    Ok(answer) => (answer, None),
                    Err(panic) => {
                        let (window, nodes) = (control.window(), control.nodes());
                        (Answer { window, outcome: Outcome::Failed, nodes }, Some(panic_text(&*panic)))
                    }
                };
                let spent = Spent { nodes: answer.nodes, ..control.spent() };
                Ended::Answered { answer, spent, error }
            }
            Ok(Err(error)) => Ended::NoTable(*error),
            Err(panic) => {
                let answer = Answer { window: control.window(), outcome: Outcome::Failed, nodes: 0 };
                Ended::Answered { answer, spent: Spent::default(), error: Some(panic_text(&**panic)) }
            }
        };
        // Nobody may want it any more.
        let _ = back.send(ended);
        control.end();
    }
}

/// A unit of a solution.
pub struct TreeUnit<G> {
    work: Arc<Work<G>>,
    control: Arc<Control>,
    seat: Arc<Seat<G>>,
    trap: Option<Trap>,
}

impl<G> TreeUnit<G> {
    /// For the member on a seat.
    pub fn new(work: Work<G>, control: Arc<Control>, seat: Arc<Seat<G>>, trap: Option<Trap>) -> TreeUnit<G> {
        TreeUnit { work: Arc::new(work), control, seat, trap }
    }
}

impl<G> Clone for TreeUnit<G> {
    fn clone(&self) -> TreeUnit<G> {
        let TreeUnit { work, control, seat, trap } = self;
        TreeUnit {
            work: Arc::clone(work),
            control: Arc::clone(control),
            seat: Arc::clone(seat),
            trap: trap.as_ref().map(Arc::clone),
        }
    }
}

impl<G> fmt::Debug for TreeUnit<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeUnit").field("unit", &self.work.unit).finish_non_exhaustive()
    }
}

/// A search that was begun.
pub struct Running {
    control: Arc<Control>,
    back: Receiver<Ended>,
    /// Nodes when it was last heard of.
    heard: Option<u64>,
}

/// A search that nobody waits for any more ends.
impl Drop for Running {
    fn drop(&mut self) {
        self.control.cancel();
        self.control.release();
    }
}

impl<G: Game + Send + Sync + 'static> Unit for TreeUnit<G> {
    type Running = Running;
    type Report = ();
    type Outcome = Ended;

    fn begin(&self, attempt: u32) -> Result<Running, String> {
        if let Some(trap) = &self.trap {
            trap(self.work.unit, attempt);
        }
        let (sender, back) = bounded(1);
        let control = Arc::clone(&self.control);
        self.seat.give(Task { work: Arc::clone(&self.work), control: Arc::clone(&control), back: sender });
        Ok(Running { control, back, heard: None })
    }

    fn run(&self, running: &mut Running, lease: &dyn Lease<()>) -> Option<Ended> {
        self.control.release();
        loop {
            match running.back.recv_timeout(LOOK) {
                Ok(ended) => return Some(ended),
                Err(RecvTimeoutError::Disconnected) => {
                    let answer = Answer { window: self.control.window(), outcome: Outcome::Failed, nodes: 0 };
                    let error = Some("its thread has gone".to_owned());
                    return Some(Ended::Answered { answer, spent: self.control.spent(), error });
                }
                Err(RecvTimeoutError::Timeout) => {
                    // A search that does not come on is not heard of, and loses the unit in the end.
                    let nodes = Some(self.control.nodes());
                    let silent = std::mem::replace(&mut running.heard, nodes) == nodes;
                    if !silent && lease.stop().is_some() {
                        self.control.hold();
                        // It may just have ended.
                        return running.back.try_recv().ok();
                    }
                }
            }
        }
    }
}

/// Number of a unit on its way through the queue: that of the unit, as long as one member is at it. With a quorum several
/// are; the others count from [`BEYOND`].
pub type Ticket = UnitId;

/// See [`Ticket`].
pub const BEYOND: Ticket = 1 << 63;
