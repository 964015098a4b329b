//! Positions of two-player games for a person who plays: what is on the board, and which move the machine makes.

use super::kinds::PlayedFrom;
use super::solve_request::{self, OpenedGame};
use super::view::{ChosenMoveView, MoveRequest, OpeningView, PositionRequest, PositionView, VERSION};
use crate::core::game::{Budget, Game, Level, Player, Side};
use crate::games::gomoku::swap2::Swap2Turn;
use crate::games::gomoku::swap2::game::Swap2Game;
use crate::jobs::solve::Visitor;
use crate::solvers::gomoku::player::opening::OpeningPlayer;
use crate::solvers::solvable::{OpponentError, Playable, Solvable};
use std::time::Instant;

/// Bytes for the table of the player that chooses a move.
const MEMORY: u64 = 16 << 20;

/// Most seconds for a move.
const MOST_SECONDS: f64 = 10.0;

/// The cells by rows: `X` black, `O` white, `.` empty.
pub fn cells<G: Playable>(position: &G) -> String {
    let symbol = |cell: Option<Side>| match cell {
        Some(Side::First) => 'X',
        Some(Side::Second) => 'O',
        None => '.',
    };
    position.cells().into_iter().map(symbol).collect()
}

/// The side to move.
pub fn side<G: Playable>(position: &G) -> String {
    if position.side() == Side::First { "black" } else { "white" }.to_owned()
}

/// Why a position cannot be shown.
#[derive(Debug, PartialEq, Eq)]
pub enum NoPosition {
    /// The settings are not valid.
    Settings(String),
    /// A move cannot be read, or is not legal: its number, from 1, and why.
    Move(usize, String),
    /// The game is over, so nobody moves.
    Over,
    /// The machine does not play this game, board or rule.
    NoOpponent(String),
}

/// The position of the settings of a solver job, after some moves. Its board may be too large to be solved.
///
/// # Errors
/// If the settings or the moves are not valid.
pub fn position(request: PositionRequest) -> Result<PositionView, NoPosition> {
    struct PlayVisitor(String, Vec<String>);
    impl Visitor for PlayVisitor {
        type Out = Result<PositionView, NoPosition>;
        fn visit<G: Solvable>(self, root: G) -> Self::Out {
            let PlayVisitor(title, moves) = self;
            play(&root, &[], moves, true, title)
        }
    }
    let PositionRequest { settings, moves, opening } = request;
    if let Some(name) = opening {
        return opened_position(solve_request::opened(settings, &name).map_err(NoPosition::Settings)?, moves);
    }
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(PlayVisitor(job.title.clone(), moves)),
        PlayedFrom::Large { title, root } => play(&*root, &[], moves, false, title),
    }
}

/// A position, its legal moves, and the moves that lead to it.
type Reached<G> = (G, Vec<<G as Game>::Move>, Vec<<G as Game>::Move>);

/// The position after these moves.
fn after<G: Playable>(root: &G, moves: &[String]) -> Result<Reached<G>, NoPosition> {
    let (mut position, mut legal, mut played) = (root.clone(), Vec::new(), Vec::new());
    for (number, name) in (1..).zip(moves) {
        legal.clear();
        position.moves(&mut legal);
        let why = |what: &str| NoPosition::Move(number, format!("move {number}: {name:?} {what}"));
        let m = position.parse(name).ok_or_else(|| why("is not a move on this board"))?;
        if !legal.contains(&m) {
            let fault = position.fault(m).map_or(String::new(), |fault| format!(": {fault}"));
            return Err(why(&format!("is not legal here{fault}")));
        }
        position.play(m);
        played.push(m);
    }
    legal.clear();
    position.moves(&mut legal);
    Ok((position, legal, played))
}

/// The position after moves that were made `before` and these.
fn play<G: Playable>(
    start: &G,
    before: &[G::Move],
    moves: Vec<String>,
    solvable: bool,
    title: String,
) -> Result<PositionView, NoPosition> {
    let (position, legal, played) = after(&end(start, before), &moves)?;
    let all: Vec<G::Move> = before.iter().chain(&played).copied().collect();
    let (width, height) = position.size();
    Ok(PositionView {
        v: VERSION,
        game: G::NAME.to_owned(),
        title,
        width: width.into(),
        height: height.into(),
        cells: cells(&position),
        position: position.text(),
        side: side(&position),
        outcome: legal.is_empty().then(|| points::<G>(position.outcome())),
        won: position.winning_stones(),
        legal: legal.into_iter().map(|m| position.name(m)).collect(),
        solvable,
        moves,
        saved: position.saved(start, &all),
        saved_as: position.saved_as().to_owned(),
        opening: None,
    })
}

/// The position after legal moves.
fn end<G: Playable>(start: &G, moves: &[G::Move]) -> G {
    let mut position = start.clone();
    moves.iter().for_each(|&m| {
        position.play(m);
    });
    position
}

