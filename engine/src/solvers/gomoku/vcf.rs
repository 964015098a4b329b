//! Victory by continuous fours (VCF), exactly: is there one, and how many moves does the shortest take?
//!
//! Every move of the attacker makes a four, so the defender has to answer on the point that completes it, unless it
//! has a row of its own to complete. The play is therefore a choice of the attacker alone, and the shortest victory
//! is found breadth first: positions are visited in the order of the number of moves, each once. Whoever plays in
//! another order comes to the same stones after as many moves, so equal positions are always on the same layer, and
//! what has been visited needs no depth. Nothing is cut off, so the end of the search without a victory is a proof.
//!
//! What has to be heeded:
//! - An answer of the defender may make a four. Then the attacker's next move has to be on the point that completes
//!   it, and has to make a four nevertheless; against two such points there is none.
//! - Where longer rows win nothing, a stone next to a four spoils it, and a point that makes the row too long need
//!   not be answered. The windows ([`super::windows`]) know that.
//! - In renju black may not make its four on a forbidden point, and white wins if the point that black has to answer
//!   on is forbidden.

use super::windows::{OpenWindow, WindowBoard, WindowTable};
use crate::core::game::{Game, Side};
use crate::games::gomoku::board::{GomokuBoard, POINTS};
use crate::games::gomoku::position::{GomokuPosition, stone_hash};
use crate::games::gomoku::renju::RenjuStones;
use crate::games::gomoku::rules::RowRule;
use crate::solvers::monitor::{Monitor, Stopped};

/// Positions between two reports of the search.
const REPORT: u64 = 1024;
/// In place of a position: none.
const NOBODY: u32 = u32::MAX;

/// A victory by continuous fours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VcfWin {
    /// Moves of the attacker, the one that completes the row included. No victory takes fewer.
    pub length: u32,
    /// Its line: moves of both sides. It ends early where the defender may not answer at all, as in renju.
    pub line: Vec<u16>,
}

/// The points of a line of continuous fours where the defender may answer. Its last two points complete the same
/// four, so the defender may choose between them.
pub fn answers_of(line: &[u16]) -> impl Iterator<Item = u16> + '_ {
    let is_answer = |i: usize| i % 2 == 1 || i + 1 == line.len();
    line.iter().enumerate().filter(move |&(i, _)| is_answer(i)).map(|(_, &point)| point)
}

/// A position that is to be visited: the one before it, the attacker's four, the defender's answer.
#[derive(Debug, Clone, Copy)]
struct VcfNode {
    hash: u64,
    parent: u32,
    depth: u16,
    four: u16,
    answer: u16,
    /// The attacker's threes: where they begin and end in the list of all threes at its depth.
    threes: (u32, u32),
}

/// The search. Its memory serves for one position after another.
#[derive(Debug)]
pub struct VcfSearch<'a> {
    table: &'a WindowTable,
    nodes: Vec<VcfNode>,
    seen: Seen,
    /// For each point the completion of the four that it makes, if the stamp is the current one.
    makes: Box<[(u32, u16); POINTS]>,
    stamp: u32,
    /// The fours of the position that is looked at.
    moves: Vec<u16>,
    /// The attacker's threes of the positions at the depth that is looked at, and of those one deeper.
    threes: Vec<OpenWindow>,
    deeper: Vec<OpenWindow>,
    path: VcfPath,
    visited: u64,
}

/// What a search with a limit has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VcfAnswer {
    /// The shortest victory.
    Win(VcfWin),
    /// There is none.
    NoWin,
    /// The limit was reached before it was known.
    Unknown,
}

/// The board while it is searched.
struct VcfBoard<'b, 'w> {
    windows: &'b mut WindowBoard<'w>,
    renju: Option<Box<RenjuStones>>,
    board: GomokuBoard,
    attacker: Side,
    path: &'b mut VcfPath,
}

/// How the stones of a node come on the board.
#[derive(Debug, Default)]
struct VcfPath {
    /// The nodes whose moves are on the board.
    played: Vec<u32>,
    /// The nodes whose moves are to come.
    to_come: Vec<u32>,
}

impl VcfBoard<'_, '_> {
    fn put(&mut self, point: u16, colour: Side) {
        self.windows.toggle(point, colour);
        if let Some(renju) = &mut self.renju {
            renju.toggle(self.board.place(point), colour);
        }
    }

