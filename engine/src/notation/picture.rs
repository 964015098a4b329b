//! Pictures that carry their record: a PNG has it in a text chunk, an SVG in an element of metadata. Names and places
//! are those that the program `morpion-solitaire` uses, so each program reads the pictures of the other.

use std::io::Cursor;

/// Keyword of the text chunk (`tEXt`) of a PNG that holds the record in MSR.
pub const PNG_KEYWORD: &str = "msr";
/// Identity of the element `metadata` of an SVG that holds the record in MSR.
pub const SVG_ID: &str = "morpion-solitaire-record";

/// What a PNG begins with.
const PNG_MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Why a picture gives no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRecord {
    /// It is whole, as far as it was read, and has none.
    Absent,
    /// It is no sound PNG.
    Damaged,
}

/// The record in a picture, as it was put in; nothing if these bytes are not a PNG or an SVG.
pub fn record_in(bytes: &[u8]) -> Option<Result<String, NoRecord>> {
    if bytes.starts_with(PNG_MAGIC) {
        return Some(in_png(bytes));
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let start = text.trim_start_matches('\u{feff}').trim_start();
    (start.starts_with('<') && start.contains("<svg")).then(|| in_svg(start).ok_or(NoRecord::Absent))
}

fn in_png(bytes: &[u8]) -> Result<String, NoRecord> {
    let found = |info: &png::Info<'_>| {
        let plain = info.uncompressed_latin1_text.iter().find(|chunk| chunk.keyword == PNG_KEYWORD);
        plain.map(|chunk| chunk.text.clone())
    };
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().map_err(|_| NoRecord::Damaged)?;
    if let Some(record) = found(reader.info()) {
        return Ok(record);
    }
    // It may also stand behind the pixels.
    reader.finish().map_err(|_| NoRecord::Damaged)?;
    found(reader.info()).ok_or(NoRecord::Absent)
}

fn in_svg(text: &str) -> Option<String> {
    let (_, after) = text.split_once(&format!("id=\"{SVG_ID}\""))?;
    let (_, content) = after.split_once('>')?;
    let (record, _) = content.split_once("</metadata>")?;
    Some(record.trim().to_owned())
}

/// The element that an SVG carries its record in. MSR has no character that XML would take for its own.
pub fn svg_element(msr: &str) -> String {
    format!("<metadata id=\"{SVG_ID}\">{msr}</metadata>")
}
