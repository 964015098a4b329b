//! `morpion job answers`: the tactical questions that a job has answered, as lines or as JSON.

use super::games::each_result;
use crate::cli::client::{Client, Connection};
use crate::cli::grid_input::plain;
use crate::cli::tactics::ToldAnswer;
use crate::daemon::view::{AnsweredQuestionView, JobId, JobView};
use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;

/// List the tactical questions that a job has answered, and what the answers come to.
///
/// The lines are those of morpion tactics suite: each question with its answer, and whether that is right where the
/// expected one is given. With --json each question is an object, with its board.
#[derive(Debug, clap::Args)]
pub struct Answers {
    /// Number of the job
    id: JobId,
    /// Print one JSON object per question
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job answers no questions, or the output cannot be written.
pub fn run(args: &Answers, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    let job: JobView = client.get(&format!("/api/v1/jobs/{}", args.id))?;
    let kind = &job.summary.kind;
    let of = job.summary.tactics.as_ref();
    let of = of.with_context(|| format!("job {} answers no questions: its kind is {}", args.id, plain(kind)))?;
    each_result(&client, &format!("/api/v1/jobs/{}/answers", args.id), |asked: &AnsweredQuestionView| {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(asked)?)?;
            return Ok(());
        }
        let told = ToldAnswer { name: &asked.name, answer: &asked.answer, expected: &asked.expected };
        told.write(asked.right_by_code.zip(asked.right_with_move), out)?;
        if let Some(fault) = &asked.proof_fault {
            writeln!(out, "  the proof does not hold: {}", plain(fault))?;
        }
        Ok(())
    })?;
    if !args.json {
        writeln!(out, "{}", of.tally())?;
    }
    Ok(ExitCode::SUCCESS)
}
