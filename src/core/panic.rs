//! What a caught panic said.

use std::any::Any;

/// The message of a panic that [`std::panic::catch_unwind`] has caught.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_whatever_they_are_made_of() {
        let said = |panic: fn()| panic_text(&*std::panic::catch_unwind(panic).unwrap_err());
        assert_eq!(said(|| panic!("plain")), "plain");
        assert_eq!(said(|| panic!("of {}", 2)), "of 2");
        assert_eq!(said(|| std::panic::panic_any(7)), "it panicked");
    }
}
