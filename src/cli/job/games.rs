//! `morpion job games`: the games of a match, or of a player against itself, as a table or as files.

use super::list;
use crate::cli::client::{Client, Connection, encoded};
use crate::cli::grid_input::plain;
use crate::cli::streams::say;
use crate::daemon::view::{JobId, JobView, Listing, MatchGameView};
use anyhow::{Context, bail};
use serde::de::DeserializeOwned;
use std::fs::{self, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Items of a list that are asked for at a time.
const PAGE: usize = 200;

/// List the games of a match, or of a player against itself, or save them.
///
/// Each game has a line: its number, who had black, who won, its plies, and the moves after the opening. With
/// --output each is a file that other programs read (SGF; GGF for Reversi on square boards); a file that exists is
/// left as it is. With --file the games of a player against itself go into one file, which morpion selfplay continues
/// and morpion tune learns from.
#[derive(Debug, clap::Args)]
pub struct Games {
    /// Number of the job
    id: JobId,
    /// Directory for the games; it is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// File for all games of a player against itself
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "json"])]
    file: Option<PathBuf>,
    /// Print one JSON object per game
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command.
///
/// # Errors
/// If no daemon answers, it refuses, the job is no match, or a file cannot be written.
pub fn run(args: &Games, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = Client::new(&args.connection)?;
    if let Some(file) = &args.file {
        return write_file(&client, args.id, file);
    }
    if let Some(directory) = &args.output {
        fs::create_dir_all(directory).with_context(|| format!("{}: cannot be made", directory.display()))?;
    }
    let (mut saved, mut kept, mut rows) = (0u64, 0u64, Vec::new());
    each_game(&client, args.id, |game| {
        if let Some(directory) = &args.output {
            let new = save(directory, args.id, game)?;
            (saved, kept) = (saved + u64::from(new), kept + u64::from(!new));
        } else if args.json {
            writeln!(out, "{}", serde_json::to_string(game)?)?;
        } else {
            rows.push(row(game));
        }
        Ok(())
    })?;
    if args.output.is_some() {
        say!("{saved} games are saved, {kept} were there");
    } else if !args.json {
        list::table(["game", "black", "winner", "plies", "moves"], &rows, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Calls a function with each game of a job, ascending by number.
fn each_game(
    client: &Client,
    id: JobId,
    take: impl FnMut(&MatchGameView) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    each_result(client, &format!("/api/v1/jobs/{id}/games"), take)
}

/// Calls a function with each item of the list at this path.
///
/// # Errors
/// If no daemon answers, it refuses, or the function fails.
pub(super) fn each_result<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    mut take: impl FnMut(&T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut cursor = String::new();
    loop {
        let listing: Listing<T> = client.get(&format!("{path}?limit={PAGE}{cursor}"))?;
        listing.items.iter().try_for_each(&mut take)?;
        match listing.next {
            Some(next) => cursor = format!("&cursor={}", encoded(&next)),
            None => return Ok(()),
        }
    }
}

/// Writes the file of games of a player against itself: the games up to the first one that is not made.
fn write_file(client: &Client, id: JobId, path: &Path) -> anyhow::Result<ExitCode> {
    let job: JobView = client.get(&format!("/api/v1/jobs/{id}"))?;
    let name = plain(&path.display().to_string());
    let made = job.summary.selfplay;
    let made =
        made.with_context(|| format!("job {id} has no games to learn from: its kind is {}", job.summary.kind))?;
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let file = file.with_context(|| match path.exists() {
        true => format!("{name}: the file exists"),
        false => format!("{name}: cannot be written"),
    })?;
    let (mut file, mut count) = (BufWriter::new(file), 0);
    writeln!(file, "{}", plain(&made.head)).with_context(|| name.clone())?;
    each_game(client, id, |game| {
        if game.number == count {
            let line = game.line.as_ref().with_context(|| format!("game {count} has no line"))?;
            writeln!(file, "{}", plain(line)).with_context(|| name.clone())?;
            count += 1;
        }
        Ok(())
    })?;
    file.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| file.sync_all())
        .with_context(|| name.clone())?;
    say!("{count} games are in {name}");
    Ok(ExitCode::SUCCESS)
}

fn row(game: &MatchGameView) -> [String; 5] {
    let side = |side: &str| if side == "draw" { side.to_owned() } else { side.to_uppercase() };
    let failure = game.failure.as_ref().map_or(String::new(), |why| format!(" ({})", plain(why)));
    let moves: Vec<String> = game.moves.iter().map(|name| plain(name)).collect();
    [
        game.number.to_string(),
        side(&game.black),
        side(&plain(&game.winner)),
        game.moves.len().to_string(),
        moves.join(" ") + &failure,
    ]
}

/// Saves a game; whether there was no such file.
fn save(directory: &Path, id: JobId, game: &MatchGameView) -> anyhow::Result<bool> {
    let ending = match game.saved_as.as_str() {
        ending @ ("sgf" | "ggf" | "obf" | "txt") => ending,
        other => bail!("the daemon names an unknown kind of file: {}", plain(other)),
    };
    let path = directory.join(format!("job{id}-game{:06}.{ending}", game.number));
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            let text = game.text.trim_end().to_owned() + "\n";
            file.write_all(text.as_bytes()).with_context(|| format!("{}: cannot be written", path.display()))?;
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| format!("{}: cannot be written", path.display())),
    }
}
