//! The colours of the pictures.

/// Red, green and blue, 0..=255.
pub type Rgb = (u8, u8, u8);

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// On white, for print.
    #[default]
    Light,
    /// On a dark ground, for screens.
    Dark,
}

/// What a theme paints with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub ground: Rgb,
    pub grid: Rgb,
    pub cross: Rgb,
    pub text: Rgb,
    pub faint: Rgb,
    /// Colours of the moves, first to last, evenly spaced.
    ages: [Rgb; 4],
    /// How much of its colour the inside of a point has, 0..1.
    tint: f64,
}

impl Theme {
    pub(super) const fn palette(self) -> Palette {
        match self {
            Theme::Light => Palette {
                ground: (255, 255, 255),
                grid: (231, 234, 238),
                cross: (48, 54, 64),
                text: (24, 28, 34),
                faint: (104, 112, 124),
                ages: [(49, 92, 168), (22, 140, 140), (196, 132, 20), (190, 52, 48)],
                tint: 0.10,
            },
            Theme::Dark => Palette {
                ground: (20, 23, 29),
                grid: (40, 45, 54),
                cross: (196, 203, 214),
                text: (238, 241, 245),
                faint: (146, 155, 168),
                ages: [(96, 150, 236), (58, 190, 180), (232, 182, 74), (240, 106, 92)],
                tint: 0.16,
            },
        }
    }
}

impl Palette {
    /// Colour of the move at `age`, from 0 (first) to 1 (last).
    pub fn age(&self, age: f64) -> Rgb {
        let steps = (self.ages.len() - 1) as f64;
        let at = (age * steps).clamp(0.0, steps);
        let i = (at as usize).min(self.ages.len() - 2);
        mix(self.ages[i], self.ages[i + 1], at - i as f64)
    }

    /// Inside of a point whose move has this colour.
    pub fn inside(&self, colour: Rgb) -> Rgb {
        mix(self.ground, colour, self.tint)
    }
}

/// The colour that is `share` (0..1) of the way from `a` to `b`.
fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let channel = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    (channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2))
}
