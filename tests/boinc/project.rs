//! A daemon that offers units to volunteers, and a project's directory with scripts in place of the server's programs.

use crate::daemons::program::{Program, command, end};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The name that a server gives to the file of a result.
pub fn result_file(workunit: &str, instance: u32) -> String {
    format!("{workunit}_{instance}_r17_0")
}

/// Directories of a daemon and of a project.
pub struct Project {
    pub directory: PathBuf,
}

/// Runs `morpion boinc` with these arguments.
pub fn boinc(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
    command.arg("boinc").args(arguments).stdin(Stdio::null()).output().expect("it can be started")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Project {
    /// A project below this directory. Its `create_work` notes the workunits in `work`, and refuses a name that it
    /// has, as the database of a server does.
    pub fn new(directory: &Path) -> Project {
        let project = Project { directory: directory.to_owned() };
        fs::create_dir_all(project.path("project/bin")).unwrap();
        for folder in ["download", "work", "cancelled"] {
            fs::create_dir_all(project.path("project").join(folder)).unwrap();
        }
        let scripts = [
            ("stage_file", "mv \"$1\" download/"),
            (
                "create_work",
                "test \"$1 $2 $3\" = '--appname morpion --wu_name' && test \"$4\" = \"$5\" && test -f \"download/$5\" \
                 || exit 4\nset -o noclobber\n: > \"work/$4\" || { echo \"Duplicate entry '$4'\" >&2; exit 1; }",
            ),
            ("cancel_jobs", "test \"$1\" = --name && : > \"cancelled/$2\""),
        ];
        for (name, text) in scripts {
            let path = project.path("project/bin").join(name);
            fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub fn spool(&self) -> String {
        self.path("spool").to_str().unwrap().to_owned()
    }

    /// Starts the daemon, which leaves all units to volunteers.
    pub fn daemon(&self, units: u32) -> Program {
        let mut command = command(&self.path("state"));
        command.args(["--threads", "0", "--boinc", &self.spool(), "--boinc-units", &units.to_string()]);
        Program::launch(&mut command)
    }

    /// Gives new units to the server; the names of all workunits that it has.
    pub fn make_work(&self) -> Vec<String> {
        let project = self.path("project");
        let made = boinc(&["make-work", "--spool", &self.spool(), "--project", project.to_str().unwrap()]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        self.workunits()
    }

    pub fn workunits(&self) -> Vec<String> {
        names(&self.path("project/work"))
    }

    /// Computes a workunit as a volunteer without a client does; the file of the result.
    pub fn compute(&self, workunit: &str, instance: u32) -> PathBuf {
        let slot = self.path(&format!("slots/{workunit}-{instance}"));
        fs::create_dir_all(&slot).unwrap();
        fs::copy(self.path("project/download").join(workunit), slot.join("in")).unwrap();
        let ran = boinc(&["run", slot.to_str().unwrap()]);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let file = self.path("project").join(result_file(workunit, instance));
        fs::rename(slot.join("out"), &file).unwrap();
        file
    }

    /// Judges a result, or two; the exit status and what was said.
    pub fn validate(&self, files: &[&Path]) -> (Option<i32>, String) {
        let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
        let spool = self.spool();
        let ended = boinc(&[&["validate", "--spool", &spool], &files[..]].concat());
        (ended.status.code(), text(&ended.stderr))
    }

    /// Takes a result in; the exit status and what was said.
    pub fn assimilate(&self, workunit: &str, file: &Path) -> (Option<i32>, String) {
        let ended = boinc(&["assimilate", "--spool", &self.spool(), workunit, file.to_str().unwrap()]);
        (ended.status.code(), text(&ended.stderr))
    }

    /// The server has given a workunit up.
    pub fn give_up(&self, workunit: &str) {
        let ended = boinc(&["assimilate", "--error", "8", "--spool", &self.spool(), workunit, "17", "0"]);
        assert!(ended.status.success(), "{}", text(&ended.stderr));
    }
}

/// The names of the files of a directory, in order.
pub fn names(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.collect();
    names.sort();
    names
}

/// What comes of jobs without volunteers.
pub fn undisturbed(directory: &Path, jobs: &[Value]) -> Vec<Value> {
    let program = Program::start(&directory.join("undisturbed"));
    let ids: Vec<u64> = jobs.iter().map(|job| program.submit(job)).collect();
    let ends = ids.iter().map(|&id| end(&program, id)).collect();
    program.stop();
    ends
}
