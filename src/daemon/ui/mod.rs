//! The page: static files that are part of the binary.

/// A file of the page by the path of its address (`/` is the page itself): its media type and its content.
pub fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    match path {
        "/" | "/index.html" => Some(("text/html; charset=utf-8", include_bytes!("index.html"))),
        _ => None,
    }
}
