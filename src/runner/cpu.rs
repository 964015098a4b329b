//! Processor time, of a thread and of all.

/// Seconds that the processor has spent on the calling thread; `None` where the system does not tell.
pub fn thread_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(unix))]
    None
}

/// Milliseconds that the processor has spent on the calling thread since [`thread_seconds`] was `began`; 0 where the
/// system does not tell.
pub fn milliseconds_since(began: Option<f64>) -> u64 {
    let seconds = thread_seconds().zip(began).map_or(0.0, |(now, began)| now - began);
    (seconds * 1e3).round() as u64
}

/// Seconds that processors have spent on all threads of this process; `None` where the system does not tell.
pub fn process_seconds() -> Option<f64> {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }
    #[cfg(not(unix))]
    None
}
