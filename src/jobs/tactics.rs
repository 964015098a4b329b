//! Tactical questions in Go that are answered as a job, one in each unit, as `morpion tactics suite` answers them.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use crate::core::setting::{BadValue, NamedValue};
use crate::games::go::large::points::{LargeBoard, PointSet};
use crate::tactics::pattern::database::PatternDatabase;
use crate::tactics::proposer::AttackMoves;
use crate::tactics::solve::TacticsAnswer;
use crate::tactics::suite::{AnswerMatch, SuiteQuestion, SuiteTally, parse_suite};
use crate::tactics::verdict::TacticsVerdict;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where the attacker's moves come from, as people choose it.
pub static ATTACK_SOURCES: [NamedValue; 3] = [
    NamedValue { value: "patterns", label: "From patterns alone" },
    NamedValue { value: "generators", label: "From the points around the chains, without patterns" },
    NamedValue { value: "both", label: "From patterns first, and then from the points around the chains" },
];

/// Where the attacker's moves come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttackSource {
    /// From patterns alone.
    Patterns,
    /// From the points around the chains.
    #[default]
    Generators,
    /// From patterns first, and then from the points around the chains.
    Both,
}

impl AttackSource {
    /// The moves of this source, by the patterns of a database.
    ///
    /// # Errors
    /// The first pattern that cannot be looked for.
    pub fn moves(self, database: &PatternDatabase) -> Result<AttackMoves, BadValue> {
        if self == AttackSource::Generators {
            return Ok(AttackMoves::Generators);
        }
        let index = database.index();
        let index = index.map_err(|(place, fault)| BadValue(format!("pattern {}: {fault}", place + 1)))?;
        let index = Arc::new(index);
        Ok(if self == AttackSource::Patterns { AttackMoves::Patterns(index) } else { AttackMoves::Both(index) })
    }
}

/// Tactical questions that are to be answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TacticsJob {
    /// The questions, one on each line.
    pub questions: String,
    /// How many there are.
    pub count: u64,
    /// Nodes after which each reading is given up.
    pub nodes: u64,
    /// Where the attacker's moves come from.
    pub moves: AttackSource,
    /// The patterns in SGF, if they are not those of the program.
    pub database: Option<String>,
    /// Whether proofs are replayed by the naive rules.
    pub check: bool,
}

/// What the units of a job share.
#[derive(Debug)]
pub struct TacticsSuite {
    /// The questions of all units.
    pub questions: Vec<SuiteQuestion>,
    /// Where the attacker's moves come from.
    pub attacks: AttackMoves,
}

impl TacticsJob {
    /// The questions.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn questions(&self) -> Result<Vec<SuiteQuestion>, BadValue> {
        parse_suite(&self.questions).map_err(|error| BadValue(error.to_string()))
    }

    /// The questions and the patterns.
    ///
    /// # Errors
    /// A question or a pattern that cannot be read.
    pub fn suite(&self) -> Result<TacticsSuite, BadValue> {
        let database = match &self.database {
            Some(text) => {
                PatternDatabase::read(text.as_bytes()).map_err(|error| BadValue(error.to_string()))?.database
            }
            None => PatternDatabase::shipped(),
        };
        Ok(TacticsSuite { questions: self.questions()?, attacks: self.moves.moves(&database)? })
    }

    /// What a question may take, in words.
    pub fn effort(&self) -> String {
        let moves = match self.moves {
            AttackSource::Patterns => ", patterns alone",
            AttackSource::Generators => "",
            AttackSource::Both => ", patterns first",
        };
        format!("{} nodes{moves}", self.nodes)
    }
}

/// An answer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TacticsRecord {
    /// What the question comes to.
    verdict: TacticsVerdict,
    proven: bool,
    first: Option<u16>,
    nodes: u64,
    zone: Option<Vec<u16>>,
    levels: u64,
    /// What of it is right, if the questions say that.
    pub right: Option<AnswerMatch>,
    /// Proofs that were replayed.
    pub checked: u64,
    /// Those that do not hold.
    pub refused: u64,
    /// What is wrong with the first one that does not hold.
    pub fault: Option<String>,
    /// Processor time that it took.
    pub milliseconds: u64,
}

impl TacticsRecord {
    /// An answer whose proofs are not replayed yet.
    pub fn of(answer: &TacticsAnswer, right: Option<AnswerMatch>) -> TacticsRecord {
        TacticsRecord {
            verdict: answer.verdict,
            proven: answer.proven,
            first: answer.first,
            nodes: answer.nodes,
            zone: answer.zone.map(|zone| zone.iter().collect()),
            levels: answer.levels as u64,
            right,
            checked: 0,
            refused: 0,
            fault: None,
            milliseconds: 0,
        }
    }

    /// The answer without its proofs; nothing if it is one of another board.
    pub fn answer(&self, size: LargeBoard) -> Option<TacticsAnswer> {
        let mut points = self.zone.iter().flatten().chain(&self.first);
        let zone = self.zone.as_ref().map(|zone| zone.iter().copied().collect::<PointSet>());
        points.all(|&point| point < size.area()).then(|| TacticsAnswer {
            verdict: self.verdict,
            proven: self.proven,
            first: self.first,
            nodes: self.nodes,
            zone,
            proofs: Vec::new(),
            levels: self.levels as usize,
        })
    }
}

impl NumberedJob for TacticsJob {
    type Outcome = TacticsRecord;
    type Tally = SuiteTally;
    const END: JobEnd = JobEnd::Answered;

    fn units(&self) -> u64 {
        self.count
    }

    fn nothing(&self) -> SuiteTally {
        SuiteTally::default()
    }

    fn count(&self, tally: &mut SuiteTally, record: &TacticsRecord) {
        tally.add(record.verdict, record.nodes, record.right);
        tally.checked = tally.checked.saturating_add(record.checked);
        tally.refused = tally.refused.saturating_add(record.refused);
    }

    fn spent(record: &TacticsRecord) -> (u64, u64) {
        (record.nodes, record.milliseconds)
    }
}
