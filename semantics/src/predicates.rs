//! The predicates of integer and float comparisons, with the numbers that `arith` defines.
use crate::by_format;
use crate::floats::ByFormat;
use crate::format::Format;
use crate::ints::signed;
use crate::{Fn2, Number, Outcome};

/// A predicate of `arith.cmpi`, with the dialect's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

use IntPredicate as I;

impl IntPredicate {
    /// All predicates; the index of a predicate is its number in the dialect.
    pub const ALL: [IntPredicate; 10] = [I::Eq, I::Ne, I::Slt, I::Sle, I::Sgt, I::Sge, I::Ult, I::Ule, I::Ugt, I::Uge];

    /// The predicate with this number in an attribute of `arith.cmpi` or `llvm.icmp`; `None` for an unknown number.
    pub fn of_number(number: i64) -> Option<IntPredicate> {
        IntPredicate::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The predicate that is true exactly if `self` is false.
    pub fn negated(self) -> IntPredicate {
        match self {
            I::Eq => I::Ne,
            I::Ne => I::Eq,
            I::Slt => I::Sge,
            I::Sle => I::Sgt,
            I::Sgt => I::Sle,
            I::Sge => I::Slt,
            I::Ult => I::Uge,
            I::Ule => I::Ugt,
            I::Ugt => I::Ule,
            I::Uge => I::Ult,
        }
    }

    /// The equivalent predicate for swapped operands.
    pub fn swapped(self) -> IntPredicate {
        match self {
            I::Eq | I::Ne => self,
            I::Slt => I::Sgt,
            I::Sle => I::Sge,
            I::Sgt => I::Slt,
            I::Sge => I::Sle,
            I::Ult => I::Ugt,
            I::Ule => I::Uge,
            I::Ugt => I::Ult,
            I::Uge => I::Ule,
        }
    }

    /// Whether the predicate interprets its operands as signed numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, I::Slt | I::Sle | I::Sgt | I::Sge)
    }

    /// Compares two bit patterns of a given width: 1 if the predicate holds, otherwise 0.
    pub const fn function(self) -> Fn2 {
        match self {
            I::Eq => |a, b, _| (a == b) as u64,
            I::Ne => |a, b, _| (a != b) as u64,
            I::Slt => |a, b, w| (signed(a, w) < signed(b, w)) as u64,
            I::Sle => |a, b, w| (signed(a, w) <= signed(b, w)) as u64,
            I::Sgt => |a, b, w| (signed(a, w) > signed(b, w)) as u64,
            I::Sge => |a, b, w| (signed(a, w) >= signed(b, w)) as u64,
            I::Ult => |a, b, _| (a < b) as u64,
            I::Ule => |a, b, _| (a <= b) as u64,
            I::Ugt => |a, b, _| (a > b) as u64,
            I::Uge => |a, b, _| (a >= b) as u64,
        }
    }

    /// Whether the predicate holds for two constants of a given width. The bits of the constants above the width
    /// are ignored.
    pub fn holds(self, a: i64, b: i64, width: u32) -> bool {
        let pattern = |n: i64| n as u64 & crate::ints::mask(width);
        self.function()(pattern(a), pattern(b), width) == 1
    }
}

macro_rules! float_predicates {
    ($($name:ident $a:ident $b:ident $unordered:literal $ordered:expr;)*) => {
        /// A predicate of `arith.cmpf`, with the dialect's numbers. `O` predicates do not hold for NaN, `U` predicates
        /// do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum FloatPredicate { $($name),* }

        impl FloatPredicate {
            /// All predicates; the index of a predicate is its number in the dialect.
            pub const ALL: [FloatPredicate; 16] = [$(FloatPredicate::$name),*];

            /// The comparison functions, one for each format: 1 if the predicate holds, otherwise 0.
            pub const fn functions(self) -> ByFormat<Fn2> {
                match self {
                    $(FloatPredicate::$name => {
                        fn test<T: Format>(x: u64, y: u64, _: u32) -> u64 {
                            let ($a, $b) = (T::to_wide(x), T::to_wide(y));
                            u64::from(if $a.partial_cmp(&$b).is_none() { $unordered } else { $ordered })
                        }
                        by_format!(test)
                    })*
                }
            }
        }
    };
}

float_predicates! {
    False _a _b false false;
    Oeq a b false a == b;
    Ogt a b false a > b;
    Oge a b false a >= b;
    Olt a b false a < b;
    Ole a b false a <= b;
    One a b false a != b;
    Ord _a _b false true;
    Ueq a b true a == b;
    Ugt a b true a > b;
    Uge a b true a >= b;
    Ult a b true a < b;
    Ule a b true a <= b;
    Une a b true a != b;
    Uno _a _b true false;
    True _a _b true true;
}

impl FloatPredicate {
    /// The predicate that an attribute of `arith.cmpf` or `llvm.fcmp` names by its number.
    pub fn of_number(number: i64) -> Option<FloatPredicate> {
        FloatPredicate::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Compares two constants of a float type; the result is a bit pattern of type `i1`.
    pub fn evaluate(self, ty: Number, a: u64, b: u64) -> Outcome {
        match ty.format() {
            Some(format) => Outcome::Value(self.functions()[format](a, b, ty.bits())),
            None => Outcome::Unsupported("floats that are only stored are not compared"),
        }
    }
}
