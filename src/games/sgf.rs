//! Files in SGF (FF\[4\]), as far as the main line goes, for games that put stones on points.

use super::rows::Place;

/// Text that is no SGF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SgfError {
    /// It ends early or has something in the wrong place.
    #[error("not SGF: {0}")]
    Form(&'static str),
    /// A value that its property does not take.
    #[error("SGF: {property}[{value}] is not a valid {expected}")]
    Value {
        /// Name of the property.
        property: String,
        /// The value that it has.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl SgfError {
    /// A value that its property does not take.
    pub fn value(property: &str, value: &str, expected: &'static str) -> SgfError {
        SgfError::Value { property: property.to_owned(), value: value.to_owned(), expected }
    }
}

/// Whether a text begins like SGF.
pub fn is_sgf(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('(')
}

/// The properties of one node: names and values.
pub type Node = Vec<(String, Vec<String>)>;

/// The nodes of the main line: of each branching the first branch. There is at least one.
///
/// # Errors
/// Text that is no SGF.
pub fn main_line(text: &str) -> Result<Vec<Node>, SgfError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut chars = text.chars().peekable();
    let (mut opened, mut closed) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            _ if c.is_whitespace() || c == '\u{feff}' => (),
            '(' => opened = true,
            // The end of the first variation is the end of the main line.
            ')' => {
                closed = true;
                break;
            }
            ';' if opened => nodes.push(Vec::new()),
            _ if c.is_ascii_alphabetic() => {
                let node = nodes.last_mut().ok_or(SgfError::Form("a property before the first node"))?;
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(char::is_ascii_alphabetic) {
                    name.push(c);
                }
                name.retain(|c| c.is_ascii_uppercase());
                let mut values = Vec::new();
                loop {
                    while chars.next_if(|c| c.is_whitespace()).is_some() {}
                    if chars.next_if_eq(&'[').is_none() {
                        break;
                    }
                    let mut value = String::new();
                    loop {
                        match chars.next().ok_or(SgfError::Form("it ends within a value"))? {
                            ']' => break,
                            '\\' => value.extend(chars.next()),
                            c => value.push(c),
                        }
                    }
                    values.push(value);
                }
                if values.is_empty() {
                    return Err(SgfError::Form("a property without a value"));
                }
                node.push((name, values));
            }
            _ => return Err(SgfError::Form("neither a node nor a property where one should be")),
        }
    }
    if nodes.is_empty() || !closed {
        return Err(SgfError::Form(if closed { "there is no node in it" } else { "it ends within a game" }));
    }
    Ok(nodes)
}

/// The points of a value: one, or a rectangle `aa:cc`.
///
/// # Errors
/// A point outside a board of these columns and rows.
pub fn points_of((width, height): (u8, u8), property: &str, value: &str) -> Result<Vec<Place>, SgfError> {
    let wrong =
        || SgfError::Value { property: property.to_owned(), value: value.to_owned(), expected: "point of the board" };
    let point = |text: &str| match text.as_bytes() {
        [x @ b'a'..=b'z', y @ b'a'..=b'z'] => Some((x - b'a', y - b'a')).filter(|&(x, y)| x < width && y < height),
        _ => None,
    };
    let (first, last) = value.trim().split_once(':').unwrap_or((value.trim(), value.trim()));
    let ((x0, y0), (x1, y1)) = (point(first).ok_or_else(wrong)?, point(last).ok_or_else(wrong)?);
    if x0 > x1 || y0 > y1 {
        return Err(wrong());
    }
    Ok((y0..=y1).flat_map(|y| (x0..=x1).map(move |x| (x, y))).collect())
}

/// Columns and rows that a root node says, else the usual ones.
///
/// # Errors
/// A size that is no number.
pub fn board_of(root: &Node, usual: (u8, u8)) -> Result<(u8, u8), SgfError> {
    let Some(size) = root.iter().find(|(name, _)| name == "SZ").and_then(|(_, values)| values.first()) else {
        return Ok(usual);
    };
    let wrong = || SgfError::Value { property: "SZ".to_owned(), value: size.clone(), expected: "size of a board" };
    let number = |text: &str| text.trim().parse::<u8>().map_err(|_| wrong());
    let (width, height) = size.split_once(':').unwrap_or((size, size));
    Ok((number(width)?, number(height)?))
}
