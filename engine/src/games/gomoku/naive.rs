//! A second implementation of the rules, slow and simple, to check the first: points in a list, rows by walking,
//! renju by its definitions.

/// A stone or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stone {
    /// No stone lies here.
    Empty,
    /// A black stone.
    Black,
    /// A white stone.
    White,
}

/// Which rows win, as numbers: least and greatest length, and whether enemy stones at both ends spoil the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NaiveRules {
    /// Stones in a row that win.
    pub win: usize,
    /// Whether longer rows of black win, too.
    pub black_longer: bool,
    /// Whether longer rows of white win, too.
    pub white_longer: bool,
    /// Whether a row with enemy stones at both ends wins nothing.
    pub both_ends: bool,
    /// Whether black has forbidden points, as in renju.
    pub forbidden: bool,
}

/// A position as a list of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveGomoku {
    /// Points by rows from the top, columns from the left.
    pub rows: Vec<Vec<Stone>>,
    /// The colour to move: black or white.
    pub to_move: Stone,
    /// Which rows win, and what is forbidden.
    pub rules: NaiveRules,
}

const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

impl NaiveGomoku {
    /// The empty board.
    pub fn new(width: usize, height: usize, rules: NaiveRules) -> NaiveGomoku {
        NaiveGomoku { rows: vec![vec![Stone::Empty; width]; height], to_move: Stone::Black, rules }
    }

    fn at(&self, (x, y): (i32, i32)) -> Option<Stone> {
        self.rows.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
    }

    fn with(&self, (x, y): (i32, i32), stone: Stone) -> NaiveGomoku {
        let mut next = self.clone();
        next.rows[y as usize][x as usize] = stone;
        next
    }

    fn points(&self) -> impl Iterator<Item = (i32, i32)> {
        let (width, height) = (self.rows[0].len() as i32, self.rows.len() as i32);
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    /// The stones of the row through a stone, in one way, from its first on.
    fn row(&self, (x, y): (i32, i32), (dx, dy): (i32, i32)) -> Vec<(i32, i32)> {
        let colour = self.at((x, y));
        let (mut x, mut y) = (x, y);
        while self.at((x - dx, y - dy)) == colour {
            (x, y) = (x - dx, y - dy);
        }
        let mut row = Vec::new();
        while self.at((x, y)) == colour {
            row.push((x, y));
            (x, y) = (x + dx, y + dy);
        }
        row
    }

    /// Whether some row through a stone wins.
    fn wins_at(&self, point: (i32, i32)) -> bool {
        let Some(colour @ (Stone::Black | Stone::White)) = self.at(point) else { return false };
        let enemy = if colour == Stone::Black { Stone::White } else { Stone::Black };
        let longer = if colour == Stone::Black { self.rules.black_longer } else { self.rules.white_longer };
        WAYS.into_iter().any(|(dx, dy)| {
            let row = self.row(point, (dx, dy));
            let (first, last) = (row[0], row[row.len() - 1]);
            let long = row.len() == self.rules.win || longer && row.len() > self.rules.win;
            let blocked = self.at((first.0 - dx, first.1 - dy)) == Some(enemy)
                && self.at((last.0 + dx, last.1 + dy)) == Some(enemy);
            long && !(self.rules.both_ends && blocked)
        })
    }

    /// The colour that has a row that wins.
    pub fn winner(&self) -> Option<Stone> {
        let winning = self.points().find(|&point| self.wins_at(point))?;
        self.at(winning)
    }

    /// The legal moves by rows, as column and row; empty if the game is over.
    pub fn moves(&self) -> Vec<(usize, usize)> {
        if self.winner().is_some() {
            return Vec::new();
        }
        let empty = self.points().filter(|&point| self.at(point) == Some(Stone::Empty));
        let asked = self.rules.forbidden && self.to_move == Stone::Black;
        empty.filter(|&p| !asked || !self.is_forbidden(p)).map(|(x, y)| (x as usize, y as usize)).collect()
    }

    /// The position after a move.
    pub fn after(&self, (x, y): (usize, usize)) -> NaiveGomoku {
        let mut next = self.with((x as i32, y as i32), self.to_move);
        next.to_move = if self.to_move == Stone::Black { Stone::White } else { Stone::Black };
        next
    }

    /// Sequences of `depth` moves, a finished game being counted once.
    pub fn perft(&self, depth: u32) -> u64 {
        let moves = self.moves();
        if depth == 0 || moves.is_empty() {
            return 1;
        }
        moves.into_iter().map(|m| self.after(m).perft(depth - 1)).sum()
    }

    /// The value for the side to move with best play, by trying everything: 1, 0 or -1.
    pub fn solve(&self) -> i32 {
        let values = self.moves().into_iter().map(|m| -self.after(m).solve());
        let over = match self.winner() {
            Some(colour) if colour == self.to_move => 1,
            Some(_) => -1,
            None => 0,
        };
        values.max().unwrap_or(over)
    }

    /// Whether renju forbids black an empty point: by the definitions.
    pub fn is_forbidden(&self, point: (i32, i32)) -> bool {
        let with = self.with(point, Stone::Black);
        if WAYS.into_iter().any(|way| with.row(point, way).len() == 5) {
            return false;
        }
        WAYS.into_iter().any(|way| with.row(point, way).len() > 5)
            || WAYS.into_iter().map(|way| with.fours(point, way).len()).sum::<usize>() >= 2
            || WAYS.into_iter().filter(|&way| with.is_three(point, way)).count() >= 2
    }

    /// All fours on a line that a stone belongs to: the sets of four stones that one more makes exactly five.
    fn fours(&self, (x, y): (i32, i32), (dx, dy): (i32, i32)) -> Vec<Vec<(i32, i32)>> {
        let mut fours = Vec::new();
        for back in 0..5 {
            let window: Vec<_> = (0..5).map(|i| (x + (i - back) * dx, y + (i - back) * dy)).collect();
            let of = |stone| window.iter().copied().filter(move |&p| self.at(p) == Some(stone)).collect::<Vec<_>>();
            let (black, empty) = (of(Stone::Black), of(Stone::Empty));
            if black.len() == 4 && empty.len() == 1 {
                let five = self.with(empty[0], Stone::Black).row(empty[0], (dx, dy));
                if five.len() == 5 && !fours.contains(&black) {
                    fours.push(black);
                }
            }
        }
        fours
    }

    /// Whether a stone belongs to a three on a line that can become a straight four at a point allowed to black.
    fn is_three(&self, point: (i32, i32), way: (i32, i32)) -> bool {
        let along = (-4..=4).map(|i| (point.0 + i * way.0, point.1 + i * way.1));
        along.filter(|&next| self.at(next) == Some(Stone::Empty)).any(|next| {
            let with = self.with(next, Stone::Black);
            let four = with.row(next, way);
            // In an unbroken row, five at one end and at the other are the same four stones.
            let ends = [
                (four[0].0 - way.0, four[0].1 - way.1),
                (four[four.len() - 1].0 + way.0, four[four.len() - 1].1 + way.1),
            ];
            let both = ends.into_iter().all(|end| {
                with.at(end) == Some(Stone::Empty) && with.with(end, Stone::Black).row(end, way).len() == 5
            });
            four.len() == 4
                && four.contains(&point)
                && both
                && WAYS.into_iter().all(|way| with.row(next, way).len() != 5)
                && !self.is_forbidden(next)
        })
    }
}
