//! The settings of Go: its board, its rules, a position as text. Boards that are too large for the solvers can be
//! set up, too ([`GoSetup::is_large`]): people play on them, and their games are counted.

use super::{GameSetup, PositionToSolve, SetupError};
use crate::core::game::{Side, Value};
use crate::core::setting::{BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, read_switch, show_switch};
use crate::games::go::board::GREATEST;
use crate::games::go::large;
use crate::games::go::notation::{Goban, parse_game, size_of, to_line};
use crate::games::go::position::GoPosition;
use crate::games::go::rules::{Cycle, GoRules, Ko};
use crate::jobs::reading::SettingsTable;
use crate::jobs::solve::SolvePosition;

/// Which board, which rules, which position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoSetup {
    /// Columns and rows; none is the position's board, else 4x4.
    pub size: Option<(u8, u8)>,
    /// What may be played, and what repetitions are worth.
    pub rules: GoRules,
    /// A position instead of the empty board: SGF, or a board as text.
    pub position: Option<String>,
}

/// Columns and rows of the board where neither a size nor a position is given.
const USUAL_SIZE: (u8, u8) = (4, 4);

static KOS: [NamedValue; 3] = [
    NamedValue { value: "basic", label: "The immediate retaking of a ko" },
    NamedValue { value: "superko", label: "Every board that has been there before (positional superko)" },
    NamedValue {
        value: "free",
        label: "No repetition. What a side gets although cycles count as its loss, it gets under every ko rule",
    },
];

static CYCLES: [NamedValue; 3] = [
    NamedValue { value: "tie", label: "Nothing to either side" },
    NamedValue { value: "lost-for-black", label: "The whole board to white" },
    NamedValue { value: "lost-for-white", label: "The whole board to black" },
];

/// The settings, in the order of help texts.
pub static GO_SETTINGS: [SettingRow<GoSetup>; 5] = [
    SettingRow {
        about: SettingInfo::new(
            "size",
            "Board",
            ValueKind::Text,
            "Size of the board: a number for a square one, or columns and rows, such as 4x5. Boards up to 7x7 can be \
             solved; others, up to 19x19, are for counting and play.",
        )
        .value_name("N|WxH")
        .unset("4, or the position's"),
        read: |setup, text| read_size(text).map(|size| setup.size = Some(size)),
        show: |setup| setup.size.map(|(width, height)| format!("{width}x{height}")),
    },
    SettingRow {
        about: SettingInfo::new("ko", "Ko", ValueKind::Choice(&KOS), "Which repetitions are forbidden.")
            .value_name("KO"),
        read: |setup, text| {
            setup.rules.ko = match text {
                "superko" => Ko::Superko,
                "free" => Ko::Free,
                _ => Ko::Basic,
            };
            Ok(())
        },
        show: |setup| {
            Some(match setup.rules.ko {
                Ko::Basic => "basic".to_owned(),
                Ko::Superko => "superko".to_owned(),
                Ko::Free => "free".to_owned(),
            })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "cycle",
            "Cycles",
            ValueKind::Choice(&CYCLES),
            "Value of a game that ends because a position came back. Under superko none does.",
        )
        .value_name("CYCLE"),
        read: |setup, text| {
            setup.rules.cycle = match text {
                "lost-for-black" => Cycle::LostForBlack,
                "lost-for-white" => Cycle::LostForWhite,
                _ => Cycle::Tie,
            };
            Ok(())
        },
        show: |setup| {
            Some(match setup.rules.cycle {
                Cycle::Tie => "tie".to_owned(),
                Cycle::LostForBlack => "lost-for-black".to_owned(),
                Cycle::LostForWhite => "lost-for-white".to_owned(),
            })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "suicide",
            "Suicide",
            ValueKind::Switch,
            "Whether a move may remove two or more own stones.",
        ),
        read: |setup, text| read_switch(text).map(|on| setup.rules.suicide = on),
        show: |setup| Some(show_switch(setup.rules.suicide).to_owned()),
    },
    SettingRow {
        about: SettingInfo::new(
            "position",
            "Position",
            ValueKind::Text,
            "A position instead of the empty board: an SGF file (the end of its main line), a file with a board, or the \
             board itself, such as `.X./.O./... white`.",
        )
        .value_name("FILE|STRING")
        .unset("the empty board"),
        read: |setup, text| {
            setup.position = Some(text.to_owned());
            Ok(())
        },
        show: |setup| setup.position.clone(),
    },
];

