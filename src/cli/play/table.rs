//! A game in the terminal, for any game that has a player.

use crate::cli::player_flags::{MoveLimits, by_points, worth};
use crate::core::game::{Chosen, Level, Player, Side};
use crate::core::quantity::parse_duration;
use crate::games::tags::GameTags;
use crate::solvers::solvable::Playable;
use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};

/// What can be typed beside moves.
const HELP: &str = "\
undo           take back your last move and the machine's answer
hint           the move that the machine would make for you
level N        how strong the machine plays: 1 to 10
time T         most time of the machine for a move, such as 5s
swap           change sides with the machine
new            begin again
save FILE      write the game into a new file, for --position
show           the board once more
quit           end";

/// The name of the machine's player in files of games.
const MACHINE: &str = "morpion";

/// Longest line that is read, in bytes.
const LONGEST: u64 = 1000;

/// Who sits where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Seats {
    /// You play black and begin
    #[value(alias = "first")]
    Black,
    /// You play white; the machine begins
    #[value(alias = "second")]
    White,
    /// You play both sides
    Both,
    /// The machine plays both sides
    None,
}

impl Seats {
    fn is_yours(self, mover: Side) -> bool {
        match self {
            Seats::Black => mover == Side::First,
            Seats::White => mover == Side::Second,
            Seats::Both => true,
            Seats::None => false,
        }
    }

    /// Who you are in a game whose players agree on colours.
    pub fn of_an_opening(self) -> &'static str {
        match self {
            Seats::Black => "you are the first player",
            Seats::White => "you are the second player",
            Seats::Both => "you are both players",
            Seats::None => "the machine is both players",
        }
    }

    fn swapped(self) -> Seats {
        match self {
            Seats::Black => Seats::White,
            Seats::White => Seats::Black,
            Seats::Both => Seats::None,
            Seats::None => Seats::Both,
        }
    }
}

/// A position, and the moves that were made from it.
pub struct SavedGame<G: Playable> {
    /// Where the moves begin.
    pub start: G,
    /// The moves, each legal.
    pub moves: Vec<G::Move>,
}

impl<G: Playable> From<G> for SavedGame<G> {
    fn from(start: G) -> SavedGame<G> {
        SavedGame { start, moves: Vec::new() }
    }
}

impl<G: Playable> SavedGame<G> {
    /// The position after the moves.
    fn end(&self) -> G {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|&m| {
            position.play(m);
        });
        position
    }
}

/// A game that is played.
pub struct PlayTable<'p, G: Playable> {
    /// What was played before, in another run.
    before: SavedGame<G>,
    start: G,
    position: G,
    player: &'p mut dyn Player<G>,
    seats: Seats,
    limits: MoveLimits,
    /// The moves with what takes them back.
    played: Vec<(G::Move, G::Undo)>,
}

/// What a typed line led to.
enum Typed {
    /// The position may be another one.
    Changed,
    /// It is the same; this is said.
    Said(String),
    Quit,
}

