//! A program on the other side of a match: started for one game, asked and answered by lines.

use anyhow::{Context, bail};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest line that is read of a program, in bytes.
const LONGEST: u64 = 1 << 16;
/// What a program may take beyond its time before it has lost.
const GRACE: Duration = Duration::from_secs(10);

/// A program that plays one game.
pub struct RivalProcess {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    patience: Duration,
    /// The line that asks it to end.
    last_word: &'static str,
}

impl RivalProcess {
    /// Starts a program that has so many seconds for a move.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(path: &str, seconds: f64, last_word: &'static str) -> anyhow::Result<RivalProcess> {
        let mut command = Command::new(path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{path} cannot be started"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { bail!("no pipes") };
        let (send, lines) = bounded(64);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                match output.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                    Ok(1..) if send.send(String::from_utf8_lossy(&line).trim().to_owned()).is_ok() => {}
                    _ => break,
                }
            }
        });
        let patience = Duration::from_secs_f64(seconds) + GRACE;
        Ok(RivalProcess { child, input, lines, patience, last_word })
    }

    /// Sends lines.
    ///
    /// # Errors
    /// The program has ended.
    pub fn say(&mut self, text: &str) -> anyhow::Result<()> {
        writeln!(self.input, "{text}").and_then(|()| self.input.flush()).context("the program has ended")
    }

    /// Sends lines, and returns the next line that is an answer.
    ///
    /// # Errors
    /// The program has ended, or does not answer in its time.
    pub fn ask(&mut self, text: &str, is_answer: impl Fn(&str) -> bool) -> anyhow::Result<String> {
        self.say(text)?;
        let until = Instant::now() + self.patience;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) if is_answer(&line) => return Ok(line),
                Ok(_) if Instant::now() < until => {}
                Ok(_) | Err(RecvTimeoutError::Timeout) => bail!("no answer in {:.0} s", self.patience.as_secs_f64()),
                Err(RecvTimeoutError::Disconnected) => bail!("the program has ended"),
            }
        }
    }
}

impl Drop for RivalProcess {
    fn drop(&mut self) {
        // It may end by itself; it is not waited for.
        let _ = self.say(self.last_word);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The beginning of what a program has answered, fit for a message.
pub fn shown(answer: &str) -> String {
    answer.chars().take(60).filter(|c| !c.is_control()).collect()
}
