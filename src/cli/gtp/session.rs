//! A game under the Go Text Protocol, line by line (G. Farnebäck, "Specification of the Go Text Protocol", version 2,
//! 2002).
//!
//! A line is an optional number, a command and its arguments. The answer begins with `=` or `?` and that number and
//! ends with an empty line. A command that fails changes nothing.

use super::clock::GtpClock;
use super::tactics::NamedDictionary;
use super::{komi, tactics};
use crate::cli::lines::{Flow, Interrupted, Interruption, LineSession};
use crate::cli::player_flags::MoveLimits;
use crate::cli::positions::read_text_file;
use crate::core::game::{Game, Level, Player, Side, Value};
use crate::games::go::large::points::{LargeBoard, PointSet};
use crate::games::go::large::position::{LargeMove, LargePosition};
use crate::games::go::notation::{GoReadError, GoReplay, Goban};
use crate::games::go::rules::{GoRules, Ko};
use crate::games::go::scoring::result_text;
use crate::games::sgf::main_line;
use crate::solvers::go::player::UctPlayer;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// The commands, in the order of their list.
const COMMANDS: [&str; 35] = [
    "attack",
    "black",
    "boardsize",
    "clear_board",
    "connect",
    "defend",
    "disconnect",
    "final_score",
    "final_status_list",
    "fixed_handicap",
    "genmove",
    "known_command",
    "komi",
    "ladder_attack",
    "list_commands",
    "loadsgf",
    "name",
    "owl_attack",
    "owl_defend",
    "place_free_handicap",
    "play",
    "popgo",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_free_handicap",
    "showboard",
    "tactics_joseki",
    "tactics_patterns",
    "time_left",
    "time_settings",
    "trymove",
    "undo",
    "version",
    "white",
];

/// A game with whoever speaks the protocol.
pub struct GtpSession {
    player: UctPlayer<LargePosition>,
    size: LargeBoard,
    /// The position with its past.
    position: LargePosition,
    /// The positions before each move, to take moves back.
    before: Vec<LargePosition>,
    komi: Value,
    limits: MoveLimits,
    /// The clocks of black and white, once they are known.
    clocks: [Option<GtpClock>; 2],
    /// What a side gets when its main time is over.
    period: Option<GtpClock>,
    /// The dictionary of joseki that was asked last.
    dictionary: Option<NamedDictionary>,
}

/// What a command is answered: the text, or why not.
type GtpAnswer = Result<String, String>;

/// The empty board under the rules of the protocol.
fn empty(size: LargeBoard) -> LargePosition {
    LargePosition::new(size, GoRules { ko: Ko::Superko, ..GoRules::default() })
}

