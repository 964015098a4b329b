//! Gathers the grids of archives, of stopped daemons, of hunts without an archive and of grid files, each once by its
//! canonical key.

use crate::cli::grid_input::{Input, counted, is_status_of_hunt};
use crate::cli::streams::say;
use crate::daemon::directory::StateDirectory;
use crate::jobs::find::Find;
use crate::morpion::canonical::canonical_key_from;
use crate::morpion::geometry::Move;
use crate::morpion::referee;
use crate::morpion::start::Start;
use crate::morpion::variant::Variant;
use crate::notation::format::GridFormat;
use crate::notation::grid::{Grid, Provenance};
use crate::runner::archive::{ArchiveOrigin, FILE, KeptFind, Reader, path_in};
use crate::runner::best::provenance;
use crate::runner::clock::utc;
use crate::store::grids::{GridSource, Scope};
use crate::store::{self, Store};
use ahash::AHashMap;
use anyhow::{Context, bail, ensure};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Fewest digits of an id that are taken for one.
const FEWEST_DIGITS: usize = 4;
/// Digits of an id that are shown.
pub const SHOWN_DIGITS: usize = 8;

/// A grid and where it comes from.
pub struct GatheredGrid {
    /// The grid's canonical key, equal for symmetric grids and other orders of the moves.
    pub key: u64,
    pub variant: Variant,
    /// What it begins with.
    pub start: Start,
    /// The game, legal by the referee.
    pub moves: Vec<Move>,
    /// The source it was found in first.
    pub source: String,
    /// How a hunt found it; nothing for grid files.
    pub found: Option<GridOrigin>,
    /// Where a daemon had it from; nothing for hunts without one.
    pub stored: Option<GridSource>,
    /// What a grid file says of it.
    of_file: Option<Box<Provenance>>,
}

/// How a hunt found a grid.
pub struct GridOrigin {
    /// The find, without its moves.
    pub find: Find,
    origin: Rc<ArchiveOrigin>,
}

impl GatheredGrid {
    /// Number of moves.
    pub fn score(&self) -> usize {
        self.moves.len()
    }

    /// The first digits of the key.
    pub fn id(&self) -> String {
        format!("{:016x}", self.key)[..SHOWN_DIGITS].to_owned()
    }

    /// When it was found, if its source says.
    pub fn time(&self) -> Option<f64> {
        self.found.as_ref().map(|found| found.find.time).or(self.stored.map(|stored| stored.time))
    }

    /// The unit that found it.
    pub fn unit(&self) -> Option<u64> {
        self.found.as_ref().map(|found| found.find.unit).or(self.stored.and_then(|stored| stored.unit))
    }

    /// Where it comes from, as grid files tell it.
    pub fn provenance(&self) -> Provenance {
        match &self.found {
            Some(found) => {
                let ArchiveOrigin { method, seed, producer, .. } = &*found.origin;
                Provenance {
                    producer: Some(producer.clone()),
                    iterations: Some(found.find.iterations),
                    seconds: Some(found.find.seconds),
                    saved_at: Some(utc(found.find.time)),
                    ..provenance(method, found.find.unit, *seed)
                }
            }
            None => self.of_file.as_deref().cloned().unwrap_or_default(),
        }
    }

    /// It as a grid.
    pub fn grid(&self) -> Grid {
        let grid = Grid::from_start(self.start.clone(), self.variant, self.moves.clone());
        Grid { provenance: self.provenance(), ..grid }
    }
}

/// What was gathered: the longest first, of equal ones those found first.
pub struct Collection {
    pub entries: Vec<GatheredGrid>,
    /// A source could not be read, or not all of it; it has been said why.
    pub failed: bool,
}

/// Gathers the grids of all sources, of daemons only those of a job if one is asked for. What cannot be read is
/// reported on stderr.
pub fn collect(sources: &[PathBuf], job: Option<u64>) -> Collection {
    let mut gathering = Gathering { by_key: AHashMap::new(), entries: Vec::new(), job, failed: false };
    for source in sources {
        if let Err(error) = gathering.source(source) {
            gathering.complain(&format!("{error:#}"));
        }
    }
    let Gathering { mut entries, failed, .. } = gathering;
    let time = |entry: &GatheredGrid| entry.time().unwrap_or(f64::MAX);
    entries.sort_by(|a, b| {
        let longest = b.score().cmp(&a.score());
        longest.then(a.variant.cmp(&b.variant)).then(time(a).total_cmp(&time(b))).then(a.key.cmp(&b.key))
    });
    Collection { entries, failed }
}

/// The digits of an id, in small letters.
///
/// # Errors
/// If it cannot be one.
pub fn digits_of(id: &str) -> anyhow::Result<String> {
    let digits = id.to_ascii_lowercase();
    let sound = (FEWEST_DIGITS..=16).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    ensure!(sound, "'{id}' is not an id: {FEWEST_DIGITS} to 16 hexadecimal digits are expected");
    Ok(digits)
}

