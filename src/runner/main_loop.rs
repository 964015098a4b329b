//! What the main threads of all sessions have in common: a lane of the queue, and the loop that hands out units,
//! hears the workers, carries out orders, and looks whether a limit is reached.

use super::contract::{Clocking, SessionLimits, WorkerShare};
use super::events::StopReason;
use super::orders::{GivenOrder, Interrupt, OrderReceiver, SessionOrder};
use crate::queue::{Closed, Inbox, LaneId, Message, Queue, Terms, Unit};
use crossbeam_channel::{Receiver, select_biased, unbounded};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time between two looks whether to stop.
pub(super) const LOOK: Duration = Duration::from_millis(50);
/// Time between two reports of progress.
pub(super) const SHOW: Duration = Duration::from_millis(250);
/// How long a pause waits for the workers. One that has not stopped by then is abandoned, and its unit is handed out
/// again.
const PATIENCE: Duration = Duration::from_millis(500);

/// A lane of the queue, what comes back from it, and what orders have made of its session. It is closed with the
/// value.
pub(super) struct SessionLane<U: Unit> {
    pub queue: Arc<dyn Queue<U>>,
    pub id: LaneId,
    pub terms: Terms,
    pub course: SessionCourse,
    messages: Receiver<Message<U>>,
    clocking: Clocking,
}

impl<U: Unit> SessionLane<U> {
    /// Opens a lane.
    pub fn open(place: &WorkerShare<U>) -> SessionLane<U> {
        let (inbox, messages) = unbounded();
        SessionLane::with_inbox(place, inbox.into(), messages)
    }

    /// Opens a lane whose messages go to `inbox` and come out of `messages`.
    pub fn with_inbox(place: &WorkerShare<U>, inbox: Inbox<U>, messages: Receiver<Message<U>>) -> SessionLane<U> {
        let (queue, terms, clocking) = (Arc::clone(&place.queue), place.terms, place.clocking);
        let (id, course) = (queue.open(terms, inbox), SessionCourse::default());
        SessionLane { queue, id, terms, course, messages, clocking }
    }

    /// Tells for how long the session has run since this call, as its time is counted.
    pub fn stopwatch(&self) -> Box<dyn Fn() -> Duration + Send>
    where
        U: 'static,
    {
        let (began, queue, id) = (Instant::now(), Arc::clone(&self.queue), self.id);
        match self.clocking {
            Clocking::Wall => Box::new(move || began.elapsed()),
            Clocking::Busy => Box::new(move || queue.activity(id).busy),
        }
    }

    /// Most workers that the session may have at once, at least 1.
    pub fn workers(&self) -> usize {
        let size = self.queue.size();
        self.terms.workers.map_or(size, |most| most.clamp(1, size)) as usize
    }

    /// Puts a unit into the lane.
    ///
    /// # Errors
    /// If the lane is closed.
    pub fn put(&self, number: u64, unit: U) -> Result<(), Closed> {
        self.queue.put(self.id, number, unit)
    }

    /// Shares the workers on other terms from now on.
    pub fn adjust(&mut self, terms: Terms) {
        self.terms = terms;
        self.queue.adjust(self.id, terms);
    }

    /// Lets no worker compute a unit of the lane.
    pub fn halt(&self) {
        self.queue.halt(self.id, PATIENCE);
    }

    /// A message that is there.
    pub fn message(&self) -> Option<Message<U>> {
        self.messages.try_recv().ok()
    }

    /// How many messages are there.
    pub fn waiting(&self) -> usize {
        self.messages.len()
    }
}

impl<U: Unit> Drop for SessionLane<U> {
    fn drop(&mut self) {
        self.queue.close(self.id);
    }
}

/// What orders have made of a session.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SessionCourse {
    /// No unit is computed.
    pub paused: bool,
    /// No more units are handed out; it ends when those begun are done.
    pub draining: bool,
}

/// What is due from time to time.
#[derive(Debug)]
pub(super) struct Due {
    /// When it was done last.
    since: Option<Instant>,
    every: Duration,
}

impl Due {
    /// It is due when `every` has passed, and then again.
    pub fn every(every: Duration) -> Due {
        Due { since: Some(Instant::now()), every }
    }

    /// It is due at once, and then each time when `every` has passed.
    pub fn at_once(every: Duration) -> Due {
        Due { since: None, every }
    }

    /// Whether it is due.
    pub fn is_due(&self) -> bool {
        self.since.is_none_or(|since| since.elapsed() >= self.every)
    }

    /// It is done now.
    pub fn restart(&mut self) {
        self.since = Some(Instant::now());
    }
}

/// A session as its loop sees it.
pub(super) trait LoopedSession {
    /// What it puts into the queue.
    type Unit: Unit;
    /// How it ends.
    type Ending;
    /// Why it fails.
    type Error;

