//! Who is served next: stride scheduling over the lanes (Waldspurger and Weihl 1995), as pure bookkeeping.
//!
//! A lane's *pass* is the worker time that it has had, in seconds, divided by its weight. Of the highest priority
//! that has a unit ready, the lane with the least pass is served. A running slice counts as had in advance, so that
//! two free workers do not both go to the same lane. A lane that was idle comes back with the least pass of the
//! others, less a small credit: nobody saves up idle time, but a lane of many short units, which is idle between any
//! two, keeps its share.

use crate::queue::{LaneId, Terms};
use std::collections::BTreeMap;

/// Seconds of pass by which a lane that comes back may be behind the others.
const CREDIT: f64 = 0.5;

/// What is counted of a lane.
#[derive(Debug, Clone)]
pub struct Share {
    /// On which terms.
    pub terms: Terms,
    /// Units ready to run.
    pub ready: usize,
    /// Workers at its units.
    pub running: usize,
    /// No unit may be begun.
    pub halted: bool,
    /// Seconds of worker time it has had, divided by its weight.
    pub pass: f64,
}

impl Share {
    /// Of a lane without units.
    pub fn new(terms: Terms) -> Share {
        Share { terms, ready: 0, running: 0, halted: false, pass: 0.0 }
    }

    fn weight(&self) -> f64 {
        f64::from(self.terms.weight.max(1))
    }

    /// Whether a worker may begin one of its units.
    fn is_open(&self) -> bool {
        let most = self.terms.workers.map_or(usize::MAX, |most| most as usize);
        !self.halted && self.ready > 0 && self.running < most
    }

    /// Its pass if `running` slices of `quantum` seconds are counted in advance.
    fn reckoned(&self, running: usize, quantum: f64) -> f64 {
        self.pass + running as f64 * quantum / self.weight()
    }
}

/// The shares of all lanes.
#[derive(Debug, Default)]
pub struct Shares {
    /// The share of each open lane.
    pub lanes: BTreeMap<LaneId, Share>,
}

impl Shares {
    /// The lane that a free worker goes to.
    pub fn next(&self, quantum: f64) -> Option<LaneId> {
        self.next_of(quantum, |_| true)
    }

    /// The lane that a free worker goes to which cannot go to all.
    pub fn next_of(&self, quantum: f64, may: impl Fn(LaneId) -> bool) -> Option<LaneId> {
        let open = self.lanes.iter().filter(|&(&id, share)| share.is_open() && may(id));
        let first = open.min_by(|(_, a), (_, b)| {
            let priority = b.terms.priority.cmp(&a.terms.priority);
            priority.then(a.reckoned(a.running, quantum).total_cmp(&b.reckoned(b.running, quantum)))
        });
        first.map(|(&id, _)| id)
    }

    /// Whether a worker at `lane` is to leave it to another to which it can go: one of a higher priority is ready, or
    /// one of the same that has had less; or the lane has more workers than it may.
    pub fn gives_way(&self, lane: LaneId, quantum: f64, may: impl Fn(LaneId) -> bool) -> bool {
        let Some(own) = self.lanes.get(&lane) else { return true };
        let has_had_more = |other: &Share| {
            other.terms.priority == own.terms.priority
                && other.reckoned(other.running, quantum) < own.reckoned(own.running.saturating_sub(1), quantum)
        };
        self.is_outranked(lane, quantum, &may) || self.next_after(lane, quantum, may).is_some_and(has_had_more)
    }

    /// The same, but for lanes of the same priority.
    pub fn is_outranked(&self, lane: LaneId, quantum: f64, may: impl Fn(LaneId) -> bool) -> bool {
        let Some(own) = self.lanes.get(&lane) else { return true };
        own.halted
            || own.terms.workers.is_some_and(|most| own.running > most as usize)
            || self.next_after(lane, quantum, may).is_some_and(|other| other.terms.priority > own.terms.priority)
    }

    /// The first of the other lanes.
    fn next_after(&self, lane: LaneId, quantum: f64, may: impl Fn(LaneId) -> bool) -> Option<&Share> {
        self.next_of(quantum, |id| id != lane && may(id)).and_then(|id| self.lanes.get(&id))
    }

    /// Counts seconds of worker time.
    pub fn charge(&mut self, lane: LaneId, seconds: f64) {
        if let Some(share) = self.lanes.get_mut(&lane) {
            share.pass += seconds / share.weight();
        }
    }

