//! A game under the Gomocup protocol, line by line: the position, what the manager has said about time, and answers.

use super::command::{BrainCommand, BrainLineError, StoneLine, parse, parse_stone, shown};
use super::limits::BrainLimits;
use crate::cli::lines::{Flow, Interrupted, Interruption, LineSession};
use crate::cli::player_flags::threads;
use crate::core::game::{Budget, Chosen, Game, Level, Player, Side};
use crate::games::gomoku::board::{GREATEST, GomokuBoard};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::rules::{GomokuRules, RowRule, USUAL_ROW};
use crate::games::gomoku::swap2::game::Swap2Move;
use crate::games::gomoku::swap2::{Swap2, Swap2Choice};
use crate::runner::parallel::together;
use crate::solvers::gomoku::brain::{BrainPlayer, GomokuBrain};
use crate::solvers::gomoku::player::opening::choose_opening;
use std::io::{self, Write};
use std::time::Instant;

/// Least number of rows of a board.
const LEAST: u8 = 5;
/// Most lines of a board that are kept.
const MOST_STONES: usize = GREATEST as usize * GREATEST as usize;
/// Least memory of the table, and the part of the manager's limit that it gets.
const LEAST_MEMORY: u64 = 1 << 20;
const PART_OF_MEMORY: u64 = 2;

/// What the lines that are read belong to.
#[derive(Debug)]
enum BrainReading {
    Commands,
    /// Stones of a board, or why it will be refused.
    Board {
        answers: bool,
        stones: Vec<StoneLine>,
        refused: Option<BrainLineError>,
    },
    Opening {
        stones: Vec<StoneLine>,
        refused: Option<BrainLineError>,
    },
}

/// A game with a manager.
#[derive(Debug)]
pub struct BrainSession {
    player: BrainPlayer,
    memory: u64,
    position: Option<GomokuPosition>,
    rule: RowRule,
    limits: BrainLimits,
    level: Level,
    reading: BrainReading,
    seed: u64,
    /// Whether it thinks while the other side does.
    pondering: bool,
    /// The position that it thinks about then: that after the reply that it expects.
    expected: Option<GomokuPosition>,
}

fn error(text: impl Into<String>) -> BrainLineError {
    BrainLineError::Bad(text.into())
}

impl BrainSession {
    /// A session before its first command, of a player with so much memory at most.
    pub fn new((mut player, memory): (BrainPlayer, u64), rule: RowRule, level: Level, seed: u64) -> BrainSession {
        player.set_level(level);
        let (limits, reading) = (BrainLimits::default(), BrainReading::Commands);
        let (position, pondering, expected) = (None, false, None);
        BrainSession { player, memory, position, rule, limits, level, reading, seed, pondering, expected }
    }

    /// Lets it think while the other side does, or not. Before the first call it does not.
    pub fn set_pondering(&mut self, pondering: bool) {
        self.pondering = pondering;
    }

