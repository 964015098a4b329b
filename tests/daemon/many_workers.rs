//! A daemon whose units are computed by thousands of simulated workers, in seats of its queue. Each unit is computed
//! as soon as it is taken, and what came of it is said when the simulated time of the unit is over.

use crate::daemons::*;
use morpion::daemon::service::{JobCommand, Service};
use morpion::queue::any::AnyUnit;
use morpion::queue::local::seat::Seat;
use morpion::queue::{Lease, Stop, Unit};
use morpion::runner::cpu::process_seconds;
use morpion::runner::parcel::ParcelOpener;
use rand::{Rng, RngExt};
use serde_json::json;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

type Report = <AnyUnit as Unit>::Report;

/// A lease that never ends and keeps all reports.
#[derive(Default)]
struct Endless(RefCell<Vec<Report>>);

impl Lease<Report> for Endless {
    fn worker(&self) -> u32 {
        1
    }

    fn stop(&self) -> Option<Stop> {
        None
    }

    fn report(&self, report: Report) {
        self.0.borrow_mut().push(report);
    }
}

/// What simulated workers did and how long they waited.
#[derive(Default)]
struct Figures {
    units: u64,
    /// From the end of a unit until its worker has another one.
    waits: Vec<Duration>,
    /// Until all workers had their first unit.
    filled: Duration,
    computing: Duration,
}

/// Simulated workers.
struct Simulation<'a> {
    seats: Vec<Seat<AnyUnit>>,
    /// When the unit of a seat is over.
    ends: BinaryHeap<Reverse<(Instant, usize)>>,
    /// What the seats' workers will have said by then.
    words: Vec<Vec<Vec<u8>>>,
    /// Seats without a unit, and since when.
    idle: Vec<(usize, Option<Instant>)>,
    opener: ParcelOpener,
    unit: Duration,
    rng: &'a mut dyn Rng,
    figures: Figures,
}

impl Simulation<'_> {
    /// What a worker says of a packed unit.
    fn compute(&mut self, packed: &[u8]) -> Vec<Vec<u8>> {
        let began = Instant::now();
        let unit = self.opener.open(packed, 1).unwrap();
        let portable = unit.portable().unwrap();
        let mut running = unit.begin(1).unwrap();
        let lease = Endless::default();
        let outcome = unit.run(&mut running, &lease).expect("it is not stopped");
        let reports = lease.0.into_inner().into_iter().map(|report| portable.pack_report(report));
        let words = reports.chain([portable.pack_outcome(outcome)]).collect();
        self.figures.computing += began.elapsed();
        words
    }

    /// Gives units to idle seats, as long as there are any.
    fn fill(&mut self) {
        while let Some(&(at, since)) = self.idle.last() {
            let Some(packed) = self.seats[at].take() else { return };
            self.idle.pop();
            let now = Instant::now();
            if let Some(since) = since {
                self.figures.waits.push(now - since);
            }
            self.words[at] = self.compute(&packed);
            let time = self.unit.mul_f64(self.rng.random_range(0.5..1.5));
            self.ends.push(Reverse((now + time, at)));
        }
    }

    /// Says what is due.
    fn say(&mut self) {
        while let Some(&Reverse((end, at))) = self.ends.peek()
            && end <= Instant::now()
        {
            self.ends.pop();
            let words = std::mem::take(&mut self.words[at]);
            for (number, word) in words.iter().enumerate() {
                let is_last = number + 1 == words.len();
                assert_eq!(self.seats[at].hear(word), Ok(is_last));
            }
            self.figures.units += 1;
            self.idle.push((at, Some(Instant::now())));
            self.fill();
        }
    }
}

/// Resident memory in MiB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0.0) / 1024.0
}

