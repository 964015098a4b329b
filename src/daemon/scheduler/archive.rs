//! The archive of grids as clients see it.

use super::lists::{MOST, listing, not_a_cursor};
use super::state::Daemon;
use crate::daemon::grids;
use crate::daemon::records::key_text;
use crate::daemon::service::{GridFilter, Page, Refusal};
use crate::daemon::view::{GridCount, GridView, Listing, VERSION};
use crate::morpion::variant::Variant;
use crate::notation::grid::Grid;
use crate::runner::clock::now;
use crate::store::Change;
use crate::store::grids::{GridError, GridRecord, GridSource, Scope};

impl Daemon {
    pub(super) fn list_grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        let limit = page.limit.clamp(1, MOST);
        let after = page.cursor.as_deref().map(grid_cursor).transpose()?;
        let scope = match (filter.job, filter.variant) {
            (Some(job), _) => Scope::Job(job),
            (None, Some(variant)) => Scope::Variant(variant),
            (None, None) => Scope::All,
        };
        let of_variant = filter.variant.filter(|_| filter.job.is_some());
        let mut keys = Vec::new();
        // A job's grids of another variant are left out below, when they are read.
        let most = if of_variant.is_some() { usize::MAX } else { limit + 1 };
        self.store.grid_keys(scope, after, |score, key| {
            if filter.min_score.is_some_and(|least| score < least) {
                return false;
            }
            keys.push(key);
            keys.len() < most
        })?;
        let mut views = Vec::new();
        for key in keys {
            // It may have been removed in the meantime.
            let Some(record) = self.store.grid(key)? else { continue };
            if of_variant.is_none_or(|variant| variant == record.variant) {
                views.push(grid_view(&record));
            }
            if views.len() > limit {
                break;
            }
        }
        Ok(listing(views, limit, |view| format!("{}-{}", view.score, view.key)))
    }

    pub(super) fn count_grids(&self) -> Result<Vec<GridCount>, Refusal> {
        let mut counts: Vec<GridCount> = Vec::new();
        for variant in Variant::ALL {
            let count = |score, _| {
                match counts.last_mut() {
                    Some(last) if last.variant == variant && last.score == score => last.count += 1,
                    _ => counts.push(GridCount { variant, score, count: 1 }),
                }
                true
            };
            self.store.grid_keys(Scope::Variant(variant), None, count)?;
        }
        Ok(counts)
    }

    pub(super) fn show_grid(&self, key: &str) -> Result<(GridView, Grid), Refusal> {
        let missing = || Refusal::NotFound(format!("grid {key}"));
        let number = grid_key(key).ok_or_else(missing)?;
        let mut record = self.store.grid(number)?;
        if record.is_none() {
            // A job may name its best grid before the grid is written. While the disk refuses, the grid is not found.
            let _ = self.store.barrier();
            record = self.store.grid(number)?;
        }
        let record = match record {
            Some(record) => record,
            // An earlier version of the program stored it.
            None => self.store.grid_apart(number)?.ok_or_else(missing)?,
        };
        let grid = record.grid().map_err(|error| cannot_be_shown(key, &error))?;
        let mut view = grid_view(&record);
        view.moves = Some(grids::moves(&grid.moves));
        Ok((view, grid))
    }

    pub(super) fn delete_grid(&self, key: &str) -> Result<(), Refusal> {
        let missing = || Refusal::NotFound(format!("grid {key}"));
        let number = grid_key(key).ok_or_else(missing)?;
        if self.store.grid(number)?.is_none() && self.store.grid_apart(number)?.is_none() {
            return Err(missing());
        }
        Ok(self.store.commit(vec![Change::RemoveGrid(number)])?)
    }

    pub(super) fn store_grid(&self, grid: &Grid) -> Result<GridView, Refusal> {
        let source = GridSource { job: None, unit: None, time: now(), seconds: None };
        let record = GridRecord::new(grid, source, &self.catalogue);
        let mut record = record.map_err(|error| Refusal::Invalid(format!("the grid cannot be stored: {error}")))?;
        self.store.settle_key(&mut record)?;
        let key = record.key;
        self.store.commit(vec![Change::Grid(Box::new(record.clone()))])?;
        // The archive keeps the grid that it had first.
        Ok(grid_view(&self.store.grid(key)?.unwrap_or(record)))
    }
}

/// What is known of a grid, without its moves.
fn grid_view(record: &GridRecord) -> GridView {
    GridView {
        v: VERSION,
        key: key_text(record.key),
        variant: record.variant,
        score: record.score,
        moves_left: record.moves_left,
        moves: None,
        record: record.record.clone(),
        job: record.source.job,
        unit: record.source.unit,
        time: record.source.time,
        seconds: record.source.seconds,
    }
}

fn cannot_be_shown(key: &str, error: &GridError) -> Refusal {
    Refusal::Conflict(format!(
        "grid {key} cannot be shown: {error}; an earlier version of the program stored it: `morpion grid remove {key}` removes it"
    ))
}

fn grid_key(text: &str) -> Option<u64> {
    if grids::is_key(text) { u64::from_str_radix(text, 16).ok() } else { None }
}

fn grid_cursor(text: &str) -> Result<(u32, u64), Refusal> {
    let parts = text.split_once('-').and_then(|(score, key)| Some((score.parse().ok()?, grid_key(key)?)));
    parts.ok_or_else(|| not_a_cursor(text))
}
