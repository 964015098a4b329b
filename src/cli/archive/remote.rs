//! The archive of a daemon that runs: its grids part by part, as it lists them.

use super::bookmark::Bookmark;
use super::collect::digits_of;
use super::line::{ArchiveLine, Printer};
use super::{Args, compare, export};
use crate::cli::client::{Client, ClientError, encoded};
use crate::daemon::grids::is_key;
use crate::daemon::view::GridView;
use crate::notation::catalogue::Catalogue;
use crate::notation::format;
use crate::notation::grid::Grid;
use anyhow::{Context, bail, ensure};
use std::io::Write;

/// Lists, compares or exports the grids of a daemon.
///
/// # Errors
/// If no daemon answers, it refuses, an id is that of no grid or of several, or the output cannot be written.
pub fn run(args: &Args, client: &Client, catalogue: &Catalogue, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some([a, b]) = args.compare.as_deref() {
        let of_id = |id: &str| grid(client, &by_id(client, "/api/v1/grids?", id)?);
        return compare::run([a, b], &of_id, catalogue, args.json, out);
    }
    let mut bookmark = args.open_bookmark()?;
    let since = args.since.into_iter().chain(bookmark.as_ref().map(Bookmark::since)).reduce(f64::max);
    let mut path = path(args, since);
    if let Some(id) = &args.cluster {
        path += &format!("&cluster={}", by_id(client, &path, id)?);
    }
    if let Some(difference) = args.difference() {
        path += &format!("&clusters={difference}");
    }
    let mut accepts = |line: &ArchiveLine| bookmark.as_mut().is_none_or(|bookmark| bookmark.is_new(line));
    if let Some(export_to) = &args.export {
        let mut lines = Vec::new();
        each(args, client, &path, |line| {
            if accepts(&line) {
                lines.push(line);
            }
            Ok(())
        })?;
        export::run(export_to, &lines, args.format, |number| grid(client, &lines[number].key), out)?;
    } else {
        let mut printer = Printer::of_daemon(args.form(), args.sort).with_clusters(args.shows_clusters());
        each(args, client, &path, |line| if accepts(&line) { printer.print(line, out) } else { Ok(()) })?;
        printer.end(out)?;
    }
    super::saved(bookmark, out)
}

/// The list that the flags ask for.
fn path(args: &Args, since: Option<f64>) -> String {
    let mut path = "/api/v1/grids?".to_owned();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            path += &format!("&{name}={}", encoded(&value));
        }
    };
    add("variant", args.variant.map(|variant| variant.to_string()));
    add("min_score", args.min.map(|min| min.to_string()));
    add("max_score", args.max.map(|max| max.to_string()));
    add("job", args.job.map(|job| job.to_string()));
    add("since", since.filter(|since| *since > 0.0).map(|since| since.to_string()));
    let text = |value: serde_json::Value| value.as_str().map(str::to_owned);
    add("symmetry", args.symmetry.and_then(|symmetry| text(serde_json::json!(symmetry))));
    add("new", args.new.then(|| "true".to_owned()));
    add("sort", text(serde_json::json!(args.sort)).filter(|sort| sort != "score"));
    add("reverse", args.reverse.then(|| "true".to_owned()));
    path
}

/// Goes through the grids that are asked for, as they come.
fn each(
    args: &Args,
    client: &Client,
    path: &str,
    mut each: impl FnMut(ArchiveLine) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if !args.id.is_empty() {
        for id in &args.id {
            let view: GridView = client.get(&format!("/api/v1/grids/{}", by_id(client, path, id)?))?;
            each(ArchiveLine::of_daemon(view, client.url()))?;
        }
        return Ok(());
    }
    for part in client.parts::<GridView>(path, args.limit.unwrap_or(usize::MAX)) {
        for view in part? {
            each(ArchiveLine::of_daemon(view, client.url()))?;
        }
    }
    Ok(())
}

/// The key of the grid of a list whose key begins with these digits.
fn by_id(client: &Client, path: &str, id: &str) -> anyhow::Result<String> {
    let digits = digits_of(id)?;
    if is_key(&digits) {
        return Ok(digits);
    }
    let mut found: Option<String> = None;
    for part in client.parts::<GridView>(path, usize::MAX) {
        for view in part?.into_iter().filter(|view| view.key.starts_with(&digits)) {
            if let Some(other) = &found {
                bail!("several grids have ids that begin with {id}: {other}, {}, ...", view.key);
            }
            found = Some(view.key);
        }
    }
    found.with_context(|| format!("no grid has the id {id}"))
}

/// A grid with its moves. Its key comes from the daemon, so it is looked at, and the grid is replayed as it is read.
fn grid(client: &Client, key: &str) -> anyhow::Result<Grid> {
    ensure!(is_key(key), "the daemon names a grid '{}', which is not a key", crate::cli::grid_input::plain(key));
    let text: Result<Vec<u8>, ClientError> = client.bytes(&format!("/api/v1/grids/{key}?format=msr"));
    let loaded = format::read(&text?, None).with_context(|| format!("grid {key} of the daemon"))?;
    Ok(loaded.grid)
}