#[test]
fn thousands_of_workers_are_served() {
    let workers = number("MORPION_TEST_WORKERS", 200) as usize;
    let unit = Duration::from_secs(number("MORPION_TEST_UNIT", 1));
    let time = Duration::from_secs(number("MORPION_TEST_TIME", 3));
    let only = std::env::var("MORPION_TEST_KIND").ok();
    for kind in ["hunt", "solve"].into_iter().filter(|kind| only.as_deref().is_none_or(|only| only == *kind)) {
        let dir = tempfile::tempdir().unwrap();
        let daemon = open(dir.path(), 0);
        let request = match kind {
            "hunt" => request(
                &json!({ "strategy": "random", "max_iterations": 20, "runs": 1_000_000, "seed": SEED }),
                &json!({}),
            ),
            _ => request(
                &json!({ "game": "reversi", "size": "8x8", "algorithm": "negascout", "unit_budget": 300, "memory": "64k" }),
                &json!({ "kind": "solve" }),
            ),
        };
        let told = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&told);
        let group = daemon.queue().seat_group(move || flag.store(true, Ordering::Relaxed));
        let before = memory();
        let seats: Vec<Seat<AnyUnit>> = (0..workers).map(|_| group.seat()).collect();
        let mut rng = morpion::core::seed::rng(SEED, &[31]);
        let mut simulation = Simulation {
            seats,
            ends: BinaryHeap::new(),
            words: vec![Vec::new(); workers],
            idle: (0..workers).map(|at| (at, None)).collect(),
            opener: ParcelOpener::new(1 << 20, 1),
            unit,
            rng: &mut rng,
            figures: Figures::default(),
        };
        let id = daemon.submit(request, None).unwrap().summary.id;
        let (began, cpu) = (Instant::now(), process_seconds().unwrap());
        let mut first = true;
        // On a machine that is busy with other things it takes longer until a worker has had two units.
        while began.elapsed() < time || began.elapsed() < PATIENCE && (first || simulation.figures.waits.is_empty()) {
            simulation.say();
            if told.swap(false, Ordering::Relaxed) {
                simulation.fill();
            }
            if first && simulation.idle.is_empty() {
                first = false;
                simulation.figures.filled = began.elapsed();
            }
            let next = simulation.ends.peek().map_or(began + time, |end| end.0.0);
            let pause = next.saturating_duration_since(Instant::now());
            std::thread::sleep(pause.min(Duration::from_millis(1)));
        }
        let (wall, cpu) = (began.elapsed(), process_seconds().unwrap() - cpu);
        let figures = std::mem::take(&mut simulation.figures);
        let view = daemon.job(id).unwrap();
        assert!(!first, "{} of {workers} workers never had a unit: {view:?}", simulation.idle.len());
        // All that was said has counted, and once.
        wait_for(&daemon, id, "has taken all outcomes in", |view| view.summary.units_done >= figures.units);
        let done = daemon.job(id).unwrap().summary.units_done;
        assert_eq!(done, figures.units, "{kind}");
        let mut waits = figures.waits;
        waits.sort_unstable();
        assert!(!waits.is_empty(), "{kind}: no worker had a second unit in {time:?}: give it more time");
        let part = |share: f64| waits.get(((waits.len() as f64 * share) as usize).min(waits.len() - 1)).unwrap();
        println!(
            "{kind}: {workers} workers, units of {unit:?}: {} units in {wall:.1?}, {:.0} a second; all had one after \
             {:.2?}; a worker waits {:.2?} (median), {:.2?} (1 in 100), {:.2?} (most) for the next one; \
             {:.0} MiB of memory more; {:.2} ms of processor time for a unit beside {:.2} ms of its own",
            figures.units,
            figures.units as f64 / wall.as_secs_f64(),
            figures.filled,
            part(0.5),
            part(0.99),
            part(1.0),
            memory() - before,
            (cpu - figures.computing.as_secs_f64()).max(0.0) * 1e3 / figures.units as f64,
            figures.computing.as_secs_f64() * 1e3 / figures.units as f64,
        );
        assert!(*part(0.5) < (unit / 20).max(Duration::from_secs(20)), "{kind}: {:?}", part(0.5));
        daemon.command(id, JobCommand::Cancel).unwrap();
        drop(simulation);
        close(daemon);
    }
}
