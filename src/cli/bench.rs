//! `morpion bench`: how fast the searches are on this machine.

use super::machine;
use crate::core::ctl::{Ctl, Signal};
use crate::core::quantity::grouped;
use crate::core::search::End;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Variant;
use crate::strategies::params::{BadParam, MAX_LEVEL, Params, StallTable, Strategy};
use crate::strategies::table::{STRATEGIES, StrategyRow, parameter};
use crate::strategies::{self, Unit};
use anyhow::{Context, bail, ensure};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Version of the `--json` output.
const FORMAT: u32 = 1;

/// Measure the speed of the searches on one thread and on all.
///
/// Each search begins from nothing. A short measurement of reshape or regrow sees only the tempering that they begin
/// with.
///
/// Rates are given per second of processor time of one thread, which hardly depends on what else runs on the machine,
/// and per second of the clock for all threads together.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds of the clock per measurement, 0.01 to 3600
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Threads of the second round of measurements [default: one per logical processor]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    /// Only this variant; may be given several times [default: all four]
    #[arg(long)]
    variant: Vec<Variant>,
    /// Only this strategy; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = strategy)]
    strategy: Vec<Strategy>,
    /// Nesting level of the searches that have one
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LEVEL)))]
    level: u32,
    /// NRPA: playouts of level 1 from one adaptation to the next
    #[arg(long, value_name = "P", default_value_t = Params::default().stabilize,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    stabilize: u32,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// One search to measure.
struct BenchCase {
    name: String,
    row: &'static StrategyRow,
    /// The parameters that it is measured with.
    settings: &'static [(&'static str, &'static str)],
}

/// What is measured: each strategy as its row says, or those asked for.
fn cases(asked: &[Strategy]) -> Vec<BenchCase> {
    let rows = STRATEGIES.iter().filter(|row| asked.is_empty() || asked.contains(&row.strategy));
    let cases = rows.flat_map(|row| row.measured.iter().map(move |settings| (row, *settings)));
    let named = cases.map(|(row, settings)| {
        let values = settings.iter().map(|(_, value)| *value);
        BenchCase { name: std::iter::once(row.name).chain(values).collect::<Vec<_>>().join(" "), row, settings }
    });
    named.collect()
}

/// A strategy by its name.
fn strategy(name: &str) -> Result<Strategy, BadParam> {
    let names = || Strategy::all().map(|row| row.name).collect::<Vec<_>>().join(", ");
    Strategy::from_name(name).ok_or_else(|| BadParam(format!("expected one of {}", names())))
}

#[derive(Debug, Serialize)]
struct BenchReport {
    format: u32,
    version: &'static str,
    machine: String,
    date: String,
    measurements: Vec<Measurement>,
}

#[derive(Debug, Serialize)]
struct Measurement {
    variant: Variant,
    strategy: String,
    unit: &'static str,
    threads: u32,
    /// Done by all threads.
    iterations: u64,
    /// Processor time of all threads, in seconds; null where the system does not tell.
    cpu_seconds: Option<f64>,
    wall_seconds: f64,
    /// Per second of one thread's processor time.
    per_cpu_second: Option<f64>,
    /// Per second of the clock, all threads together.
    per_second: f64,
}

/// Stops a search when the time is over.
struct Until(Instant);

impl Ctl<Move> for Until {
    fn poll(&mut self, iterations: u64, _best: u32) -> Signal {
        // However slow the machine, something is measured.
        if iterations > 0 && Instant::now() >= self.0 { Signal::Stop } else { Signal::Continue }
    }

    fn improved(&mut self, _moves: &[Move], _iterations: u64) {}
}

