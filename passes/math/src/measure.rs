//! The error of a result relative to the exact value, shared by the tests and `--bin exhaustive`.

mod angle;
mod erf;
mod reference;
mod ulp;

pub use cube_semantics::tables::bound;
pub use reference::{Symmetry, binary, symmetry, unary};
pub use ulp::ulp_error;
