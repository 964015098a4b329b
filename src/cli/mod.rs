//! The command line: one file per command, each with its `Args` and a `run`. stdout carries data, stderr messages.
//! Exit status: 0 done, 1 a negative answer (an illegal grid, say), 2 bad input or a failure, such as a full disk
//! behind stdout. `streams` opens both; a reader that goes ends a command quietly.

mod analyse;
mod archive;
mod backup;
mod bench;
mod board;
mod boinc;
mod book;
mod branching;
mod client;
mod completions;
mod config;
mod convert;
mod credit;
mod daemon;
mod display;
mod enumerate;
mod experiment;
mod file_format;
mod flags;
mod free_start;
mod grid;
mod grid_input;
mod gtp;
mod help;
mod hunt;
mod hunt_directory;
mod identify;
mod job;
mod library;
mod lines;
mod logging;
mod machine;
mod man;
mod matches;
mod moment;
mod nats_flags;
mod nats_users;
mod nboard;
mod pbrain;
mod perft;
mod picture_flags;
mod plan;
mod play;
mod player_flags;
mod plot;
mod positions;
mod prove;
mod records;
mod render;
mod resume;
mod selfplay;
mod service_manager;
mod show;
mod signals;
mod solve;
mod speedup;
mod state;
mod stats;
mod streams;
mod tactics;
mod terminal;
mod token;
mod top;
mod translation;
mod tune;
mod values;
mod vcf;
mod verify;
mod weights;
mod worker;

use self::grid_input::plain;
use self::streams::{DataOut, reader_has_gone, say};
use crate::core::panic::is_expected;
use crate::core::quantity::{parse_bytes, unit_seconds};
use crate::jobs::hunt_settings::HuntSettings;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Exit status of bad input and failures.
const FAILURE: u8 = 2;

/// Hunts records in Morpion Solitaire. Without a command it begins a hunt, as `morpion hunt` does.
#[derive(Debug, Parser)]
#[command(name = "morpion", version, args_conflicts_with_subcommands = true, args_override_self = true, after_help = help::EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    hunt: hunt::Args,
}

/// The arguments of a hunt alone, for reading configuration files.
#[derive(Debug, Parser)]
#[command(name = "morpion", args_override_self = true)]
struct HuntOnly {
    #[command(flatten)]
    hunt: hunt::Args,
}

/// The arguments of the daemon alone, for the same.
#[derive(Debug, Parser)]
#[command(name = "morpion", args_override_self = true)]
struct DaemonOnly {
    #[command(flatten)]
    daemon: daemon::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyse(Box<analyse::Args>),
    Archive(archive::Args),
    Backup(backup::Args),
    Bench(bench::Args),
    Board(board::Args),
    Boinc(boinc::Args),
    Book(book::Args),
    Branching(branching::Args),
    Completions(completions::Args),
    Convert(convert::Args),
    Credit(credit::Args),
    Daemon(daemon::Args),
    Enumerate(enumerate::Args),
    Experiment(experiment::Args),
    FreeStart(free_start::Args),
    Grid(grid::Args),
    Gtp(gtp::Args),
    Hunt(Box<hunt::Args>),
    Identify(identify::Args),
    Job(job::Args),
    Library(library::Args),
    Man(man::Args),
    Match(Box<matches::Args>),
    NatsUsers(nats_users::Args),
    Nboard(nboard::Args),
    Pbrain(pbrain::Args),
    Perft(perft::Args),
    Plan(plan::Args),
    Play(play::Args),
    Plot(plot::Args),
    Prove(Box<prove::Args>),
    Records(records::Args),
    Render(render::Args),
    Resume(resume::Args),
    Selfplay(selfplay::Args),
    Show(show::Args),
    Solve(solve::Args),
    Speedup(speedup::Args),
    State(state::Args),
    Stats(stats::Args),
    Tactics(tactics::Args),
    Token(token::Args),
    Top(top::Args),
    Tune(tune::Args),
    Vcf(vcf::Args),
    Verify(verify::Args),
    Worker(worker::Args),
}

