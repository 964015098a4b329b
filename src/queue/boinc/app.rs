//! The application: it computes the unit of a slot, and talks with the BOINC client meanwhile.
//!
//! The unit is computed on a thread of its own. The calling thread looks after everything else ten times a second:
//! what the client says, whether it is still there, the checkpoint, and once a second what it is told. A search is
//! never killed: it returns at its next poll with all that is to be saved, and goes on from there in memory.
//!
//! There are two copies of the unit. One is computed; the other hears what that says, as the coordinator's copy does,
//! so that everything is judged before it is written: the grids by the referee, a state by restoring it. A checkpoint
//! is the second copy, packed again.

use super::channels::{Channel, ChannelFile};
use super::package::{PackageError, SlotCheckpoint, UnitHash, UnitWords, read_unit};
use super::slot::{InitData, Slot, SlotError, SlotLock};
use crate::core::panic::panic_text;
use crate::files::{FileError, Keep, replace};
use crate::queue::nats::worker::{NotOpened, OpenUnit};
use crate::queue::{Lease, Portable, Stop, Unit, Unpacked};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Logical name of the file with the unit.
pub const IN: &str = "in";
/// Logical name of the file for the result.
pub const OUT: &str = "out";
/// Name of the checkpoint in the slot.
pub const CHECKPOINT: &str = "morpion_checkpoint";

/// Time between two looks at what the client says.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two words to the client, and between two looks whether it is still there.
const STATUS: Duration = Duration::from_secs(1);
/// Time in which the client takes the last word.
const LAST_WORD: Duration = Duration::from_secs(2);
/// Time between two attempts to have the slot.
const AGAIN: Duration = Duration::from_secs(1);

/// Times that a test may shorten.
#[derive(Debug, Clone, Copy)]
pub struct AppTimes {
    /// Time without a word of the client after which it has gone, if the number of its process is not known.
    pub lost: Duration,
    /// Time in which the process before may leave the slot.
    pub slot: Duration,
    /// After this time the client is to start the application again, when another process keeps the slot.
    pub later: Duration,
    /// Time between two checkpoints without a client.
    pub pace: Duration,
}

impl Default for AppTimes {
    fn default() -> AppTimes {
        AppTimes {
            lost: Duration::from_secs(30),
            slot: Duration::from_secs(35),
            later: Duration::from_secs(600),
            pace: Duration::from_secs(60),
        }
    }
}

/// How a run of the application ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppEnd {
    /// The result is written.
    Done,
    /// It was told to leave, and continues from its checkpoint when it is started again.
    Left,
    /// The client has gone. It continues as after [`AppEnd::Left`].
    Lost,
    /// The client has aborted the unit.
    Aborted,
    /// Another process has the slot; the client is told to try again later.
    Later,
}

/// Why a unit cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// Something is wrong with the slot.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file of the unit is not one.
    #[error("{IN}: {0}")]
    Package(#[from] PackageError),
    /// The unit cannot be computed here.
    #[error("the unit: {0}")]
    NotOpened(#[from] NotOpened),
    /// The client shares its memory in a way that only clients before version 6 did.
    #[error("the client shares no file: a BOINC client of version 6 or later is needed")]
    OldClient,
    /// The computation has failed.
    #[error("the computation failed: {0}")]
    Failed(String),
}

/// What is told to people while a unit is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppEvent {
    /// It begins, or continues from a checkpoint; alone or under a client, which calls the unit so.
    Began {
        /// The client's name for it, if there is a client.
        client: Option<String>,
        /// It continues from a checkpoint.
        continued: bool,
    },
    /// The checkpoint cannot be used, so the unit begins anew.
    Anew(String),
    /// The client has told it to pause, or to go on.
    Paused(bool),
    /// The memory of the client cannot be used any more.
    Trouble(String),
}