    fn command(
        &mut self,
        command: BrainCommand,
        began: Instant,
        stop: Interrupted<'_>,
    ) -> Result<BrainAnswer, BrainLineError> {
        match command {
            BrainCommand::Start(width, height) => {
                let side = |size: u64| u8::try_from(size).ok().filter(|size| (LEAST..=GREATEST).contains(size));
                let board = side(width).zip(side(height)).and_then(|(w, h)| GomokuBoard::new(w, h).ok());
                let board = board.ok_or_else(|| {
                    error(format!(
                        "the board cannot be {width}x{height}: it has {LEAST} to {GREATEST} rows and columns"
                    ))
                })?;
                self.begin(board)?;
                Ok(BrainAnswer::line("OK"))
            }
            BrainCommand::Restart => {
                let board = self.position()?.board();
                self.begin(board)?;
                Ok(BrainAnswer::line("OK"))
            }
            BrainCommand::Begin => {
                if self.position()?.stones().next().is_some() {
                    return Err(error("BEGIN is for an empty board: RESTART begins another game"));
                }
                self.answer_move(began, stop)
            }
            BrainCommand::Turn(x, y) => {
                self.play(x, y)?;
                self.answer_move(began, stop)
            }
            BrainCommand::Play(x, y) => {
                self.play(x, y)?;
                Ok(BrainAnswer::line(format!("{x},{y}")))
            }
            BrainCommand::TakeBack(x, y) => {
                self.take_back(x, y)?;
                Ok(BrainAnswer::line("OK"))
            }
            BrainCommand::Board { answers } => {
                self.position()?;
                self.reading = BrainReading::Board { answers, stones: Vec::new(), refused: None };
                Ok(BrainAnswer::none())
            }
            BrainCommand::Swap2Board => {
                self.position()?;
                self.reading = BrainReading::Opening { stones: Vec::new(), refused: None };
                Ok(BrainAnswer::none())
            }
            BrainCommand::Info(key, value) => Ok(self.info(&key, &value)),
            BrainCommand::About => Ok(BrainAnswer::line(format!(
                "name=\"morpion\", version=\"{}\", author=\"the authors of morpion\", country=\"\"",
                env!("CARGO_PKG_VERSION")
            ))),
            BrainCommand::End => Ok(BrainAnswer { lines: Vec::new(), flow: Flow::End }),
            // Nothing is searched now.
            BrainCommand::Stop => Ok(BrainAnswer::none()),
            BrainCommand::ShowForbidden => {
                let position = self.position()?;
                let board = position.board();
                let empty = board.points().filter(|&point| position.stone(point).is_none());
                let forbidden = empty.filter(|&point| position.is_forbidden(point)).map(|point| {
                    let (x, y) = board.place(point);
                    format!("{y:02}{x:02}")
                });
                Ok(BrainAnswer::line(format!("FORBID {}.", forbidden.collect::<String>())))
            }
        }
    }

    fn position(&self) -> Result<&GomokuPosition, BrainLineError> {
        self.position.as_ref().ok_or_else(|| error("there is no board yet: START comes first"))
    }

    fn rules(&self) -> Result<GomokuRules, BrainLineError> {
        GomokuRules::new(self.rule, USUAL_ROW).map_err(|reason| error(reason.to_string()))
    }

    /// A new game.
    fn begin(&mut self, board: GomokuBoard) -> Result<(), BrainLineError> {
        let position = GomokuPosition::new(board, self.rules()?);
        self.player.forget();
        self.player.prepare(&position).map_err(|reason| error(reason.to_string()))?;
        (self.position, self.expected) = (Some(position), None);
        Ok(())
    }

