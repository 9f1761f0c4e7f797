//! Functions beyond arithmetic. The f64 values of these math functions are approximations, and only the
//! checks of rules that permit approximation use the values. The approximations never replace a function of a
//! kernel by a constant.

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $ir:literal $operands:literal |$x:ident, $y:ident| $value:expr;)*) => {
        /// A math function of floats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function { $($(#[$doc])* $name),* }

        impl Function {
            /// All functions.
            pub const ALL: &'static [Function] = &[$(Function::$name),*];

            /// The name of the operation in the dialect `math`, without the prefix `math.`.
            pub const fn name(self) -> &'static str {
                match self { $(Function::$name => $ir),* }
            }

            /// Number of operands: 1 or 2.
            pub const fn operands(self) -> usize {
                match self { $(Function::$name => $operands),* }
            }

            /// The function's value in f64, with the error of the host's math library. A function with one
            /// operand ignores `y`.
            pub fn value(self, x: f64, y: f64) -> f64 {
                match self { $(Function::$name => { let ($x, $y) = (x, y); let _ = $y; $value }),* }
            }
        }
    };
}

functions! {
    /// Power of e.
    Exp "exp" 1 |x, _y| x.exp();
    /// Power of 2.
    Exp2 "exp2" 1 |x, _y| x.exp2();
    /// The exponential of x, minus 1.
    ExpM1 "expm1" 1 |x, _y| x.exp_m1();
    /// Natural logarithm.
    Log "log" 1 |x, _y| x.ln();
    /// Logarithm to base 2.
    Log2 "log2" 1 |x, _y| x.log2();
    /// Logarithm to base 10.
    Log10 "log10" 1 |x, _y| x.log10();
    /// Natural logarithm of 1 + x.
    Log1P "log1p" 1 |x, _y| x.ln_1p();
    /// Sine.
    Sin "sin" 1 |x, _y| x.sin();
    /// Cosine.
    Cos "cos" 1 |x, _y| x.cos();
    /// Tangent.
    Tan "tan" 1 |x, _y| x.tan();
    /// Arc tangent.
    Atan "atan" 1 |x, _y| x.atan();
    /// Arc sine.
    Asin "asin" 1 |x, _y| x.asin();
    /// Arc cosine.
    Acos "acos" 1 |x, _y| x.acos();
    /// The angle of the point whose ordinate is the first operand and whose abscissa is the second operand.
    Atan2 "atan2" 2 |x, y| x.atan2(y);
    /// Inverse hyperbolic sine.
    Asinh "asinh" 1 |x, _y| x.asinh();
    /// Inverse hyperbolic cosine.
    Acosh "acosh" 1 |x, _y| x.acosh();
    /// Inverse hyperbolic tangent.
    Atanh "atanh" 1 |x, _y| x.atanh();
    /// Hyperbolic sine.
    Sinh "sinh" 1 |x, _y| x.sinh();
    /// Hyperbolic cosine.
    Cosh "cosh" 1 |x, _y| x.cosh();
    /// Hyperbolic tangent.
    Tanh "tanh" 1 |x, _y| x.tanh();
    /// Inverse square root.
    Rsqrt "rsqrt" 1 |x, _y| 1.0 / x.sqrt();
    /// Cube root.
    Cbrt "cbrt" 1 |x, _y| x.cbrt();
    /// Power.
    Powf "powf" 2 |x, y| x.powf(y);
}
