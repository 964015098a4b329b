//! How a job comes to its end.

use super::hunt::Over;
use serde::{Deserialize, Serialize};

/// Why a job is over. A job that was cancelled or failed, or that can still continue, has none of these ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// A hunt found a grid of the target's size, or a proof one of the number of moves that none was to have.
    Target,
    /// A hunt saw every grid: the best one is proven to be a longest one from its start.
    Exhausted,
    /// All units of a hunt are done, but they did not see every grid; or those of a plan that is looked for or
    /// checked, but replies are left open.
    Finished,
    /// The question of a solution is answered.
    Solved,
    /// A proof is complete; a plan answers every reply, or all of it was checked and holds.
    Proved,
    /// All games of a match are played.
    Played,
    /// The sequential test of a match has decided.
    Decided,
    /// All positions are analysed.
    Analysed,
    /// Weights are learned.
    Learned,
    /// All tactical questions are answered.
    Answered,
    /// Patterns are mined.
    Mined,
    /// Its time is used up.
    Time,
    /// Its iterations are used up.
    Iterations,
    /// It was asked to end when the units begun were done.
    Drained,
    /// A move of a plan that is checked does not hold.
    Refuted,
}

impl JobEnd {
    /// All ways in which a job ends.
    pub const ALL: [JobEnd; 15] = [
        JobEnd::Target,
        JobEnd::Exhausted,
        JobEnd::Finished,
        JobEnd::Solved,
        JobEnd::Proved,
        JobEnd::Played,
        JobEnd::Decided,
        JobEnd::Analysed,
        JobEnd::Learned,
        JobEnd::Answered,
        JobEnd::Mined,
        JobEnd::Time,
        JobEnd::Iterations,
        JobEnd::Drained,
        JobEnd::Refuted,
    ];

    /// The word for it in stored jobs and in the API.
    pub fn name(self) -> &'static str {
        match self {
            JobEnd::Target => "target",
            JobEnd::Exhausted => "exhausted",
            JobEnd::Finished => "finished",
            JobEnd::Solved => "solved",
            JobEnd::Proved => "proved",
            JobEnd::Played => "played",
            JobEnd::Decided => "decided",
            JobEnd::Analysed => "analysed",
            JobEnd::Learned => "learned",
            JobEnd::Answered => "answered",
            JobEnd::Mined => "mined",
            JobEnd::Time => "time",
            JobEnd::Iterations => "iterations",
            JobEnd::Drained => "drained",
            JobEnd::Refuted => "refuted",
        }
    }
}

impl From<Over> for JobEnd {
    fn from(over: Over) -> JobEnd {
        match over {
            Over::Target => JobEnd::Target,
            Over::Exhausted => JobEnd::Exhausted,
            Over::Finished => JobEnd::Finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_serde_writes_and_reads() {
        for end in JobEnd::ALL {
            let name = serde_json::Value::from(end.name());
            assert_eq!(serde_json::to_value(end).unwrap(), name);
            assert_eq!(serde_json::from_value::<JobEnd>(name).unwrap(), end);
        }
        for over in [Over::Target, Over::Exhausted, Over::Finished] {
            let same = (serde_json::to_value(over).unwrap(), serde_json::to_value(JobEnd::from(over)).unwrap());
            assert_eq!(same.0, same.1, "events of a hunt and its job use one word");
        }
    }
}
