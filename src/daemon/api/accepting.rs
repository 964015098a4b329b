//! What is wrong when connections cannot be accepted, for example because there are no file descriptors left: said
//! once when it begins and once when it is over. In between, attempts become rare.

use std::io;
use std::time::Duration;
use tokio::time::Instant;

/// Time to wait after the first attempt that failed, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// It is over when no attempt has failed for so long.
const CALM: Duration = Duration::from_secs(10);

/// Whether connections can be accepted.
#[derive(Default)]
pub struct Accepting {
    shortage: Option<Shortage>,
}

struct Shortage {
    began: Instant,
    last: Instant,
    pause: Duration,
}

impl Accepting {
    /// An attempt failed: what is to be said of it, if anything.
    pub fn failed(&mut self, error: &io::Error, now: Instant) -> Option<String> {
        match &mut self.shortage {
            Some(shortage) => {
                shortage.last = now;
                shortage.pause = (shortage.pause * 2).min(PAUSES.1);
                None
            }
            none => {
                *none = Some(Shortage { began: now, last: now, pause: PAUSES.0 });
                Some(format!("connections cannot be accepted: {error}; idle ones are closed, and it is tried again"))
            }
        }
    }

    /// When the next attempt is due.
    pub fn next_attempt(&self) -> Option<Instant> {
        self.shortage.as_ref().map(|shortage| shortage.last + shortage.pause)
    }

    /// An attempt succeeded.
    pub fn succeeded(&mut self) {
        if let Some(shortage) = &mut self.shortage {
            shortage.pause = PAUSES.0;
        }
    }

    /// When it may be over, if something is wrong.
    pub fn over_at(&self) -> Option<Instant> {
        self.shortage.as_ref().map(|shortage| shortage.last + CALM)
    }

    /// What is to be said when it is over.
    pub fn over(&mut self, now: Instant) -> Option<String> {
        self.over_at().filter(|&at| at <= now)?;
        let Shortage { began, last, .. } = self.shortage.take()?;
        Some(format!("connections are accepted again, after {:.0} s", (last - began).as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_is_two_lines_however_long_it_is() {
        let (mut accepting, began) = (Accepting::default(), Instant::now());
        let error = io::Error::from_raw_os_error(24);
        let (mut said, mut at, mut attempts) = (Vec::new(), began, 0);
        while at < began + Duration::from_secs(3600) {
            said.extend(accepting.failed(&error, at));
            attempts += 1;
            // Now and then one succeeds, since an idle connection was closed.
            if attempts % 7 == 0 {
                accepting.succeeded();
            }
            assert_eq!(accepting.over(at), None);
            at = accepting.next_attempt().unwrap();
        }
        assert!(said.len() == 1 && said[0].contains("Too many open files"), "{said:?}");
        assert!(attempts < 10_000, "{attempts} attempts in an hour");
        let over = accepting.over(accepting.over_at().unwrap()).unwrap();
        assert!(over.contains("accepted again, after 3") && accepting.over_at().is_none(), "{over}");
        assert!(accepting.failed(&error, at).is_some(), "the next one is said again");
    }
}
