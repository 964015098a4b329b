//! Credit as clients see it, and messages to those who earn it.

use super::state::Daemon;
use crate::daemon::service::Refusal;
use crate::daemon::view::{
    ContributionView, ContributorView, DayContributionView, MachineContributionView, MessageRequest, MessageView,
    MessagesView, ProjectCreditView, UserAccountView, VERSION,
};
use crate::queue::effort::is_account_name;
use crate::queue::nats::message::UserMessage;
use crate::runner::benchmark::REFERENCE_SPEED;
use crate::runner::clock::{date, now, utc};
use crate::store::Change;
use crate::store::accounts::{Account, AccountKey};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most items of a list.
const MOST: usize = 1000;
/// Most characters of a message.
const LONGEST: usize = 500;
/// Machines are sent messages that are not older than this, in seconds ...
const TOLD_FOR: f64 = 7.0 * 86_400.0;
/// ... and so many of the newest.
const MOST_TOLD: usize = 20;
/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Time for which the sums over all accounts are kept.
const FRESH: Duration = Duration::from_secs(1);

/// The sums over all accounts as they were last made.
#[derive(Default)]
pub struct CreditSums(Mutex<Option<KeptSums>>);

struct KeptSums {
    made: Instant,
    /// Number of changes of accounts until then.
    changes: u64,
    sums: ProjectCreditView,
}

/// Accounts of the same user, team, machine or day added up.
#[derive(Default)]
struct AccountSum {
    account: Account,
    machines: BTreeSet<(String, String)>,
}

impl AccountSum {
    fn add(&mut self, key: &AccountKey, account: Account) {
        self.account += account;
        self.machines.insert((key.user.clone(), key.machine.clone()));
    }

    fn view(&self) -> ContributionView {
        let Account { hunt, solve, prove, players, seconds, credit, last } = self.account;
        let machines = self.machines.len() as u32;
        let units = self.account.units();
        ContributionView {
            units,
            units_hunt: hunt,
            units_solve: solve,
            units_prove: prove,
            units_players: players,
            seconds,
            credit,
            machines,
            last,
        }
    }
}

/// The sums with the most credit, and how many there are.
fn ranked<K: Ord + Clone>(sums: &BTreeMap<K, AccountSum>) -> (u64, Vec<(K, ContributionView)>) {
    let mut all: Vec<(K, ContributionView)> = sums.iter().map(|(key, sum)| (key.clone(), sum.view())).collect();
    all.sort_by(|a, b| b.1.credit.total_cmp(&a.1.credit).then(b.1.units.cmp(&a.1.units)).then(a.0.cmp(&b.0)));
    let count = all.len() as u64;
    all.truncate(MOST);
    (count, all)
}

impl Daemon {
    /// Notes how fast the daemon's own threads are, in random games per second.
    pub fn set_speed(&self, speed: u32) {
        self.credit.set_speed(speed);
    }

