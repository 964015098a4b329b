//! The hashes that a search remembers: of grids that it has seen or reported.

/// A table of hashes that remembers the last of them: direct mapped, a newer one replaces an older one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen(Box<[u64]>);

impl Seen {
    /// With so many entries, a power of two.
    pub fn new(entries: usize) -> Seen {
        debug_assert!(entries.is_power_of_two());
        Seen(vec![0; entries].into_boxed_slice())
    }

    /// Remembers a hash; whether it was not there.
    pub fn insert(&mut self, hash: u64) -> bool {
        let place = &mut self.0[(hash >> 32) as usize & (self.0.len() - 1)];
        std::mem::replace(place, hash) != hash
    }

    /// Whether a hash is remembered.
    pub fn contains(&self, hash: u64) -> bool {
        self.0[(hash >> 32) as usize & (self.0.len() - 1)] == hash
    }

    /// The places in use with their hashes.
    pub fn save(&self) -> Vec<(u32, u64)> {
        (0..).zip(&*self.0).filter(|(_, hash)| **hash != 0).map(|(at, &hash)| (at, hash)).collect()
    }

    /// Becomes what [`Seen::save`] has returned for a table of this size or a smaller one, from an empty one.
    pub fn restore(&mut self, saved: &[(u32, u64)]) -> Result<(), &'static str> {
        for &(at, hash) in saved {
            if at as usize >= self.0.len() {
                return Err("a hash is outside its table");
            }
            self.insert(hash);
        }
        Ok(())
    }
}
