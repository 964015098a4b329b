//! Positions of two-player games for a person who plays: what is on the board, and which move the machine makes.

use super::kinds::PlayedFrom;
use super::solve_request;
use super::view::{ChosenMoveView, MoveRequest, PositionRequest, PositionView, VERSION};
use crate::core::game::{Budget, Game, Level, Side};
use crate::jobs::solve::Visitor;
use crate::solvers::solvable::{Playable, Solvable};
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
            play(root, true, title, moves)
        }
    }
    let PositionRequest { settings, moves } = request;
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(PlayVisitor(job.title.clone(), moves)),
        PlayedFrom::Large { title, root } => play(*root, false, title, moves),
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
            return Err(why("is not legal here"));
        }
        position.play(m);
        played.push(m);
    }
    legal.clear();
    position.moves(&mut legal);
    Ok((position, legal, played))
}

fn play<G: Playable>(root: G, solvable: bool, title: String, moves: Vec<String>) -> Result<PositionView, NoPosition> {
    let (position, legal, played) = after(&root, &moves)?;
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
        legal: legal.into_iter().map(|m| position.name(m)).collect(),
        solvable,
        moves,
        saved: position.saved(&root, &played),
        saved_as: position.saved_as().to_owned(),
    })
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
            choose(root, &self.0, &self.1)
        }
    }
    let MoveRequest { settings, moves, brain, level, seconds } = request;
    let level = Level::new(level).map_err(|error| NoPosition::Settings(error.to_string()))?;
    if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
        return Err(NoPosition::Settings(format!("seconds: expected more than 0, at most {MOST_SECONDS}")));
    }
    let opponent = Opponent { brain, level, seconds };
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(MoveVisitor(moves, opponent)),
        PlayedFrom::Large { root, .. } => choose(*root, &moves, &opponent),
    }
}

/// Who makes the move, and how.
struct Opponent {
    /// Its name, if it is not the usual one.
    brain: Option<String>,
    level: Level,
    seconds: f64,
}

fn choose<G: Playable>(root: G, moves: &[String], opponent: &Opponent) -> Result<ChosenMoveView, NoPosition> {
    let (position, ..) = after(&root, moves)?;
    let began = Instant::now();
    let player = match &opponent.brain {
        Some(name) => position.opponent_named(name, MEMORY),
        None => position.opponent(MEMORY),
    };
    let mut player = player.map_err(|error| NoPosition::NoOpponent(error.to_string()))?;
    player.set_level(opponent.level);
    let mut used = || began.elapsed().as_secs_f64() / opponent.seconds;
    let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut used };
    let chosen = player.choose(&position, &mut budget, &mut |_| {}).ok_or(NoPosition::Over)?;
    let mut line = Vec::with_capacity(chosen.line.len());
    let mut ahead = position.clone();
    for &m in &chosen.line {
        line.push(ahead.name(m));
        ahead.play(m);
    }
    Ok(ChosenMoveView {
        v: VERSION,
        game: G::NAME.to_owned(),
        side: side(&position),
        line,
        value: chosen.value,
        decided_in: chosen.decided_in,
        depth: chosen.depth,
        nodes: chosen.nodes,
        seconds: (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
    })
}
