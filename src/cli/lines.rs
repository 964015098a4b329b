//! Protocols of lines on standard input and output. A thread reads lines, the main thread answers them, and a search
//! can look at what has come meanwhile.

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

/// Lines that wait to be answered.
const QUEUE: usize = 1024;

/// Whether a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It reads the next line.
    Continue,
    /// It reads no other line.
    End,
}

/// What a line means to a search that runs while it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// Nothing: it waits.
    None,
    /// The search is to stop, which is all that the line says.
    Stop,
    /// The search is to stop, and the line is answered after it.
    StopFirst,
}

/// Tells during a search whether it is to stop.
pub type Interrupted<'i> = &'i mut dyn FnMut() -> bool;

/// What answers the lines of a protocol.
pub trait LineSession {
    /// Longest line that is read, in bytes.
    const LONGEST: usize;

    /// What a line means to a search that runs.
    fn interruption(line: &str) -> Interruption;

    /// Answers a line.
    ///
    /// # Errors
    /// The answer cannot be written.
    fn line(&mut self, line: &str, stop: Interrupted<'_>, out: &mut dyn Write) -> io::Result<Flow>;

    /// Uses the time until the next line, if there is a use for it. It ends soon after `interrupted` says that a line
    /// has come or the input has ended.
    fn idle(&mut self, _interrupted: Interrupted<'_>) {}

    /// The answer to a line that is too long; `why` says so.
    fn too_long(&self, why: &str) -> String;
}

/// A line as it was read.
enum InputLine {
    Line(String),
    TooLong,
}

/// Reads the next line, without its end; nothing at the end of the input.
fn read_line(input: &mut impl BufRead, longest: usize) -> io::Result<Option<InputLine>> {
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
        if line.len() + taken > longest {
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
        true => InputLine::TooLong,
        false => InputLine::Line(String::from_utf8_lossy(&line).into_owned()),
    }))
}

/// The lines that have been read and not been answered.
struct LineInbox {
    lines: Receiver<InputLine>,
    waiting: VecDeque<InputLine>,
    interruption: fn(&str) -> Interruption,
}

impl LineInbox {
    fn next(&mut self) -> Option<InputLine> {
        self.waiting.pop_front().or_else(|| self.lines.recv().ok())
    }

    /// Whether a line waits, or none will come any more.
    fn has_news(&mut self) -> bool {
        if self.waiting.is_empty() {
            match self.lines.try_recv() {
                Ok(line) => self.waiting.push_back(line),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => (),
            }
        }
        true
    }

    /// Whether a search is to stop.
    fn asks_to_stop(&mut self) -> bool {
        let meaning = |line: &InputLine| match line {
            InputLine::Line(line) => (self.interruption)(line),
            InputLine::TooLong => Interruption::None,
        };
        loop {
            match self.lines.try_recv() {
                Ok(line) => match meaning(&line) {
                    Interruption::Stop => return true,
                    of => {
                        self.waiting.push_back(line);
                        if of == Interruption::StopFirst {
                            return true;
                        }
                    }
                },
                // What was asked for is answered to the end although the input has ended: it may be a file.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
                    return self.waiting.iter().any(|line| meaning(line) == Interruption::StopFirst);
                }
            }
        }
    }
}

/// Answers the lines of standard input until the session or the input ends.
///
/// # Errors
/// Answers cannot be written, or the system refuses a thread.
pub fn answer_lines<S: LineSession>(session: &mut S, out: &mut dyn Write) -> anyhow::Result<()> {
    let (send, lines) = bounded(QUEUE);
    std::thread::Builder::new().name("lines".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        // An input that cannot be read any more is at its end.
        while let Ok(Some(line)) = read_line(&mut input, S::LONGEST) {
            if send.send(line).is_err() {
                break;
            }
        }
    })?;
    let mut inbox = LineInbox { lines, waiting: VecDeque::new(), interruption: S::interruption };
    loop {
        if !inbox.has_news() {
            session.idle(&mut || inbox.has_news());
        }
        let Some(input) = inbox.next() else { break };
        match input {
            InputLine::TooLong => {
                writeln!(out, "{}", session.too_long(&format!("a line has {} bytes at most", S::LONGEST)))?;
            }
            InputLine::Line(line) => {
                if session.line(&line, &mut || inbox.asks_to_stop(), out)? == Flow::End {
                    break;
                }
            }
        }
        out.flush()?;
    }
    Ok(())
}