/// The whole command line as clap knows it: for help, documents and tests.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command given by the process's arguments.
pub fn main() -> ExitCode {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_expected() {
            print(panic);
        }
    }));
    let mut out = DataOut::open();
    let parsed = parse(named_command(std::env::args_os().collect())).map_err(|error| error.downcast::<clap::Error>());
    let result = match parsed {
        Ok(Cli { command: None, hunt }) => hunt::run(hunt, &mut out),
        Ok(Cli { command: Some(command), .. }) => dispatch(command, &mut out),
        Err(Ok(usage)) => {
            streams::show_usage(&usage).map(|()| ExitCode::from(usage.exit_code() as u8)).map_err(Into::into)
        }
        Err(Err(error)) => Err(error),
    };
    match result.map(|code| (code, out.flush())) {
        Ok((code, Ok(()))) => code,
        // The reader of the output has gone (`morpion show | head`): not an error of this program.
        Ok((code, Err(error))) if reader_has_gone(&error) => code,
        Err(error) if reader_has_gone(&*error) => ExitCode::SUCCESS,
        Ok((_, Err(error))) => failed(&error.into()),
        Err(error) => failed(&error),
    }
}

/// Says why a command failed.
fn failed(error: &anyhow::Error) -> ExitCode {
    // Names of files and texts from files must not command the terminal.
    let lines: Vec<String> = message(error).split('\n').map(plain).collect();
    say!("morpion: {}", lines.join("\n"));
    ExitCode::from(FAILURE)
}

