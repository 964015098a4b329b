//! `morpion hunt`, which is also `morpion` without a subcommand: begins a hunt.

use super::config;
use super::display::{self, HuntDisplay, OutputFlags};
use super::flags::{FlagHelp, SettingFlags};
use super::hunt_directory;
use super::streams::say;
use super::translation::{known, t};
use crate::core::setting::SettingInfo;
use crate::jobs::hunt_settings::{self, HuntSettings, HuntStart, MAX_THREADS, PreparedHunt, StrategyReason};
use crate::jobs::reading::{GivenSetting, SettingSource, read};
use crate::morpion::geometry::Move;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::notation::file::load;
use crate::notation::format::{ChosenBy, GridFormat};
use crate::notation::grid::Grid;
use crate::runner::HuntSession;
use crate::strategies::params::{StallTable, Strategy};
use anyhow::{Context, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

/// Begin a hunt for long games. Ctrl-C stops it at any time; `morpion resume` continues it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Hunt")]
pub struct Args {
    /// Start from the first K moves of the grid in FILE.
    ///
    /// FILE is Pentasol, MSR, or a picture that carries its record.
    #[arg(long, num_args = 2, value_names = ["FILE", "K"])]
    pub init_file: Option<Vec<String>>,
    /// Begin with the grids of the variant in DIR.
    ///
    /// The strategies reshape, regrow, relax, temper, permute and perturb take grids.
    #[arg(long, value_name = "DIR", conflicts_with = "init_file")]
    pub init_dir: Option<PathBuf>,
    /// Directory for the results and the state.
    ///
    /// An empty one, or one that is made. Default: output, or the first free one of output-2, output-3, ...
    #[arg(long, visible_alias = "dir", value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Read flags from a TOML file, such as `sort = "coords"`.
    ///
    /// Flags of the command line win.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputFlags,
    #[command(flatten)]
    pub settings: SettingFlags<HuntSettings>,
}

/// The help of the settings: who uses them, and their defaults.
impl FlagHelp for HuntSettings {
    fn heading(info: &SettingInfo) -> &'static str {
        static OF_ONE: LazyLock<Vec<(&str, String)>> =
            LazyLock::new(|| Strategy::all().map(|row| (row.name, format!("Strategy {} alone", row.name))).collect());
        if !is_of_strategies(info) {
            return "Hunt";
        }
        match hunt_settings::users(info.name)[..] {
            [only] => OF_ONE.iter().find(|(name, _)| *name == only.name).map_or("Strategies", |(_, text)| text),
            _ => "Several strategies",
        }
    }

    fn in_short_help(info: &SettingInfo) -> bool {
        // One of the two counts of threads is enough there.
        !info.advanced && !is_of_strategies(info) && info.name != "threads"
    }

    fn note(info: &SettingInfo) -> String {
        let users = hunt_settings::users(info.name);
        let mut defaults: Vec<(String, Vec<&str>)> = Vec::new();
        for row in &users {
            let text = hunt_settings::default_text(row, info);
            match defaults.iter_mut().find(|(other, _)| *other == text) {
                Some((_, names)) => names.push(row.name),
                None => defaults.push((text, vec![row.name])),
            }
        }
        let default = match &defaults[..] {
            [(text, _)] => format!("[default: {text}]"),
            several => {
                let each = several.iter().map(|(text, names)| format!("{}: {text}", names.join(", ")));
                format!("[default: {}]", each.collect::<Vec<_>>().join("; "))
            }
        };
        if users.len() == Strategy::all().count() {
            return default;
        }
        let names: Vec<&str> = users.iter().map(|row| row.name).collect();
        format!("Used by: {}. {default}", names.join(", "))
    }
}

/// Whether only some strategies use a setting.
fn is_of_strategies(info: &SettingInfo) -> bool {
    hunt_settings::of_strategies().any(|other| other.name == info.name)
}

/// Runs the command.
///
/// # Errors
/// Bad input, a directory that is in use or not empty of hunts, and whatever fails on the way.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let given = with_files(args.settings.given)?;
    let asked: HuntSettings = read(&given)?;
    let workers = asked.workers.unwrap_or_else(default_workers);
    let start = beginning(&args.init_file, &args.init_dir, &asked)?;
    let prepared = HuntSettings::prepare(&given, start, workers, rand::random())?;
    let silent = args.output.quiet || args.output.json;
    tell(&prepared, silent);
    let (directory, notice) = match args.directory {
        Some(directory) => (directory, None),
        None => hunt_directory::next_free()?,
    };
    let session = HuntSession::begin(&directory, prepared.job, workers, asked.seconds)?;
    if let Some(notice) = notice.filter(|_| !args.output.quiet) {
        say!("morpion: {notice}");
    }
    let display = HuntDisplay::new(&args.output, &directory, asked.seconds, out);
    display::run(session, &args.output, display)
}

/// Says what was left out of the settings and, unless the command is to be silent, which strategy was chosen and why.
fn tell(prepared: &PreparedHunt, silent: bool) {
    tell_warnings(prepared);
    if let Some(reason) = prepared.reason.as_ref().filter(|_| !silent) {
        say!("morpion: {}", in_words(reason));
    }
}

/// Why the strategy was chosen, in the language of the command line.
fn in_words(reason: &StrategyReason) -> String {
    match reason {
        StrategyReason::OnlyWith(strategy, setting) => {
            t!("strategy {0}, the only one that has {1}", strategy.name(), setting)
        }
        StrategyReason::Symmetric(strategy) => t!("strategy {0}, the strongest that has a symmetry", strategy.name()),
        StrategyReason::Best(strategy, variant, measured) => {
            t!("strategy {0}, the best measured one for {1}: {2}", strategy.name(), variant, known(measured))
        }
    }
}

