//! `morpion plot`: the best score of hunts against their running time.

use super::hunt_directory::warn_of;
use super::picture_flags::PictureFlags;
use super::values::Colours;
use crate::render::plot::{HuntCurve, PlotOptions, TimeAxis, plot};
use crate::runner::events::{self, HuntEventKind, ReadLog, SessionStart};
use crate::runner::status::clock;
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw the best score of one or more hunts against their running time.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directories of hunts
    #[arg(value_name = "DIR", default_value = super::hunt_directory::OUTPUT)]
    directories: Vec<PathBuf>,
    /// Picture to write, .png or .svg
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    picture: PictureFlags,
    /// Colours of the picture
    #[arg(long, value_enum, default_value_t = Colours::Light)]
    theme: Colours,
    /// Axis of time
    #[arg(long, value_enum, default_value_t = Axis::Auto)]
    axis: Axis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Axis {
    /// Logarithmic if that shows more
    Auto,
    /// Linear, from 0 on
    Linear,
    /// Logarithmic in any case
    Log,
}

/// Runs the command.
///
/// # Errors
/// A directory without readable events, or a picture that exists or cannot be written.
pub fn run(args: Args, _out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let picture = args.picture.at(&args.output)?;
    let hunts = args.directories.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let (sessions, series): (Vec<SessionStart>, Vec<HuntCurve>) = hunts.into_iter().unzip();
    let variant = sessions[0].variant;
    let same_variant = sessions.iter().all(|session| session.variant == variant);
    let title = match &series[..] {
        [only] => only.name.clone(),
        _ if same_variant => format!("{variant}: best score of {} hunts", series.len()),
        _ => format!("best score of {} hunts", series.len()),
    };
    let best = series.iter().flat_map(|s| s.bests.last()).map(|&(_, score)| score).max().unwrap_or(0);
    // Far below the record its line would only press the curves together.
    let is_of_cross = sessions.iter().all(|session| session.start.is_cross());
    let near = same_variant && is_of_cross && 5 * best >= 4 * variant.record();
    let options = |size| PlotOptions {
        size,
        theme: args.theme.into(),
        axis: match args.axis {
            Axis::Auto => TimeAxis::Auto,
            Axis::Linear => TimeAxis::Linear,
            Axis::Log => TimeAxis::Log,
        },
        title: title.clone(),
        mark: near.then(|| (variant.record(), format!("record {}", variant.record()))),
    };
    picture.write(|format, size| plot(&series, format, &options(size)))?;
    Ok(ExitCode::SUCCESS)
}

/// The first session and the series of a hunt.
fn read(directory: &Path) -> anyhow::Result<(SessionStart, HuntCurve)> {
    let ReadLog { events, bad } = events::read(directory)?;
    warn_of(&bad);
    let mut first: Option<SessionStart> = None;
    let mut series = HuntCurve { name: String::new(), bests: Vec::new(), resumes: Vec::new(), end: 0.0 };
    for event in events {
        series.end = series.end.max(event.seconds);
        match event.what {
            HuntEventKind::Start(session) => first = first.or(Some(session)),
            HuntEventKind::Resume(session) => {
                first = first.or(Some(session));
                series.resumes.push(event.seconds);
            }
            HuntEventKind::Best { score, .. } => series.bests.push((event.seconds, score)),
            _ => {}
        }
    }
    let session = first.with_context(|| format!("{}: {} tells of no hunt", directory.display(), events::FILE))?;
    let best = series.bests.last().map_or(0, |&(_, score)| score);
    let workers = session.threads.saturating_sub(1);
    series.name = format!(
        "{}: {} {}, {workers} {}, best {best} in {}",
        directory.display(),
        session.variant,
        format!("{:?}", session.strategy).to_lowercase(),
        if workers == 1 { "worker" } else { "workers" },
        clock(series.end),
    );
    Ok((session, series))
}
