//! Accounts: what each machine of each user has done on a day, and the credit that was given for it.
//!
//! Credit is given in the transaction that notes what it is for, so a crash loses both or neither. A unit of a hunt,
//! of a proof or of players gives credit when its end is noted for the first time. A unit of a solution has claims,
//! one of each worker that has answered it. They wait in a table until the unit is decided; then a mark takes their
//! place, so that what is said once more comes to nothing.
//!
//! Rows of version 1, in which units of players had no credit, are read.

use super::change::Change;
use super::tables::{self, ACCOUNTS, CLAIMS, MESSAGES, encoded, opened};
use super::{Store, StoreError, UnitRecord};
use crate::core::encoding::decode;
use crate::core::frame::{read_row, row};
use redb::{ReadableTable, ReadableTableMetadata, Table, WriteTransaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;

/// Accounts that are kept apart. Beyond them, those that are new are counted as one.
const MOST_ACCOUNTS: u64 = 500_000;
/// Whose account that is.
const OTHERS: &str = "others";
/// In place of a worker's number: the unit is decided.
const DECIDED: u32 = u32::MAX;
/// Messages to users that are kept.
pub const MOST_MESSAGES: u64 = 100;

/// A key of the table of accounts: user, team, machine and day.
pub type AccountRow = (&'static str, &'static str, &'static str, u32);

/// Whose account it is, and of which day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AccountKey {
    /// Name of the user.
    pub user: String,
    /// Name of the team; empty without one.
    pub team: String,
    /// Name of the machine.
    pub machine: String,
    /// Days since 1970-01-01 (UTC).
    pub day: u32,
}

/// What was done, and the credit for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Units of hunts.
    pub hunt: u64,
    /// Units of solutions.
    pub solve: u64,
    /// Units of proofs.
    pub prove: u64,
    /// Seconds that workers had them, by the daemon's clock.
    pub seconds: f64,
    /// Points of credit.
    pub credit: f64,
    /// When credit was last given: seconds since 1970 (UTC).
    pub last: f64,
    /// Units of players.
    pub players: u64,
}

impl Account {
    /// Units of all kinds.
    pub fn units(&self) -> u64 {
        [self.hunt, self.solve, self.prove, self.players].into_iter().fold(0, u64::saturating_add)
    }
}

impl std::ops::AddAssign for Account {
    fn add_assign(&mut self, other: Account) {
        self.hunt = self.hunt.saturating_add(other.hunt);
        self.solve = self.solve.saturating_add(other.solve);
        self.prove = self.prove.saturating_add(other.prove);
        self.players = self.players.saturating_add(other.players);
        self.seconds += other.seconds;
        self.credit += other.credit;
        self.last = self.last.max(other.last);
    }
}

/// What an account is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// Whose it is.
    pub key: AccountKey,
    /// What is added to it.
    pub adds: Account,
}

/// What a worker is to be given for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreditClaim {
    /// It has been given.
    pub given: bool,
    /// What it is.
    pub grants: Vec<Grant>,
}

/// An account as rows of version 1 have it.
#[derive(Deserialize)]
struct FirstAccount {
    hunt: u64,
    solve: u64,
    prove: u64,
    seconds: f64,
    credit: f64,
    last: f64,
}

impl From<FirstAccount> for Account {
    fn from(first: FirstAccount) -> Account {
        let FirstAccount { hunt, solve, prove, seconds, credit, last } = first;
        Account { hunt, solve, prove, seconds, credit, last, players: 0 }
    }
}

/// A claim as rows of version 1 have it.
#[derive(Deserialize)]
struct FirstClaim {
    given: bool,
    grants: Vec<(AccountKey, FirstAccount)>,
}

impl From<FirstClaim> for CreditClaim {
    fn from(FirstClaim { given, grants }: FirstClaim) -> CreditClaim {
        let grants = grants.into_iter().map(|(key, adds)| Grant { key, adds: adds.into() });
        CreditClaim { given, grants: grants.collect() }
    }
}

/// The tables of credit while changes are made.
pub struct CreditTables<'t> {
    accounts: Table<'t, AccountRow, &'static [u8]>,
    claims: Table<'t, (u64, u64, u32), &'static [u8]>,
    messages: Table<'t, u64, &'static [u8]>,
}

