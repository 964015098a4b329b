//! How much credit work is worth.
//!
//! By `time`, a day of one worker of the reference speed ([`REFERENCE_SPEED`]) is worth a hundred points: the seconds
//! that it had the unit by the daemon's clock, times the speed of its machine by its benchmark. By `unit`, each unit
//! is worth one point, and who has brought its outcome gets it.

use crate::queue::effort::{Contributor, Effort, Efforts};
use crate::runner::benchmark::REFERENCE_SPEED;
use crate::store::accounts::{Account, AccountKey, Grant};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Points for a day of one worker of the reference speed.
pub const POINTS_OF_DAY: f64 = 100.0;
/// Points for a unit.
pub const POINTS_OF_UNIT: f64 = 1.0;
/// The machine of the daemon's own threads, and their user if none is named.
pub const DAEMON: &str = "daemon";
/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// What credit is given for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CreditRule {
    /// For the time of workers and the speed of their machine.
    #[default]
    Time,
    /// For each unit alike.
    Unit,
}

impl CreditRule {
    /// The name used on the command line and by the API.
    pub const fn name(self) -> &'static str {
        match self {
            CreditRule::Time => "time",
            CreditRule::Unit => "unit",
        }
    }
}

/// How a daemon gives credit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditOptions {
    /// What it is given for.
    pub rule: CreditRule,
    /// An answer to a unit of a solution gives it at once, and not only when enough workers agree on it.
    pub early: bool,
    /// The user of the daemon's own threads.
    pub user: String,
}

impl Default for CreditOptions {
    fn default() -> CreditOptions {
        CreditOptions { rule: CreditRule::default(), early: false, user: DAEMON.to_owned() }
    }
}

/// The kind of a unit, as accounts tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A unit of a hunt.
    Hunt,
    /// A unit of a solution.
    Solve,
    /// A unit of a proof.
    Prove,
    /// A unit of players.
    Players,
}

/// Reckons what work is worth.
#[derive(Debug)]
pub struct CreditReckoner {
    /// How it is given.
    pub options: CreditOptions,
    /// Speed of the daemon's own threads. Until it is measured, it is that of the reference.
    speed: AtomicU32,
}

impl CreditReckoner {
    /// One for a daemon.
    pub fn new(options: CreditOptions) -> CreditReckoner {
        CreditReckoner { options, speed: AtomicU32::new(REFERENCE_SPEED) }
    }

    /// Notes how fast the daemon's own threads are.
    pub fn set_speed(&self, speed: u32) {
        self.speed.store(speed, Ordering::Relaxed);
    }

    fn own(&self) -> Contributor {
        Contributor::new(Some(&self.options.user), None, DAEMON, self.speed.load(Ordering::Relaxed))
    }

    /// What a unit that has ended gives to those who have computed it, at a time in seconds since 1970.
    pub fn grants(&self, kind: UnitKind, efforts: &Efforts, now: f64) -> Vec<Grant> {
        let all = efforts.all();
        let own = Arc::new(self.own());
        let grant = |(at, Effort { by, time }): (usize, &Effort)| {
            let by = by.as_ref().unwrap_or(&own);
            let units = u64::from(at + 1 == all.len());
            let seconds = time.as_secs_f64();
            let credit = match self.options.rule {
                CreditRule::Time => seconds / DAY * f64::from(by.speed) / f64::from(REFERENCE_SPEED) * POINTS_OF_DAY,
                CreditRule::Unit => units as f64 * POINTS_OF_UNIT,
            };
            let mut adds = Account { seconds, credit, last: now, ..Account::default() };
            match kind {
                UnitKind::Hunt => adds.hunt = units,
                UnitKind::Solve => adds.solve = units,
                UnitKind::Prove => adds.prove = units,
                UnitKind::Players => adds.players = units,
            }
            let Contributor { user, team, machine, .. } = &**by;
            let (user, team, machine) = (user.clone(), team.clone(), machine.clone());
            Grant { key: AccountKey { user, team, machine, day: (now / DAY) as u32 }, adds }
        };
        all.iter().enumerate().map(grant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn efforts(parts: &[(Option<(&str, u32)>, u64)]) -> Efforts {
        let mut efforts = Efforts::default();
        for (by, seconds) in parts {
            let by = by.map(|(user, speed)| Arc::new(Contributor::new(Some(user), None, "box", speed)));
            efforts.add(by, Duration::from_secs(*seconds));
        }
        efforts
    }

    fn reckoned(rule: CreditRule, parts: &[(Option<(&str, u32)>, u64)]) -> Vec<(String, u64, f64)> {
        let reckoner = CreditReckoner::new(CreditOptions { rule, user: "me".to_owned(), early: false });
        reckoner.set_speed(3 * REFERENCE_SPEED);
        let grants = reckoner.grants(UnitKind::Prove, &efforts(parts), 2.5 * DAY);
        assert!(grants.iter().all(|grant| grant.key.day == 2 && grant.adds.hunt + grant.adds.solve == 0));
        grants.into_iter().map(|grant| (grant.key.user, grant.adds.prove, grant.adds.credit)).collect()
    }

    #[test]
    fn a_day_of_the_reference_is_worth_a_hundred_points() {
        let day = DAY as u64;
        let named = |user: &str, units, credit| (user.to_owned(), units, credit);
        assert_eq!(reckoned(CreditRule::Time, &[(Some(("ada", REFERENCE_SPEED)), day)]), [named("ada", 1, 100.0)]);
        let parts = [(Some(("ada", REFERENCE_SPEED / 2)), day / 2), (None, 2 * day), (Some(("bob", 0)), day)];
        assert_eq!(
            reckoned(CreditRule::Time, &parts),
            [named("ada", 0, 25.0), named("me", 0, 600.0), named("bob", 1, 0.0)]
        );
        assert_eq!(
            reckoned(CreditRule::Unit, &parts),
            [named("ada", 0, 0.0), named("me", 0, 0.0), named("bob", 1, 1.0)]
        );
        assert!(reckoned(CreditRule::Time, &[]).is_empty());
    }
}
