//! Values and numbers for people, and the line that shows how a search stands.

use crate::core::game::{Side, Value};
use crate::solvers::solve::{Bounds, Goal};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Version of the `--json` output.
pub const JSON_VERSION: u32 = 1;
/// A line that is rewritten, if standard error is a terminal.
pub fn live_line() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar
    })
}

/// Bounds in points: `+4`, or `-2..+6`.
pub fn range(Bounds { lower, upper }: Bounds, point: Value) -> String {
    if lower == upper {
        return signed(lower / point);
    }
    format!("{}..{}", signed(lower / point), signed(upper / point))
}

fn signed(points: i32) -> String {
    if points == 0 { "0".to_owned() } else { format!("{points:+}") }
}

/// A number with commas between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The name of a side.
pub fn side_name(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// What bounds mean, in words; `side` is to move.
pub fn verdict(bounds: Bounds, side: Side, point: Value, goal: Goal) -> String {
    let (side, other) = (side_name(side), side_name(side.other()));
    let Bounds { lower, upper } = bounds;
    let text = range(bounds, point);
    match goal {
        _ if !bounds.settle(goal) => format!("{text} for {side}, not settled"),
        Goal::Threshold(target) if lower >= target => format!("at least {} for {side}", target / point),
        Goal::Threshold(target) => format!("less than {} for {side}", target / point),
        _ if lower > 0 => format!("{text} for {side}: {side} wins"),
        _ if upper < 0 => format!("{text} for {side}: {other} wins"),
        _ => format!("{text}: a draw"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
    }
}
