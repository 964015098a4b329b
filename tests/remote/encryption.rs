//! Encrypted connections, and machines that are admitted by certificates.

use crate::installation::{Installation, MachineProcess};
use crate::server::{self, Server};
use morpion::queue::nats::message::Names;
use morpion::queue::nats::rights::{configuration, with_machine};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether there is a program that makes certificates. Without one a test says aloud that it tests nothing.
fn has_openssl(test: &str) -> bool {
    let version = Command::new("openssl").arg("version").stdin(Stdio::null()).output();
    let is_there = version.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("{test}: NOT TESTED, there is no openssl");
    }
    is_there
}

/// Certificates in a directory.
struct Certificates(PathBuf);

impl Certificates {
    /// Those of an authority.
    fn new(directory: &Path) -> Certificates {
        let made = Certificates(directory.to_owned());
        made.openssl(&format!("req -x509 {NEW_KEY} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"));
        made
    }

    /// A key and a certificate by the authority: `NAME.key` and `NAME.pem`.
    fn make(&self, name: &str, alternative: &str) {
        std::fs::write(self.0.join("extensions"), format!("subjectAltName={alternative}\n")).unwrap();
        self.openssl(&format!("req {NEW_KEY} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        let signed = format!("-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out {name}.pem");
        self.openssl(&format!("x509 -req -in {name}.csr {signed}"));
    }

    fn openssl(&self, arguments: &str) {
        let output = Command::new("openssl").args(arguments.split(' ')).current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }

    /// The flags of a client that has a certificate.
    fn flags(&self, name: &str) -> Vec<String> {
        let (certificate, key) = (self.path(&format!("{name}.pem")), self.path(&format!("{name}.key")));
        let flags = ["--nats-ca", &self.path("ca.pem"), "--nats-certificate", &certificate, "--nats-key", &key];
        flags.map(str::to_owned).to_vec()
    }
}

const NEW_KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

#[test]
fn certificates_admit_machines_over_encrypted_connections() {
    let test = "certificates_admit_machines_over_encrypted_connections";
    if !server::is_there(test) || !has_openssl(test) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let certificates = Certificates::new(directory.path());
    for (name, alternative) in [("server", "IP:127.0.0.1"), ("daemon", "DNS:daemon"), ("lab-1", "DNS:lab-1")] {
        certificates.make(name, alternative);
    }
    let names = Names::new("morpion").unwrap();
    let users = configuration(&names, None, "none").and_then(|users| with_machine(&users, &names, "lab-1", "none"));
    // Who has a certificate has no password.
    let users = users.unwrap().replace("password: \"none\", ", "");
    let [certificate, key, authority] = ["server.pem", "server.key", "ca.pem"].map(|file| certificates.path(file));
    let tls = format!(
        "tls {{\n  cert_file: \"{certificate}\"\n  key_file: \"{key}\"\n  ca_file: \"{authority}\"\n  \
         verify_and_map: true\n}}\n"
    );
    let server = Server::configured(directory.path(), &format!("{tls}{users}"));
    let address = server.address();
    let url = |user: &str| format!("tls://{user}@{address}");
    let flags = [vec!["--threads=0".to_owned()], certificates.flags("daemon")].concat();
    let of_daemon = url("daemon");
    let site = Installation::on(directory, server, of_daemon, &flags);
    let settings = json!({ "strategy": "nrpa", "level": 2, "runs": 2, "seed": 9 });
    let id = site.submit(&json!({ "kind": "hunt", "settings": settings }));
    // Who does not know the authority does not trust the server.
    let stranger = MachineProcess::with_flags(&url("lab-1"), "stranger", &[]);
    let machine = MachineProcess::with_flags(&url("lab-1"), "one", &certificates.flags("lab-1"));
    assert_eq!(site.wait_over(id)["state"], "finished");
    let seen = site.machines();
    assert!(seen.len() == 1 && seen[0]["name"] == "one", "{seen:?}");
    drop(stranger);
    // It has a user of its own by its certificate.
    let log = site.stop([machine]);
    assert!(!log.contains("has no user of its own"), "{log}");
}
