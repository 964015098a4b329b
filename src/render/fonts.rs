//! The fonts of the pictures: DejaVu Sans Condensed, subsets of which are part of the program (see
//! `fonts/README.md`), so that a PNG looks the same on every machine. An SVG names the font and falls back on what
//! its viewer has.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};
use plotters::style::{FontStyle, register_font};
use std::sync::LazyLock;

/// The regular face, a TrueType file.
pub const REGULAR: &[u8] = include_bytes!("fonts/DejaVuSansCondensed-subset.ttf");

/// The bold face, a TrueType file.
pub const BOLD: &[u8] = include_bytes!("fonts/DejaVuSansCondensed-Bold-subset.ttf");

/// The family as it is named in SVG pictures; the fall-backs are about as wide.
pub const FAMILY: &str = "DejaVu Sans Condensed, Arial, Helvetica, Liberation Sans, sans-serif";

/// Height of a digit, in em.
pub const DIGIT_HEIGHT: f64 = 0.729;

static FACES: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
    [REGULAR, BOLD].map(|bytes| FontRef::try_from_slice(bytes).expect("the fonts are TrueType files"))
});

/// A face of the built-in font.
pub(super) fn face(bold: bool) -> &'static FontRef<'static> {
    &FACES[usize::from(bold)]
}

/// The scale at which one em is `em` pixels high.
pub(super) fn scale(bold: bool, em: f64) -> PxScale {
    let font = face(bold);
    PxScale::from(em as f32 * font.height_unscaled() / font.units_per_em().unwrap_or(2048.0))
}

/// Width of a text, in em.
pub fn width(text: &str, bold: bool) -> f64 {
    let font = face(bold).as_scaled(scale(bold, 1.0));
    text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
}

/// Makes the fonts known to plotters, as [`FAMILY`] and as `sans-serif`: to be called before charts with text are
/// drawn into bitmaps. Calling it again does no harm.
pub fn register() {
    for family in [FAMILY, "sans-serif"] {
        for (style, bytes) in [(FontStyle::Normal, REGULAR), (FontStyle::Bold, BOLD)] {
            // It fails for bytes that are no font only; `FACES` has the same bytes.
            let _ = register_font(family, style, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_have_what_labels_need() {
        for bold in [false, true] {
            for c in "0123456789Hyyrö–Poranen · Тищенко …→".chars() {
                assert!(face(bold).glyph_id(c).0 != 0, "{c}");
            }
        }
        let digit = width("0", false);
        assert!((0.55..0.6).contains(&digit) && (width("178", false) - 3.0 * digit).abs() < 0.01, "{digit}");
    }
}
