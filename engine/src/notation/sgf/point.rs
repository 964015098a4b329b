//! Points as SGF writes them: column and row from the upper left, `a` to `z` for 0 to 25 and then `A` to `Z`.

/// Columns and rows.
pub type BoardSize = (u8, u8);
/// Column and row from the upper left, from 0.
pub type PointPlace = (u8, u8);

/// Most columns and rows that have letters.
pub const MOST: u8 = 52;

fn number(letter: u8) -> Option<u8> {
    match letter {
        b'a'..=b'z' => Some(letter - b'a'),
        b'A'..=b'Z' => Some(letter - b'A' + 26),
        _ => None,
    }
}

fn letter(number: u8) -> char {
    char::from(if number < 26 { b'a' + number } else { b'A' + (number - 26) % 26 })
}

/// The point that a text names on a board of this size.
pub fn parse((width, height): BoardSize, text: &str) -> Option<PointPlace> {
    match text.as_bytes() {
        &[x, y] => Some((number(x)?, number(y)?)).filter(|&(x, y)| x < width && y < height),
        _ => None,
    }
}

/// The name of a point; both numbers are below [`MOST`].
pub fn name((x, y): PointPlace) -> String {
    [letter(x), letter(y)].iter().collect()
}

/// The points of a value: one, or a rectangle `aa:cc`. `None` if it is neither on a board of this size.
pub fn parse_all(size: BoardSize, value: &str) -> Option<Vec<PointPlace>> {
    let value = value.trim();
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let ((x0, y0), (x1, y1)) = (parse(size, first.trim())?, parse(size, last.trim())?);
    if x0 > x1 || y0 > y1 {
        return None;
    }
    Some((y0..=y1).flat_map(|y| (x0..=x1).map(move |x| (x, y))).collect())
}
