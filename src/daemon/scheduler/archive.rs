//! The archive of grids as clients see it.

use super::lists::{MOST, listing, not_a_cursor};
use super::state::Daemon;
use crate::daemon::grids;
use crate::daemon::records::key_text;
use crate::daemon::service::{ArchiveOrder, GridFilter, Page, Refusal};
use crate::daemon::view::{GridCount, GridSort, GridView, Listing, VERSION};
use crate::morpion::variant::Variant;
use crate::notation::facts::GridFacts;
use crate::notation::grid::Grid;
use crate::runner::clock::now;
use crate::store::Change;
use crate::store::grids::{GridError, GridRecord, GridSource, Scope};
use std::collections::BTreeMap;

impl Daemon {
    pub(super) fn list_grids(&self, filter: &GridFilter, page: &Page) -> Result<Listing<GridView>, Refusal> {
        let limit = page.limit.clamp(1, MOST);
        let after = page.cursor.as_deref().map(|cursor| place_of(filter.order, cursor)).transpose()?;
        if let Some(clusters) = &filter.clusters {
            return self.list_clusters(filter, clusters, after, limit);
        }
        if filter.order == ArchiveOrder::default() {
            let mut views = Vec::new();
            // The store has this order, so it is read from there on.
            let after = after.map(|(rank, key)| ((!rank) as u32, key));
            self.each_grid(filter, after, |record| {
                views.extend(self.accepted(filter, &record).map(|view| self.with_facts(view, &record)));
                views.len() <= limit
            })?;
            return Ok(listing(views, limit, |view| cursor_of(filter.order, view)));
        }
        let mut first: BTreeMap<(u64, u64), GridView> = BTreeMap::new();
        self.each_grid(filter, None, |record| {
            if let Some(view) = self.accepted(filter, &record) {
                let place = (filter.order.rank(&view), record.key);
                let is_after = after.is_none_or(|after| place > after);
                if is_after && (first.len() <= limit || first.last_key_value().is_some_and(|(last, _)| place < *last))
                {
                    first.insert(place, view);
                }
                if first.len() > limit + 1 {
                    first.pop_last();
                }
            }
            true
        })?;
        // What was not needed to choose them.
        let views = first.into_values().map(|view| self.complete(view)).collect::<Result<_, Refusal>>()?;
        Ok(listing(views, limit, |view| cursor_of(filter.order, view)))
    }

    /// Goes through the grids that can be among those asked for, the longest first, until `each` says to stop.
    pub(super) fn each_grid(
        &self,
        filter: &GridFilter,
        after: Option<(u32, u64)>,
        mut each: impl FnMut(GridRecord) -> bool,
    ) -> Result<(), Refusal> {
        let scope = match (filter.job, filter.variant) {
            (Some(job), _) => Scope::Job(job),
            (None, Some(variant)) => Scope::Variant(variant),
            (None, None) => Scope::All,
        };
        // No grid before this place is short enough.
        let shortest = filter.max_score.and_then(|most| Some((most.checked_add(1)?, u64::MAX)));
        let after = match (after, shortest) {
            (Some(after), Some(shortest)) => Some(if after.0 < shortest.0 { after } else { shortest }),
            (after, shortest) => after.or(shortest),
        };
        Ok(self.store.grids(scope, after, |record| {
            filter.min_score.is_none_or(|least| record.score >= least) && each(record)
        })?)
    }

    /// The view of a grid if it is one of those asked for. It has no facts if neither the filter nor the order needs
    /// them.
    pub(super) fn accepted(&self, filter: &GridFilter, record: &GridRecord) -> Option<GridView> {
        if !filter.accepts_figures(record.variant, record.score, record.source.time) {
            return None;
        }
        let view = grid_view(record);
        let needed = filter.symmetry.is_some() || filter.new || filter.order.needs_facts();
        let view = if needed { self.with_facts(view, record) } else { view };
        filter.accepts(&view).then_some(view)
    }

