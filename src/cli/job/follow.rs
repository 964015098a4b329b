//! `morpion job follow` and `wait`: until a job is over.

use super::{Named, document, list};
use crate::cli::client::{Client, ClientError, Connection, Heard};
use crate::cli::grid_input::plain;
use crate::cli::streams::say;
use crate::core::quantity::parse_duration;
use crate::daemon::view::{EventKind, EventView, JobId, JobState, JobView};
use crate::runner::status::{clock, thousands};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Time between two looks at a job.
const PACE: Duration = Duration::from_secs(1);

/// So long a daemon may be away (it is begun anew, say) before that is an error.
const AWAY: Duration = Duration::from_secs(60);

/// Wait until a job is over. The exit status is 0 if it finished, and 1 if it failed, was cancelled, or the time ran
/// out.
#[derive(Debug, clap::Args)]
pub struct Wait {
    /// Number of the job
    id: JobId,
    /// Longest time to wait (90, 60s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<f64>,
    /// Print the daemon's JSON document of the job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Asks a daemon that may be away for a while.
struct JobWatcher {
    client: Client,
    id: JobId,
    /// The daemon has answered at least once; since then, it has been away since.
    met: bool,
    away: Option<Instant>,
}

impl JobWatcher {
    fn new(connection: &Connection, id: JobId) -> anyhow::Result<JobWatcher> {
        Ok(JobWatcher { client: Client::new(connection)?, id, met: false, away: None })
    }

    /// The job; nothing while the daemon is away.
    fn look(&mut self) -> Result<Option<JobView>, ClientError> {
        let answer = self.client.get(&format!("/api/v1/jobs/{}", self.id));
        self.heard(answer)
    }

