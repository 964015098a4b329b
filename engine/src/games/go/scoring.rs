//! The count of a finished game by one of the two usual rules, with dead stones that somebody has marked.
//!
//! *Territory* (Japanese rules): a side gets a point for each point of its territory and for each stone of the other
//! side that it has captured, dead stones included. *Area* (Chinese rules): a point for each point of its territory
//! and for each own stone that lives. White gets komi with both. If no stones were set up, both sides have put
//! equally many and no chain is in seki, the two give the same result.
//!
//! What is dead is not found out here: whoever asks says it. A *region* is a connected set of points that are empty
//! or hold dead stones. Who owns it follows from the living stones next to it:
//!
//! - Without dead stones it is the territory of the side that it touches alone. If it touches both sides, or none,
//!   its points are neutral (*dame*).
//! - With dead stones it is the territory of the other side, as if these had been captured. Points of it that are
//!   next to a living stone of the dead stones' colour are neutral. Dead stones of both colours in one region
//!   contradict each other, and so do dead stones that touch no living stone of the other side.
//!
//! Seki is not found out either: its chains may be marked. By the rule of territory, regions that touch one of them
//! count for nobody, since eyes in a seki are no points there; by that of area they count. Komi and points are in
//! tenths of a point, as in [`crate::core::game::Value`] of large boards.

use super::large::chains::Chains;
use super::large::points::PointSet;
use crate::core::game::Side;
use crate::games::sgf::{Node, SgfError};

/// What a point is worth.
const POINT: i64 = 10;
/// Greatest komi either way, in points.
const MOST_KOMI: i64 = 361;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoringRules {
    /// Territory and prisoners.
    #[default]
    Territory,
    /// Territory and living stones.
    Area,
}

impl ScoringRules {
    /// The word for it in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            ScoringRules::Territory => "territory",
            ScoringRules::Area => "area",
        }
    }

    /// What the rules of this name count, as SGF names them in `RU`; `None` of an unknown name.
    pub fn of_sgf(name: &str) -> Option<ScoringRules> {
        match name.trim().to_ascii_lowercase().as_str() {
            "japanese" | "jp" | "korean" | "kr" | "territory" => Some(ScoringRules::Territory),
            "chinese" | "cn" | "aga" | "bga" | "french" | "goe" | "ing" | "nz" | "new zealand" | "tromp-taylor"
            | "area" => Some(ScoringRules::Area),
            _ => None,
        }
    }
}

/// What somebody says of the stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoneMarks {
    /// Stones of dead chains, at least one of each.
    pub dead: PointSet,
    /// Stones of chains in seki, at least one of each.
    pub seki: PointSet,
}

/// How a position is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScoreTerms {
    /// What is counted.
    pub rules: ScoringRules,
    /// What white gets, in tenths of a point.
    pub komi: i32,
    /// Stones that black and white have captured during the game.
    pub captured: [u32; 2],
}

/// Marks that contradict the position or each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoringError {
    /// A mark on an empty point.
    #[error("there is no stone on {0}: only stones can be dead or in seki")]
    Empty(String),
    /// A chain that is dead and in seki.
    #[error("the stone on {0} cannot be both dead and in seki")]
    DeadInSeki(String),
    /// Dead stones of both colours in one region.
    #[error("the black stone on {0} and the white stone on {1} cannot both be dead: they are in the same region")]
    BothDead(String, String),
    /// Dead stones without an owner of their region.
    #[error("the stone on {0} cannot be dead: its region touches no living stone of the other side")]
    NotSurrounded(String),
}

/// A position as it was counted. Lists of two are for black and white.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoScore {
    /// How it was counted.
    pub terms: ScoreTerms,
    /// The territory of a side: empty points, and those of dead stones of the other side.
    pub territory: [PointSet; 2],
    /// The living stones of a side.
    pub living: [PointSet; 2],
    /// The dead stones of a side.
    pub dead: [PointSet; 2],
    /// Points of nobody.
    pub dame: PointSet,
    /// Points that count for nobody because of a seki, those of dead stones included.
    pub seki: PointSet,
}

/// The place of a side in a list of two.
fn of(side: Side) -> usize {
    usize::from(side == Side::Second)
}