impl GtpSession {
    /// A session before its first line.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(
        size: u8,
        komi: Value,
        (memory, seed): (u64, u64),
        level: Level,
        limits: MoveLimits,
    ) -> anyhow::Result<GtpSession> {
        let size = LargeBoard::new(size, size)?;
        let mut player = UctPlayer::new(memory, seed)?;
        player.set_level(level);
        Ok(GtpSession {
            player,
            size,
            position: empty(size),
            before: Vec::new(),
            komi,
            limits,
            clocks: [None; 2],
            period: None,
            dictionary: None,
        })
    }

    fn command(&mut self, name: &str, arguments: &[&str]) -> GtpAnswer {
        let argument = |i: usize, what: &str| arguments.get(i).copied().ok_or_else(|| format!("{name} needs {what}"));
        match name {
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok("morpion".to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "known_command" => Ok(COMMANDS.contains(&argument(0, "a command")?).to_string()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "quit" => Ok(String::new()),
            "boardsize" => {
                let size = argument(0, "a size")?.parse::<u8>().ok().and_then(|n| LargeBoard::new(n, n).ok());
                self.size = size.ok_or("unacceptable size: boards are 1x1 to 19x19")?;
                self.clear();
                Ok(String::new())
            }
            "clear_board" => {
                self.clear();
                Ok(String::new())
            }
            "loadsgf" => self.load(argument(0, "a file")?, arguments.get(1).copied()),
            "komi" => {
                self.komi = komi(argument(0, "a number of points")?)?;
                Ok(String::new())
            }
            "play" | "trymove" => {
                let side = colour(argument(0, "a colour and a vertex")?)?;
                let m = self.vertex(argument(1, "a colour and a vertex")?)?;
                self.play(side, m)?;
                Ok(String::new())
            }
            // As in version 1 of the protocol; GNU Go's files have them.
            "black" | "white" => {
                let m = self.vertex(argument(0, "a vertex")?)?;
                self.play(colour(name)?, m)?;
                Ok(String::new())
            }
            "genmove" | "reg_genmove" => {
                let side = colour(argument(0, "a colour")?)?;
                let m = self.choose(side)?;
                if name == "genmove" {
                    self.play(side, m)?;
                }
                Ok(self.vertex_name(m))
            }
            "undo" | "popgo" => {
                self.position = self.before.pop().ok_or("cannot undo: no move has been made")?;
                Ok(String::new())
            }
            "showboard" => Ok(format!("\n{}", self.position)),
            "final_score" => Ok(self.score()),
            "final_status_list" => self.stones_that_are(argument(0, "a status")?),
            "time_settings" => self.time_settings(arguments),
            "time_left" => {
                let side = colour(argument(0, "a colour, seconds and stones")?)?;
                let seconds = seconds_of(argument(1, "a colour, seconds and stones")?)?;
                let stones = argument(2, "a colour, seconds and stones")?;
                let stones = stones.parse().map_err(|_| "stones are a number from 0 on".to_owned())?;
                self.clocks[usize::from(side == Side::Second)] = Some(GtpClock::new(seconds, stones));
                Ok(String::new())
            }
            "fixed_handicap" | "place_free_handicap" => {
                let count = argument(0, "a number of stones")?;
                self.fixed_handicap(count.parse().map_err(|_| "invalid number of stones: 2 to 9".to_owned())?)
            }
            "set_free_handicap" => {
                let points = arguments.iter().map(|vertex| self.vertex(vertex)).collect::<Result<Vec<_>, _>>()?;
                self.handicap(&points)
            }
            "ladder_attack" => tactics::ladder(&self.position, argument(0, "a vertex")?),
            "tactics_joseki" => {
                let file = argument(0, "a file")?;
                if self.dictionary.as_ref().is_none_or(|known| known.file != file) {
                    let cannot = |why: String| format!("cannot load file: {}", shown_line(&why));
                    self.dictionary = Some(NamedDictionary::read(file).map_err(cannot)?);
                }
                let Some(known) = &self.dictionary else { return Ok(String::new()) };
                known.look_up(&self.position, arguments.get(1).copied())
            }
            "tactics_patterns" => tactics::patterns(&self.position, colour(argument(0, "a colour")?)?),
            _ => match tactics::goal(name) {
                Some(goal) => tactics::ask(&self.position, goal, arguments),
                None => Err("unknown command".to_owned()),
            },
        }
    }

    fn clear(&mut self) {
        (self.position, self.before) = (empty(self.size), Vec::new());
        self.player.forget();
    }

    /// Takes a game from an SGF file, up to before the move of this number, from 1; the side to move then.
    fn load(&mut self, file: &str, number: Option<&str>) -> GtpAnswer {
        let wrong = || "the move is a number from 1 on".to_owned();
        let until = number.map(|text| text.parse::<usize>().ok().filter(|&n| n > 0).ok_or_else(wrong)).transpose()?;
        let cannot = |why: &dyn std::fmt::Display| format!("cannot load file: {}", shown_line(&why.to_string()));
        let text = read_text_file(Path::new(file)).map_err(|error| cannot(&error))?;
        let text = text.ok_or_else(|| cannot(&"there is none of this name"))?;
        let (position, before) = self.replay(&text, until).map_err(|error| cannot(&error))?;
        let size = position.size();
        if size.width() != size.height() {
            return Err(cannot(&"the board is not square"));
        }
        (self.size, self.position, self.before) = (size, position, before);
        self.player.forget();
        Ok(if self.position.side() == Side::First { "black" } else { "white" }.to_owned())
    }

    /// The position of a game before a move, or at its end, and those before each move up to there.
    fn replay(&self, text: &str, until: Option<usize>) -> Result<(LargePosition, Vec<LargePosition>), GoReadError> {
        let nodes = main_line(text)?;
        let replay = GoReplay::<LargePosition>::new(&nodes[0], self.position.rules());
        let mut replay = replay.map_err(|error| error.of_node(text, 0))?;
        let mut before = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            let moves = node.iter().any(|(name, _)| name == "B" || name == "W");
            if moves && until.is_some_and(|until| replay.move_count() + 1 >= until) {
                break;
            }
            before.extend(moves.then(|| replay.position().clone()));
            replay.follow(node).map_err(|error| error.of_node(text, place))?;
        }
        Ok((replay.position().clone(), before))
    }

    /// The move of a vertex such as `D4`, or of a pass.
    fn vertex(&self, text: &str) -> Result<LargeMove, String> {
        let why = || format!("invalid vertex '{}'", shown(text));
        if text.eq_ignore_ascii_case("pass") {
            return Ok(LargeMove::PASS);
        }
        self.position.parse(text).filter(|&m| m != LargeMove::PASS).ok_or_else(why)
    }

    fn vertex_name(&self, m: LargeMove) -> String {
        if m == LargeMove::PASS { "pass".to_owned() } else { self.size.name(m.0).to_uppercase() }
    }

    /// The position with this side to move; two moves of one side in a row are allowed, and passes end nothing.
    fn turned(&self, side: Side) -> LargePosition {
        let mut position = self.position.clone();
        if position.side() != side {
            position.play(LargeMove::PASS);
        }
        if position.passes() > 1 || side != self.position.side() {
            position.set_passed(false);
        }
        position
    }

    fn play(&mut self, side: Side, m: LargeMove) -> Result<(), String> {
        let mut position = self.turned(side);
        if !position.is_legal(m) {
            return Err("illegal move".to_owned());
        }
        position.play(m);
        self.before.push(std::mem::replace(&mut self.position, position));
        Ok(())
    }

    fn choose(&mut self, side: Side) -> Result<LargeMove, String> {
        let (position, began) = (self.turned(side), Instant::now());
        let at = usize::from(side == Side::Second);
        let seconds = self.clocks[at].map_or(self.limits.seconds, |clock| clock.for_a_move());
        self.player.set_komi(self.komi);
        let (limits, player) = (MoveLimits { seconds, ..self.limits }, &mut self.player);
        let chosen = limits.spend(&mut || false, |budget| player.choose(&position, budget, &mut |_| {}));
        if let Some(clock) = &mut self.clocks[at] {
            clock.spend(began.elapsed().as_secs_f64(), self.period);
        }
        let m = chosen.and_then(|chosen| chosen.line.first().copied()).unwrap_or(LargeMove::PASS);
        Ok(if position.is_legal(m) { m } else { LargeMove::PASS })
    }

    /// Area with komi, as the protocol has it: `B+3.5`, `W+7`, `0`.
    fn score(&self) -> String {
        let of_black = self.position.chains().score() * LargePosition::POINT - self.komi;
        result_text(of_black.into())
    }

    /// The chains of a status, one a line. As for the score, all stones on the board are alive.
    fn stones_that_are(&self, status: &str) -> GtpAnswer {
        match status {
            "alive" => (),
            "dead" | "seki" => return Ok(String::new()),
            other => return Err(format!("'{}' is not a status: alive, dead or seki", shown(other))),
        }
        let chains = self.position.chains();
        let firsts = (0..self.size.area()).filter_map(|point| {
            let stones = chains.chain(point)?.stones;
            (stones.first() == Some(point)).then_some(stones)
        });
        let names = |stones: PointSet| {
            stones.iter().map(|stone| self.vertex_name(LargeMove(stone))).collect::<Vec<_>>().join(" ")
        };
        Ok(firsts.map(names).collect::<Vec<_>>().join("\n"))
    }

    /// Main time, seconds of a period, stones of a period. A period without stones is no limit at all.
    fn time_settings(&mut self, arguments: &[&str]) -> GtpAnswer {
        let [main, period, stones] = arguments else {
            return Err("time_settings needs main time, byo yomi time and byo yomi stones".to_owned());
        };
        let (main, period) = (seconds_of(main)?, seconds_of(period)?);
        let stones: u32 = stones.parse().map_err(|_| "stones are a number from 0 on".to_owned())?;
        self.period = (stones > 0).then(|| GtpClock::new(period, stones));
        let clock = match () {
            () if main > 0.0 => Some(GtpClock::new(main, 0)),
            () if stones > 0 => self.period,
            () if period > 0.0 => None,
            () => Some(GtpClock::new(0.0, 0)),
        };
        self.clocks = [clock; 2];
        Ok(String::new())
    }

    /// The stones of a handicap where they usually lie.
    fn fixed_handicap(&mut self, count: usize) -> GtpAnswer {
        let side = self.size.width();
        let most = match side {
            0..7 => 0,
            7 => 4,
            _ if side.is_multiple_of(2) => 4,
            _ => 9,
        };
        if !(2..=most).contains(&count) {
            return Err(format!("invalid number of stones: this board has places for 2 to {most}"));
        }
        let edge = if side < 13 { 2 } else { 3 };
        let (low, middle, high) = (edge, side / 2, side - 1 - edge);
        let mut places = vec![(low, high), (high, low), (low, low), (high, high)];
        places.truncate(count.min(4));
        if count >= 6 {
            places.extend([(low, middle), (high, middle)]);
        }
        if count >= 8 {
            places.extend([(middle, low), (middle, high)]);
        }
        if count % 2 == 1 && count > 3 {
            places.push((middle, middle));
        }
        let points: Vec<LargeMove> = places.into_iter().map(|place| self.position.move_to(Some(place))).collect();
        self.handicap(&points)
    }

    /// Puts the stones of a handicap on an empty board.
    fn handicap(&mut self, points: &[LargeMove]) -> GtpAnswer {
        if self.position.chains().hash() != 0 || !self.before.is_empty() {
            return Err("board not empty".to_owned());
        }
        if points.len() < 2 || points.contains(&LargeMove::PASS) {
            return Err("bad vertex list: two stones or more".to_owned());
        }
        let stones: Vec<(u16, Side)> = points.iter().map(|m| (m.0, Side::First)).collect();
        let rules = self.position.rules();
        let position = LargePosition::from_stones(self.size, rules, &stones, Side::Second);
        self.position = position.map_err(|why| format!("bad vertex list: {why}"))?;
        Ok(points.iter().map(|&m| self.vertex_name(m)).collect::<Vec<_>>().join(" "))
    }
}