/// The application in its slot.
pub struct BoincApp<U: Unit> {
    /// Its slot directory.
    pub slot: Slot,
    /// Opens the unit.
    pub open: OpenUnit<U>,
    /// When it is to leave: something can be received, or the sender has gone.
    pub leave: Receiver<()>,
    /// Processor time of this process so far, in seconds.
    pub spent: fn() -> f64,
    /// How long it waits for what.
    pub times: AppTimes,
    /// Hears what happens.
    pub tell: Box<dyn Fn(AppEvent)>,
}

impl<U: Unit> BoincApp<U> {
    /// Computes the unit of the slot, as far as the client lets it.
    ///
    /// # Errors
    /// Why the unit cannot be computed. The client has been told that it has failed.
    pub fn run(&self) -> Result<AppEnd, AppError> {
        let Some(_lock) = self.take_slot()? else {
            self.slot.note_later(self.times.later, "another process computes in this slot")?;
            return Ok(AppEnd::Later);
        };
        self.slot.clear_notes();
        let ended = self.under_client();
        if ended.is_err() && self.slot.init_data().is_ok_and(|data| data.is_some()) {
            // The client takes the status of the process for that of the unit.
            let _ = self.slot.note_finished(1);
        }
        ended
    }

    fn take_slot(&self) -> Result<Option<SlotLock>, SlotError> {
        let end = Instant::now() + self.times.slot;
        loop {
            match self.slot.lock() {
                Ok(lock) => return Ok(Some(lock)),
                Err(SlotError::Taken) if Instant::now() >= end => return Ok(None),
                Err(SlotError::Taken) => std::thread::sleep(AGAIN.min(self.times.slot)),
                Err(error) => return Err(error),
            }
        }
    }

    fn under_client(&self) -> Result<AppEnd, AppError> {
        let client = match self.slot.init_data()? {
            Some(data) if !data.is_mapped => return Err(AppError::OldClient),
            Some(data) => Some(BoincClient::new(self.slot.channels()?, data, self.times.lost)),
            None => None,
        };
        let file = Slot::read(&self.slot.resolved(IN))?;
        let packed = read_unit(&file)?;
        let unit = UnitHash::of(packed);
        let (packed, words) = self.begun(unit, packed);
        let (own, record) = ((self.open)(&packed, 1)?, (self.open)(&packed, 1)?);
        let told = AppEvent::Began {
            client: client.as_ref().map(|client| client.data.name.clone()),
            continued: !words.is_empty() || packed != read_unit(&file)?,
        };
        (self.tell)(told);
        let thread = ComputeThread::start(own.clone()).map_err(AppError::Failed)?;
        let last = client.as_ref().map_or(0.0, |client| client.data.seconds);
        let mut computing = Computing {
            app: self,
            unit,
            own,
            record,
            words,
            client,
            thread,
            is_running: true,
            is_done: false,
            last,
            saved: Instant::now(),
        };
        computing.run()
    }

    /// The unit and what it has had to say: as of the checkpoint, if there is one.
    fn begun(&self, unit: UnitHash, packed: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
        let path = self.slot.path(CHECKPOINT);
        let anew = |why: String| {
            (self.tell)(AppEvent::Anew(why));
            (packed.to_vec(), Vec::new())
        };
        if !path.exists() {
            return (packed.to_vec(), Vec::new());
        }
        let read = Slot::read(&path).map_err(|error| error.to_string());
        match read.and_then(|bytes| SlotCheckpoint::from_file(&bytes).map_err(|error| error.to_string())) {
            Ok(checkpoint) if checkpoint.unit != unit => anew("it is of another unit".to_owned()),
            Ok(SlotCheckpoint { packed, words, .. }) => (packed, words),
            Err(why) => anew(why),
        }
    }
}

/// What the calling thread wants of the one that computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Compute,
    /// The client has it paused.
    Pause,
    /// It is to end so.
    End(AppEnd),
}

