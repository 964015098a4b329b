//! What the solvers of one solution tell each other across machines: the records of their tables that took much
//! effort. Each machine has a table of its own. Without the others' records it finds out anew what they know, since
//! the units of a solution are close to each other.
//!
//! A machine says what it has found with the end of a unit and, while that runs, each second. The coordinator's
//! process keeps the last records. It gives some with each unit that it hands out, and what comes later once a second
//! while the unit runs. What is lost costs time only. The flow is bounded by what is worth telling
//! ([`RecordExchange::least`]), which rises when more comes than can be passed on, and by the bytes per second that
//! leave in all.
//!
//! A record is believed as an outcome is. Where several workers have to agree, nothing is exchanged.

use super::solver::{SharedTable, locked};
use crate::solvers::table::{DATA_BITS, RECORD_BYTES};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Most records that are told at a time.
pub const MOST_TOLD: usize = 4096;
/// Records that are kept.
const MOST_KEPT: usize = 1 << 15;
/// Least logarithm of the nodes of a record that is told, and the greatest.
const EFFORTS: (u32, u32) = (14, 40);
/// So many records a second can be passed on to everybody. If there are more, less is worth telling.
const MOST_A_SECOND: usize = 1 << 14;
/// Bytes that may leave in a second.
const RATE: f64 = 8e6;
/// Time over which what has come is counted.
const PERIOD: Duration = Duration::from_secs(1);
/// Time between two looks at what there is for a unit that runs.
const PACE: Duration = Duration::from_secs(1);
/// More is told before the machine has said that it has heard the last only after this time: a slow link is not to be
/// choked, and something may be lost.
const UNHEARD: Duration = Duration::from_secs(20);

/// What a record took, as the logarithm of its nodes, rounded down.
fn effort(record: &[u8; RECORD_BYTES]) -> u32 {
    let data = u64::from_le_bytes(std::array::from_fn(|i| record[8 + i]));
    ((data >> DATA_BITS) as u32 & 63).saturating_sub(1)
}

/// Whether these can be records that a machine says it has found.
pub fn is_plausible(records: &[u8]) -> bool {
    records.len().is_multiple_of(RECORD_BYTES) && records.len() <= MOST_TOLD * RECORD_BYTES
}

/// The records that took most effort, if there are more than can be told at a time.
pub fn worth_most(records: Vec<u8>) -> Vec<u8> {
    let (all, _) = records.as_chunks::<RECORD_BYTES>();
    if all.len() <= MOST_TOLD {
        return records;
    }
    let mut all = all.to_vec();
    all.select_nth_unstable_by_key(MOST_TOLD, |record| std::cmp::Reverse(effort(record)));
    all.truncate(MOST_TOLD);
    all.into_flattened()
}

/// What was told with a unit.
#[derive(Debug)]
pub struct ToldRecords {
    /// Number of the first record that was not there then.
    next: u64,
    at: Instant,
    /// How often something was told later, and how often the machine has heard it.
    later: u64,
    heard: u64,
}

impl ToldRecords {
    /// The machine has heard so many times what was told later.
    pub fn note_heard(&mut self, times: u64) {
        self.heard = self.heard.max(times.min(self.later));
    }
}

struct Kept {
    /// The unit that each comes from, and the record.
    records: VecDeque<(u64, [u8; RECORD_BYTES])>,
    /// Number of the first of them.
    first: u64,
    least: u32,
    /// Records that came since, whether they were kept or not.
    come: usize,
    since: Instant,
    /// Bytes that may leave now.
    allowance: f64,
    counted: Instant,
}

impl Kept {
    fn allow(&mut self) -> usize {
        let now = Instant::now();
        let more = now.duration_since(std::mem::replace(&mut self.counted, now)).as_secs_f64() * RATE;
        self.allowance = (self.allowance + more).min(RATE);
        (self.allowance / RECORD_BYTES as f64) as usize
    }

