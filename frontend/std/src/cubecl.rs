//! Functions of the crates `cubecl-matmul`, `cubecl-random` and `cubecl-reduce` 0.8.1, with their names and signatures.
pub mod matmul;
pub mod random;
pub mod reduce;