/// A unit that is computed.
struct Computing<'a, U: Unit> {
    app: &'a BoincApp<U>,
    unit: UnitHash,
    own: U,
    /// The copy that hears what the computed one says.
    record: U,
    words: Vec<Vec<u8>>,
    client: Option<BoincClient>,
    thread: ComputeThread<U>,
    /// Whether the thread computes, and does not wait.
    is_running: bool,
    /// The outcome is there.
    is_done: bool,
    /// Processor time at the last checkpoint, with that of earlier runs, and when it was taken.
    last: f64,
    saved: Instant,
}

impl<U: Unit> Computing<'_, U> {
    fn run(&mut self) -> Result<AppEnd, AppError> {
        let mut wish = Wish::Compute;
        let mut status = Instant::now();
        let pace = self.client.as_ref().map_or(self.app.times.pace, |client| client.data.pace);
        loop {
            match self.thread.told.recv_timeout(LOOK) {
                Ok(spoken) => self.take(spoken)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AppError::Failed("its thread has gone".to_owned()));
                }
            }
            self.take_all()?;
            if self.is_done {
                return self.finish();
            }
            let before = wish;
            if let Some(client) = &mut self.client {
                wish = client.look(wish).unwrap_or_else(|error| {
                    (self.app.tell)(AppEvent::Trouble(error.to_string()));
                    Wish::End(AppEnd::Lost)
                });
            }
            if !matches!(self.app.leave.try_recv(), Err(TryRecvError::Empty)) {
                wish = Wish::End(AppEnd::Left);
            }
            if wish != before && !matches!(wish, Wish::End(_)) {
                (self.app.tell)(AppEvent::Paused(wish == Wish::Pause));
            }
            match (wish, self.is_running) {
                (Wish::End(AppEnd::Aborted), _) => return Ok(AppEnd::Aborted),
                (Wish::End(end), false) => return Ok(end),
                (Wish::End(_) | Wish::Pause, true) => self.thread.stop(),
                // For the state of a search it returns, and goes on at once.
                (Wish::Compute, true) if self.saved.elapsed() >= pace => self.thread.stop(),
                (Wish::Compute, false) => {
                    self.thread.go_on();
                    self.is_running = true;
                }
                (Wish::Compute, true) | (Wish::Pause, false) => {}
            }
            if status.elapsed() >= STATUS && self.is_running {
                status = Instant::now();
                self.take_news()?;
                self.say_status();
            }
        }
    }

    /// Takes in what the thread says.
    fn take(&mut self, spoken: Spoken<U>) -> Result<(), AppError> {
        match spoken {
            Spoken::Report(report) => self.hear(|unit| unit.pack_report(report)),
            Spoken::Done(outcome) => {
                self.is_done = true;
                self.hear(|unit| unit.pack_outcome(outcome))
            }
            Spoken::Stopped => {
                self.is_running = false;
                self.checkpoint()
            }
            Spoken::Failed(error) => Err(AppError::Failed(error)),
        }
    }

    /// Takes in all that the thread has said.
    fn take_all(&mut self) -> Result<(), AppError> {
        while let Ok(spoken) = self.thread.told.try_recv() {
            self.take(spoken)?;
        }
        Ok(())
    }

    fn portable(unit: &U) -> Result<&dyn Portable<U::Report, U::Outcome>, AppError> {
        unit.portable().ok_or_else(|| AppError::Failed("the unit is not one for another machine".to_owned()))
    }

    /// Has the second copy judge a word; one that counts is kept.
    fn hear(&mut self, word: impl FnOnce(&dyn Portable<U::Report, U::Outcome>) -> Vec<u8>) -> Result<(), AppError> {
        let word = word(Self::portable(&self.own)?);
        let heard = Self::portable(&self.record)?.unpack(1, &word).map_err(AppError::Failed)?;
        if !matches!(heard, Unpacked::Noted | Unpacked::Advanced) {
            self.words.push(word);
        }
        Ok(())
    }

    /// Passes figures and states on to the second copy, after the reports that were made before: a score counts only
    /// after its grid.
    fn take_news(&mut self) -> Result<(), AppError> {
        let news = Self::portable(&self.own)?.news();
        self.take_all()?;
        if self.is_done {
            return Ok(());
        }
        for word in news {
            self.hear(|_| word)?;
        }
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), AppError> {
        self.take_news()?;
        let packed = Self::portable(&self.record)?.pack(1);
        let checkpoint = SlotCheckpoint { unit: self.unit, packed, words: self.words.clone() };
        replace(&self.app.slot.path(CHECKPOINT), &checkpoint.to_file(), Keep::Durable)?;
        (self.last, self.saved) = (self.seconds(), Instant::now());
        self.say_status();
        Ok(())
    }

    /// Processor time of this run and those before.
    fn seconds(&self) -> f64 {
        self.client.as_ref().map_or(0.0, |client| client.data.seconds) + (self.app.spent)()
    }

    fn say_status(&mut self) {
        let fraction = self.own.portable().and_then(Portable::fraction);
        let seconds = self.seconds();
        if let Some(client) = &mut self.client {
            // What is not taken is said again in a second.
            let _ = client.say(seconds, self.last, fraction);
        }
    }

    fn finish(&mut self) -> Result<AppEnd, AppError> {
        let words = std::mem::take(&mut self.words);
        let time = Duration::try_from_secs_f64(self.seconds()).unwrap_or_default();
        let result = UnitWords { unit: self.unit, version: env!("CARGO_PKG_VERSION").to_owned(), words, time };
        replace(&self.app.slot.resolved(OUT), &result.to_file(), Keep::Durable)?;
        let seconds = self.seconds();
        if let Some(client) = &mut self.client {
            client.say_last(seconds);
            self.app.slot.note_finished(0)?;
        }
        Ok(AppEnd::Done)
    }
}

