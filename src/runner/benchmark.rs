//! How fast a machine is, for the credit of its users: random games of 5T on one thread, always the same ones.
//!
//! The time is that of the processor, so what else runs on the machine hardly matters. The measurement takes a
//! second: a million games, or as many as the machine plays until then.

use super::cpu::thread_seconds;
use crate::core::ctl::{Ctl, Signal};
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::queue::effort::MOST_SPEED;
use crate::strategies::params::Strategy;
use crate::strategies::{self, Unit};
use std::time::{Duration, Instant};

/// Games per second of a machine of the reference speed.
pub const REFERENCE_SPEED: u32 = 1_000_000;
/// Games that are played.
const GAMES: u64 = 1_000_000;
/// Seed of their random numbers.
const SEED: u64 = 5;
/// Longest time by the clock. A program with debug assertions is for tests, which start it hundreds of times.
const LONGEST: Duration = Duration::from_millis(if cfg!(debug_assertions) { 50 } else { 1000 });

/// Ends the games when they have taken too long.
struct EndsAt(Instant);

impl Ctl<Move> for EndsAt {
    fn poll(&mut self, _iterations: u64, _best: u32) -> Signal {
        if Instant::now() >= self.0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

/// Random games per second of the processor on one thread, at least 1. It takes a second at most.
pub fn speed() -> u32 {
    let params = Strategy::Random.row().params();
    let unit = Unit { prefix: Vec::new(), candidates: None, seed: SEED, max_iterations: Some(GAMES), known_best: 0 };
    let mut search = strategies::start(Variant::T5, &params, &unit);
    let (began, before) = (Instant::now(), thread_seconds());
    search.run(&mut EndsAt(began + LONGEST));
    let by_clock = began.elapsed().as_secs_f64();
    let seconds = before.zip(thread_seconds()).map_or(by_clock, |(before, after)| after - before);
    per_second(search.iterations(), seconds)
}

fn per_second(games: u64, seconds: f64) -> u32 {
    // The conversion ends at the bounds, whatever the clock says.
    ((games as f64 / seconds.max(1e-9)).round() as u32).clamp(1, MOST_SPEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_within_its_bounds() {
        assert_eq!(per_second(GAMES, 1.0), REFERENCE_SPEED);
        assert_eq!(per_second(GAMES, 2.0), REFERENCE_SPEED / 2);
        assert_eq!((per_second(GAMES, 0.0), per_second(GAMES, -1.0)), (MOST_SPEED, MOST_SPEED));
        assert_eq!((per_second(0, 1.0), per_second(512, f64::INFINITY)), (1, 1));
        let speed = speed();
        println!("{speed} games per second");
        assert!(speed > 1);
    }
}
