//! `morpion boinc run`: computes the unit of a slot directory.

use crate::cli::grid_input::plain;
use crate::cli::signals::{self, StopSignal};
use crate::cli::streams::say;
use crate::core::quantity::parse_bytes;
use crate::queue::any::AnyUnit;
use crate::queue::boinc::app::{AppEnd, AppEvent, AppTimes, BoincApp, CHECKPOINT};
use crate::queue::boinc::slot::Slot;
use crate::runner::cpu::process_seconds;
use crate::runner::parcel::ParcelOpener;
use anyhow::Context;
use crossbeam_channel::bounded;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Exit status that tells the client that the unit was aborted.
const ABORTED: u8 = 194;
/// Exit status of a unit that has failed; the client reports it to the project.
const FAILED: u8 = 1;

/// Compute the unit of a slot directory, as the BOINC client has it done
///
/// The unit is the file `in` of the directory, and its result is written to `out`. Under a client both are links, and
/// the client says when to pause, to go on and to leave. Without a client (no init_data.xml) the unit is computed to
/// its end or until Ctrl-C. The command continues from the checkpoint that an earlier run has left.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The slot directory. Default: the current one
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    slot: PathBuf,
    /// Most memory that the table of a solver may take. Where a solution asks for more, the table is smaller; where
    /// it has a quorum, the unit is refused
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1G")]
    memory: u64,
}

/// Runs the command.
///
/// # Errors
/// If signals cannot be watched.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stops = signals::stops().context("cannot watch for Ctrl-C")?;
    let (left, leave) = bounded(1);
    std::thread::Builder::new().name("leave".to_owned()).spawn(move || {
        let mut asked = false;
        for stop in stops {
            if std::mem::replace(&mut asked, true) {
                std::process::exit(signals::ENDED_AT_ONCE);
            }
            let again = if stop == StopSignal::Gently { "; Ctrl-C again ends it at once" } else { "" };
            say!("leaves with a checkpoint{again}");
            let _ = left.send(());
        }
    })?;
    let opener = ParcelOpener::new(args.memory, 1);
    let app: BoincApp<AnyUnit> = BoincApp {
        slot: Slot::new(&args.slot),
        open: Arc::new(move |bytes, worker| opener.open(bytes, worker)),
        leave,
        spent: || process_seconds().unwrap_or(0.0),
        times: AppTimes::default(),
        tell: Box::new(|event| match event {
            AppEvent::Began { client, continued } => {
                let how = if continued { "continues from the checkpoint" } else { "begins" };
                match client {
                    Some(name) => say!("workunit {}: {how}", plain(&name)),
                    None => say!("without a BOINC client: {how}"),
                }
            }
            AppEvent::Anew(why) => say!("begins anew, since {CHECKPOINT} cannot be used: {}", plain(&why)),
            AppEvent::Paused(true) => say!("pauses"),
            AppEvent::Paused(false) => say!("goes on"),
            AppEvent::Trouble(what) => say!("the memory of the client: {what}"),
        }),
    };
    let ended = match app.run() {
        Ok(ended) => ended,
        Err(error) => {
            say!("morpion: {}", plain(&error.to_string()));
            return Ok(ExitCode::from(FAILED));
        }
    };
    let (told, code) = match ended {
        AppEnd::Done => ("the result is written", 0),
        AppEnd::Left => ("has left with a checkpoint", 0),
        AppEnd::Lost => ("the BOINC client has gone; left with a checkpoint", 0),
        AppEnd::Later => ("another process computes in this slot; is to be started again later", 0),
        AppEnd::Aborted => ("aborted", ABORTED),
    };
    say!("{told}");
    Ok(ExitCode::from(code))
}
