//! What a job may use.
//!
//! The limit on workers has two names in documents: `workers`, and `threads`, which was the only one at first. Both
//! are written. A client may send either, and may send back a document that it was given with one of the two changed.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// What a job may use. A value that is left out is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "LimitsDocument", try_from = "LimitsDocument")]
pub struct JobLimits {
    /// Seconds that the job runs. Time in the queue and paused time do not count.
    pub seconds: Option<f64>,
    /// Iterations of all its units; of a solver job nodes.
    pub iterations: Option<u64>,
    /// Workers that compute its units at the same time.
    pub workers: Option<u32>,
    /// Bytes of memory of its searches.
    pub memory: Option<u64>,
    /// Bytes of disk: of the archive of a hunt, of the files of a solution.
    pub disk: Option<u64>,
}

/// What a job may use. A value that is left out or null is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Limits)]
pub struct LimitsDocument {
    /// Seconds that the job runs. Time in the queue and paused time do not count.
    #[serde(default)]
    #[schema(exclusive_minimum = 0, maximum = 1e12)]
    seconds: Option<f64>,
    /// Iterations of all its units; of a solver job nodes.
    #[serde(default)]
    #[schema(minimum = 1)]
    iterations: Option<u64>,
    /// Workers that compute its units at the same time.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u32>, minimum = 1)]
    workers: Option<Option<u32>>,
    /// The older name of `workers`.
    #[serde(default, deserialize_with = "sent")]
    #[schema(value_type = Option<u32>, minimum = 1)]
    threads: Option<Option<u32>>,
    /// Bytes of memory of its searches.
    #[serde(default)]
    #[schema(minimum = 1_048_576)]
    memory: Option<u64>,
    /// Bytes of disk: of the archive of a hunt, which then keeps better grids only, and of the files of a solution,
    /// which then is quarantined. A job without this limit has that of the daemon (`--job-disk`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 16_777_216)]
    disk: Option<u64>,
}

/// Tells a field that is null (`Some(None)`) from one that is left out (`None`).
fn sent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u32>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl LimitsDocument {
    /// The limits of this document for a job that has the limits `current`. Of two different values of `workers` and
    /// `threads` the one that is new counts.
    ///
    /// # Errors
    /// If both values are new.
    pub fn replacing(&self, current: &JobLimits) -> Result<JobLimits, String> {
        let workers = match (self.workers, self.threads) {
            (Some(workers), None) => workers,
            (None, threads) => threads.flatten(),
            (Some(workers), Some(threads)) if workers == threads || threads == current.workers => workers,
            (Some(workers), Some(threads)) if workers == current.workers => threads,
            (Some(workers), Some(threads)) => {
                let text = |limit: Option<u32>| limit.map_or("null".to_owned(), |limit| limit.to_string());
                let (workers, threads) = (text(workers), text(threads));
                return Err(format!(
                    "limits: workers is {workers} and threads, its older name, is {threads}: give workers only"
                ));
            }
        };
        let LimitsDocument { seconds, iterations, memory, disk, .. } = *self;
        Ok(JobLimits { seconds, iterations, workers, memory, disk })
    }
}

impl From<JobLimits> for LimitsDocument {
    fn from(limits: JobLimits) -> LimitsDocument {
        let JobLimits { seconds, iterations, workers, memory, disk } = limits;
        LimitsDocument { seconds, iterations, workers: Some(workers), threads: Some(workers), memory, disk }
    }
}

impl TryFrom<LimitsDocument> for JobLimits {
    type Error = String;

    fn try_from(document: LimitsDocument) -> Result<JobLimits, String> {
        document.replacing(&JobLimits::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn workers_and_threads_are_two_names_of_one_limit() {
        let limits = |value| serde_json::from_value::<JobLimits>(value).map(|limits| limits.workers);
        for (value, expected) in [
            (json!({}), None),
            (json!({ "workers": 3 }), Some(3)),
            (json!({ "threads": 3 }), Some(3)),
            (json!({ "workers": 3, "threads": 3 }), Some(3)),
            (json!({ "workers": null, "threads": 3 }), Some(3)),
            (json!({ "workers": 3, "threads": null }), Some(3)),
        ] {
            assert_eq!(limits(value.clone()).unwrap(), expected, "{value}");
        }
        let error = limits(json!({ "workers": 3, "threads": 4 })).unwrap_err().to_string();
        assert!(error.contains("workers is 3 and threads, its older name, is 4"), "{error}");
        let two = JobLimits { workers: Some(2), seconds: Some(1.5), ..JobLimits::default() };
        let written = serde_json::to_value(two).unwrap();
        let expected = json!({ "seconds": 1.5, "iterations": null, "workers": 2, "threads": 2, "memory": null });
        assert_eq!(written, expected);
        assert_eq!(serde_json::from_value::<JobLimits>(written).unwrap(), two);
        let disk = JobLimits { disk: Some(1 << 30), ..two };
        let written = serde_json::to_value(disk).unwrap();
        assert_eq!(
            (&written["disk"], serde_json::from_value::<JobLimits>(written.clone()).unwrap()),
            (&json!(1 << 30), disk)
        );
    }

    /// A client of any age changes a copy of what it was given.
    #[test]
    fn of_two_different_values_the_new_one_counts() {
        let two = JobLimits { workers: Some(2), ..JobLimits::default() };
        let changed = |value| serde_json::from_value::<LimitsDocument>(value).unwrap().replacing(&two);
        for (value, expected) in [
            (json!({ "workers": 2, "threads": 3 }), Some(3)),
            (json!({ "workers": 3, "threads": 2 }), Some(3)),
            (json!({ "workers": 2, "threads": null }), None),
            (json!({ "workers": null, "threads": 2 }), None),
            (json!({ "workers": 2 }), Some(2)),
            (json!({ "threads": 2 }), Some(2)),
            (json!({ "seconds": 5 }), None),
        ] {
            assert_eq!(changed(value.clone()).unwrap().workers, expected, "{value}");
        }
        assert!(changed(json!({ "workers": 3, "threads": 4 })).is_err());
    }
}
