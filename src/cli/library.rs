//! `morpion library`: libraries of Gomoku and renju (`.lib`), looked at and converted.

use super::grid_input::{plain, save};
use super::positions::read_file;
use super::streams::say;
use crate::core::quantity::grouped;
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::library::read::{ReadLibrary, read};
use crate::games::gomoku::library::sgf::{SgfLibrary, from_sgf, to_sgf};
use crate::games::gomoku::library::write::write;
use crate::games::gomoku::library::{GomokuLibrary, LibraryNodeId, is_library};
use crate::games::sgf::is_sgf;
use crate::notation::sgf;
use anyhow::{Context, anyhow, bail};
use encoding_rs::Encoding;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Version of the `--json` output.
const JSON_VERSION: u32 = 1;

/// Show libraries of Gomoku and renju (.lib), and convert them to SGF and back.
///
/// A library is a tree of moves on 15x15 with comments, board texts and marks, such as RenLib writes. FILE is a
/// library or a game tree in SGF (GM[4]), whatever its name. Without other flags the command says what there is in
/// it; with --output it writes the other format. SGF has the variations, the comments, board texts as labels (LB) and
/// marks (HO). What a format has no place for is told.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of the tree
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File to write; - is standard output. The ending .lib or .sgf decides the format
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output, if its name does not tell it
    #[arg(long, value_name = "FORMAT", requires = "output")]
    to: Option<TreeFormat>,
    /// Overwrite the output if it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Character set of the texts in a library that is read or written, such as gbk, shift_jis or windows-1251
    /// [default: UTF-8, or windows-1252 in libraries that are not in UTF-8]
    #[arg(long, value_name = "NAME", value_parser = character_set)]
    encoding: Option<&'static Encoding>,
    /// Print the moves of each line, a line each, as `morpion job submit analyse --positions` reads them
    #[arg(long, conflicts_with = "output")]
    lines: bool,
    /// Print the comments, each after the moves to it
    #[arg(long, conflicts_with = "output")]
    comments: bool,
    /// Print one JSON object instead of text
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TreeFormat {
    /// A library (.lib)
    Lib,
    /// A game tree in SGF
    Sgf,
}

impl TreeFormat {
    /// The format of a file with this name.
    fn of_path(path: &Path) -> Option<TreeFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "lib" => Some(TreeFormat::Lib),
            "sgf" => Some(TreeFormat::Sgf),
            _ => None,
        }
    }
}

fn character_set(name: &str) -> Result<&'static Encoding, String> {
    let set = Encoding::for_label_no_replacement(name.as_bytes()).filter(|set| set.is_ascii_compatible());
    set.ok_or_else(|| "not a known character set, such as gbk, shift_jis or windows-1252".to_owned())
}

/// What was read of a file.
struct ReadTree {
    library: GomokuLibrary,
    /// The version, if it is a library.
    version: Option<(u8, u8)>,
    /// What was mended or left out.
    notices: Vec<String>,
}

impl ReadTree {
    fn read(path: &Path, encoding: Option<&'static Encoding>) -> anyhow::Result<ReadTree> {
        let bytes = read_file(path, sgf::read::MOST_BYTES as u64)?.context("there is no such file")?;
        if !is_library(&bytes) && is_sgf(&String::from_utf8_lossy(&bytes)) {
            let found = sgf::read::read_bytes(&bytes)?;
            let mut notices: Vec<String> = found.notices.iter().map(ToString::to_string).collect();
            notices.extend(more(found.more_notices));
            let SgfLibrary { library, left_out, more_games } = from_sgf(&found.collection)?;
            if more_games > 0 {
                notices.push(format!("only the first of {} games is taken", more_games + 1));
            }
            if !left_out.is_empty() {
                let names: Vec<String> = left_out.into_iter().collect();
                notices.push(format!("a library has no place for {}: left out", names.join(", ")));
            }
            return Ok(ReadTree { library, version: None, notices });
        }
        if !is_library(&bytes) {
            bail!("neither a library nor SGF");
        }
        let ReadLibrary { library, version, notices, more_notices } = read(&bytes, encoding)?;
        let mut notices: Vec<String> = notices.iter().map(ToString::to_string).collect();
        notices.extend(more(more_notices));
        Ok(ReadTree { library, version: Some(version), notices })
    }