/// The client, as the application knows it.
struct BoincClient {
    channels: ChannelFile,
    data: InitData,
    lost: Duration,
    /// For how long nothing was heard of it, as far as this process was running.
    silent: Duration,
    looked: Instant,
    /// When it was last looked whether its process is there.
    asked: Instant,
}

impl BoincClient {
    fn new(channels: ChannelFile, data: InitData, lost: Duration) -> BoincClient {
        let now = Instant::now();
        BoincClient { channels, data, lost, silent: Duration::ZERO, looked: now, asked: now }
    }

    /// Hears what it says; what is wanted from now on.
    fn look(&mut self, mut wish: Wish) -> std::io::Result<Wish> {
        let now = Instant::now();
        // A computer that slept has heard nothing meanwhile.
        self.silent += now.duration_since(std::mem::replace(&mut self.looked, now)).min(2 * LOOK);
        if self.channels.receive(Channel::Heartbeat)?.is_some() {
            self.silent = Duration::ZERO;
        }
        if let Some(text) = self.channels.receive(Channel::ControlRequest)? {
            self.silent = Duration::ZERO;
            for (word, wanted) in [
                ("<suspend/>", Wish::Pause),
                ("<resume/>", Wish::Compute),
                ("<quit/>", Wish::End(AppEnd::Left)),
                ("<abort/>", Wish::End(AppEnd::Aborted)),
            ] {
                if text.contains(word) && !matches!(wish, Wish::End(_)) {
                    wish = wanted;
                }
            }
        }
        // Nothing is asked of it, so nothing is read from it: an unread word would keep the client from the next one.
        for channel in [Channel::GraphicsRequest, Channel::TrickleDown] {
            self.channels.receive(channel)?;
        }
        if self.is_lost(now) && !matches!(wish, Wish::End(_)) {
            wish = Wish::End(AppEnd::Lost);
        }
        Ok(wish)
    }

