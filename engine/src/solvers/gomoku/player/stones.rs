//! The position as the search has it: line tables, windows for continuous fours, and what renju needs, in step.

use crate::core::game::{Game, Side};
use crate::games::gomoku::board::GomokuBoard;
use crate::games::gomoku::position::{GomokuPosition, stone_hash};
use crate::games::gomoku::renju::RenjuStones;
use crate::games::gomoku::rules::RowRule;
use crate::solvers::gomoku::lines::board::{LineBoard, LineTables};
use crate::solvers::gomoku::lines::codes::MoveClass;
use crate::solvers::gomoku::points::GomokuPoints;
use crate::solvers::gomoku::vcf::{VcfAnswer, VcfSearch, VcfWin, answers_of};
use crate::solvers::gomoku::windows::{WindowBoard, WindowTable};

/// Added to the hash where white is to move.
const WHITE_TO_MOVE: u64 = 0x3C6E_F372_FE94_F82B;

/// A position that is searched.
#[derive(Debug)]
pub struct SearchStones<'a> {
    /// Its line tables.
    pub lines: LineBoard<'a>,
    windows: Option<WindowBoard<'a>>,
    /// The last move, if the line tables are without it.
    aside: Option<u16>,
    vcf: Option<VcfSearch<'a>>,
    renju: Option<RenjuStones>,
    board: GomokuBoard,
    rule: RowRule,
    side: Side,
    hash: u64,
}

