//! Programs of others on the other side of a match, and the protocol of each game.

use super::process::{RivalProcess, shown};
use crate::core::game::{Game, Side, Value};
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::RowRule;
use crate::games::reversi::ggf::{parse_move, to_ggf};
use crate::games::reversi::position::{ReversiMove, ReversiPosition};
use crate::solvers::matches::game::MatchGame;
use crate::solvers::matches::own::PerMove;
use anyhow::{Context, anyhow, bail, ensure};

/// A game that programs of others play by a protocol.
pub trait ProgramGame: MatchGame {
    /// Starts a program of others for a game from a position, to which these moves led from the empty board.
    ///
    /// # Errors
    /// It cannot be started, or does not take the board.
    fn start_program(
        path: &str,
        game: (&Self, &[Self::Move], Value),
        limit: PerMove,
    ) -> anyhow::Result<Box<dyn RivalProgram<Self>>>;
}

/// A program of others in a game.
pub trait RivalProgram<G: Game> {
    /// Its move; `last` is the move of the other side, if both have moved since the opening.
    ///
    /// # Errors
    /// Why there is none.
    fn choose(&mut self, position: &G, last: Option<G::Move>) -> anyhow::Result<G::Move>;
}

impl ProgramGame for GomokuPosition {
    fn start_program(
        path: &str,
        (position, _, _): (&Self, &[GomokuMove], Value),
        limit: PerMove,
    ) -> anyhow::Result<Box<dyn RivalProgram<Self>>> {
        Ok(Box::new(Brain::start(path, position, limit)?))
    }
}

/// A program that speaks the Gomocup protocol.
struct Brain {
    process: RivalProcess,
    has_board: bool,
}

/// Whether a line of such a program is an answer.
fn is_answer_of_brain(line: &str) -> bool {
    !(line.is_empty() || line.starts_with("MESSAGE") || line.starts_with("DEBUG"))
}

impl Brain {
    fn start(path: &str, position: &GomokuPosition, limit: PerMove) -> anyhow::Result<Brain> {
        let mut process = RivalProcess::start(path, limit.seconds, "END")?;
        let (board, rules) = (position.board(), position.rules());
        let begin = if board.width() == board.height() {
            format!("START {}", board.width())
        } else {
            format!("RECTSTART {},{}", board.width(), board.height())
        };
        let answer = process.ask(&begin, is_answer_of_brain)?;
        if answer != "OK" {
            bail!("{path} does not take the {board} board: {answer}");
        }
        let rule = match rules.rule() {
            RowRule::Free => 0,
            RowRule::Five => 1,
            RowRule::Renju => 4,
            RowRule::Caro => 9,
        };
        let milliseconds = (limit.seconds * 1000.0).max(1.0) as u64;
        let mut infos =
            format!("INFO timeout_turn {milliseconds}\nINFO timeout_match 0\nINFO time_left 2147483647\n");
        infos += &format!("INFO max_memory 0\nINFO game_type 1\nINFO rule {rule}");
        if let Some(nodes) = limit.nodes {
            infos += &format!("\nINFO max_node {nodes}");
        }
        process.say(&infos)?;
        Ok(Brain { process, has_board: false })
    }
}

impl RivalProgram<GomokuPosition> for Brain {
    fn choose(&mut self, position: &GomokuPosition, last: Option<GomokuMove>) -> anyhow::Result<GomokuMove> {
        let (board, side) = (position.board(), position.side());
        let place = |point: u16| {
            let (x, y) = board.place(point);
            format!("{x},{y}")
        };
        let answer = match last.filter(|_| self.has_board) {
            Some(last) => self.process.ask(&format!("TURN {}", place(last.0)), is_answer_of_brain)?,
            None => {
                // Black and white in turn, as they were played.
                let of = |colour: Side| position.stones().filter(move |stone| stone.1 == colour).map(|stone| stone.0);
                let (mut black, mut white) = (of(Side::First), of(Side::Second));
                let mut text = "BOARD\n".to_owned();
                loop {
                    let (one, other) = (black.next(), white.next());
                    if one.is_none() && other.is_none() {
                        break;
                    }
                    for (point, colour) in
                        one.map(|p| (p, Side::First)).into_iter().chain(other.map(|p| (p, Side::Second)))
                    {
                        text += &format!("{},{}\n", place(point), if colour == side { 1 } else { 2 });
                    }
                }
                self.has_board = true;
                self.process.ask(&(text + "DONE"), is_answer_of_brain)?
            }
        };
        let read = |text: &str| text.trim().parse::<u8>().ok();
        let point = answer.split_once(',').and_then(|(x, y)| board.point(read(x)?, read(y)?));
        point.map(GomokuMove).ok_or_else(|| anyhow!("the answer '{}' is not a point of the board", shown(&answer)))
    }
}

