//! A hash table of fixed memory that threads share without locks.
//!
//! A record is 64 bits of data and its 64-bit hash. The hash is stored xored with the data (R. Hyatt and T. Mann,
//! "A lock-less transposition table implementation", 2002): a record torn by two threads that write at once does not
//! match any hash and is not found, instead of being wrong. The hash picks a bucket of four records, one cache line.
//!
//! Replacement: a record of the same hash is overwritten; else a record of an earlier search (generation) goes first,
//! and among those alike the one that took least effort to find. So a new record always finds a place.

use super::zeroed::{Zero, ZeroedSlice};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Records in a bucket.
const BUCKET: usize = 4;
/// Bytes of a bucket.
const BUCKET_BYTES: usize = RECORD_BYTES * BUCKET;
/// Generations are counted modulo this.
const GENERATIONS: u8 = 4;
/// Bits of data that the caller may use: the upper 8 are the table's.
pub const DATA_BITS: u32 = 56;
/// Bytes of a record, also where it is passed on ([`Table::extract`]).
pub const RECORD_BYTES: usize = 16;
/// Least memory of a table, in bytes.
pub const LEAST_BYTES: u64 = 1 << 12;
/// Most records that are kept for [`Table::take_noted`]; those beyond are not noted.
pub const MOST_NOTED: usize = 1 << 14;

/// The hash and the data of a record.
#[derive(Debug, Default)]
struct Record {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Record; BUCKET]);

// SAFETY: a bucket is atomic integers, for which zeros are a value, and the one of an empty record.
unsafe impl Zero for Bucket {}

/// The table. See the module for its policy.
#[derive(Debug)]
pub struct Table {
    buckets: ZeroedSlice<Bucket>,
    generation: AtomicU8,
    /// How many searches share it that have nothing else to do with each other.
    sharers: u64,
    /// Records that take so many nodes are noted.
    noted_from: AtomicU64,
    noted: Mutex<Vec<[u64; 2]>>,
}

/// Memory that cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Less than a table needs.
    #[error("{0} bytes are too few for a transposition table: at least {LEAST_BYTES} are needed")]
    Small(u64),
    /// More than the system gives.
    #[error("there is no memory for a transposition table of {0} bytes: ask for less")]
    Large(u64),
}

impl Table {
    /// An empty table of at most `bytes` bytes.
    ///
    /// # Errors
    /// Fewer bytes than [`LEAST_BYTES`], or more than the system gives.
    pub fn new(bytes: u64) -> Result<Table, TableError> {
        if bytes < LEAST_BYTES {
            return Err(TableError::Small(bytes));
        }
        let count = usize::try_from(bytes).map_err(|_| TableError::Large(bytes))? / BUCKET_BYTES;
        let buckets = ZeroedSlice::new(count).ok_or(TableError::Large(bytes))?;
        let (generation, noted_from) = (AtomicU8::new(0), AtomicU64::new(u64::MAX));
        Ok(Table { buckets, generation, sharers: 1, noted_from, noted: Mutex::default() })
    }

    /// An empty table for several searches, of at most `bytes` bytes for each of them.
    ///
    /// # Errors
    /// As for [`Table::new`].
    pub fn shared(bytes: u64, sharers: u64) -> Result<Table, TableError> {
        let sharers = sharers.max(1);
        Ok(Table { sharers, ..Table::new(bytes.saturating_mul(sharers))? })
    }

    /// Its size in bytes, divided among the searches that share it.
    pub fn bytes_each(&self) -> u64 {
        self.bytes() / self.sharers
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        (self.buckets.len() * BUCKET_BYTES) as u64
    }

    /// Makes what it holds the first to be replaced. Nothing is forgotten.
    pub fn next_generation(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Forgets all records. Threads that search meanwhile lose theirs at any moment.
    pub fn clear(&self) {
        for record in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            record.check.store(0, Relaxed);
            record.data.store(0, Relaxed);
        }
    }

    /// The records that took most effort, at most `most` of them: what another search is given to
    /// continue from ([`Table::insert`]). [`RECORD_BYTES`] bytes each, hash and data in little-endian. Threads may
    /// search meanwhile.
    pub fn extract(&self, most: usize) -> Vec<u8> {
        let effort = |data: u64| (data != 0).then_some((data >> DATA_BITS) as usize & 63);
        let records = || self.buckets.iter().flat_map(|bucket| &bucket.0);
        let mut counts = [0usize; 64];
        for effort in records().filter_map(|record| effort(record.data.load(Relaxed))) {
            counts[effort] += 1;
        }
        let mut sum = 0;
        // Of equal efforts all go or none.
        let least = (0..64).rev().find(|&effort| {
            sum += counts[effort];
            sum > most
        });
        let mut bytes = Vec::new();
        for record in records() {
            let data = record.data.load(Relaxed);
            if effort(data).is_some_and(|effort| least.is_none_or(|least| effort > least))
                && bytes.len() < most.saturating_mul(RECORD_BYTES)
            {
                bytes.extend((record.check.load(Relaxed) ^ data).to_le_bytes());
                bytes.extend(data.to_le_bytes());
            }
        }
        bytes
    }

