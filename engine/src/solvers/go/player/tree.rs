//! The tree of the search: its nodes with the moves from each, and what was found of them.
//!
//! Moves are chosen by the mean of their playouts and, while there are few, of all playouts in which the side made
//! the move at any later time (rapid action value estimation; S. Gelly and D. Silver, "Combining online and offline
//! knowledge in UCT", 2007). The latter counts for less the more playouts of its own a move has.

/// Of how many playouts of its own the mean is worth as much as that of all with the move.
const EQUAL: f32 = 3000.0;
/// How many playouts with the move its first look is worth.
const FIRST_LOOK: f32 = 12.0;
/// How much is added for moves with few playouts.
const CURIOSITY: f32 = 0.05;

/// A move from a node.
#[derive(Debug, Clone, Copy)]
pub struct UctEdge<M> {
    /// The move itself, as the game has it.
    pub m: M,
    /// The number of its point on the board of playouts; 0 is a pass.
    pub point: u16,
    /// The node that it leads to; 0 is none yet, since it is the root.
    pub child: u32,
    /// Playouts through it.
    pub visits: u32,
    /// The sum of what they were worth to the side that makes the move, 0 to 1 each.
    pub worth: f32,
    /// The sum of their scores for that side, in points.
    pub score: f32,
    /// Playouts in which the side made the move later, and the sum of what they were worth.
    later: f32,
    later_worth: f32,
}

impl<M> UctEdge<M> {
    /// A move without playouts that looks so promising, from -1 to 1.
    pub fn new(m: M, point: u16, promise: f32) -> UctEdge<M> {
        let later_worth = FIRST_LOOK * (0.5 + 0.4 * promise);
        UctEdge { m, point, child: 0, visits: 0, worth: 0.0, score: 0.0, later: FIRST_LOOK, later_worth }
    }

    /// Takes in a playout in which the side made the move later.
    #[inline]
    pub fn add_later(&mut self, worth: f32) {
        self.later += 1.0;
        self.later_worth += worth;
    }

    /// The mean worth of its playouts; half if there are none.
    pub fn mean(&self) -> f32 {
        if self.visits == 0 { 0.5 } else { self.worth / self.visits as f32 }
    }

    /// The mean score of its playouts, in points.
    pub fn mean_score(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { self.score / self.visits as f32 }
    }

    #[inline]
    fn rank(&self, log: f32) -> f32 {
        let visits = self.visits as f32;
        let part = self.later / (self.later + visits + self.later * visits / EQUAL);
        let own = if self.visits == 0 { 0.0 } else { self.worth / visits };
        let curiosity = CURIOSITY * (log / (visits + 1.0)).sqrt();
        part * self.later_worth / self.later + (1.0 - part) * own + curiosity
    }
}

/// A node: where its moves are among all.
#[derive(Debug, Clone, Copy, Default)]
struct UctNode {
    first: u32,
    count: u32,
    visits: u32,
}

/// The tree; node 0 is the root.
#[derive(Debug)]
pub struct UctTree<M> {
    nodes: Vec<UctNode>,
    edges: Vec<UctEdge<M>>,
    most: usize,
}

impl<M: Copy> UctTree<M> {
    /// An empty tree that takes so many bytes at most, about.
    pub fn new(bytes: u64) -> UctTree<M> {
        let most = bytes / size_of::<UctEdge<M>>() as u64;
        UctTree { nodes: Vec::new(), edges: Vec::new(), most: most.min(u64::from(u32::MAX / 2)) as usize }
    }

    /// Takes all nodes out.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Adds a node with these moves; nothing if there is no room, but for the root.
    pub fn add(&mut self, edges: impl Iterator<Item = UctEdge<M>>) -> Option<u32> {
        if !self.nodes.is_empty() && self.edges.len() >= self.most {
            return None;
        }
        let first = self.edges.len();
        self.edges.extend(edges);
        self.nodes.push(UctNode { first: first as u32, count: (self.edges.len() - first) as u32, visits: 0 });
        Some(self.nodes.len() as u32 - 1)
    }

    /// The moves of a node.
    pub fn edges(&self, node: u32) -> &[UctEdge<M>] {
        let UctNode { first, count, .. } = self.nodes[node as usize];
        &self.edges[first as usize..(first + count) as usize]
    }

    /// The same, to be changed.
    pub fn edges_mut(&mut self, node: u32) -> &mut [UctEdge<M>] {
        let UctNode { first, count, .. } = self.nodes[node as usize];
        &mut self.edges[first as usize..(first + count) as usize]
    }

    /// The place of the move of a node that is to be tried next; counts a visit of the node.
    pub fn choose(&mut self, node: u32) -> usize {
        let visits = &mut self.nodes[node as usize].visits;
        *visits += 1;
        let log = (*visits as f32).ln();
        let ranks = self.edges(node).iter().map(|edge| edge.rank(log));
        let mut best = (0, f32::NEG_INFINITY);
        for (i, rank) in ranks.enumerate() {
            if rank > best.1 {
                best = (i, rank);
            }
        }
        best.0
    }
}