    /// Those from number `next` on that do not come from this unit; the last ones, if there are too many.
    fn from(&mut self, next: u64, unit: u64) -> Vec<u8> {
        let most = self.allow().min(MOST_TOLD);
        let skipped = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let new = self.records.len().saturating_sub(skipped);
        let last = self.records.iter().rev().take(new).filter(|(from, _)| *from != unit).take(most);
        let mut records: Vec<[u8; RECORD_BYTES]> = last.map(|&(_, record)| record).collect();
        records.reverse();
        self.allowance -= (records.len() * RECORD_BYTES) as f64;
        records.into_flattened()
    }
}

/// The records of a solution that are passed on. It belongs to the coordinator's process.
pub struct RecordExchange {
    kept: Mutex<Kept>,
    /// The table of the threads of this process.
    here: Arc<SharedTable>,
}

impl std::fmt::Debug for RecordExchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordExchange").finish_non_exhaustive()
    }
}

/// The number of no unit: what threads of this process have found.
const HERE: u64 = u64::MAX;

impl RecordExchange {
    /// For a solution whose threads here have this table; `None` where no solver may know what another has found.
    pub fn new(here: Arc<SharedTable>) -> Option<Arc<RecordExchange>> {
        if !here.is_shared() {
            return None;
        }
        let now = Instant::now();
        here.note_from(EFFORTS.0);
        let kept = Kept {
            records: VecDeque::new(),
            first: 0,
            least: EFFORTS.0,
            come: 0,
            since: now,
            allowance: RATE,
            counted: now,
        };
        Some(Arc::new(RecordExchange { kept: Mutex::new(kept), here }))
    }

    /// What is worth telling: the logarithm of the nodes that a record took.
    pub fn least(&self) -> u32 {
        locked(&self.kept).least
    }

    /// Takes in what the machine of a unit has found.
    pub fn take_in(&self, unit: u64, records: &[u8]) {
        self.here.learn(records);
        self.keep(unit, records);
    }

    fn keep(&self, unit: u64, records: &[u8]) {
        let mut kept = locked(&self.kept);
        let (records, _) = records.as_chunks::<RECORD_BYTES>();
        kept.come += records.len();
        if kept.since.elapsed() >= PERIOD {
            let seconds = kept.since.elapsed().as_secs_f64();
            let rate = kept.come as f64 / seconds;
            // Each step halves what comes, or doubles it.
            if rate > MOST_A_SECOND as f64 {
                kept.least = (kept.least + 1).min(EFFORTS.1);
            } else if rate < MOST_A_SECOND as f64 / 4.0 {
                kept.least = (kept.least - 1).max(EFFORTS.0);
            }
            (kept.come, kept.since) = (0, Instant::now());
            self.here.note_from(kept.least);
        }
        let least = kept.least;
        kept.records.extend(records.iter().filter(|record| effort(record) >= least).map(|&record| (unit, record)));
        let excess = kept.records.len().saturating_sub(MOST_KEPT);
        kept.records.drain(..excess);
        kept.first += excess as u64;
    }

    /// Takes in what the threads here have found.
    fn collect(&self) {
        let found = self.here.take_noted();
        if !found.is_empty() {
            self.keep(HERE, &found);
        }
    }

    /// What is told with a unit that is handed out.
    pub fn begin(&self, unit: u64) -> (Vec<u8>, ToldRecords) {
        self.collect();
        let mut kept = locked(&self.kept);
        let next = kept.first + kept.records.len() as u64;
        (kept.from(0, unit), ToldRecords { next, at: Instant::now(), later: 0, heard: 0 })
    }

