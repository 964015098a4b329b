//! Copies of a unit on which several have to agree: no machine computes two of them, or it would confirm itself.
//!
//! All machines that are admitted to the server as a user with subjects of its own are one, whatever names they give:
//! the server vouches for the user, and for nothing else. Where machines share a user of the server, each is known by
//! the names that it gives for itself and its user. Threads of this process, and volunteers, are nobody in
//! particular: what they compute counts as of several.

use super::effort::Contributor;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// In place of a machine's name: all machines of a user of the server. No machine has this name.
const ALL: &str = "*";

/// Names of a machine and its user, or a user of the server with all its machines: who has one say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MachineName {
    /// Name of the user.
    pub user: String,
    /// Name of the machine; `*` for all machines of a user of the server.
    pub machine: String,
}

impl MachineName {
    /// That of a contributor.
    pub fn of(by: &Contributor) -> MachineName {
        match &by.admitted {
            Some(user) => MachineName { user: user.clone(), machine: ALL.to_owned() },
            None => MachineName { user: by.user.clone(), machine: by.machine.clone() },
        }
    }

    fn is_of(&self, by: &Contributor) -> bool {
        match &by.admitted {
            Some(user) => self.machine == ALL && self.user == *user,
            None => self.user == by.user && self.machine == by.machine,
        }
    }
}

impl fmt::Display for MachineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MachineName { user, machine } = self;
        if machine == ALL {
            write!(f, "the server's user {user}")
        } else {
            write!(f, "the machine {machine} of {user}")
        }
    }
}

#[derive(Debug, Default)]
struct CopiesState {
    /// Machines that may compute no copy.
    barred: Vec<MachineName>,
    /// The machines that are at copies, or have brought their outcomes, by the numbers of the copies.
    at: BTreeMap<u64, MachineName>,
}

/// All copies of a unit.
#[derive(Debug, Default)]
pub struct UnitCopies(Mutex<CopiesState>);

impl UnitCopies {
    fn lock(&self) -> MutexGuard<'_, CopiesState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which machines may compute no copy: they have answered already, or are not trusted.
    pub fn bar(&self, barred: Vec<MachineName>) {
        self.lock().barred = barred;
    }
}

/// One copy of a unit.
#[derive(Debug, Clone)]
pub struct UnitCopy {
    copies: Arc<UnitCopies>,
    number: u64,
}

impl UnitCopy {
    /// The copy of this number.
    pub fn new(copies: Arc<UnitCopies>, number: u64) -> UnitCopy {
        UnitCopy { copies, number }
    }

    /// Whether a machine may compute it.
    pub fn is_open_to(&self, by: &Contributor) -> bool {
        self.is_open(&self.copies.lock(), by)
    }

    fn is_open(&self, state: &CopiesState, by: &Contributor) -> bool {
        let is_at_another = |(&number, name): (&u64, &MachineName)| number != self.number && name.is_of(by);
        !state.barred.iter().any(|name| name.is_of(by)) && !state.at.iter().any(is_at_another)
    }

    /// A machine computes it from now on; whether it may.
    pub fn admit(&self, by: &Contributor) -> bool {
        let mut state = self.copies.lock();
        let is_open = self.is_open(&state, by);
        if is_open {
            state.at.insert(self.number, MachineName::of(by));
        }
        is_open
    }

    /// The machine that computes it, or has; nothing for threads and volunteers.
    pub fn machine(&self) -> Option<MachineName> {
        self.copies.lock().at.get(&self.number).cloned()
    }

    /// No machine is at it any more.
    pub fn leave(&self) {
        self.copies.lock().at.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_machine_has_two_copies() {
        let [ada, other, bob] =
            [("ada", "one"), ("ada", "two"), ("bob", "one")].map(|(u, m)| Contributor::new(Some(u), None, m, 1));
        let copies = Arc::<UnitCopies>::default();
        let [first, second] = [1, 2].map(|number| UnitCopy::new(Arc::clone(&copies), number));
        assert!(first.admit(&ada) && first.admit(&ada), "it may say so again");
        assert!(!second.is_open_to(&ada) && !second.admit(&ada));
        assert_eq!(second.machine(), None);
        // What it says of its speed or team makes it no other one.
        assert!(!second.admit(&Contributor::new(Some("ada"), Some("team"), "one", 7)));
        assert!(second.is_open_to(&other) && second.is_open_to(&bob));
        assert!(second.admit(&other));
        // A copy that is given back is open to all but those at other copies.
        first.leave();
        assert!(first.is_open_to(&ada) && !first.is_open_to(&other));
        copies.bar(vec![MachineName::of(&ada)]);
        assert!(!first.admit(&ada) && first.admit(&bob));
        assert_eq!([&first, &second].map(|copy| copy.machine().unwrap().user), ["bob", "ada"]);
    }

    #[test]
    fn a_user_of_the_server_has_one_say() {
        let machine = |admitted: Option<&str>, user, name| {
            Contributor::new(Some(user), None, name, 1).admitted_as(admitted.map(str::to_owned))
        };
        let copies = Arc::<UnitCopies>::default();
        let [first, second] = [1, 2].map(|number| UnitCopy::new(Arc::clone(&copies), number));
        let (one, renamed) = (machine(Some("lab-1"), "ada", "one"), machine(Some("lab-1"), "bob", "two"));
        assert!(first.admit(&one) && !second.admit(&renamed));
        // The same names under another user of the server, or without one, are others.
        for other in [machine(Some("lab-2"), "ada", "one"), machine(None, "ada", "one"), machine(None, "lab-1", "*")]
        {
            assert!(second.is_open_to(&other), "{other:?}");
        }
        let name = MachineName::of(&one);
        assert_eq!((name.to_string().as_str(), &name), ("the server's user lab-1", &MachineName::of(&renamed)));
        first.leave();
        copies.bar(vec![name]);
        assert!(!first.admit(&renamed) && first.admit(&machine(None, "ada", "one")));
    }
}
