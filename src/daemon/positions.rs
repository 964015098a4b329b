//! Positions of two-player games for a person who plays: what is on the board, which move the machine makes, and what
//! the best moves are worth.

use super::kinds::PlayedFrom;
use super::solve_request::{self, OpenedGame};
use super::view::{
    AnalysedMoveView, AnalysisRequest, ChosenMoveView, MoveRequest, OpeningView, PositionAnalysisView,
    PositionRequest, PositionView, VERSION,
};
use crate::core::game::{Budget, Game, Level, Player, Side};
use crate::games::gomoku::swap2::Swap2Turn;
use crate::games::gomoku::swap2::game::Swap2Game;
use crate::games::tags::GameTags;
use crate::jobs::solve::Visitor;
use crate::runner::parallel::together;
use crate::solvers::gomoku::player::helpers::MOST_THREADS;
use crate::solvers::gomoku::player::opening::OpeningPlayer;
use crate::solvers::reach::BeyondReach;
use crate::solvers::solvable::{OpponentError, OpponentTerms, Playable, Solvable};
use serde_json::{Map, Value};
use std::time::Instant;

/// Bytes for the table of the player that chooses a move.
const MEMORY: u64 = 16 << 20;

/// Most seconds for a move, or for an analysis.
const MOST_SECONDS: f64 = 10.0;

/// Most moves that an analysis tells of.
const MOST_BEST: u16 = 100;

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
            play(&root, &[], moves, Some(G::beyond_reach), title)
        }
    }
    let PositionRequest { settings, moves, opening } = request;
    if let Some(name) = opening {
        return opened_position(solve_request::opened(settings, &name).map_err(NoPosition::Settings)?, moves);
    }
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(PlayVisitor(job.title.clone(), moves)),
        PlayedFrom::Large { title, root } => play(&*root, &[], moves, None, title),
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

/// The position after moves that were made `before` and these. If it can be solved, `beyond` says why a solution will
/// most likely not come to its end.
fn play<G: Playable>(
    start: &G,
    before: &[G::Move],
    moves: Vec<String>,
    beyond: Option<fn(&G) -> Option<BeyondReach>>,
    title: String,
) -> Result<PositionView, NoPosition> {
    let (position, legal, played) = after(&end(start, before), &moves)?;
    let all: Vec<G::Move> = before.iter().chain(&played).copied().collect();
    let (width, height) = position.size();
    let beyond_reach = beyond.filter(|_| !legal.is_empty()).and_then(|beyond| beyond(&position)).map(Into::into);
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
        solvable: beyond.is_some(),
        beyond_reach,
        moves,
        saved: position.saved(start, &all, &GameTags::NONE),
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
    let view = play(&start, &before, moves, Some(|game| game.position().beyond_reach()), title)?;
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

/// The move that the machine makes in a position. It takes about as long as the request says, or until `stop` says to
/// stop.
///
/// # Errors
/// If the settings, the moves, the level, the threads or the time are not valid, the game is over, or the machine
/// does not play this game.
pub fn chosen_move(request: MoveRequest, stop: &dyn Fn() -> bool) -> Result<ChosenMoveView, NoPosition> {
    let MoveRequest { settings, moves, opening, seed, brain, level, threads, seconds } = request;
    let level = Level::new(level).map_err(|error| NoPosition::Settings(error.to_string()))?;
    let opponent = Opponent::new(brain, level, threads, (seconds, stop))?;
    consult(Asked { settings, moves, opening, seed }, &opponent, Choice)
}

/// What the best moves of a position are worth. It takes about as long as the request says, or until `stop` says to
/// stop.
///
/// # Errors
/// As for [`chosen_move`], and if too few or too many moves are wanted.
pub fn analysis(request: AnalysisRequest, stop: &dyn Fn() -> bool) -> Result<PositionAnalysisView, NoPosition> {
    let AnalysisRequest { settings, moves, opening, best, threads, seconds } = request;
    if !(1..=MOST_BEST).contains(&best) {
        return Err(NoPosition::Settings(format!("best: expected 1 to {MOST_BEST}")));
    }
    let opponent = Opponent::new(None, Level::FULL, threads, (seconds, stop))?;
    consult(Asked { settings, moves, opening, seed: None }, &opponent, Analysis { best: best.into() })
}

/// The position that a player is asked about.
struct Asked {
    settings: Map<String, Value>,
    moves: Vec<String>,
    opening: Option<String>,
    /// Decides which stones of an opening are tried.
    seed: Option<u64>,
}

/// Who is asked, and what it may use.
struct Opponent<'s> {
    /// Its name, if it is not the usual one.
    brain: Option<String>,
    level: Level,
    threads: usize,
    seconds: f64,
    /// Says whether to stop before.
    stop: &'s dyn Fn() -> bool,
}