/// Greatest komi either way, in points.
const MOST_KOMI: f64 = 361.0;

/// Komi, in tenths of a point.
///
/// # Errors
/// It is no number, or further from nothing than a board has points.
pub fn read_komi(text: &str) -> Result<Value, BadValue> {
    let points = text.trim().parse::<f64>().ok().filter(|points| points.abs() <= MOST_KOMI);
    let reason = || BadValue(format!("komi is a number of points, from -{MOST_KOMI} to {MOST_KOMI}"));
    Ok((points.ok_or_else(reason)? * 10.0).round() as Value)
}

/// A size as people write it.
fn read_size(text: &str) -> Result<(u8, u8), BadValue> {
    let (width, height) = super::columns_and_rows(text, "points")?;
    large::points::LargeBoard::new(width, height).map_err(|error| BadValue(error.to_string()))?;
    Ok((width, height))
}

impl SettingsTable for GoSetup {
    const ROWS: &'static [SettingRow<Self>] = &GO_SETTINGS;
}

impl GoSetup {
    /// The position that is asked for, on a board of either kind.
    ///
    /// # Errors
    /// If the text is not a position, or there is no board of this size.
    pub fn position<P: Goban>(&self) -> Result<P, SetupError> {
        let (mut position, moves) = self.game::<P>()?;
        moves.into_iter().for_each(|m| {
            position.play(m);
        });
        Ok(position)
    }

    /// The same as a position and the moves after it: those of a game in SGF since its last set-up, else none.
    ///
    /// # Errors
    /// As for [`GoSetup::position`].
    pub fn game<P: Goban>(&self) -> Result<(P, Vec<P::Move>), SetupError> {
        let Some(given) = &self.position else {
            let empty = P::set_up(self.size.unwrap_or(USUAL_SIZE), self.rules, &[], Side::First);
            return empty.map(|empty| (empty, Vec::new())).map_err(|error| SetupError::Board(error.to_string()));
        };
        let game: (P, _) = parse_game(given, self.rules).map_err(|error| SetupError::Position(error.to_string()))?;
        let board = game.0.columns_and_rows();
        match self.size {
            Some(size) if size != board => Err(SetupError::Size { board, size }),
            _ => Ok(game),
        }
    }

    /// Whether the board is too large for the solvers, so that its positions are those of [`large`]. A text that is
    /// not a position is on no board.
    pub fn is_large(&self) -> bool {
        let (width, height) = match &self.position {
            Some(given) => size_of(given).unwrap_or((0, 0)),
            None => self.size.unwrap_or(USUAL_SIZE),
        };
        width.max(height) > GREATEST
    }
}

impl GameSetup for GoSetup {
    type Position = GoPosition;

    const EXCLUSIVE: &'static [(&'static str, &'static str)] = &[];

    fn problems(&self) -> Result<Vec<PositionToSolve<GoPosition>>, SetupError> {
        let position: GoPosition = self.position()?;
        Ok(vec![PositionToSolve { label: String::new(), text: to_line(&position), position, known: None }])
    }

    fn title(&self, (width, height): (u8, u8)) -> String {
        let GoRules { ko, cycle, suicide } = self.rules;
        let start = if self.position.is_some() { "given position" } else { "empty board" };
        let cycle = match cycle {
            _ if ko == Ko::Superko => "",
            Cycle::Tie => ", cycles tie",
            Cycle::LostForBlack => ", cycles lost for black",
            Cycle::LostForWhite => ", cycles lost for white",
        };
        let ko = match ko {
            Ko::Basic => "basic ko",
            Ko::Superko => "positional superko",
            Ko::Free => "no ko rule",
        };
        let suicide = if suicide { ", suicide" } else { "" };
        format!("go {width}x{height}, {start}, {ko}{cycle}{suicide}")
    }

    fn stored(&self, problem: PositionToSolve<GoPosition>) -> SolvePosition {
        // The text as it was given: that of an SGF file has the past, which counts under superko.
        let text = self.position.clone().unwrap_or(problem.text);
        SolvePosition::Go { position: Box::new(problem.position), text }
    }
}
