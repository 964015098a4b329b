//! What a game needs to be shown and played: a name, a text for its positions, and a player for the machine's side;
//! and to be solved as a job: an engine of its own. One `impl` of each per game.

use super::busy::Busy;
use super::entry::{NO_MOVE, TableEntry};
use super::go::player::UctPlayer;
use super::go::{GoEngine, nodes_of_board};
use super::gomoku::book::{OpeningBook, PLANNED};
use super::gomoku::brain::{BrainPlayer, GomokuBrain};
use super::gomoku::engine::GomokuEngine;
use super::gomoku::player::PlayerError;
use super::gomoku::player::opening::OpeningPlayer;
use super::monitor::{Monitor, Watch};
use super::player::SearchPlayer;
use super::player::ending::GameEnding;
use super::player::plies::PlySearch;
use super::reach::BeyondReach;
use super::reversi::cuts::ProbableCuts;
use super::reversi::engine::{ReversiEngine, nodes_to_end};
use super::reversi::plies::{ReversiOutlook, ReversiPlies};
use super::search::{NodeSearch, Parts, Stats};
use super::solve::Engine;
use super::table::{Table, TableError};
use super::together::RunTogether;
use crate::core::game::{Game, Player, Side, Value};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::record::GomokuRecord;
use crate::games::gomoku::swap2::game::Swap2Game;
use crate::games::gomoku::swap2::{Swap2Player, Swap2Turn};
use crate::games::tags::GameTags;
use crate::games::{go, gomoku, reversi};
use std::fmt;

/// The parts of the search that plays where a game has none of its own: symmetric positions are hardly ever met
/// outside openings.
const PARTS: Parts = Parts { symmetry: false, ..Parts::ALL };

/// Why the machine does not play.
#[derive(Debug, thiserror::Error)]
pub enum OpponentError {
    /// It cannot play this game on boards of this size.
    #[error("the machine does not play {0} on this board yet")]
    Game(&'static str),
    /// It cannot play under these rules, or with this memory.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// There is no player of this name.
    #[error("{0} has no player of the name '{1}'")]
    Name(&'static str, String),
    /// The memory cannot be had.
    #[error(transparent)]
    Memory(#[from] TableError),
}

/// Who plays the machine's side, and what it has.
#[derive(Debug, Clone, Copy)]
pub struct OpponentTerms<'t> {
    /// The player's name, if it is not the usual one.
    pub name: Option<&'t str>,
    /// Bytes for its table.
    pub memory: u64,
    /// How many threads search together at full strength, where a game's player can use several.
    pub threads: usize,
    /// Starts these threads.
    pub together: RunTogether,
}

impl OpponentTerms<'_> {
    /// Refuses a name, for a game that has one player.
    fn refuse_name(&self, game: &'static str) -> Result<(), OpponentError> {
        self.name.map_or(Ok(()), |name| Err(OpponentError::Name(game, name.to_owned())))
    }
}

/// A game that people play.
pub trait Playable: Game {
    /// Name of the game, as people write it.
    const NAME: &'static str;
    /// Whether a finished game has a score in points. Then players tell values in [`Game::POINT`].
    const HAS_SCORE: bool = false;

    /// What a value says in words, if it is no estimate and not how many moves are left.
    fn known_worth(_value: Value) -> Option<&'static str> {
        None
    }

    /// The position as one line.
    fn text(&self) -> String;

    /// The game that led from a position to this one by these moves, as text that the settings of the game take for a
    /// position. The tags are told where the format has a place for them. In them `black` is the first player
    /// ([`Playable::mover`]), who has black unless players choose their colours.
    fn saved(&self, _start: &Self, _moves: &[Self::Move], _tags: &GameTags<'_>) -> String {
        self.text()
    }

