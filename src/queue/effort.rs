//! Who has computed a unit, and for how long: what credit is given for.
//!
//! Times are those of the daemon's clock. Names and the speed are what a machine says of itself, brought into bounds:
//! whoever may connect to the server may give any name.

use std::sync::Arc;
use std::time::Duration;

/// Most characters of a name.
pub const LONGEST_NAME: usize = 40;
/// Most random games per second that a machine is believed to play on one thread.
pub const MOST_SPEED: u32 = 20_000_000;
/// Contributors to one unit that are remembered.
const MOST_CONTRIBUTORS: usize = 64;
/// The name of who gives none that can be used.
const UNNAMED: &str = "unnamed";

/// Whether a text is a name as accounts have it: 1 to 40 letters, digits, spaces, `-`, `_`, `.` and `@`, that begins
/// with a letter or digit and ends with no space.
pub fn is_account_name(text: &str) -> bool {
    !text.is_empty() && account_name(text) == text
}

/// A text as the name of an account: other characters become `_`, and what is too long is cut off.
pub fn account_name(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || " -_.@".contains(c) { c } else { '_' };
    let begun = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let name: String = begun.chars().map(plain).take(LONGEST_NAME).collect();
    let name = name.trim_end();
    if name.is_empty() { UNNAMED.to_owned() } else { name.to_owned() }
}

/// For whom a machine computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contributor {
    /// Name of the user.
    pub user: String,
    /// Name of the team; empty without one.
    pub team: String,
    /// Name of the machine.
    pub machine: String,
    /// Random games per second on one thread, by its benchmark.
    pub speed: u32,
    /// The user of the server that it is admitted as, if that user has subjects of its own. The server vouches for
    /// it.
    pub admitted: Option<String>,
}

impl Contributor {
    /// Of what a machine says of itself. Without a user, it is one by itself.
    pub fn new(user: Option<&str>, team: Option<&str>, machine: &str, speed: u32) -> Contributor {
        Contributor {
            user: account_name(user.unwrap_or(machine)),
            team: team.map(account_name).unwrap_or_default(),
            machine: account_name(machine),
            speed: speed.min(MOST_SPEED),
            admitted: None,
        }
    }

    /// The same, admitted to the server as this user.
    #[must_use]
    pub fn admitted_as(self, admitted: Option<String>) -> Contributor {
        Contributor { admitted, ..self }
    }
}

/// The time that one contributor had a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Whose it is; nothing for the threads of this process.
    pub by: Option<Arc<Contributor>>,
    /// For how long one of its workers had the unit.
    pub time: Duration,
}

/// The efforts that have led to an outcome. The last one is that of who brought it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Efforts(Vec<Effort>);

impl Efforts {
    /// Adds the time of a contributor, who becomes the last one.
    pub fn add(&mut self, by: Option<Arc<Contributor>>, time: Duration) {
        let known = self.0.iter().position(|effort| effort.by == by).map(|at| self.0.remove(at).time);
        if self.0.len() == MOST_CONTRIBUTORS {
            self.0.remove(0);
        }
        self.0.push(Effort { by, time: known.unwrap_or_default().saturating_add(time) });
    }

    /// All efforts, that of who brought the outcome last.
    pub fn all(&self) -> &[Effort] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_brought_into_bounds() {
        let long = "é".repeat(50);
        for (text, name) in [
            ("ada", "ada"),
            ("Ada L. 2", "Ada L. 2"),
            ("höß@lab", "höß@lab"),
            ("a,b\n\"c\"", "a_b__c_"),
            ("=HYPERLINK(1)", "HYPERLINK_1_"),
            ("-.. x ", "x"),
            ("", "unnamed"),
            ("\u{202e}\u{7}", "unnamed"),
            (&long, &long[..2 * LONGEST_NAME]),
        ] {
            assert_eq!(account_name(text), name, "{text:?}");
            assert_eq!(account_name(name), name);
            assert_eq!(is_account_name(text), text == name && !text.is_empty(), "{text:?}");
        }
        let machine = Contributor::new(None, None, "box/1", u32::MAX);
        assert_eq!((machine.user.as_str(), machine.team.as_str(), machine.speed), ("box_1", "", MOST_SPEED));
    }

    #[test]
    fn who_brings_the_outcome_is_the_last_one() {
        let one = Some(Arc::new(Contributor::new(Some("ada"), None, "one", 1)));
        // The same values in another place are the same contributor.
        let again = Some(Arc::new(Contributor::new(Some("ada"), None, "one", 1)));
        let mut efforts = Efforts::default();
        efforts.add(one.clone(), Duration::from_secs(1));
        efforts.add(None, Duration::from_secs(2));
        efforts.add(again, Duration::from_secs(4));
        let seconds: Vec<u64> = efforts.all().iter().map(|effort| effort.time.as_secs()).collect();
        assert_eq!(seconds, [2, 5]);
        assert_eq!(efforts.all().last().unwrap().by, one);
        for machine in 0..200 {
            efforts.add(Some(Arc::new(Contributor::new(None, None, &machine.to_string(), 1))), Duration::ZERO);
        }
        assert_eq!(efforts.all().len(), MOST_CONTRIBUTORS);
    }
}