impl<'a> SearchStones<'a> {
    /// A position, with the tables of its rules; windows are kept for all rules but Caro.
    pub fn new(
        tables: &'a LineTables,
        windows: Option<&'a WindowTable>,
        position: &GomokuPosition,
    ) -> SearchStones<'a> {
        let rule = position.rules().rule();
        let renju = (rule == RowRule::Renju)
            .then(|| RenjuStones::new(position.board(), position.lines(Side::First), position.lines(Side::Second)));
        SearchStones {
            lines: LineBoard::new(tables, position),
            windows: windows.map(|table| WindowBoard::new(table, position)),
            aside: None,
            vcf: windows.map(VcfSearch::new),
            renju,
            board: position.board(),
            rule,
            side: position.side(),
            hash: position.stones().fold(0, |hash, (point, colour)| hash ^ stone_hash(colour, point)),
        }
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The hash of stones and side.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash ^ if self.side == Side::First { 0 } else { WHITE_TO_MOVE }
    }

    /// The hash after the side to move puts a stone on an empty point, or passes.
    #[inline]
    pub fn hash_after(&self, point: Option<u16>) -> u64 {
        self.hash() ^ WHITE_TO_MOVE ^ point.map_or(0, |point| stone_hash(self.side, point))
    }

    /// Whether a row that wins can be answered on the point that completes it only. In Caro a stone next to it may
    /// do, too.
    #[inline]
    pub fn answers_are_sure(&self) -> bool {
        self.rule != RowRule::Caro
    }

    /// Whether the side to move may play on an empty point.
    #[inline]
    pub fn may_play(&mut self, point: u16) -> bool {
        let (side, place) = (self.side, self.board.place(point));
        side == Side::Second || self.renju.as_mut().is_none_or(|renju| !renju.is_forbidden(place))
    }

    /// The side to move puts a stone on an empty point.
    #[inline]
    pub fn play(&mut self, point: u16) {
        let side = self.side;
        self.lines.put(point, side);
        if let Some(windows) = &mut self.windows {
            windows.put(point, side);
        }
        self.toggle(point, side);
        self.side = side.other();
    }

    /// Takes back the last move.
    #[inline]
    pub fn undo(&mut self, point: u16) {
        let side = self.side.other();
        self.side = side;
        self.toggle(point, side);
        if let Some(windows) = &mut self.windows {
            windows.take(point, side);
        }
        self.lines.take(point);
    }

    /// As [`SearchStones::play`], but the line tables are left without the stone. [`SearchStones::take_back`] undoes
    /// it before anything else is played. Until then only what says so may be asked.
    #[inline]
    pub fn put_aside(&mut self, point: u16) {
        let side = self.side;
        if let Some(windows) = &mut self.windows {
            windows.put(point, side);
        }
        self.toggle(point, side);
        (self.side, self.aside) = (side.other(), Some(point));
    }

    /// Undoes [`SearchStones::put_aside`], of the same point.
    #[inline]
    pub fn take_back(&mut self, point: u16) {
        let side = self.side.other();
        (self.side, self.aside) = (side, None);
        self.toggle(point, side);
        if let Some(windows) = &mut self.windows {
            windows.take(point, side);
        }
    }

    /// The other side is to move; nothing else changes. Done twice, it is undone.
    #[inline]
    pub fn pass(&mut self) {
        self.side = self.side.other();
    }

    #[inline]
    fn toggle(&mut self, point: u16, side: Side) {
        self.hash ^= stone_hash(side, point);
        if let Some(renju) = &mut self.renju {
            renju.toggle(self.board.place(point), side);
        }
    }

    /// The first point where a colour makes a class.
    pub fn first_of(&self, colour: Side, class: MoveClass) -> Option<u16> {
        self.lines.fours(colour).find(|&(_, made)| made == class).map(|(point, _)| point)
    }

    /// Whether the other side could still make a straight four, and the side to move could complete no row, if it
    /// played on an empty point now; as far as that is told without playing. `false` says nothing.
    pub fn leaves_straight_four(&self, point: u16) -> bool {
        let enemy = self.side.other();
        // What renju forbids may change with the stone.
        self.rule != RowRule::Renju
            && self.lines.class(point, self.side) < MoveClass::Four
            && (self.lines.fours(enemy)).any(|(at, class)| {
                class == MoveClass::StraightFour && at != point && self.lines.keeps_straight_four(at, enemy, point)
            })
    }

    /// Whether a point of the board is empty, also where a stone was put aside.
    #[inline]
    pub fn is_empty(&self, point: u16) -> bool {
        self.lines.is_empty(point) && self.aside != Some(point)
    }

    /// Number of empty points, also where a stone was put aside.
    #[inline]
    pub fn empty(&self) -> u16 {
        self.lines.empty() - u16::from(self.aside.is_some())
    }

    /// The points where a colour completes a row that wins, two at most, where windows are kept:
    /// [`WindowBoard::completions`]. Also where a stone was put aside.
    #[inline]
    pub fn completions(&self, colour: Side) -> [Option<u16>; 2] {
        self.windows.as_ref().map_or([None; 2], |windows| windows.completions(colour))
    }

    /// The shortest victory of the side to move by continuous fours, if one is found in `limit` positions. Also
    /// where a stone was put aside.
    pub fn continuous_fours(&mut self, limit: usize) -> Option<VcfWin> {
        let (Some(windows), Some(vcf)) = (&mut self.windows, &mut self.vcf) else { return None };
        match vcf.search_stones(self.side, windows, self.renju.as_ref(), limit) {
            VcfAnswer::Win(win) => Some(win),
            VcfAnswer::NoWin | VcfAnswer::Unknown => None,
        }
    }

    /// The same for the other side, after the side to move has put a stone on an empty point. Not for renju.
    pub fn continuous_fours_after(&mut self, point: u16, limit: usize) -> Option<VcfWin> {
        let (Some(windows), Some(vcf)) = (&mut self.windows, &mut self.vcf) else { return None };
        windows.put(point, self.side);
        let answer = vcf.search_stones(self.side.other(), windows, None, limit);
        windows.take(point, self.side);
        match answer {
            VcfAnswer::Win(win) => Some(win),
            VcfAnswer::NoWin | VcfAnswer::Unknown => None,
        }
    }

    /// Whether continuous fours after a pass say what is to be answered. In renju a stone of the side to move can
    /// change more.
    #[inline]
    pub fn are_passes_searched(&self) -> bool {
        self.rule != RowRule::Renju && self.windows.is_some()
    }

    /// The shortest victory of the other side by continuous fours if the side to move passes, if one is found in
    /// `limit` positions. Not for renju.
    pub fn continuous_fours_after_pass(&mut self, limit: usize) -> Option<VcfWin> {
        self.side = self.side.other();
        let win = self.continuous_fours(limit);
        self.side = self.side.other();
        win
    }

    /// The points where a stone of the side to move could change the continuous fours of a line, with which the other
    /// side wins at once if the side to move passes: those of the line, and those that give the side to move a
    /// four while they are played.
    pub fn touches(&self, line: &[u16]) -> GomokuPoints {
        let mut touched: GomokuPoints = line.iter().copied().collect();
        let answers: Vec<u16> = answers_of(line).collect();
        self.points_of_fours(self.side, &answers, |point| touched.add(point));
        touched
    }

    /// The points where a colour could make a four: [`WindowBoard::points_of_fours`].
    pub fn points_of_fours(&self, colour: Side, with: &[u16], each: impl FnMut(u16)) {
        if let Some(windows) = &self.windows {
            windows.points_of_fours(colour, with, each);
        }
    }

    /// The points of windows with many stones of a colour: [`WindowBoard::points_of_windows`].
    pub fn points_of_windows(&self, colour: Side, is_in: impl Fn(u16) -> bool, least: usize, each: impl FnMut(u16)) {
        if let Some(windows) = &self.windows {
            windows.points_of_windows(colour, is_in, least, each);
        }
    }

    /// The estimate of the position for the side to move.
    #[inline]
    pub fn estimate(&mut self) -> i32 {
        self.lines.estimate(self.side)
    }

    /// The same where a stone was put aside.
    pub fn estimate_with_aside(&mut self) -> i32 {
        let Some(point) = self.aside else { return self.estimate() };
        let colour = self.side.other();
        self.lines.put(point, colour);
        let estimate = self.estimate();
        self.lines.take(point);
        estimate
    }
}
