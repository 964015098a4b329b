//! `morpion boinc validate` and `assimilate`: what a BOINC server calls when results come in.

use super::SpoolFlag;
use crate::cli::grid_input::plain;
use crate::cli::streams::say;
use crate::queue::any::AnyUnit;
use crate::queue::boinc::judge::{Judgement, agree, judge};
use crate::queue::boinc::package::UnitWords;
use crate::queue::boinc::slot::Slot;
use crate::queue::boinc::spool::{Spool, SpoolError, is_name, workunit_of};
use crate::queue::nats::worker::{NotOpened, OpenUnit};
use crate::runner::parcel::ParcelOpener;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Exit status by which the server tries again later.
const LATER: u8 = 3;

/// Check the result of a workunit, or whether two results of it agree
///
/// To be called by the server's script_validator. The exit status is 0 for a good result or two that agree, 1 for a
/// bad one or two that differ, and 3 if it cannot be said now. Every grid is replayed by the rules, every step of a
/// proof is checked. Which workunit a file belongs to, its name says.
#[derive(Debug, clap::Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    spool: SpoolFlag,
    /// File of the result
    #[arg(value_name = "FILE")]
    result: PathBuf,
    /// File of another result of the same workunit, to be compared
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,
}

/// Take the result of a workunit in, or note that the server has given it up
///
/// To be called by the server's script_assimilator. The result is checked once more, and put where the daemon takes
/// it up. That a workunit is not known any more is no error: its unit is done.
#[derive(Debug, clap::Args)]
pub struct AssimilateArgs {
    #[command(flatten)]
    spool: SpoolFlag,
    /// The server has given the workunit up, for these reasons in its own numbers
    #[arg(long, value_name = "N")]
    error: Option<i64>,
    /// Name of the workunit
    #[arg(value_name = "WORKUNIT")]
    workunit: String,
    /// File of the result; after --error, what else the server says
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Nothing is computed here, so no table is made, however large it is to be.
fn opener() -> OpenUnit<AnyUnit> {
    let opener = ParcelOpener::new(u64::MAX, 1);
    Arc::new(move |bytes, worker| opener.open(bytes, worker))
}

/// A verdict and why.
enum ResultVerdict {
    Good,
    Bad(String),
    Later(String),
}

impl ResultVerdict {
    fn code(self, what: &str) -> ExitCode {
        match self {
            ResultVerdict::Good => ExitCode::SUCCESS,
            ResultVerdict::Bad(why) => {
                say!("morpion: {what}: {}", plain(&why));
                ExitCode::FAILURE
            }
            ResultVerdict::Later(why) => {
                say!("morpion: {what}: cannot be judged now: {}", plain(&why));
                ExitCode::from(LATER)
            }
        }
    }
}

impl From<Judgement> for ResultVerdict {
    fn from(judgement: Judgement) -> ResultVerdict {
        match judgement {
            // Another build of this program can.
            Judgement::Unit(NotOpened::Unable(why)) => ResultVerdict::Later(why),
            other => ResultVerdict::Bad(other.to_string()),
        }
    }
}

/// The packed unit of a workunit, and whether it is still needed; nothing if it has been forgotten.
fn unit(spool: &Spool, name: &str) -> Result<Option<(Vec<u8>, bool)>, ResultVerdict> {
    spool.unit(name).map_err(|error| match error {
        SpoolError::Name(_) => ResultVerdict::Bad(error.to_string()),
        _ => ResultVerdict::Later(error.to_string()),
    })
}

/// A result that is good, and its outcome.
fn judged(open: &OpenUnit<AnyUnit>, packed: &[u8], file: &Path) -> Result<(Vec<u8>, Vec<u8>), ResultVerdict> {
    let bytes = Slot::read(file).map_err(|error| ResultVerdict::Later(error.to_string()))?;
    let result = UnitWords::from_file(&bytes).map_err(|error| ResultVerdict::Bad(error.to_string()))?;
    let outcome = judge(open, packed, &result)?;
    Ok((bytes, outcome))
}

/// Runs `validate`.
///
/// # Errors
/// If there is no spool.
pub fn validate(args: &ValidateArgs) -> anyhow::Result<ExitCode> {
    let spool = match Spool::open(&args.spool.spool) {
        Ok(spool) => spool,
        Err(error) => return Ok(ResultVerdict::Later(error.to_string()).code("the directory of the daemon")),
    };
    let what = args.result.display().to_string();
    Ok(compared(&spool, args).unwrap_or_else(|verdict| verdict).code(&plain(&what)))
}

fn compared(spool: &Spool, args: &ValidateArgs) -> Result<ResultVerdict, ResultVerdict> {
    let name = |path: &Path| {
        workunit_of(path)
            .ok_or_else(|| ResultVerdict::Bad("its name does not begin with that of a workunit".to_owned()))
    };
    let workunit = name(&args.result)?;
    let Some((packed, _)) = unit(spool, &workunit)? else {
        return Err(ResultVerdict::Bad("its workunit is not known any more".to_owned()));
    };
    let open = opener();
    let (_, outcome) = judged(&open, &packed, &args.result)?;
    let Some(other) = &args.other else { return Ok(ResultVerdict::Good) };
    if name(other)? != workunit {
        return Err(ResultVerdict::Bad("the two results are of different workunits".to_owned()));
    }
    let (_, others) = judged(&open, &packed, other)?;
    if agree(&open, &packed, &outcome, &others)? {
        Ok(ResultVerdict::Good)
    } else {
        Ok(ResultVerdict::Bad("the two results differ".to_owned()))
    }
}

/// Runs `assimilate`.
///
/// # Errors
/// A spool or a result that cannot be used: the server tries again.
pub fn assimilate(args: &AssimilateArgs) -> anyhow::Result<ExitCode> {
    let spool = Spool::open(&args.spool.spool)?;
    let name = &args.workunit;
    if !is_name(name) {
        bail!("'{name}' is not the name of a workunit of this program");
    }
    let known = spool.unit(name)?;
    let Some((packed, true)) = known else {
        say!("workunit {name}: its unit is not needed any more");
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(reasons) = args.error {
        spool.put_failure(name, &format!("the server has given it up, with error mask {reasons}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let [file] = &args.files[..] else {
        bail!("workunit {name}: give the file of its result, one of them");
    };
    let open = opener();
    match judged(&open, &packed, file) {
        Ok((bytes, _)) => {
            spool.put_result(name, &bytes).with_context(|| format!("workunit {name}"))?;
            say!("workunit {name}: its result waits for the daemon");
            Ok(ExitCode::SUCCESS)
        }
        Err(ResultVerdict::Bad(why)) => {
            // The validator has passed what it should not have. The unit is computed again.
            spool.put_failure(name, &format!("its result is refused: {why}"))?;
            Ok(ResultVerdict::Bad(why).code(name))
        }
        Err(verdict) => Ok(verdict.code(name)),
    }
}
