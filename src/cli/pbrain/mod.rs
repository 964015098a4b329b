//! `morpion pbrain`: the player of Gomoku under the Gomocup protocol, for managers such as Piskvork and Yixin.
//!
//! A thread reads lines; the main thread answers them. During a search it looks at what has come: `YXSTOP` and `END`
//! end the search, everything else waits.

mod command;
mod limits;
mod session;

use self::session::{BrainSession, Flow};
use super::weights::weights;
use crate::core::game::Level;
use crate::core::quantity::parse_bytes;
use crate::games::gomoku::rules::RowRule;
use clap::ValueEnum;
use crossbeam_channel::{Receiver, TryRecvError, bounded};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

/// Longest line that is read; what is longer is refused.
const LONGEST: usize = 4096;
/// Lines that wait to be answered.
const QUEUE: usize = 1024;

/// Plays Gomoku under the Gomocup protocol (Piskvork), on standard input and output.
///
/// A manager starts it and sends lines such as START 15 and TURN 7,7. A program file of the name pbrain-morpion (a
/// link to this one, say) starts this command without arguments.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which rows win, until the manager says so by INFO rule.
    #[arg(long, value_name = "RULE", default_value = "free")]
    rule: BrainRule,
    /// How strong it plays: 1 to 10.
    #[arg(long, value_name = "N", default_value = "10", value_parser = level)]
    level: Level,
    /// File of weights to play with (see morpion tune); the program has weights of its own.
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Most memory for the table of positions. A manager can lower it by INFO max_memory.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_bytes)]
    memory: u64,
    /// Decides which openings by Swap2 are tried.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
}

/// The rules by their names on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BrainRule {
    /// Rows of five or more
    Free,
    /// Rows of exactly five
    Five,
    /// Renju, with its forbidden points
    Renju,
    /// Exactly five, without enemy stones at both ends
    Caro,
}

/// A level as a flag has it.
///
/// # Errors
/// It is not 1 to 10.
pub fn level(text: &str) -> Result<Level, String> {
    let number = text.parse().map_err(|_| "levels are 1 to 10".to_owned())?;
    Level::new(number).map_err(|error| error.to_string())
}

/// A line as it was read.
enum BrainLine {
    Line(String),
    TooLong,
}

/// Reads the next line, without its end; nothing at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<BrainLine>> {
    let (mut line, mut any, mut too_long) = (Vec::new(), false, false);
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        if line.len() + taken > LONGEST {
            too_long = true;
        } else {
            line.extend_from_slice(&buffer[..taken]);
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            break;
        }
    }
    Ok(any.then(|| match too_long {
        true => BrainLine::TooLong,
        false => BrainLine::Line(String::from_utf8_lossy(&line).into_owned()),
    }))
}

/// The lines that have been read and not been answered.
struct LineInbox {
    lines: Receiver<BrainLine>,
    waiting: VecDeque<BrainLine>,
}

impl LineInbox {
    fn next(&mut self) -> Option<BrainLine> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Whether a search is to stop: by a line, or because nobody is there any more.
    fn asks_to_stop(&mut self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(BrainLine::Line(line)) if is_stop(&line) => return true,
                Ok(BrainLine::Line(line)) => {
                    let ends = line.trim().eq_ignore_ascii_case("END");
                    self.waiting.push_back(BrainLine::Line(line));
                    if ends {
                        return true;
                    }
                }
                Ok(BrainLine::TooLong) => self.waiting.push_back(BrainLine::TooLong),
                Err(TryRecvError::Empty) => return self.waiting.iter().any(is_end),
                // What was asked for is answered to the end: the input may be a file.
                Err(TryRecvError::Disconnected) => return self.waiting.iter().any(is_end),
            }
        }
    }
}

fn is_stop(line: &str) -> bool {
    let line = line.trim();
    line.eq_ignore_ascii_case("YXSTOP") || line.eq_ignore_ascii_case("STOP")
}

fn is_end(input: &BrainLine) -> bool {
    matches!(input, BrainLine::Line(line) if line.trim().eq_ignore_ascii_case("END"))
}

/// Answers lines until `END` or the end of the input.
///
/// # Errors
/// Answers cannot be written, or there is no memory.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let rule = match args.rule {
        BrainRule::Free => RowRule::Free,
        BrainRule::Five => RowRule::Five,
        BrainRule::Renju => RowRule::Renju,
        BrainRule::Caro => RowRule::Caro,
    };
    let mut session = BrainSession::new(args.memory, weights(args.weights.as_deref())?, rule, args.level, args.seed)?;
    let (send, lines) = bounded(QUEUE);
    std::thread::Builder::new().name("lines".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        // An input that cannot be read any more is at its end.
        while let Ok(Some(line)) = read_line(&mut input) {
            if send.send(line).is_err() {
                break;
            }
        }
    })?;
    let mut inbox = LineInbox { lines, waiting: VecDeque::new() };
    while let Some(input) = inbox.next() {
        match input {
            BrainLine::TooLong => {
                writeln!(out, "ERROR a line has {LONGEST} bytes at most")?;
                out.flush()?;
            }
            BrainLine::Line(line) => {
                if session.line(&line, &mut || inbox.asks_to_stop(), out)? == Flow::End {
                    break;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
