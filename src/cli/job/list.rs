//! `morpion job list` and `show`.

use super::{Named, document};
use crate::cli::client::{Client, Connection, encoded};
use crate::cli::grid_input::plain;
use crate::cli::moment::{local, local_minute};
use crate::cli::streams::say;
use crate::core::quantity::bytes_text;
use crate::daemon::view::{
    AnalyseView, CheckView, HoleView, JobState, JobView, Listing, MatchView, MineView, PlanView, ProofLeftView,
    ProofView, SelfplayView, SolutionView, TacticsView, TuneLossView, TuneView, VERSION,
};
use crate::runner::status::{clock, thousands};
use std::io::Write;
use std::process::ExitCode;

/// Most characters of a setting that `show` prints; --json has all.
const LONGEST_SETTING: usize = 200;

/// List the jobs, newest first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only those in this state: queued, running, paused, draining, finished, cancelled, failed
    #[arg(long, value_parser = read_state)]
    state: Option<JobState>,
    /// Only those of this kind
    #[arg(long)]
    kind: Option<String>,
    /// Greatest number of jobs to list
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = crate::cli::values::positive)]
    limit: usize,
    /// Print the daemon's JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

fn read_state(text: &str) -> Result<JobState, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "expected queued, running, paused, draining, finished, cancelled or failed".to_owned())
}

/// Runs `list`.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let mut path = "/api/v1/jobs?".to_owned();
    if let Some(asked) = args.state {
        path += &format!("&state={}", asked.name());
    }
    if let Some(kind) = &args.kind {
        path += &format!("&kind={}", encoded(kind));
    }
    let (jobs, more) = client.list::<JobView>(&path, args.limit)?;
    if args.json {
        document(&Listing { v: VERSION, items: jobs, next: None }, out)?;
    } else if jobs.is_empty() {
        say!("no jobs");
    } else {
        let heads = ["id", "state", "best", "workers", "per second", "iterations", "time", "name"];
        let rows: Vec<[String; 8]> = jobs.iter().map(row).collect();
        table(heads, &rows, out)?;
    }
    if more {
        say!("there are more: --limit");
    }
    Ok(ExitCode::SUCCESS)
}

fn row(job: &JobView) -> [String; 8] {
    [
        job.summary.id.to_string(),
        job.summary.state.name().to_owned(),
        best(job),
        job.workers.to_string(),
        thousands(job.rate.max(0.0) as u64),
        thousands(job.summary.iterations),
        clock(job.summary.seconds),
        plain(&job.summary.name) + &held(job),
    ]
}