    /// Whether it has gone: its process, if it said which one that is. A client that is busy may be silent for long.
    fn is_lost(&mut self, now: Instant) -> bool {
        let Some(process) = self.data.client.and_then(rustix::process::Pid::from_raw) else {
            return self.silent >= self.lost;
        };
        if now.duration_since(self.asked) < STATUS {
            return false;
        }
        self.asked = now;
        rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
    }

    /// Tells it the times, and how much is done; whether it had read what it was told before.
    fn say(&mut self, seconds: f64, checkpoint: f64, fraction: Option<f64>) -> std::io::Result<bool> {
        let (begin, end) = self.data.range;
        let mut text = format!(
            "<current_cpu_time>{seconds:e}</current_cpu_time>\n<checkpoint_cpu_time>{checkpoint:e}</checkpoint_cpu_time>\
             \n<want_network>0</want_network>\n"
        );
        if let Some(fraction) = fraction {
            let fraction = begin + fraction.clamp(0.0, 1.0) * (end - begin);
            text += &format!("<fraction_done>{fraction:e}</fraction_done>\n");
        }
        self.channels.send(Channel::AppStatus, &text)
    }

    /// Tells it that everything is done, and waits a moment until it has read that.
    fn say_last(&mut self, seconds: f64) {
        let end = Instant::now() + LAST_WORD;
        let mut is_said = false;
        while Instant::now() < end {
            match is_said {
                false => is_said = self.say(seconds, seconds, Some(1.0)).unwrap_or(true),
                true if !self.channels.is_full(Channel::AppStatus).unwrap_or(false) => return,
                true => {}
            }
            std::thread::sleep(LOOK / 2);
        }
    }
}

/// What the thread says.
enum Spoken<U: Unit> {
    Report(U::Report),
    Done(U::Outcome),
    /// It has returned, and waits until it is to go on.
    Stopped,
    Failed(String),
}

/// The thread that computes. When this value is dropped, it ends at its next poll.
struct ComputeThread<U: Unit> {
    stop: Arc<AtomicBool>,
    go: Sender<()>,
    told: Receiver<Spoken<U>>,
}

impl<U: Unit> Drop for ComputeThread<U> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<U: Unit> ComputeThread<U> {
    fn start(unit: U) -> Result<ComputeThread<U>, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let ((go, goes), (sender, told)) = (bounded(1), unbounded());
        let lease = SlotLease { stop: Arc::clone(&stop), told: sender };
        let run = move || {
            let computed = catch_unwind(AssertUnwindSafe(|| {
                let mut running = unit.begin(1)?;
                loop {
                    if let Some(outcome) = unit.run(&mut running, &lease) {
                        return Ok(Some(Spoken::Done(outcome)));
                    }
                    let is_heard = lease.told.send(Spoken::Stopped).is_ok();
                    if !is_heard || goes.recv().is_err() {
                        return Ok(None);
                    }
                }
            }));
            let last = computed.unwrap_or_else(|panic| Err(panic_text(&*panic)));
            if let Some(last) = last.unwrap_or_else(|error| Some(Spoken::Failed(error))) {
                let _ = lease.told.send(last);
            }
        };
        let started = std::thread::Builder::new().name("compute".to_owned()).spawn(run);
        started.map_err(|error| format!("cannot start a thread: {error}"))?;
        Ok(ComputeThread { stop, go, told })
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn go_on(&self) {
        self.stop.store(false, Ordering::Relaxed);
        let _ = self.go.try_send(());
    }
}

/// The thread's hold on its unit.
struct SlotLease<U: Unit> {
    stop: Arc<AtomicBool>,
    told: Sender<Spoken<U>>,
}

impl<U: Unit> Lease<U::Report> for SlotLease<U> {
    fn worker(&self) -> u32 {
        1
    }

    fn stop(&self) -> Option<Stop> {
        self.stop.load(Ordering::Relaxed).then_some(Stop::Halted)
    }

    fn report(&self, report: U::Report) {
        let _ = self.told.send(Spoken::Report(report));
    }
}