/// The position of a game that begins with an opening, and how far that has come.
fn opened_position(game: OpenedGame, moves: Vec<String>) -> Result<PositionView, NoPosition> {
    let OpenedGame { title, start, moves: before } = game;
    let view = play(&start, &before, moves, true, title)?;
    let mut position = end(&start, &before);
    let mut players = vec![position.player().name().to_owned()];
    for m in view.moves.iter().filter_map(|name| start.parse(name)) {
        position.play(m);
        players.push(position.player().name().to_owned());
    }
    let (turn, black) = match position.opening().turn() {
        Swap2Turn::Place { .. } => ("place", None),
        Swap2Turn::Choose { .. } => ("choose", None),
        Swap2Turn::Agreed { black } => ("play", Some(black.name().to_owned())),
    };
    let to_place = position.opening().to_place() as u32;
    Ok(PositionView { opening: Some(OpeningView { turn: turn.to_owned(), players, to_place, black }), ..view })
}

/// A value in points. Values of finished games and bounds made from them are whole points.
pub fn points<G: Game>(value: i32) -> i32 {
    value / G::POINT
}

/// The move that the machine makes in a position. It takes about as long as the request says.
///
/// # Errors
/// If the settings, the moves, the level or the time are not valid, or the machine does not play this game.
pub fn chosen_move(request: MoveRequest) -> Result<ChosenMoveView, NoPosition> {
    struct MoveVisitor(Vec<String>, Opponent);
    impl Visitor for MoveVisitor {
        type Out = Result<ChosenMoveView, NoPosition>;
        fn visit<G: Solvable>(self, root: G) -> Self::Out {
            choose(&root, &self.0, &self.1, |position| self.1.player(position))
        }
    }
    let MoveRequest { settings, moves, opening, seed, brain, level, seconds } = request;
    let level = Level::new(level).map_err(|error| NoPosition::Settings(error.to_string()))?;
    if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
        return Err(NoPosition::Settings(format!("seconds: expected more than 0, at most {MOST_SECONDS}")));
    }
    let opponent = Opponent { brain, level, seconds };
    if let Some(name) = opening {
        let OpenedGame { start, moves: before, .. } =
            solve_request::opened(settings, &name).map_err(NoPosition::Settings)?;
        let seed = seed.unwrap_or_else(rand::random);
        let player = |game: &Swap2Game| -> Result<Box<dyn Player<Swap2Game>>, OpponentError> {
            Ok(Box::new(OpeningPlayer { seed, player: opponent.player(game.position())? }))
        };
        return choose(&end(&start, &before), &moves, &opponent, player);
    }
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(MoveVisitor(moves, opponent)),
        PlayedFrom::Large { root, .. } => choose(&*root, &moves, &opponent, |position| opponent.player(position)),
    }
}

/// Who makes the move, and how.
struct Opponent {
    /// Its name, if it is not the usual one.
    brain: Option<String>,
    level: Level,
    seconds: f64,
}

impl Opponent {
    /// Who plays from a position.
    fn player<G: Playable>(&self, position: &G) -> Result<Box<dyn Player<G>>, OpponentError> {
        match &self.brain {
            Some(name) => position.opponent_named(name, MEMORY),
            None => position.opponent(MEMORY),
        }
    }
}

fn choose<G: Playable>(
    root: &G,
    moves: &[String],
    opponent: &Opponent,
    player: impl FnOnce(&G) -> Result<Box<dyn Player<G>>, OpponentError>,
) -> Result<ChosenMoveView, NoPosition> {
    let (position, ..) = after(root, moves)?;
    let began = Instant::now();
    let mut player = player(&position).map_err(|error| NoPosition::NoOpponent(error.to_string()))?;
    player.set_level(opponent.level);
    let mut used = || began.elapsed().as_secs_f64() / opponent.seconds;
    let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut used };
    let chosen = player.choose(&position, &mut budget, &mut |_| {}).ok_or(NoPosition::Over)?;
    let mut line = Vec::with_capacity(chosen.line.len());
    let (mut ahead, mut own) = (position.clone(), 0);
    for &m in &chosen.line {
        // Those before it are the machine's own, too.
        if own == line.len() && ahead.mover() == position.mover() {
            own += 1;
        }
        line.push(ahead.name(m));
        ahead.play(m);
    }
    Ok(ChosenMoveView {
        v: VERSION,
        game: G::NAME.to_owned(),
        side: side(&position),
        line,
        own: own as u32,
        value: chosen.value,
        decided_in: chosen.decided_in,
        known: G::known_worth(chosen.value).map(str::to_owned),
        depth: chosen.depth,
        nodes: chosen.nodes,
        seconds: (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    })
}
