//! `morpion worker`: a machine that computes units of a daemon on another one.

use super::logging::LogFlags;
use super::nats_flags::NatsFlags;
use super::service_manager::ServiceManager;
use super::signals::{self, StopSignal};
use crate::core::quantity::{grouped, parse_bytes};
use crate::queue::effort::{LONGEST_NAME, is_account_name};
use crate::queue::local::LocalOptions;
use crate::queue::nats::worker::{Machine, MachineIdentity, WorkerEvent};
use crate::runner::benchmark;
use crate::runner::parcel::ParcelOpener;
use anyhow::{Context, bail};
use crossbeam_channel::select;
use std::process::ExitCode;
use std::sync::Arc;

/// Compute units for a daemon on another machine, by way of a NATS server.
///
/// The worker fetches units of hunts, solutions, proofs and most other jobs, says what it finds, and keeps nothing.
/// It can be started before the daemon, and be ended at any time: after Ctrl-C or SIGTERM it gives its units back
/// with the states of their searches. A second signal ends it at once; the daemon hands its units out again some
/// seconds later.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Worker")]
pub struct Args {
    #[command(flatten)]
    pub nats: NatsFlags,
    /// Number of units that are computed at once. Default: one per processor.
    #[arg(long, visible_alias = "threads", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: Option<u32>,
    /// Name of the machine, as the daemon shows it. Default: the name of the computer.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Most memory that the table of one worker may take. Where a solution asks for more, the table is smaller here;
    /// where it has a quorum, its units are refused, as are units of players that need more.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1G")]
    memory: u64,
    /// Who gets the credit for what it computes: 1 to 40 letters, digits, spaces, `-`, `_`, `.` and `@`. Default: the
    /// name of the machine.
    #[arg(long, value_name = "NAME", env = "MORPION_USER", value_parser = account)]
    user: Option<String>,
    /// The team of the user, if any.
    #[arg(long, value_name = "NAME", env = "MORPION_TEAM", value_parser = account)]
    team: Option<String>,
    #[command(flatten)]
    log: LogFlags,
}

/// Runs the command.
///
/// # Errors
/// No server is named, or it cannot be used.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(server) = args.nats.server() else {
        bail!("which server? Give its address with --nats URL, or in MORPION_NATS (see docs/scale-out.md)");
    };
    let name = args.name.unwrap_or_else(host_name);
    if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        bail!("--name: give a name of 1 to 100 bytes without control characters");
    }
    let workers = args.workers.unwrap_or_else(|| super::machine::processors() as u32);
    let _log = args.log.begin()?;
    let manager = ServiceManager::find();
    let speed = benchmark::speed();
    tracing::info!(speed, "one thread plays {} random games per second", grouped(speed.into()));
    let stops = signals::stops().context("cannot watch for Ctrl-C")?;
    let (leave, leaving) = tokio::sync::watch::channel(false);
    let told = manager.clone();
    std::thread::Builder::new().name("leave".to_owned()).spawn(move || {
        let mut asked = false;
        loop {
            let stop = select! {
                recv(stops) -> stop => stop,
                recv(told.beats()) -> _ => {
                    told.works("computes units");
                    continue;
                }
            };
            let Ok(stop) = stop else { return };
            if asked {
                std::process::exit(signals::ENDED_AT_ONCE);
            }
            asked = true;
            let again = if stop == StopSignal::Gently { "; Ctrl-C again ends it at once" } else { "" };
            tracing::info!("gives its units back{again}");
            told.stopping("gives its units back");
            let _ = leave.send(true);
        }
    })?;
    let (opener, abilities) = (ParcelOpener::new(args.memory, workers), ParcelOpener::abilities());
    let (pool, address) = (server.pool.clone(), server.address());
    let tell = move |event| match event {
        WorkerEvent::Connected => {
            let wait = if workers == 1 {
                "1 worker waits for units".to_owned()
            } else {
                format!("{workers} workers wait for units")
            };
            tracing::info!(pool, "connected to {address}, pool {pool}: {wait}");
        }
        WorkerEvent::Disconnected => tracing::warn!("the connection is lost; units go on, and it is tried again"),
        WorkerEvent::Trouble(what) => tracing::warn!("the server: {what}"),
        WorkerEvent::Refused(what) => tracing::warn!("a unit is refused: {what}"),
        WorkerEvent::Message(text) => tracing::warn!("a message from the daemon: {text}"),
    };
    tracing::info!("machine {name}: waits for the server {}", server.address());
    manager.ready("waits for units");
    let [user, team] = [args.user, args.team].map(|name| name.filter(|name| !name.is_empty()));
    let identity = MachineIdentity { user, team, speed };
    let machine = Machine { server, name, workers, lease: LocalOptions::default().lease, abilities, identity };
    machine.work(Arc::new(move |bytes, worker| opener.open(bytes, worker)), leaving, Box::new(tell))?;
    tracing::info!("ended");
    Ok(ExitCode::SUCCESS)
}

/// A name of an account; an empty one is as good as none.
pub fn account(name: &str) -> Result<String, String> {
    if name.is_empty() || is_account_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!(
        "expected 1 to {LONGEST_NAME} letters, digits, spaces, '-', '_', '.' and '@', beginning with a letter or digit"
    ))
}

/// The name of the computer.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "worker".to_owned() } else { name.to_owned() }
}