/// Says what was left out of the settings.
pub(super) fn tell_warnings(prepared: &PreparedHunt) {
    for warning in &prepared.warnings {
        say!("morpion: warning: {warning}");
    }
}

/// The settings with the content of the files that some of them name.
pub(super) fn with_files(mut given: Vec<GivenSetting>) -> anyhow::Result<Vec<GivenSetting>> {
    for one in &mut given {
        match one.name {
            "stall_table" => one.text = stall_table(&one.text).with_context(|| one.place())?,
            "start" => {
                if let Some(text) = start_file(&one.text).with_context(|| one.place())? {
                    one.source = SettingSource::Content { file: std::mem::replace(&mut one.text, text) };
                }
            }
            _ => {}
        }
    }
    Ok(given)
}

/// The content of the file that a value of `--start` names; nothing if it is the name of a start or a picture.
fn start_file(value: &str) -> anyhow::Result<Option<String>> {
    let path = Path::new(value);
    let is_drawn = value.contains(['/', '\n']) && value.chars().all(|c| "oOxX*./ \r\n".contains(c));
    if Start::named(value).is_some() || (is_drawn && !path.exists()) {
        return Ok(None);
    }
    if !path.exists() {
        bail!(
            "there is no start and no file '{value}': expected cross, cross-2 to cross-7, ring-3 to ring-20, or a file"
        );
    }
    config::read_small(path).map(Some)
}

/// What a hunt begins with, from the files that its flags name.
pub(super) fn beginning(
    file: &Option<Vec<String>>,
    directory: &Option<PathBuf>,
    asked: &HuntSettings,
) -> anyhow::Result<HuntStart> {
    let mut begin = match file {
        Some(values) => init_moves(values, asked.variant)?,
        None => HuntStart { variant: asked.variant.unwrap_or_default(), ..HuntStart::default() },
    };
    if let Some(directory) = directory {
        let start = asked.start.clone().unwrap_or_default().for_variant(begin.variant);
        begin.grids = init_grids(directory, begin.variant, &start)?;
    }
    Ok(begin)
}

/// One worker per processor, besides the main thread.
fn default_workers() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32).min(MAX_THREADS - 1)
}

/// The start and the first moves of a stored grid, as `--init-file FILE K` names them, and the variant: the one asked
/// for, else the one that the file names, else 5T.
fn init_moves(values: &[String], variant: Option<Variant>) -> anyhow::Result<HuntStart> {
    let [file, count] = values else { bail!("--init-file needs a file and a number of moves") };
    let count: usize = count
        .parse()
        .ok()
        .with_context(|| format!("--init-file {file} {count}: '{count}' is not a number of moves"))?;
    let path = Path::new(file);
    let mut loaded = load(path, variant).context("--init-file")?;
    // Every game of 5D is one of 5T too.
    if loaded.chosen_by == ChosenBy::Replay && loaded.replays_as.contains(&Variant::default()) {
        loaded = load(path, Some(Variant::default())).context("--init-file")?;
    }
    let Grid { variant, start, moves, .. } = loaded.grid;
    if count > moves.len() {
        bail!("--init-file {file} {count}: the grid has only {} moves", moves.len());
    }
    Ok(HuntStart { variant, start: Some(start), moves: moves[..count].to_vec(), grids: Vec::new() })
}

/// The grids of the variant from a start in a directory, by file name; what is no grid is named on standard error and
/// left out.
fn init_grids(directory: &Path, variant: Variant, start: &Start) -> anyhow::Result<Vec<Vec<Move>>> {
    let of = |error: std::io::Error| anyhow::anyhow!("--init-dir {}: {error}", directory.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(of)? {
        let path = entry.map_err(of)?.path();
        if path.is_file()
            && path.extension().and_then(|e| e.to_str()).is_some_and(|e| GridFormat::from_extension(e).is_some())
        {
            paths.push(path);
        }
    }
    paths.sort();
    let mut grids = Vec::new();
    for path in paths {
        match load(&path, None) {
            Ok(loaded) if loaded.grid.start.clone().for_variant(variant) != *start => {}
            Ok(loaded) if loaded.grid.variant == variant => grids.push(loaded.grid.moves),
            Ok(loaded) if loaded.replays_as.contains(&variant) && loaded.chosen_by == ChosenBy::Replay => {
                grids.push(load(&path, Some(variant)).context("--init-dir")?.grid.moves);
            }
            Ok(_) => {}
            Err(error) => say!("left out: {error}"),
        }
    }
    if grids.is_empty() {
        let from = if start.is_cross() { String::new() } else { format!(" from {}", start.name()) };
        bail!("--init-dir {}: there is no grid of {variant}{from} in it", directory.display());
    }
    Ok(grids)
}

/// The rows of the table that a value of `--stall-table` names, as one text.
fn stall_table(value: &str) -> anyhow::Result<String> {
    let path = Path::new(value);
    if value.is_empty() || (value.contains(':') && !path.exists()) {
        return Ok(value.to_owned());
    }
    let text = config::read_small(path)?;
    let rows = match text.parse::<toml::Table>() {
        Ok(table) if !table.is_empty() => {
            let rows = table
                .get("stall_table")
                .with_context(|| format!("{value}: expected the key stall_table = [[80, 10_000_000], ...]"))?;
            config::rows(rows).with_context(|| format!("{value}: stall_table"))?
        }
        _ => text,
    };
    let table: StallTable = rows.parse().with_context(|| value.to_owned())?;
    Ok(table.to_string())
}