/// Counts a position.
///
/// # Errors
/// Marks that contradict the position or each other.
pub fn score(chains: &Chains, marks: &StoneMarks, terms: ScoreTerms) -> Result<GoScore, ScoringError> {
    let name = |point: u16| chains.size().name(point);
    let whole = |marked: &PointSet| -> Result<PointSet, ScoringError> {
        let mut stones = PointSet::EMPTY;
        for point in marked.iter() {
            stones.union(&chains.chain(point).ok_or_else(|| ScoringError::Empty(name(point)))?.stones);
        }
        Ok(stones)
    };
    let (dead, seki) = (whole(&marks.dead)?, whole(&marks.seki)?);
    if let Some(point) = dead.common(&seki).first() {
        return Err(ScoringError::DeadInSeki(name(point)));
    }
    let mut stones = [PointSet::EMPTY; 2];
    let mut open = dead;
    for point in 0..chains.size().area() {
        match chains.colour(point) {
            Some(side) => stones[of(side)].insert(point),
            None => open.insert(point),
        }
    }
    let mut living = stones;
    living.iter_mut().for_each(|own| own.subtract(&dead));
    let mut found = GoScore {
        terms,
        territory: [PointSet::EMPTY; 2],
        living,
        dead: stones.map(|own| own.common(&dead)),
        dame: PointSet::EMPTY,
        seki: PointSet::EMPTY,
    };
    while let Some(point) = open.first() {
        let region = connected(chains, point, &open);
        open.subtract(&region);
        let border = chains.border(&region);
        let touches = living.map(|own| !own.common(&border).is_empty());
        let owner = match found.dead.map(|own| own.common(&region).first()) {
            [Some(black), Some(white)] => return Err(ScoringError::BothDead(name(black), name(white))),
            [None, None] => match touches {
                [true, false] => Some(Side::First),
                [false, true] => Some(Side::Second),
                _ => None,
            },
            [Some(stone), None] if !touches[1] => return Err(ScoringError::NotSurrounded(name(stone))),
            [None, Some(stone)] if !touches[0] => return Err(ScoringError::NotSurrounded(name(stone))),
            [Some(_), None] => Some(Side::Second),
            [None, Some(_)] => Some(Side::First),
        };
        let in_seki = terms.rules == ScoringRules::Territory && !border.common(&seki).is_empty();
        match owner {
            Some(_) if in_seki => found.seki.union(&region),
            Some(side) => {
                let neutral = chains.border(&living[of(side.other())]).common(&region);
                let mut own = region;
                own.subtract(&neutral);
                found.territory[of(side)].union(&own);
                found.dame.union(&neutral);
            }
            None => found.dame.union(&region),
        }
    }
    Ok(found)
}

/// The points of a set that are connected to one of it.
fn connected(chains: &Chains, point: u16, within: &PointSet) -> PointSet {
    let (mut region, mut open) = (PointSet::EMPTY, vec![point]);
    region.insert(point);
    while let Some(at) = open.pop() {
        for &near in chains.near(at) {
            if within.contains(near) && !region.contains(near) {
                region.insert(near);
                open.push(near);
            }
        }
    }
    region
}

impl GoScore {
    /// The stones of the other side that a side has captured, dead ones included.
    pub fn prisoners(&self, side: Side) -> u64 {
        u64::from(self.terms.captured[of(side)]) + u64::from(self.dead[of(side.other())].len())
    }

    /// What a side has, white with komi, in tenths of a point.
    pub fn total(&self, side: Side) -> i64 {
        let beside = match self.terms.rules {
            ScoringRules::Territory => self.prisoners(side),
            ScoringRules::Area => u64::from(self.living[of(side)].len()),
        };
        let komi = if side == Side::Second { i64::from(self.terms.komi) } else { 0 };
        POINT * (i64::from(self.territory[of(side)].len()) + beside as i64) + komi
    }

    /// What black has less what white has, in tenths of a point.
    pub fn margin(&self) -> i64 {
        self.total(Side::First) - self.total(Side::Second)
    }

    /// Whose territory a point is; that of a dead stone may be, too.
    pub fn owner(&self, point: u16) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|&side| self.territory[of(side)].contains(point))
    }
}

