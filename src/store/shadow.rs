//! A file that may only be read, as storage that seems to be written: what is written stays in memory, over the file.
//!
//! redb reads only what it may write, and nothing at all after a write that failed. When the disk has become
//! read-only, the store opens its file like this and can be read until the disk may be written again; nothing is
//! committed to it.

use redb::StorageBackend;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that are kept together.
pub const PAGE: u64 = 4096;

/// A file with what seems to have been written to it.
#[derive(Debug)]
pub struct Shadow {
    state: Arc<Mutex<ShadowState>>,
}

/// What a [`Shadow`] holds. It can be let go while a database that must not be dropped still has the shadow.
#[derive(Debug)]
pub struct ShadowContent(Arc<Mutex<ShadowState>>);

impl ShadowContent {
    /// Allows so many more reads, and of each place so many. What is read after them is zero, which no page of a
    /// database is.
    pub fn allow(&self, reads: u64, of_place: u32) {
        let mut state = locked(&self.0);
        (state.reads_left, state.of_place) = (reads, of_place);
        state.reads.clear();
    }

    /// Closes the file and forgets what seems to have been written: from now on the shadow is empty.
    pub fn close(&self) {
        let mut state = locked(&self.0);
        (state.file, state.length, state.seen) = (None, 0, 0);
        state.pages.clear();
    }
}

fn locked(state: &Mutex<ShadowState>) -> MutexGuard<'_, ShadowState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct ShadowState {
    /// `None` once it is closed.
    file: Option<File>,
    /// Bytes that there seem to be.
    length: u64,
    /// So many bytes of the file are seen; behind them there are zeros.
    seen: u64,
    /// Pages that seem to have been written.
    pages: BTreeMap<u64, Vec<u8>>,
    /// Reads that are still allowed, and those that are allowed of each place.
    reads_left: u64,
    of_place: u32,
    /// How often a place was read, if that is bounded.
    reads: HashMap<u64, u32>,
}

impl Shadow {
    /// Over a file that is open for reading.
    ///
    /// # Errors
    /// If its length cannot be read.
    pub fn over(file: File) -> io::Result<Shadow> {
        let length = file.metadata()?.len();
        let state = ShadowState {
            file: Some(file),
            length,
            seen: length,
            pages: BTreeMap::new(),
            reads_left: u64::MAX,
            of_place: u32::MAX,
            reads: HashMap::new(),
        };
        Ok(Shadow { state: Arc::new(Mutex::new(state)) })
    }

    /// What it holds.
    pub fn content(&self) -> ShadowContent {
        ShadowContent(Arc::clone(&self.state))
    }

    fn state(&self) -> MutexGuard<'_, ShadowState> {
        locked(&self.state)
    }
}

impl ShadowState {
    fn check(&self, offset: u64, length: usize) -> io::Result<()> {
        match offset.checked_add(length as u64) {
            Some(end) if end <= self.length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Notes a read, if it is allowed.
    fn may_read(&mut self, offset: u64) -> bool {
        if self.of_place < u32::MAX {
            let count = self.reads.entry(offset).or_default();
            *count = count.saturating_add(1);
            if *count > self.of_place {
                return false;
            }
        }
        let left = self.reads_left.checked_sub(1);
        self.reads_left = left.unwrap_or(0);
        left.is_some()
    }

    /// What the file has from a place on, and zeros behind it.
    fn read_file(&mut self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = self.seen.saturating_sub(offset).min(out.len() as u64) as usize;
        let (read, zeros) = out.split_at_mut(there);
        zeros.fill(0);
        if let Some(file) = self.file.as_mut().filter(|_| !read.is_empty()) {
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(read)?;
        }
        Ok(())
    }
}

/// The pages that a range touches: number, first byte within the page, and the range's own bytes in it.
fn touched(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == length {
            return None;
        }
        let place = offset + at as u64;
        let (page, within) = (place / PAGE, (place % PAGE) as usize);
        let end = length.min(at + PAGE as usize - within);
        let part = at..end;
        at = end;
        Some((page, within, part))
    })
}

impl StorageBackend for Shadow {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        state.check(offset, out.len())?;
        if !state.may_read(offset) {
            out.fill(0);
            return Ok(());
        }
        state.read_file(offset, out)?;
        for (page, within, part) in touched(offset, out.len()) {
            if let Some(written) = state.pages.get(&page) {
                let length = part.len();
                out[part].copy_from_slice(&written[within..within + length]);
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut state = self.state();
        if length < state.length {
            // What is cut off is zero if it comes back.
            state.seen = state.seen.min(length);
            state.pages.split_off(&length.div_ceil(PAGE));
            if let Some(last) = state.pages.get_mut(&(length / PAGE)) {
                last[(length % PAGE) as usize..].fill(0);
            }
        }
        state.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        state.check(offset, data.len())?;
        for (page, within, part) in touched(offset, data.len()) {
            if !state.pages.contains_key(&page) {
                let mut whole = vec![0; PAGE as usize];
                state.read_file(page * PAGE, &mut whole)?;
                state.pages.insert(page, whole);
            }
            let length = part.len();
            if let Some(written) = state.pages.get_mut(&page) {
                written[within..within + length].copy_from_slice(&data[part]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn it_seems_to_be_written_and_the_file_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let mut rng = crate::core::seed::rng(1, &[]);
        let content: Vec<u8> = (0..20_000).map(|_| rng.random()).collect();
        std::fs::write(&path, &content).unwrap();
        let shadow = Shadow::over(File::open(&path).unwrap()).unwrap();
        let mut model = content.clone();
        for _ in 0..3000 {
            let at = rng.random_range(0..=model.len());
            let length = rng.random_range(0..=(model.len() - at).min(9000));
            match rng.random_range(0..10) {
                0 => {
                    model.resize(rng.random_range(0..40_000), 0);
                    shadow.set_len(model.len() as u64).unwrap();
                    assert_eq!(shadow.len().unwrap(), model.len() as u64);
                }
                1..5 => {
                    let data: Vec<u8> = (0..length).map(|_| rng.random()).collect();
                    model[at..at + length].copy_from_slice(&data);
                    shadow.write(at as u64, &data).unwrap();
                }
                _ => {
                    let mut read = vec![1; length];
                    shadow.read(at as u64, &mut read).unwrap();
                    assert_eq!(read, model[at..at + length]);
                }
            }
        }
        shadow.sync_data().unwrap();
        let end = model.len() as u64;
        assert!(shadow.read(end, &mut [0]).is_err() && shadow.write(end, &[0]).is_err());
        assert!(shadow.read(u64::MAX, &mut [0, 0]).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
}
