//! `/api/v1/health`, `/api/v1/statistics` and `/api/v1/openapi.json`.

use super::extract::{JsonDocument, typed};
use super::problem::{ApiFailure, ProblemDetails};
use super::state::{ApiState, Handle};
use crate::daemon::service::{GridFilter, JobFilter, Page};
use crate::daemon::view::{BestView, HealthView, JobView, SolutionView, SolverTotalsView, TotalsView, VERSION};
use crate::morpion::variant::Variant;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Time for which the totals are kept. They are sums over all jobs, and several clients ask for them every second.
const FRESH: Duration = Duration::from_secs(1);

/// The state of the daemon.
#[utoipa::path(get, path = "/api/v1/health", tag = "daemon", responses(
    (status = 200, body = HealthView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn health(State(shared): Handle) -> Result<Response, ApiFailure> {
    let health = shared.call_watching(move |shared| Ok(shared.service.health())).await?;
    Ok(JsonDocument(health).into_response())
}

/// Sums over all jobs, at most a second old.
#[utoipa::path(get, path = "/api/v1/statistics", tag = "daemon", responses(
    (status = 200, body = TotalsView),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn statistics(State(shared): Handle) -> Result<Response, ApiFailure> {
    Ok(JsonDocument(shared.call(totals).await?).into_response())
}

/// This description, OpenAPI 3.1.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "daemon", responses(
    (status = 200, body = Object),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn openapi(State(shared): Handle) -> Response {
    typed("application/json", shared.openapi.get().cloned().unwrap_or_default())
}

/// The totals, computed again if they are old.
///
/// # Errors
/// If the service cannot list its jobs or grids.
pub fn totals(shared: &ApiState) -> Result<TotalsView, ApiFailure> {
    // One thread computes them; the others wait for it.
    let mut cached = shared.totals.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, totals)) = cached.as_ref().filter(|(made, _)| made.elapsed() < FRESH) {
        return Ok(totals.clone());
    }
    let totals = add_up(shared)?;
    *cached = Some((Instant::now(), totals.clone()));
    Ok(totals)
}

fn add_up(shared: &ApiState) -> Result<TotalsView, ApiFailure> {
    let mut totals = TotalsView {
        v: VERSION,
        jobs: BTreeMap::new(),
        iterations: 0,
        rate: 0.0,
        seconds: 0.0,
        units_done: 0,
        units_stalled: 0,
        units_quarantined: 0,
        units_poisoned: 0,
        workers: 0,
        threads: 0,
        grids: shared.service.health().grids,
        best: Vec::new(),
        solver: Vec::new(),
    };
    let mut solver = BTreeMap::new();
    let mut page = Page { limit: 1000, cursor: None };
    loop {
        let listing = shared.service.jobs(&JobFilter::default(), &page)?;
        for job in listing.items {
            add(&mut totals, &job);
            if let Some(found) = job.summary.solution {
                add_solution(&mut solver, found);
            }
        }
        match listing.next {
            Some(next) => page.cursor = Some(next),
            None => break,
        }
    }
    (totals.units_poisoned, totals.threads) = (totals.units_quarantined, totals.workers);
    totals.solver = solver.into_values().collect();
    for variant in Variant::ALL {
        let filter = GridFilter { variant: Some(variant), ..GridFilter::default() };
        let longest = shared.service.grids(&filter, &Page { limit: 1, cursor: None })?.items;
        totals.best.extend(longest.into_iter().map(|grid| BestView {
            variant,
            score: grid.score,
            grid: grid.key,
            record: grid.record,
        }));
    }
    Ok(totals)
}

fn add(totals: &mut TotalsView, JobView { summary, rate, workers, .. }: &JobView) {
    let state = serde_json::to_value(summary.state).ok().and_then(|state| Some(state.as_str()?.to_owned()));
    *totals.jobs.entry(state.unwrap_or_default()).or_default() += 1;
    totals.iterations = totals.iterations.saturating_add(summary.iterations);
    totals.rate += rate;
    totals.seconds += summary.seconds;
    totals.units_done += summary.units_done;
    totals.units_stalled += summary.units_stalled;
    totals.units_quarantined += summary.units_quarantined;
    totals.workers += workers;
}

fn add_solution(users: &mut BTreeMap<String, SolverTotalsView>, found: SolutionView) {
    let sum = users.entry(found.user.clone()).or_insert(SolverTotalsView {
        user: found.user,
        jobs: 0,
        units: 0,
        nodes: 0,
        cpu_seconds: 0.0,
    });
    sum.jobs += 1;
    sum.units = sum.units.saturating_add(found.units.made.saturating_sub(found.units.open));
    sum.nodes = sum.nodes.saturating_add(found.nodes);
    sum.cpu_seconds += found.cpu_seconds;
}
