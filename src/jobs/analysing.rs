//! Positions of a two-player game that are analysed as a job, one in each unit: what each move is worth to the
//! player, as `morpion analyse` tells it.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use super::reading::{GivenSetting, SettingSource};
use super::selfplay::BuiltInWeights;
use super::setup::matches::{MatchBoard, MatchGameName, WrittenGame, stored_settings};
use crate::core::game::{Chosen, Game, Level, Value};
use crate::core::setting::BadValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The setting that has several positions.
pub const POSITIONS: &str = "positions";

/// Positions that are to be analysed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnalyseJob {
    /// The game that the positions are of.
    pub game: MatchGameName,
    /// Its settings that were given, by name; one may be a position.
    pub setup: BTreeMap<String, String>,
    /// Several positions or games instead of one, each on a line of its own.
    pub positions: Option<String>,
    /// Whether of a game each position is analysed, and not only the last one.
    pub every_move: bool,
    /// How many positions there are.
    pub count: u64,
    /// The board, the rules and the start of the first one, in words.
    pub title: String,
    /// How strong the player is, 1 to 10.
    pub level: u8,
    /// Most seconds of the processor for a position.
    pub seconds: f64,
    /// Most nodes for a position, in Go playouts.
    pub nodes: Option<u64>,
    /// Most plies that are searched.
    pub depth: Option<u32>,
    /// Number of moves that are told of, if not all are.
    pub best: Option<u64>,
    /// What white gets beside its score, in the unit of the game.
    pub komi: Value,
    /// Decides the playouts of Go.
    pub seed: u64,
    /// Bytes of the player's table.
    pub memory: u64,
    /// What the player judges with.
    pub weights: BuiltInWeights,
}

/// The positions of a job.
#[derive(Debug, Clone)]
pub struct AnalysedPositions<G: Game> {
    /// The board, the rules and the start of the first one, in words.
    pub title: String,
    /// The games that they are from.
    pub games: Vec<WrittenGame<G>>,
    /// Of each position its game, and how many moves of it are played.
    places: Vec<(usize, usize)>,
}

impl<G: MatchBoard> AnalysedPositions<G> {
    /// The positions that the settings of a game ask for: one, or those of each line of `lines`, and of each of their
    /// games all if `every_move` is asked for.
    ///
    /// # Errors
    /// What is wrong, and in which line.
    pub fn read(
        setup: &[GivenSetting],
        lines: Option<&GivenSetting>,
        every_move: bool,
    ) -> Result<AnalysedPositions<G>, BadValue> {
        let (games, title) = match lines {
            None => G::games(setup)?,
            Some(lines) => games_of_lines(setup, lines)?,
        };
        let mut places = Vec::new();
        for (game, written) in games.iter().enumerate() {
            let last = written.moves.len();
            if every_move {
                places.extend((0..last).map(|moves| (game, moves)));
            }
            // A game that is over has no move to tell of.
            let mut legal = Vec::new();
            written.after(last).moves(&mut legal);
            if !legal.is_empty() || !every_move {
                places.push((game, last));
            }
        }
        Ok(AnalysedPositions { title, games, places })
    }

    /// How many positions there are.
    pub fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The position of a unit.
    pub fn at(&self, unit: u64) -> Option<G> {
        self.place(unit).map(|(game, moves)| self.games[game].after(moves))
    }

    /// The number of the game that the position of a unit is from, and how many of its moves lead to it.
    pub fn place(&self, unit: u64) -> Option<(usize, usize)> {
        self.places.get(usize::try_from(unit).ok()?).copied()
    }
}