    /// The point of a place on the board.
    fn point(&self, (x, y): (u64, u64)) -> Result<u16, BrainLineError> {
        let board = self.position()?.board();
        let on_board = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| board.point(x, y));
        on_board.ok_or_else(|| error(format!("{x},{y} is outside the {board} board")))
    }

    /// A move of the side to move. An illegal one changes nothing.
    fn play(&mut self, x: u64, y: u64) -> Result<(), BrainLineError> {
        let m = GomokuMove(self.point((x, y))?);
        let Some(position) = &mut self.position else { return Err(error("there is no board yet")) };
        position.check_move(m).map_err(|reason| error(format!("{x},{y} cannot be played: {reason}")))?;
        position.play(m);
        self.expected = None;
        Ok(())
    }

    fn take_back(&mut self, x: u64, y: u64) -> Result<(), BrainLineError> {
        let point = self.point((x, y))?;
        let position = self.position()?;
        let Some(colour) = position.stone(point) else {
            return Err(error(format!("there is no stone at {x},{y} to take back")));
        };
        let stones: Vec<(u16, Side)> = position.stones().filter(|&(at, _)| at != point).collect();
        self.replace(&stones, colour)
    }

    /// The position with these stones on the same board.
    fn replace(&mut self, stones: &[(u16, Side)], side: Side) -> Result<(), BrainLineError> {
        let (board, rules) = (self.position()?.board(), self.rules()?);
        let position = GomokuPosition::from_stones(board, rules, stones, side);
        self.position = Some(position.map_err(|reason| error(reason.to_string()))?);
        self.expected = None;
        Ok(())
    }

    /// The position of a board with the brain to move. A board that cannot be leaves the old one.
    fn set_up(&mut self, lines: &[StoneLine]) -> Result<(), BrainLineError> {
        let count = |whose| lines.iter().filter(|line| line.whose == Some(whose)).count();
        let (own, theirs) = (count(1), count(2));
        if let Some(line) = lines.iter().find(|line| !matches!(line.whose, Some(1 | 2))) {
            let (x, y) = line.place;
            return Err(error(format!(
                "whose stone lies at {x},{y} is to be said: 1 the brain's, 2 the other side's"
            )));
        }
        // Black has begun: who has more stones, or as many when it is its turn.
        let brain = if theirs > own { Side::Second } else { Side::First };
        let stones = lines.iter().map(|line| {
            let colour = if line.whose == Some(1) { brain } else { brain.other() };
            Ok((self.point(line.place)?, colour))
        });
        let stones: Vec<(u16, Side)> = stones.collect::<Result<_, BrainLineError>>()?;
        self.replace(&stones, brain)
    }

    /// Searches a move for the side to move, and makes it.
    fn answer_move(&mut self, began: Instant, stop: Interrupted<'_>) -> Result<BrainAnswer, BrainLineError> {
        let empty = self.position()?.empty();
        let Some(position) = &mut self.position else { return Err(error("there is no board yet")) };
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            return Err(error(match position.winner() {
                Some(_) => "the game is over: a row has won",
                None => "there is no move left",
            }));
        }
        let limits = self.limits;
        let whole = limits.for_a_move(empty);
        let mut time = || if stop() { 1.0 } else { began.elapsed().as_secs_f64() / whole.seconds };
        let mut budget = Budget { depth: limits.depth, nodes: whole.nodes, time: &mut time };
        let chosen = self.player.choose(position, &mut budget, &mut |_| {});
        let first = chosen.as_ref().and_then(|chosen| chosen.line.first().copied());
        let m = first.filter(|&m| position.check_move(m).is_ok()).unwrap_or(moves[0]);
        let (x, y) = position.board().place(m.0);
        let mut lines: Vec<String> = chosen.iter().map(|chosen| message(position, chosen, began)).collect();
        position.play(m);
        let reply = chosen.and_then(|chosen| chosen.line.get(1).copied().filter(|_| first == Some(m)));
        self.expected = Some(position.clone()).filter(|_| position.winner().is_none());
        if let (Some(expected), Some(reply)) = (&mut self.expected, reply)
            && expected.check_move(reply).is_ok()
        {
            expected.play(reply);
        }
        lines.push(format!("{x},{y}"));
        Ok(BrainAnswer { lines, flow: Flow::Continue })
    }

    fn answer_opening(
        &mut self,
        lines: &[StoneLine],
        began: Instant,
        stop: Interrupted<'_>,
    ) -> Result<BrainAnswer, BrainLineError> {
        let (board, rules) = (self.position()?.board(), self.rules()?);
        let mut swap = Swap2::new(board);
        if !matches!(lines.len(), 0 | 3 | 5) {
            return Err(error(format!("an opening by Swap2 has 0, 3 or 5 stones, not {}", lines.len())));
        }
        for (n, line) in lines.iter().enumerate() {
            let point = self.point(line.place)?;
            if n == 3 {
                swap.choose(Swap2Choice::Add).map_err(|e| error(e.to_string()))?;
            }
            let (x, y) = line.place;
            swap.place(point).map_err(|reason| error(format!("{x},{y}: {reason}")))?;
        }
        let limits = self.limits;
        let whole = limits.for_a_move(board.area());
        let mut time = || if stop() { 1.0 } else { began.elapsed().as_secs_f64() / whole.seconds };
        let mut budget = Budget { depth: limits.depth, nodes: whole.nodes, time: &mut time };
        let chosen = choose_opening(&mut self.player.usual, &swap, (board, rules), self.seed, &mut budget);
        let name = |point: u16| {
            let (x, y) = board.place(point);
            format!("{x},{y}")
        };
        // What follows is played on these stones.
        let mut position =
            swap.position(rules).map_err(|reason| error(format!("the opening is not a position: {reason}")))?;
        let line = chosen.map_or_else(Vec::new, |chosen| chosen.line);
        let text = match line[..] {
            [] => return Err(error("there is nothing to choose in this opening")),
            [Swap2Move::Stone(_), ..] => {
                let stones: Vec<u16> = line.iter().filter_map(|m| m.stone()).collect();
                stones.iter().for_each(|&point| {
                    position.play(GomokuMove(point));
                });
                stones.into_iter().map(name).collect::<Vec<_>>().join(" ")
            }
            [Swap2Move::Choice(Swap2Choice::Colour(Side::Second)), Swap2Move::Stone(point), ..] => {
                position.play(GomokuMove(point));
                name(point)
            }
            [Swap2Move::Choice(_), ..] => "SWAP".to_owned(),
        };
        self.position = Some(position);
        Ok(BrainAnswer::line(text))
    }

    /// Takes in what the manager says. There is no answer, but a message if it means nothing.
    fn info(&mut self, key: &str, value: &str) -> BrainAnswer {
        let told = match key {
            "rule" => self.set_rule(value),
            "max_memory" => number(value).and_then(|bytes| match bytes {
                0 => Ok(()),
                bytes => self.set_memory(bytes / PART_OF_MEMORY),
            }),
            // Yixin's, in kibibytes.
            "hash_size" => number(value).and_then(|kib| self.set_memory(kib.saturating_mul(1024))),
            // Yixin's, too.
            "pondering" => number(value).map(|on| self.pondering = on > 0),
            "thread_num" => threads(value).map(|number| self.player.usual.set_threads(number, together)),
            "strength" => number(value).map(|percent| {
                let level = Level::new((percent.min(100) / 10).max(1) as u8).unwrap_or(Level::FULL);
                self.level = level;
                self.player.set_level(level);
            }),
            _ => self.limits.set(key, value),
        };
        match told {
            Ok(()) => BrainAnswer::none(),
            Err(why) => BrainAnswer::line(format!("MESSAGE INFO {} has no effect: {why}", shown(key))),
        }
    }

    fn set_rule(&mut self, value: &str) -> Result<(), String> {
        // Bit 2 asks for games that go on after a row: nothing else changes for a brain.
        let rule = match number(value)? & !2 {
            0 => RowRule::Free,
            1 => RowRule::Five,
            4 => RowRule::Renju,
            8 | 9 => RowRule::Caro,
            _ => return Err(format!("there is no rule {}: 0, 1, 4, 8 or 9", shown(value))),
        };
        if rule == self.rule {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.rule, rule);
        let Some(position) = &self.position else { return Ok(()) };
        let (stones, side): (Vec<_>, _) = (position.stones().collect(), position.side());
        let done = self.replace(&stones, side).map_err(|reason| reason.to_string());
        if done.is_err() {
            self.rule = before;
        } else if let Some(position) = &self.position {
            self.player.prepare(position).map_err(|reason| reason.to_string())?;
        }
        done
    }

    /// A table of another size.
    fn set_memory(&mut self, bytes: u64) -> Result<(), String> {
        let bytes = bytes.max(LEAST_MEMORY).min(self.memory);
        self.player.usual.set_memory(bytes).map_err(|reason| reason.to_string())
    }
}