/// Tenths of a point as a number of points.
///
/// ```
/// use morpion_engine::games::go::scoring::points_text;
/// assert_eq!([points_text(65), points_text(-70), points_text(0)], ["6.5", "-7", "0"]);
/// ```
pub fn points_text(tenths: i64) -> String {
    let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
    match size % 10 {
        0 => format!("{sign}{}", size / 10),
        rest => format!("{sign}{}.{rest}", size / 10),
    }
}

/// A result as SGF and the Go Text Protocol write it: `B+3.5`, `W+3`, `0`. The margin is black's less white's, in
/// tenths of a point.
pub fn result_text(margin: i64) -> String {
    match margin {
        0 => "0".to_owned(),
        1.. => format!("B+{}", points_text(margin)),
        _ => format!("W+{}", points_text(-margin)),
    }
}

/// The margin of a result that SGF has in `RE`; `None` if the game was not decided by a count.
///
/// ```
/// use morpion_engine::games::go::scoring::margin_of;
/// assert_eq!(["B+0.5", "w+3.00", "Draw"].map(margin_of), [Some(5), Some(-30), Some(0)]);
/// assert_eq!(["B+R", "W+Time", "Void", "?", "B+"].map(margin_of), [None; 5]);
/// ```
pub fn margin_of(result: &str) -> Option<i64> {
    let lower = result.trim().to_ascii_lowercase();
    match lower.split_once('+') {
        Some(("b", points)) => tenths_of(points).filter(|&tenths| tenths >= 0),
        Some(("w", points)) => tenths_of(points).filter(|&tenths| tenths >= 0).map(|tenths| -tenths),
        _ => matches!(lower.as_str(), "0" | "draw" | "jigo").then_some(0),
    }
}

/// A number of points in tenths; `None` of what is no such number.
fn tenths_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let part = match part.trim_end_matches('0') {
        "" => "0",
        part => part,
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = (1..=6).contains(&whole.len()) && part.len() == 1 && are_digits(whole) && are_digits(part);
    let (whole, part) = (whole.parse::<i64>().ok()?, part.parse::<i64>().ok()?);
    is_number.then_some(sign * (10 * whole + part))
}

/// Komi in tenths of a point; `None` if the text is no number of whole or half points, or one beyond any board.
///
/// ```
/// use morpion_engine::games::go::scoring::read_half_points;
/// assert_eq!(["6.5", "-7", "0.50", "0"].map(read_half_points), [Some(65), Some(-70), Some(5), Some(0)]);
/// assert_eq!(["3.75", "6.4", "", "375", "six", "."].map(read_half_points), [None; 6]);
/// ```
pub fn read_half_points(text: &str) -> Option<i32> {
    let tenths = tenths_of(text).filter(|tenths| tenths % 5 == 0 && tenths.abs() <= POINT * MOST_KOMI)?;
    i32::try_from(tenths).ok()
}

/// What the first node of a game in SGF says about its count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SgfScoring {
    /// What is counted (`RU`), if the rules are known.
    pub rules: Option<ScoringRules>,
    /// Komi (`KM`), in tenths of a point.
    pub komi: Option<i32>,
    /// The result (`RE`).
    pub result: Option<String>,
}

impl SgfScoring {
    /// What a node says; komi is read only if it is not known `already`.
    ///
    /// # Errors
    /// A komi that is no number of whole or half points.
    pub fn of_node(first: &Node, already: bool) -> Result<SgfScoring, SgfError> {
        let value = |name: &str| {
            let (_, values) = first.iter().find(|(known, _)| known == name)?;
            values.first().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let wrong = |text: &str| SgfError::value("KM", text, "number of whole or half points");
        let komi = value("KM").filter(|_| !already);
        Ok(SgfScoring {
            rules: value("RU").and_then(|name| ScoringRules::of_sgf(&name)),
            komi: komi.map(|text| read_half_points(&text).ok_or_else(|| wrong(&text))).transpose()?,
            result: value("RE"),
        })
    }

    /// Whether a margin is that of the result; `None` if there is no result, or one without a count.
    pub fn agrees(&self, margin: i64) -> Option<bool> {
        Some(margin_of(self.result.as_ref()?)? == margin)
    }
}
