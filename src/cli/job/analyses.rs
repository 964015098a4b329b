//! `morpion job analyses`: what the positions of a job are worth, as a table or as JSON.

use super::games::each_result;
use super::list;
use crate::cli::client::{Client, Connection};
use crate::cli::grid_input::plain;
use crate::cli::player_flags::worth_of;
use crate::daemon::view::{AnalysedMoveView, AnalysedPositionView, JobId, JobView};
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;

/// Most moves of a line that is shown; --json has all.
const LONGEST_SHOWN: usize = 12;

/// List the positions that a job has analysed, with what their moves are worth.
///
/// Each position has a line for its best move, or for so many of them: the number of the position, the side to move
/// there, the move that was made in the game, the move with its value for that side, the depth, and the line that is
/// expected. The values are those of morpion analyse. With --json each position is an object with all that is known
/// of its moves.
#[derive(Debug, clap::Args)]
pub struct Analyses {
    /// Number of the job
    id: JobId,
    /// Number of moves of each position to tell of, the best ones
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    best: u16,
    /// Print one JSON object per position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job analyses no positions, or the output cannot be written.
pub fn run(args: &Analyses, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let job: JobView = client.get(&format!("/api/v1/jobs/{}", args.id))?;
    let kind = &job.summary.kind;
    let of = job.summary.analyse.as_ref();
    let of = of.with_context(|| format!("job {} analyses no positions: its kind is {}", args.id, plain(kind)))?;
    let (has_score, mut rows) = (of.game != "gomoku", Vec::new());
    each_result(&client, &format!("/api/v1/jobs/{}/analyses", args.id), |position: &AnalysedPositionView| {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(position)?)?;
        } else if position.moves.is_empty() {
            rows.push(row(position, None, has_score));
        } else {
            let told = position.moves.iter().take(args.best.into());
            rows.extend(told.map(|found| row(position, Some(found), has_score)));
        }
        Ok(())
    })?;
    if !args.json {
        list::table(["position", "side", "made", "move", "value", "depth", "line"], &rows, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(position: &AnalysedPositionView, found: Option<&AnalysedMoveView>, has_score: bool) -> [String; 7] {
    let (number, side) = (position.number.to_string(), plain(&position.side));
    let made = position.next.as_ref().map_or("-".to_owned(), |name| plain(name));
    let Some(found) = found else {
        let empty = String::new();
        return [number, side, made, empty.clone(), "the game is over".to_owned(), empty.clone(), empty];
    };
    let line: Vec<String> = found.line.iter().take(LONGEST_SHOWN).map(|name| plain(name)).collect();
    let value = worth_of(found.value.as_f64().unwrap_or(0.0), found.decided_in, has_score);
    let name = plain(found.name.as_deref().unwrap_or("-"));
    [number, side, made, name, value, found.depth.to_string(), line.join(" ")]
}
