//! The archive with nearly equal grids put together.

use super::archive::{cursor_of, grid_key};
use super::lists::listing;
use super::state::Daemon;
use crate::daemon::service::{ArchiveOrder, ClusterFilter, GridFilter, Refusal};
use crate::daemon::view::{ClusterView, GridView, Listing};
use crate::notation::clusters::{ClusteredGrid, MOST_GRIDS, clusters};
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};

/// The clusters of a list, the grid that stands for a cluster first.
type Clusters = Vec<Vec<GridView>>;

/// What they were made from: the filter without its order, and the number of changes of the archive until then.
type ClusteredList = (GridFilter, u32, u64);

/// The clusters that were asked for last: a client that asks part by part has the same ones made only once.
#[derive(Default)]
pub struct LastClusters(Mutex<Option<(ClusteredList, Arc<Clusters>)>>);

impl LastClusters {
    fn get(&self, asked: &ClusteredList) -> Option<Arc<Clusters>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(of, _)| of == asked).map(|(_, clusters)| Arc::clone(clusters))
    }

    fn set(&self, asked: ClusteredList, clusters: &Arc<Clusters>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((asked, Arc::clone(clusters)));
    }
}

impl Daemon {
    /// A page of the clusters after a place, or of the grids of one cluster.
    pub(super) fn list_clusters(
        &self,
        filter: &GridFilter,
        asked: &ClusterFilter,
        after: Option<(u64, u64)>,
        limit: usize,
    ) -> Result<Listing<GridView>, Refusal> {
        let made = self.clusters(filter, asked.difference)?;
        let mut views: Vec<GridView> = match &asked.of {
            None => made.iter().map(|cluster| first_of(cluster)).collect(),
            Some(key) => {
                let cluster = made.iter().find(|cluster| cluster.iter().any(|view| view.key == *key));
                cluster.cloned().ok_or_else(|| Refusal::NotFound(format!("grid {key} in this list")))?
            }
        };
        if filter.order.needs_facts() {
            views = views.into_iter().map(|view| self.complete(view)).collect::<Result<_, Refusal>>()?;
        }
        let place = |view: &GridView| (filter.order.rank(view), grid_key(&view.key).unwrap_or(0));
        views.sort_by_cached_key(place);
        views.retain(|view| after.is_none_or(|after| place(view) > after));
        views.truncate(limit + 1);
        let views = views.into_iter().map(|view| self.complete(view)).collect::<Result<_, Refusal>>()?;
        Ok(listing(views, limit, |view| cursor_of(filter.order, view)))
    }

    fn clusters(&self, filter: &GridFilter, difference: u32) -> Result<Arc<Clusters>, Refusal> {
        let same = GridFilter { order: ArchiveOrder::default(), clusters: None, ..filter.clone() };
        let asked = (same, difference, self.store.changes_of_grids());
        if let Some(made) = self.clusters.get(&asked) {
            return Ok(made);
        }
        let mut found: Vec<(GridView, ClusteredGrid)> = Vec::new();
        self.each_grid(filter, None, |record| {
            // What cannot be read cannot be compared.
            if let Some(view) = self.accepted(&asked.0, &record)
                && let Ok(grid) = record.unjudged()
            {
                let lines = grid.moves.iter().map(|mv| mv.line()).collect();
                found.push((view, ClusteredGrid { variant: grid.variant, lines }));
            }
            found.len() <= MOST_GRIDS
        })?;
        if found.len() > MOST_GRIDS {
            return Err(Refusal::Invalid(format!(
                "more than {MOST_GRIDS} grids are too many to be put together: ask for fewer, by variant, score, job or \
                 time"
            )));
        }
        found.sort_by(|(one, _), (other, _)| {
            let longest = Reverse(one.score).cmp(&Reverse(other.score));
            longest.then(one.time.total_cmp(&other.time)).then(one.key.cmp(&other.key))
        });
        let (views, grids): (Vec<GridView>, Vec<ClusteredGrid>) = found.into_iter().unzip();
        let numbers = clusters(&grids, difference);
        let made = numbers.into_iter().map(|cluster| cluster.into_iter().map(|at| views[at].clone()).collect());
        let made: Arc<Clusters> = Arc::new(made.collect());
        self.clusters.set(asked, &made);
        Ok(made)
    }
}

/// The grid that stands for a cluster, with what is told of the cluster.
fn first_of(cluster: &[GridView]) -> GridView {
    let times = || cluster.iter().map(|view| view.time);
    let told = ClusterView {
        grids: cluster.len() as u64,
        shortest: cluster.iter().map(|view| view.score).min().unwrap_or(0),
        first: times().fold(f64::INFINITY, f64::min),
        last: times().fold(0.0, f64::max),
    };
    GridView { cluster: Some(told), ..cluster[0].clone() }
}