/// The games of the lines of a text, with the title of the first one. Empty lines and those that begin with # are
/// passed over.
fn games_of_lines<G: MatchBoard>(
    setup: &[GivenSetting],
    lines: &GivenSetting,
) -> Result<(Vec<WrittenGame<G>>, String), BadValue> {
    // What is wrong with the board is not told of a line.
    G::begin(setup)?;
    let (mut all, mut first) = (Vec::new(), None);
    for (number, line) in (1..).zip(lines.text.lines()) {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let mut given = setup.to_vec();
        let source = SettingSource::Content { file: format!("line {number}") };
        given.push(GivenSetting { name: "position", typed: lines.typed.clone(), text: text.to_owned(), source });
        let (games, title) = G::games(&given).map_err(|why| BadValue(format!("{}: {why}", lines.place())))?;
        first.get_or_insert(title);
        all.extend(games);
    }
    let title = first.ok_or_else(|| BadValue(format!("{}: there is no position in it", lines.place())))?;
    Ok((all, title))
}

impl AnalyseJob {
    /// The positions, as they were when the job was submitted.
    ///
    /// # Errors
    /// A text that this program does not read.
    pub fn read<G: MatchBoard>(&self) -> Result<AnalysedPositions<G>, BadValue> {
        let (typed, source) = (POSITIONS.to_owned(), SettingSource::Request);
        let lines = self.positions.clone().map(|text| GivenSetting { name: POSITIONS, typed, text, source });
        AnalysedPositions::read(&stored_settings::<G>(&self.setup), lines.as_ref(), self.every_move)
    }

    /// The player's level.
    pub fn level(&self) -> Level {
        Level::new(self.level).unwrap_or(Level::FULL)
    }

    /// What the analysis of a position may take, in words.
    pub fn effort(&self) -> String {
        let level = (self.level() != Level::FULL).then(|| format!("level {}", self.level));
        let depth = self.depth.map(|depth| format!("{depth} plies"));
        let nodes = self.nodes.map(|nodes| format!("{nodes} nodes"));
        let seconds = format!("{} s", self.seconds);
        [level, depth, nodes, Some(seconds)].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Most moves of a line that are kept: the moves of a board of 19x19 with such lines are an outcome that can be
/// stored.
const LONGEST_LINE: usize = 64;

/// A move that was analysed, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysedMove {
    /// The codes of the first moves that are expected, this one before all.
    pub line: Vec<u16>,
    /// What it is worth to the side that makes it.
    pub value: Value,
    /// In how many plies the game is decided, if the search has found it so.
    pub decided_in: Option<u32>,
    /// Plies of the deepest search that was finished.
    pub depth: u32,
    /// Nodes that were visited for it last.
    pub nodes: u64,
}

impl AnalysedMove {
    /// The move as it is stored.
    pub fn of<G: Game>(position: &G, found: &Chosen<G::Move>) -> AnalysedMove {
        let Chosen { ref line, value, decided_in, depth, nodes } = *found;
        let line = line.iter().take(LONGEST_LINE).map(|&m| position.code(m)).collect();
        AnalysedMove { line, value, decided_in, depth, nodes }
    }

    /// The move as the player told it; nothing if it is one of another board.
    pub fn chosen<G: Game>(&self, position: &G) -> Option<Chosen<G::Move>> {
        let AnalysedMove { ref line, value, decided_in, depth, nodes } = *self;
        let line = line.iter().map(|&code| position.decode(code)).collect::<Option<Vec<_>>>()?;
        Some(Chosen { line, value, decided_in, depth, nodes })
    }
}

/// A position that was analysed, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisRecord {
    /// Its moves, the best first; none if the game is over there.
    pub moves: Vec<AnalysedMove>,
    /// Processor time that it took.
    pub milliseconds: u64,
}

impl NumberedJob for AnalyseJob {
    type Outcome = AnalysisRecord;
    type Tally = ();
    const END: JobEnd = JobEnd::Analysed;

    fn units(&self) -> u64 {
        self.count
    }

    fn nothing(&self) {}

    fn count(&self, (): &mut (), _record: &AnalysisRecord) {}

    fn spent(record: &AnalysisRecord) -> (u64, u64) {
        let nodes = record.moves.iter().fold(0u64, |sum, found| sum.saturating_add(found.nodes));
        (nodes, record.milliseconds)
    }
}
