//! jobs

pub mod enumerate;