    /// The bytes of a format; what it has no place for is added to the notices.
    fn written(&mut self, to: TreeFormat, encoding: Option<&'static Encoding>) -> anyhow::Result<Vec<u8>> {
        if to == TreeFormat::Lib {
            return Ok(write(&self.library, encoding)?);
        }
        let converted = to_sgf(&self.library)?;
        if converted.left_out > 0 {
            let count = converted.left_out;
            self.notices.push(format!("texts and marks that SGF has no place for are left out: {count}"));
        }
        Ok(sgf::write::write(&converted.collection).into_bytes())
    }
}

fn more(count: usize) -> Option<String> {
    (count > 0).then(|| format!("{count} more of this kind"))
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read, a tree that a format cannot hold, an output that exists or cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let name = plain(&args.file.display().to_string());
    let mut tree = ReadTree::read(&args.file, args.encoding).map_err(|error| anyhow!("{name}: {error:#}"))?;
    if let Some(output) = &args.output {
        let to_stdout = output == Path::new("-");
        let Some(to) = args.to.or_else(|| TreeFormat::of_path(output)) else {
            bail!(
                "{}: which format? end the name in .lib or .sgf, or give --to",
                plain(&output.display().to_string())
            );
        };
        let bytes = tree.written(to, args.encoding).map_err(|error| anyhow!("{name}: {error:#}"))?;
        warn(&name, &tree.notices);
        if to_stdout {
            out.write_all(&bytes).context("standard output")?;
        } else {
            save(output, &bytes, args.force)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        writeln!(out, "{}", json(&args, &tree))?;
        return Ok(ExitCode::SUCCESS);
    }
    warn(&name, &tree.notices);
    let library = &tree.library;
    if args.lines {
        for end in library.line_ends() {
            writeln!(out, "{}", names(library, end).concat())?;
        }
    }
    if args.comments {
        for id in commented(library) {
            let moves = names(library, id).concat();
            let lines: Vec<String> = library.comment(id).lines().map(plain).collect();
            writeln!(out, "{}: {}", if moves.is_empty() { "-" } else { &moves }, lines.join("\n    "))?;
        }
    }
    if !args.lines && !args.comments {
        write_counts(&tree, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn warn(name: &str, notices: &[String]) {
    for notice in notices {
        say!("morpion: {name}: warning: {}", plain(notice));
    }
}

fn write_counts(tree: &ReadTree, out: &mut dyn Write) -> std::io::Result<()> {
    let (library, counts) = (&tree.library, tree.library.counts());
    match tree.version {
        Some((major, minor)) => writeln!(out, "library of version {major}.{minor}")?,
        None => writeln!(out, "game tree in SGF")?,
    }
    for (name, count) in [
        ("nodes", counts.nodes),
        ("moves", counts.moves),
        ("depth", counts.depth),
        ("lines", counts.lines),
        ("comments", counts.comments),
        ("board texts", counts.board_texts),
        ("marks", counts.marks),
    ] {
        writeln!(out, "{name:<12} {}", grouped(count as u64))?;
    }
    let line: Vec<String> = library.first_line().into_iter().map(name_of).collect();
    if line.is_empty() { Ok(()) } else { writeln!(out, "{:<12} {}", "first line", line.join(" ")) }
}

fn json(args: &Args, tree: &ReadTree) -> serde_json::Value {
    let library = &tree.library;
    let first: Vec<String> = library.first_line().into_iter().map(name_of).collect();
    let mut object = serde_json::json!({
        "version": JSON_VERSION, "command": "library",
        "format": if tree.version.is_some() { "lib" } else { "sgf" },
        "format_version": tree.version.map(|(major, minor)| format!("{major}.{minor}")),
        "counts": library.counts(),
        "first_line": first,
        "notices": tree.notices,
    });
    if args.lines {
        let lines = library.line_ends().map(|end| names(library, end));
        object["lines"] = lines.collect::<Vec<_>>().into();
    }
    if args.comments {
        let comment = |id| serde_json::json!({ "moves": names(library, id), "comment": library.comment(id) });
        object["comments"] = commented(library).map(comment).collect::<Vec<_>>().into();
    }
    object
}

/// The nodes with comments.
fn commented(library: &GomokuLibrary) -> impl Iterator<Item = LibraryNodeId> {
    library.depth_first().filter(|&id| !library.comment(id).is_empty())
}

/// The names of the moves to a node.
fn names(library: &GomokuLibrary, id: LibraryNodeId) -> Vec<String> {
    library.path(id).into_iter().map(name_of).collect()
}

fn name_of(point: Option<u16>) -> String {
    point.map_or_else(|| "pass".to_owned(), |point| GomokuBoard::USUAL.name(point))
}