/// The grid whose key begins with these digits.
///
/// # Errors
/// If it is none or several, or the text cannot be an id.
pub fn by_id<'a>(entries: &'a [GatheredGrid], id: &str) -> anyhow::Result<&'a GatheredGrid> {
    let digits = digits_of(id)?;
    let mut fitting = entries.iter().filter(|entry| format!("{:016x}", entry.key).starts_with(&digits));
    match (fitting.next(), fitting.next()) {
        (Some(entry), None) => Ok(entry),
        (None, _) => bail!("no grid has the id {id}"),
        (Some(a), Some(b)) => {
            bail!("several grids have ids that begin with {id}: {:016x}, {:016x}, ...", a.key, b.key)
        }
    }
}

struct Gathering {
    /// Place in `entries` of each variant's keys: the same lines are a game of 5D and of 5T.
    by_key: AHashMap<(Variant, u64), usize>,
    entries: Vec<GatheredGrid>,
    /// Of a daemon's grids only those that this job found.
    job: Option<u64>,
    failed: bool,
}

impl Gathering {
    fn complain(&mut self, text: &str) {
        say!("morpion: {text}");
        self.failed = true;
    }

    fn add(&mut self, entry: GatheredGrid) {
        let place = self.entries.len();
        if *self.by_key.entry((entry.variant, entry.key)).or_insert(place) == place {
            self.entries.push(entry);
        }
    }

    fn source(&mut self, source: &Path) -> anyhow::Result<()> {
        if !source.is_dir() {
            return if Reader::recognises(source) { self.archive(source, source) } else { self.file(source) };
        }
        if source.join(store::FILE).is_file() {
            return self.state(source, self.job);
        }
        let archives = [path_in(source), source.join(FILE)];
        if let Some(archive) = archives.iter().find(|path| path.exists()) {
            return self.archive(source, archive);
        }
        let named = || format!("{}: cannot be read", source.display());
        let mut files = Vec::new();
        for entry in std::fs::read_dir(source).with_context(named)? {
            let path = entry.with_context(named)?.path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if path.is_file() && !is_status_of_hunt(&path) && GridFormat::from_extension(extension).is_some() {
                files.push(path);
            }
        }
        ensure!(!files.is_empty(), "{}: it holds neither an archive of grids nor grid files", source.display());
        // A grid in MSR says more of itself than the same one as text.
        files.sort_by_key(|path| (path.extension().is_none_or(|e| e != "msr"), path.clone()));
        for file in files {
            if let Err(error) = self.file(&file) {
                self.complain(&format!("{error:#}"));
            }
        }
        Ok(())
    }

    /// The grids that a daemon has stored in its state directory. A daemon that runs is left alone.
    fn state(&mut self, source: &Path, job: Option<u64>) -> anyhow::Result<()> {
        let lock = StateDirectory::lock_to_read(source)?;
        let store = Store::open_to_read(source)?;
        let mut records = Vec::new();
        store.grids(job.map_or(Scope::All, Scope::Job), None, |record| (records.push(record), true).1)?;
        drop(store);
        drop(lock);
        let mut unreadable = 0;
        for record in records {
            let (key, stored) = (record.key, Some(record.source));
            let Ok(Grid { variant, start, moves, provenance }) = record.grid() else {
                unreadable += 1;
                continue;
            };
            let (source, of_file) = (source.display().to_string(), Some(Box::new(provenance)));
            self.add(GatheredGrid { key, variant, start, moves, source, found: None, stored, of_file });
        }
        ensure!(unreadable == 0, "{}: {} cannot be read", source.display(), counted(unreadable, "grid"));
        Ok(())
    }

    /// The grids of an archive up to where it is damaged.
    fn archive(&mut self, source: &Path, path: &Path) -> anyhow::Result<()> {
        let reader = Reader::open(path)?;
        let origin = Rc::new(reader.origin().clone());
        let (variant, start) = (origin.variant, origin.start.clone());
        for (number, find) in (1..).zip(reader) {
            let KeptFind { key, mut find } = find?;
            let moves = std::mem::take(&mut find.moves);
            if let Err(error) = referee::replay_from(&start, variant, &moves) {
                bail!("{}: grid {number} is not a game of {variant}: {error}", path.display());
            }
            ensure!(
                key == canonical_key_from(&start, variant, &moves),
                "{}: grid {number} has another's key",
                path.display()
            );
            let found = GridOrigin { find, origin: Rc::clone(&origin) };
            let source = source.display().to_string();
            let found = Some(found);
            let start = start.clone();
            self.add(GatheredGrid { key, variant, start, moves, source, found, stored: None, of_file: None });
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let input = Input::new(path);
        let loaded = input.load(None)?;
        let (key, source) = (loaded.grid.key(), input.name());
        let Grid { variant, start, moves, provenance } = loaded.grid;
        let of_file = Some(Box::new(provenance));
        self.add(GatheredGrid { key, variant, start, moves, source, found: None, stored: None, of_file });
        Ok(())
    }
}
