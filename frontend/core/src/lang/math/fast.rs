//! Fast-math flags of kernel functions.
use crate::host::features::{Flag, Set};

/// Permissions to transform a function's float operations: `#[cube(fast_math = FastMath::AllowContraction)]`. A
/// permission changes results only if the compiler uses the permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FastMath {
    /// No permission.
    None,
    /// The compiler can assume that no operand or result is NaN.
    NotNaN,
    /// The compiler can assume that no operand or result is infinite.
    NotInf,
    /// The compiler can ignore the sign of a zero.
    UnsignedZero,
    /// The compiler can replace a division by a multiplication by the reciprocal.
    AllowReciprocal,
    /// The compiler can fuse a product and a sum to one operation.
    AllowContraction,
    /// The compiler can reassociate sums and products.
    AllowReassociation,
    /// Any algebraic rewriting: contraction, reassociation and reciprocals.
    AllowTransform,
    /// The compiler can approximate math functions. With `ReducedPrecision`, the compiler approximates roots,
    /// and functions of `f32` for which the target has an instruction. Other functions of `docs/math.md`
    /// remain accurate; `CUBE_EXPLAIN` reports these functions.
    ReducedPrecision,
}

/// A set of [`FastMath`] flags.
pub type FastFlags = Set<FastMath>;

impl Flag for FastMath {
    fn bit(self) -> u32 {
        self as u32
    }
}

impl FastMath {
    /// All flags.
    pub fn all() -> FastFlags {
        use FastMath::*;
        let assumptions = FastFlags::from([None, NotNaN, NotInf, UnsignedZero]);
        assumptions
            | Set::from([AllowReciprocal, AllowContraction, AllowReassociation, AllowTransform, ReducedPrecision])
    }
}

impl<B: Into<FastFlags>> std::ops::BitOr<B> for FastMath {
    type Output = FastFlags;
    fn bitor(self, other: B) -> FastFlags {
        FastFlags::from(self) | other
    }
}

impl FastFlags {
    /// The flags in the syntax of MLIR's `fastmath` attribute.
    pub fn attribute(self) -> String {
        use FastMath::*;
        let names = [
            ("reassoc", self.contains(AllowReassociation) || self.contains(AllowTransform)),
            ("nnan", self.contains(NotNaN)),
            ("ninf", self.contains(NotInf)),
            ("nsz", self.contains(UnsignedZero)),
            ("arcp", self.contains(AllowReciprocal) || self.contains(AllowTransform)),
            ("contract", self.contains(AllowContraction) || self.contains(AllowTransform)),
            ("afn", self.contains(ReducedPrecision)),
        ];
        if names.iter().all(|(_, on)| *on) {
            return "fast".into();
        }
        names.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_mlir_names() {
        assert_eq!(FastMath::all().attribute(), "fast");
        assert_eq!((FastMath::NotNaN | FastMath::NotInf).attribute(), "nnan,ninf");
        assert_eq!(FastFlags::from(FastMath::None).attribute(), "");
        assert_eq!(FastFlags::from(FastMath::AllowTransform).attribute(), "reassoc,arcp,contract");
    }
}
