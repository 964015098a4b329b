//! A NATS server of its own for each test, on a port that is free, with its streams in a temporary directory.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The server's program, if there is one.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // Debian has it where only the administrator's path leads.
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("nats-server")).find(|file| file.is_file())
}

/// Whether there is a server to test with. Without one a test says aloud that it tests nothing, unless
/// `MORPION_NATS_SERVER=required` says that there must be one.
pub fn is_there(test: &str) -> bool {
    let is_there = program().is_some();
    if !is_there {
        assert!(
            std::env::var("MORPION_NATS_SERVER").as_deref() != Ok("required"),
            "there is no nats-server, and {test} needs one"
        );
        eprintln!("{test}: NOT TESTED, there is no nats-server (Debian: apt-get install nats-server)");
    }
    is_there
}

/// A running server.
pub struct Server {
    child: Child,
    directory: PathBuf,
    address: SocketAddr,
    configuration: Option<PathBuf>,
}

impl Server {
    /// Starts one that keeps its streams in `directory`.
    pub fn start(directory: &Path) -> Server {
        Server::start_at(directory, Ipv4Addr::LOCALHOST)
    }

    /// The same at an address of this computer that others reach.
    pub fn start_at(directory: &Path, address: Ipv4Addr) -> Server {
        Server::begin(directory, None, (address, 0).into())
    }

    /// Starts one with this configuration besides.
    pub fn configured(directory: &Path, configuration: &str) -> Server {
        let path = directory.join("server.conf");
        std::fs::write(&path, configuration).unwrap();
        Server::begin(directory, Some(path), (Ipv4Addr::LOCALHOST, 0).into())
    }

    /// Port 0 is any that is free.
    fn begin(directory: &Path, configuration: Option<PathBuf>, address: SocketAddr) -> Server {
        let ports = directory.join("ports");
        let _ = std::fs::remove_dir_all(&ports);
        std::fs::create_dir_all(&ports).unwrap();
        let mut command = Command::new(program().expect("it was looked for before"));
        let port = if address.port() == 0 { "-1".to_owned() } else { address.port().to_string() };
        command.args(["-js", "-a", &address.ip().to_string(), "-p", &port]).arg("-sd").arg(directory.join("streams"));
        command.arg("--ports_file_dir").arg(&ports);
        if let Some(path) = &configuration {
            command.arg("-c").arg(path);
        }
        let log = std::fs::File::create(directory.join("server.log")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let listens = |port| SocketAddr::new(address.ip(), port);
        let mut server = Server { child, directory: directory.to_owned(), address: listens(0), configuration };
        let end = Instant::now() + Duration::from_secs(60);
        while server.address.port() == 0 {
            let read = || {
                let file = std::fs::read_dir(&ports).ok()?.next()?.ok()?.path();
                let text = std::fs::read_to_string(file).ok()?;
                let ports: serde_json::Value = serde_json::from_str(&text).ok()?;
                ports["nats"][0].as_str()?.rsplit(':').next()?.parse::<u16>().ok()
            };
            server.address = listens(read().unwrap_or(0));
            let log = || std::fs::read_to_string(directory.join("server.log")).unwrap_or_default();
            assert!(Instant::now() < end && server.child.try_wait().unwrap().is_none(), "no server: {}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }

    /// Kills it and starts it again, on the same port and with the same streams.
    pub fn kill_and_start(&mut self, down: Duration) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        std::thread::sleep(down);
        let (directory, configuration) = (self.directory.clone(), self.configuration.clone());
        *self = Server::begin(&directory, configuration, self.address);
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it is.
    pub fn url(&self) -> String {
        self.url_of("")
    }

    /// The same with `user:password@`.
    pub fn url_of(&self, user: &str) -> String {
        format!("nats://{user}{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
