//! `morpion credit`: who has computed how much for a daemon.

use super::client::{Client, Connection, encoded};
use super::grid_input::{counted, plain};
use super::job::table;
use super::moment::local_minute;
use super::streams::say;
use crate::core::quantity::grouped;
use crate::daemon::view::{ContributionView, ContributorView, ProjectCreditView, UserAccountView};
use crate::runner::status::clock;
use std::io::Write;
use std::process::ExitCode;

/// Show who has computed how much for a daemon.
///
/// Units of hunts, solutions, proofs and players, the time of the workers that had them, and the credit for it: of
/// all users and teams, or of one user by machine and day. docs/scale-out.md says what credit is given for.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Show this user's machines and days.
    #[arg(value_name = "USER")]
    user: Option<String>,
    /// Print the daemon's JSON document.
    #[arg(long)]
    json: bool,
    /// Print all accounts, one line for each machine and day, with commas between the values.
    #[arg(long, conflicts_with_all = ["json", "user"])]
    csv: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, or the output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    if args.csv {
        out.write_all(&client.bytes("/api/v1/credit/export")?)?;
    } else if let Some(user) = &args.user {
        let account: UserAccountView = client.get(&format!("/api/v1/credit/users/{}", encoded(user)))?;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&account)?)?;
        } else {
            user_tables(&account, out)?;
        }
    } else {
        let credit: ProjectCreditView = client.get("/api/v1/credit")?;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&credit)?)?;
        } else {
            project_tables(&credit, out)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn project_tables(credit: &ProjectCreditView, out: &mut dyn Write) -> std::io::Result<()> {
    let ProjectCreditView { total, users, teams, users_count, teams_count, .. } = credit;
    if users.is_empty() {
        say!("no credit yet");
        return Ok(());
    }
    let row = |(rank, one): (usize, &ContributorView)| ranked(rank, &one.name, &one.contribution);
    let rows = |list: &[ContributorView]| -> Vec<[String; 11]> { (1..).zip(list).map(row).collect() };
    table(heads("user"), &rows(users), out)?;
    if !teams.is_empty() {
        writeln!(out)?;
        table(heads("team"), &rows(teams), out)?;
    }
    // The last line goes to the other stream, below the tables.
    out.flush()?;
    say!(
        "{}, {}, {}: {} of credit for {}",
        counted(*users_count as usize, "user"),
        counted(*teams_count as usize, "team"),
        counted(total.machines as usize, "machine"),
        points(total.credit),
        counted(total.units as usize, "unit")
    );
    Ok(())
}

fn user_tables(account: &UserAccountView, out: &mut dyn Write) -> std::io::Result<()> {
    let UserAccountView { name, total, days, machines, .. } = account;
    let machines: Vec<[String; 11]> =
        (1..).zip(machines).map(|(rank, one)| ranked(rank, &one.name, &one.contribution)).collect();
    table(heads("machine"), &machines, out)?;
    writeln!(out)?;
    let days: Vec<[String; 11]> =
        (1..).zip(days.iter().rev()).map(|(rank, one)| ranked(rank, &one.day, &one.contribution)).collect();
    table(heads("day"), &days, out)?;
    out.flush()?;
    say!("{}: {} of credit for {}", plain(name), points(total.credit), counted(total.units as usize, "unit"));
    Ok(())
}

fn heads(what: &str) -> [&str; 11] {
    ["", what, "credit", "units", "hunts", "solutions", "proofs", "players", "worker time", "machines", "last credit"]
}

fn ranked(rank: usize, name: &str, what: &ContributionView) -> [String; 11] {
    [
        rank.to_string(),
        plain(name),
        points(what.credit),
        grouped(what.units),
        grouped(what.units_hunt),
        grouped(what.units_solve),
        grouped(what.units_prove),
        grouped(what.units_players),
        clock(what.seconds),
        what.machines.to_string(),
        local_minute(what.last),
    ]
}

/// Points of credit: more digits of small numbers.
fn points(credit: f64) -> String {
    if credit < 10.0 { format!("{credit:.3}") } else { format!("{credit:.1}") }
}
