//! A NATS server, a daemon that uses it, and machines, each in a process of its own: what most tests here begin with.

use crate::daemons::program::{Program, command};
use crate::daemons::wait_until;
use crate::hostile::Liar;
use crate::server::{self, Server};
use serde_json::Value;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use tempfile::TempDir;

/// A machine: `morpion worker` in a process of its own. Dropping it kills it.
pub struct MachineProcess(Child);

impl MachineProcess {
    /// Starts one with one worker.
    pub fn start(url: &str, name: &str) -> MachineProcess {
        MachineProcess::launch(Command::new(env!("CARGO_BIN_EXE_morpion")), url, name, 1)
    }

    /// Starts one by a command that runs the program.
    pub fn launch(mut command: Command, url: &str, name: &str, workers: u32) -> MachineProcess {
        command.args(["worker", "--nats", url, "--workers", &workers.to_string(), "--name", name]);
        MachineProcess(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Starts one with one worker and further flags.
    pub fn with_flags(url: &str, name: &str, flags: &[String]) -> MachineProcess {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.args(["worker", "--nats", url, "--workers", "1", "--name", name]).args(flags);
        MachineProcess(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Asks it to leave; how it ended.
    pub fn leave(mut self) -> ExitStatus {
        let sent = Command::new("kill").arg("-TERM").arg(self.0.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()));
        self.0.wait().unwrap()
    }
}

impl Drop for MachineProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a daemon that uses a server.
pub fn daemon<S: AsRef<str>>(state: &Path, url: &str, flags: &[S]) -> Program {
    let mut command = command(state);
    Program::launch(command.args(["--nats", url]).args(flags.iter().map(AsRef::as_ref)))
}

/// The machines of a daemon.
pub fn machines(program: &Program) -> Vec<Value> {
    program.get("/machines")["machines"].as_array().unwrap().clone()
}

/// A server and a daemon that uses it, in a directory of their own. Requests go to the daemon.
pub struct Installation {
    program: Program,
    /// The server.
    pub server: Server,
    /// Where the daemon has it.
    url: String,
    /// Flags of the daemon.
    flags: Vec<String>,
    directory: TempDir,
}

impl Deref for Installation {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl Installation {
    /// Starts a server that anybody may use, and a daemon with these flags; nothing if there is no server to test
    /// with.
    pub fn start(test: &str, flags: &[&str]) -> Option<Installation> {
        server::is_there(test).then(|| {
            let directory = tempfile::tempdir().unwrap();
            let server = Server::start(directory.path());
            let url = server.url();
            Installation::on(directory, server, url, flags)
        })
    }

    /// The same with a server of this configuration, which admits the daemon as this user, written `user:password@`.
    pub fn configured(test: &str, configuration: &str, user: &str, flags: &[&str]) -> Option<Installation> {
        server::is_there(test).then(|| {
            let directory = tempfile::tempdir().unwrap();
            let server = Server::configured(directory.path(), configuration);
            let url = server.url_of(user);
            Installation::on(directory, server, url, flags)
        })
    }

    /// Starts a daemon that has a server, which runs in this directory, at this address.
    pub fn on<S: AsRef<str>>(directory: TempDir, server: Server, url: String, flags: &[S]) -> Installation {
        let flags: Vec<String> = flags.iter().map(|flag| flag.as_ref().to_owned()).collect();
        let program = daemon(&directory.path().join("state"), &url, &flags);
        Installation { program, server, url, flags, directory }
    }

    /// The directory that all is in.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The state directory of the daemon.
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }

    /// Starts a machine with one worker.
    pub fn machine(&self, name: &str) -> MachineProcess {
        MachineProcess::start(&self.server.url(), name)
    }

    /// The same, admitted to the server as this user, written `user:password@`.
    pub fn machine_as(&self, user: &str, name: &str) -> MachineProcess {
        MachineProcess::start(&self.server.url_of(user), name)
    }

    /// Starts a machine that computes for a user and a team.
    pub fn machine_for(&self, user: &str, team: &str, name: &str, workers: u32) -> MachineProcess {
        let mut command = Command::new(env!("CARGO_BIN_EXE_morpion"));
        command.env("MORPION_USER", user).env("MORPION_TEAM", team);
        MachineProcess::launch(command, &self.server.url(), name, workers)
    }

    /// A client that is no machine.
    pub fn liar(&self) -> Liar {
        Liar::connect(&self.server.url(), None).unwrap()
    }

    /// The machines of the daemon.
    pub fn machines(&self) -> Vec<Value> {
        machines(&self.program)
    }

    /// The machine of a name, as the daemon shows it.
    pub fn seen(&self, name: &str) -> Option<Value> {
        self.machines().into_iter().find(|machine| machine["name"] == name)
    }

    /// Waits until the daemon has its streams on the server.
    pub fn wait_for_streams(&self) {
        wait_until("the daemon has its streams", || self.get("/machines")["connected"] == true);
    }

    /// Kills the daemon, and starts it again.
    pub fn restart(&mut self) {
        self.program.kill();
        self.program = daemon(&self.state(), &self.url, &self.flags);
    }

    /// Machines leave, and then the daemon ends, all as they should; what the daemon said.
    pub fn stop(self, machines: impl IntoIterator<Item = MachineProcess>) -> String {
        for machine in machines {
            assert!(machine.leave().success());
        }
        let (status, said) = self.program.end();
        assert!(status.success() && !said.contains("panicked"), "{said}");
        said
    }
}