    pub(super) fn project_credit(&self) -> Result<ProjectCreditView, Refusal> {
        // One thread adds up; the others wait for it.
        let mut kept = self.credit_sums.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = self.store.changes_of_accounts();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.changes == changes || kept.made.elapsed() < FRESH) {
            return Ok(kept.sums.clone());
        }
        let sums = self.sum_of_accounts()?;
        *kept = Some(KeptSums { made: Instant::now(), changes, sums: sums.clone() });
        Ok(sums)
    }

    fn sum_of_accounts(&self) -> Result<ProjectCreditView, Refusal> {
        let (mut total, mut users, mut teams) = (AccountSum::default(), BTreeMap::new(), BTreeMap::new());
        self.store.accounts(None, |key, account| {
            total.add(&key, account);
            users.entry(key.user.clone()).or_insert_with(AccountSum::default).add(&key, account);
            if !key.team.is_empty() {
                teams.entry(key.team.clone()).or_insert_with(AccountSum::default).add(&key, account);
            }
        })?;
        let named = |(name, contribution)| ContributorView { name, contribution };
        let ((users_count, users), (teams_count, teams)) = (ranked(&users), ranked(&teams));
        let options = &self.credit.options;
        Ok(ProjectCreditView {
            v: VERSION,
            rule: options.rule.name().to_owned(),
            early: options.early,
            reference_speed: REFERENCE_SPEED,
            total: total.view(),
            users_count,
            users: users.into_iter().map(named).collect(),
            teams_count,
            teams: teams.into_iter().map(named).collect(),
        })
    }

    pub(super) fn user_account(&self, user: &str) -> Result<UserAccountView, Refusal> {
        let (mut total, mut days, mut machines) = (AccountSum::default(), BTreeMap::new(), BTreeMap::new());
        self.store.accounts(Some(user), |key, account| {
            total.add(&key, account);
            days.entry(key.day).or_insert_with(AccountSum::default).add(&key, account);
            let machine = (key.machine.clone(), key.team.clone());
            machines.entry(machine).or_insert_with(AccountSum::default).add(&key, account);
        })?;
        if days.is_empty() {
            return Err(Refusal::NotFound(format!("user {user} with credit")));
        }
        let skipped = days.len().saturating_sub(MOST);
        let of_day = |(&day, sum): (&u32, &AccountSum)| DayContributionView {
            day: date(f64::from(day) * DAY),
            contribution: sum.view(),
        };
        let of_machine = |((name, team), contribution)| MachineContributionView { name, team, contribution };
        Ok(UserAccountView {
            v: VERSION,
            name: user.to_owned(),
            total: total.view(),
            days: days.iter().skip(skipped).map(of_day).collect(),
            machines: ranked(&machines).1.into_iter().map(of_machine).collect(),
        })
    }

    /// All accounts as a table. No name has a comma or a quotation mark in it.
    pub(super) fn export_accounts(&self) -> Result<String, Refusal> {
        let heads = "user,team,machine,day,hunt_units,solve_units,prove_units,seconds,credit,last,player_units\n";
        let mut text = heads.to_owned();
        self.store.accounts(None, |key, account| {
            let AccountKey { user, team, machine, day } = key;
            let Account { hunt, solve, prove, seconds, credit, last, players } = account;
            let (day, last) = (date(f64::from(day) * DAY), utc(last));
            let _ = writeln!(
                text,
                "{user},{team},{machine},{day},{hunt},{solve},{prove},{seconds:.3},{credit:.6},{last},{players}"
            );
        })?;
        Ok(text)
    }

    /// The messages to users, the newest first.
    pub(super) fn list_messages(&self) -> Result<MessagesView, Refusal> {
        let mut items: Vec<MessageView> = Vec::new();
        // What a newer version has written is left out.
        self.store.messages(|_, bytes| items.extend(serde_json::from_slice::<MessageView>(bytes)))?;
        items.reverse();
        Ok(MessagesView { v: VERSION, items })
    }

    pub(super) fn post_message(&self, request: MessageRequest) -> Result<MessageView, Refusal> {
        let MessageRequest { text, to } = request;
        let text = text.trim().to_owned();
        if text.is_empty() || text.chars().count() > LONGEST || text.chars().any(char::is_control) {
            let what = format!("the text of a message: expected 1 to {LONGEST} characters in one line");
            return Err(Refusal::Invalid(what));
        }
        if let Some(user) = to.as_ref().filter(|user| !is_account_name(user)) {
            return Err(Refusal::Invalid(format!("to: {user:?} cannot be the name of a user")));
        }
        // Numbers are given one after the other.
        let posting = self.posting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.list_messages()?.items.first().map_or(1, |newest| newest.number + 1);
        let message = MessageView { number, time: now(), to, text };
        let bytes = serde_json::to_vec(&message).map_err(|error| Refusal::Internal(error.to_string()))?;
        self.store.commit(vec![Change::Message(number, bytes)])?;
        self.tell_machines()?;
        drop(posting);
        Ok(message)
    }

    /// Has the machines shown what their users are to be told.
    pub(super) fn tell_machines(&self) -> Result<(), Refusal> {
        let since = now() - TOLD_FOR;
        let recent = self.list_messages()?.items.into_iter().take(MOST_TOLD).filter(|message| message.time >= since);
        let mut messages: Vec<UserMessage> =
            recent.map(|MessageView { number, to, text, .. }| UserMessage { number, to, text }).collect();
        messages.reverse();
        if let Some(hub) = &*self.pool.lock().unwrap_or_else(PoisonError::into_inner) {
            hub.set_messages(messages);
        }
        Ok(())
    }
}