    fn take(&mut self, point: u16, colour: Side) {
        self.windows.toggle(point, colour);
        if let Some(renju) = &mut self.renju {
            renju.toggle(self.board.place(point), colour);
        }
    }

    /// Whether a colour may not play on an empty point.
    fn is_forbidden(&mut self, point: u16, colour: Side) -> bool {
        let place = self.board.place(point);
        colour == Side::First && self.renju.as_mut().is_some_and(|renju| renju.is_forbidden(place))
    }

    /// Whether the defender may not answer on a point once the attacker has made its four.
    fn cannot_answer(&mut self, four: u16, answer: u16) -> bool {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        if self.renju.is_none() || defender == Side::Second {
            return false;
        }
        self.put(four, attacker);
        let forbidden = self.is_forbidden(answer, defender);
        self.take(four, attacker);
        forbidden
    }

    /// Puts the moves of a node on the board, and takes those of others away.
    fn go_to(&mut self, nodes: &[VcfNode], node: u32) {
        let (attacker, defender) = (self.attacker, self.attacker.other());
        let mut at = node;
        self.path.to_come.clear();
        while at != NOBODY {
            let depth = usize::from(nodes[at as usize].depth);
            if self.path.played.get(depth.wrapping_sub(1)) == Some(&at) {
                break;
            }
            self.path.to_come.push(at);
            at = nodes[at as usize].parent;
        }
        let common = if at == NOBODY { 0 } else { usize::from(nodes[at as usize].depth) };
        while self.path.played.len() > common {
            let Some(last) = self.path.played.pop() else { break };
            let VcfNode { four, answer, .. } = nodes[last as usize];
            self.take(answer, defender);
            self.take(four, attacker);
        }
        while let Some(next) = self.path.to_come.pop() {
            let VcfNode { four, answer, .. } = nodes[next as usize];
            self.put(four, attacker);
            self.put(answer, defender);
            self.path.played.push(next);
        }
    }
}

/// What a position comes to.
enum Expanded {
    /// The attacker wins: by this four, which the defender cannot answer, or can answer on this point in vain.
    Win(u16, Option<[u16; 2]>),
    /// Its successors are to be visited.
    Open,
}

