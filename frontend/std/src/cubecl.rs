//! Functions of the crates `cubecl-random` and `cubecl-reduce` 0.8.1, with their names and signatures.
pub mod random;
pub mod reduce;