    /// What is told later, if there is anything and it is time.
    pub fn later(&self, unit: u64, told: &mut ToldRecords) -> Option<Vec<u8>> {
        if told.at.elapsed() < if told.heard == told.later { PACE } else { UNHEARD } {
            return None;
        }
        // One that was lost is never heard.
        told.heard = told.later;
        told.at = Instant::now();
        self.collect();
        let mut kept = locked(&self.kept);
        let records = kept.from(told.next, unit);
        told.next = kept.first + kept.records.len() as u64;
        if records.is_empty() {
            return None;
        }
        told.later += 1;
        Some(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tree::settings::TreeSettings;

    fn exchange() -> (Arc<SharedTable>, Arc<RecordExchange>) {
        let table = SharedTable::new(1 << 16, 1, &TreeSettings::default());
        (Arc::clone(&table), RecordExchange::new(table).unwrap())
    }

    /// A record of so many nodes.
    fn record(number: u64, nodes: u64) -> Vec<u8> {
        let effort = u64::from(64 - nodes.leading_zeros());
        [number.to_le_bytes(), (7 | effort << DATA_BITS).to_le_bytes()].concat()
    }

    #[test]
    fn a_unit_is_told_what_others_have_found() {
        let (_, exchange) = exchange();
        let (first, second) = (record(1, 1 << 20), record(2, 1 << 14));
        exchange.take_in(10, &first);
        let (with, mut told) = exchange.begin(11);
        assert_eq!(with, first);
        exchange.take_in(10, &[second.clone(), record(3, 100)].concat());
        exchange.take_in(11, &record(4, 1 << 20));
        assert_eq!(exchange.later(11, &mut told), None, "it was told just now");
        told.at -= PACE;
        // Not what took little, and not its own.
        assert_eq!(exchange.later(11, &mut told), Some(second.clone()));
        exchange.take_in(10, &first);
        told.at -= PACE;
        assert_eq!(exchange.later(11, &mut told), None, "it has not heard the last");
        told.note_heard(1);
        assert_eq!(exchange.later(11, &mut told), Some(first.clone()));
        // What is lost is not waited for without an end.
        exchange.take_in(10, &second);
        assert_eq!(exchange.later(11, &mut told), None);
        told.at -= UNHEARD;
        assert_eq!(exchange.later(11, &mut told), Some(second));
        told.note_heard(3);
        told.at -= PACE;
        assert_eq!(exchange.later(11, &mut told), None, "there is nothing");
    }

    #[test]
    fn threads_here_are_told_and_heard() {
        let (table, exchange) = exchange();
        exchange.take_in(10, &record(1, 1 << 20));
        let own = table.table().unwrap();
        assert_eq!(own.get(1), Some(7));
        exchange.take_in(10, &record(2, 1 << 20));
        assert_eq!(own.get(2), Some(7));
        own.put(3, 7, 1 << 20);
        own.put(4, 7, 1);
        let (with, _) = exchange.begin(11);
        assert_eq!(with.len(), 3 * RECORD_BYTES);
        assert!(with.ends_with(&record(3, 1 << 20)));
    }

    #[test]
    fn the_flow_is_bounded() {
        let (_, exchange) = exchange();
        let many: Vec<u8> = (0..3 * MOST_A_SECOND as u64).flat_map(|n| record(n, 1 << 14)).collect();
        exchange.take_in(10, &many);
        assert_eq!(exchange.begin(11).0.len(), MOST_TOLD * RECORD_BYTES);
        std::thread::sleep(PERIOD);
        exchange.take_in(10, &many);
        assert!(exchange.least() > EFFORTS.0);
        let told: usize = (0..1000).map(|unit| exchange.begin(unit + 100).0.len()).sum();
        assert!(told as f64 <= 2.0 * RATE, "{told}");
        std::thread::sleep(PERIOD);
        exchange.take_in(10, &record(1, 1 << 20));
        assert_eq!(exchange.least(), EFFORTS.0);
        assert!(locked(&exchange.kept).records.len() <= MOST_KEPT);
    }

    #[test]
    fn of_too_many_the_ones_are_told_that_took_most() {
        let many: Vec<u8> = (0..2 * MOST_TOLD as u64).flat_map(|n| record(n, 1 << (14 + n % 8))).collect();
        let some = worth_most(many);
        assert!(is_plausible(&some) && some.len() == MOST_TOLD * RECORD_BYTES);
        assert!(some.as_chunks().0.iter().all(|record| effort(record) >= 18));
        assert!(!is_plausible(&some[1..]) && !is_plausible(&[some.clone(), some].concat()));
        assert_eq!(worth_most(record(1, 1)), record(1, 1));
    }

    #[test]
    fn where_workers_have_to_agree_nothing_is_exchanged() {
        let alone = TreeSettings { quorum: 2, ..TreeSettings::default() };
        assert!(RecordExchange::new(SharedTable::new(1 << 16, 1, &alone)).is_none());
    }
}
