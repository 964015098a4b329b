//! `/metrics`: counts for Prometheus, in its text format 0.0.4.

use super::extract::typed;
use super::problem::{ApiFailure, ProblemDetails};
use super::totals::totals;
use super::{ApiState, Handle};
use crate::daemon::view::SolverTotalsView;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Upper bounds of the classes of latencies, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// What was asked for and how long the answers took.
#[derive(Default)]
pub struct Metrics(Mutex<BTreeMap<(String, String), Route>>);

/// Counts of one route and method.
#[derive(Default)]
struct Route {
    by_status: BTreeMap<u16, u64>,
    /// Answers that took at most the bound of the same place, and more than the one before it.
    classes: [u64; BOUNDS.len()],
    seconds: f64,
}

impl Metrics {
    fn routes(&self) -> MutexGuard<'_, BTreeMap<(String, String), Route>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Counts an answer. Routes are those of the API, so that no client can make up new ones.
    pub fn count(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let known = [Method::GET, Method::HEAD, Method::POST, Method::PATCH, Method::DELETE].contains(method);
        let method = if known { method.as_str() } else { "other" };
        let mut routes = self.routes();
        let entry = routes.entry((route.to_owned(), method.to_owned())).or_default();
        *entry.by_status.entry(status.as_u16()).or_default() += 1;
        let seconds = took.as_secs_f64();
        entry.seconds += seconds;
        if let Some(class) = BOUNDS.iter().position(|&bound| seconds <= bound) {
            entry.classes[class] += 1;
        }
    }

    fn write(&self, text: &mut Text) {
        let routes = self.routes();
        text.head("morpion_http_requests_total", "counter", "Requests answered.");
        for ((route, method), counts) in &*routes {
            for (status, count) in &counts.by_status {
                let status = status.to_string();
                let labels = [("route", &**route), ("method", method), ("status", &status)];
                text.value("morpion_http_requests_total", &labels, count);
            }
        }
        let name = "morpion_http_request_seconds";
        text.head(name, "histogram", "Time from the head of a request to the head of its answer.");
        for ((route, method), counts) in &*routes {
            let mut below = 0;
            for (bound, count) in BOUNDS.iter().zip(counts.classes) {
                below += count;
                let bound = bound.to_string();
                let labels = [("route", &**route), ("method", method), ("le", &bound)];
                text.value("morpion_http_request_seconds_bucket", &labels, below);
            }
            let all: u64 = counts.by_status.values().sum();
            let labels = [("route", &**route), ("method", method), ("le", "+Inf")];
            text.value("morpion_http_request_seconds_bucket", &labels, all);
            text.value("morpion_http_request_seconds_sum", &labels[..2], counts.seconds);
            text.value("morpion_http_request_seconds_count", &labels[..2], all);
        }
    }
}

/// Text in Prometheus's format.
#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.value(name, &[], value);
    }
}

/// Sums over the solver jobs of a user: name, help, value.
type OfUser = (&'static str, &'static str, fn(&SolverTotalsView) -> f64);
const SOLVER: [OfUser; 4] = [
    ("morpion_solver_jobs", "Solver jobs of a user.", |sum| sum.jobs as f64),
    ("morpion_solver_units", "Units of a user's solver jobs that ended.", |sum| sum.units as f64),
    ("morpion_solver_nodes", "Nodes of a user's solver jobs.", |sum| sum.nodes as f64),
    ("morpion_solver_cpu_seconds", "Processor time of a user's solver jobs.", |sum| sum.cpu_seconds),
];

/// Counts for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "daemon", responses(
    (status = 200, body = String, content_type = "text/plain"),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn metrics(State(shared): Handle) -> Result<Response, ApiFailure> {
    Ok(typed("text/plain; version=0.0.4; charset=utf-8", shared.call(written).await?))
}

fn written(shared: &ApiState) -> Result<String, ApiFailure> {
    let (health, totals) = (shared.service.health(), totals(shared)?);
    let mut text = Text::default();
    text.head("morpion_info", "gauge", "The program.");
    text.value("morpion_info", &[("version", &health.version)], 1);
    text.single("morpion_healthy", "gauge", "1 if nothing is wrong.", u8::from(health.status == "ok"));
    text.single("morpion_uptime_seconds", "gauge", "Time since the daemon began.", health.uptime);
    text.single("morpion_workers", "gauge", "Workers.", health.workers);
    text.single("morpion_workers_busy", "gauge", "Workers that have a unit.", health.busy);
    text.single("morpion_grids", "gauge", "Grids in the archive.", totals.grids);
    text.head("morpion_jobs", "gauge", "Jobs by state.");
    for state in ["queued", "running", "paused", "draining", "finished", "cancelled", "failed"] {
        text.value("morpion_jobs", &[("state", state)], totals.jobs.get(state).copied().unwrap_or(0));
    }
    // Sums over the jobs that there are: they fall when one is removed.
    text.single("morpion_iterations", "gauge", "Iterations (playouts, nodes) of all jobs.", totals.iterations);
    text.single("morpion_iterations_per_second", "gauge", "Iterations per second lately.", totals.rate);
    text.single("morpion_units_done", "gauge", "Units done.", totals.units_done);
    text.single("morpion_units_stalled", "gauge", "Units that the stall table ended.", totals.units_stalled);
    text.single("morpion_units_poisoned", "gauge", "Units set aside after three failures.", totals.units_poisoned);
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
    shared.metrics.write(&mut text);
    Ok(text.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_prometheus_reads_them() {
        let metrics = Metrics::default();
        metrics.count("/a", &Method::GET, StatusCode::OK, Duration::from_millis(3));
        metrics.count("/a", &Method::GET, StatusCode::NOT_FOUND, Duration::from_secs(100));
        metrics.count("other", &Method::TRACE, StatusCode::OK, Duration::ZERO);
        let mut text = Text::default();
        metrics.write(&mut text);
        for line in [
            "morpion_http_requests_total{route=\"/a\",method=\"GET\",status=\"404\"} 1",
            "morpion_http_request_seconds_bucket{route=\"/a\",method=\"GET\",le=\"0.0025\"} 0",
            "morpion_http_request_seconds_bucket{route=\"/a\",method=\"GET\",le=\"0.005\"} 1",
            "morpion_http_request_seconds_bucket{route=\"/a\",method=\"GET\",le=\"30\"} 1",
            "morpion_http_request_seconds_bucket{route=\"/a\",method=\"GET\",le=\"+Inf\"} 2",
            "morpion_http_request_seconds_count{route=\"/a\",method=\"GET\"} 2",
            "morpion_http_requests_total{route=\"other\",method=\"other\",status=\"200\"} 1",
        ] {
            assert!(text.0.lines().any(|l| l == line), "{line}\n{}", text.0);
        }
        let mut text = Text::default();
        text.value("a", &[("b", "\"\\\n")], 1);
        assert_eq!(text.0, "a{b=\"\\\"\\\\\\n\"} 1\n");
    }
}