    /// The ending of a session that can continue.
    fn stopped(reason: StopReason) -> Self::Ending;

    /// The error that there are no workers any more.
    fn no_workers() -> Self::Error;

    /// Its lane of the queue.
    fn lane(&mut self) -> &mut SessionLane<Self::Unit>;

    /// What it may use.
    fn limits(&self) -> SessionLimits;

    /// Seconds that it has run, over all sessions.
    fn seconds(&self) -> f64;

    /// What its limit of iterations counts, over all sessions.
    fn iterations(&self) -> u64;

    /// Hands out units unless it is paused; how the work ends, if it is over.
    ///
    /// # Errors
    /// Why the work cannot continue.
    fn advance(&mut self) -> Result<Option<Self::Ending>, Self::Error>;

    /// How long to wait for a message or an order.
    fn wait(&self) -> Duration {
        LOOK
    }

    /// Takes in a message of a worker.
    ///
    /// # Errors
    /// Why the work cannot continue.
    fn hear(&mut self, message: Message<Self::Unit>) -> Result<(), Self::Error>;

    /// Takes in the messages that are there.
    ///
    /// # Errors
    /// Why the work cannot continue.
    fn drain(&mut self) -> Result<(), Self::Error> {
        while let Some(message) = self.lane().message() {
            self.hear(message)?;
        }
        Ok(())
    }

    /// Stops the workers, and takes in what they have done.
    ///
    /// # Errors
    /// Why the work cannot continue.
    fn halt(&mut self) -> Result<(), Self::Error> {
        self.lane().halt();
        self.drain()
    }

    /// Saves and tells how it stands: it was paused.
    ///
    /// # Errors
    /// What cannot be written or told.
    fn paused(&mut self) -> Result<(), Self::Error>;

    /// Measures its rate anew: it goes on after a pause.
    fn resumed(&mut self);

    /// Keeps other limits from now on. The terms of its lane may be others, too.
    ///
    /// # Errors
    /// Why the work cannot continue.
    fn adjusted(&mut self, limits: SessionLimits) -> Result<(), Self::Error>;

    /// Tells and saves what is due.
    ///
    /// # Errors
    /// What cannot be written or told.
    fn keep_up(&mut self) -> Result<(), Self::Error>;
}

/// Works until the session is over, a limit is reached, or somebody says to stop.
///
/// # Errors
/// Those of the session.
pub(super) fn run_loop<S: LoopedSession>(
    session: &mut S,
    interrupt: &Interrupt,
    ordered: &OrderReceiver,
) -> Result<S::Ending, S::Error> {
    let messages = session.lane().messages.clone();
    loop {
        if let Some(ending) = session.advance()? {
            return Ok(ending);
        }
        let given = select_biased! {
            recv(ordered.0) -> given => given.ok(),
            recv(messages) -> message => {
                session.hear(message.map_err(|_| S::no_workers())?)?;
                session.drain()?;
                None
            }
            default(session.wait()) => None,
        };
        if let Some(given) = given
            && let Some(ending) = obey(session, given)?
        {
            return Ok(ending);
        }
        if interrupt.asked() {
            return Ok(S::stopped(StopReason::Interrupted));
        }
        if session.lane().course.paused {
            continue;
        }
        let SessionLimits { seconds, iterations, .. } = session.limits();
        if seconds.is_some_and(|limit| session.seconds() >= limit) {
            return Ok(S::stopped(StopReason::Time));
        }
        if iterations.is_some_and(|limit| session.iterations() >= limit) {
            return Ok(S::stopped(StopReason::Iterations));
        }
        session.keep_up()?;
    }
}

/// Carries out an order; how the work ends, if it does.
fn obey<S: LoopedSession>(session: &mut S, given: GivenOrder) -> Result<Option<S::Ending>, S::Error> {
    match given.order {
        SessionOrder::Stop => return Ok(Some(S::stopped(StopReason::Interrupted))),
        SessionOrder::Drain => {
            session.lane().course.draining = true;
            go_on(session);
        }
        SessionOrder::GoOn => go_on(session),
        SessionOrder::Pause => {
            session.halt()?;
            session.lane().course.paused = true;
            session.paused()?;
        }
        SessionOrder::Adjust(limits, terms) => {
            session.lane().adjust(terms);
            session.adjusted(limits)?;
        }
    }
    // Whoever gave it may have gone.
    let _ = given.done.send(());
    Ok(None)
}

fn go_on<S: LoopedSession>(session: &mut S) {
    if std::mem::take(&mut session.lane().course.paused) {
        let lane = session.lane();
        lane.queue.go_on(lane.id);
        session.resumed();
    }
}
