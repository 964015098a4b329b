//! Games of a player against itself as a job, to learn from: units of a few games each, which depend on the job and
//! their numbers alone. The lines are those of the files that `morpion selfplay` writes.

use super::ending::JobEnd;
use super::numbered::NumberedJob;
use super::setup::matches::{MatchBoard, MatchGameName, stored_settings};
use crate::core::game::{Game, Side};
use crate::core::setting::{BadValue, NamedValue};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::reversi::position::{Empties, ReversiMove, ReversiPosition};
use crate::games::reversi::weights::PatternWeights;
use crate::solvers::gomoku::learning::games::{GamesHead, LearningGame};
use crate::solvers::gomoku::learning::selfplay::play_game;
use crate::solvers::gomoku::lines::codes::MoveCodes;
use crate::solvers::gomoku::lines::weights::LineWeights;
use crate::solvers::gomoku::player::GomokuPlayer;
use crate::solvers::learning::GamesFile;
use crate::solvers::reversi::learning::games::{ReversiGamesHead, ReversiLearningGame, start};
use crate::solvers::reversi::learning::selfplay::ReversiLearningPlayer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Games of a unit.
pub const GAMES_OF_UNIT: u64 = 8;
/// Memory of a player's table.
pub const SELFPLAY_MEMORY: u64 = 16 << 20;

/// The games of which a player learns, as people choose them.
pub static SELFPLAY_GAMES: [NamedValue; 2] = [
    NamedValue { value: "gomoku", label: "Rows of three to five" },
    NamedValue { value: "reversi", label: "Reversi, also called Othello" },
];

/// The weights that the program has, as people choose them.
pub static BUILT_IN_WEIGHTS: [NamedValue; 2] = [
    NamedValue { value: "usual", label: "Those of the program" },
    NamedValue { value: "by-hand", label: "Those that were made by hand" },
];

/// An action on a game of which a player learns.
pub trait SelfplayVisitor {
    /// What the visit returns.
    type Out;

    /// Does it for a game.
    fn visit<G: SelfplayBoard>(self) -> Self::Out;
}

/// Calls the visitor with the game; nothing if no player learns of it.
pub fn with_selfplay<V: SelfplayVisitor>(game: MatchGameName, visitor: V) -> Option<V::Out> {
    match game {
        MatchGameName::Gomoku => Some(visitor.visit::<GomokuPosition>()),
        MatchGameName::Reversi => Some(visitor.visit::<ReversiPosition>()),
        MatchGameName::Go => None,
    }
}

/// The weights that the program has of its own, of which a player of a job has some: a daemon reads no files for its
/// clients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuiltInWeights {
    /// Those of the program.
    #[default]
    Usual,
    /// Those that were made by hand.
    ByHand,
}

/// Games of a player against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfplayJob {
    /// The game that is played.
    pub game: MatchGameName,
    /// Its settings that were given, by name.
    pub setup: BTreeMap<String, String>,
    /// Number of games.
    pub games: u64,
    /// Most nodes of a move of Gomoku.
    pub nodes: u64,
    /// Plies that are searched for a move of Reversi.
    #[serde(default = "SelfplayJob::usual_depth")]
    pub depth: u32,
    /// Decides the openings.
    pub seed: u64,
    /// What it plays with.
    pub weights: BuiltInWeights,
}

impl SelfplayJob {
    /// Plies that are searched for a move of Reversi if nothing else is said.
    pub fn usual_depth() -> u32 {
        4
    }

    /// What a move may take, in words.
    pub fn effort(&self) -> String {
        match self.game {
            MatchGameName::Reversi if self.depth == 1 => "1 ply".to_owned(),
            MatchGameName::Reversi => format!("{} plies", self.depth),
            _ => format!("{} nodes", self.nodes),
        }
    }

