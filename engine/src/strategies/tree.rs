//! The path of a depth-first search: the board, and for each move of the path the list of moves at its node.
//!
//! All lists lie one after another in one arena, so that entering a child allocates nothing: the child's list is
//! the parent's list filtered by collision, plus the new moves, in the order asked for. *Order-free* search ("DFS
//! without repetition") gives a child only the part of the list behind its own move: all completions that contain
//! an earlier move have been seen below that move, so each grid is visited once, whatever the order of its moves.
//! Moves that are excluded this way or as dominated are never created again: a move is created only when the last
//! missing point of its line but one is set.

use super::ordering;
use super::params::{Params, Sort};
use super::unit::{NO_MOVE, is_legal};
use super::vector::filter::{MoveFilter, filter_into};
use crate::morpion::board::Board;
use crate::morpion::dominance::is_dominated as dominated;
use crate::morpion::geometry::Move;
use crate::morpion::position::MAX_LEGAL;
use crate::morpion::start::Start;
use crate::morpion::variant::Rules;

/// The part of [`Params`] that shapes the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeOptions {
    /// Children get only the moves behind their own.
    pub order_free: bool,
    /// New moves that are dominated are dropped.
    pub eliminate: bool,
    /// Order of the list of each node.
    pub sort: Sort,
}

impl From<&Params> for TreeOptions {
    fn from(params: &Params) -> TreeOptions {
        TreeOptions { order_free: params.order_free, eliminate: params.eliminate_dominated, sort: params.sort }
    }
}

/// The list of one node: `arena[start..end]`, of which `start..stop` are tried and `next` comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeFrame {
    pub start: u32,
    pub next: u32,
    pub stop: u32,
    pub end: u32,
}

/// A path and the lists of its nodes.
pub(super) struct Tree<R> {
    board: Board<R>,
    shape: TreeOptions,
    prefix: Vec<Move>,
    arena: Box<[Move]>,
    frames: Vec<NodeFrame>,
    /// Lines played so far in each direction.
    lines: [u32; 4],
    scratch: ordering::Scratch,
    /// The path has room for so many moves.
    room: usize,
    /// A node at its end had moves left.
    cut: bool,
}

impl<R: Rules> Tree<R> {
    /// The tree below `prefix` (played from the start as far as it is legal), whose root tries `candidates` (those
    /// that are legal), or all legal moves.
    pub fn new(start: &Start, prefix: &[Move], candidates: Option<&[Move]>, shape: TreeOptions) -> Tree<R> {
        let longest = start.longest_game(R::VARIANT) as usize;
        let depth = longest + 1;
        let mut tree = Tree {
            board: start.board(),
            shape,
            prefix: Vec::new(),
            arena: vec![NO_MOVE; (depth + 1) * MAX_LEGAL].into_boxed_slice(),
            frames: Vec::with_capacity(depth + 1),
            lines: [0; 4],
            scratch: ordering::Scratch::default(),
            room: longest,
            cut: false,
        };
        for &mv in prefix {
            if tree.prefix.len() == longest || !is_legal(&tree.board, mv) {
                break;
            }
            tree.board.place(mv);
            tree.lines[mv.direction() as usize] += 1;
            tree.prefix.push(mv);
        }
        tree.room = longest - tree.prefix.len();
        let mut list = match candidates {
            Some(moves) => moves.to_vec(),
            None => tree.board.scan(),
        };
        let board = &tree.board;
        let eliminate = shape.eliminate && candidates.is_none();
        list.retain(|&mv| is_legal(board, mv) && !(eliminate && dominated(board, mv)));
        let mut end = 0;
        for mv in list {
            let known = tree.arena[..end].contains(&mv);
            if !known && end < MAX_LEGAL {
                tree.arena[end] = mv;
                end += 1;
            }
        }
        let list = &mut tree.arena[..end];
        let stop = ordering::sort::<R>(shape.sort, &mut tree.board, list, &tree.lines, &mut tree.scratch);
        tree.frames.push(NodeFrame { start: 0, next: 0, stop: stop as u32, end: end as u32 });
        tree
    }

    /// Moves played: the prefix and the path.
    #[inline(always)]
    pub fn score(&self) -> u32 {
        (self.prefix.len() + self.frames.len() - 1) as u32
    }

