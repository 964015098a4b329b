//! Hashes of boards that all symmetric boards share (A. L. Zobrist 1970): one hash per symmetry, each a sum of random
//! numbers over the stones; the least of them counts. A stone that comes or goes changes all eight at once, in one
//! vector.

use crate::core::seed::derive;
use crate::games::go::board::GoBoard;
use crate::games::go::symmetry;

/// The hashes of a board carried by each symmetry; boards that are not squares have four of them twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Images([u64; 8]);

impl Images {
    /// Of the empty board.
    pub const EMPTY: Images = Images([0; 8]);

    /// The least of the hashes, and the symmetry that it is of.
    #[inline(always)]
    pub fn least(&self) -> (u64, u8) {
        let (mut least, mut at) = (self.0[0], 0);
        for (i, &hash) in self.0.iter().enumerate().skip(1) {
            if hash < least {
                (least, at) = (hash, i as u8);
            }
        }
        (least, at)
    }

    /// The hash of the board carried by a symmetry.
    #[inline(always)]
    pub fn of(&self, symmetry: u8) -> u64 {
        self.0[usize::from(symmetry) % 8]
    }

    /// Takes a board into a set of boards, the hash of which does not depend on their order.
    #[inline(always)]
    pub fn add(&mut self, board: &Images) {
        for (sum, hash) in self.0.iter_mut().zip(board.0) {
            // Boards are sums of random numbers themselves; these must not cancel out in a sum of boards.
            let hash = hash.wrapping_mul(0x9FB2_1C65_1E98_DF25);
            *sum = sum.wrapping_add((hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93));
        }
    }

    #[inline(always)]
    fn toggle(&mut self, numbers: &Images) {
        for (hash, number) in self.0.iter_mut().zip(numbers.0) {
            *hash ^= number;
        }
    }
}

/// The random numbers of a board.
#[derive(Debug)]
pub struct Zobrist {
    /// By colour and point. The third kind is of the point that a ko forbids.
    numbers: Box<[[Images; 64]; 3]>,
}

impl Zobrist {
    /// Those of a board; the same each time.
    pub fn new(board: GoBoard) -> Zobrist {
        let mut numbers = Box::new([[Images::EMPTY; 64]; 3]);
        for (kind, of_kind) in numbers.iter_mut().enumerate() {
            for point in board.all() {
                for i in 0..8u8 {
                    let image = symmetry::apply(board, i % symmetry::count(board), 1 << point);
                    let at = u64::from(image.trailing_zeros());
                    of_kind[usize::from(point)].0[usize::from(i)] = derive(0x60, &[kind as u64, at]);
                }
            }
        }
        Zobrist { numbers }
    }

    /// The images of a board with these black and white stones.
    pub fn images(&self, (black, white): (u64, u64)) -> Images {
        let mut images = Images::EMPTY;
        self.toggle(&mut images, 0, black);
        self.toggle(&mut images, 1, white);
        images
    }

    /// Puts stones on points, or takes them off.
    #[inline(always)]
    pub fn toggle(&self, images: &mut Images, kind: usize, mut points: u64) {
        while points != 0 {
            images.toggle(&self.numbers[kind][points.trailing_zeros() as usize % 64]);
            points &= points - 1;
        }
    }
}
