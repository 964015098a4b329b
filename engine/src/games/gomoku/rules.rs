//! The rules that differ: which rows win, and what black may not play.

use std::fmt;

/// Which rows win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowRule {
    /// Rows of exactly the length that wins; longer ones do not.
    #[default]
    Five,
    /// Rows of at least that length (free-style).
    Free,
    /// As in renju: exactly five for black, who may not make an overline, two fours or two threes at once; five or
    /// more for white.
    Renju,
    /// As in Caro: rows of exactly that length without enemy stones at both ends. The edge of the board is not a
    /// stone.
    Caro,
}

impl RowRule {
    /// All of them.
    pub const ALL: [RowRule; 4] = [RowRule::Five, RowRule::Free, RowRule::Renju, RowRule::Caro];

    /// Its word in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            RowRule::Five => "five",
            RowRule::Free => "free",
            RowRule::Renju => "renju",
            RowRule::Caro => "caro",
        }
    }
}

/// Length of the row that wins by default.
pub const USUAL_ROW: u8 = 5;
/// Greatest length of a row that can be asked for.
pub const LONGEST_ROW: u8 = super::board::GREATEST;

/// The rules of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct GomokuRules {
    rule: RowRule,
    win: u8,
}

/// Rules that there are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GomokuRulesError {
    /// A length that no row can have.
    #[error("a row of {0} cannot be the one that wins: its length is 1 to {LONGEST_ROW}")]
    Length(u8),
    /// Renju is about five stones.
    #[error("renju is played for five in a row, not for {0}")]
    Renju(u8),
}

impl Default for GomokuRules {
    fn default() -> GomokuRules {
        GomokuRules { rule: RowRule::Five, win: USUAL_ROW }
    }
}

impl GomokuRules {
    /// The rules by which rows of `win` stones win.
    ///
    /// # Errors
    /// A length outside 1 to [`LONGEST_ROW`], or another one than five in renju.
    pub fn new(rule: RowRule, win: u8) -> Result<GomokuRules, GomokuRulesError> {
        if !(1..=LONGEST_ROW).contains(&win) {
            return Err(GomokuRulesError::Length(win));
        }
        if rule == RowRule::Renju && win != USUAL_ROW {
            return Err(GomokuRulesError::Renju(win));
        }
        Ok(GomokuRules { rule, win })
    }

    /// Which rows win.
    #[inline]
    pub fn rule(self) -> RowRule {
        self.rule
    }

    /// The length of the row that wins.
    #[inline]
    pub fn win(self) -> u8 {
        self.win
    }
}

impl fmt::Display for GomokuRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let win = self.win;
        match self.rule {
            RowRule::Five => write!(f, "exactly {win} in a row"),
            RowRule::Free => write!(f, "{win} or more in a row"),
            RowRule::Renju => f.write_str("renju"),
            RowRule::Caro => write!(f, "caro, {win} in a row"),
        }
    }
}
