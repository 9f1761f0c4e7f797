//! Math functions as plain arithmetic.
//!
//! GPU targets of LLVM do not have a libm, and an object for the CPU must not have undefined symbols. Cube therefore
//! expands every math function. Each function is written once, generic over an [`Emit`]. [`NativeSingle`] and
//! [`NativeDouble`] run each function on the host, where `--bin exhaustive` measures the `f32` functions of one operand
//! over all 2^32 inputs. The compiler's pass emits each function as IR, and [`Counter`] computes its cost. The
//! functions use selects and do not branch on data. Vectorised code of the functions therefore does not diverge.
//! `docs/math.md` has the measured errors, and `semantics/tables/ulp.toml` has the published bounds.
//!
//! ```
//! use cube_math::{NativeSingle, exp};
//! assert_eq!(exp(&NativeSingle, 1.0f32), core::f32::consts::E);
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arc;
mod area;
mod count;
mod emit;
mod erf;
mod exp;
mod format;
mod function;
mod hyperbolic;
mod log;
pub mod measure;
mod native;
mod pow;
mod reduce;
mod rem;
mod root;
mod round;
mod soft;
mod steps;
mod tables;
mod trig;

pub use arc::{acos, asin, atan, atan2};
pub use area::{acosh, asinh, atanh};
pub use count::{Cost, Counter};
pub use emit::Emit;
pub use erf::{erf, erfc};
pub use exp::{exp, exp2, exp10, expm1};
pub use format::{Double, Format, Short, Single};
pub use function::{Binary, Unary};
pub use hyperbolic::{cosh, sinh, tanh};
pub use log::{log, log1p, log2, log10};
pub use native::{
    CoarseShort, CoarseSingle, NativeDouble, NativeShort, NativeSingle, NearDouble, NearShort, NearSingle,
};
pub use pow::{pow, powi};
pub use rem::{floor_rem, fmod};
pub use root::{cbrt, hypot, rsqrt};
pub use round::{ceil, floor, round_away, round_even, trunc};
pub use soft::{Rounding, fused_by_integers, root_by_integers};
pub use tables::Tables;
pub use trig::{cos, sin, tan};