impl<'a> VcfSearch<'a> {
    /// A search on the windows of a board.
    pub fn new(table: &'a WindowTable) -> VcfSearch<'a> {
        let makes = Box::new([(0, 0); POINTS]);
        VcfSearch {
            table,
            nodes: Vec::new(),
            seen: Seen::default(),
            makes,
            stamp: 0,
            moves: Vec::new(),
            threes: Vec::new(),
            deeper: Vec::new(),
            path: VcfPath::default(),
            visited: 0,
        }
    }

    /// Positions visited so far, in all searches.
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// The shortest victory of the side to move; `None` if there is none. The position has the board and the rules of
    /// the windows.
    ///
    /// # Errors
    /// The search was stopped.
    pub fn search(&mut self, position: &GomokuPosition, monitor: &Monitor) -> Result<Option<VcfWin>, Stopped> {
        let mut windows = WindowBoard::new(self.table, position);
        match self.run(position, &mut windows, usize::MAX, Some(monitor))? {
            VcfAnswer::Win(win) => Ok(Some(win)),
            VcfAnswer::NoWin | VcfAnswer::Unknown => Ok(None),
        }
    }

    /// The same on windows that are kept already, and with a limit of the positions that are visited. The windows are
    /// afterwards what they were.
    pub fn search_on(&mut self, position: &GomokuPosition, windows: &mut WindowBoard<'_>, limit: usize) -> VcfAnswer {
        // Without a monitor nothing stops it.
        self.run(position, windows, limit, None).unwrap_or(VcfAnswer::Unknown)
    }

    /// The same for stones that are kept as windows alone. In renju the stones are given once more; no row wins yet.
    pub fn search_stones(
        &mut self,
        attacker: Side,
        windows: &mut WindowBoard<'_>,
        renju: Option<&RenjuStones>,
        limit: usize,
    ) -> VcfAnswer {
        self.run_on(attacker, windows, renju, limit, None).unwrap_or(VcfAnswer::Unknown)
    }

    fn run(
        &mut self,
        position: &GomokuPosition,
        windows: &mut WindowBoard<'_>,
        limit: usize,
        monitor: Option<&Monitor>,
    ) -> Result<VcfAnswer, Stopped> {
        if position.winner().is_some() {
            return Ok(VcfAnswer::NoWin);
        }
        let renju = (position.rules().rule() == RowRule::Renju)
            .then(|| RenjuStones::new(position.board(), position.lines(Side::First), position.lines(Side::Second)));
        self.run_on(position.side(), windows, renju.as_ref(), limit, monitor)
    }

    fn run_on(
        &mut self,
        attacker: Side,
        windows: &mut WindowBoard<'_>,
        renju: Option<&RenjuStones>,
        limit: usize,
        monitor: Option<&Monitor>,
    ) -> Result<VcfAnswer, Stopped> {
        if let [Some(point), _] = windows.completions(attacker) {
            return Ok(VcfAnswer::Win(VcfWin { length: 1, line: vec![point] }));
        }
        if windows.threes(attacker).is_empty() {
            return Ok(VcfAnswer::NoWin);
        }
        let renju = renju.map(|renju| Box::new(renju.clone()));
        // It is given back at the end, empty as it came.
        let mut path = std::mem::take(&mut self.path);
        let mut board = VcfBoard { windows, renju, board: self.table.board(), attacker, path: &mut path };
        self.seen.clear(self.nodes.drain(..).map(|node| node.hash));
        let (mut at, mut told) = (NOBODY, 0u64);
        let answer = loop {
            board.go_to(&self.nodes, at);
            if let Expanded::Win(four, answers) = self.expand(&mut board, at) {
                break Ok(VcfAnswer::Win(self.win(at, four, answers)));
            }
            // The next in order; the first comes after the root.
            let depth = self.nodes.get(at as usize).map_or(0, |node| node.depth);
            at = at.wrapping_add(1);
            told += 1;
            let Some(next) = self.nodes.get(at as usize) else { break Ok(VcfAnswer::NoWin) };
            if next.depth > depth {
                std::mem::swap(&mut self.threes, &mut self.deeper);
                self.deeper.clear();
            }
            if at as usize >= limit {
                break Ok(VcfAnswer::Unknown);
            }
            if told == REPORT {
                if let Some(Err(stopped)) = monitor.map(|monitor| monitor.report(told)) {
                    break Err(stopped);
                }
                told = 0;
            }
        };
        board.go_to(&self.nodes, NOBODY);
        self.path = path;
        // A search that is at its end answers, even if a stop comes this late.
        let _ = monitor.map(|monitor| monitor.report(told));
        answer
    }

    /// Looks for a victory with the next four, and appends the positions after all others.
    fn expand(&mut self, board: &mut VcfBoard, node: u32) -> Expanded {
        self.visited += 1;
        let (attacker, defender) = (board.attacker, board.attacker.other());
        // Later ones come from the defender's last answer: the attacker played on the point of one before that.
        let threats = match self.nodes.get(node as usize) {
            Some(node) => board.windows.completions_of(defender, node.answer),
            None => board.windows.completions(defender),
        };
        let only = match threats {
            [None, _] => None,
            [only, None] => only,
            [Some(_), Some(_)] => return Expanded::Open,
        };
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.makes.fill((0, 0));
            self.stamp = 1;
        }
        let (hash, depth, (from, to)) = match self.nodes.get(node as usize) {
            Some(node) => (node.hash, node.depth, node.threes),
            None => {
                self.threes.clear();
                self.deeper.clear();
                self.threes.extend_from_slice(board.windows.threes(attacker));
                // With a limit, what is found depends on the order; that must not depend on how the stones came.
                self.threes.sort_unstable();
                (0, 0, (0, self.threes.len() as u32))
            }
        };
        let threes = &self.threes[from as usize..to as usize];
        let (stamp, makes, moves) = (self.stamp, &mut self.makes, &mut self.moves);
        moves.clear();
        let mut twice = None;
        let renju = board.renju.is_some();
        let mut doubles = Vec::new();
        for &OpenWindow { empty: [one, other], .. } in threes {
            for (four, answer) in [(one, other), (other, one)] {
                if only.is_some_and(|only| only != four) {
                    continue;
                }
                let made = &mut makes[usize::from(four)];
                if made.0 != stamp {
                    *made = (stamp, answer);
                    moves.push(four);
                } else if made.1 != answer {
                    twice = twice.or(Some((four, [made.1, answer])));
                    if renju {
                        doubles.push((four, [made.1, answer]));
                    }
                }
            }
        }
        if renju {
            twice = doubles.into_iter().find(|&(four, _)| !board.is_forbidden(four, attacker));
        }
        if let Some((four, answers)) = twice {
            return Expanded::Win(four, Some(answers));
        }
        for &four in &self.moves {
            let answer = self.makes[usize::from(four)].1;
            if renju && board.is_forbidden(four, attacker) {
                continue;
            }
            if board.cannot_answer(four, answer) {
                return Expanded::Win(four, None);
            }
            let hash = hash ^ stone_hash(attacker, four) ^ stone_hash(defender, answer);
            if self.seen.has(hash) {
                continue;
            }
            let first = self.deeper.len();
            let stays = |three: &&OpenWindow| !(three.lacks(four) | three.lacks(answer) | three.is_spoilt_by(four));
            self.deeper.extend(threes.iter().filter(stays));
            board.windows.threes_after(attacker, four, Some(answer), |three| self.deeper.push(three));
            // Without a three the attacker has no four afterwards.
            if self.deeper.len() > first {
                self.seen.insert(hash);
                let threes = (first as u32, self.deeper.len() as u32);
                self.nodes.push(VcfNode { hash, parent: node, depth: depth + 1, four, answer, threes });
            }
        }
        Expanded::Open
    }