impl ProgramGame for ReversiPosition {
    fn start_program(
        path: &str,
        (position, _, _): (&Self, &[ReversiMove], Value),
        limit: PerMove,
    ) -> anyhow::Result<Box<dyn RivalProgram<Self>>> {
        let board = position.board();
        ensure!(board.width() == board.height(), "programs play Reversi on square boards, not on {board}");
        let mut process = RivalProcess::start(path, limit.seconds, "quit")?;
        let begin = format!("nboard 2\nset depth {NBOARD_DEPTH}\nping 1");
        let answer = process.ask(&begin, |line| line.starts_with("pong"));
        answer.with_context(|| format!("{path} does not speak the NBoard protocol"))?;
        Ok(Box::new(NboardProgram { process }))
    }
}

/// Plies that a program of the NBoard protocol is asked to see: its time cannot be said.
const NBOARD_DEPTH: u32 = 8;

/// A program that speaks the NBoard protocol. It is told the position before each move.
struct NboardProgram {
    process: RivalProcess,
}

impl RivalProgram<ReversiPosition> for NboardProgram {
    fn choose(&mut self, position: &ReversiPosition, _last: Option<ReversiMove>) -> anyhow::Result<ReversiMove> {
        let asked = format!("set game {}\ngo", to_ggf(position, &[]));
        let answer = self.process.ask(&asked, |line| line.starts_with("==="))?;
        let text = answer.trim_start_matches('=').trim();
        parse_move(position, text).ok_or_else(|| anyhow!("the answer '{}' is not a move", shown(&answer)))
    }
}

impl ProgramGame for LargePosition {
    fn start_program(
        path: &str,
        (position, moves, komi): (&Self, &[LargeMove], Value),
        limit: PerMove,
    ) -> anyhow::Result<Box<dyn RivalProgram<Self>>> {
        let size = position.size();
        ensure!(size.width() == size.height(), "programs play Go on square boards, not on {size}");
        let process = RivalProcess::start(path, limit.seconds, "quit")?;
        let mut program = GtpProgram { process };
        program.sound(&format!("boardsize {}", size.width()))?;
        program.sound("clear_board")?;
        program.sound(&format!("komi {:.1}", f64::from(komi) / 10.0))?;
        // One stone in so many seconds. Who does not know the command plays in the time that it likes.
        let _ = program.ask(&format!("time_settings 0 {} 1", limit.seconds.ceil().max(1.0)));
        let mut side = Side::First;
        for &m in moves {
            program.sound(&format!("play {} {}", colour(side), vertex(position, m)))?;
            side = side.other();
        }
        Ok(Box::new(program))
    }
}

/// A program that speaks the Go Text Protocol.
struct GtpProgram {
    process: RivalProcess,
}

fn colour(side: Side) -> &'static str {
    if side == Side::First { "black" } else { "white" }
}

fn vertex(position: &LargePosition, m: LargeMove) -> String {
    if m == LargeMove::PASS { "pass".to_owned() } else { position.name(m) }
}

impl GtpProgram {
    /// The answer to a command, from its = or ? on.
    fn ask(&mut self, command: &str) -> anyhow::Result<String> {
        self.process.ask(command, |line| line.starts_with(['=', '?']))
    }

    /// What a command that succeeds is answered.
    fn sound(&mut self, command: &str) -> anyhow::Result<String> {
        let answer = self.ask(command)?;
        let text = answer.strip_prefix('=').map(|text| text.trim().to_owned());
        text.ok_or_else(|| anyhow!("the program refuses '{command}': {}", shown(&answer)))
    }
}

impl RivalProgram<LargePosition> for GtpProgram {
    fn choose(&mut self, position: &LargePosition, last: Option<LargeMove>) -> anyhow::Result<LargeMove> {
        let side = position.side();
        if let Some(last) = last {
            self.sound(&format!("play {} {}", colour(side.other()), vertex(position, last)))?;
        }
        let answer = self.sound(&format!("genmove {}", colour(side)))?;
        ensure!(!answer.eq_ignore_ascii_case("resign"), "it resigns");
        let m = position.parse(&answer);
        m.ok_or_else(|| anyhow!("the answer '{}' is not a point of the board", shown(&answer)))
    }
}