impl<'t> CreditTables<'t> {
    /// Opens them, and makes those that are missing.
    pub fn open(transaction: &'t WriteTransaction) -> Result<CreditTables<'t>, redb::Error> {
        Ok(CreditTables {
            accounts: transaction.open_table(ACCOUNTS)?,
            claims: transaction.open_table(CLAIMS)?,
            messages: transaction.open_table(MESSAGES)?,
        })
    }

    /// Makes a change that concerns them; others are left to the caller.
    pub fn apply(
        &mut self,
        change: &Change,
        units: &impl ReadableTable<(u64, u64), &'static [u8]>,
    ) -> Result<(), redb::Error> {
        match change {
            Change::Grant(job, unit, grants) => {
                let ended = units.get((*job, *unit))?.is_some_and(|value| has_ended(value.value()));
                if !ended {
                    self.give(grants)?;
                }
            }
            Change::Claim { job, unit, worker, grants, early } => {
                let is_decided = self.claims.get((*job, *unit, DECIDED))?.is_some();
                let was_given = self.claim(*job, *unit, *worker)?.is_some_and(|claim| claim.given);
                if is_decided || was_given {
                    return Ok(());
                }
                if *early {
                    self.give(grants)?;
                }
                let claim = CreditClaim { given: *early, grants: grants.clone() };
                self.claims.insert((*job, *unit, *worker), row(tables::CLAIM, &encoded(&claim)).as_slice())?;
            }
            Change::GrantClaims(job, unit) => {
                for claim in self.take_claims(*job, Some(*unit), None)? {
                    if !claim.given {
                        self.give(&claim.grants)?;
                    }
                }
                let mark = CreditClaim { given: true, grants: Vec::new() };
                self.claims.insert((*job, *unit, DECIDED), row(tables::CLAIM, &encoded(&mark)).as_slice())?;
            }
            Change::RefuseClaims(job, unit, worker) => _ = self.take_claims(*job, *unit, *worker)?,
            Change::Account(key, account) => {
                let AccountKey { user, team, machine, day } = key;
                let value = row(tables::ACCOUNT, &encoded(account));
                self.accounts.insert((user.as_str(), team.as_str(), machine.as_str(), *day), value.as_slice())?;
            }
            Change::KeptClaim(place, claim) => {
                self.claims.insert(*place, row(tables::CLAIM, &encoded(claim)).as_slice())?;
            }
            Change::Message(number, bytes) => {
                self.messages.insert(number, row(tables::MESSAGE, bytes).as_slice())?;
                while self.messages.len()? > MOST_MESSAGES {
                    self.messages.pop_first()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A job's units are not noted one by one any more, or it is forgotten: so are its claims.
    pub fn forget(&mut self, job: u64) -> Result<(), redb::Error> {
        self.claims.retain_in((job, 0, 0)..=(job, u64::MAX, DECIDED), |_, _| false)?;
        Ok(())
    }

    fn claim(&self, job: u64, unit: u64, worker: u32) -> Result<Option<CreditClaim>, redb::Error> {
        Ok(self.claims.get((job, unit, worker))?.and_then(|value| claim_of(value.value())))
    }

    /// Takes claims out; the mark that a unit is decided stays.
    fn take_claims(
        &mut self,
        job: u64,
        unit: Option<u64>,
        worker: Option<u32>,
    ) -> Result<Vec<CreditClaim>, redb::Error> {
        let (from, to) = unit.map_or((0, u64::MAX), |unit| (unit, unit));
        let mut taken = Vec::new();
        self.claims.retain_in((job, from, 0)..=(job, to, DECIDED), |(_, _, of), value| {
            let asked = of != DECIDED && worker.is_none_or(|worker| worker == of);
            if asked {
                taken.extend(claim_of(value));
            }
            !asked
        })?;
        Ok(taken)
    }

    fn give(&mut self, grants: &[Grant]) -> Result<(), redb::Error> {
        for Grant { key, adds } in grants {
            let AccountKey { user, team, machine, day } = key;
            let mut place = (user.as_str(), team.as_str(), machine.as_str(), *day);
            let mut account = self.accounts.get(place)?.and_then(|value| account_of(value.value()));
            if account.is_none() && self.accounts.len()? >= MOST_ACCOUNTS {
                place = (OTHERS, "", OTHERS, *day);
                account = self.accounts.get(place)?.and_then(|value| account_of(value.value()));
            }
            let mut account = account.unwrap_or_default();
            account += *adds;
            self.accounts.insert(place, row(tables::ACCOUNT, &encoded(&account)).as_slice())?;
        }
        Ok(())
    }
}

fn has_ended(value: &[u8]) -> bool {
    let record = read_row(value, tables::UNIT).ok();
    record.and_then(|(_, bytes)| postcard::from_bytes::<UnitRecord>(bytes).ok()).is_some_and(|it| it.end.is_some())
}

/// The value of a row of any version, if it can be read.
fn value_of<First: DeserializeOwned + Into<T>, T: DeserializeOwned>(value: &[u8], newest: u8) -> Option<T> {
    match read_row(value, newest).ok()? {
        (..2, bytes) => decode(bytes).map(First::into),
        (_, bytes) => decode(bytes),
    }
}

/// The claim of a row, if it can be read.
pub fn claim_of(value: &[u8]) -> Option<CreditClaim> {
    value_of::<FirstClaim, _>(value, tables::CLAIM)
}

/// The account of a row, if it can be read.
pub fn account_of(value: &[u8]) -> Option<Account> {
    value_of::<FirstAccount, _>(value, tables::ACCOUNT)
}

impl Store {
    /// Calls `each` with all accounts, or with those of a user, by user, team, machine and day.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn accounts(&self, of: Option<&str>, mut each: impl FnMut(AccountKey, Account)) -> Result<(), StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(ACCOUNTS))? else { return Ok(Ok(())) };
            for entry in table.range::<(&str, &str, &str, u32)>((of.unwrap_or(""), "", "", 0)..)? {
                let (key, value) = entry?;
                let (user, team, machine, day) = key.value();
                if of.is_some_and(|of| of != user) {
                    break;
                }
                let (user, team, machine) = (user.to_owned(), team.to_owned(), machine.to_owned());
                let key = AccountKey { user, team, machine, day };
                let name = format!("the account of {} of day {day}", key.user);
                match self.decode_by(account_of, value.value(), tables::ACCOUNT, &name) {
                    Ok(account) => each(key, account),
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })?
    }

    /// Checks the claims, and returns how many there are.
    pub(super) fn check_claims(&self) -> Result<u64, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(CLAIMS))? else { return Ok(Ok(0)) };
            for entry in table.iter()? {
                let (key, value) = entry?;
                let (job, unit, _) = key.value();
                let name = format!("a claim to unit {unit} of job {job}");
                if let Err(error) = self.decode_by(claim_of, value.value(), tables::CLAIM, &name) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(table.len()?))
        })?
    }

