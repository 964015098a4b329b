//! The lines of the Gomocup protocol as values: what a manager may ask of a brain.
//!
//! Words are read in any case. Points are `x,y`, both from 0 at the upper left.

use std::fmt;

/// A line that begins a command. The lines of a board are read by [`parse_stone`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrainCommand {
    /// `START n`, `RECTSTART w,h`: a new game on a board of this size.
    Start(u64, u64),
    /// A new game on the same board.
    Restart,
    /// The first move of the game is the brain's.
    Begin,
    /// The other side has moved; the brain moves.
    Turn(u64, u64),
    /// The brain is to play there.
    Play(u64, u64),
    /// A stone is taken back.
    TakeBack(u64, u64),
    /// A position follows; the brain moves if `answers`.
    Board {
        /// Whether a move is asked for.
        answers: bool,
    },
    /// The stones of an opening by Swap2 follow.
    Swap2Board,
    /// Something that the brain should know.
    Info(String, String),
    /// Who the brain is.
    About,
    /// The brain is to end.
    End,
    /// A search is to end at once with the move it has.
    Stop,
    /// Which points are forbidden to black.
    ShowForbidden,
}

/// Why a line is not a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrainLineError {
    /// There is no such command.
    Unknown(String),
    /// What follows the command is not what it takes.
    Bad(String),
}

/// As the protocol answers it.
impl fmt::Display for BrainLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BrainLineError::Unknown(word) => write!(f, "UNKNOWN there is no command '{word}'"),
            BrainLineError::Bad(why) => write!(f, "ERROR {why}"),
        }
    }
}

/// A text from outside for a message: short, and without characters that command a terminal.
pub fn shown(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Reads a place of a board, `x,y`.
fn point(command: &str, text: &str) -> Result<(u64, u64), BrainLineError> {
    let read = |text: &str| text.trim().parse::<u64>().ok();
    text.split_once(',')
        .and_then(|(x, y)| Some((read(x)?, read(y)?)))
        .ok_or_else(|| BrainLineError::Bad(format!("{command} takes x,y, two numbers from 0, not '{}'", shown(text))))
}

/// Reads a line that begins a command.
///
/// # Errors
/// There is no such command, or it takes something else.
pub fn parse(line: &str) -> Result<BrainCommand, BrainLineError> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (name, rest) = (word.to_ascii_uppercase(), rest.trim());
    Ok(match name.as_str() {
        "START" => {
            let size = rest.parse().map_err(|_| {
                BrainLineError::Bad(format!("START takes the number of rows, such as 15, not '{}'", shown(rest)))
            })?;
            BrainCommand::Start(size, size)
        }
        "RECTSTART" => {
            let (width, height) = point("RECTSTART", rest)?;
            BrainCommand::Start(width, height)
        }
        "RESTART" => BrainCommand::Restart,
        "BEGIN" => BrainCommand::Begin,
        "TURN" => point("TURN", rest).map(|(x, y)| BrainCommand::Turn(x, y))?,
        "PLAY" => point("PLAY", rest).map(|(x, y)| BrainCommand::Play(x, y))?,
        "TAKEBACK" => point("TAKEBACK", rest).map(|(x, y)| BrainCommand::TakeBack(x, y))?,
        "BOARD" => BrainCommand::Board { answers: true },
        "YXBOARD" => BrainCommand::Board { answers: false },
        "SWAP2BOARD" => BrainCommand::Swap2Board,
        "INFO" => {
            let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            BrainCommand::Info(key.to_ascii_lowercase(), value.trim().to_owned())
        }
        "ABOUT" => BrainCommand::About,
        "END" => BrainCommand::End,
        "YXSTOP" | "STOP" => BrainCommand::Stop,
        "YXSHOWFORBID" => BrainCommand::ShowForbidden,
        _ => return Err(BrainLineError::Unknown(shown(word))),
    })
}

/// A line of a board: column, row and whose stone it is, where the line says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoneLine {
    /// Column and row, both from 0.
    pub place: (u64, u64),
    /// 1 the brain's, 2 the other side's, 3 part of a row that has won already.
    pub whose: Option<u64>,
}

/// Reads a line of a board, up to `DONE`, for which there is nothing.
///
/// # Errors
/// The line is neither.
pub fn parse_stone(line: &str) -> Result<Option<StoneLine>, BrainLineError> {
    let line = line.trim();
    if line.eq_ignore_ascii_case("DONE") {
        return Ok(None);
    }
    let bad = || BrainLineError::Bad(format!("a line of a board is x,y,colour or DONE, not '{}'", shown(line)));
    let numbers: Option<Vec<u64>> = line.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y]) => Ok(Some(StoneLine { place: (x, y), whose: None })),
        Some(&[x, y, whose @ 1..=3]) => Ok(Some(StoneLine { place: (x, y), whose: Some(whose) })),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_refused() {
        for (line, command) in [
            ("START 15", BrainCommand::Start(15, 15)),
            ("  start 20 ", BrainCommand::Start(20, 20)),
            ("RECTSTART 20,15", BrainCommand::Start(20, 15)),
            ("turn 7 , 8", BrainCommand::Turn(7, 8)),
            ("TAKEBACK 0,0", BrainCommand::TakeBack(0, 0)),
            ("INFO Rule 4", BrainCommand::Info("rule".into(), "4".into())),
            ("INFO", BrainCommand::Info(String::new(), String::new())),
            ("YXBOARD", BrainCommand::Board { answers: false }),
            ("end", BrainCommand::End),
        ] {
            assert_eq!(parse(line), Ok(command), "{line}");
        }
        for line in ["START", "START x", "START -1", "TURN", "TURN 1", "TURN 1,2,3", "TURN -1,2", "RECTSTART 5"] {
            assert!(matches!(parse(line), Err(BrainLineError::Bad(_))), "{line}");
        }
        for line in ["", "1,2", "DONE", "STARTS 15", "\u{7}"] {
            assert!(matches!(parse(line), Err(BrainLineError::Unknown(_))), "{line}");
        }
        assert_eq!(parse("a\u{1b}[2J").unwrap_err().to_string(), "UNKNOWN there is no command 'a?[2J'");
    }

    #[test]
    fn lines_of_boards_are_stones() {
        let stone = |x, y, whose| Ok(Some(StoneLine { place: (x, y), whose }));
        assert_eq!(parse_stone("7,8,1"), stone(7, 8, Some(1)));
        assert_eq!(parse_stone(" 7, 8 "), stone(7, 8, None));
        assert_eq!(parse_stone("done"), Ok(None));
        for line in ["", "7", "7,8,0", "7,8,4", "7,8,1,1", "a,b,1", "7;8"] {
            assert!(parse_stone(line).is_err(), "{line}");
        }
    }
}
