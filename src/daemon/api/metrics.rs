//! `/metrics`: the state of the daemon in numbers, for Prometheus.

use super::extract::typed;
use super::problem::{ApiFailure, ProblemDetails};
use super::prometheus::PrometheusText;
use super::state::{ApiState, Handle};
use super::totals::totals;
use crate::daemon::view::{MachineStanding, SolverTotalsView};
use axum::extract::State;
use axum::response::Response;

/// Name, help and value of a sum over the solver jobs of a user.
type OfUser = (&'static str, &'static str, fn(&SolverTotalsView) -> f64);
const SOLVER: [OfUser; 4] = [
    ("morpion_solver_jobs", "Solver jobs of a user.", |sum| sum.jobs as f64),
    ("morpion_solver_units", "Units of a user's solver jobs that ended.", |sum| sum.units as f64),
    ("morpion_solver_nodes", "Nodes of a user's solver jobs.", |sum| sum.nodes as f64),
    ("morpion_solver_cpu_seconds", "Processor time of a user's solver jobs.", |sum| sum.cpu_seconds),
];

/// The state of the daemon in Prometheus's text format.
#[utoipa::path(get, path = "/metrics", tag = "daemon", responses(
    (status = 200, body = String, content_type = "text/plain"),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn metrics(State(shared): Handle) -> Result<Response, ApiFailure> {
    Ok(typed("text/plain; version=0.0.4; charset=utf-8", shared.call_watching(written).await?))
}

fn written(shared: &ApiState) -> Result<String, ApiFailure> {
    let (health, totals) = (shared.service.health(), totals(shared)?);
    let mut text = PrometheusText::default();
    text.head("morpion_info", "gauge", "The program.");
    text.value("morpion_info", &[("version", &health.version)], 1);
    text.single("morpion_healthy", "gauge", "1 if nothing is wrong.", u8::from(health.status == "ok"));
    text.single("morpion_uptime_seconds", "gauge", "Time since the daemon was started.", health.uptime);
    text.single("morpion_workers", "gauge", "Number of workers.", health.workers);
    text.single("morpion_workers_busy", "gauge", "Number of workers that compute a unit.", health.busy);
    let pool = shared.service.pool();
    if pool.open {
        text.head("morpion_machines", "gauge", "Other machines by state.");
        for (state, name) in [
            (MachineStanding::Here, "here"),
            (MachineStanding::Leaving, "leaving"),
            (MachineStanding::Lost, "lost"),
            (MachineStanding::Distrusted, "distrusted"),
            (MachineStanding::OtherVersion, "other_version"),
        ] {
            let count = pool.machines.iter().filter(|machine| machine.state == state).count();
            text.value("morpion_machines", &[("state", name)], count);
        }
    }
    text.single("morpion_grids", "gauge", "Grids in the archive.", totals.grids);
    text.head("morpion_jobs", "gauge", "Jobs by state.");
    for state in ["queued", "running", "paused", "draining", "finished", "cancelled", "failed"] {
        text.value("morpion_jobs", &[("state", state)], totals.jobs.get(state).copied().unwrap_or(0));
    }
    // These are sums over the present jobs: they fall when a job is removed.
    text.single("morpion_iterations", "gauge", "Iterations (playouts, nodes) of all jobs.", totals.iterations);
    text.single("morpion_iterations_per_second", "gauge", "Iterations per second at present.", totals.rate);
    text.single("morpion_units_done", "gauge", "Finished units.", totals.units_done);
    text.single("morpion_units_stalled", "gauge", "Finished units that the stall table ended.", totals.units_stalled);
    let help = "Units that are quarantined after three failures.";
    text.single("morpion_units_quarantined", "gauge", help, totals.units_quarantined);
    text.single(
        "morpion_units_poisoned",
        "gauge",
        "Older name of morpion_units_quarantined.",
        totals.units_quarantined,
    );
    text.head("morpion_best", "gauge", "Moves of the best grid of a variant.");
    for best in &totals.best {
        text.value("morpion_best", &[("variant", best.variant.code())], best.score);
    }
    for (name, help, of) in SOLVER {
        text.head(name, "gauge", help);
        for user in &totals.solver {
            text.value(name, &[("user", &user.user)], of(user));
        }
    }
    shared.counts.write(&mut text);
    Ok(text.0)
}
