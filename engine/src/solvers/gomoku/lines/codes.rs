//! Move codes: the line classes of the four directions of a point, in any order, as one number; and move classes,
//! which say what a stone there threatens.

use super::classes::{CLASSES, LineClass};

/// Number of move codes: multisets of four line classes.
pub const CODES: usize = CLASSES * (CLASSES + 1) * (CLASSES + 2) * (CLASSES + 3) / 24;

/// What a stone on an empty point would be. Weaker classes come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum MoveClass {
    /// No threat and no preparation of one.
    None,
    /// An open two.
    Two,
    /// A blocked three: the next stone can make a four.
    BlockedThree,
    /// Two open twos or more of them.
    Twos,
    /// A blocked three and more.
    BlockedThreeAndMore,
    /// One three and nothing else of interest.
    Three,
    /// A three and a two or a blocked three.
    ThreeAndMore,
    /// Two threes or more of them.
    Threes,
    /// One four and nothing else of interest.
    Four,
    /// A four and a two or a blocked three.
    FourAndMore,
    /// A four and a three.
    FourThree,
    /// A straight four, or two fours.
    StraightFour,
    /// A row that wins.
    Five,
}

/// Number of move classes.
pub const MOVE_CLASSES: usize = 13;

impl MoveClass {
    /// All of them, the weakest first.
    pub const ALL: [MoveClass; MOVE_CLASSES] = [
        MoveClass::None,
        MoveClass::Two,
        MoveClass::BlockedThree,
        MoveClass::Twos,
        MoveClass::BlockedThreeAndMore,
        MoveClass::Three,
        MoveClass::ThreeAndMore,
        MoveClass::Threes,
        MoveClass::Four,
        MoveClass::FourAndMore,
        MoveClass::FourThree,
        MoveClass::StraightFour,
        MoveClass::Five,
    ];

    /// The class of a stone that makes these on its four lines.
    pub fn of(lines: [LineClass; 4]) -> MoveClass {
        let count =
            |least: LineClass, most: LineClass| lines.iter().filter(|&&c| (least..=most).contains(&c)).count();
        let fours = count(LineClass::Four, LineClass::Four);
        let threes = count(LineClass::Three, LineClass::WideThree);
        let blocked = count(LineClass::BlockedThree, LineClass::BlockedThree);
        let twos = count(LineClass::OpenTwo, LineClass::WidestTwo);
        match () {
            () if lines.contains(&LineClass::Five) => MoveClass::Five,
            () if lines.contains(&LineClass::StraightFour) || fours >= 2 => MoveClass::StraightFour,
            () if fours == 1 && threes > 0 => MoveClass::FourThree,
            () if fours == 1 && blocked + twos > 0 => MoveClass::FourAndMore,
            () if fours == 1 => MoveClass::Four,
            () if threes >= 2 => MoveClass::Threes,
            () if threes == 1 && blocked + twos > 0 => MoveClass::ThreeAndMore,
            () if threes == 1 => MoveClass::Three,
            () if blocked >= 1 && blocked + twos >= 2 => MoveClass::BlockedThreeAndMore,
            () if twos >= 2 => MoveClass::Twos,
            () if blocked == 1 => MoveClass::BlockedThree,
            () if twos == 1 => MoveClass::Two,
            () => MoveClass::None,
        }
    }
}

/// The codes of all quadruples of line classes, and what each code consists of.
#[derive(Debug)]
pub struct MoveCodes {
    /// By the classes in base 16, the first direction lowest.
    code: Box<[u16; 1 << 16]>,
    lines: Vec<[LineClass; 4]>,
    class: Vec<MoveClass>,
}

impl MoveCodes {
    /// Numbers the codes: in the order of their sorted classes, the weakest first.
    pub fn new() -> MoveCodes {
        let mut lines = Vec::with_capacity(CODES);
        // The numbers of the quadruples that are sorted, the strongest class lowest.
        let mut sorted = vec![0; 1 << 16];
        let nibbles = |index: usize| -> [usize; 4] { std::array::from_fn(|n| index >> (4 * n) & 15) };
        for (index, number) in sorted.iter_mut().enumerate() {
            let classes = nibbles(index);
            if classes.iter().all(|&class| class < CLASSES) && classes.is_sorted_by(|a, b| a >= b) {
                *number = lines.len() as u16;
                lines.push(classes.map(|class| LineClass::ALL[class]));
            }
        }
        let of = |index: usize| {
            let mut classes = nibbles(index);
            classes.sort_unstable();
            sorted[classes.iter().fold(0, |index, &class| index << 4 | class)]
        };
        let mut code = Box::new([0; 1 << 16]);
        code.iter_mut().enumerate().for_each(|(index, code)| *code = of(index));
        let class = lines.iter().map(|&lines| MoveClass::of(lines)).collect();
        MoveCodes { code, lines, class }
    }

    /// The code of four classes, given in base 16.
    #[inline(always)]
    pub fn code(&self, classes: u16) -> u16 {
        self.code[usize::from(classes)]
    }

    /// The line classes of a code, the strongest first.
    pub fn lines(&self, code: u16) -> [LineClass; 4] {
        self.lines[usize::from(code)]
    }

    /// The move class of a code.
    #[inline(always)]
    pub fn class(&self, code: u16) -> MoveClass {
        self.class[usize::from(code)]
    }
}

impl Default for MoveCodes {
    fn default() -> MoveCodes {
        MoveCodes::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quadruple_has_the_code_of_its_sorted_classes() {
        let codes = MoveCodes::new();
        assert_eq!(codes.lines.len(), CODES);
        let mut seen = vec![false; CODES];
        for index in 0..CLASSES.pow(4) {
            let classes: [usize; 4] = std::array::from_fn(|n| index / CLASSES.pow(n as u32) % CLASSES);
            let packed = classes.iter().rev().fold(0, |packed, &class| packed << 4 | class as u16);
            let code = codes.code(packed);
            let mut lines = classes.map(|class| LineClass::ALL[class]);
            assert_eq!(codes.class(code), MoveClass::of(lines));
            lines.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(codes.lines(code), lines);
            seen[usize::from(code)] = true;
        }
        assert!(seen.iter().all(|&seen| seen));
    }
}
