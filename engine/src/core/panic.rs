//! What a caught panic said, and panics that nobody is to read.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many calls of [`catch_quietly`] this thread is in.
    static QUIET: Cell<u32> = const { Cell::new(0) };
}

/// Whether a panic of this thread is expected, and will be reported in another way. A panic hook that prints asks
/// this first.
pub fn is_expected() -> bool {
    QUIET.get() > 0
}

/// Calls code that may panic on data it does not understand. The panic is caught, and not printed if the program's
/// hook asks [`is_expected`]. What `call` has changed must not be used after a panic.
///
/// # Errors
/// What the panic said.
pub fn catch_quietly<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    QUIET.set(QUIET.get() + 1);
    let ended = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(QUIET.get() - 1);
    ended.map_err(|panic| panic_text(&*panic))
}

/// The message of a panic that [`std::panic::catch_unwind`] has caught.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_panics_are_told_apart() {
        let nested = catch_quietly(|| {
            let inner = catch_quietly(|| assert!(!is_expected(), "expected"));
            assert_eq!(inner, Err("expected".to_owned()));
            is_expected()
        });
        assert_eq!((nested, is_expected()), (Ok(true), false));
    }

    #[test]
    fn messages_are_told_whatever_they_are_made_of() {
        let said = |panic: fn()| panic_text(&*std::panic::catch_unwind(panic).unwrap_err());
        assert_eq!(said(|| panic!("plain")), "plain");
        assert_eq!(said(|| panic!("of {}", 2)), "of 2");
        assert_eq!(said(|| std::panic::panic_any(7)), "it panicked");
    }
}
