//! A second implementation of the rules, slow and simple, to check the first: cells in a list, moves by walking.

/// A disc or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// No disc lies here.
    Empty,
    /// A black disc.
    Black,
    /// A white disc.
    White,
}

/// A position as a list of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveReversi {
    /// Cells by rows from the top, columns from the left.
    pub rows: Vec<Vec<Cell>>,
    /// The colour to move: black or white.
    pub to_move: Cell,
}

impl NaiveReversi {
    /// The start position; the four discs lie crosswise, or side by side if `alternative`.
    pub fn new(width: usize, height: usize, alternative: bool) -> NaiveReversi {
        let mut rows = vec![vec![Cell::Empty; width]; height];
        let (x, y) = ((width - 1) / 2, (height - 1) / 2);
        rows[y][x] = Cell::White;
        rows[y][x + 1] = if alternative { Cell::White } else { Cell::Black };
        rows[y + 1][x] = Cell::Black;
        rows[y + 1][x + 1] = if alternative { Cell::Black } else { Cell::White };
        NaiveReversi { rows, to_move: Cell::Black }
    }

    fn other(colour: Cell) -> Cell {
        match colour {
            Cell::Black => Cell::White,
            Cell::White => Cell::Black,
            Cell::Empty => Cell::Empty,
        }
    }

    fn at(&self, x: i32, y: i32) -> Option<Cell> {
        self.rows.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
    }

    /// The cells, as column and row, that `colour` would flip from an empty cell.
    pub fn flipped(&self, colour: Cell, x: usize, y: usize) -> Vec<(usize, usize)> {
        let mut flipped = Vec::new();
        if self.rows[y][x] != Cell::Empty {
            return flipped;
        }
        for dy in -1..=1 {
            for dx in -1..=1 {
                let mut run = Vec::new();
                let (mut cx, mut cy) = (x as i32 + dx, y as i32 + dy);
                while (dx, dy) != (0, 0) && self.at(cx, cy) == Some(Self::other(colour)) {
                    run.push((cx as usize, cy as usize));
                    cx += dx;
                    cy += dy;
                }
                if self.at(cx, cy) == Some(colour) {
                    flipped.append(&mut run);
                }
            }
        }
        flipped
    }

    /// Where `colour` may put a disc, by rows.
    pub fn placements(&self, colour: Cell) -> Vec<(usize, usize)> {
        let cells = (0..self.rows.len()).flat_map(|y| (0..self.rows[y].len()).map(move |x| (x, y)));
        cells.filter(|&(x, y)| !self.flipped(colour, x, y).is_empty()).collect()
    }

    /// The legal moves, `None` being a pass; empty if the game is over.
    pub fn moves(&self) -> Vec<Option<(usize, usize)>> {
        let own = self.placements(self.to_move);
        match own.is_empty() {
            false => own.into_iter().map(Some).collect(),
            true if self.placements(Self::other(self.to_move)).is_empty() => Vec::new(),
            true => vec![None],
        }
    }

    /// The position after a move.
    pub fn after(&self, m: Option<(usize, usize)>) -> NaiveReversi {
        let mut next = self.clone();
        if let Some((x, y)) = m {
            for (fx, fy) in self.flipped(self.to_move, x, y) {
                next.rows[fy][fx] = self.to_move;
            }
            next.rows[y][x] = self.to_move;
        }
        next.to_move = Self::other(self.to_move);
        next
    }

    /// Black discs less white ones.
    pub fn difference(&self) -> i32 {
        let count = |colour| self.rows.iter().flatten().filter(|&&cell| cell == colour).count() as i32;
        count(Cell::Black) - count(Cell::White)
    }

    /// The value for black with best play, by trying everything.
    pub fn solve(&self) -> i32 {
        let values = self.moves().into_iter().map(|m| self.after(m).solve());
        let best = if self.to_move == Cell::Black { values.max() } else { values.min() };
        best.unwrap_or_else(|| self.difference())
    }

    /// Positions after `depth` moves, a pass being one and a finished game being counted once.
    pub fn perft(&self, depth: u32) -> u64 {
        let moves = self.moves();
        if depth == 0 || moves.is_empty() {
            return 1;
        }
        moves.into_iter().map(|m| self.after(m).perft(depth - 1)).sum()
    }
}