    /// The empty board, and its title.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn begin<G: MatchBoard>(&self) -> Result<(G, String), BadValue> {
        G::begin(&stored_settings::<G>(&self.setup))
    }

    /// The board, in words and as it is written at the head of a file of games.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn board(&self) -> Result<SelfplayHead, BadValue> {
        struct HeadVisitor<'a>(&'a SelfplayJob);
        impl SelfplayVisitor for HeadVisitor<'_> {
            type Out = Result<SelfplayHead, BadValue>;
            fn visit<G: SelfplayBoard>(self) -> Self::Out {
                let (empty, title) = self.0.begin::<G>()?;
                Ok(SelfplayHead { title, head: empty.head(self.0), size: empty.size() })
            }
        }
        let none = || Err(BadValue("no player learns of this game".to_owned()));
        with_selfplay(self.game, HeadVisitor(self)).unwrap_or_else(none)
    }

    /// The numbers of the games of a unit.
    pub fn games_of(&self, unit: u64) -> std::ops::Range<u64> {
        let first = unit * GAMES_OF_UNIT;
        first..(first + GAMES_OF_UNIT).min(self.games)
    }
}

/// What games are made on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfplayHead {
    /// The board, the rules and the start, in words.
    pub title: String,
    /// The first line of a file of the games.
    pub head: String,
    /// Columns and rows of the board.
    pub size: (u8, u8),
}

/// A game that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeGame<M> {
    /// All moves, those of the opening first.
    pub moves: Vec<M>,
    /// How many of them are the opening.
    pub opening: usize,
    /// Who has won.
    pub winner: Option<Side>,
}

/// A game of which a player learns by playing against itself.
pub trait SelfplayBoard: MatchBoard {
    /// The player that learns.
    type Learner: Send;

    /// Makes the player.
    ///
    /// # Errors
    /// No memory, or a board or rules on which it does not learn.
    fn learner(&self, job: &SelfplayJob) -> Result<Self::Learner, BadValue>;

    /// Plays the game of a number: its line in a file of games, and the game. Nothing if there is no opening.
    fn make(
        &self,
        learner: &mut Self::Learner,
        job: &SelfplayJob,
        number: u64,
    ) -> Option<(String, MadeGame<Self::Move>)>;

    /// The first line of a file with the games.
    fn head(&self, job: &SelfplayJob) -> String;

    /// Reads a line of such a file.
    ///
    /// # Errors
    /// What is wrong with it.
    fn read(&self, line: &str, number: u64) -> Result<MadeGame<Self::Move>, String>;
}

/// The weights that a player of Gomoku plays with.
fn line_weights(weights: BuiltInWeights) -> LineWeights {
    match weights {
        BuiltInWeights::Usual => LineWeights::usual(),
        BuiltInWeights::ByHand => LineWeights::by_hand(&MoveCodes::new()),
    }
}

/// How the games are made, but for the check sum of the weights.
fn games_head(empty: &GomokuPosition, job: &SelfplayJob) -> GamesHead {
    GamesHead { board: empty.board(), rules: empty.rules(), seed: job.seed, nodes: job.nodes, weights: 0 }
}

fn made(game: LearningGame) -> MadeGame<GomokuMove> {
    let LearningGame { opening, moves, winner, .. } = game;
    MadeGame { moves: moves.into_iter().map(GomokuMove).collect(), opening, winner }
}

impl SelfplayBoard for GomokuPosition {
    type Learner = GomokuPlayer;

    fn learner(&self, job: &SelfplayJob) -> Result<GomokuPlayer, BadValue> {
        let (board, rules) = (self.board(), self.rules());
        if rules.win() > board.width().max(board.height()) {
            let row = rules.win();
            return Err(BadValue(format!("no row of {row} fits on the {board} board: every game would be a draw")));
        }
        let bad = |error: crate::solvers::gomoku::player::PlayerError| BadValue(error.to_string());
        let mut player = GomokuPlayer::new(SELFPLAY_MEMORY).map_err(bad)?;
        player.set_weights(line_weights(job.weights));
        player.prepare(self).map_err(bad)?;
        Ok(player)
    }

    fn make(
        &self,
        learner: &mut GomokuPlayer,
        job: &SelfplayJob,
        number: u64,
    ) -> Option<(String, MadeGame<GomokuMove>)> {
        let game = play_game(learner, (self.board(), self.rules()), (job.seed, number), job.nodes)?;
        Some((games_head(self, job).game_to_line(&game, number), made(game)))
    }

    fn head(&self, job: &SelfplayJob) -> String {
        GamesHead { weights: line_weights(job.weights).sum(), ..games_head(self, job) }.to_line()
    }

    fn read(&self, line: &str, number: u64) -> Result<MadeGame<GomokuMove>, String> {
        // The lines do not depend on the rest.
        let head = GamesHead { board: self.board(), rules: self.rules(), seed: 0, nodes: 0, weights: 0 };
        head.read_game(line, number).map(made).map_err(|error| error.to_string())
    }
}