    /// Units of a job that have claims and are not decided.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn claimed_units(&self, job: u64) -> Result<Vec<u64>, StoreError> {
        self.read(|transaction| {
            let Some(table) = opened(transaction.open_table(CLAIMS))? else { return Ok(Vec::new()) };
            let mut units = Vec::new();
            for entry in table.range((job, 0, 0)..=(job, u64::MAX, DECIDED))? {
                let (_, unit, worker) = entry?.0.value();
                if worker != DECIDED && units.last() != Some(&unit) {
                    units.push(unit);
                }
            }
            Ok(units)
        })
    }

    /// Calls `each` with all messages to users, the oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn messages(&self, mut each: impl FnMut(u64, &[u8])) -> Result<(), StoreError> {
        self.each(MESSAGES, .., |number, value| {
            each(number, self.value(value, tables::MESSAGE, &format!("message {number}"))?);
            Ok(true)
        })
    }

    /// How often accounts were changed since the store was opened. As long as it is the same, so are they.
    pub fn changes_of_accounts(&self) -> u64 {
        self.inner.changes_of_accounts.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::search::End;
    use std::collections::BTreeMap;

    fn grant(user: &str, units: u64, credit: f64) -> Grant {
        let key =
            AccountKey { user: user.to_owned(), team: String::new(), machine: format!("{user}'s"), day: 20_783 };
        let adds = Account { hunt: units, seconds: 2.0 * credit, credit, last: 5.0, ..Account::default() };
        Grant { key, adds }
    }

    fn ended() -> UnitRecord {
        UnitRecord { attempts: 1, end: Some(End::Finished), iterations: 1, best: 1, error: None, quarantined: false }
    }

    /// Units and credit by user.
    fn sums(store: &Store) -> BTreeMap<String, (u64, f64)> {
        let mut sums = BTreeMap::new();
        store
            .accounts(None, |key, account| {
                let sum: &mut (u64, f64) = sums.entry(key.user).or_default();
                *sum = (sum.0 + account.units(), sum.1 + account.credit);
            })
            .unwrap();
        sums
    }

    fn of(expected: &[(&str, u64, f64)]) -> BTreeMap<String, (u64, f64)> {
        expected.iter().map(|&(user, units, credit)| (user.to_owned(), (units, credit))).collect()
    }

    #[test]
    fn a_unit_is_credited_when_it_ends_for_the_first_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let end = |unit, user: &str| {
            vec![Change::Grant(1, unit, vec![grant(user, 1, 3.0)]), Change::Unit(1, unit, ended())]
        };
        store.commit(vec![Change::Unit(1, 1, UnitRecord { end: None, ..ended() })]).unwrap();
        store.commit([end(1, "ada"), end(2, "bob"), end(1, "bob")].concat()).unwrap();
        store.commit(end(2, "ada")).unwrap();
        let expected = of(&[("ada", 1, 3.0), ("bob", 1, 3.0)]);
        assert_eq!(sums(&store), expected);
        drop(store);
        let store = Store::open(dir.path()).unwrap();
        assert_eq!(sums(&store), expected, "they are kept");
        store.commit(end(1, "ada")).unwrap();
        assert_eq!(sums(&store), expected);
    }

    #[test]
    fn rows_of_the_first_version_are_read() {
        let numbers = (3u64, 2u64, 1u64, 60.5f64, 7.25f64, 5.0f64);
        let account = Account { hunt: 3, solve: 2, prove: 1, seconds: 60.5, credit: 7.25, last: 5.0, players: 0 };
        assert_eq!(account_of(&row(1, &encoded(&numbers))), Some(account));
        let key = |user: &str| AccountKey { user: user.to_owned(), ..grant("", 1, 1.0).key };
        let claim = (true, vec![(key("ada"), numbers), (key("bob"), numbers)]);
        let grants = ["ada", "bob"].map(|user| Grant { key: key(user), adds: account }).to_vec();
        assert_eq!(claim_of(&row(1, &encoded(&claim))), Some(CreditClaim { given: true, grants: grants.clone() }));
        // Those of this version are read as they are written, and newer ones are not.
        let account = Account { players: 9, ..account };
        assert_eq!(account_of(&row(tables::ACCOUNT, &encoded(&account))), Some(account));
        let claim = CreditClaim { given: false, grants };
        assert_eq!(claim_of(&row(tables::CLAIM, &encoded(&claim))), Some(claim.clone()));
        assert_eq!(account_of(&row(tables::ACCOUNT + 1, &encoded(&account))), None);
        assert_eq!(claim_of(&row(1, &encoded(&claim))), None);
    }

    #[test]
    fn claims_are_granted_once_and_refused_ones_never() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let claim = |unit, worker, user: &str, early| Change::Claim {
            job: 1,
            unit,
            worker,
            grants: vec![grant(user, 1, 1.0)],
            early,
        };
        // The answer of a worker may come once more after a power cut; the last one counts.
        store.commit(vec![claim(7, 1, "ada", false), claim(7, 2, "bob", false), claim(7, 1, "ada", false)]).unwrap();
        assert_eq!(sums(&store), of(&[]), "nothing is decided");
        assert_eq!((store.claimed_units(1).unwrap(), store.claimed_units(2).unwrap()), (vec![7], vec![]));
        store.commit(vec![claim(7, 3, "liar", false), Change::RefuseClaims(1, Some(7), Some(3))]).unwrap();
        drop(store);
        let store = Store::open(dir.path()).unwrap();
        store.commit(vec![Change::GrantClaims(1, 7), Change::GrantClaims(1, 7), claim(7, 4, "eve", false)]).unwrap();
        store.commit(vec![Change::GrantClaims(1, 7)]).unwrap();
        let expected = of(&[("ada", 1, 1.0), ("bob", 1, 1.0)]);
        assert_eq!(sums(&store), expected);
        // Early credit is given at once, and not again when the unit is decided.
        store.commit(vec![claim(8, 1, "ada", true), claim(8, 1, "ada", true), claim(8, 2, "ada", false)]).unwrap();
        assert_eq!(sums(&store)["ada"], (2, 2.0));
        store.commit(vec![Change::GrantClaims(1, 8)]).unwrap();
        assert_eq!(sums(&store)["ada"], (3, 3.0));
        // All claims of a worker that is no longer trusted go, and nothing of another job.
        let other = Change::Claim { job: 2, unit: 1, worker: 5, grants: vec![grant("ada", 1, 1.0)], early: false };
        store.commit(vec![claim(9, 5, "liar", false), claim(10, 5, "liar", false), other]).unwrap();
        store.commit(vec![Change::RefuseClaims(1, None, Some(5)), Change::GrantClaims(1, 9)]).unwrap();
        assert!(!sums(&store).contains_key("liar"));
        assert_eq!(store.claimed_units(2).unwrap(), [1]);
        assert!(store.check_claims().unwrap() > 0);
        store.commit(vec![Change::SummariseUnits(1), Change::SummariseUnits(2)]).unwrap();
        assert_eq!(store.check_claims().unwrap(), 0);
    }

    #[test]
    fn only_the_newest_messages_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        store
            .commit((1..=MOST_MESSAGES + 3).map(|n| Change::Message(n, n.to_string().into_bytes())).collect())
            .unwrap();
        let mut kept = Vec::new();
        store.messages(|number, bytes| kept.push((number, String::from_utf8(bytes.to_vec()).unwrap()))).unwrap();
        assert_eq!((kept.len() as u64, &kept[0]), (MOST_MESSAGES, &(4, "4".to_owned())));
    }
}
