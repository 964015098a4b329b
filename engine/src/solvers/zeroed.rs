//! A slice of zeros in memory that the system gives when it is first written.
//!
//! The system supplies pages of zeroed memory when they are touched, so a table of half a gigabyte costs nothing
//! until a search fills it. The allocator asks for such pages only with small alignments; with larger ones it clears
//! the memory itself. So a little more memory is asked for, and the slice begins at the first aligned byte.
//!
//! Linux is asked for large pages (2 MiB instead of 4 KiB on most machines): a search looks all over its table, and
//! finds a page sooner where there are few. A page is then supplied as a whole, so memory fills up sooner.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Memory of fewer bytes is not worth large pages.
#[cfg(target_os = "linux")]
const LEAST_FOR_LARGE_PAGES: usize = 4 << 20;

/// Alignment that the system allocator gives without clearing the memory itself.
const ALIGNMENT: usize = 16;

/// A value whose bytes may all be zero.
///
/// # Safety
/// A value of the type in which every bit is zero is valid, and the type has no destructor to run.
pub unsafe trait Zero {}

/// Values that are all zero at first.
pub struct ZeroedSlice<T: Zero> {
    memory: NonNull<u8>,
    layout: Layout,
    first: NonNull<T>,
    count: usize,
}

impl<T: Zero> ZeroedSlice<T> {
    /// So many values, if there is memory for them; none of no values or of values without a size.
    pub fn new(count: usize) -> Option<ZeroedSlice<T>> {
        let size = size_of::<T>().checked_mul(count).filter(|&size| size > 0)?;
        let spare = align_of::<T>().saturating_sub(ALIGNMENT);
        let layout = Layout::from_size_align(size.checked_add(spare)?, ALIGNMENT).ok()?;
        // SAFETY: the layout has a size above zero.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        ask_for_large_pages(memory, layout.size());
        let offset = memory.as_ptr().align_offset(align_of::<T>());
        if offset > spare {
            // Not with the allocators there are: their memory is aligned to ALIGNMENT.
            // SAFETY: the memory was given with this layout, and nobody has it.
            unsafe { dealloc(memory.as_ptr(), layout) };
            return None;
        }
        // SAFETY: the offset is at most what was asked for beyond the values.
        let first = unsafe { memory.add(offset) }.cast();
        Some(ZeroedSlice { memory, layout, first, count })
    }
}

/// Asks the system for large pages in these bytes. It may refuse, which costs time alone.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(memory: NonNull<u8>, bytes: usize) {
    /// At least the size of a small page, on all systems.
    const PAGE: usize = 1 << 16;
    let skipped = memory.as_ptr().align_offset(PAGE);
    if bytes < LEAST_FOR_LARGE_PAGES || skipped >= bytes {
        return;
    }
    let bytes = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the range is within the memory, and the advice changes nothing that is in it.
    let _ =
        unsafe { rustix::mm::madvise(memory.add(skipped).as_ptr().cast(), bytes, rustix::mm::Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: NonNull<u8>, _: usize) {}

impl<T: Zero> Deref for ZeroedSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `first` is aligned and begins `count` values within the memory, which is this value's alone and
        // initialised: zeros are a value of the type.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl<T: Zero> DerefMut for ZeroedSlice<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.count) }
    }
}

impl<T: Zero> Drop for ZeroedSlice<T> {
    fn drop(&mut self) {
        // SAFETY: the memory was given with this layout, and nothing refers to it any more; its values have no
        // destructors.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

impl<T: Zero> fmt::Debug for ZeroedSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZeroedSlice").field("count", &self.count).finish_non_exhaustive()
    }
}

// SAFETY: it owns its values, as a vector does.
unsafe impl<T: Zero + Send> Send for ZeroedSlice<T> {}
// SAFETY: it gives out shared references to its values alone, as a vector does.
unsafe impl<T: Zero + Sync> Sync for ZeroedSlice<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct CacheLine([u64; 8]);

    // SAFETY: zeros are a value of eight integers.
    unsafe impl Zero for CacheLine {}

    #[test]
    fn values_are_zero_aligned_and_apart() {
        for count in [1, 2, 63, 1000, 100_000] {
            let mut lines = ZeroedSlice::<CacheLine>::new(count).unwrap();
            assert_eq!((lines.len(), lines.as_ptr() as usize % 64), (count, 0));
            assert!(lines.iter().all(|line| line.0 == [0; 8]));
            for (n, line) in (0..).zip(lines.iter_mut()) {
                line.0 = [n; 8];
            }
            assert!((0..).zip(lines.iter()).all(|(n, line)| line.0 == [n; 8]));
        }
        assert!(ZeroedSlice::<CacheLine>::new(0).is_none());
        assert!(ZeroedSlice::<CacheLine>::new(usize::MAX / 64).is_none());
        assert!(ZeroedSlice::<CacheLine>::new(usize::MAX).is_none());
    }

    /// Bytes of memory that this process occupies.
    #[cfg(target_os = "linux")]
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_that_is_not_written_takes_no_place() {
        let before = resident();
        let lines = ZeroedSlice::<CacheLine>::new(1 << 25).unwrap();
        assert_eq!(lines.len() * 64, 2 << 30);
        let taken = resident().saturating_sub(before);
        assert!(taken < 1 << 30, "{taken} bytes");
    }

    /// The flags that the system tells of the mapping that an address of this process lies in.
    #[cfg(target_os = "linux")]
    fn flags_at(address: u64) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut within = false;
        for line in maps.lines() {
            let number = |text: &str| u64::from_str_radix(text, 16).ok();
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            if let Some((from, to)) = range.and_then(|(from, to)| Some((number(from)?, number(to)?))) {
                within = (from..to).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| within) {
                return flags.to_owned();
            }
        }
        panic!("no mapping has {address:x}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_pages_are_asked_for_where_there_is_much_memory() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            println!("this system has no large pages to ask for");
            return;
        }
        // Little memory may lie where there was much before, so nothing can be said of its pages.
        let count = 1 << 20;
        let lines = ZeroedSlice::<CacheLine>::new(count).unwrap();
        let flags = flags_at(&raw const lines[count / 2] as u64);
        assert!(flags.split_whitespace().any(|flag| flag == "hg"), "{flags}");
    }
}