    /// What the names of files with such texts end in: `sgf`, `ggf`, `obf`.
    fn saved_as(&self) -> &'static str {
        "txt"
    }

    /// Columns and rows of the board.
    fn size(&self) -> (u8, u8);

    /// Which player makes the next move: the first one has black. Where players choose their colours, the first one
    /// is who begins.
    fn mover(&self) -> Side {
        self.side()
    }

    /// Why a move is not legal, if that can be told.
    fn fault(&self, _m: Self::Move) -> Option<String> {
        None
    }

    /// What lies on the board, by rows from the upper left.
    fn cells(&self) -> Vec<Option<Side>>;

    /// The names of the stones that have won the game, if it is won by some of them.
    fn winning_stones(&self) -> Vec<String> {
        Vec::new()
    }

    /// A player for the machine's side, ready for this position.
    ///
    /// # Errors
    /// If the machine does not play this game, board or rule, there is no such player, or the memory cannot be had.
    fn opponent(&self, _terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        Err(OpponentError::Game(Self::NAME))
    }
}

/// A game that can be solved as a job.
pub trait Solvable: Playable + Send + Sync + 'static {
    /// Its own engine.
    type Own<'a>: Engine<Self> + Send;

    /// Makes the engine, for one thread; `busy` if there are others at the same search.
    fn own<'a>(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> Self::Own<'a>;

    /// What a player's estimate is made of, if that can be chosen.
    type Estimate: fmt::Debug + Default;

    /// What looks some plies ahead.
    type Plies<'a>: PlySearch<Self>;

    /// Makes the search from this position, with its memory.
    fn plies<'a>(&self, estimate: &'a Self::Estimate, table: &'a Table, watch: &'a dyn Watch) -> Self::Plies<'a>;

    /// The best move as far as a table says that such searches have used.
    fn remembered(&self, table: &Table) -> Option<Self::Move> {
        let best = TableEntry::get(table, self.key().hash).map_or(NO_MOVE, |entry| entry.best);
        self.decode(best)
    }

    /// Whether a move ends the game with nothing left to the other side. It is a victory of which estimates know
    /// nothing where empty cells count for nobody.
    fn wins_all(&self, _m: Self::Move) -> bool {
        false
    }

    /// How far the end of the game is; nothing if a player should not try to search to it.
    fn ending(&self) -> Option<GameEnding> {
        None
    }

    /// Why a solution of this position will most likely not come to its end, if that is so.
    fn beyond_reach(&self) -> Option<BeyondReach>;

    /// Whether what is known of positions of that game holds in this one: the same board under the same rules.
    fn shares_tables(&self, other: &Self) -> bool {
        self.size() == other.size()
    }
}

/// Who has a cell, of black and white as bits.
fn owner((black, white): (u64, u64), bit: u8) -> Option<Side> {
    match (black >> bit & 1, white >> bit & 1) {
        (0, 0) => None,
        (1, 0) => Some(Side::First),
        _ => Some(Side::Second),
    }
}

impl Solvable for reversi::position::ReversiPosition {
    type Own<'a> = ReversiEngine<'a>;

    fn own<'a>(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> ReversiEngine<'a> {
        ReversiEngine { table, busy, monitor, stats: Stats::default() }
    }

    type Estimate = ReversiOutlook;
    type Plies<'a> = ReversiPlies<'a>;

    fn plies<'a>(&self, outlook: &'a ReversiOutlook, table: &'a Table, watch: &'a dyn Watch) -> ReversiPlies<'a> {
        let cuts = ProbableCuts::usual().filter(|_| outlook.cuts);
        ReversiPlies::new(self, outlook.estimate.patterns(self.board()), cuts, table, watch)
    }

    fn remembered(&self, table: &Table) -> Option<Self::Move> {
        ReversiPlies::remembered(self, table)
    }

    fn wins_all(&self, m: Self::Move) -> bool {
        let mut after = *self;
        after.play(m);
        after.own() == 0
    }

    fn ending(&self) -> Option<GameEnding> {
        let plies = self.empty().count_ones();
        Some(GameEnding { plies, nodes: nodes_to_end(self.board(), plies) })
    }

    fn beyond_reach(&self) -> Option<BeyondReach> {
        BeyondReach::reversi(self)
    }

    fn shares_tables(&self, other: &Self) -> bool {
        (self.board(), self.empties()) == (other.board(), other.empties())
    }
}

impl Playable for reversi::position::ReversiPosition {
    const NAME: &'static str = "reversi";
    const HAS_SCORE: bool = true;

    fn text(&self) -> String {
        reversi::notation::to_obf(self)
    }

