//! What a chip has beside scalar arithmetic: math functions, matrix instructions, copy engines.
use crate::Element;
use serde::{Deserialize, Serialize};

/// A function of floats that a chip or a shading language can have an instruction for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathFunction {
    /// `a * b + c`, rounded once.
    Fma,
    /// Square root.
    Sqrt,
    /// One over the square root.
    Rsqrt,
    /// One over the number.
    Recip,
    /// Two to the power.
    Exp2,
    /// Logarithm of base 2.
    Log2,
    /// `e` to the power.
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine; AMD's instruction takes turns, not radians.
    Sin,
    /// Cosine; as for the sine.
    Cos,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// A number to the power of another.
    Pow,
}

/// How near a native function comes to the real result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathForm {
    /// Rounded correctly.
    Exact,
    /// Within an error that the document states, and that is more than half a unit in the last place.
    Approximate,
}

/// One shape of a product of matrices, `d = a * b + c`, that a plane computes in one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Rows of `a` and `d`.
    pub m: u32,
    /// Columns of `b` and `d`.
    pub n: u32,
    /// Columns of `a`, rows of `b`.
    pub k: u32,
    /// Elements of `a`.
    pub a: Element,
    /// Elements of `b`.
    pub b: Element,
    /// Elements of `c` and `d`.
    pub c: Element,
}

impl Matrix {
    /// A product whose factors have one element type.
    pub(crate) const fn of([m, n, k]: [u32; 3], factors: Element, c: Element) -> Matrix {
        Matrix { m, n, k, a: factors, b: factors, c }
    }
}

/// A way to move data from global to shared memory while the units go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyEngine {
    /// Each unit starts copies of a few bytes, which do not pass its registers.
    PerUnit,
    /// One unit starts a copy of many bytes in a row.
    Bulk,
    /// One unit starts a copy of a tile of a tensor of up to five dimensions.
    Tensor,
}