    /// To be called before a lane without units, ready or running, gets one, and when its priority changes.
    pub fn wake(&mut self, lane: LaneId) {
        let Some(own) = self.lanes.get(&lane) else { return };
        let others = self.lanes.iter().filter(|&(&id, share)| {
            id != lane && share.terms.priority == own.terms.priority && share.ready + share.running > 0
        });
        let least = others.map(|(_, share)| share.pass).min_by(f64::total_cmp);
        if let (Some(least), Some(own)) = (least, self.lanes.get_mut(&lane)) {
            own.pass = own.pass.max(least - CREDIT / own.weight());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(terms: &[(i32, u32, Option<u32>)]) -> Shares {
        let mut shares = Shares::default();
        for (id, &(priority, weight, workers)) in (0..).zip(terms) {
            shares
                .lanes
                .insert(id, Share { ready: 100, ..Share::new(Terms { priority, weight, workers, threads: None }) });
        }
        shares
    }

    /// Slices of one second on `workers` workers; how often each lane was served.
    fn served(shares: &mut Shares, workers: usize, rounds: usize) -> Vec<u32> {
        let mut counts = vec![0; shares.lanes.len()];
        for _ in 0..rounds {
            let chosen: Vec<LaneId> = (0..workers)
                .filter_map(|_| {
                    let id = shares.next(1.0)?;
                    shares.lanes.get_mut(&id).unwrap().running += 1;
                    Some(id)
                })
                .collect();
            for id in chosen {
                shares.lanes.get_mut(&id).unwrap().running -= 1;
                shares.charge(id, 1.0);
                counts[id as usize] += 1;
            }
        }
        counts
    }

    #[test]
    fn lanes_share_by_weight_below_the_highest_priority() {
        assert_eq!(served(&mut shares(&[(0, 1, None), (0, 3, None)]), 1, 400), [100, 300]);
        assert_eq!(served(&mut shares(&[(0, 1, None), (0, 3, None)]), 4, 100), [100, 300]);
        assert_eq!(served(&mut shares(&[(0, 1, None), (5, 1, Some(1)), (-1, 100, None)]), 2, 10), [10, 10, 0]);
        assert_eq!(served(&mut shares(&[(0, 1, None), (5, 1, None)]), 2, 10), [0, 20]);
        let thirds = served(&mut shares(&[(0, 1, None), (0, 1, None), (0, 1, None)]), 2, 300);
        assert_eq!(thirds, [200, 200, 200]);
    }

    #[test]
    fn who_was_away_neither_saves_up_nor_starves() {
        let mut shares = shares(&[(0, 1, None), (0, 1, None)]);
        shares.lanes.get_mut(&1).unwrap().ready = 0;
        assert_eq!(served(&mut shares, 1, 1000), [1000, 0]);
        shares.wake(1);
        shares.lanes.get_mut(&1).unwrap().ready = 100;
        let counts = served(&mut shares, 1, 100);
        assert!(counts[1].abs_diff(50) <= 1, "{counts:?}");
    }

    #[test]
    fn a_worker_gives_way_to_priority_at_once_and_to_equals_in_turn() {
        let mut shares = shares(&[(0, 1, None), (0, 1, None)]);
        let running = |shares: &mut Shares, id, n| shares.lanes.get_mut(&id).unwrap().running = n;
        running(&mut shares, 0, 1);
        assert!(!shares.gives_way(0, 1.0, |_| true), "both have had nothing");
        shares.charge(0, 1.0);
        assert!(shares.gives_way(0, 1.0, |_| true));
        running(&mut shares, 1, 1);
        assert!(!shares.gives_way(0, 1.0, |_| true), "the other one has a worker too");
        shares.lanes.get_mut(&1).unwrap().terms.priority = 1;
        assert!(shares.gives_way(0, 1.0, |_| true));
        assert!(!shares.gives_way(0, 1.0, |_| false), "it cannot go to the other one");
        shares.lanes.get_mut(&1).unwrap().halted = true;
        assert!(!shares.gives_way(0, 1.0, |_| true));
        running(&mut shares, 0, 2);
        shares.lanes.get_mut(&0).unwrap().terms.workers = Some(1);
        assert!(shares.gives_way(0, 1.0, |_| true), "it has more workers than it may");
    }
}