    /// The victory by a four in the position of a node.
    fn win(&self, node: u32, four: u16, answers: Option<[u16; 2]>) -> VcfWin {
        let (mut line, mut at) = (Vec::new(), node);
        while let Some(node) = self.nodes.get(at as usize) {
            line.extend([node.answer, node.four]);
            at = node.parent;
        }
        line.reverse();
        let length = line.len() as u32 / 2 + 2;
        line.push(four);
        line.extend(answers.into_iter().flatten());
        VcfWin { length, line }
    }
}

/// A set of hashes. 0 stands for an empty place, and is kept apart.
#[derive(Debug, Default)]
struct Seen {
    places: Vec<u64>,
    /// As many places as are in use now, a power of two.
    size: usize,
    count: usize,
    zero: bool,
}

/// Places of a new set.
const FIRST_SIZE: usize = 1 << 9;

impl Seen {
    /// Empties the set of the hashes that it has. Where there are few, the places of the others are not written.
    fn clear(&mut self, hashes: impl Iterator<Item = u64>) {
        if self.size == FIRST_SIZE && self.count < FIRST_SIZE / 8 {
            let mask = self.size - 1;
            for hash in hashes {
                let mut at = hash as usize & mask;
                while self.places[at] != 0 {
                    self.places[at] = 0;
                    at = (at + 1) & mask;
                }
            }
        } else {
            self.resize(FIRST_SIZE);
        }
        (self.count, self.zero) = (0, false);
    }

    fn resize(&mut self, size: usize) {
        self.size = size;
        self.places.clear();
        self.places.resize(size, 0);
    }

    /// Whether a hash is in the set.
    #[inline]
    fn has(&self, hash: u64) -> bool {
        if hash == 0 {
            return self.zero;
        }
        let mask = self.size - 1;
        let mut at = hash as usize & mask;
        while self.places[at] != 0 && self.places[at] != hash {
            at = (at + 1) & mask;
        }
        self.places[at] == hash
    }

    /// Inserts a hash; whether it is new.
    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        if hash == 0 {
            return !std::mem::replace(&mut self.zero, true);
        }
        let mask = self.size - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.places[at] {
                0 => break,
                other if other == hash => return false,
                _ => at = (at + 1) & mask,
            }
        }
        self.places[at] = hash;
        self.count += 1;
        if 2 * self.count > self.size {
            let old = std::mem::take(&mut self.places);
            self.resize(2 * old.len());
            let mask = self.size - 1;
            for hash in old.into_iter().filter(|&hash| hash != 0) {
                let mut at = hash as usize & mask;
                while self.places[at] != 0 {
                    at = (at + 1) & mask;
                }
                self.places[at] = hash;
            }
        }
        true
    }
}
