//! Credit: who has computed how much, and messages to those who do.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What was computed, and the credit for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContributionView {
    /// Units of all kinds.
    pub units: u64,
    /// Units of hunts.
    pub units_hunt: u64,
    /// Units of solutions.
    pub units_solve: u64,
    /// Units of proofs.
    pub units_prove: u64,
    /// Units of players: of all other jobs.
    #[serde(default)]
    pub units_players: u64,
    /// Seconds that workers had them, by the daemon's clock.
    pub seconds: f64,
    /// Points of credit.
    pub credit: f64,
    /// Number of machines.
    pub machines: u32,
    /// When credit was last given.
    pub last: f64,
}

/// A user or a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContributorView {
    /// Name of the user or team.
    pub name: String,
    /// What was computed for it.
    #[serde(flatten)]
    pub contribution: ContributionView,
}

/// The credit of all users and teams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProjectCreditView {
    /// Version of this document.
    pub v: u32,
    /// What credit is given for: `time`, the time of workers times the speed of their machine, or `unit`.
    pub rule: String,
    /// Whether an answer to a unit of a solution gives credit before enough workers agree on it.
    pub early: bool,
    /// Random games per second on one thread of a machine of which a worker earns 100 points a day by `time`.
    pub reference_speed: u32,
    /// What all have computed.
    pub total: ContributionView,
    /// Number of users.
    pub users_count: u64,
    /// The users with the most credit, at most 1000.
    pub users: Vec<ContributorView>,
    /// Number of teams.
    pub teams_count: u64,
    /// The teams with the most credit, at most 1000.
    pub teams: Vec<ContributorView>,
}

/// What was computed on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DayContributionView {
    /// The day in UTC: year-month-day.
    pub day: String,
    /// What was computed on it.
    #[serde(flatten)]
    pub contribution: ContributionView,
}

/// What a machine has computed for a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MachineContributionView {
    /// Name of the machine.
    pub name: String,
    /// Team that it computes for; empty without one.
    pub team: String,
    /// What it has computed.
    #[serde(flatten)]
    pub contribution: ContributionView,
}

/// The credit of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UserAccountView {
    /// Version of this document.
    pub v: u32,
    /// Name of the user.
    pub name: String,
    /// What was computed for the user in all.
    pub total: ContributionView,
    /// Days on which something was computed, ascending; the last 1000 of them.
    pub days: Vec<DayContributionView>,
    /// The user's machines, those with the most credit first; at most 1000.
    pub machines: Vec<MachineContributionView>,
}

/// A message to be sent to users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRequest {
    /// What is said: 1 to 500 characters in one line.
    #[schema(min_length = 1, max_length = 500)]
    pub text: String,
    /// The user whom it is for. Without one it is for all.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 40)]
    pub to: Option<String>,
}

/// A message to users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessageView {
    /// Messages are numbered in their order.
    pub number: u64,
    /// When it was sent.
    pub time: f64,
    /// The user whom it is for; null for all.
    pub to: Option<String>,
    /// What is said.
    pub text: String,
}

/// The messages to users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessagesView {
    /// Version of this document.
    pub v: u32,
    /// The newest first; at most 100.
    pub items: Vec<MessageView>,
}
