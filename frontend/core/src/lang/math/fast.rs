//! Fast-math flags of kernel functions.

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastFlags(u16);

impl FastMath {
    /// All flags.
    pub fn all() -> FastFlags {
        FastFlags(0x1ff)
    }
}

impl From<FastMath> for FastFlags {
    fn from(flag: FastMath) -> Self {
        FastFlags(1 << flag as u16)
    }
}

impl<B: Into<FastFlags>> std::ops::BitOr<B> for FastMath {
    type Output = FastFlags;
    fn bitor(self, other: B) -> FastFlags {
        FastFlags::from(self) | other.into()
    }
}

impl<B: Into<FastFlags>> std::ops::BitOr<B> for FastFlags {
    type Output = FastFlags;
    fn bitor(self, other: B) -> FastFlags {
        FastFlags(self.0 | other.into().0)
    }
}

impl FastFlags {
    fn has(self, flag: FastMath) -> bool {
        self.0 & FastFlags::from(flag).0 != 0
    }

    /// The flags in the syntax of MLIR's `fastmath` attribute.
    pub fn attribute(self) -> String {
        use FastMath::*;
        let names = [
            ("reassoc", self.has(AllowReassociation) || self.has(AllowTransform)),
            ("nnan", self.has(NotNaN)),
            ("ninf", self.has(NotInf)),
            ("nsz", self.has(UnsignedZero)),
            ("arcp", self.has(AllowReciprocal) || self.has(AllowTransform)),
            ("contract", self.has(AllowContraction) || self.has(AllowTransform)),
            ("afn", self.has(ReducedPrecision)),
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