impl LineSession for BrainSession {
    const LONGEST: usize = 4096;

    fn interruption(line: &str) -> Interruption {
        match line.trim() {
            word if word.eq_ignore_ascii_case("YXSTOP") || word.eq_ignore_ascii_case("STOP") => Interruption::Stop,
            word if word.eq_ignore_ascii_case("END") => Interruption::StopFirst,
            _ => Interruption::None,
        }
    }

    fn line(&mut self, line: &str, stop: Interrupted<'_>, out: &mut dyn Write) -> io::Result<Flow> {
        let began = Instant::now();
        match std::mem::replace(&mut self.reading, BrainReading::Commands) {
            BrainReading::Commands if line.trim().is_empty() => Ok(Flow::Continue),
            BrainReading::Commands => {
                let done = parse(line).and_then(|command| self.command(command, began, stop));
                answer(done, out)
            }
            BrainReading::Board { answers, mut stones, mut refused } => {
                match collect(line, &mut stones, &mut refused) {
                    true => {
                        self.reading = BrainReading::Board { answers, stones, refused };
                        Ok(Flow::Continue)
                    }
                    false => {
                        let before = self.position.clone();
                        let set_up = refused.map_or(Ok(()), Err).and_then(|()| self.set_up(&stones));
                        let done = set_up.and_then(|()| match answers {
                            true => self.answer_move(began, stop),
                            false => Ok(BrainAnswer::none()),
                        });
                        if done.is_err() {
                            self.position = before;
                        }
                        answer(done, out)
                    }
                }
            }
            BrainReading::Opening { mut stones, mut refused } => match collect(line, &mut stones, &mut refused) {
                true => {
                    self.reading = BrainReading::Opening { stones, refused };
                    Ok(Flow::Continue)
                }
                false => {
                    let done = refused.map_or(Ok(()), Err).and_then(|()| self.answer_opening(&stones, began, stop));
                    answer(done, out)
                }
            },
        }
    }

