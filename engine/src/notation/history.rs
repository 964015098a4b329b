//! When the best known scores of each variant were reached, and by whom, as Christian Boyer's registry tells it
//! (<http://morpionsolitaire.com/English/RecordsTable.htm>). The grids of the later ones are in
//! [`records`](super::records).

use crate::morpion::variant::Variant;
use std::fmt;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A month of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// The year of our calendar.
    pub year: u32,
    /// Its month, from 1.
    pub month: u32,
}

impl Month {
    /// The middle of the month, in years.
    pub fn years(self) -> f64 {
        f64::from(self.year) + (f64::from(self.month) - 0.5) / 12.0
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let month = MONTHS.get(self.month.wrapping_sub(1) as usize).unwrap_or(&"");
        write!(f, "{month} {}", self.year)
    }
}

/// A score that was the best known one when it was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Milestone {
    /// Variant of the puzzle.
    pub variant: Variant,
    /// Number of moves.
    pub score: u32,
    /// When it was reached or published.
    pub date: Month,
    /// Who reached it, as the grids of the records name them.
    pub finder: &'static str,
}

const fn milestone(variant: Variant, score: u32, (year, month): (u32, u32), finder: &'static str) -> Milestone {
    Milestone { variant, score, date: Month { year, month }, finder }
}

const MILLINGTON: &str = "Charles William Millington";
const ROSIN: &str = "Christopher D. Rosin";
const CAZENAVE: &str = "Tristan Cazenave";
const SCHMIETA: &str = "Stefan Schmieta";
const LANGERMAN: &str = "Arthur Langerman";
const DEMAINE: &str = "Demaine, Demaine, Langerman & Langerman";
const HYYRO_PORANEN: &str = "Heikki Hyyr\u{f6} & Timo Poranen";

/// The best known scores of each variant, in the order in which they were reached. The date of the first one of 5D is
/// the latest possible one.
pub const MILESTONES: [Milestone; 24] = [
    milestone(Variant::T5, 149, (1972, 9), MILLINGTON),
    milestone(Variant::T5, 152, (1974, 6), MILLINGTON),
    milestone(Variant::T5, 162, (1974, 11), "R\u{e9}my Daubi\u{e9}"),
    milestone(Variant::T5, 163, (1975, 7), MILLINGTON),
    milestone(Variant::T5, 164, (1975, 11), "three people independently"),
    milestone(Variant::T5, 170, (1976, 4), "Charles-Henri Bruneau"),
    milestone(Variant::T5, 172, (2010, 8), ROSIN),
    milestone(Variant::T5, 177, (2011, 5), ROSIN),
    milestone(Variant::T5, 178, (2011, 8), ROSIN),
    milestone(Variant::D5, 64, (1996, 1), LANGERMAN),
    milestone(Variant::D5, 65, (1996, 10), SCHMIETA),
    milestone(Variant::D5, 66, (1996, 10), SCHMIETA),
    milestone(Variant::D5, 68, (1999, 10), LANGERMAN),
    milestone(Variant::D5, 69, (2005, 9), "Bernard Helmstetter"),
    milestone(Variant::D5, 74, (2006, 12), HYYRO_PORANEN),
    milestone(Variant::D5, 76, (2006, 12), CAZENAVE),
    milestone(Variant::D5, 78, (2007, 5), CAZENAVE),
    milestone(Variant::D5, 79, (2007, 6), HYYRO_PORANEN),
    milestone(Variant::D5, 80, (2008, 2), CAZENAVE),
    milestone(Variant::D5, 82, (2010, 8), ROSIN),
    milestone(Variant::T4, 56, (2004, 5), DEMAINE),
    milestone(Variant::T4, 62, (2007, 10), HYYRO_PORANEN),
    milestone(Variant::D4, 31, (2004, 5), DEMAINE),
    milestone(Variant::D4, 35, (2007, 10), HYYRO_PORANEN),
];

/// The best known scores of a variant, in the order in which they were reached.
pub fn of(variant: Variant) -> impl Iterator<Item = &'static Milestone> {
    MILESTONES.iter().filter(move |milestone| milestone.variant == variant)
}

/// The date of a grid of this score by this finder, if it was the best known score then.
pub fn date(variant: Variant, score: u32, finder: &str) -> Option<Month> {
    of(variant).find(|milestone| milestone.score == score && milestone.finder == finder).map(|found| found.date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::records::known;

    #[test]
    fn scores_rise_with_time_to_the_records() {
        for variant in Variant::ALL {
            let course: Vec<&Milestone> = of(variant).collect();
            assert!(course.windows(2).all(|two| two[0].score < two[1].score && two[0].date <= two[1].date));
            assert!(course.iter().all(|milestone| (1..=12).contains(&milestone.date.month)));
            assert_eq!(course.last().map(|last| last.score), Some(variant.record()));
        }
    }

    #[test]
    fn the_records_that_were_the_best_ones_have_their_dates() {
        let dated = known().unwrap().into_iter().filter_map(|record| {
            let author = record.grid.provenance.author?;
            let date = date(record.grid.variant, record.grid.moves.len() as u32, &author)?;
            Some(format!("{} {date}", record.stem))
        });
        let dated: Vec<String> = dated.collect();
        for expected in [
            "5T-178-rosin August 2011",
            "5T-177-rosin-b May 2011",
            "5T-170-bruneau April 1976",
            "5D-82-rosin August 2010",
        ] {
            assert!(dated.iter().any(|text| text == expected), "{expected}: {dated:?}");
        }
        assert_eq!(dated.len(), 10, "{dated:?}");
    }
}