    /// The same grid with its facts.
    pub(super) fn complete(&self, view: GridView) -> Result<GridView, Refusal> {
        if view.columns.is_some() {
            return Ok(view);
        }
        let record = grid_key(&view.key).map(|key| self.store.grid(key)).transpose()?.flatten();
        Ok(record.map_or(view.clone(), |record| self.with_facts(view, &record)))
    }

    fn with_facts(&self, view: GridView, record: &GridRecord) -> GridView {
        if view.columns.is_some() {
            return view;
        }
        let facts = self.facts.of(record, &self.catalogue);
        facts.map_or(view.clone(), |facts| view.with_facts(&facts))
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
        let facts = GridFacts::of(grid.variant, &grid.moves, &self.catalogue);
        let mut view = grid_view(&record).with_facts(&facts);
        view.moves = Some(grids::moves(&grid.moves));
        Ok((view, grid))
    }

    pub(super) fn delete_grid(&self, key: &str) -> Result<(), Refusal> {
        let missing = || Refusal::NotFound(format!("grid {key}"));
        let number = grid_key(key).ok_or_else(missing)?;
        if self.store.grid(number)?.is_none() && self.store.grid_apart(number)?.is_none() {
            return Err(missing());
        }
        self.store.commit(vec![Change::RemoveGrid(number)])?;
        // Another grid with these lines may be stored in its place, in another orientation.
        self.facts.forget(number);
        Ok(())
    }

    pub(super) fn store_grid(&self, grid: &Grid) -> Result<GridView, Refusal> {
        let source = GridSource { job: None, unit: None, time: now(), seconds: None };
        let record = GridRecord::new(grid, source, &self.catalogue);
        let mut record = record.map_err(|error| Refusal::Invalid(format!("the grid cannot be stored: {error}")))?;
        self.store.settle_key(&mut record)?;
        let key = record.key;
        self.store.commit(vec![Change::Grid(Box::new(record.clone()))])?;
        // The archive keeps the grid that it had first.
        let record = self.store.grid(key)?.unwrap_or(record);
        Ok(self.with_facts(grid_view(&record), &record))
    }
}

/// What is known of a grid, without its moves.
pub(super) fn grid_view(record: &GridRecord) -> GridView {
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
        symmetries: None,
        columns: None,
        rows: None,
        new: None,
        nearest: None,
        cluster: None,
    }
}

fn cannot_be_shown(key: &str, error: &GridError) -> Refusal {
    Refusal::Conflict(format!(
        "grid {key} cannot be shown: {error}; an earlier version of the program stored it: `morpion grid remove {key}` removes it"
    ))
}

pub(super) fn grid_key(text: &str) -> Option<u64> {
    if grids::is_key(text) { u64::from_str_radix(text, 16).ok() } else { None }
}

/// What a cursor names: rank and key of the last grid of the page before.
fn place_of(order: ArchiveOrder, text: &str) -> Result<(u64, u64), Refusal> {
    let place = if order == ArchiveOrder::default() {
        let parts = text.split_once('-').and_then(|(score, key)| Some((score.parse::<u32>().ok()?, grid_key(key)?)));
        parts.map(|(score, key)| (!u64::from(score), key))
    } else {
        let rest = text.strip_prefix(prefix(order).as_str());
        let parts = rest.and_then(|rest| rest.split_once('-'));
        parts.and_then(|(rank, key)| Some((grid_key(rank)?, grid_key(key)?)))
    };
    place.ok_or_else(|| not_a_cursor(text))
}

pub(super) fn cursor_of(order: ArchiveOrder, view: &GridView) -> String {
    if order == ArchiveOrder::default() {
        return format!("{}-{}", view.score, view.key);
    }
    format!("{}{}-{}", prefix(order), key_text(order.rank(view)), view.key)
}

/// Cursors of other orders than the usual one begin with it, so that none is taken for that of another list.
fn prefix(order: ArchiveOrder) -> String {
    let by = match order.by {
        GridSort::Score => "score",
        GridSort::Time => "time",
        GridSort::Size => "size",
    };
    format!("{by}{}-", if order.reverse { "-reverse" } else { "" })
}