/// The weights that a player of Reversi plays with; nothing for the evaluation by terms.
fn pattern_weights(weights: BuiltInWeights) -> Option<&'static PatternWeights> {
    match weights {
        BuiltInWeights::Usual => Some(PatternWeights::usual()),
        BuiltInWeights::ByHand => None,
    }
}

impl SelfplayBoard for ReversiPosition {
    type Learner = ReversiLearningPlayer<'static>;

    fn learner(&self, job: &SelfplayJob) -> Result<Self::Learner, BadValue> {
        if self.with_empties(Empties::ToWinner) != start() || job.setup.contains_key("empties") {
            return Err(BadValue(
                "Reversi is learned from games on 8x8 from the usual start, in which the winner gets the empty cells"
                    .to_owned(),
            ));
        }
        let player = ReversiLearningPlayer::new(pattern_weights(job.weights), job.depth);
        player.map_err(|error| BadValue(error.to_string()))
    }

    fn make(
        &self,
        learner: &mut Self::Learner,
        job: &SelfplayJob,
        number: u64,
    ) -> Option<(String, MadeGame<ReversiMove>)> {
        let game = learner.play_game(job.seed, number);
        Some((reversi_head(job, 0).game_to_line(&game, number), made_of_reversi(&game)))
    }

    fn head(&self, job: &SelfplayJob) -> String {
        reversi_head(job, pattern_weights(job.weights).map_or(0, PatternWeights::sum)).to_line()
    }

    fn read(&self, line: &str, number: u64) -> Result<MadeGame<ReversiMove>, String> {
        // The lines do not depend on the head.
        let head = ReversiGamesHead { seed: 0, depth: 0, weights: 0 };
        head.read_game(line, number).map(|game| made_of_reversi(&game)).map_err(|error| error.to_string())
    }
}

fn reversi_head(job: &SelfplayJob, weights: u32) -> ReversiGamesHead {
    ReversiGamesHead { seed: job.seed, depth: job.depth, weights }
}

/// The game with its passes.
fn made_of_reversi(game: &ReversiLearningGame) -> MadeGame<ReversiMove> {
    let (mut position, mut moves, mut opening) = (start(), Vec::new(), 0);
    for (at, &square) in game.moves.iter().enumerate() {
        if position.is_legal(ReversiMove::PASS) {
            position.play(ReversiMove::PASS);
            moves.push(ReversiMove::PASS);
        }
        if at == game.opening {
            opening = moves.len();
        }
        position.play(ReversiMove(square));
        moves.push(ReversiMove(square));
    }
    let winner = match game.score {
        0 => None,
        score if score > 0 => Some(Side::First),
        _ => Some(Side::Second),
    };
    MadeGame { opening: if game.opening < game.moves.len() { opening } else { moves.len() }, moves, winner }
}

/// The games of a unit as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfplayRecord {
    /// The lines of the games in a file of games.
    pub lines: Vec<String>,
    /// Games that black has won, that were drawn, that white has won.
    pub ends: [u64; 3],
    /// Moves of all games, with those of the openings.
    pub plies: u64,
    /// Processor time that it took.
    pub milliseconds: u64,
}

/// What the games come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SelfplayTally {
    /// Games that black has won, that were drawn, that white has won.
    pub ends: [u64; 3],
    /// Moves of all games, with those of the openings.
    pub plies: u64,
}

impl NumberedJob for SelfplayJob {
    type Outcome = SelfplayRecord;
    type Tally = SelfplayTally;
    const END: JobEnd = JobEnd::Played;

    fn units(&self) -> u64 {
        self.games.div_ceil(GAMES_OF_UNIT)
    }

    fn nothing(&self) -> SelfplayTally {
        SelfplayTally::default()
    }

    fn count(&self, tally: &mut SelfplayTally, record: &SelfplayRecord) {
        for (sum, games) in tally.ends.iter_mut().zip(record.ends) {
            *sum += games;
        }
        tally.plies += record.plies;
    }

    /// The iterations of the job are its games.
    fn spent(record: &SelfplayRecord) -> (u64, u64) {
        (record.lines.len() as u64, record.milliseconds)
    }
}
