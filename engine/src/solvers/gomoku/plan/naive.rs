//! The rules as the checker of plans has them: stones in a list, rows by walking. It shares nothing with the search.

use crate::core::game::Side;
use crate::games::gomoku::position::GomokuPosition;
use crate::games::gomoku::rules::RowRule;

const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];
/// What is on a point without a stone, and around the board.
const EMPTY: u8 = 0;
const OUTSIDE: u8 = 3;

/// A board with stones. Points are `(x, y)`, from 0 at the upper left.
#[derive(Debug, Clone)]
pub struct CheckStones {
    width: i32,
    height: i32,
    /// By rows from the top, with a frame of one point around the board at which rows end.
    stones: Vec<u8>,
    win: i32,
    /// Whether longer rows win, too.
    longer: bool,
}

/// How a stone is noted.
fn noted(colour: Side) -> u8 {
    1 + u8::from(colour == Side::Second)
}

/// A point of the checker.
pub type CheckPoint = (i32, i32);

impl CheckStones {
    /// The stones of a position. `None` under rules that plans are not made for.
    pub fn new(position: &GomokuPosition) -> Option<CheckStones> {
        let longer = match position.rules().rule() {
            RowRule::Five => false,
            RowRule::Free => true,
            RowRule::Renju | RowRule::Caro => return None,
        };
        let board = position.board();
        let (width, height) = (i32::from(board.width()), i32::from(board.height()));
        let stones = vec![OUTSIDE; ((width + 2) * (height + 2)) as usize];
        let mut own = CheckStones { width, height, stones, win: i32::from(position.rules().win()), longer };
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            own.take((x, y));
        }
        for (point, colour) in position.stones() {
            let (x, y) = board.place(point);
            own.put((i32::from(x), i32::from(y)), colour);
        }
        Some(own)
    }

    /// The place of a point of the board, or of the frame around it.
    fn index(&self, (x, y): CheckPoint) -> usize {
        ((y + 1) * (self.width + 2) + x + 1) as usize
    }

    /// Whether a point is on the board and has no stone.
    pub fn is_empty(&self, (x, y): CheckPoint) -> bool {
        let is_on_board = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        is_on_board && self.stones[self.index((x, y))] == EMPTY
    }

    /// Puts a stone on a point of the board.
    pub fn put(&mut self, point: CheckPoint, colour: Side) {
        let index = self.index(point);
        self.stones[index] = noted(colour);
    }

    /// Takes a stone away.
    pub fn take(&mut self, point: CheckPoint) {
        let index = self.index(point);
        self.stones[index] = EMPTY;
    }

    /// The stones by rows, which tell positions apart.
    pub fn key(&self) -> Vec<u8> {
        self.stones.clone()
    }

    /// The points without a stone.
    pub fn empty_points(&self) -> Vec<CheckPoint> {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        all.filter(|&point| self.is_empty(point)).collect()
    }

    /// Whether a stone of a colour on an empty point makes a row that wins.
    pub fn wins_at(&self, point: CheckPoint, colour: Side) -> bool {
        if !self.is_empty(point) {
            return false;
        }
        let (index, own, line) = (self.index(point), noted(colour), self.width + 2);
        WAYS.iter().any(|&(dx, dy)| {
            let step = (dy * line + dx) as isize;
            let run = |step: isize| {
                let (mut at, mut row) = (index.wrapping_add_signed(step), 0);
                while self.stones[at] == own {
                    (at, row) = (at.wrapping_add_signed(step), row + 1);
                }
                row
            };
            let row = 1 + run(step) + run(-step);
            row == self.win || self.longer && row > self.win
        })
    }

    /// All points where a colour makes a row that wins.
    pub fn completions(&self, colour: Side) -> Vec<CheckPoint> {
        self.empty_points().into_iter().filter(|&point| self.wins_at(point, colour)).collect()
    }

    /// Those of them that lie in a line with a point, less than a row away.
    pub fn completions_in_line(&self, (x, y): CheckPoint, colour: Side) -> Vec<CheckPoint> {
        let mut found = Vec::new();
        for (dx, dy) in WAYS {
            for n in (1 - self.win..self.win).filter(|&n| n != 0) {
                let point = (x + n * dx, y + n * dy);
                if self.wins_at(point, colour) && !found.contains(&point) {
                    found.push(point);
                }
            }
        }
        found
    }

    /// Whether the attacker, who is to move, wins by these moves of both sides: each of its moves leaves the defender
    /// one answer at most, until there are two points to answer on, or the row is made. `threatened` are the points
    /// where the defender could make its own row now.
    pub fn wins_by_fours(&mut self, attacker: Side, line: &[CheckPoint], threatened: Vec<CheckPoint>) -> bool {
        let mut put = Vec::new();
        let wins = self.follow_fours(attacker, line, threatened, &mut put);
        put.into_iter().for_each(|point| self.take(point));
        wins
    }

    fn follow_fours(
        &mut self,
        attacker: Side,
        line: &[CheckPoint],
        mut threatened: Vec<CheckPoint>,
        put: &mut Vec<CheckPoint>,
    ) -> bool {
        let defender = attacker.other();
        for pair in line.chunks(2) {
            let four = pair[0];
            if !self.is_empty(four) {
                return false;
            }
            if self.wins_at(four, attacker) {
                return true;
            }
            if threatened.iter().any(|&point| point != four) {
                return false;
            }
            self.put(four, attacker);
            put.push(four);
            match self.completions_in_line(four, attacker).as_slice() {
                [] => return false,
                // The defender has no row to make, and one stone does not stop two.
                [_, _, ..] => return true,
                &[answer] => {
                    if pair.get(1) != Some(&answer) {
                        return false;
                    }
                    self.put(answer, defender);
                    put.push(answer);
                    threatened = self.completions_in_line(answer, defender);
                }
            }
        }
        false
    }
}
