//! `morpion daemon`: takes jobs and runs them for weeks.

use super::logging::LogFlags;
use super::nats_flags::NatsFlags;
use super::service_manager::ServiceManager;
use super::signals::{self, StopSignal};
use super::worker::account;
use crate::core::quantity::parse_bytes;
use crate::daemon::api::{ServerOptions, admit};
use crate::daemon::credit::{CreditOptions, CreditRule, DAEMON};
use crate::daemon::memory::default_budget;
use crate::daemon::scheduler::{Daemon, DaemonOptions, Retention, Shutdown, salvage};
use crate::daemon::service::Service;
use crate::daemon::serving::Serving;
use crate::daemon::tokens::TokenFile;
use crate::queue::boinc::hub::{HubEvent, HubOptions, MOST_UNITS};
use crate::queue::local::LocalOptions;
use crate::queue::nats::NatsOptions;
use crate::runner::CHECKPOINT;
use crate::runner::benchmark;
use crate::runner::parcel::{ParcelOpener, identity};
use anyhow::{Context, bail};
use crossbeam_channel::{bounded, select};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Run the daemon: it takes jobs, shares the processors among them, and keeps everything it finds.
///
/// After Ctrl-C it begins no further unit, and ends when the running ones are done. After a second Ctrl-C, or after
/// SIGTERM, it saves all searches and ends at once; it continues them when it is started again. A third Ctrl-C ends
/// the process without saving. With --boinc the first Ctrl-C does what the second one does: units on their way to
/// volunteers are found again.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Daemon")]
pub struct Args {
    /// Directory for everything that is kept. If it is missing it is made, readable by its owner alone.
    #[arg(long, value_name = "DIR", default_value = "morpion-state")]
    pub state: PathBuf,
    /// Number of workers of this process. Default: one per processor. 0 with --nats or --boinc: only others compute.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub threads: Option<u32>,
    /// Memory that all jobs may take together. A job that does not fit waits. Default: 55 % of what the machine or
    /// the control group of the daemon has.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Disk that a job may take that has no limit of its own: the archive of a hunt, the files of a solution. A hunt
    /// that comes near it keeps better grids only; a solution that reaches it is quarantined.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "4G")]
    pub job_disk: u64,
    /// Keep so many of the jobs that are over, those that ended last, and remove older ones with their folders; their
    /// grids stay. Default: all are kept.
    #[arg(long, value_name = "N")]
    pub keep_finished: Option<u64>,
    /// Keep the lists of units of so many of the jobs that are over. Of older jobs only quarantined units are listed.
    #[arg(long, value_name = "N", default_value_t = Retention::default().units)]
    pub keep_units: u64,
    /// Quarantine a job when the daemon has died so often while it ran, before it had saved anything or finished a
    /// unit. 0: never.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub quarantine_after: u32,
    /// Address and port to listen on. On any address but a loopback one, clients need a token (`morpion token`).
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7878")]
    pub listen: SocketAddr,
    /// A further name by which clients address the daemon, in addition to localhost and addresses in numbers; may be
    /// given several times.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Address of a proxy that carries the requests of many clients, unless it is a loopback address: it may have as
    /// many connections as there are, and another address a quarter of them; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub proxy: Vec<IpAddr>,
    /// Make a new store (`morpion.redb`) from the folders of the jobs and from what can be read of the old one, if
    /// the old one is damaged, missing, or does not know all folders. The old one is kept under another name.
    #[arg(long)]
    pub salvage: bool,
    #[command(flatten)]
    pub nats: NatsFlags,
    /// How many machines have to say the same of a unit of a match, self-play, an analysis, tactics, mining or the
    /// check of a plan. What the workers of this process compute needs no other. Solutions have quorums of their own.
    #[arg(long, value_name = "N", help_heading = "NATS server", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=9))]
    pub machine_quorum: u32,
    /// Offer units to volunteers, by way of this directory, from which a BOINC server gets them (`morpion boinc`). It
    /// is made if it is missing.
    #[arg(long, value_name = "DIR", help_heading = "Volunteers")]
    pub boinc: Option<PathBuf>,
    /// Number of units that are on their way to volunteers and back at once.
    #[arg(long, value_name = "N", help_heading = "Volunteers", default_value_t = 64, requires = "boinc",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_UNITS)))]
    pub boinc_units: u32,
    /// What credit is given for: the time of workers times the speed of their machine, or each unit alike.
    #[arg(long, value_name = "RULE", value_enum, default_value_t = CreditRule::default(), help_heading = "Credit")]
    pub credit: CreditRule,
    /// Give the credit for an answer to a unit of a solution at once. Otherwise it is given when as many workers
    /// agree as the quorum says.
    #[arg(long, help_heading = "Credit")]
    pub credit_early: bool,
    /// Who gets the credit for what the workers of this process compute.
    #[arg(long, value_name = "NAME", env = "MORPION_USER", default_value = DAEMON, value_parser = account,
          help_heading = "Credit")]
    pub user: String,
    #[command(flatten)]
    pub log: LogFlags,
    /// Read flags from a TOML file, such as `threads = 8`. Flags of the command line win.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// A state directory that is in use, damaged, or cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.threads == Some(0) && args.nats.nats.is_none() && args.boinc.is_none() {
        bail!(
            "--threads 0: nobody would compute; give at least 1, or a server for workers of other machines (--nats), \
             or a directory for volunteers (--boinc)"
        );
    }
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    // Before anything else: with the port taken, another daemon may be meant.
    let listener = TcpListener::bind(args.listen).with_context(|| format!("cannot listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    let manager = ServiceManager::find();
    let _log = args.log.begin()?;
    let told = args.log.language();
    let mut options = ServerOptions::new(Arc::new(|line: &str| tracing::error!("{line}")));
    options.tokens = Some(Arc::new(TokenFile::in_directory(&args.state)));
    options.hosts.clone_from(&args.host);
    options.proxies.clone_from(&args.proxy);
    admit(address, &options)?;
    if args.salvage {
        for line in salvage(&args.state)? {
            tracing::warn!("{line}");
        }
    }
    let user = if args.user.is_empty() { DAEMON.to_owned() } else { args.user.clone() };
    let daemon = Daemon::open(DaemonOptions {
        state: args.state.clone(),
        workers: args.threads.unwrap_or(processors),
        queue: LocalOptions::default(),
        pace: CHECKPOINT,
        most_deaths: args.quarantine_after,
        credit: CreditOptions { rule: args.credit, early: args.credit_early, user },
        memory: args.memory.unwrap_or_else(default_budget),
        job_disk: args.job_disk,
        machine_quorum: args.machine_quorum,
        retention: Retention { jobs: args.keep_finished, units: args.keep_units },
        trap: None,
    })?;
    if args.credit == CreditRule::Time && args.threads != Some(0) {
        let daemon = Arc::downgrade(&daemon);
        let measure = move || {
            let speed = benchmark::speed();
            daemon.upgrade().inspect(|daemon| daemon.set_speed(speed));
        };
        std::thread::Builder::new().name("benchmark".to_owned()).spawn(measure)?;
    }
    if let Some(text) = unknown(daemon.unknown_folders()) {
        tracing::warn!("{text}");
    }
    if let Some(server) = args.nats.server() {
        daemon.open_pool(&server, NatsOptions::default())?;
    }
    if let Some(spool) = &args.boinc {
        daemon.open_volunteers(spool, volunteers(args.boinc_units))?;
        tracing::info!("units are offered to volunteers in {}", spool.display());
    }
    let stops = signals::stops().context("cannot watch for Ctrl-C")?;
    let service: Arc<dyn Service> = Arc::clone(&daemon) as _;
    let serving = Serving::start(service, listener, options)?;
    let runs = told.text("the daemon runs in {0}: http://{1}/", &[&args.state.display(), &address]);
    tracing::info!(%address, "{runs}");
    manager.ready(&daemon.summary());
    let (ended, end) = bounded(1);
    let mut asked = None;
    loop {
        let stop = select! {
            recv(stops) -> stop => stop.context("the signals are no longer watched")?,
            recv(end) -> _ => break,
            recv(manager.beats()) -> _ => {
                manager.works(&daemon.summary());
                continue;
            }
            recv(serving.ended()) -> served => {
                // Nobody reaches it any more: everything is saved, and the error told.
                daemon.shutdown(Shutdown::Now);
                served.context("the API has gone")??;
                break;
            }
        };
        let how = match (stop, asked) {
            (_, Some(Shutdown::Now)) => std::process::exit(signals::ENDED_AT_ONCE),
            // Units of volunteers may take days, and are found again.
            (StopSignal::Gently, None) if args.boinc.is_none() => Shutdown::WhenUnitsEnd,
            _ => Shutdown::Now,
        };
        if how == Shutdown::WhenUnitsEnd {
            tracing::info!(
                "{}",
                told.text("ends when the running units are done; Ctrl-C again ends it at once", &[])
            );
        } else {
            tracing::info!("{}", told.text("saves all searches and ends", &[]));
        }
        manager.stopping("ends");
        asked = Some(how);
        let (daemon, ended) = (Arc::clone(&daemon), ended.clone());
        std::thread::Builder::new().name("shutdown".to_owned()).spawn(move || {
            daemon.shutdown(how);
            // The first to be through ends the process.
            let _ = ended.try_send(());
        })?;
    }
    drop(serving);
    tracing::info!("{}", told.text("the daemon has ended", &[]));
    Ok(ExitCode::SUCCESS)
}

/// How units are offered to volunteers. Their program is taken to be built as this one is.
fn volunteers(units: u32) -> HubOptions {
    let tell = |event| match event {
        HubEvent::Done(name) => tracing::debug!("workunit {name}: its result is taken in"),
        HubEvent::Refused(name, what) => tracing::warn!("workunit {name}: its result is refused: {what}"),
        HubEvent::Failed(name, why) => tracing::warn!("workunit {name}: {why}"),
        HubEvent::Trouble(what) => tracing::error!("volunteers: {what}; it is tried again"),
    };
    let (abilities, speed) = (ParcelOpener::abilities_of_volunteers(), benchmark::REFERENCE_SPEED);
    HubOptions { units, abilities, speed, identify: identity, tell: Box::new(tell) }
}

/// What to say of folders that the store does not know.
fn unknown(folders: &[u64]) -> Option<String> {
    const MOST: usize = 10;
    let named: Vec<String> = folders.iter().take(MOST).map(u64::to_string).collect();
    let more = if folders.len() > MOST { ", ..." } else { "" };
    (!folders.is_empty()).then(|| {
        format!(
            "the store does not know {} folders in `jobs`, which are left alone: {}{more}; `--salvage` adds their jobs",
            folders.len(),
            named.join(", ")
        )
    })
}
