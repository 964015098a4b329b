//! The settings of Reversi: its board, its start, a position as text.

use super::{GameSetup, PositionToSolve, SetupError};
use crate::core::setting::{BadValue, NamedValue, SettingInfo, SettingRow, ValueKind};
use crate::games::reversi::board::ReversiBoard;
use crate::games::reversi::notation::to_obf;
use crate::games::reversi::position::{Empties, ReversiMove, ReversiPosition, Start};
use crate::games::reversi::positions::{parse_games, parse_positions};
use crate::jobs::reading::SettingsTable;
use crate::jobs::solve::SolvePosition;

/// Which board and which position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversiSetup {
    /// The board, by its columns and rows.
    pub size: ReversiBoard,
    /// Arrangement of the four discs at the start.
    pub start: Start,
    /// Positions instead of the start, as lines of an OBF file.
    pub position: Option<String>,
    /// Who gets cells that are empty at the end; none is the usual rule.
    pub empties: Option<Empties>,
}

impl Default for ReversiSetup {
    fn default() -> ReversiSetup {
        let size = ReversiBoard::new(8, 8).expect("the usual board");
        ReversiSetup { size, start: Start::Standard, position: None, empties: None }
    }
}

static STARTS: [NamedValue; 2] = [
    NamedValue { value: "standard", label: "Crosswise: black begins with d3, c4, f5 or e6 on the full board" },
    NamedValue { value: "alternative", label: "Side by side" },
];

static EMPTIES: [NamedValue; 2] = [
    NamedValue { value: "ignored", label: "Nobody: the value is the difference of discs" },
    NamedValue { value: "winner", label: "The winner, as in tournaments" },
];

/// The settings, in the order of help texts.
pub static REVERSI_SETTINGS: [SettingRow<ReversiSetup>; 4] = [
    SettingRow {
        about: SettingInfo::new(
            "size",
            "Board",
            ValueKind::Text,
            "Size of the board: a number for a square one, or columns and rows, such as 4x6; 4 to 8 each.",
        )
        .value_name("N|WxH"),
        read: |setup, text| read_size(text).map(|size| setup.size = size),
        show: |setup| {
            let (width, height) = (setup.size.width(), setup.size.height());
            Some(if width == height { width.to_string() } else { format!("{width}x{height}") })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "start",
            "Start",
            ValueKind::Choice(&STARTS),
            "How the four discs of the start lie.",
        )
        .value_name("START"),
        read: |setup, text| {
            setup.start = if text == "alternative" { Start::Alternative } else { Start::Standard };
            Ok(())
        },
        show: |setup| {
            Some(match setup.start {
                Start::Standard => "standard".to_owned(),
                Start::Alternative => "alternative".to_owned(),
            })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "position",
            "Position",
            ValueKind::Text,
            "Positions instead of the start: a file, or one line. A line is that of an OBF file (cells by rows, X O -, \
             then the side to move), a game in GGF, or the moves of a game from its start, such as f5d6c3.",
        )
        .value_name("FILE|STRING")
        .unset("the start"),
        read: |setup, text| {
            setup.position = Some(text.to_owned());
            Ok(())
        },
        show: |setup| setup.position.clone(),
    },
    SettingRow {
        about: SettingInfo::new(
            "empties",
            "Empty cells",
            ValueKind::Choice(&EMPTIES),
            "Who gets cells that are empty at the end.",
        )
        .value_name("EMPTIES")
        .unset("nobody from the start, the winner with a position"),
        read: |setup, text| {
            setup.empties = Some(if text == "winner" { Empties::ToWinner } else { Empties::Ignored });
            Ok(())
        },
        show: |setup| {
            setup.empties.map(|empties| match empties {
                Empties::Ignored => "ignored".to_owned(),
                Empties::ToWinner => "winner".to_owned(),
            })
        },
    },
];

/// A size as people write it.
fn read_size(text: &str) -> Result<ReversiBoard, BadValue> {
    let (width, height) = super::columns_and_rows(text, "cells")?;
    ReversiBoard::new(width, height).map_err(|error| BadValue(error.to_string()))
}

impl SettingsTable for ReversiSetup {
    const ROWS: &'static [SettingRow<Self>] = &REVERSI_SETTINGS;
}

impl ReversiSetup {
    /// Who gets cells that are empty at the end: from the start nobody, else the winner, as is usual for endgames.
    fn rule(&self) -> Empties {
        let usual = if self.position.is_some() { Empties::ToWinner } else { Empties::Ignored };
        self.empties.unwrap_or(usual)
    }

    /// The games that are asked for, at least one: where each begins, and the legal moves after it, with passes.
    ///
    /// # Errors
    /// If the text is not positions or games.
    pub fn games(&self) -> Result<Vec<(ReversiPosition, Vec<ReversiMove>)>, SetupError> {
        let empties = self.rule();
        let Some(given) = &self.position else {
            return Ok(vec![(ReversiPosition::new(self.size, self.start).with_empties(empties), Vec::new())]);
        };
        let games = parse_games(self.size, given).map_err(|error| SetupError::Position(error.to_string()))?;
        if games.is_empty() {
            return Err(SetupError::Empty);
        }
        Ok(games.into_iter().map(|(begin, moves)| (begin.position.with_empties(empties), moves)).collect())
    }
}

impl GameSetup for ReversiSetup {
    type Position = ReversiPosition;

    const EXCLUSIVE: &'static [(&'static str, &'static str)] = &[("position", "start")];

    fn problems(&self) -> Result<Vec<PositionToSolve<ReversiPosition>>, SetupError> {
        let empties = self.rule();
        let Some(given) = &self.position else {
            let position = ReversiPosition::new(self.size, self.start).with_empties(empties);
            let text = to_obf(&position);
            return Ok(vec![PositionToSolve { label: String::new(), text, position, known: None }]);
        };
        let problems = parse_positions(self.size, given).map_err(|error| SetupError::Position(error.to_string()))?;
        if problems.is_empty() {
            return Err(SetupError::Empty);
        }
        let one = problems.len() == 1;
        let to_solve = problems.into_iter().map(|problem| PositionToSolve {
            label: if one { String::new() } else { format!("line {}", problem.line) },
            text: to_obf(&problem.position),
            known: problem.value(),
            position: problem.position.with_empties(empties),
        });
        Ok(to_solve.collect())
    }

    fn title(&self, _size: (u8, u8)) -> String {
        let start = match (&self.position, self.start) {
            (Some(_), _) => "given position",
            (None, Start::Standard) => "standard start",
            (None, Start::Alternative) => "alternative start",
        };
        format!("reversi {}, {start}", self.size)
    }

    fn stored(&self, problem: PositionToSolve<ReversiPosition>) -> SolvePosition {
        SolvePosition::Reversi(problem.position)
    }
}
