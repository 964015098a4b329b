//! Values and numbers for people, and the line that shows how a search stands.

use crate::cli::streams::messages_are_seen;
use crate::core::game::{Side, Value};
use crate::solvers::solve::{Bounds, Goal};
use indicatif::{ProgressBar, ProgressStyle};

/// Version of the `--json` output.
pub const JSON_VERSION: u32 = 1;
/// A line that is rewritten, if standard error is a terminal.
pub fn live_line() -> Option<ProgressBar> {
    messages_are_seen().then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar
    })
}

/// The name of a side.
pub fn side_name(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

/// What bounds mean, in words; `side` is to move.
pub fn verdict(bounds: Bounds, side: Side, point: Value, goal: Goal) -> String {
    let (side, other) = (side_name(side), side_name(side.other()));
    let Bounds { lower, upper } = bounds;
    let text = bounds.text(point);
    match goal {
        _ if !bounds.settle(goal) => format!("{text} for {side}, not settled"),
        Goal::Threshold(target) if lower >= target => format!("at least {} for {side}", target / point),
        Goal::Threshold(target) => format!("less than {} for {side}", target / point),
        _ if lower > 0 => format!("{text} for {side}: {side} wins"),
        _ if upper < 0 => format!("{text} for {side}: {other} wins"),
        _ => format!("{text}: a draw"),
    }
}