impl<'s> Opponent<'s> {
    /// An opponent with what a request says, if that can be.
    fn new(
        brain: Option<String>,
        level: Level,
        threads: u32,
        (seconds, stop): (f64, &'s dyn Fn() -> bool),
    ) -> Result<Opponent<'s>, NoPosition> {
        if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
            return Err(NoPosition::Settings(format!("seconds: expected more than 0, at most {MOST_SECONDS}")));
        }
        let threads = usize::try_from(threads).unwrap_or(usize::MAX);
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(NoPosition::Settings(format!("threads: expected 1 to {MOST_THREADS}")));
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Opponent { brain, level, threads: threads.min(processors), seconds, stop })
    }

    /// Who plays from a position.
    fn player<G: Playable>(&self, position: &G) -> Result<Box<dyn Player<G>>, OpponentError> {
        let (name, threads) = (self.brain.as_deref(), self.threads);
        let mut player = position.opponent(&OpponentTerms { name, memory: MEMORY, threads, together })?;
        player.set_level(self.level);
        Ok(player)
    }
}

/// What a player is asked in a position.
trait Consultation {
    /// What is answered.
    type Answer;

    /// The answer, which takes until the time of the budget is used up, or less; nothing if the game is over.
    fn ask<G: Playable>(
        self,
        position: &G,
        player: &mut dyn Player<G>,
        budget: &mut Budget<'_>,
        began: Instant,
    ) -> Option<Self::Answer>;
}

/// Asks a player about a position.
fn consult<C: Consultation>(asked: Asked, opponent: &Opponent<'_>, question: C) -> Result<C::Answer, NoPosition> {
    struct AskVisitor<'o, C>(Vec<String>, &'o Opponent<'o>, C);
    impl<C: Consultation> Visitor for AskVisitor<'_, C> {
        type Out = Result<C::Answer, NoPosition>;
        fn visit<G: Solvable>(self, root: G) -> Self::Out {
            let AskVisitor(moves, opponent, question) = self;
            ask(&root, &moves, opponent, question, |position| opponent.player(position))
        }
    }
    let Asked { settings, moves, opening, seed } = asked;
    if let Some(name) = opening {
        let OpenedGame { start, moves: before, .. } =
            solve_request::opened(settings, &name).map_err(NoPosition::Settings)?;
        let seed = seed.unwrap_or_else(rand::random);
        let player = |game: &Swap2Game| -> Result<Box<dyn Player<Swap2Game>>, OpponentError> {
            Ok(Box::new(OpeningPlayer { seed, player: opponent.player(game.position())? }))
        };
        return ask(&end(&start, &before), &moves, opponent, question, player);
    }
    match solve_request::start(settings).map_err(NoPosition::Settings)? {
        PlayedFrom::Solvable(job) => job.visit(AskVisitor(moves, opponent, question)),
        PlayedFrom::Large { root, .. } => {
            ask(&*root, &moves, opponent, question, |position| opponent.player(position))
        }
    }
}

/// Asks a player about the position after these moves.
fn ask<G: Playable, C: Consultation>(
    root: &G,
    moves: &[String],
    opponent: &Opponent<'_>,
    question: C,
    player: impl FnOnce(&G) -> Result<Box<dyn Player<G>>, OpponentError>,
) -> Result<C::Answer, NoPosition> {
    let (position, ..) = after(root, moves)?;
    let began = Instant::now();
    let mut player = player(&position).map_err(|error| NoPosition::NoOpponent(error.to_string()))?;
    let mut used = || if (opponent.stop)() { 1.0 } else { began.elapsed().as_secs_f64() / opponent.seconds };
    let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut used };
    question.ask(&position, &mut *player, &mut budget, began).ok_or(NoPosition::Over)
}

/// Seconds since a moment, in thousandths.
fn seconds_since(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0
}

/// Asks for a move.
struct Choice;

impl Consultation for Choice {
    type Answer = ChosenMoveView;

    fn ask<G: Playable>(
        self,
        position: &G,
        player: &mut dyn Player<G>,
        budget: &mut Budget<'_>,
        began: Instant,
    ) -> Option<ChosenMoveView> {
        let chosen = player.choose(position, budget, &mut |_| {})?;
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
        Some(ChosenMoveView {
            v: VERSION,
            game: G::NAME.to_owned(),
            side: side(position),
            line,
            own: own as u32,
            value: chosen.value,
            decided_in: chosen.decided_in,
            known: G::known_worth(chosen.value).map(str::to_owned),
            depth: chosen.depth,
            nodes: chosen.nodes,
            seconds: seconds_since(began),
        })
    }
}

/// Asks for the values of the best moves.
struct Analysis {
    best: usize,
}

impl Consultation for Analysis {
    type Answer = PositionAnalysisView;

    fn ask<G: Playable>(
        self,
        position: &G,
        player: &mut dyn Player<G>,
        budget: &mut Budget<'_>,
        began: Instant,
    ) -> Option<PositionAnalysisView> {
        let found = player.analyse(position, self.best, budget, &mut |_| {});
        let moves: Vec<AnalysedMoveView> =
            found.iter().map(|chosen| AnalysedMoveView::of(position, chosen)).collect();
        (!moves.is_empty()).then(|| PositionAnalysisView {
            v: VERSION,
            game: G::NAME.to_owned(),
            side: side(position),
            moves,
            seconds: seconds_since(began),
        })
    }
}
