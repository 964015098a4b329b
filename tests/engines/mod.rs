//! A program that answers lines, driven by a test.
#![allow(dead_code, reason = "each test uses a part of it")]

use morpion::core::seed::rng;
use rand::RngExt;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long an answer may take on a busy machine before a test gives up.
const PATIENCE: Duration = Duration::from_secs(300);

/// A program that runs.
pub struct LineProgram {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl LineProgram {
    /// Starts a command of this program.
    pub fn start(arguments: &[&str]) -> LineProgram {
        LineProgram::program(env!("CARGO_BIN_EXE_morpion").as_ref(), arguments)
    }

    /// Sends 200 lines of any bytes.
    pub fn send_noise(&mut self, seed: u64) {
        let mut random = rng(seed, &[]);
        for _ in 0..200 {
            let length = random.random_range(0..40);
            let mut bytes: Vec<u8> = (0..length).map(|_| random.random_range(0..=255)).collect();
            bytes.retain(|&byte| byte != b'\n');
            bytes.push(b'\n');
            self.send(&bytes);
        }
    }

    /// Starts the program at a path.
    pub fn program(path: &Path, arguments: &[&str]) -> LineProgram {
        let mut command = Command::new(path);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        LineProgram { child, input, lines }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    /// Sends a line.
    pub fn say(&mut self, line: &str) {
        self.send(format!("{line}\n").as_bytes());
    }

    /// The next line of output.
    pub fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The next lines of output, up to the first that `is_last` takes.
    pub fn until(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().is_some_and(|line| is_last(line)) {
                return lines;
            }
        }
    }

    /// Closes the input and waits for the end: status, and standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        self.input = None;
        let output = self.child.wait_with_output().unwrap();
        (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// The same, and it has ended well.
    pub fn ends_well(self) {
        let (status, errors) = self.end();
        assert!(status.success() && errors.is_empty(), "{status}: {errors}");
    }
}
