//! `morpion nats-users`: a NATS server's configuration with a user for each machine.

use super::streams::say;
use crate::notation::file::{Existing, save};
use crate::queue::nats::POOL;
use crate::queue::nats::message::Names;
use crate::queue::nats::rights;
use anyhow::Context;
use rand::RngExt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write the users of a NATS server: the daemon, and one for each machine.
///
/// Each machine can then speak in its own name alone, and overhears nothing that others are told. The file is made
/// for its owner alone. If it is there, the machines are added to it and the others keep their passwords;
/// `nats-server --signal reload` has a running server read it. What each new user is to have as MORPION_NATS goes to
/// the standard output.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Names of machines: letters, digits, `-` and `_`
    #[arg(required = true, value_name = "MACHINE")]
    machines: Vec<String>,
    /// File that `nats-server -c` reads
    #[arg(short, long, value_name = "FILE", default_value = "nats.conf")]
    output: PathBuf,
    /// Directory in which the server keeps what is on its way, if the file is new
    #[arg(long, value_name = "DIR", default_value = "nats-data")]
    store: String,
    /// Where the server is reached, for the addresses that are printed
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:4222")]
    address: String,
    /// Name of the pool of workers
    #[arg(long, value_name = "NAME", default_value = POOL)]
    pool: String,
}

/// Runs the command.
///
/// # Errors
/// Names that cannot be used, a file that is another one's or cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let names = Names::new(&args.pool)?;
    let path = args.output.display();
    let mut added = Vec::new();
    let mut text = match std::fs::read_to_string(&args.output) {
        Ok(text) if !text.is_empty() => text,
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("{path}: cannot be read"));
        }
        // A crash between the two steps of the first write leaves it empty.
        _ => {
            let password = password();
            let text = rights::configuration(&names, Some(&args.store), &password)?;
            added.push((rights::DAEMON, password));
            text
        }
    };
    for machine in &args.machines {
        let password = password();
        text = rights::with_machine(&text, &names, machine, &password).with_context(|| path.to_string())?;
        added.push((machine.as_str(), password));
    }
    let owner = make_private(&args.output).with_context(|| format!("{path}: cannot be made"))?;
    save(&args.output, text.as_bytes(), Existing::Replace).with_context(|| format!("{path}: cannot be written"))?;
    say!("{path} has the users; each is to have its own line as its MORPION_NATS:");
    for (user, password) in added {
        writeln!(out, "MORPION_NATS=nats://{user}:{password}@{}", args.address)?;
    }
    out.flush()?;
    give_back(&args.output, owner).with_context(|| format!("{path}: cannot be given back to its owner"))?;
    Ok(ExitCode::SUCCESS)
}

/// A password that nobody guesses.
fn password() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

/// The numbers of the user and the group that a file belongs to.
type Owner = (u32, u32);

/// Makes a file for its owner alone, if it is missing; its owner. What replaces it gets its permissions.
fn make_private(path: &Path) -> std::io::Result<Owner> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(owner(&options.open(path)?.metadata()?))
}

/// Where root has replaced a file of the server's user, that user has it again.
#[cfg(unix)]
fn give_back(path: &Path, (user, group): Owner) -> std::io::Result<()> {
    if owner(&path.metadata()?) == (user, group) {
        return Ok(());
    }
    std::os::unix::fs::chown(path, Some(user), Some(group))
}

#[cfg(not(unix))]
fn give_back(_path: &Path, _owner: Owner) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn owner(of: &std::fs::Metadata) -> Owner {
    use std::os::unix::fs::MetadataExt;
    (of.uid(), of.gid())
}

#[cfg(not(unix))]
fn owner(_of: &std::fs::Metadata) -> Owner {
    (0, 0)
}