    fn heard<T>(&mut self, answer: Result<T, ClientError>) -> Result<Option<T>, ClientError> {
        let gone = match answer {
            Ok(value) => {
                (self.met, self.away) = (true, None);
                return Ok(Some(value));
            }
            Err(ClientError::Refused(problem)) if problem.status != 503 => return Err(ClientError::Refused(problem)),
            Err(gone) => gone,
        };
        if !self.met || self.away.is_some_and(|since| since.elapsed() > AWAY) {
            return Err(gone);
        }
        if self.away.is_none() {
            say!("the daemon is away; waiting for it");
            self.away = Some(Instant::now());
        }
        Ok(None)
    }
}

/// Whether nothing happens any more unless somebody acts.
fn comes_to_rest(job: &JobView) -> bool {
    job.summary.state.is_over() || job.summary.is_quarantined()
}

/// What the state of a job at rest means for the exit status.
fn verdict(job: &JobView) -> ExitCode {
    if job.summary.state == JobState::Finished { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs `wait`.
///
/// # Errors
/// If no daemon answers or it refuses.
pub fn wait(args: &Wait, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let mut watch = JobWatcher::new(&args.connection, args.id)?;
    loop {
        if let Some(job) = watch.look()?.filter(comes_to_rest) {
            return ended(&job, args.json, out);
        }
        let pace = match args.timeout {
            Some(limit) if begun.elapsed().as_secs_f64() >= limit => {
                say!("job {} is not over after {}", args.id, clock(limit));
                return Ok(ExitCode::FAILURE);
            }
            Some(limit) => PACE.min(Duration::from_secs_f64(limit).saturating_sub(begun.elapsed())),
            None => PACE,
        };
        std::thread::sleep(pace.max(Duration::from_millis(10)));
    }
}

fn ended(job: &JobView, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if json {
        document(job, out)?;
    } else {
        let reason = job.summary.reason.as_ref().map_or(String::new(), |reason| format!(" ({})", plain(reason)));
        let best = job.summary.best.map_or(String::new(), |best| format!(", best {best}"));
        let found = job.summary.solution.as_ref();
        let best = found.map_or(best, |found| format!(", {}", between(found.lower, found.upper)));
        let open = job.summary.proof.as_ref().filter(|proof| proof.end == "open");
        let best = open.map_or(best, |proof| format!(", {} closed", list::closed(proof)));
        let of_match = job.summary.matched.as_ref().filter(|found| found.pairs_counted > 0);
        let best = of_match.map_or(best, |found| format!(", {}", found.figures().lines().join("; ")));
        let made = job.summary.selfplay.as_ref();
        let best = made.map_or(best, |made| format!(", {} of {} games", made.games_counted, made.games));
        let found = job.summary.analyse.as_ref();
        let best = found.map_or(best, |found| format!(", {} of {} positions", found.positions_done, found.positions));
        let found = job.summary.tune.as_ref();
        let best = found.map_or(best, |found| format!(", {} of {} parts", found.parts_done, found.parts));
        let found = job.summary.tactics.as_ref();
        let best = found.map_or(best, |found| format!(", {}", found.tally()));
        let found = job.summary.mine.as_ref();
        let best = found.map_or(best, |found| format!(", {}", list::mined(found)));
        let found = job.summary.plan.as_ref();
        let best = found.map_or(best, |found| format!(", {}", list::answered(found)));
        let found = job.summary.check.as_ref();
        let best = found.map_or(best, |found| format!(", {}", list::checked(found)));
        say!("job {} is {}{reason}{best}", job.summary.id, job.summary.state.name());
    }
    Ok(verdict(job))
}

/// Runs `follow`: prints what happens to a job until it is over. A stream that breaks is taken up where it broke.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(named: &Named, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut watch = JobWatcher::new(&named.connection, named.id)?;
    // From its first event on: a job that has run for days has some hundred.
    let mut seen = 0;
    loop {
        if watch.look()?.is_none() {
            std::thread::sleep(PACE);
            continue;
        }
        let stream = watch.client.events(Some(named.id), Some(seen));
        let Some(events) = watch.heard(stream)? else { continue };
        // The first sign of life is the beginning of the stream.
        let mut signs = 0;
        for heard in events {
            // A stream that breaks is begun again below.
            let Ok(heard) = heard else { break };
            let over = match heard {
                Heard::Event(event) => {
                    if !matches!(event.what, EventKind::Progress { .. }) {
                        seen = seen.max(event.id);
                    }
                    show(&event, named.json, out)?;
                    matches!(event.what, EventKind::State { state, .. } if state.is_over())
                }
                Heard::Alive => {
                    signs += 1;
                    signs > 1 && watch.look()?.is_some_and(|job| comes_to_rest(&job))
                }
            };
            if let Some(job) = over.then(|| watch.look()).transpose()?.flatten() {
                return Ok(verdict(&job));
            }
        }
        std::thread::sleep(PACE);
    }
}

fn show(event: &EventView, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if json {
        writeln!(out, "{}", serde_json::to_string(event)?)?;
    } else {
        writeln!(out, "{}", told(event))?;
    }
    Ok(out.flush()?)
}

/// Bounds of a value, for people.
pub fn between(lower: i32, upper: i32) -> String {
    if lower == upper { format!("value {lower:+}") } else { format!("value {lower:+} to {upper:+}") }
}

/// An event for people.
pub fn told(event: &EventView) -> String {
    let job = event.job.map_or(String::new(), |job| format!("job {job}: "));
    let what = match &event.what {
        EventKind::Started { version } => format!("daemon {} began", plain(version)),
        EventKind::Submitted { name } => format!("submitted: {}", plain(name)),
        EventKind::State { state, reason } => {
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(" ({})", plain(reason)));
            format!("{}{reason}", state.name())
        }
        EventKind::Best { score, record, new, seconds, .. } => {
            let record =
                record.as_ref().map_or(String::new(), |record| format!(", the known record {}", plain(record)));
            let new = if *new { ", NEW" } else { "" };
            format!("best {score} after {}{record}{new}", clock(*seconds))
        }
        EventKind::Bounds { lower, upper, settled, nodes, seconds } => {
            let what = if *settled { "settled: " } else { "" };
            format!("{what}{} after {}, {} nodes", between(*lower, *upper), clock(*seconds), thousands(*nodes))
        }
        EventKind::Distrusted { worker } => format!("worker {} is often wrong: no longer trusted", plain(worker)),
        EventKind::Notice { text } => plain(text),
        EventKind::UnitFailed { unit, attempts, error } => {
            format!("unit {unit} failed ({attempts} of 3): {}", plain(error))
        }
        EventKind::Progress { iterations, rate, best, units_done, workers, seconds, .. } => format!(
            "{}, {}{} iterations, {} per second, {units_done} units done, {workers} workers",
            clock(*seconds),
            // A solver job has no best score.
            if *best > 0 { format!("best {best}, ") } else { String::new() },
            thousands(*iterations),
            thousands(rate.max(0.0) as u64),
        ),
    };
    format!("{}  {job}{what}", time_of_day(event.time))
}

/// Hours, minutes and seconds (UTC) of a time since 1970.
fn time_of_day(time: f64) -> String {
    let seconds = time.max(0.0) as u64 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