    /// Thinks about the position after the expected reply, if it may. What it finds is in its table then. Without an
    /// expected reply it thinks about the other side's moves.
    fn idle(&mut self, interrupted: Interrupted<'_>) {
        // A weaker level sees so many plies, and would see more with what is in the table. The player of patterns has
        // no table.
        if !self.pondering || self.level != Level::FULL || self.player.brain() != GomokuBrain::Usual {
            return;
        }
        let Some(position) = self.expected.take() else { return };
        let mut is_interrupted = false;
        let mut time = || {
            is_interrupted = is_interrupted || interrupted();
            if is_interrupted { 1.0 } else { 0.0 }
        };
        let mut budget = Budget { depth: u32::MAX, nodes: u64::MAX, time: &mut time };
        self.player.choose(&position, &mut budget, &mut |_| {});
        if is_interrupted {
            // What has come need not be a move.
            self.expected = Some(position);
        }
    }

    fn too_long(&self, why: &str) -> String {
        format!("ERROR {why}")
    }
}

/// A number of a value of `INFO`.
pub fn number(value: &str) -> Result<u64, String> {
    value.trim().parse().map_err(|_| format!("'{}' is not a number from 0", shown(value)))
}

/// A line for people about a move.
fn message(position: &GomokuPosition, chosen: &Chosen<GomokuMove>, began: Instant) -> String {
    let line: Vec<String> = chosen.line.iter().take(12).map(|&m| position.name(m)).collect();
    let value = match chosen.decided_in {
        Some(plies) if chosen.value > 0 => format!("wins in {plies}"),
        Some(plies) => format!("loses in {plies}"),
        None => chosen.value.to_string(),
    };
    let (depth, nodes, ms) = (chosen.depth, chosen.nodes, began.elapsed().as_millis());
    format!("MESSAGE depth {depth} value {value} nodes {nodes} ms {ms} line {}", line.join(" "))
}

/// Takes a line of a board in; whether more follow.
fn collect(line: &str, stones: &mut Vec<StoneLine>, refused: &mut Option<BrainLineError>) -> bool {
    match parse_stone(line) {
        Ok(None) => return false,
        Ok(Some(stone)) if stones.len() < MOST_STONES => stones.push(stone),
        Ok(Some(_)) => *refused = Some(error(format!("a board has {MOST_STONES} stones at most"))),
        // The rest of the board is read, and then it is refused.
        Err(reason) => *refused = refused.take().or(Some(reason)),
    }
    true
}

/// What is written for a line.
struct BrainAnswer {
    lines: Vec<String>,
    flow: Flow,
}

impl BrainAnswer {
    fn none() -> BrainAnswer {
        BrainAnswer { lines: Vec::new(), flow: Flow::Continue }
    }

    fn line(line: impl Into<String>) -> BrainAnswer {
        BrainAnswer { lines: vec![line.into()], flow: Flow::Continue }
    }
}

fn answer(done: Result<BrainAnswer, BrainLineError>, out: &mut dyn Write) -> io::Result<Flow> {
    let BrainAnswer { lines, flow } = done.unwrap_or_else(|reason| BrainAnswer::line(reason.to_string()));
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(flow)
}
