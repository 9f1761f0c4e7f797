//! Fast-math flags.

/// What a function's float operations may assume or change: `#[cube(fast_math = FastMath::AllowContraction)]`. A flag is a permission, and
/// changes results only where the compiler makes use of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FastMath {
    /// Nothing.
    None,
    /// No operand or result is NaN.
    NotNaN,
    /// No operand or result is infinite.
    NotInf,
    /// The sign of a zero does not matter.
    UnsignedZero,
    /// A division may become a multiplication by the reciprocal.
    AllowReciprocal,
    /// A product and a sum may become one operation.
    AllowContraction,
    /// Sums and products may be computed in another order.
    AllowReassociation,
    /// Any rewriting of real numbers: both of the above and reciprocals.
    AllowTransform,
    /// Functions may be approximated. The roots and other functions that are one instruction of a target may be; `exp`, `log`, `sin` and
    /// the others that `docs/math.md` lists keep their accurate form so far, which `CUBE_EXPLAIN` says.
    ReducedPrecision,
}

/// A set of [`FastMath`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastFlags(u16);

impl FastMath {
    /// All of them.
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

    /// The words of MLIR's attribute.
    pub fn attribute(self) -> String {
        use FastMath::*;
        let words = [
            ("reassoc", self.has(AllowReassociation) || self.has(AllowTransform)),
            ("nnan", self.has(NotNaN)),
            ("ninf", self.has(NotInf)),
            ("nsz", self.has(UnsignedZero)),
            ("arcp", self.has(AllowReciprocal) || self.has(AllowTransform)),
            ("contract", self.has(AllowContraction) || self.has(AllowTransform)),
            ("afn", self.has(ReducedPrecision)),
        ];
        if words.iter().all(|(_, on)| *on) {
            return "fast".into();
        }
        words.iter().filter(|(_, on)| *on).map(|(word, _)| *word).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_the_words_of_the_ir() {
        assert_eq!(FastMath::all().attribute(), "fast");
        assert_eq!((FastMath::NotNaN | FastMath::NotInf).attribute(), "nnan,ninf");
        assert_eq!(FastFlags::from(FastMath::None).attribute(), "");
        assert_eq!(FastFlags::from(FastMath::AllowTransform).attribute(), "reassoc,arcp,contract");
    }
}
