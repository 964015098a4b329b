//! Entering a hot loop with the vector extension that it is compiled for.
//!
//! A search writes its hot loop as a [`VectorTask`], generic over [`VectorInstructions`]. [`dispatch`] compiles it
//! for plain processors, for AVX2 and for AVX-512, and enters the right one. Everything inside is inlined, so the
//! whole loop uses the bit instructions that come with those extensions. All give the same results.

#[cfg(target_arch = "x86_64")]
use super::extension::{Avx2Vectors, Avx512Vectors};
use super::extension::{PlainVectors, VectorExtension};
use super::filter::MoveFilter;
use super::slots::Slots;

/// All that hot loops need of an extension.
pub(in crate::strategies) trait VectorInstructions: MoveFilter + Slots {
    /// Which one it is, to enter a task that is to stay out of line.
    const EXTENSION: VectorExtension;
}

impl VectorInstructions for PlainVectors {
    const EXTENSION: VectorExtension = VectorExtension::Plain;
}

#[cfg(target_arch = "x86_64")]
impl VectorInstructions for Avx2Vectors {
    const EXTENSION: VectorExtension = VectorExtension::Avx2;
}

#[cfg(target_arch = "x86_64")]
impl VectorInstructions for Avx512Vectors {
    const EXTENSION: VectorExtension = VectorExtension::Avx512;
}

/// A computation that is compiled for each extension.
pub(in crate::strategies) trait VectorTask {
    /// What it gives.
    type Output;

    /// The computation; to be marked `#[inline(always)]`, like everything it calls often. It is entered only on a
    /// processor that has the instructions.
    fn run<I: VectorInstructions>(self) -> Self::Output;
}

/// Runs a task, compiled for `extension`, or for any processor where this one lacks it. The task becomes a function
/// of its own, also where it is entered from another one: what is rare in a hot loop does not take registers from it
/// then.
pub(in crate::strategies) fn dispatch<T: VectorTask>(extension: VectorExtension, task: T) -> T::Output {
    /// # Safety
    /// The processor has these instructions.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn avx512<T: VectorTask>(task: T) -> T::Output {
        task.run::<Avx512Vectors>()
    }
    /// # Safety
    /// The processor has these instructions.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn avx2<T: VectorTask>(task: T) -> T::Output {
        task.run::<Avx2Vectors>()
    }
    match extension {
        // SAFETY: the processor has been asked.
        #[cfg(target_arch = "x86_64")]
        VectorExtension::Avx512 if extension.available() => unsafe { avx512(task) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        VectorExtension::Avx2 if extension.available() => unsafe { avx2(task) },
        _ => task.run::<PlainVectors>(),
    }
}