/// The side of a colour.
fn colour(text: &str) -> Result<Side, String> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(format!("'{}' is not a colour: black or white", shown(text))),
    }
}

fn seconds_of(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
    seconds.ok_or_else(|| format!("'{}' is not a number of seconds", shown(text)))
}

/// A message in one line.
fn shown_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text of the other side, fit for a message.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(30).filter(|c| !c.is_control()).collect()
}

impl LineSession for GtpSession {
    const LONGEST: usize = 1 << 16;

    /// The protocol has no word to interrupt a search.
    fn interruption(_line: &str) -> Interruption {
        Interruption::None
    }

    fn line(&mut self, line: &str, _stop: Interrupted<'_>, out: &mut dyn Write) -> io::Result<Flow> {
        // Remarks and control characters are taken out first, as the protocol says.
        let text: String = line.split('#').next().unwrap_or_default().replace('\t', " ");
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let id = words.first().filter(|word| word.parse::<u32>().is_ok()).copied().unwrap_or_default();
        if !id.is_empty() {
            words.remove(0);
        }
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Flow::Continue);
        };
        match self.command(name, arguments) {
            Ok(answer) => write!(out, "={id} {answer}\n\n")?,
            Err(why) => write!(out, "?{id} {why}\n\n")?,
        }
        Ok(if *name == "quit" { Flow::End } else { Flow::Continue })
    }

    fn too_long(&self, why: &str) -> String {
        format!("? {why}\n")
    }
}
