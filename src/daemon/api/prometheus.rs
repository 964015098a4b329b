//! Prometheus's text format 0.0.4, and the counts of requests in it.

use axum::http::{Method, StatusCode};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper bounds of the classes of latencies, in seconds.
const BOUNDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Numbers of requests, and the times of their answers, by route and method.
#[derive(Default)]
pub struct RequestCounts(Mutex<BTreeMap<(String, String), RouteCounts>>);

/// The counts of one route and method.
#[derive(Default)]
struct RouteCounts {
    by_status: BTreeMap<u16, u64>,
    /// Number of answers that took at most the bound with the same index, and more than the bound before it.
    classes: [u64; BOUNDS.len()],
    seconds: f64,
}

impl RequestCounts {
    fn routes(&self) -> MutexGuard<'_, BTreeMap<(String, String), RouteCounts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an answer. Routes are those of the API, so a client cannot add new ones.
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

    /// Appends the counts.
    pub fn write(&self, text: &mut PrometheusText) {
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
pub struct PrometheusText(pub String);

impl PrometheusText {
    /// Begins a metric.
    pub fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A value of the metric.
    pub fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    /// A metric with one value.
    pub fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.value(name, &[], value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_as_prometheus_reads_them() {
        let counts = RequestCounts::default();
        counts.count("/a", &Method::GET, StatusCode::OK, Duration::from_millis(3));
        counts.count("/a", &Method::GET, StatusCode::NOT_FOUND, Duration::from_secs(100));
        counts.count("other", &Method::TRACE, StatusCode::OK, Duration::ZERO);
        let mut text = PrometheusText::default();
        counts.write(&mut text);
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
        let mut text = PrometheusText::default();
        text.value("a", &[("b", "\"\\\n")], 1);
        assert_eq!(text.0, "a{b=\"\\\"\\\\\\n\"} 1\n");
    }
}