    /// The game in GGF, which has square boards only.
    fn saved(&self, start: &Self, moves: &[Self::Move], tags: &GameTags<'_>) -> String {
        let is_square = self.board().width() == self.board().height();
        if is_square { reversi::ggf::to_ggf_with(start, moves, &tags.ggf(self)) } else { self.text() }
    }

    fn saved_as(&self) -> &'static str {
        if self.board().width() == self.board().height() { "ggf" } else { "obf" }
    }

    fn size(&self) -> (u8, u8) {
        (self.board().width(), self.board().height())
    }

    fn cells(&self) -> Vec<Option<Side>> {
        self.board().squares().map(|square| owner(self.discs(), square)).collect()
    }

    fn opponent(&self, terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        terms.refuse_name(Self::NAME)?;
        Ok(Box::new(SearchPlayer::new(terms.memory)?))
    }
}

impl Solvable for go::position::GoPosition {
    type Own<'a> = GoEngine<'a>;

    fn own<'a>(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> GoEngine<'a> {
        GoEngine::new(table, busy, monitor)
    }

    type Estimate = ();
    type Plies<'a> = NodeSearch<'a, Self>;

    fn plies<'a>(&self, (): &'a (), table: &'a Table, watch: &'a dyn Watch) -> NodeSearch<'a, Self> {
        NodeSearch::new(self.clone(), PARTS, table, None, watch)
    }

    fn ending(&self) -> Option<GameEnding> {
        nodes_of_board(self.board(), self.rules())
            .map(|nodes| GameEnding { plies: self.board().area().into(), nodes })
    }

    fn beyond_reach(&self) -> Option<BeyondReach> {
        BeyondReach::go(self)
    }

    fn shares_tables(&self, other: &Self) -> bool {
        (self.board(), self.rules()) == (other.board(), other.rules())
    }
}

impl Playable for go::position::GoPosition {
    const NAME: &'static str = "go";
    const HAS_SCORE: bool = true;

    fn text(&self) -> String {
        go::notation::to_line(self)
    }

    fn saved(&self, start: &Self, moves: &[Self::Move], tags: &GameTags<'_>) -> String {
        go::notation::to_sgf(start, moves, &tags.sgf(self, Self::HAS_SCORE))
    }

    fn saved_as(&self) -> &'static str {
        "sgf"
    }

    fn size(&self) -> (u8, u8) {
        (self.board().width(), self.board().height())
    }

    fn cells(&self) -> Vec<Option<Side>> {
        self.board().all().map(|point| owner(self.stones(), point)).collect()
    }

    fn opponent(&self, terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        terms.refuse_name(Self::NAME)?;
        Ok(Box::new(UctPlayer::new(terms.memory, 0)?))
    }
}

impl Solvable for GomokuPosition {
    type Own<'a> = GomokuEngine<'a>;

    fn own<'a>(table: &'a Table, busy: Option<&'a Busy>, monitor: &'a Monitor) -> GomokuEngine<'a> {
        GomokuEngine { table, busy, monitor, stats: Stats::default() }
    }

    type Estimate = ();
    type Plies<'a> = NodeSearch<'a, Self>;

    fn plies<'a>(&self, (): &'a (), table: &'a Table, watch: &'a dyn Watch) -> NodeSearch<'a, Self> {
        NodeSearch::new(self.clone(), PARTS, table, None, watch)
    }

    fn beyond_reach(&self) -> Option<BeyondReach> {
        BeyondReach::gomoku(self)
    }
}

impl Playable for GomokuPosition {
    const NAME: &'static str = "gomoku";

