//! Threads with a monitor each, which are stopped when it is time.

use crate::solvers::monitor::Monitor;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Runs `work` on so many threads, each with a monitor of its own, and stops them when it is time.
pub fn on_threads(threads: usize, budget: u64, stop: &dyn Fn() -> bool, work: &(dyn Fn(&Monitor) + Sync)) {
    let monitors: Vec<Monitor> = (0..threads.max(1)).map(|_| Monitor::with_budget(budget)).collect();
    let at_work = AtomicUsize::new(monitors.len());
    std::thread::scope(|scope| {
        for monitor in &monitors {
            let at_work = &at_work;
            scope.spawn(move || {
                let _end = EndOfWork(at_work);
                work(monitor);
            });
        }
        while at_work.load(SeqCst) > 0 {
            std::thread::sleep(LOOK);
            if stop() {
                monitors.iter().for_each(Monitor::stop);
            }
        }
    });
}

/// Says that a thread is at its end, even if that is a panic.
struct EndOfWork<'a>(&'a AtomicUsize);

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// What a mutex guards, whatever became of other threads.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