/// What a queued job waits for, if it begins after another one or at a time; it is shown behind the name.
pub fn held(job: &JobView) -> String {
    if job.summary.state != JobState::Queued || job.summary.began.is_some() {
        return String::new();
    }
    let parts = [
        job.summary.after.map(|after| format!("after job {after}")),
        job.summary.not_before.map(|time| format!("not before {}", local_minute(time))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The best score of a hunt, the value of a solver job as far as it is known, the closed part of a proof, the points
/// of A in a match, the games of a player against itself, the positions that are analysed, the loss of weights, the
/// questions that are answered, the patterns that are kept, the replies that have a plan, the moves of a plan that
/// are checked.
pub fn best(job: &JobView) -> String {
    if let Some(of_match) = &job.summary.matched {
        return points(of_match);
    }
    if let Some(made) = &job.summary.selfplay {
        return thousands(made.games_counted);
    }
    if let Some(found) = &job.summary.analyse {
        return thousands(found.positions_done);
    }
    if let Some(found) = &job.summary.tune {
        return found.after.map_or("-".to_owned(), |loss| loss_text(loss.validation, &found.game));
    }
    if let Some(found) = &job.summary.tactics {
        return thousands(found.questions_done);
    }
    if let Some(found) = &job.summary.mine {
        return found.kept.map_or("-".to_owned(), thousands);
    }
    if let Some(found) = &job.summary.plan {
        return format!("{}/{}", found.answered, found.goals);
    }
    if let Some(found) = &job.summary.check {
        return format!("{}/{}", found.checked, found.moves);
    }
    match (&job.summary.solution, &job.summary.proof, job.summary.best) {
        (Some(found), _, _) => range(found.lower, found.upper),
        (None, Some(proof), None) => closed(proof),
        (None, _, Some(best)) => best.to_string(),
        (None, None, None) => "-".to_owned(),
    }
}

/// The part of the points that A has in a match, in percent.
pub fn points(of_match: &MatchView) -> String {
    if of_match.pairs_counted == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * of_match.score) }
}

/// The closed part of a proof, in percent; 100 only if it is complete.
pub fn closed(proof: &ProofView) -> String {
    if proof.end == "proved" {
        return "proved".to_owned();
    }
    format!("{:.2} %", (1e4 * proof.closed).floor().min(9999.0) / 100.0)
}

/// Prints rows below their heads; numbers to the right, what is in the second column and the last one to the left.
pub fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]], out: &mut dyn Write) -> std::io::Result<()> {
    let heads = heads.map(str::to_owned);
    let lines = || std::iter::once(&heads).chain(rows);
    let widths: Vec<usize> = (0..N).map(|i| lines().map(|line| line[i].chars().count()).max().unwrap_or(0)).collect();
    for line in lines() {
        let cells = line.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| match i {
            1 => format!("{cell:<width$}"),
            i if i + 1 == N => cell.clone(),
            _ => format!("{cell:>width$}"),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  "))?;
    }
    Ok(())
}

/// Show a job: how it stands, what it may use, its settings.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn show(named: &Named, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&named.connection)?;
    let job: JobView = client.get(&format!("/api/v1/jobs/{}", named.id))?;
    if named.json {
        document(&job, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    describe(&job, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints how a job stands, what it may use and its settings.
///
/// # Errors
/// If the output cannot be written.
pub fn describe(job: &JobView, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = |name: &str, value: String| writeln!(out, "{name:<11} {value}");
    line("job", format!("{}, {}", job.summary.id, plain(&job.summary.name)))?;
    let reason = job.summary.reason.as_ref().map_or(String::new(), |reason| format!(", {}", plain(reason)));
    line("state", format!("{}{reason}", job.summary.state.name()))?;
    let what =
        [Some(job.summary.kind.clone()), job.summary.strategy.clone(), job.summary.variant.map(|v| v.to_string())];
    line("kind", what.into_iter().flatten().collect::<Vec<_>>().join(", "))?;
    if let Some(found) = &job.summary.solution {
        describe_solution(found, &mut line)?;
    }
    if let Some(proof) = &job.summary.proof {
        describe_proof(proof, &mut line)?;
    }
    if let Some(of_match) = &job.summary.matched {
        describe_match(of_match, &mut line)?;
    }
    if let Some(made) = &job.summary.selfplay {
        describe_selfplay(made, &mut line)?;
    }
    if let Some(found) = &job.summary.analyse {
        describe_analyse(found, &mut line)?;
    }
    if let Some(found) = &job.summary.tune {
        describe_tune(found, &mut line)?;
    }
    if let Some(found) = &job.summary.tactics {
        describe_tactics(found, &mut line)?;
    }
    if let Some(found) = &job.summary.mine {
        describe_mine(found, &mut line)?;
    }
    if let Some(found) = &job.summary.plan {
        describe_plan(found, &mut line)?;
    }
    if let Some(found) = &job.summary.check {
        describe_check(found, &mut line)?;
    }
    if let Some(best) = job.summary.best {
        line("best", format!("{best} moves, grid {}", job.best_grid.as_deref().unwrap_or("-")))?;
    }
    let per_second = thousands(job.rate.max(0.0) as u64);
    line("iterations", format!("{}, {per_second} per second", thousands(job.summary.iterations)))?;
    line("time", format!("{}, {} workers now", clock(job.summary.seconds), job.workers))?;
    let mut units = format!("{} done", thousands(job.summary.units_done));
    for (count, what) in
        [(job.summary.units_stalled, "stalled"), (job.summary.units_quarantined, "quarantined after failures")]
    {
        if count > 0 {
            units += &format!(", {} {what}", thousands(count));
        }
    }
    line("units", units)?;
    line("priority", format!("{}, weight {}", job.summary.priority, job.summary.weight))?;
    let begins = [
        job.summary.after.map(|after| format!("after job {after} has finished")),
        job.summary.not_before.map(|time| format!("not before {}", local(time))),
    ];
    let begins: Vec<String> = begins.into_iter().flatten().collect();
    if !begins.is_empty() {
        line("begins", begins.join(", "))?;
    }
    let limits = [
        job.summary.limits.seconds.map(|seconds| format!("{} of time", clock(seconds))),
        job.summary.limits.iterations.map(|n| format!("{} iterations", thousands(n))),
        job.summary.limits.workers.map(|n| format!("{n} workers")),
        job.summary.limits.memory.map(|n| format!("{} of memory", bytes_text(n))),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    line("limits", if limits.is_empty() { "none".to_owned() } else { limits.join(", ") })?;
    if let Some(seed) = job.summary.seed {
        line("seed", seed.to_string())?;
    }
    let setting = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
        // The text of a grid is long.
        Some(text) if text.chars().count() > LONGEST_SETTING => {
            let first: String = text.chars().take(LONGEST_SETTING).collect();
            format!("{name} = {}... ({} characters)", plain(&first), text.chars().count())
        }
        Some(text) => format!("{name} = {}", plain(text)),
        None => format!("{name} = {value}"),
    };
    for (i, setting) in job.settings.iter().map(setting).enumerate() {
        line(if i == 0 { "settings" } else { "" }, setting)?;
    }
    Ok(())
}

fn describe_selfplay(
    made: &SelfplayView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let SelfplayView { games, games_counted, won_black, drawn, won_white, plies, .. } = made;
    line("self-play", plain(&made.title))?;
    line(
        "made",
        format!("{} of {} games, {} moves", thousands(*games_counted), thousands(*games), thousands(*plies)),
    )?;
    let [black, draws, white] = [won_black, drawn, won_white].map(|count| thousands(*count));
    line("ends", format!("black has won {black}, white {white}, {draws} are drawn"))?;
    line("CPU time", clock(made.cpu_seconds))
}

fn describe_analyse(
    found: &AnalyseView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let AnalyseView { title, positions, positions_done, cpu_seconds, .. } = found;
    line("positions", plain(title))?;
    line("analysed", format!("{} of {} positions", thousands(*positions_done), thousands(*positions)))?;
    line("CPU time", clock(*cpu_seconds))
}

/// A loss with as many digits as `morpion tune` tells.
fn loss_text(loss: f64, game: &str) -> String {
    if game == "reversi" { format!("{loss:.3}") } else { format!("{loss:.4}") }
}

fn describe_tune(found: &TuneView, line: &mut dyn FnMut(&str, String) -> std::io::Result<()>) -> std::io::Result<()> {
    let TuneView { game, of_network, title, games_of, games, positions, parts, parts_done, .. } = found;
    line(if *of_network { "network" } else { "weights" }, plain(title))?;
    let jobs: Vec<String> = games_of.iter().map(u64::to_string).collect();
    let sizes = match games {
        0 => String::new(),
        _ => format!(": {} games, {} positions", thousands(*games), thousands(*positions)),
    };
    line("games of", format!("job {}{sizes}", jobs.join(", ")))?;
    line("fitted", format!("{parts_done} of {parts} parts"))?;
    let (what, of) = match (game.as_str(), of_network) {
        ("reversi", _) => ("error", "empty cells and more"),
        (_, false) => ("loss", "steps"),
        (_, true) => ("loss", "passes"),
    };
    let told = |training: f64, validation: f64| {
        let [training, validation] = [training, validation].map(|loss| loss_text(loss, game));
        format!("{training}, of games that are not learned from {validation}")
    };
    for TuneLossView { at, loss, .. } in &found.losses {
        line(what, format!("{at} {of}: {}", told(loss.training, loss.validation)))?;
    }
    for (name, loss) in [("before", found.before), ("after", found.after)] {
        if let Some(loss) = loss {
            line(name, format!("{what} {}", told(loss.training, loss.validation)))?;
        }
    }
    line("CPU time", clock(found.cpu_seconds))
}

fn describe_tactics(
    found: &TacticsView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    line("answered", format!("{} of {} questions", thousands(found.questions_done), thousands(found.questions)))?;
    line("answers", found.tally().to_string())?;
    if found.checked > 0 {
        line("proofs", format!("{} checked, {} do not hold", thousands(found.checked), thousands(found.refused)))?;
    }
    line("CPU time", clock(found.cpu_seconds))
}

/// What was found in the games that are searched for patterns.
pub fn mined(found: &MineView) -> String {
    match (found.patterns, found.kept) {
        (Some(all), Some(kept)) => {
            let least = found.least;
            format!("{} of {} patterns came up in {least} games or more", thousands(kept), thousands(all))
        }
        _ => format!("{} of {} games", thousands(found.games_done), thousands(found.games)),
    }
}

fn describe_mine(found: &MineView, line: &mut dyn FnMut(&str, String) -> std::io::Result<()>) -> std::io::Result<()> {
    let MineView { title, games, games_done, positions, questions, patterns_of_games, .. } = found;
    line("board", plain(title))?;
    line("searched", format!("{} of {} games", thousands(*games_done), thousands(*games)))?;
    let [positions, questions] = [positions, questions].map(|count| thousands(*count));
    line("asked", format!("{questions} questions about {positions} positions"))?;
    line("found", format!("{} patterns, those of each game by itself", thousands(*patterns_of_games)))?;
    if found.kept.is_some() {
        line("kept", mined(found))?;
    }
    line("CPU time", clock(found.cpu_seconds))
}

/// How many replies have a plan.
pub fn answered(found: &PlanView) -> String {
    format!("{} of {} replies are answered", thousands(found.answered), thousands(found.goals))
}

fn describe_plan(found: &PlanView, line: &mut dyn FnMut(&str, String) -> std::io::Result<()>) -> std::io::Result<()> {
    line("position", format!("{}: {}", plain(&found.title), plain(&found.start)))?;
    line("wins", plain(&found.wins))?;
    line("answered", answered(found))?;
    for goal in &found.open {
        let proof = goal.proof.map_or(String::new(), |proof| format!(", {} left to do", thousands(proof.into())));
        let nodes = format!("{} nodes in {} units", thousands(goal.nodes), thousands(goal.turns));
        line(&plain(&goal.reply), format!("{}{proof}, {nodes}", plain(&goal.state)))?;
    }
    line("searched", format!("{} nodes, {} searches of threats", thousands(found.nodes), thousands(found.threats)))?;
    let checked = if found.checked { "checked" } else { "not checked: morpion plan check does that" };
    line("plan", format!("{} moves, {checked}", thousands(found.moves)))?;
    line("CPU time", clock(found.cpu_seconds))
}

/// How many moves of a plan are checked, and what does not hold.
pub fn checked(found: &CheckView) -> String {
    let checked = format!("{} of {} moves are checked", thousands(found.checked), thousands(found.moves));
    match (&found.hole, &found.unanswered) {
        (Some(hole), _) => format!("{checked}, and one does not hold: {}", hole_text(hole)),
        (None, Some(hole)) => format!("{checked}, and the first position is not answered: {}", hole_text(hole)),
        (None, None) => checked,
    }
}

/// Where a plan does not hold, and why.
fn hole_text(hole: &HoleView) -> String {
    let place =
        if hole.moves.is_empty() { "in the first position".to_owned() } else { format!("after {}", hole.moves) };
    let number = hole.number.map_or(String::new(), |number| format!("move {}, ", thousands(number)));
    plain(&format!("{number}{place}: {}", hole.reason))
}

fn describe_check(
    found: &CheckView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    line("position", format!("{}: {}", plain(&found.title), plain(&found.start)))?;
    line("wins", plain(&found.wins))?;
    line("checked", format!("{} of {} moves", thousands(found.checked), thousands(found.moves)))?;
    let first = match (found.start_answered, &found.unanswered) {
        (_, Some(hole)) => format!("not all are answered; {}", hole_text(hole)),
        (Some(_), None) => "all are answered".to_owned(),
        (None, None) => "not checked yet".to_owned(),
    };
    line("first", format!("replies to the first position: {first}"))?;
    if let Some(hole) = &found.hole {
        line("refuted", hole_text(hole))?;
    }
    let [replies, planned, by_threats] = [found.replies, found.planned, found.by_threats].map(thousands);
    line("replies", format!("{replies}, of which {planned} are planned and {by_threats} lose to threats"))?;
    line("threats", format!("{} positions, each with all its replies", thousands(found.positions)))?;
    line("CPU time", clock(found.cpu_seconds))
}

fn describe_match(
    of_match: &MatchView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    line("match", plain(&of_match.title))?;
    line("players", format!("A is {}, B is {}", plain(&of_match.a), plain(&of_match.b)))?;
    let MatchView { pairs, pairs_done, pairs_counted, .. } = of_match;
    let ahead = match pairs_done - pairs_counted.min(pairs_done) {
        0 => String::new(),
        ahead => format!(", {} more are done ahead of one that runs", thousands(ahead)),
    };
    line("pairs", format!("{} of {}{ahead}", thousands(*pairs_counted), thousands(*pairs)))?;
    if *pairs_counted > 0 {
        for (name, text) in ["points", "strength", "test"].into_iter().zip(of_match.figures().lines()) {
            line(name, text)?;
        }
    }
    line("CPU time", clock(of_match.cpu_seconds))
}

fn describe_proof(
    proof: &ProofView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let ProofView { region, points, moves, units_open, units_done, .. } = proof;
    line("statement", format!("no grid of {moves} moves in {}, {points} points beyond the cross", plain(region)))?;
    let (open, done) = (thousands(*units_open), thousands(*units_done));
    let part = if proof.end == "proved" { "all of it".to_owned() } else { format!("{} by volume", closed(proof)) };
    line("closed", format!("{part}; {open} units open, {done} done"))?;
    let unanswered = match proof.without_answer {
        0 => String::new(),
        count => format!(" ({} without an answer)", thousands(count)),
    };
    line(
        "programs",
        format!("{} linear programs{unanswered}, {} cases", thousands(proof.programs), thousands(proof.nodes)),
    )?;
    let (shapes, conflicts) = (thousands(proof.shapes), thousands(proof.conflicts));
    line("point sets", format!("{shapes} refuted with {conflicts} conflicts"))?;
    line("CPU time", clock(proof.cpu_seconds))?;
    if let Some(ProofLeftView { dives, nodes, shapes, cpu_seconds }) = proof.left {
        let (nodes, shapes) = (thousands(nodes as u64), thousands(shapes as u64));
        let time = clock(cpu_seconds);
        line(
            "left",
            format!("about {nodes} cases and {shapes} point sets, {time} of CPU time, by {dives} random descents"),
        )?;
    }
    line("grids met", proof.grids.to_string())
}

fn describe_solution(
    found: &SolutionView,
    line: &mut dyn FnMut(&str, String) -> std::io::Result<()>,
) -> std::io::Result<()> {
    line("position", format!("{}: {}", plain(&found.title), plain(&found.position)))?;
    let settled = if found.settled { "" } else { ", not settled" };
    line("value", format!("{} for {}{settled}", range(found.lower, found.upper), plain(&found.side)))?;
    for (name, moves) in [("best moves", &found.best_moves), ("line", &found.line)] {
        if !moves.is_empty() {
            line(name, plain(&moves.join(" ")))?;
        }
    }
    let known = found.moves.iter().filter_map(|m| Some((&m.name, m.lower?, m.upper?)));
    let known: Vec<String> = known.map(|(name, lower, upper)| format!("{name} {}", range(lower, upper))).collect();
    if !known.is_empty() {
        line("moves", plain(&known.join(", ")))?;
    }
    let units = found.units;
    line(
        "tree",
        format!(
            "{} nodes on top; units: {} made, {} answered, {} split, {} not needed, {} open",
            thousands(found.tree_nodes),
            thousands(units.made),
            thousands(units.finished),
            thousands(units.split),
            thousands(units.cancelled),
            thousands(units.open)
        ),
    )?;
    line(
        "took",
        format!("{} nodes, {:.1} CPU seconds of {}", thousands(found.nodes), found.cpu_seconds, plain(&found.user)),
    )?;
    if found.contradictions > 0 {
        line("doubtful", format!("{} contradictions among the answers", found.contradictions))?;
    }
    Ok(())
}

fn range(lower: i32, upper: i32) -> String {
    if lower == upper { format!("{lower:+}") } else { format!("{lower:+}..{upper:+}") }
}
