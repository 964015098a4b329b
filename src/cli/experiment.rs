//! `morpion experiment`: runs an experiment of [`crate::experiment`] and writes its table, its chart and its summary.

use super::config::read_small;
use super::grid_input::save;
use super::machine;
use super::streams::say;
use crate::experiment::{ExperimentPlan, ExperimentResults};
use crate::notation::pentasol::{self, Effort};
use crate::render::chart::chart;
use crate::render::pen::PictureFormat;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Width of the charts in pixels.
const WIDTH: u32 = 1400;

/// Run an experiment and write its table (CSV), chart (PNG) or summary (Markdown).
///
/// The experiments are those of the thesis on the depth-first search, comparisons of searches over many seeds, and
/// comparisons of solvers of two-player games. A comparison of searches that was stopped continues where it was.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do, for instance configs/experiments/orderings.toml
    config: PathBuf,
    /// Directory of the results, made if it is missing; the files are named like the configuration
    #[arg(long, value_name = "DIR", default_value = "results")]
    output: PathBuf,
    /// Overwrite results that exist
    #[arg(long)]
    force: bool,
    /// Runs at a time, each on one thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: u32,
}

/// The files that an experiment writes, named like its configuration.
struct ResultFiles {
    csv: PathBuf,
    png: PathBuf,
    md: PathBuf,
    grid: PathBuf,
    /// The runs that are done, until all are.
    part: PathBuf,
}

impl ResultFiles {
    /// The files for a configuration in a directory. None of them exists, unless they may be overwritten.
    fn new(config: &Path, directory: &Path, force: bool) -> anyhow::Result<ResultFiles> {
        let stem = config.file_stem().with_context(|| format!("{}: a file name is expected", config.display()))?;
        let of = |extension| directory.join(stem).with_extension(extension);
        let files = ResultFiles { csv: of("csv"), png: of("png"), md: of("md"), grid: of("psol"), part: of("part") };
        for result in [&files.csv, &files.png, &files.md, &files.grid] {
            let exists = result.symlink_metadata().is_ok();
            ensure!(force || !exists, "{}: the file exists; --force overwrites it", result.display());
        }
        Ok(files)
    }
}

/// Runs the command.
///
/// # Errors
/// A configuration that cannot be read or has unknown keys or values; results that exist or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let path = &args.config;
    let text = read_small(path)?;
    // Before the run, not after it.
    let files = ResultFiles::new(path, &args.output, args.force)?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("{}: the directory cannot be made", args.output.display()))?;
    // The whole is read first: a journal that a mistake leaves behind would be in the way of the corrected file.
    let plan = ExperimentPlan::read(&text, &path.display().to_string())?;
    for warning in plan.warnings() {
        say!("morpion: warning: {warning}");
    }
    let journal = plan.journal(&files.part, args.force)?;
    let results = plan.run(args.threads as usize, journal, &|line| say!("{line}"));
    write_results(&args, &files, results.with_context(|| path.display().to_string())?, out)?;
    // All that the journal holds is in the results.
    plan.remove_journal(&files.part)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the files, and prints the summary or else the table.
