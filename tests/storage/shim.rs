//! The library between a program and its files.

use crate::daemons::program::command;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiled library and the files that it writes, in a directory for tests.
pub struct Shim {
    library: PathBuf,
    count: PathBuf,
    /// All operations, if they are asked for.
    pub trace: PathBuf,
}

impl Shim {
    /// Compiles it into `directory`.
    pub fn compile(directory: &Path) -> Shim {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/storage/shim.c");
        let library = directory.join("shim.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).args(["-ldl", "-lpthread"]);
        let output = compiler.output().expect("the C compiler that links Rust programs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Shim { library, count: directory.join("count"), trace: directory.join("trace") }
    }

    /// A daemon whose operations on its state are counted.
    pub fn counted(&self, state: &Path) -> Command {
        let mut command = command(state);
        self.count(&mut command, state);
        command
    }

    fn count(&self, command: &mut Command, state: &Path) {
        command.env("LD_PRELOAD", &self.library).env("MORPION_SHIM_ROOT", state);
        command.env("MORPION_SHIM_COUNT", &self.count);
    }

    /// A daemon whose operations are written down.
    pub fn traced(&self, state: &Path) -> Command {
        let mut command = self.counted(state);
        command.env("MORPION_SHIM_TRACE", &self.trace);
        command
    }

    /// A daemon of which operations fail or take longer, as `fault` says, on files of the name `only` if it is given.
    /// It is left alone until [`Shim::lift`] says otherwise if `lifted` is true.
    pub fn faulty(&self, state: &Path, fault: &str, only: Option<&str>, lifted: bool) -> Command {
        let mut command = command(state);
        self.disturb(&mut command, state, fault, only, lifted);
        command
    }

    /// The same for another program.
    pub fn disturb(&self, command: &mut Command, state: &Path, fault: &str, only: Option<&str>, lifted: bool) {
        self.count(command, state);
        command.env("MORPION_SHIM_FAULT", fault).env("MORPION_SHIM_LIFTED", u8::from(lifted).to_string());
        only.into_iter().for_each(|name| _ = command.env("MORPION_SHIM_ONLY", name));
    }

    /// Whether the program that runs is left alone from now on.
    pub fn lift(&self, lifted: bool) {
        lift(&self.count, lifted);
    }

    /// How many operations the last program did, and how many of them were disturbed.
    pub fn counts(&self) -> (u64, u64) {
        let bytes = std::fs::read(&self.count).expect("the counts");
        let number = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        (number(0), number(8))
    }

    /// Length of the trace so far: what was acknowledged until now rests on that part of it.
    pub fn position(&self) -> u64 {
        std::fs::metadata(&self.trace).map_or(0, |file| file.len())
    }
}

/// Whether the program that writes this file of counts is left alone from now on.
pub fn lift(count: &Path, lifted: bool) {
    let file = std::fs::OpenOptions::new().write(true).open(count).expect("the counts");
    file.write_all_at(&u64::from(lifted).to_ne_bytes(), 16).expect("the counts");
}
