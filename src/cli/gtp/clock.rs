//! The time of a side under GTP: a main time, and after it so many stones in each further period.

/// Part of the main time that one move may take.
const PART: f64 = 0.05;
/// What a move takes less than it may, in seconds: for the way of the answer.
const RESERVE: f64 = 0.05;
/// Least seconds for a move.
const LEAST: f64 = 0.001;

/// What a side has left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GtpClock {
    seconds: f64,
    /// Stones that the seconds are for; 0 while they are the main time.
    stones: u32,
}

impl GtpClock {
    /// A clock with so many seconds left, for so many stones or as the main time.
    pub fn new(seconds: f64, stones: u32) -> GtpClock {
        GtpClock { seconds: seconds.max(0.0), stones }
    }

    /// Takes off what a move has taken; `period` is what a side gets when its time or its stones are used up.
    pub fn spend(&mut self, seconds: f64, period: Option<GtpClock>) {
        self.seconds = (self.seconds - seconds).max(0.0);
        let is_last = self.stones == 1;
        self.stones = self.stones.saturating_sub(1);
        if is_last || self.seconds == 0.0 {
            *self = period.unwrap_or(*self);
        }
    }

    /// Seconds that the next move may take.
    pub fn for_a_move(&self) -> f64 {
        let whole = if self.stones == 0 { self.seconds * PART } else { self.seconds / f64::from(self.stones) };
        (whole - RESERVE).max(whole / 2.0).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_fit_into_what_is_left() {
        assert_eq!(GtpClock::new(10.0, 5).for_a_move(), 1.95);
        assert_eq!(GtpClock::new(300.0, 0).for_a_move(), 14.95);
        let (mut clock, period) = (GtpClock::new(3.0, 0), GtpClock::new(10.0, 2));
        for left in [(2.0, 0), (1.0, 0), (10.0, 2), (9.0, 1), (10.0, 2)] {
            clock.spend(1.0, Some(period));
            assert_eq!(clock, GtpClock::new(left.0, left.1));
        }
        for (seconds, stones) in [(0.0, 0), (0.0, 3), (-5.0, 1), (0.01, 1)] {
            let for_a_move = GtpClock::new(seconds, stones).for_a_move();
            assert!((0.001..=0.01).contains(&for_a_move), "{seconds} {stones}: {for_a_move}");
        }
    }
}