    /// Puts records that [`Table::extract`] has returned, and does not note them. Bytes that are no whole record are
    /// left out.
    pub fn insert(&self, records: &[u8]) {
        for record in records.as_chunks::<RECORD_BYTES>().0 {
            let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| record[at + i]));
            let (hash, data) = (number(0), number(8));
            self.keep(hash, data, ((data >> DATA_BITS) as u8 & 63).max(1));
        }
    }

    /// From now on records are noted that take at least so many nodes ([`Table::take_noted`]).
    pub fn note_from(&self, nodes: u64) {
        self.noted_from.store(nodes, Relaxed);
    }

    /// The records that were noted since the last call, as [`Table::insert`] takes them, in the order in which they
    /// came.
    pub fn take_noted(&self) -> Vec<u8> {
        let noted = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        noted.into_iter().flatten().flat_map(u64::to_le_bytes).collect()
    }

    #[cold]
    fn note(&self, hash: u64, data: u64, effort: u8) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < MOST_NOTED {
            noted.push([hash, data & ((1 << DATA_BITS) - 1) | u64::from(effort) << DATA_BITS]);
        }
    }

    #[inline]
    fn bucket(&self, hash: u64) -> &Bucket {
        let index = (u128::from(hash) * self.buckets.len() as u128) >> 64;
        // There is at least one bucket, and the product is below their number.
        &self.buckets[index as usize]
    }

    /// Fetches the bucket of a hash into the cache, for a record that is asked for soon.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch of any address is without effect on memory.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(hash)).cast()) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// The data stored under `hash`, the upper 8 bits cleared.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<u64> {
        self.bucket(hash).0.iter().find_map(|record| {
            let data = record.data.load(Relaxed);
            (record.check.load(Relaxed) ^ data == hash && data != 0).then_some(data & ((1 << DATA_BITS) - 1))
        })
    }

    /// Stores `data` (its upper 8 bits are dropped) under `hash`; `nodes` is the effort that it took.
    #[inline]
    pub fn put(&self, hash: u64, data: u64, nodes: u64) {
        // 6 bits of effort, above 0, so that no data is 0; 2 bits of generation.
        let effort = (64 - nodes.leading_zeros()).clamp(1, 63) as u8;
        if nodes >= self.noted_from.load(Relaxed) {
            self.note(hash, data, effort);
        }
        self.keep(hash, data, effort);
    }

    #[inline]
    fn keep(&self, hash: u64, data: u64, effort: u8) {
        let generation = self.generation.load(Relaxed);
        let data = data & ((1 << DATA_BITS) - 1) | u64::from(effort | generation << 6) << DATA_BITS;
        let records = &self.bucket(hash).0;
        let (mut worst, mut least) = (&records[0], u8::MAX);
        for record in records {
            let old = record.data.load(Relaxed);
            if old == 0 || record.check.load(Relaxed) ^ old == hash {
                worst = record;
                break;
            }
            let tag = (old >> DATA_BITS) as u8;
            let worth = tag & 63 | if tag >> 6 == generation { 64 } else { 0 };
            if worth < least {
                (worst, least) = (record, worth);
            }
        }
        worst.check.store(hash ^ data, Relaxed);
        worst.data.store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_keeps_what_took_most_effort_and_always_takes_the_new() {
        let table = Table::new(LEAST_BYTES).unwrap();
        let hashes: Vec<u64> = (0..6).collect();
        for (&hash, nodes) in hashes.iter().zip([100, 1, 1000, 10, 0, 5]) {
            table.put(hash, hash + 1, nodes);
            assert_eq!(table.get(hash), Some(hash + 1));
        }
        // 100, 1000 and 10 stay; each new one takes the place of the least.
        assert_eq!(hashes.iter().filter_map(|&hash| table.get(hash)).collect::<Vec<_>>(), [1, 3, 4, 6]);
        table.next_generation();
        table.put(7, 70, 1);
        table.put(8, 80, 2);
        assert_eq!((table.get(7), table.get(8), table.get(2)), (Some(70), Some(80), Some(3)));
        table.put(7, u64::MAX, 1);
        assert_eq!(table.get(7), Some((1 << DATA_BITS) - 1));
    }

    #[test]
    fn a_new_table_and_a_cleared_one_are_empty_all_over() {
        let table = Table::new(1 << 16).unwrap();
        let is_empty = |table: &Table| {
            let zero = |record: &Record| record.check.load(Relaxed) == 0 && record.data.load(Relaxed) == 0;
            table.buckets.iter().all(|bucket| bucket.0.iter().all(zero))
        };
        assert!(is_empty(&table));
        assert_eq!(table.buckets.len(), 1 << 10);
        for hash in (0..1000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            table.put(hash, 1, 1);
        }
        assert!(!is_empty(&table));
        table.clear();
        assert!(is_empty(&table));
    }

    #[test]
    fn what_took_most_effort_is_passed_on() {
        let hash = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let table = Table::new(1 << 20).unwrap();
        // Efforts from 1 to 2^19, ten records each.
        (0..200).for_each(|n| table.put(hash(n), n + 1, 1 << (n / 10)));
        let all = table.extract(usize::MAX);
        assert_eq!(all.len(), 200 * RECORD_BYTES);
        let some = table.extract(35);
        assert_eq!(some.len(), 30 * RECORD_BYTES);
        let other = Table::new(1 << 20).unwrap();
        other.insert(&some);
        for n in 0..200 {
            assert_eq!(other.get(hash(n)), (n >= 170).then_some(n + 1), "{n}");
        }
        // As many as asked for, and with the same efforts.
        assert_eq!(other.extract(30).len(), some.len());
        assert!(other.extract(9).is_empty());
        assert_eq!(other.extract(10).len(), 10 * RECORD_BYTES);
        other.insert(&[1; RECORD_BYTES + 3]);
        assert_eq!(other.extract(usize::MAX).len(), some.len() + RECORD_BYTES);
    }

    #[test]
    fn what_took_much_effort_is_noted_once() {
        let hash = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let table = Table::new(1 << 18).unwrap();
        table.put(1, 10, 1 << 20);
        assert!(table.take_noted().is_empty(), "nobody has asked for it");
        table.note_from(1000);
        (0..100).for_each(|n| table.put(hash(n), n + 1, n * 50));
        let noted = table.take_noted();
        assert_eq!(noted.len(), 80 * RECORD_BYTES);
        assert!(table.take_noted().is_empty());
        let other = Table::new(1 << 18).unwrap();
        other.note_from(1);
        other.insert(&noted);
        assert!(other.take_noted().is_empty(), "it was not found there");
        assert_eq!((0..100).filter(|&n| other.get(hash(n)) == Some(n + 1)).count(), 80);
        // With the effort that it took: from 1000 to 4950 there are three classes.
        assert_eq!(other.extract(60).len(), (100 - 41) * RECORD_BYTES);
        (0..2 * MOST_NOTED as u64).for_each(|n| table.put(hash(n), n, 1000));
        assert_eq!(table.take_noted().len(), MOST_NOTED * RECORD_BYTES);
    }

    #[test]
    fn sizes_are_kept_or_refused() {
        assert_eq!(Table::new(LEAST_BYTES - 1).unwrap_err(), TableError::Small(LEAST_BYTES - 1));
        assert_eq!(Table::new(u64::MAX).unwrap_err(), TableError::Large(u64::MAX));
        assert_eq!(Table::new(5000).unwrap().bytes(), 4992);
    }

    /// Two threads write and read the same bucket; no reader may see data that was never put under its hash.
    ///
    /// The hashes differ in many bits, as those of positions do. Small numbers would not do: the data of two records
    /// differ in small numbers too, and a torn record of one hash would then match another.
    #[test]
    fn torn_records_are_not_found() {
        const KEYS: u64 = 7;
        let table = Table::new(LEAST_BYTES).unwrap();
        // The bucket is in the upper 6 of 64 bits: all hashes have bucket 0.
        let hashes = std::array::from_fn::<u64, { KEYS as usize }, _>(|key| {
            (key as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 6
        });
        std::thread::scope(|scope| {
            for worker in 0..2u64 {
                let (table, hashes) = (&table, &hashes);
                scope.spawn(move || {
                    for i in 0..200_000u64 {
                        let key = i % KEYS;
                        let hash = hashes[key as usize];
                        table.put(hash, key << 32 | i ^ worker, i);
                        if let Some(found) = table.get(hash) {
                            assert_eq!(found >> 32, key);
                        }
                    }
                });
            }
        });
    }
}
