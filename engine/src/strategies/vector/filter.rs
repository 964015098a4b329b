//! The filter of the move list, in vectors: keeps the moves that do not collide with the one just played.
//!
//! Three implementations give the same list in the same order: plain code for any processor, AVX2 (8 moves at a
//! time, compacted through a table) and AVX-512 (16 moves, compacted by an instruction). `extension` chooses.

use super::extension::PlainVectors;
use crate::morpion::geometry::Move;
use crate::morpion::variant::Rules;

/// A filter may write this many moves beyond the end of what it keeps.
pub(in crate::strategies) const SLACK: usize = 16;

/// An implementation of the filter.
pub(in crate::strategies) trait MoveFilter: Copy + 'static {
    /// Copies the moves at `from..from + len` that do not collide with `mv` to `to` onwards, in order, and returns
    /// how many there are.
    ///
    /// # Safety
    /// `from` can be read for `len` moves, and `to` can be written for `len + SLACK` moves. Either `to <= from`, or
    /// the two ranges do not overlap. The processor has the extensions of this implementation.
    unsafe fn filter<R: Rules>(from: *const Move, len: usize, to: *mut Move, mv: Move) -> usize;
}

/// Copies the moves of `list` that do not collide with `mv` to the beginning of `to` and returns how many there are.
/// The processor has the extensions of `L`: the caller was entered through [`super::dispatch::dispatch`].
#[inline(always)]
pub(in crate::strategies) fn filter_into<R: Rules, L: MoveFilter>(list: &[Move], to: &mut [Move], mv: Move) -> usize {
    assert!(to.len() >= list.len() + SLACK, "the arena of the move lists is too small");
    // SAFETY: the lengths have been checked, and two slices do not overlap.
    unsafe { L::filter::<R>(list.as_ptr(), list.len(), to.as_mut_ptr(), mv) }
}

/// Removes from the first `len` moves of `list` those that collide with `mv` and returns how many remain.
/// The processor has the extensions of `L`: the caller was entered through [`super::dispatch::dispatch`].
#[inline(always)]
pub(in crate::strategies) fn filter_in_place<R: Rules, L: MoveFilter>(
    list: &mut [Move],
    len: usize,
    mv: Move,
) -> usize {
    assert!(list.len() >= len + SLACK, "the move list is too small");
    let moves = list.as_mut_ptr();
    // SAFETY: the length has been checked; from and to are the same place.
    unsafe { L::filter::<R>(moves, len, moves, mv) }
}

impl MoveFilter for PlainVectors {
    #[inline(always)]
    unsafe fn filter<R: Rules>(from: *const Move, len: usize, to: *mut Move, mv: Move) -> usize {
        let mut kept = 0;
        for i in 0..len {
            // SAFETY: i < len and kept <= i.
            unsafe {
                let other = *from.add(i);
                *to.add(kept) = other;
                kept += usize::from(!other.collides::<R>(mv));
            }
        }
        kept
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Move, MoveFilter, Rules};
    use crate::strategies::vector::extension::{Avx2Vectors, Avx512Vectors};
    use std::arch::x86_64::*;

    /// Numbers of the set bits of each byte, ascending: the lanes to keep.
    static KEPT: [[u8; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut mask = 0;
        while mask < 256 {
            let (mut lane, mut n) = (0, 0);
            while lane < 8 {
                if mask >> lane & 1 == 1 {
                    table[mask][n] = lane as u8;
                    n += 1;
                }
                lane += 1;
            }
            mask += 1;
        }
        table
    };

    impl MoveFilter for Avx2Vectors {
        #[inline(always)]
        unsafe fn filter<R: Rules>(from: *const Move, len: usize, to: *mut Move, mv: Move) -> usize {
            // SAFETY: loads of lanes from `len` on are masked out; a store begins at most at the load before it
            // and writes 8 lanes, so it stays within `len + SLACK` and never reaches a lane not yet loaded.
            unsafe {
                let point = _mm256_set1_epi32((mv.bits() & 0xFFFF) as i32);
                let low = _mm256_set1_epi32(0xFFFF);
                let line = _mm256_set1_epi32((mv.bits() >> 16) as i32);
                let near = _mm256_set1_epi32(R::BLOCKED as i32 - 1);
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                let mut kept = 0;
                let mut i = 0;
                while i < len {
                    let valid = _mm256_cmpgt_epi32(_mm256_set1_epi32((len - i).min(8) as i32), lanes);
                    let moves = _mm256_maskload_epi32(from.add(i).cast(), valid);
                    let same_point = _mm256_cmpeq_epi32(_mm256_and_si256(moves, low), point);
                    let distance = _mm256_abs_epi32(_mm256_sub_epi32(_mm256_srli_epi32::<16>(moves), line));
                    let apart = _mm256_cmpgt_epi32(distance, near);
                    let keep = _mm256_and_si256(valid, _mm256_andnot_si256(same_point, apart));
                    let mask = _mm256_movemask_ps(_mm256_castsi256_ps(keep)) as usize;
                    let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(KEPT[mask & 255].as_ptr().cast()));
                    let packed = _mm256_permutevar8x32_epi32(moves, order);
                    _mm256_storeu_si256(to.add(kept).cast(), packed);
                    kept += mask.count_ones() as usize;
                    i += 8;
                }
                kept
            }
        }
    }

