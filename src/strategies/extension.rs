//! The vector extensions that hot loops are compiled for, chosen once per run of a search.
//!
//! A search writes its hot loop as a [`Task`], generic over [`Instructions`]; [`dispatch`] compiles it for plain
//! processors, for AVX2 and for AVX-512, and enters the right one. Inside, everything is inlined, so that the bit
//! instructions that come with those extensions are used in the whole loop. All give the same results.

use super::lanes::Lanes;
use super::nrpa::slots::Slots;

/// A vector extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    /// Any processor.
    Plain,
    /// AVX2, BMI1, BMI2, POPCNT, LZCNT.
    Avx2,
    /// AVX-512 F, VL, BW, DQ beside the former.
    Avx512,
}

impl Extension {
    /// All, the best first.
    pub const ALL: [Extension; 3] = [Extension::Avx512, Extension::Avx2, Extension::Plain];

    /// Whether this processor has it.
    #[inline]
    pub fn available(self) -> bool {
        match self {
            Extension::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Extension::Avx2 => {
                use std::arch::is_x86_feature_detected as has;
                has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Extension::Avx512 => {
                use std::arch::is_x86_feature_detected as has;
                let wide = has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq");
                wide && Extension::Avx2.available()
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The best that this processor has.
    #[inline]
    pub fn detect() -> Extension {
        Extension::ALL.into_iter().find(|e| e.available()).unwrap_or(Extension::Plain)
    }
}

/// All that hot loops need of an extension.
pub(super) trait Instructions: Lanes + Slots {
    /// Which one it is, to enter a task that is to stay out of line.
    const EXTENSION: Extension;
}

/// Plain code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain;

impl Instructions for Plain {
    const EXTENSION: Extension = Extension::Plain;
}

/// Code for [`Extension::Avx2`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Instructions for Avx2 {
    const EXTENSION: Extension = Extension::Avx2;
}

/// Code for [`Extension::Avx512`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Instructions for Avx512 {
    const EXTENSION: Extension = Extension::Avx512;
}

/// A computation that is compiled for each extension.
pub(super) trait Task {
    /// What it gives.
    type Output;

    /// The computation; to be marked `#[inline(always)]`, like everything it calls often. It is entered only on a
    /// processor that has the instructions.
    fn run<I: Instructions>(self) -> Self::Output;
}

/// Runs a task, compiled for `extension`, or for any processor where this one lacks it. The task becomes a function of
/// its own, also where it is entered from another one: what is rare in a hot loop does not take registers from it then.
pub(super) fn dispatch<T: Task>(extension: Extension, task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn avx512<T: Task>(task: T) -> T::Output {
        task.run::<Avx512>()
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn avx2<T: Task>(task: T) -> T::Output {
        task.run::<Avx2>()
    }
    match extension {
        // SAFETY: the processor has been asked.
        #[cfg(target_arch = "x86_64")]
        Extension::Avx512 if extension.available() => unsafe { avx512(task) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Extension::Avx2 if extension.available() => unsafe { avx2(task) },
        _ => task.run::<Plain>(),
    }
}
