//! `/api/v1/strategies`: the strategies of hunts and their settings, as the tables of the program have them, for a
//! form that offers them.

use super::extract::JsonDocument;
use super::problem::ProblemDetails;
use crate::core::setting::{NamedValue, SettingInfo, ValueKind};
use crate::daemon::view::VERSION;
use crate::jobs::hunt_settings::{self, AUTO, COMMON, HUNT_SETTINGS};
use crate::morpion::variant::Variant;
use crate::strategies::params::Strategy;
use crate::strategies::table::{STRATEGIES, StrategyRow};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a job may use, as the field `limits` of a request has it.
static LIMITS: [SettingInfo; 4] = [
    SettingInfo::new(
        "seconds",
        "Time",
        ValueKind::Seconds,
        "Ends after this time: 30m, 12h, 7d. Waiting and paused time is not counted.",
    )
    .unset("no limit"),
    SettingInfo::new(
        "workers",
        "Workers at once",
        ValueKind::Whole { min: 1, max: hunt_settings::MAX_THREADS as u64 },
        "Most workers at once. The others are left to other jobs.",
    )
    .unset("all"),
    SettingInfo::new(
        "iterations",
        "Iterations in all",
        ValueKind::Count { min: 1 },
        "Ends after this many iterations (playouts) of all its units together.",
    )
    .unset("no limit")
    .advanced(),
    SettingInfo::new("memory", "Memory", ValueKind::Bytes, "Memory of its searches at most: 512M, 2G.")
        .unset("no limit")
        .advanced(),
];

/// The strategies of hunts, and all settings with which a hunt can be asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct StrategiesView {
    /// Version of this document.
    pub v: u32,
    /// The strategy of a hunt that names none: `auto`.
    pub default: &'static str,
    /// What `auto` is in each variant.
    pub auto: Vec<AutoView>,
    /// The strategies, the strongest first.
    pub strategies: Vec<StrategyView>,
    /// The settings that only some strategies use.
    pub parameters: Vec<SettingView>,
    /// The settings of every hunt.
    pub common: Vec<SettingView>,
    /// The fields of `limits`.
    pub limits: Vec<SettingView>,
}

/// What `auto` is in a variant.
#[derive(Debug, Serialize, ToSchema)]
pub struct AutoView {
    /// Variant of the puzzle.
    pub variant: Variant,
    /// The best measured strategy.
    pub strategy: &'static str,
    /// What was measured.
    pub reason: &'static str,
}

/// A strategy of the puzzle, as forms and programs need it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StrategyView {
    /// Its name in the setting `strategy`.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// What its iterations count: `playouts`, `iterations`.
    pub counts: &'static str,
    /// Whether it can begin with the grids of a request.
    pub takes_grids: bool,
    /// Its parameters by name, the important ones first.
    pub parameters: Vec<&'static str>,
}

/// A setting or limit of a job, as forms and programs need it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingView {
    /// Its name in `settings` or `limits`.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What its number counts or measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The values that it takes.
    pub kind: SettingKind,
    /// The least value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The values of a choice; `jumps_back` and `operators` take others besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceView>,
    /// Whether most people leave it alone.
    pub advanced: bool,
    /// The strategies that use it.
    pub used_by: Vec<&'static str>,
    /// Its default for each of them, in words.
    pub defaults: BTreeMap<&'static str, String>,
}

/// The values that a setting takes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    /// A whole number.
    Whole,
    /// A number above `min`.
    Number,
    /// A whole number, perhaps with a unit: 1000, 50M, 2G.
    Count,
    /// `on` or `off`.
    Switch,
    /// One of `choices`.
    Choice,
    /// Any short text.
    Text,
    /// Seconds; people write 90, 5m, 2h.
    Seconds,
    /// Bytes; people write 512M, 2G.
    Bytes,
}

/// A value of a setting.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChoiceView {
    /// As it is sent.
    pub value: &'static str,
    /// What people read where they choose.
    pub label: &'static str,
}

impl StrategyView {
    fn of(row: &'static StrategyRow) -> StrategyView {
        let &StrategyRow { name, label, summary, counts, takes_grids, parameters, .. } = row;
        StrategyView { name, label, summary, counts, takes_grids, parameters: parameters.to_vec() }
    }
}

impl SettingView {
    fn of(about: &SettingInfo) -> SettingView {
        let (kind, min, max) = match about.kind {
            ValueKind::Whole { min, max } => {
                let all = [u64::from(u32::MAX), u64::MAX].contains(&max);
                (SettingKind::Whole, Some(min as f64), Some(max as f64).filter(|_| !all))
            }
            ValueKind::Integer { min, max } => (SettingKind::Whole, Some(min as f64), Some(max as f64)),
            ValueKind::Number { max } => (SettingKind::Number, Some(0.0), Some(max).filter(|max| max.is_finite())),
            ValueKind::Count { min } => (SettingKind::Count, Some(min as f64), None),
            ValueKind::Switch => (SettingKind::Switch, None, None),
            ValueKind::Choice(_) => (SettingKind::Choice, None, None),
            ValueKind::Rows(choices) if !choices.is_empty() => (SettingKind::Choice, None, None),
            ValueKind::Seconds => (SettingKind::Seconds, None, None),
            ValueKind::Bytes => (SettingKind::Bytes, None, None),
            ValueKind::List(_) | ValueKind::Rows(_) | ValueKind::Text | ValueKind::Lines => {
                (SettingKind::Text, None, None)
            }
        };
        let choice = |choice: &NamedValue| ChoiceView { value: choice.value, label: choice.label };
        let users = hunt_settings::users(about.name);
        let default = |row: &&'static StrategyRow| (row.name, hunt_settings::default_text(row, about));
        SettingView {
            name: about.name,
            label: about.label,
            help: about.help,
            unit: about.unit,
            kind,
            min,
            max,
            choices: about.kind.choices().iter().map(choice).collect(),
            advanced: about.advanced,
            defaults: users.iter().map(default).collect(),
            used_by: users.iter().map(|row| row.name).collect(),
        }
    }
}

/// A limit. Every strategy has it, also if one of its parameters has the same name.
fn of_limit(limit: &SettingInfo) -> SettingView {
    let names = || STRATEGIES.iter().rev().map(|row| row.name);
    let defaults = names().map(|name| (name, limit.unset.to_owned())).collect();
    SettingView { used_by: names().collect(), defaults, ..SettingView::of(limit) }
}

fn view() -> StrategiesView {
    let auto = |variant| {
        let (strategy, reason) = Strategy::best(variant);
        AutoView { variant, strategy: strategy.name(), reason }
    };
    let common = HUNT_SETTINGS.iter().filter(|row| COMMON.contains(&row.about.name));
    StrategiesView {
        v: VERSION,
        default: AUTO,
        auto: Variant::ALL.into_iter().map(auto).collect(),
        strategies: STRATEGIES.iter().rev().map(StrategyView::of).collect(),
        parameters: hunt_settings::of_strategies().map(SettingView::of).collect(),
        common: common.map(|row| SettingView::of(&row.about)).collect(),
        limits: LIMITS.iter().map(of_limit).collect(),
    }
}

/// The strategies of hunts with their settings, defaults and ranges: all that a form for a new hunt shows.
#[utoipa::path(get, path = "/api/v1/strategies", operation_id = "strategies", tag = "jobs", responses(
    (status = 200, body = StrategiesView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn strategies() -> Response {
    JsonDocument(view()).into_response()
}
