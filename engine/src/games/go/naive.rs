//! A second implementation of the rules, slow and simple, to check the first: points in a list, chains by walking.

use super::rules::Ko;

/// A stone or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NaivePoint {
    /// No stone lies here.
    Empty,
    /// A black stone.
    Black,
    /// A white stone.
    White,
}

/// A position as a list of rows, with all that were before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveGo {
    /// Points by rows from the top, columns from the left.
    pub rows: Vec<Vec<NaivePoint>>,
    /// The colour to move: black or white.
    pub to_move: NaivePoint,
    /// Passes in a row just before.
    pub passes: u32,
    /// The point, as column and row, that was just vacated by a capture of one stone by one stone in atari.
    pub ko: Option<(usize, usize)>,
    ko_rule: Ko,
    suicide: bool,
    /// Everything that was there before, the latest last: rows, colour to move, passes, ko.
    past: Vec<Situation>,
}

type Situation = (Vec<Vec<NaivePoint>>, NaivePoint, u32, Option<(usize, usize)>);
/// Points as column and row.
type Places = Vec<(usize, usize)>;

impl NaiveGo {
    /// The empty board.
    pub fn new(width: usize, height: usize, ko_rule: Ko, suicide: bool) -> NaiveGo {
        let rows = vec![vec![NaivePoint::Empty; width]; height];
        NaiveGo { rows, to_move: NaivePoint::Black, passes: 0, ko: None, ko_rule, suicide, past: Vec::new() }
    }

    fn other(colour: NaivePoint) -> NaivePoint {
        match colour {
            NaivePoint::Black => NaivePoint::White,
            NaivePoint::White => NaivePoint::Black,
            NaivePoint::Empty => NaivePoint::Empty,
        }
    }

    fn around(&self, (x, y): (usize, usize)) -> Vec<(usize, usize)> {
        let steps = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        steps.into_iter().filter(|&(x, y)| self.rows.get(y).is_some_and(|row| x < row.len())).collect()
    }

    /// The points connected to one by points of the same content, and all points next to them.
    fn connected(&self, start: (usize, usize)) -> (Places, Places) {
        let content = self.rows[start.1][start.0];
        let (mut inside, mut border, mut i) = (vec![start], Vec::new(), 0);
        while i < inside.len() {
            for next in self.around(inside[i]) {
                let list = if self.rows[next.1][next.0] == content { &mut inside } else { &mut border };
                if !list.contains(&next) {
                    list.push(next);
                }
            }
            i += 1;
        }
        (inside, border)
    }

    fn has_liberty(&self, stone: (usize, usize)) -> bool {
        self.connected(stone).1.iter().any(|&(x, y)| self.rows[y][x] == NaivePoint::Empty)
    }

    fn remove(&mut self, stone: (usize, usize)) -> usize {
        let (chain, _) = self.connected(stone);
        chain.iter().for_each(|&(x, y)| self.rows[y][x] = NaivePoint::Empty);
        chain.len()
    }

    /// The legal moves, by rows, and `None` for a pass at the end; empty if the game is over.
    pub fn moves(&self) -> Vec<Option<(usize, usize)>> {
        if self.is_over() {
            return Vec::new();
        }
        let points = (0..self.rows.len()).flat_map(|y| (0..self.rows[y].len()).map(move |x| (x, y)));
        points.filter(|&p| self.placed(p).is_some()).map(Some).chain([None]).collect()
    }

    /// Whether the game is over: two passes, or a position that was there before (but under superko).
    pub fn is_over(&self) -> bool {
        self.passes == 2 || self.is_repeated()
    }

    /// Whether the game ended by a repetition.
    pub fn is_repeated(&self) -> bool {
        let now = (self.rows.clone(), self.to_move, self.passes, self.ko);
        self.ko_rule != Ko::Superko && self.past.contains(&now)
    }

    /// The position after a stone, if it is legal.
    fn placed(&self, point: (usize, usize)) -> Option<NaiveGo> {
        let (x, y) = point;
        if self.rows[y][x] != NaivePoint::Empty || self.ko == Some(point) {
            return None;
        }
        let mut next = self.following(0);
        next.rows[y][x] = self.to_move;
        let mut captured = Vec::new();
        for near in self.around(point) {
            if next.rows[near.1][near.0] == Self::other(self.to_move) && !next.has_liberty(near) {
                let before = next.rows.clone();
                next.remove(near);
                for (cy, row) in before.iter().enumerate() {
                    captured.extend((0..row.len()).filter(|&cx| row[cx] != next.rows[cy][cx]).map(|cx| (cx, cy)));
                }
            }
        }
        if !next.has_liberty(point) && (next.remove(point) == 1 || !self.suicide) {
            return None;
        }
        let (chain, border) = next.connected(point);
        let liberties = border.iter().filter(|&&(x, y)| next.rows[y][x] == NaivePoint::Empty).count();
        if let ([taken], [_], 1, Ko::Basic) = (&captured[..], &chain[..], liberties, self.ko_rule) {
            next.ko = Some(*taken);
        }
        if self.ko_rule == Ko::Superko && next.past.iter().any(|(rows, ..)| *rows == next.rows) {
            return None;
        }
        Some(next)
    }

    fn following(&self, passes: u32) -> NaiveGo {
        let mut next = self.clone();
        next.past.push((self.rows.clone(), self.to_move, self.passes, self.ko));
        next.to_move = Self::other(self.to_move);
        (next.passes, next.ko) = (passes, None);
        next
    }

    /// The position after a move, or `None` if it is illegal.
    pub fn after(&self, m: Option<(usize, usize)>) -> Option<NaiveGo> {
        match m {
            Some(point) => self.placed(point),
            None => Some(self.following(self.passes + 1)),
        }
    }

    /// Black's area less white's.
    pub fn difference(&self) -> i32 {
        let mut sum = 0;
        for y in 0..self.rows.len() {
            for x in 0..self.rows[y].len() {
                let (_, border) = self.connected((x, y));
                let touches = |colour| border.iter().any(|&(x, y)| self.rows[y][x] == colour);
                sum += match self.rows[y][x] {
                    NaivePoint::Black => 1,
                    NaivePoint::White => -1,
                    NaivePoint::Empty => {
                        i32::from(touches(NaivePoint::Black)) - i32::from(touches(NaivePoint::White))
                    }
                };
            }
        }
        sum
    }

    /// Games of `depth` moves, one that ends before being counted once.
    pub fn perft(&self, depth: u32) -> u64 {
        let moves = self.moves();
        if depth == 0 || moves.is_empty() {
            return 1;
        }
        moves.into_iter().filter_map(|m| self.after(m)).map(|next| next.perft(depth - 1)).sum()
    }
}