impl<'p, G: Playable> PlayTable<'p, G> {
    /// A game that goes on from where a saved one ends.
    pub fn new(
        game: SavedGame<G>,
        player: &'p mut dyn Player<G>,
        seats: Seats,
        limits: MoveLimits,
    ) -> PlayTable<'p, G> {
        let start = game.end();
        let position = start.clone();
        PlayTable { before: game, start, position, player, seats, limits, played: Vec::new() }
    }

    /// Plays until somebody quits or the input ends.
    ///
    /// # Errors
    /// The output cannot be written, or the input cannot be read.
    pub fn play(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.position)?;
        loop {
            let over = self.over();
            if let Some(result) = &over {
                writeln!(out, "{result}")?;
            } else if !self.seats.is_yours(self.position.mover()) {
                self.machine_moves(out)?;
                writeln!(out, "{}", self.position)?;
                continue;
            } else if let Some(only) = self.only_move() {
                writeln!(out, "the only move is {only}")?;
            }
            write!(out, "> ")?;
            out.flush()?;
            let mut line = Vec::new();
            if io::Read::take(&mut *input, LONGEST).read_until(b'\n', &mut line)? == 0 {
                return writeln!(out);
            }
            match self.typed(String::from_utf8_lossy(&line).trim(), over.is_some()) {
                Typed::Changed => writeln!(out, "{}", self.position)?,
                Typed::Said(text) => writeln!(out, "{text}")?,
                Typed::Quit => return Ok(()),
            }
        }
    }

    /// How the game has ended, if it has.
    fn over(&self) -> Option<String> {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        let value = if self.position.side() == Side::First { 1 } else { -1 } * self.position.outcome();
        moves.is_empty().then(|| match value {
            1.. => format!("black has won{}", by_points::<G>(value)),
            0 => "a draw".to_owned(),
            _ => format!("white has won{}", by_points::<G>(value)),
        })
    }

    fn search(&mut self) -> Option<Chosen<G::Move>> {
        let (player, position) = (&mut *self.player, &self.position);
        self.limits.spend(&mut || false, |budget| player.choose(position, budget, &mut |_| {}))
    }

    fn make(&mut self, m: G::Move) {
        let undo = self.position.play(m);
        self.played.push((m, undo));
    }

    fn take_back(&mut self) -> bool {
        let Some((m, undo)) = self.played.pop() else { return false };
        self.position.undo(m, undo);
        true
    }

    fn machine_moves(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "the machine thinks ...")?;
        out.flush()?;
        let Some(chosen) = self.search() else { return Ok(()) };
        writeln!(out, "the machine plays {}", self.told(&chosen))?;
        let mover = self.position.mover();
        for (n, &m) in chosen.line.iter().enumerate() {
            if n > 0 && self.position.mover() != mover {
                break;
            }
            self.make(m);
        }
        Ok(())
    }

    /// The moves that a player makes now, with what is known of them: in an opening there may be several.
    fn told(&self, chosen: &Chosen<G::Move>) -> String {
        let names: Vec<String> = chosen.line.iter().take(8).map(|&m| self.position.name(m)).collect();
        let mut ahead = self.position.clone();
        let own = chosen.line.iter().take_while(|&&m| {
            let is_own = ahead.mover() == self.position.mover();
            ahead.play(m);
            is_own
        });
        let own = own.count().min(names.len());
        let told = worth::<G>(chosen);
        let search = match chosen.depth {
            0 => "without a search".to_owned(),
            depth => format!("depth {depth}"),
        };
        format!("{} ({search}, {told}, line {})", names[..own].join(" "), names.join(" "))
    }

    /// The name of the only legal move, a pass perhaps.
    fn only_move(&self) -> Option<String> {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        if let [only] = moves[..] { Some(self.position.name(only)) } else { None }
    }

    /// The name of a move that can be made, as an example.
    fn example(&self) -> String {
        let mut moves = Vec::new();
        let mut position = &self.position;
        position.moves(&mut moves);
        if moves.is_empty() {
            position = &self.start;
            position.moves(&mut moves);
        }
        let best = moves.into_iter().rev().max_by_key(|&m| position.prior(m));
        best.map_or("a1".to_owned(), |m| position.name(m))
    }

    /// Does what was typed.
    fn typed(&mut self, line: &str, is_over: bool) -> Typed {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "" => Typed::Said("type a move or help".to_owned()),
            "help" | "?" => Typed::Said(format!("{:<15}a move, by its name\n{HELP}", self.example())),
            "show" => Typed::Changed,
            "quit" | "exit" => Typed::Quit,
            "undo" => self.undo_yours(),
            "hint" if is_over => Typed::Said("the game is over: undo or new".to_owned()),
            "hint" => Typed::Said(match self.search() {
                Some(chosen) => self.told(&chosen),
                None => "there is no move".to_owned(),
            }),
            "level" => match rest
                .parse()
                .map_err(|_| "levels are 1 to 10".to_owned())
                .and_then(|number| Level::new(number).map_err(|error| error.to_string()))
            {
                Ok(level) => {
                    self.player.set_level(level);
                    Typed::Said(format!("level {}", level.number()))
                }
                Err(reason) => Typed::Said(reason),
            },
            "time" => match parse_duration(rest) {
                Ok(time) => {
                    self.limits.seconds = time;
                    Typed::Said(format!("at most {rest} for a move"))
                }
                Err(reason) => Typed::Said(format!("not a time: {reason}")),
            },
            "swap" => {
                self.seats = self.seats.swapped();
                Typed::Changed
            }
            "new" => {
                self.position = self.start.clone();
                self.played = Vec::new();
                self.player.forget();
                Typed::Changed
            }
            "save" => Typed::Said(self.save(rest)),
            _ if is_over => Typed::Said("the game is over: undo, new, save FILE or quit".to_owned()),
            _ => self.your_move(word),
        }
    }

    fn your_move(&mut self, name: &str) -> Typed {
        let mut moves = Vec::new();
        self.position.moves(&mut moves);
        match self.position.parse(name) {
            Some(m) if moves.contains(&m) => {
                self.make(m);
                Typed::Changed
            }
            Some(m) => {
                let fault = self.position.fault(m).map_or(String::new(), |fault| format!(": {fault}"));
                Typed::Said(format!("{name} cannot be played here{fault}"))
            }
            None => {
                let shown: String = name.chars().take(20).filter(|c| !c.is_control()).collect();
                Typed::Said(format!(
                    "'{shown}' is neither a move, such as {}, nor a word that help lists",
                    self.example()
                ))
            }
        }
    }

    /// Back to your last move: with what the machine has played since.
    fn undo_yours(&mut self) -> Typed {
        if !self.take_back() {
            return Typed::Said("there is no move to take back".to_owned());
        }
        while !self.seats.is_yours(self.position.mover()) && self.seats != Seats::None && self.take_back() {}
        if self.seats == Seats::None {
            // Else the machine would play on at once.
            self.seats = Seats::Both;
        }
        Typed::Changed
    }

    /// Writes the game into a file that is not there yet.
    fn save(&self, name: &str) -> String {
        if name.is_empty() {
            return "save needs the name of a file".to_owned();
        }
        let played = self.played.iter().map(|(m, _)| *m);
        let moves: Vec<G::Move> = self.before.moves.iter().copied().chain(played).collect();
        let machine = |side: Side| if self.seats.is_yours(side) { "" } else { MACHINE };
        let tags = GameTags { black: machine(Side::First), white: machine(Side::Second), ..GameTags::NONE };
        let text = self.position.saved(&self.before.start, &moves, &tags);
        let written =
            OpenOptions::new().write(true).create_new(true).open(name).and_then(|mut file| writeln!(file, "{text}"));
        match written {
            Ok(()) => "saved".to_owned(),
            Err(error) => format!("not saved: {error}"),
        }
    }
}
