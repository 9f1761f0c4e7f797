//! The list of the functions by name, which the pass, the tests and the documentation use.

use crate::emit::Emit;

macro_rules! call {
    ($name:ident, $e:ident, [$($arg:ident),+]) => { crate::$name($e, $($arg),+) };
}

macro_rules! functions {
    ($(#[$doc:meta])* $set:ident [$n:literal] $args:tt: $($variant:ident = $name:ident),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $set {
            $(#[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "())")] $variant,)+
        }

        impl $set {
            /// All functions, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Name of the function, in this crate and in `semantics/tables/ulp.toml`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),+ }
            }

            /// The function with the given name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|f| f.name() == name)
            }

            /// Emits the function.
            pub fn emit<E: Emit>(self, e: &E, $args: [E::F; $n]) -> E::F {
                match self { $(Self::$variant => call!($name, e, $args)),+ }
            }

            /// Runs the function on the host for all elements of slices, with one loop per function.
            pub fn run<E: Emit>(self, e: &E, operands: [&[E::F]; $n], out: &mut [E::F]) {
                match self {
                    $(Self::$variant => for (i, o) in out.iter_mut().enumerate() {
                        let $args = operands.map(|operand| operand[i]);
                        *o = call!($name, e, $args);
                    }),+
                }
            }
        }
    };
}

functions! {
    /// Functions of one operand.
    Unary [1] [x]:
    Exp = exp, Exp2 = exp2, Exp10 = exp10, Expm1 = expm1,
    Log = log, Log2 = log2, Log10 = log10, Log1p = log1p,
    Sin = sin, Cos = cos, Tan = tan,
    Asin = asin, Acos = acos, Atan = atan,
    Sinh = sinh, Cosh = cosh, Tanh = tanh,
    Asinh = asinh, Acosh = acosh, Atanh = atanh,
    Erf = erf, Erfc = erfc,
    Cbrt = cbrt, Rsqrt = rsqrt,
    Floor = floor, Ceil = ceil, Trunc = trunc, RoundEven = round_even, RoundAway = round_away,
}

functions! {
    /// Functions of two operands. [`powi`](crate::powi()) is not listed here, because its second operand is an integer.
    Binary [2] [x, y]:
    Atan2 = atan2, Pow = pow, Hypot = hypot, Fmod = fmod, FloorRem = floor_rem,
}