    fn known_worth(value: Value) -> Option<&'static str> {
        match value {
            PLANNED => Some("wins by a plan"),
            value if value == -PLANNED => Some("loses to a plan"),
            _ => None,
        }
    }

    fn text(&self) -> String {
        gomoku::notation::to_line(self)
    }

    fn saved(&self, start: &Self, moves: &[Self::Move], tags: &GameTags<'_>) -> String {
        let moves = moves.iter().map(|m| m.0).collect();
        let tags = tags.sgf(self, Self::HAS_SCORE);
        GomokuRecord { moves, ..GomokuRecord::from_position(start) }.to_sgf_with(&tags)
    }

    fn saved_as(&self) -> &'static str {
        "sgf"
    }

    fn size(&self) -> (u8, u8) {
        (self.board().width(), self.board().height())
    }

    fn fault(&self, m: Self::Move) -> Option<String> {
        self.check_move(m).err().map(|error| error.to_string())
    }

    fn cells(&self) -> Vec<Option<Side>> {
        self.board().points().map(|point| self.stone(point)).collect()
    }

    fn winning_stones(&self) -> Vec<String> {
        GomokuPosition::winning_stones(self).into_iter().map(|point| self.board().name(point)).collect()
    }

    fn opponent(&self, terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        let unknown = |name: &str| OpponentError::Name(Self::NAME, name.to_owned());
        let brain = terms.name.map(|name| GomokuBrain::named(name).ok_or_else(|| unknown(name))).transpose()?;
        let mut player = BrainPlayer::new(terms.memory)?;
        player.set_brain(brain.unwrap_or_default());
        player.usual.set_book(Some(OpeningBook::usual()));
        player.usual.set_threads(terms.threads, terms.together);
        player.prepare(self)?;
        Ok(Box::new(player))
    }
}

impl Playable for Swap2Game {
    const NAME: &'static str = <GomokuPosition as Playable>::NAME;

    fn known_worth(value: Value) -> Option<&'static str> {
        GomokuPosition::known_worth(value)
    }

    fn text(&self) -> String {
        self.position().text()
    }

    /// The game from its beginning, if no stone was put between the opening and `start`; else that position and the
    /// stones after it.
    fn saved(&self, start: &Self, moves: &[Self::Move], tags: &GameTags<'_>) -> String {
        // The tags name the players by who begins, as long as they choose their colours.
        let tags = &match self.opening().turn() {
            Swap2Turn::Agreed { black: Swap2Player::Opener } => *tags,
            Swap2Turn::Agreed { .. } => GameTags { black: tags.white, white: tags.black, ..*tags },
            _ => GameTags { black: "", white: "", ..*tags },
        };
        let stones = moves.iter().filter_map(|m| m.stone());
        let opening = start.opening().stones();
        if start.position().stones().count() > opening.len() {
            let moves: Vec<GomokuMove> = stones.map(GomokuMove).collect();
            return self.position().saved(start.position(), &moves, tags);
        }
        let stones: Vec<GomokuMove> = opening.iter().copied().chain(stones).map(GomokuMove).collect();
        self.record(&stones).to_sgf_with(&tags.sgf(self.position(), Self::HAS_SCORE))
    }

    fn saved_as(&self) -> &'static str {
        self.position().saved_as()
    }

    fn size(&self) -> (u8, u8) {
        Playable::size(self.position())
    }

    fn mover(&self) -> Side {
        if self.player() == Swap2Player::Opener { Side::First } else { Side::Second }
    }

    fn fault(&self, m: Self::Move) -> Option<String> {
        self.check_move(m).err().map(|error| error.to_string())
    }

    fn cells(&self) -> Vec<Option<Side>> {
        self.position().cells()
    }

    fn winning_stones(&self) -> Vec<String> {
        Playable::winning_stones(self.position())
    }

    fn opponent(&self, terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        let player = self.position().opponent(terms)?;
        Ok(Box::new(OpeningPlayer { player, seed: 0 }))
    }
}

impl Playable for go::large::position::LargePosition {
    const NAME: &'static str = "go";
    const HAS_SCORE: bool = true;

    fn text(&self) -> String {
        go::notation::to_line(self)
    }

    fn saved(&self, start: &Self, moves: &[Self::Move], tags: &GameTags<'_>) -> String {
        go::notation::to_sgf(start, moves, &tags.sgf(self, Self::HAS_SCORE))
    }

    fn saved_as(&self) -> &'static str {
        "sgf"
    }

    fn size(&self) -> (u8, u8) {
        (self.chains().size().width(), self.chains().size().height())
    }

    fn cells(&self) -> Vec<Option<Side>> {
        (0..self.chains().size().area()).map(|point| self.chains().colour(point)).collect()
    }

    fn opponent(&self, terms: &OpponentTerms<'_>) -> Result<Box<dyn Player<Self>>, OpponentError> {
        terms.refuse_name(Self::NAME)?;
        Ok(Box::new(UctPlayer::new(terms.memory, 0)?))
    }
}
