//! Solver jobs as the API shows them: the position and what is known of it, the course, and the credit.

use super::positions::{cells, points, side};
use super::view::{
    BoundsPoint, CreditView, MoveBoundsView, SolutionStatisticsView, SolutionUnitsView, SolutionView, TallyView,
    UserCreditView, WorkerCreditView,
};
use crate::core::game::Game;
use crate::jobs::solve::{SolveJob, goal_name};
use crate::jobs::tree::credit::{Credit, Tally, Worker, by_user, total};
use crate::jobs::tree::state::TreeState;
use crate::runner::progress::Progress;
use crate::solvers::solvable::Solvable;
use crate::solvers::solve::{Bounds, Goal};

/// Most points of a course.
const MOST: usize = 2000;

/// What a solver job has found. `root` is its position.
pub fn view<G: Solvable>(job: &SolveJob, root: &G, state: &TreeState<G>, progress: &Progress) -> SolutionView {
    let (width, height) = root.size();
    let Bounds { lower, upper } = state.bounds();
    let all = total(state.workers()).all();
    let (meta, settled) = (state.meta(), state.is_finished());
    let first: Vec<(String, Option<Bounds>)> =
        state.first_moves().into_iter().map(|(m, bounds)| (root.name(m), bounds)).collect();
    // If the goal is missed, no move reaches it.
    let reached = match state.settings().goal {
        Goal::Exact => true,
        Goal::WinLossDraw => lower >= 0,
        Goal::Threshold(target) => lower >= target,
    };
    let is_best = |bounds: &Option<Bounds>| settled && reached && bounds.is_some_and(|b| b.lower >= lower);
    let best = first.iter().filter(|(_, bounds)| is_best(bounds)).map(|(name, _)| name.clone());
    let mut line = Vec::new();
    let mut at = root.clone();
    for m in state.line() {
        line.push(at.name(m));
        at.play(m);
    }
    SolutionView {
        game: G::NAME.to_owned(),
        title: job.title.clone(),
        width: width.into(),
        height: height.into(),
        cells: cells(root),
        position: root.text(),
        side: side(root),
        goal: goal_name(state.settings().goal, G::POINT),
        settled,
        lower: points::<G>(lower),
        upper: points::<G>(upper),
        best_moves: best.collect(),
        line,
        moves: first
            .into_iter()
            .map(|(name, bounds)| MoveBoundsView {
                name,
                lower: bounds.map(|bounds| points::<G>(bounds.lower)),
                upper: bounds.map(|bounds| points::<G>(bounds.upper)),
            })
            .collect(),
        tree_nodes: state.nodes().len() as u64,
        units: units(state),
        nodes: progress.iterations.max(all.nodes),
        cpu_seconds: all.seconds(),
        user: job.user.clone(),
        quorum: meta.settings.quorum,
        contradictions: meta.contradictions,
    }
}

fn units<G: Game>(state: &TreeState<G>) -> SolutionUnitsView {
    let meta = state.meta();
    let sum = |of: fn(&crate::jobs::tree::state::LevelTally) -> u64| meta.levels.iter().map(of).sum::<u64>();
    let (made, open) = (meta.next_unit, state.units().len() as u64);
    let (finished, split) = (sum(|level| level.answered), sum(|level| level.exhausted));
    let cancelled = made.saturating_sub(open + finished + split);
    SolutionUnitsView { made, finished, split, cancelled, open }
}

/// The credit of all workers. The course stays empty.
pub fn credit(workers: &[Worker]) -> SolutionStatisticsView {
    SolutionStatisticsView {
        course: Vec::new(),
        total: credit_view(&total(workers)),
        users: by_user(workers)
            .into_iter()
            .map(|(user, credit)| UserCreditView { user: user.to_owned(), credit: credit_view(&credit) })
            .collect(),
        workers: workers
            .iter()
            .map(|worker| WorkerCreditView {
                user: worker.user.clone(),
                name: worker.name.clone(),
                credit: credit_view(&worker.credit),
                right: worker.right,
                wrong: worker.wrong,
                failed: worker.failed,
                trusted: !worker.distrusted,
            })
            .collect(),
    }
}

fn credit_view(credit: &Credit) -> CreditView {
    let tally = |tally: Tally| TallyView { units: tally.units, nodes: tally.nodes, cpu_seconds: tally.seconds() };
    CreditView {
        accepted: tally(credit.accepted),
        not_needed: tally(credit.stopped),
        refused: tally(credit.rejected),
    }
}

/// The course of a solver job: its bounds over time.
#[derive(Debug, Default)]
pub struct BoundsCourse(Vec<BoundsPoint>);

impl BoundsCourse {
    /// A course that continues these points.
    pub fn new(points: Vec<BoundsPoint>) -> BoundsCourse {
        BoundsCourse(points)
    }

    /// The bounds over time, oldest first.
    pub fn points(&self) -> Vec<BoundsPoint> {
        self.0.clone()
    }

    /// Adds a point: the bounds are closer.
    pub fn closer<G: Game>(&mut self, state: &TreeState<G>, seconds: f64) -> BoundsPoint {
        self.add::<G>(state, seconds, total(state.workers()).all().nodes)
    }

    /// Adds a point: the present progress.
    pub fn note<G: Game>(&mut self, state: &TreeState<G>, progress: &Progress) {
        self.add::<G>(state, progress.seconds, progress.iterations);
    }

    fn add<G: Game>(&mut self, state: &TreeState<G>, seconds: f64, nodes: u64) -> BoundsPoint {
        let Bounds { lower, upper } = state.bounds();
        let units = units(state);
        let point = BoundsPoint {
            seconds: (seconds * 1000.0).round() / 1000.0,
            nodes,
            units: units.finished + units.split,
            lower: points::<G>(lower),
            upper: points::<G>(upper),
        };
        if self.0.last() != Some(&point) {
            self.0.push(point);
        }
        if self.0.len() > MOST {
            self.thin();
        }
        point
    }

    /// Removes every second of the points at which nothing changed.
    fn thin(&mut self) {
        let points = std::mem::take(&mut self.0);
        let bounds = |at: usize| (points[at].lower, points[at].upper);
        let last = points.len() - 1;
        let stays = |at: usize| at == 0 || at == last || at.is_multiple_of(2) || bounds(at) != bounds(at - 1);
        self.0 = (0..points.len()).filter(|&at| stays(at)).map(|at| points[at]).collect();
        // If the bounds changed very often, the newest points stay.
        let over = self.0.len().saturating_sub(MOST);
        self.0.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_course_keeps_its_ends_and_every_change() {
        let point = |at: u32| BoundsPoint {
            seconds: f64::from(at),
            nodes: at.into(),
            units: 0,
            lower: at as i32 / 500,
            upper: 9,
        };
        let mut course = BoundsCourse((0..=MOST as u32).map(point).collect());
        course.thin();
        let left = course.points();
        assert!(left.len() > MOST / 3 && left.len() < 2 * MOST / 3, "{}", left.len());
        assert_eq!((left[0], left[left.len() - 1]), (point(0), point(MOST as u32)));
        for at in [500, 1000, 1500] {
            assert!(left.contains(&point(at)), "{at}");
        }
    }
}
