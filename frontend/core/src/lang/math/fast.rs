//! Fast-math flags of functions.

/// Permissions for the float operations of a function: `#[cube(fast_math = FastMath::AllowContraction)]`. A permission
/// changes results only if the compiler uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FastMath {
    /// No permission.
    None,
    /// No operand or result is NaN.
    NotNaN,
    /// No operand or result is infinite.
    NotInf,
    /// The sign of a zero is insignificant.
    UnsignedZero,
    /// A division can become a multiplication by the reciprocal.
    AllowReciprocal,
    /// A product and a sum can become one fused operation.
    AllowContraction,
    /// Sums and products can be reassociated.
    AllowReassociation,
    /// Any algebraic rewriting: contraction, reassociation and reciprocals.
    AllowTransform,
    /// Functions can be approximated. Roots, and functions of `f32` that have a target instruction, are then
    /// approximated. Other functions of `docs/math.md` keep their accurate form; `CUBE_EXPLAIN` reports these
    /// functions.
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
