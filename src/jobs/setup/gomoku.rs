//! The settings of Gomoku: its board, the row that wins, a position as text.

use super::{GameSetup, PositionToSolve, SetupError};
use crate::core::game::Game;
use crate::core::setting::{BadValue, NamedValue, SettingInfo, SettingRow, ValueKind, read as read_text};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::notation::{GomokuReadError, parse_game, play_all, to_line};
use crate::games::gomoku::position::{GomokuMove, GomokuPosition};
use crate::games::gomoku::record::GomokuRecord;
use crate::games::gomoku::rules::{GomokuRules, LONGEST_ROW, RowRule, USUAL_ROW};
use crate::games::gomoku::swap2::Swap2Error;
use crate::games::gomoku::swap2::game::{Swap2Game, Swap2Move, Swap2RecordError};
use crate::games::sgf::is_sgf;
use crate::jobs::reading::SettingsTable;
use crate::jobs::solve::SolvePosition;

/// Which board, which rules, which position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomokuSetup {
    /// Columns and rows; none is the position's board, else 15x15.
    pub size: Option<(u8, u8)>,
    /// Which rows win.
    pub rule: RowRule,
    /// The length of the row that wins.
    pub win: u8,
    /// A position instead of the empty board: moves, a board as text, SGF or PSQ.
    pub position: Option<String>,
}

impl Default for GomokuSetup {
    fn default() -> GomokuSetup {
        GomokuSetup { size: None, rule: RowRule::Five, win: USUAL_ROW, position: None }
    }
}

static RULES: [NamedValue; 4] = [
    NamedValue { value: "five", label: "Rows of exactly that length, for both sides" },
    NamedValue { value: "free", label: "Rows of at least that length (free-style)" },
    NamedValue {
        value: "renju",
        label: "As in renju: exactly five for black, who may not make an overline, two fours or two threes at once",
    },
    NamedValue { value: "caro", label: "Rows of exactly that length without enemy stones at both ends" },
];

