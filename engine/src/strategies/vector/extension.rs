//! The vector extensions that hot loops are compiled for, and which of them this processor has.

/// A vector extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::strategies) enum VectorExtension {
    /// No extension: code for any processor.
    Plain,
    /// AVX2, BMI1, BMI2, POPCNT, LZCNT.
    Avx2,
    /// AVX-512 F, VL, BW, DQ in addition.
    Avx512,
}

impl VectorExtension {
    /// All, the best first.
    pub const ALL: [VectorExtension; 3] = [VectorExtension::Avx512, VectorExtension::Avx2, VectorExtension::Plain];

    /// Whether this processor has it.
    #[inline]
    pub fn available(self) -> bool {
        match self {
            VectorExtension::Plain => true,
            #[cfg(target_arch = "x86_64")]
            VectorExtension::Avx2 => {
                use std::arch::is_x86_feature_detected as has;
                has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            VectorExtension::Avx512 => {
                use std::arch::is_x86_feature_detected as has;
                let wide = has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq");
                wide && VectorExtension::Avx2.available()
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The best that this processor has.
    #[inline]
    pub fn detect() -> VectorExtension {
        VectorExtension::ALL.into_iter().find(|e| e.available()).unwrap_or(VectorExtension::Plain)
    }
}

/// Plain code, for any processor.
#[derive(Debug, Clone, Copy)]
pub(in crate::strategies) struct PlainVectors;

/// Code for [`VectorExtension::Avx2`].
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(in crate::strategies) struct Avx2Vectors;

/// Code for [`VectorExtension::Avx512`].
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(in crate::strategies) struct Avx512Vectors;