    /// Whether a game was not followed to its end, since it has the most moves that a path has room for. No game from
    /// the cross has.
    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The lists along the path, the root's first.
    #[inline(always)]
    pub fn frames(&self) -> &[NodeFrame] {
        &self.frames
    }

    /// The list of the root, for a walk that tries only some of it, in an order of its own.
    pub fn root_mut(&mut self) -> (&mut NodeFrame, &mut [Move]) {
        let end = self.frames[0].end as usize;
        (&mut self.frames[0], &mut self.arena[..end])
    }

    /// Whether the node's list is empty, or the path has no room for more: nothing is tried below it.
    #[inline(always)]
    pub fn at_leaf(&self) -> bool {
        self.frames.last().is_none_or(|top| top.start == top.end) || self.frames.len() > self.room
    }

    /// The moves from the start position to this node.
    pub fn moves(&self) -> Vec<Move> {
        let path = self.frames[..self.frames.len() - 1].iter();
        let path = path.map(|frame| self.arena[frame.next as usize - 1]);
        self.prefix.iter().copied().chain(path).collect()
    }

    /// The list of the node at the end of the path.
    pub fn list(&self) -> Vec<Move> {
        let top = self.frames[self.frames.len() - 1];
        self.arena[top.start as usize..top.end as usize].to_vec()
    }

    /// Plays the next move of the node's list; `false` if all have been tried.
    #[inline(always)]
    pub fn enter<L: MoveFilter>(&mut self) -> bool {
        let at = self.frames.len() - 1;
        let frame = self.frames[at];
        if frame.next == frame.stop {
            return false;
        }
        if at >= self.room {
            self.cut = true;
            return false;
        }
        self.frames[at].next += 1;
        let mv = self.arena[frame.next as usize];
        self.board.place(mv);
        let from = if self.shape.order_free { frame.next + 1 } else { frame.start };
        let (lists, free) = self.arena.split_at_mut(frame.end as usize);
        let mut n = filter_into::<R, L>(&lists[from as usize..], free, mv);
        let kept = n;
        let (eliminate, board) = (self.shape.eliminate, &self.board);
        board.moves_through(mv.point(), |new| {
            if !(eliminate && dominated(board, new)) {
                free[n] = new;
                n += 1;
            }
        });
        let mut stop = n;
        match self.shape.sort {
            Sort::No => {}
            Sort::Coords => ordering::insert_by_coords(&mut free[..n], kept),
            sort => {
                self.lines[mv.direction() as usize] += 1;
                stop = ordering::sort::<R>(sort, &mut self.board, &mut free[..n], &self.lines, &mut self.scratch);
            }
        }
        let start = frame.end;
        self.frames.push(NodeFrame { start, next: start, stop: start + stop as u32, end: start + n as u32 });
        true
    }

    /// Takes back the last move of the path; `false` at the root.
    #[inline(always)]
    pub fn leave(&mut self) -> bool {
        if self.frames.len() == 1 {
            return false;
        }
        self.frames.pop();
        let frame = self.frames[self.frames.len() - 1];
        let mv = self.arena[frame.next as usize - 1];
        self.board.lift(mv);
        if !matches!(self.shape.sort, Sort::No | Sort::Coords) {
            self.lines[mv.direction() as usize] -= 1;
        }
        true
    }

    /// Sorts the list of the node at the end of the path, of which nothing has been tried yet, from scratch: needed
    /// after the parent's list has been given an order of its own.
    pub fn sort_again(&mut self) {
        let frame = self.frames[self.frames.len() - 1];
        let list = &mut self.arena[frame.start as usize..frame.end as usize];
        ordering::sort::<R>(self.shape.sort, &mut self.board, list, &self.lines, &mut self.scratch);
    }

    /// Makes move number `index` of the node's list the next one.
    ///
    /// Returns `false`, and changes nothing, if no such move is tried here.
    pub fn seek(&mut self, index: u32) -> bool {
        let at = self.frames.len() - 1;
        let frame = &mut self.frames[at];
        let valid = index <= frame.stop - frame.start;
        if valid {
            frame.next = frame.start + index;
        }
        valid
    }
}