fn dispatch(command: Command, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match command {
        Command::Analyse(args) => analyse::run(*args, out),
        Command::Archive(args) => archive::run(args, out),
        Command::Backup(args) => backup::run(&args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Board(args) => board::run(&args, out),
        Command::Boinc(args) => boinc::run(args, out),
        Command::Book(args) => book::run(args, out),
        Command::Branching(args) => branching::run(args, out),
        Command::Completions(args) => completions::run(&args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Credit(args) => credit::run(&args, out),
        Command::Daemon(args) => daemon::run(&args),
        Command::Enumerate(args) => enumerate::run(args, out),
        Command::Experiment(args) => experiment::run(args, out),
        Command::FreeStart(args) => free_start::run(&args, out),
        Command::Grid(args) => grid::run(&args),
        Command::Gtp(args) => gtp::run(args, out),
        Command::Hunt(args) => hunt::run(*args, out),
        Command::Identify(args) => identify::run(args, out),
        Command::Job(args) => job::run(args, out),
        Command::Library(args) => library::run(args, out),
        Command::Man(args) => man::run(&args, out),
        Command::Match(args) => matches::run(*args, out),
        Command::NatsUsers(args) => nats_users::run(&args, out),
        Command::Nboard(args) => nboard::run(args, out),
        Command::Pbrain(args) => pbrain::run(args, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Plan(args) => plan::run(args, out),
        Command::Play(args) => play::run(args, out),
        Command::Plot(args) => plot::run(args, out),
        Command::Prove(args) => prove::run(*args, out),
        Command::Records(args) => records::run(args, out),
        Command::Render(args) => render::run(args, out),
        Command::Resume(args) => resume::run(args, out),
        Command::Selfplay(args) => selfplay::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::Speedup(args) => speedup::run(args, out),
        Command::State(args) => state::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Tactics(args) => tactics::run(args, out),
        Command::Token(args) => token::run(args, out),
        Command::Top(args) => top::run(args, out),
        Command::Tune(args) => tune::run(args, out),
        Command::Vcf(args) => vcf::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Worker(args) => worker::run(args),
    }
}

/// The arguments, with the command `pbrain` where the program file's name says that: managers of Gomoku games start
/// files that are called `pbrain-*`, without arguments.
fn named_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().and_then(|path| Path::new(path).file_name()?.to_str());
    if name.is_some_and(|name| name.starts_with("pbrain-")) {
        arguments.insert(1, "pbrain".into());
    }
    arguments
}

/// Parses the arguments; those of a configuration file that they name are put before them and parsed again.
///
/// # Errors
/// Clap's own error for bad arguments, and for the texts of help and version.
fn parse(mut arguments: Vec<OsString>) -> anyhow::Result<Cli> {
    let cli = parsed(&arguments).map_err(|error| explained(error, &arguments))?;
    let (config, at) = match &cli.command {
        None => (cli.hunt.config.clone(), 1),
        Some(Command::Hunt(args)) => (args.config.clone(), 2),
        Some(Command::Job(args)) => (args.config().map(Path::to_path_buf), 3),
        Some(Command::Daemon(args)) => (args.config.clone(), 2),
        Some(_) => return Ok(cli),
    };
    let Some(config) = config else { return Ok(cli) };
    let (settings, from_file) = match &cli.command {
        Some(Command::Daemon(_)) => (Vec::new(), config::arguments(&config, &DaemonOnly::command())?),
        Some(Command::Job(_)) => job::arguments(&config)?,
        _ => config::settings::<HuntSettings>(&config, &HuntOnly::command())?,
    };
    let is_subcommand = |first: &OsString| {
        ["solve", "prove", "match", "selfplay", "analyse", "tune", "tactics", "mine", "plan", "check"]
            .iter()
            .any(|kind| first == kind)
    };
    if matches!(cli.command, Some(Command::Job(_))) && from_file.first().is_some_and(is_subcommand) {
        // A subcommand, which has no place for the file's name.
        let named = (at..arguments.len()).find(|&at| arguments[at] == config.as_os_str());
        if let Some(at) = named {
            arguments.remove(at);
            if arguments[at - 1] == "--config" {
                arguments.remove(at - 1);
            }
        }
    }
    arguments.splice(at..at, from_file);
    let mut cli = parsed(&arguments)?;
    match &mut cli.command {
        None => cli.hunt.settings.after(settings),
        Some(Command::Hunt(args)) => args.settings.after(settings),
        Some(Command::Job(args)) => args.after(settings),
        Some(_) => {}
    }
    Ok(cli)
}

/// The arguments as the program's own command reads them.
fn parsed(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let width = streams::data_width().map_or(help::WIDTH, |width| width.clamp(40, help::WIDTH));
    Cli::from_arg_matches(&help::arrange(command(), width).try_get_matches_from(arguments)?)
}

/// The error, with a better explanation where a duration or a size was written as two words: `--time 5 min`.
fn explained(error: clap::Error, arguments: &[OsString]) -> anyhow::Error {
    let asked_for = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion].contains(&error.kind());
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    let split = words.windows(3).find(|words| {
        let [flag, number, unit] = words else { return false };
        let is_number = number.parse::<f64>().is_ok();
        let is_unit = unit_seconds(unit).is_some() || parse_bytes(&format!("1{unit}")).is_ok_and(|bytes| bytes > 1);
        flag.starts_with("--") && is_number && is_unit
    });
    match split {
        Some([flag, number, unit]) if !asked_for => anyhow::anyhow!(
            "'{number} {unit}' after {flag} is two words: write {flag} {number}{unit}, or {flag} '{number} {unit}'"
        ),
        _ => error.into(),
    }
}

/// The error and its causes, without the causes that the error's own text ends with.
fn message(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |text, cause| {
        let cause = cause.to_string();
        match text.as_str() {
            "" => cause,
            told if told.ends_with(&cause) => text,
            _ => format!("{text}: {cause}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    fn config(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/service").join(name)
    }

    /// The daemon's arguments in a command line.
    fn daemon_of(words: &[&str]) -> daemon::Args {
        match parse(words.iter().map(Into::into).collect()).unwrap().command {
            Some(Command::Daemon(args)) => args,
            other => panic!("{words:?} is {other:?}"),
        }
    }

    /// The worker's arguments in a command line.
    fn worker_of(words: &[&str]) -> worker::Args {
        match parse(words.iter().map(Into::into).collect()).unwrap().command {
            Some(Command::Worker(args)) => args,
            other => panic!("{words:?} is {other:?}"),
        }
    }

    /// What systemd understands in such a unit, by section.
    const KEYS: [(&str, &[&str]); 3] = [
        ("Unit", &["Description", "Documentation", "After", "Wants"]),
        (
            "Service",
            &[
                "Type",
                "User",
                "DynamicUser",
                "EnvironmentFile",
                "StateDirectory",
                "StateDirectoryMode",
                "ExecStart",
                "KillSignal",
                "TimeoutStopSec",
                "WatchdogSec",
                "Restart",
                "RestartSec",
                "Nice",
                "CPUSchedulingPolicy",
                "UMask",
                "NoNewPrivileges",
                "ProtectSystem",
                "ProtectHome",
                "PrivateTmp",
                "PrivateDevices",
                "ProtectKernelTunables",
                "ProtectControlGroups",
                "RestrictAddressFamilies",
                "MemoryDenyWriteExecute",
            ],
        ),
        ("Install", &["WantedBy"]),
    ];

    #[test]
    fn a_quantity_in_two_words_is_explained() {
        for (line, hint) in [
            ("morpion --time 5 min", "--time 5min, or --time '5 min'"),
            ("morpion hunt --quiet --time 2 h", "--time 2h"),
            ("morpion job wait 3 --timeout 90 s", "--timeout 90s"),
            ("morpion solve reversi --memory 2 GiB", "--memory 2GiB"),
        ] {
            let error = parse(line.split(' ').map(Into::into).collect()).unwrap_err().to_string();
            assert!(error.contains(hint), "{line}: {error}");
        }
        let error = parse(["morpion", "--time", "soon"].map(Into::into).to_vec()).unwrap_err().to_string();
        assert!(error.contains("60s"), "{error}");
        parse(["morpion", "--time", "5 min"].map(Into::into).to_vec()).unwrap();
    }

    /// A unit of systemd.
    struct ServiceUnit {
        text: String,
        settings: BTreeMap<(String, String), String>,
    }

    impl ServiceUnit {
        fn read(name: &str) -> Self {
            let text = std::fs::read_to_string(config(name)).unwrap();
            let (mut section, mut settings) = (String::new(), BTreeMap::new());
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
                if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                    assert!(KEYS.iter().any(|(known, _)| *known == name), "[{name}]");
                    section = name.to_owned();
                    continue;
                }
                let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("'{line}' is no setting"));
                let known = KEYS.iter().find(|(known, _)| *known == section).expect("a section");
                assert!(known.1.contains(&key), "[{section}] has no {key}, or this test does not know it");
                assert!(!value.is_empty() && value.trim() == value, "{line}");
                let earlier = settings.insert((section.clone(), key.to_owned()), value.to_owned());
                assert!(earlier.is_none(), "{key} is given twice");
            }
            let unit = Self { text, settings };
            unit.check_common(name);
            unit
        }

        fn get(&self, section: &str, key: &str) -> &str {
            let value = self.settings.get(&(section.to_owned(), key.to_owned()));
            value.unwrap_or_else(|| panic!("[{section}] has no {key}"))
        }

        fn command(&self) -> Vec<&str> {
            self.get("Service", "ExecStart").split_whitespace().collect()
        }

        /// What holds for every unit.
        fn check_common(&self, name: &str) {
            let get = |key| self.get("Service", key);
            let program = self.command()[0];
            assert!(program.starts_with('/') && program.ends_with("/morpion"), "{program}");
            assert!(self.text.contains(&format!("cp configs/service/{name} ")), "how {name} is installed");
            assert!(get("RestrictAddressFamilies").split(' ').any(|family| family == "AF_INET"));
            // The signal that ends the program with everything saved, in a time that it can keep.
            assert_eq!(get("KillSignal"), "SIGTERM");
            assert!(get("TimeoutStopSec").parse::<u32>().unwrap() >= 30);
            assert!(["on-failure", "always"].contains(&get("Restart")));
            assert_eq!((get("Type"), get("UMask"), get("ProtectSystem")), ("notify", "0077", "strict"));
            assert!((-20..=19).contains(&get("Nice").parse::<i32>().unwrap()));
            assert!(["other", "batch", "idle"].contains(&get("CPUSchedulingPolicy")));
            assert_eq!(self.get("Install", "WantedBy"), "multi-user.target");
            assert!(!self.get("Unit", "Description").is_empty());
        }
    }

    #[test]
    fn the_unit_of_systemd_starts_the_daemon() {
        let unit = ServiceUnit::read("morpion.service");
        let args = daemon_of(&unit.command());
        // ProtectSystem=strict makes everything else read-only, so the state has to lie in the unit's own directory.
        let state = format!("/var/lib/{}", unit.get("Service", "StateDirectory"));
        assert_eq!(args.state, Path::new(&state));
        assert_eq!(unit.get("Service", "StateDirectoryMode"), "0700");
        // Loopback asks for no token, which nobody would have made yet.
        assert!(args.listen.ip().is_loopback(), "{}", args.listen);
        // The user that the comment says how to make, and that packages make, with this home.
        let user = unit.get("Service", "User");
        assert!(unit.text.contains(&format!("--home-dir {state} {user}\n")), "how {user} is made");
        let users = std::fs::read_to_string(config("morpion.sysusers")).unwrap();
        assert!(users.starts_with(&format!("u {user} - ")) && users.ends_with(&format!(" {state}\n")), "{users}");
    }

    #[test]
    fn the_unit_of_systemd_starts_a_worker() {
        let unit = ServiceUnit::read("morpion-worker.service");
        // A worker keeps nothing, so it needs no directory and no lasting user.
        assert_eq!(unit.get("Service", "DynamicUser"), "yes");
        assert!(unit.get("Service", "RestartSec").parse::<u32>().unwrap() >= 1);
        // The address of the server comes from the file that the comment says how to install.
        let file = unit.get("Service", "EnvironmentFile");
        assert!(
            unit.text.contains(&format!("-m 0600 configs/service/worker.env {file}\n")),
            "how {file} is installed"
        );
        let environment = std::fs::read_to_string(config("worker.env")).unwrap();
        let example = environment.lines().find_map(|line| line.strip_prefix("#MORPION_NATS="));
        let words = [unit.command(), vec!["--nats", example.expect("an example")]].concat();
        let server = worker_of(&words).nats.server().expect("a server");
        assert!(!server.address().contains("password") && server.address().contains("10.0.0.1:4222"));
    }

    #[test]
    fn the_daemon_in_a_container_keeps_its_state_in_the_volume() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = root.join("packaging/container/daemon.toml");
        let args = daemon_of(&["morpion", "daemon", "--config", path.to_str().unwrap()]);
        let recipe = std::fs::read_to_string(root.join("Dockerfile")).unwrap();
        let has = |line: String| recipe.lines().any(|known| known == line);
        assert!(has(format!("VOLUME {}", args.state.display())), "{}", args.state.display());
        assert!(has(format!("EXPOSE {}", args.listen.port())), "{}", args.listen);
        // Other machines reach it, and so it asks for tokens.
        assert!(args.listen.ip().is_unspecified(), "{}", args.listen);
    }

    #[test]
    fn the_daemons_configuration_is_read_and_flags_win_over_it() {
        let path = config("daemon.toml");
        let path = path.to_str().unwrap();
        let plain = daemon_of(&["morpion", "daemon"]);
        let args = daemon_of(&["morpion", "daemon", "--config", path]);
        // It shows the defaults.
        assert_eq!((&args.state, args.listen, args.threads), (&plain.state, plain.listen, plain.threads));
        // What is commented out would be taken, too.
        let whole = std::fs::read_to_string(path).unwrap().replace("# threads = 8", "threads = 8");
        let directory = tempfile::tempdir().unwrap();
        let other = directory.path().join("daemon.toml");
        std::fs::write(&other, whole.replace(":7878", ":7879")).unwrap();
        let other = other.to_str().unwrap();
        let args = daemon_of(&["morpion", "daemon", "--config", other]);
        assert_eq!((args.threads, args.listen.port()), (Some(8), 7879));
        let args = daemon_of(&["morpion", "daemon", "--config", other, "--threads", "3", "--state", "elsewhere"]);
        assert_eq!((args.threads, args.listen.port(), args.state), (Some(3), 7879, "elsewhere".into()));
        std::fs::write(other, "thread = 8\n").unwrap();
        let error = parse(["morpion", "daemon", "--config", other].map(Into::into).to_vec()).err().unwrap();
        assert!(error.to_string().contains("unknown key 'thread'"), "{error}");
    }
}
