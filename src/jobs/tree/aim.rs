//! Which window the root is asked next.
//!
//! Towards an exact value: windows from a guess on, in one direction with doubling steps (1, 2, 4 points, ...) until
//! the value has been passed, then halving what is left. As values go up the tree fail-soft, a bound often jumps
//! further than was asked for. Who wins, or whether a threshold is reached, is one window.

use super::settings::{TreeSettings, Window};
use crate::core::game::Value;
use crate::solvers::solve::{Bounds, Goal};
use serde::{Deserialize, Serialize};

/// Steps double no further than this often.
const MOST_DOUBLINGS: u32 = 14;

/// Where the answers so far have led.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum AimCourse {
    /// Nothing has been answered yet.
    Begun,
    /// Up, this many times in a row.
    Up(u32),
    /// Down, this many times in a row.
    Down(u32),
    /// The value lies between two answers.
    Between,
}

/// The window that is being asked, and how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aim {
    /// The window that is asked now.
    pub window: Window,
    course: AimCourse,
}

impl Aim {
    /// The first window. Bounds are those of the root, `point` is the game's.
    pub fn first(settings: &TreeSettings, bounds: Bounds, point: Value) -> Aim {
        let window = match settings.goal {
            Goal::Exact => around(settings.guess.div_euclid(point) * point, bounds, point),
            Goal::WinLossDraw => Window { alpha: -1, beta: 1 },
            Goal::Threshold(target) => Window { alpha: target - 1, beta: target },
        };
        Aim { window, course: AimCourse::Begun }
    }

    /// The window after this one has been answered.
    pub fn next(self, bounds: Bounds, point: Value) -> Aim {
        let Bounds { lower, upper } = bounds;
        let course = match (self.course, lower >= self.window.beta) {
            (AimCourse::Begun, true) => AimCourse::Up(0),
            (AimCourse::Begun, false) => AimCourse::Down(0),
            (AimCourse::Up(n), true) => AimCourse::Up(n + 1),
            (AimCourse::Down(n), false) => AimCourse::Down(n + 1),
            _ => AimCourse::Between,
        };
        let target = match course {
            AimCourse::Up(n) => lower + point * (1 << n.min(MOST_DOUBLINGS)),
            AimCourse::Down(n) => upper - point * ((1 << n.min(MOST_DOUBLINGS)) - 1),
            AimCourse::Begun | AimCourse::Between => lower + point * (((upper - lower) / point + 1) / 2),
        };
        Aim { window: around(target, bounds, point), course }
    }
}

/// The question whether `target` is reached, within what is open.
fn around(target: Value, Bounds { lower, upper }: Bounds, point: Value) -> Window {
    let target = target.min(upper).max((lower + point).min(upper));
    Window { alpha: (target - 1).max(lower - 1), beta: target.min(upper + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value is found, from every guess, however little the bounds tell, and in few windows.
    #[test]
    fn windows_close_in_on_every_value() {
        const POINT: Value = 10;
        for (value, guess) in (-64..=64).flat_map(|v| (-70..=70).step_by(7).map(move |g| (v, g))) {
            let settings = TreeSettings { guess: guess * POINT, ..TreeSettings::default() };
            let mut bounds = Bounds { lower: -64 * POINT, upper: 64 * POINT };
            let mut aim = Aim::first(&settings, bounds, POINT);
            let mut asked = 0;
            while !bounds.settle(Goal::Exact) {
                let value = value * POINT;
                let Window { alpha, beta } = aim.window;
                assert!(aim.window.left(bounds.lower, bounds.upper).is_some(), "{aim:?} {bounds:?}");
                if value <= alpha {
                    bounds.upper = alpha.div_euclid(POINT) * POINT;
                } else if value >= beta {
                    bounds.lower = -(-beta).div_euclid(POINT) * POINT;
                } else {
                    bounds = Bounds { lower: value, upper: value };
                }
                asked += 1;
                assert!(asked <= 16, "{value} from {guess}: {aim:?} {bounds:?}");
                aim = aim.next(bounds, POINT);
            }
            assert_eq!(bounds.lower, value * POINT);
        }
    }
}