/// Runs the command.
///
/// # Errors
/// Seconds out of range; a closed output.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    ensure!(
        (0.01..=3600.0).contains(&args.seconds),
        "--seconds {}: 0.01 to 3600 seconds per measurement are possible",
        args.seconds
    );
    let threads = args.threads.unwrap_or(machine::processors() as u32);
    let variants = if args.variant.is_empty() { Variant::ALL.to_vec() } else { args.variant.clone() };
    let mut rounds = vec![1, threads];
    rounds.dedup();
    let machine = machine::describe();
    if !args.json {
        writeln!(out, "morpion {} on {machine}", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "{:7} {:13} {:10} {:>7} {:>15} {:>15}", "", "", "", "", "per CPU second", "per second,")?;
        let head = ["variant", "strategy", "unit", "threads", "and thread", "all threads"];
        let [variant, strategy, unit, threads, cpu, wall] = head;
        writeln!(out, "{variant:7} {strategy:13} {unit:10} {threads:>7} {cpu:>15} {wall:>15}")?;
        out.flush()?;
    }
    let mut measurements = Vec::new();
    for variant in variants {
        for case in &cases(&args.strategy) {
            for &threads in &rounds {
                let m = measure(variant, case, threads, &args)?;
                if !args.json {
                    let rate = |rate: f64| grouped(rate.round() as u64);
                    let cpu = m.per_cpu_second.map_or("unknown".to_owned(), rate);
                    let (code, wall) = (variant.code(), rate(m.per_second));
                    let (name, unit) = (&case.name, case.row.counts);
                    writeln!(out, "{code:7} {name:13} {unit:10} {threads:>7} {cpu:>15} {wall:>15}")?;
                    out.flush()?;
                }
                measurements.push(m);
            }
        }
    }
    if args.json {
        let version = env!("CARGO_PKG_VERSION");
        let report = BenchReport { format: FORMAT, version, machine, date: machine::date(), measurements };
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(variant: Variant, case: &BenchCase, threads: u32, args: &Args) -> anyhow::Result<Measurement> {
    let BenchCase { name, row, settings } = case;
    // Nothing is to end a search but the time.
    let (level, stabilize, stall) = (Some(args.level), args.stabilize, StallTable(Vec::new()));
    let mut params = Params { level: level.filter(|_| row.uses("level")), stabilize, stall, ..row.params() };
    // permute begins with nothing.
    params.level = params.level.filter(|_| row.best_level(variant).is_some());
    for (name, value) in *settings {
        let parameter = parameter(name).with_context(|| format!("there is no parameter {name}"))?;
        parameter.set(&mut params, value)?;
    }
    let start = Instant::now();
    let until = start + Duration::from_secs_f64(args.seconds);
    let params = &params;
    let work = |seed: u64| {
        let before = machine::thread_seconds();
        let (mut iterations, mut seed) = (0, seed);
        while Instant::now() < until {
            let unit = Unit { prefix: Vec::new(), candidates: None, seed, max_iterations: None, known_best: 0 };
            let mut search = strategies::start(variant, params, &unit);
            let end = search.run(&mut Until(until));
            iterations += search.iterations();
            if end == End::Stopped {
                break;
            }
            seed += u64::from(u32::MAX);
        }
        (iterations, before.zip(machine::thread_seconds()).map(|(before, after)| after - before))
    };
    let done: Vec<(u64, Option<f64>)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|i| scope.spawn(move || work(u64::from(i)))).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let wall_seconds = start.elapsed().as_secs_f64();
    if done.len() != threads as usize {
        bail!("a thread of the measurement of {name} in {variant} has panicked");
    }
    let iterations: u64 = done.iter().map(|(n, _)| n).sum();
    let cpu_seconds: Option<f64> = done.iter().map(|(_, seconds)| *seconds).sum();
    Ok(Measurement {
        variant,
        strategy: name.clone(),
        unit: row.counts,
        threads,
        iterations,
        cpu_seconds,
        wall_seconds,
        per_cpu_second: cpu_seconds.map(|cpu| iterations as f64 / cpu),
        per_second: iterations as f64 / wall_seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_every_measurement() {
        let variant = vec![Variant::D4];
        let args =
            Args { seconds: 0.05, threads: Some(2), variant, strategy: vec![], level: 3, stabilize: 1, json: true };
        let mut out = Vec::new();
        run(args, &mut out).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(report["format"], FORMAT);
        let rows = report["measurements"].as_array().unwrap();
        assert_eq!(rows.len(), 2 * cases(&[]).len());
        for row in rows {
            // On a busy machine a measurement as short as this may find its time over before it begins.
            assert!(row["variant"] == "4D" && row["iterations"].as_u64().is_some(), "{row}");
        }
        assert!(rows.iter().any(|row| row["iterations"].as_u64() > Some(0)));
    }

    #[test]
    fn impossible_seconds_are_refused() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let args = Args {
                seconds,
                threads: None,
                variant: vec![],
                strategy: vec![],
                level: 3,
                stabilize: 1,
                json: false,
            };
            assert!(run(args, &mut Vec::new()).is_err(), "{seconds}");
        }
    }
}