    impl MoveFilter for Avx512Vectors {
        #[inline(always)]
        unsafe fn filter<R: Rules>(from: *const Move, len: usize, to: *mut Move, mv: Move) -> usize {
            // SAFETY: as for AVX2, with 16 lanes.
            unsafe {
                let point = _mm512_set1_epi32(mv.bits() as i32);
                let low = _mm512_set1_epi32(0xFFFF);
                // One unsigned compare tells a distance below BLOCKED either way.
                let reach = R::BLOCKED as i32 - 1;
                let first = _mm512_set1_epi32((mv.bits() >> 16) as i32 - reach);
                let width = _mm512_set1_epi32(2 * reach);
                let mut kept = 0;
                let mut i = 0;
                while i < len {
                    let valid = (0xFFFF_u32 >> (16 - (len - i).min(16))) as __mmask16;
                    let moves = _mm512_maskz_loadu_epi32(valid, from.add(i).cast());
                    let other_point = _mm512_mask_test_epi32_mask(valid, _mm512_xor_si512(moves, point), low);
                    let distance = _mm512_sub_epi32(_mm512_srli_epi32::<16>(moves), first);
                    let keep = _mm512_mask_cmpgt_epu32_mask(other_point, distance, width);
                    let packed = _mm512_maskz_compress_epi32(keep, moves);
                    _mm512_storeu_si512(to.add(kept).cast(), packed);
                    kept += keep.count_ones() as usize;
                    i += 16;
                }
                kept
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::seed;
    use crate::morpion::position::Position;
    use crate::morpion::variant::Variant;
    use crate::strategies::unit::NO_MOVE;
    use crate::strategies::vector::dispatch::{VectorInstructions, VectorTask, dispatch};
    use crate::strategies::vector::extension::VectorExtension;
    use crate::with_rules;
    use rand::RngExt;

    struct Both<'a, R>(&'a [Move], Move, std::marker::PhantomData<R>);

    impl<R: Rules> VectorTask for Both<'_, R> {
        type Output = (Vec<Move>, Vec<Move>);

        #[inline(always)]
        fn run<L: VectorInstructions>(self) -> Self::Output {
            let Both(list, mv, _) = self;
            let mut to = vec![NO_MOVE; list.len() + SLACK];
            let n = filter_into::<R, L>(list, &mut to, mv);
            to.truncate(n);
            let mut place = list.to_vec();
            place.resize(list.len() + SLACK, NO_MOVE);
            let n = filter_in_place::<R, L>(&mut place, list.len(), mv);
            place.truncate(n);
            (to, place)
        }
    }

    fn extensions() -> impl Iterator<Item = VectorExtension> {
        VectorExtension::ALL.into_iter().filter(|extension| extension.available())
    }

    #[test]
    fn every_filter_keeps_what_does_not_collide() {
        for variant in Variant::ALL {
            with_rules!(variant, R => for game in 0..20 {
                let mut rng = seed::rng(3, &[variant as u64, game]);
                let mut position = Position::<R>::new();
                // Lists of many lengths: the moves of the position and some that have been played or dropped.
                let mut old: Vec<Move> = Vec::new();
                while !position.moves().is_empty() {
                    let mut list = position.moves().to_vec();
                    let some = rng.random_range(0..=old.len());
                    list.extend_from_slice(&old[..some]);
                    list.truncate(rng.random_range(1..=list.len()));
                    let mv = list[rng.random_range(0..list.len())];
                    let slow: Vec<Move> = list.iter().filter(|m| !m.collides::<R>(mv)).copied().collect();
                    for extension in extensions() {
                        let both = Both::<R>(&list, mv, std::marker::PhantomData);
                        let (to, place) = dispatch(extension, both);
                        assert_eq!(to, slow, "{variant} game {game} {extension:?}");
                        assert_eq!(place, slow, "{variant} game {game} {extension:?} in place");
                    }
                    let next = position.moves()[rng.random_range(0..position.moves().len())];
                    old.push(next);
                    position.play(next);
                }
            });
        }
    }
}