/// The settings, in the order of help texts.
pub static GOMOKU_SETTINGS: [SettingRow<GomokuSetup>; 4] = [
    SettingRow {
        about: SettingInfo::new(
            "size",
            "Board",
            ValueKind::Text,
            "Size of the board: a number for a square one, or columns and rows, such as 6x5; 1 to 20 each.",
        )
        .value_name("N|WxH")
        .unset("15, or the position's"),
        read: |setup, text| read_size(text).map(|size| setup.size = Some(size)),
        show: |setup| setup.size.map(|(width, height)| format!("{width}x{height}")),
    },
    SettingRow {
        about: SettingInfo::new("rule", "Rule", ValueKind::Choice(&RULES), "Which rows win.").value_name("RULE"),
        read: |setup, text| {
            setup.rule = match text {
                "free" => RowRule::Free,
                "renju" => RowRule::Renju,
                "caro" => RowRule::Caro,
                _ => RowRule::Five,
            };
            Ok(())
        },
        show: |setup| {
            Some(match setup.rule {
                RowRule::Five => "five".to_owned(),
                RowRule::Free => "free".to_owned(),
                RowRule::Renju => "renju".to_owned(),
                RowRule::Caro => "caro".to_owned(),
            })
        },
    },
    SettingRow {
        about: SettingInfo::new(
            "win",
            "Row that wins",
            ValueKind::Whole { min: 1, max: LONGEST_ROW as u64 },
            "Length of the row that wins.",
        )
        .unit("stones"),
        read: |setup, text| read_text(text).map(|win| setup.win = win),
        show: |setup| Some(setup.win.to_string()),
    },
    SettingRow {
        about: SettingInfo::new(
            "position",
            "Position",
            ValueKind::Text,
            "A position instead of the empty board: moves such as h8i9g7, a board such as `.X./.O./... black`, or a \
             file with either, in SGF, in PSQ, or a library (.lib), of which the first line of moves is taken.",
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

/// A size as people write it.
fn read_size(text: &str) -> Result<(u8, u8), BadValue> {
    let (width, height) = super::columns_and_rows(text, "points")?;
    GomokuBoard::new(width, height).map_err(|error| BadValue(error.to_string()))?;
    Ok((width, height))
}

impl SettingsTable for GomokuSetup {
    const ROWS: &'static [SettingRow<Self>] = &GOMOKU_SETTINGS;
}

impl GomokuSetup {
    /// The rules that are asked for.
    ///
    /// # Errors
    /// If there are no such rules.
    pub fn rules(&self) -> Result<GomokuRules, SetupError> {
        GomokuRules::new(self.rule, self.win).map_err(|error| SetupError::Rules(error.to_string()))
    }

    /// The position that is asked for.
    ///
    /// # Errors
    /// If the text is not a position, or there is no such board or rule.
    pub fn position(&self) -> Result<GomokuPosition, SetupError> {
        let (mut position, moves) = self.game()?;
        moves.into_iter().for_each(|m| {
            position.play(m);
        });
        Ok(position)
    }

    /// The beginning of a game that begins with Swap2, and its moves: none, or those of a saved game.
    ///
    /// # Errors
    /// If there is no such board or rule, or the position is no saved game that begins so.
    pub fn swap2(&self) -> Result<(Swap2Game, Vec<Swap2Move>), SetupError> {
        let failed = |error: Swap2RecordError| match error {
            Swap2RecordError::Rules(Swap2Error::Board(_)) => SetupError::Board(error.to_string()),
            Swap2RecordError::Rules(_) => SetupError::Rules(error.to_string()),
            _ => SetupError::Position(error.to_string()),
        };
        let rules = self.rules()?;
        let Some(given) = &self.position else {
            let board = self.game()?.0.board();
            return Ok((Swap2Game::new(board, rules).map_err(|error| failed(error.into()))?, Vec::new()));
        };
        if !is_sgf(given) {
            let text = "a game with this opening begins on the empty board, or goes on from a saved game (SGF)";
            return Err(SetupError::Position(text.to_owned()));
        }
        let record = GomokuRecord::parse_sgf(given).map_err(|error| SetupError::Position(error.to_string()))?;
        let board = (record.board.width(), record.board.height());
        match self.size {
            Some(size) if size != board => Err(SetupError::Size { board, size }),
            _ => Swap2Game::from_record(&record, rules).map_err(failed),
        }
    }

    /// The title of such a game.
    pub fn swap2_title(&self, size: (u8, u8)) -> String {
        format!("{}, Swap2", self.title(size))
    }

    /// The position that is asked for, and the legal moves after it: those of a game, of which a board has none.
    ///
    /// # Errors
    /// As for [`GomokuSetup::position`].
    pub fn game(&self) -> Result<(GomokuPosition, Vec<GomokuMove>), SetupError> {
        let (rules, usual) = (self.rules()?, GomokuBoard::USUAL);
        let Some(given) = &self.position else {
            let (width, height) = self.size.unwrap_or((usual.width(), usual.height()));
            let board = GomokuBoard::new(width, height).map_err(|error| SetupError::Board(error.to_string()))?;
            return Ok((GomokuPosition::new(board, rules), Vec::new()));
        };
        let unreadable = |error: GomokuReadError| SetupError::Position(error.to_string());
        let (position, points) = parse_game(given, rules, self.size).map_err(unreadable)?;
        play_all(&mut position.clone(), &points).map_err(unreadable)?;
        let board = (position.board().width(), position.board().height());
        match self.size {
            Some(size) if size != board => Err(SetupError::Size { board, size }),
            _ => Ok((position, points.into_iter().map(GomokuMove).collect())),
        }
    }
}

impl GameSetup for GomokuSetup {
    type Position = GomokuPosition;

    const EXCLUSIVE: &'static [(&'static str, &'static str)] = &[];

    fn problems(&self) -> Result<Vec<PositionToSolve<GomokuPosition>>, SetupError> {
        let position = self.position()?;
        Ok(vec![PositionToSolve { label: String::new(), text: to_line(&position), position, known: None }])
    }

    fn title(&self, (width, height): (u8, u8)) -> String {
        let start = if self.position.is_some() { "given position" } else { "empty board" };
        let rules = self.rules().map_or_else(|error| error.to_string(), |rules| rules.to_string());
        format!("gomoku {width}x{height}, {start}, {rules}")
    }

    fn stored(&self, problem: PositionToSolve<GomokuPosition>) -> SolvePosition {
        SolvePosition::Gomoku(Box::new(problem.position))
    }
}
