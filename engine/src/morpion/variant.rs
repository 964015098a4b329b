//! The four variants of the puzzle, as values and as types.
//!
//! Hot code is generic over [`Rules`], so that line length and touching rule are constants in it; everything
//! else carries a [`Variant`] and enters generic code once, through [`with_rules!`](crate::with_rules).

use std::fmt;
use std::str::FromStr;

/// Length of a line in points (5 or 4) and whether lines of one direction may touch (T) or not (D).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Variant {
    /// Lines of 5, may share an end point: the classic puzzle (record 178).
    #[default]
    #[serde(rename = "5T")]
    T5,
    /// Lines of 5, disjoint (record 82).
    #[serde(rename = "5D")]
    D5,
    /// Lines of 4, may share an end point (optimum 62).
    #[serde(rename = "4T")]
    T4,
    /// Lines of 4, disjoint (optimum 35).
    #[serde(rename = "4D")]
    D4,
}

impl Variant {
    /// All variants, most popular first.
    pub const ALL: [Variant; 4] = [Variant::T5, Variant::D5, Variant::T4, Variant::D4];

    /// Points in a line: 5 or 4.
    pub const fn line_len(self) -> usize {
        match self {
            Variant::T5 | Variant::D5 => 5,
            Variant::T4 | Variant::D4 => 4,
        }
    }

    /// Whether two lines of one direction on one track may share no point at all.
    pub const fn disjoint(self) -> bool {
        matches!(self, Variant::D5 | Variant::D4)
    }

    /// The usual two-character code, for instance `5T`.
    pub const fn code(self) -> &'static str {
        match self {
            Variant::T5 => "5T",
            Variant::D5 => "5D",
            Variant::T4 => "4T",
            Variant::D4 => "4D",
        }
    }

    /// The best score known (proven optimal for 4T and 4D).
    pub const fn record(self) -> u32 {
        match self {
            Variant::T5 => 178,
            Variant::D5 => 82,
            Variant::T4 => 62,
            Variant::D4 => 35,
        }
    }

    /// Moves of the longest known grid that a symmetry of the cross carries to itself: a category of its own in the
    /// registry of records. Those of 5D, 4T and 4D are proved to be the longest there are.
    pub const fn symmetric_record(self) -> u32 {
        match self {
            Variant::T5 => 136,
            Variant::D5 => 68,
            Variant::T4 => 60,
            Variant::D4 => 34,
        }
    }

    /// No game can be longer: proven by Michalewski, Nagorko and Pawlewicz 2016 (5T, 5D) and Quist 2008 (4T, 4D).
    pub const fn upper_bound(self) -> u32 {
        match self {
            Variant::T5 => 485,
            Variant::D5 => 84,
            Variant::T4 => 62,
            Variant::D4 => 35,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// A variant code that is none of 5T, 5D, 4T, 4D.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant '{0}': one of 5T, 5D, 4T, 4D is expected")]
pub struct UnknownVariant(pub String);

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Variant, UnknownVariant> {
        msr::Variant::from_code(text).map(Variant::from).ok_or_else(|| UnknownVariant(text.to_owned()))
    }
}

impl From<msr::Variant> for Variant {
    fn from(variant: msr::Variant) -> Variant {
        match variant {
            msr::Variant::T5 => Variant::T5,
            msr::Variant::D5 => Variant::D5,
            msr::Variant::T4 => Variant::T4,
            msr::Variant::D4 => Variant::D4,
        }
    }
}

impl From<Variant> for msr::Variant {
    fn from(variant: Variant) -> msr::Variant {
        match variant {
            Variant::T5 => msr::Variant::T5,
            Variant::D5 => msr::Variant::D5,
            Variant::T4 => msr::Variant::T4,
            Variant::D4 => msr::Variant::D4,
        }
    }
}

/// The rules of one variant as compile-time constants.
pub trait Rules: Copy + fmt::Debug + Default + PartialEq + Eq + Send + Sync + 'static {
    /// The variant these rules are of.
    const VARIANT: Variant;
    /// Points in a line.
    const LEN: usize = Self::VARIANT.line_len();
    /// Whether lines of one direction on one track may share no point.
    const DISJOINT: bool = Self::VARIANT.disjoint();
    /// Cells of a track that a line blocks for other lines of its direction: its points when disjoint, its unit
    /// segments (each named by its lower end) when touching.
    const BLOCKED: usize = if Self::DISJOINT { Self::LEN } else { Self::LEN - 1 };
}

/// Rules of 5T.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct T5;
/// Rules of 5D.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct D5;
/// Rules of 4T.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct T4;
/// Rules of 4D.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct D4;

impl Rules for T5 {
    const VARIANT: Variant = Variant::T5;
}
impl Rules for D5 {
    const VARIANT: Variant = Variant::D5;
}
impl Rules for T4 {
    const VARIANT: Variant = Variant::T4;
}
impl Rules for D4 {
    const VARIANT: Variant = Variant::D4;
}

/// Evaluates an expression with a type name bound to the [`Rules`] of a variant known only at run time.
///
/// ```
/// use morpion_engine::{morpion::{position::Position, variant::Variant}, with_rules};
/// let variant: Variant = "5D".parse().unwrap();
/// let first_moves = with_rules!(variant, R => Position::<R>::new().moves().len());
/// assert_eq!(first_moves, 28);
/// ```
#[macro_export]
macro_rules! with_rules {
    ($variant:expr, $rules:ident => $body:expr) => {
        match $variant {
            $crate::morpion::variant::Variant::T5 => {
                type $rules = $crate::morpion::variant::T5;
                $body
            }
            $crate::morpion::variant::Variant::D5 => {
                type $rules = $crate::morpion::variant::D5;
                $body
            }
            $crate::morpion::variant::Variant::T4 => {
                type $rules = $crate::morpion::variant::T4;
                $body
            }
            $crate::morpion::variant::Variant::D4 => {
                type $rules = $crate::morpion::variant::D4;
                $body
            }
        }
    };
}