fn write_results(
    args: &Args,
    files: &ResultFiles,
    mut results: ExperimentResults,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (version, date, machine) = (env!("CARGO_PKG_VERSION"), machine::date(), machine::describe());
    let config = args.config.display();
    let head = format!("# morpion experiment {config}\n# version {version}, {date}\n# one thread of {machine}\n");
    save(&files.csv, (head + &results.table).as_bytes(), args.force)?;
    let mut written = vec![&files.csv];
    if let Some(drawn) = &mut results.chart {
        let machine_note = format!("morpion {version}, {date}, one thread of {machine}");
        drawn.note = match &drawn.note[..] {
            "" => machine_note,
            own => format!("{own}; {machine_note}"),
        };
        save(&files.png, &chart(drawn, PictureFormat::Png, WIDTH)?, args.force)?;
        written.push(&files.png);
    }
    if let Some(found) = &results.grid {
        save(&files.grid, pentasol::write(found, Effort::Comments).as_bytes(), args.force)?;
    }
    match &results.summary {
        Some(summary) => {
            let title = &results.title;
            let head = format!("# {title}\n\nmorpion {version}, {date}, one thread of {machine}\n\n");
            save(&files.md, (head + summary).as_bytes(), args.force)?;
            write!(out, "{summary}")?;
            written.insert(0, &files.md);
        }
        None => write!(out, "{}", results.table)?,
    }
    let written: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
    say!("written: {}", written.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::journal::{BestStep, Journal, RecordedRun};

    const ORDERINGS: &str = "experiment = 'orderings'\nvariant = '5D'\niterations = 9000\n\
                             sorts = ['no', 'coords', 'weights_max']\njumps = ['no', 'frequent']\n";
    const DEPTH: &str = "experiment = 'depth'\nvariant = '4D'\niterations = 20000\ndepths = [2, 1, 2, 12]\n\
                         sort = 'coords'\njumps = 'no'\nstall_scale = 0.00001\n";
    const RETURN_TIME: &str = "experiment = 'return_time'\nvariant = '5T'\niterations = 9000\nsort = 'no'\n";

    fn run_in(directory: &Path, name: &str, config: &str, force: bool) -> anyhow::Result<String> {
        let path = directory.join(name).with_extension("toml");
        std::fs::write(&path, config)?;
        let mut out = Vec::new();
        run(Args { config: path, output: directory.join("results"), force, threads: 2 }, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn experiments_write_a_table_and_a_chart() {
        let directory = tempfile::tempdir().unwrap();
        for (name, config, rows) in
            [("orderings", ORDERINGS, 6), ("depth", DEPTH, 3), ("return_time", RETURN_TIME, 4)]
        {
            let table = run_in(directory.path(), name, config, false).unwrap();
            assert!(table.lines().count() > rows, "{name}: {table}");
            let columns = table.lines().next().unwrap().split(',').count();
            assert!(table.lines().all(|line| line.split(',').count() == columns), "{name}: {table}");
            let file = |extension| directory.path().join("results").join(name).with_extension(extension);
            let csv = std::fs::read_to_string(file("csv")).unwrap();
            assert!(csv.starts_with("# morpion experiment ") && csv.ends_with(&table), "{name}: {csv}");
            assert!(std::fs::read(file("png")).unwrap().starts_with(b"\x89PNG"));
            // Again: kept unless it is asked for, and the same but for the time taken.
            let error = run_in(directory.path(), name, config, false).unwrap_err().to_string();
            assert!(error.contains("--force"), "{error}");
            let again = run_in(directory.path(), name, config, true).unwrap();
            let timeless = |table: &str| -> Vec<String> {
                let number = |cell: &&str| !cell.contains('.');
                table.lines().map(|line| line.split(',').filter(number).collect::<Vec<_>>().join(",")).collect()
            };
            assert_eq!(timeless(&again), timeless(&table), "{name}");
        }
    }

    const STRATEGIES: &str = "experiment = 'strategies'\nvariant = '4T'\niterations = 3000\nseeds = 3\nfirst_seed = 7\n\
                              targets = [20, 62]\n[[search]]\nname = 'NRPA'\nstrategy = 'nrpa'\nlevel = 2\niterations = 20\n\
                              [[search]]\nname = 'random'\nstrategy = 'random'\n[[search]]\nname = 'walk'\nmain_depth = 2\n";

    /// The journal of a comparison, new.
    fn journal_of(config: &str, path: &Path) -> Journal {
        ExperimentPlan::read(config, "both.toml").unwrap().journal(path, false).unwrap().unwrap()
    }

    #[test]
    fn a_comparison_goes_on_where_it_was_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let results = directory.path().join("results");
        let summary = run_in(directory.path(), "both", STRATEGIES, false).unwrap();
        let of =
            |name: &str| summary.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap().to_owned();
        assert_eq!(of("NRPA").split('|').count(), 6, "{summary}");
        assert!(of("random").contains("+-") && of("62").contains("(0 of 3)"), "{summary}");
        let csv = std::fs::read_to_string(results.join("both.csv")).unwrap();
        let ends: Vec<&str> = csv.lines().filter(|line| line.starts_with("random,8,")).collect();
        assert!(ends.last().unwrap().contains(",3000,"), "{csv}");
        assert!(std::fs::read_to_string(results.join("both.md")).unwrap().ends_with(&summary));
        assert!(!results.join("both.part").exists());
        // The longest grid of all is kept.
        let grid = crate::notation::file::load(&results.join("both.psol"), None).unwrap().grid;
        let best = csv.lines().filter_map(|line| line.rsplit(',').next()?.parse::<usize>().ok()).max();
        assert_eq!(Some(grid.score()), best);

        // As if it had been stopped after some runs: those are not done again.
        let other = tempfile::tempdir().unwrap();
        let part = other.path().join("results/both.part");
        std::fs::create_dir(other.path().join("results")).unwrap();
        let mut journal = journal_of(STRATEGIES, &part);
        let run = RecordedRun {
            search: "random".into(),
            seed: 8,
            seconds: 1.0,
            iterations: 5,
            bests: vec![BestStep { seconds: 0.5, iterations: 4, score: 19 }],
            moves: Vec::new(),
        };
        journal.add(&run).unwrap();
        drop(journal);
        run_in(other.path(), "both", STRATEGIES, false).unwrap();
        let again = std::fs::read_to_string(other.path().join("results/both.csv")).unwrap();
        let rows = |csv: &str, name: &str| -> Vec<String> {
            let own = csv.lines().filter(|line| line.starts_with(name));
            own.map(|line| line.split(',').filter(|cell| !cell.contains('.')).collect::<Vec<_>>().join(",")).collect()
        };
        assert_eq!(rows(&again, "random,8,"), ["random,8,4,19", "random,8,5,19"]);
        for name in ["NRPA,7,", "random,9,", "walk,7,"] {
            assert_eq!(rows(&again, name), rows(&csv, name), "{name}");
        }
    }

    #[test]
    fn a_corrected_configuration_is_not_blocked_by_the_wrong_one() {
        let directory = tempfile::tempdir().unwrap();
        for (old, new) in [("seeds = 3", "seed = 3"), ("level = 2", "level = 99"), ("seeds = 3", "seeds = 0")] {
            let error = run_in(directory.path(), "both", &STRATEGIES.replacen(old, new, 1), false);
            assert!(error.is_err(), "{new}");
            assert!(!directory.path().join("results/both.part").exists(), "{new}");
        }
        // One without runs that an earlier version has left behind.
        let another = STRATEGIES.replacen("seeds = 3", "seeds = 4", 1);
        drop(journal_of(&another, &directory.path().join("results/both.part")));
        run_in(directory.path(), "both", STRATEGIES, false).unwrap();
    }

    const SOLVERS: &str = "experiment = 'solvers'\nbudget = 5000\n\
                           [[position]]\nname = 'four'\ngame = 'reversi'\nsize = 4\n\
                           [[position]]\nname = 'go'\ngame = 'go'\nsize = 2\nthreshold = 1\n\
                           [[search]]\nname = 'all'\nalgorithm = 'negascout'\n\
                           [[search]]\nname = 'bare'\nalgorithm = 'negascout'\nwithout = ['table', 'prior', 'bounds']\n\
                           positions = ['four']\n\
                           [[search]]\nname = 'special'\n";

    #[test]
    fn solvers_are_compared_on_positions() {
        let directory = tempfile::tempdir().unwrap();
        let summary = run_in(directory.path(), "solvers", SOLVERS, false).unwrap();
        let row = |name: &str| -> Vec<String> {
            let found = summary.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
            found.trim_matches('|').split('|').skip(1).map(|cell| cell.trim().to_owned()).collect()
        };
        assert_eq!(row("value"), ["-8", "no"], "{summary}");
        let bare = row("bare");
        assert!(bare[0].starts_with("open after ") && bare[1].is_empty(), "{summary}");
        let csv = std::fs::read_to_string(directory.path().join("results/solvers.csv")).unwrap();
        let nodes =
            |begin: &str| csv.lines().find_map(|line| line.strip_prefix(begin)?.split(',').next()?.parse().ok());
        let (all, special): (u64, u64) = (nodes("four,all,-8,").unwrap(), nodes("four,special,-8,").unwrap());
        assert!(row("all")[0].starts_with(&format!("{},{:03};", all / 1000, all % 1000)) && special > 100, "{csv}");
        assert!(!directory.path().join("results/solvers.png").exists());
        assert!(!directory.path().join("results/solvers.part").exists());
        // Again, the same but for the time.
        let again = run_in(directory.path(), "solvers", SOLVERS, true).unwrap();
        let timeless =
            |text: &str| text.split(';').map(|part| part.split('|').skip(1).collect::<String>()).collect::<Vec<_>>();
        assert_eq!(timeless(&again), timeless(&summary));
    }

    #[test]
    fn the_walk_at_depth_1_is_done_and_the_deep_one_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let table = run_in(directory.path(), "depth", DEPTH, false).unwrap();
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let of = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
        assert_eq!(of(0), ["1", "2", "12"]);
        // Five classes of first moves; a walk that is done is below its budget.
        assert_eq!((rows[0][4], rows[0][5], rows[2][5]), ("5", "true", "false"));
        assert_eq!(rows[2][3], "20000");
    }

    #[test]
    fn errors_name_file_and_key() {
        let directory = tempfile::tempdir().unwrap();
        for (old, new, named) in [
            ("iterations = 9000", "iterationz = 9000", "unknown field `iterationz`"),
            ("iterations = 9000", "iterations = -1", "iterations"),
            ("iterations = 9000", "iterations = 0", "iterations = 0"),
            ("iterations = 9000", "cpu_seconds = nan", "cpu_seconds = NaN"),
            ("iterations = 9000", "cpu_seconds = 1\niterations = 1", "one of cpu_seconds and iterations"),
            ("iterations = 9000", "", "one of cpu_seconds and iterations"),
            ("'coords'", "'coordz'", "sorts: unknown variant `coordz`"),
            ("'5D'", "'6D'", "variant: unknown variant `6D`"),
            ("'orderings'", "'order'", "experiment: unknown variant `order`"),
            ("jumps = ['no', 'frequent']", "jumps = []", "jumps = []"),
            ("jumps = ['no', 'frequent']", "", "missing field `jumps`"),
            ("variant", "variant = ", "bad.toml, line 2"),
        ] {
            let config = ORDERINGS.replace(old, new);
            let error = run_in(directory.path(), "bad", &config, false).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named) && !text.contains('\n'), "{new}: {text}");
        }
        for (old, new, named) in
            [("[2, 1, 2, 12]", "[0]", "depths: 0"), ("0.00001", "-1.0", "stall_scale = -1"), ("'no'", "7", "jumps")]
        {
            let error = run_in(directory.path(), "bad", &DEPTH.replace(old, new), false).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        for (old, new, named) in [
            ("seeds = 3", "seeds = 0", "seeds = 0"),
            ("name = 'random'", "name = 'NRPA'", "two of this name"),
            ("name = 'random'\n", "", "search number 2: a name"),
            ("name = 'random'", "name = 'a|b'", "no comma"),
            ("strategy = 'random'", "strategy = 'luck'", "search 'random'"),
            ("strategy = 'random'", "seed = 3", "seed is not for a comparison"),
            ("level = 2", "levle = 2", "unknown key 'levle'"),
            ("first_seed = 7", "first_seed = 9223372036854775807\niteration = 1", "unknown field"),
        ] {
            let error = run_in(directory.path(), "bad", &STRATEGIES.replace(old, new), true).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        for (old, new, named) in [
            ("budget = 5000", "budget = 0", "budget = 0"),
            ("name = 'go'", "name = 'four'", "position 'four': there are two of this name"),
            ("game = 'go'", "game = 'chess'", "there is no 'chess'"),
            ("game = 'go'\n", "", "game is missing"),
            ("size = 2", "size = 8", "search 'all', position 'go'"),
            ("['four']", "['five']", "search 'bare': positions: there is no position 'five'"),
            ("'table', 'prior'", "'tables'", "without"),
            ("name = 'special'", "name = 'special'\nwithout = 'table'", "search 'special', position 'four': without"),
            ("name = 'special'", "name = 'special'\nthreshold = 1", "threshold is given twice"),
            ("name = 'special'", "name = 'special'\ndepth = 1", "unknown key 'depth'"),
            ("name = 'special'", "", "search number 3: a name"),
        ] {
            let error = run_in(directory.path(), "bad", &SOLVERS.replace(old, new), true).unwrap_err();
            let text = format!("{error:#}");
            assert!(text.contains("bad.toml") && text.contains(named), "{new}: {text}");
        }
        assert!(!directory.path().join("results/bad.csv").exists());
    }
}
