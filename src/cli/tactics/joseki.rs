//! `morpion tactics joseki`: moves in the corners, from a dictionary.

use super::{JSON_VERSION, side_name};
use crate::cli::grid_input::plain;
use crate::cli::streams::say;
use crate::core::quantity::grouped;
use crate::games::go::large::points::LargeBoard;
use crate::games::go::large::position::LargePosition;
use crate::games::go::notation::parse_position;
use crate::games::go::rules::GoRules;
use crate::tactics::joseki::{JosekiDictionary, JosekiMatch, JosekiMove};
use anyhow::anyhow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Most characters of a remark that are printed.
const REMARK: usize = 72;

/// Look the corners of a board up in a dictionary of joseki.
///
/// FILE is a game in SGF, of which the end of the main line is the position, or a board of characters. A dictionary
/// is an SGF file whose variations are sequences in one corner; none comes with the program. Each corner is found
/// turned over its diagonal and in other colours, too. The exit status is 1 if no corner is in the dictionary.
#[derive(Debug, clap::Args)]
pub struct JosekiArgs {
    /// File of the position
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File of the dictionary
    #[arg(long, value_name = "FILE")]
    dictionary: PathBuf,
    /// Print a JSON object per move instead of text
    #[arg(long)]
    json: bool,
}

/// Runs `morpion tactics joseki`.
///
/// # Errors
/// A file that cannot be read, or that is no dictionary.
pub fn run(args: &JosekiArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (file, text) = super::read(&args.file)?;
    let position: LargePosition =
        parse_position(&text, GoRules::default()).map_err(|error| anyhow!("{file}: {error}"))?;
    let (name, text) = super::read(&args.dictionary)?;
    let dictionary =
        JosekiDictionary::read(&text).map_err(|error| anyhow!("{name}: {}", plain(&error.to_string())))?;
    for notice in dictionary.notices() {
        say!("morpion: {name}: {}", plain(notice));
    }
    let size = position.size();
    let found = dictionary.look_up(position.chains());
    if !args.json {
        let noun = if dictionary.len() == 1 { "position" } else { "positions" };
        writeln!(out, "{} {noun} in the dictionary", grouped(dictionary.len() as u64))?;
    }
    for corner in &found {
        write_corner(size, corner, args.json, out)?;
    }
    if found.is_empty() && !args.json {
        writeln!(out, "no corner is in it")?;
    }
    Ok(if found.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn write_corner(size: LargeBoard, found: &JosekiMatch, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = |found: &JosekiMove| found.point.map(|point| size.name(point));
    if !json {
        writeln!(out, "{}, the same on {} lines", found.corner.name(), found.lines)?;
    }
    for one in &found.moves {
        if json {
            let value = serde_json::json!({
                "version": JSON_VERSION,
                "corner": found.corner.name(),
                "lines": found.lines,
                "side": side_name(one.side),
                "move": name(one),
                "mark": one.mark.map(|mark| mark.name()),
                "remark": one.remark,
                "positions": one.behind,
            });
            writeln!(out, "{value}")?;
            continue;
        }
        let place = name(one).unwrap_or_else(|| "elsewhere".to_owned());
        let mark = one.mark.map_or(String::new(), |mark| format!(", {}", mark.name()));
        let line = plain(one.remark.lines().next().unwrap_or_default());
        let mut remark: String = line.chars().take(REMARK).collect();
        if remark.len() < line.len() || one.remark.lines().count() > 1 {
            remark.push_str(" ...");
        }
        let (side, behind) = (side_name(one.side), grouped(one.behind as u64));
        let noun = if one.behind == 1 { "position" } else { "positions" };
        let text = format!("  {side} {place:<9} {behind:>7} {noun}{mark}  {remark}");
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}
