//! What a measurement is to be read with: the processor, the time that it spent on a thread, the date.

use crate::runner::clock;
pub use crate::runner::cpu::{process_seconds, thread_seconds};

/// Name of the processor, as far as the system tells, with the number of logical processors.
pub fn describe() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {} logical processors, {}", processors(), std::env::consts::OS)
}

/// Seconds of processor time since an earlier look at it.
pub fn since(before: Option<f64>) -> Option<f64> {
    Some(process_seconds()? - before?)
}

/// Number of logical processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Today's date (UTC) as year-month-day.
pub fn date() -> String {
    clock::date(clock::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_a_thread_goes_on_with_its_work() {
        let Some(start) = thread_seconds() else { return };
        let mut n = 1u64;
        while thread_seconds().unwrap_or(f64::MAX) <= start {
            n = std::hint::black_box(n.wrapping_mul(3));
        }
    }
}
