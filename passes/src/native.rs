//! The native operations of a module's chip, which legalisation keeps.
//!
//! A module without a chip description has the native operations of [`Target::generic`]: the operations that every
//! chip has.
pub use cube_dialect::element_of;
use cube_dialect::{ops::INTEGER_FUNCTIONS, target_of};
use cube_ir::ops::{arith, math, vector};
use cube_ir::{Op, OpKind, Type};
use cube_semantics::tables::bound;
use cube_target::{Class, CostClass, Element, IntegerFunction, MathAccuracy, MathFunction, Support, Target};
use std::cell::OnceCell;
use std::sync::Arc;

/// The float function that each operation computes.
const FLOATS: &[(OpKind, MathFunction)] = &[
    (math::ABSF, MathFunction::Abs),
    (math::CEIL, MathFunction::Ceil),
    (math::COPYSIGN, MathFunction::Copysign),
    (math::FLOOR, MathFunction::Floor),
    (math::ROUND, MathFunction::RoundAway),
    (math::ROUNDEVEN, MathFunction::RoundEven),
    (math::TRUNC, MathFunction::Trunc),
    (math::FMA, MathFunction::Fma),
    (vector::FMA, MathFunction::Fma),
    (math::SQRT, MathFunction::Sqrt),
    (arith::MAXIMUMF, MathFunction::MinMax),
    (arith::MINIMUMF, MathFunction::MinMax),
    (arith::MAXNUMF, MathFunction::MinMax),
    (arith::MINNUMF, MathFunction::MinMax),
    (math::RSQRT, MathFunction::Rsqrt),
    (math::EXP2, MathFunction::Exp2),
    (math::LOG2, MathFunction::Log2),
    (math::EXP, MathFunction::Exp),
    (math::LOG, MathFunction::Log),
    (math::SIN, MathFunction::Sin),
    (math::COS, MathFunction::Cos),
    (math::TAN, MathFunction::Tan),
    (math::TANH, MathFunction::Tanh),
    (math::POWF, MathFunction::Pow),
];

/// The integer function of each upstream operation, as the target description names it. The functions of the operations
/// of the dialect `cube` are in [`cube_dialect::ops::INTEGER_FUNCTIONS`].
const UPSTREAM_INTEGERS: &[(OpKind, IntegerFunction)] = &[
    (arith::MULUI_EXTENDED, IntegerFunction::MulWide),
    (arith::MULSI_EXTENDED, IntegerFunction::MulWide),
    (arith::ADDUI_EXTENDED, IntegerFunction::AddCarry),
    (arith::DIVUI, IntegerFunction::Division),
    (arith::DIVSI, IntegerFunction::Division),
    (arith::REMUI, IntegerFunction::Division),
    (arith::REMSI, IntegerFunction::Division),
    (math::CTPOP, IntegerFunction::CountOnes),
    (math::CTLZ, IntegerFunction::LeadingZeros),
    (math::CTTZ, IntegerFunction::TrailingZeros),
];

/// Operations that every chip has for every type with instructions.
const OF_EVERY_CHIP: &[(OpKind, Class)] = &[
    (arith::ADDF, Class::Float),
    (arith::SUBF, Class::Float),
    (arith::MULF, Class::Float),
    (arith::DIVF, Class::Float),
    (arith::NEGF, Class::Float),
    (arith::CMPF, Class::Float),
    (arith::ADDI, Class::Int),
    (arith::SUBI, Class::Int),
    (arith::MULI, Class::Int),
    (arith::ANDI, Class::Int),
    (arith::ORI, Class::Int),
    (arith::XORI, Class::Int),
    (arith::CMPI, Class::Int),
];

/// The operations on numbers whose support depends on the chip or on the type, each with the class of its operands.
pub fn listed() -> impl Iterator<Item = (OpKind, Class)> {
    let floats = FLOATS.iter().map(|(kind, _)| (*kind, Class::Float));
    let integers = integers().map(|(kind, _)| (kind, Class::Int));
    OF_EVERY_CHIP.iter().copied().chain(floats).chain(integers)
}

// The integer function of each operation that has one.
fn integers() -> impl Iterator<Item = (OpKind, IntegerFunction)> {
    UPSTREAM_INTEGERS.iter().chain(INTEGER_FUNCTIONS).copied()
}

/// Support of a chip for an operation of [`listed`] on an element type that kernels compute with; `None` if the chip
/// refuses the type.
pub fn support(target: &Target, kind: OpKind, element: Element) -> Option<Support> {
    let native = match (target.arithmetic(element)?, math_function(kind), integer_function(kind)) {
        (Support::Storage, ..) => return None,
        (Support::Emulated, ..) => false,
        (Support::Native, Some(function), _) => keeps_math(target, function, element),
        (Support::Native, _, Some(function)) => target.has_integer(function, element),
        (Support::Native, None, None) => true,
    };
    Some(if native { Support::Native } else { Support::Emulated })
}

// Whether legalisation keeps a float function, because its error is within the bound in `semantics/tables/ulp.toml`.
fn keeps_math(target: &Target, function: MathFunction, element: Element) -> bool {
    // The second rounding of a fused product can be wrong by one unit. For AMD GPUs, and for NVIDIA GPUs before sm_80, LLVM computes
    // the fused product of bf16 so; on the CPU, `promote-half-arithmetic` rounds once.
    let through_f32 = match target.backend.as_str() {
        "amdgpu" => true,
        // The description lists the function for bf16 where the chip has `fma.rn.bf16`.
        "nvptx" => !target.math.get(&function).is_some_and(|elements| elements.contains_key(&element)),
        _ => false,
    };
    if function == MathFunction::Fma && through_f32 && target.arithmetic(element) == Some(Support::Emulated) {
        return false;
    }
    // Functions of f16 and bf16 are computed in f32 and rounded a second time. The error is less than 1.5 units in the
    // last place.
    let published = function.bound_name().and_then(|name| bound(element.ir(), name));
    target.math_accuracy(function, element).is_some_and(|accuracy| accuracy.satisfies(published))
}

/// Whether the code generator of a target unrolls loops with the attribute `cube.unroll`, as LLVM does. Shading languages have no
/// attribute that a driver must obey.
pub fn unrolls_loops(target: &Target) -> bool {
    !target.typed_memory
}

/// The float function that an operation computes.
pub fn math_function(kind: OpKind) -> Option<MathFunction> {
    FLOATS.iter().find(|(own, _)| *own == kind).map(|(_, function)| *function)
}

/// The integer function that an operation computes.
pub fn integer_function(kind: OpKind) -> Option<IntegerFunction> {
    integers().find(|(own, _)| *own == kind).map(|(_, function)| function)
}

/// The description of a module's chip, which is read at the first query.
pub struct Native<'p> {
    root: Op<'p>,
    target: OnceCell<Arc<Target>>,
}

impl<'p> Native<'p> {
    /// The native operations for the module of `root`.
    pub fn of(root: Op<'p>) -> Self {
        Native { root, target: OnceCell::new() }
    }

    /// The description of the chip.
    pub fn target(&self) -> &Target {
        self.target.get_or_init(|| target_of(self.root))
    }

    /// Whether the chip computes a float function within the bound that `semantics/tables/ulp.toml` publishes for the
    /// function.
    pub fn has_math(&self, function: MathFunction, element: Element) -> bool {
        keeps_math(self.target(), function, element)
    }

    /// Whether the error of a function on the chip is at most a number of ULP, for normal operands and results.
    pub fn has_near(&self, function: MathFunction, element: Element, units: u32) -> bool {
        self.target().math_accuracy(function, element).is_some_and(|accuracy| accuracy.is_near(units))
    }

    /// The largest error of the chip's division in ULP, for normal quotients and divisors of at most the inverse of the
    /// smallest normal number. Another pass reports a float type for which the chip has no instructions.
    pub fn division_error(&self, element: Element) -> f64 {
        let accuracy = self.target().math_accuracy(MathFunction::Div, element);
        accuracy.and_then(MathAccuracy::units).unwrap_or(0.5)
    }

    /// Whether the chip has an integer operation.
    pub fn has_integer(&self, function: IntegerFunction, element: Element) -> bool {
        self.target().has_integer(function, element)
    }

    /// Whether the chip has the operation `op` for the type of its first operand. The result is `false` for an
    /// operation that no table of this file lists.
    pub fn has(&self, op: Op<'p>) -> bool {
        let element = op.operands().next().and_then(|value| element_of(value.ty()));
        match (math_function(op.kind()), integer_function(op.kind())) {
            (Some(function), _) => element.is_some_and(|element| self.has_math(function, element)),
            // If a code generator supports the operation for each listed width, it supports the operation for every
            // width.
            (_, Some(function)) => match element {
                Some(element) => self.has_integer(function, element),
                None => Element::ALL.iter().all(|e| e.class() == Class::Float || self.has_integer(function, *e)),
            },
            (None, None) => OF_EVERY_CHIP.iter().any(|(own, _)| *own == op.kind()),
        }
    }

    /// Whether the chip has an operation that converts `from` to the narrower float `to` with a single
    /// rounding.
    pub fn converts(&self, from: Type<'p>, to: Type<'p>) -> bool {
        let types = element_of(from).zip(element_of(to));
        types.is_some_and(|(from, to)| self.target().converts(from, to))
    }

    /// Whether the `single` operations (f32 and integers) are preferable to the `double` operations (f64), because the
    /// chip has no f64 or a slower f64. The arguments `single` and `double` list the number of operations in
    /// each cost class.
    pub fn prefers(&self, single: &[(CostClass, u32)], double: &[(CostClass, u32)]) -> bool {
        let target = self.target();
        let cost = |all: &[(CostClass, u32)]| all.iter().map(|(class, count)| target.cost(*class) * count).sum::<u32>();
        target.arithmetic(Element::F64) != Some(Support::Native) || cost(single) < cost(double)
    }

    /// The name of the chip in messages.
    pub fn name(&self) -> String {
        match self.target() {
            target if target.is_generic() => "a module without a target description (see attach-target)".into(),
            target => target.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::element_of;
    use cube_ir::{Cx, Session, TypeExt};
    use cube_target::{Element, IntegerFunction, MathFunction};

    #[test]
    fn every_integer_function_of_a_description_has_an_operation() {
        for function in IntegerFunction::ALL {
            assert!(super::integers().any(|(_, own)| own == function), "{function:?}");
        }
    }

    #[test]
    fn each_operation_computes_the_function_of_its_name() {
        for (kind, function) in super::FLOATS {
            let own = kind.name().split_once('.').expect("a dialect").1;
            let name = format!("{function:?}").to_lowercase();
            let expected: &[&str] = match function {
                MathFunction::Abs => &["absf"],
                MathFunction::RoundAway => &["round"],
                MathFunction::MinMax => &["maximumf", "minimumf", "maxnumf", "minnumf"],
                MathFunction::Pow => &["powf"],
                _ => &[&name],
            };
            assert!(expected.contains(&own), "{} computes {function:?}", kind.name());
        }
        let mut kinds: Vec<&str> = super::FLOATS.iter().map(|(kind, _)| kind.name()).collect();
        let rows = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!((rows, kinds.len()), (24, 24), "an operation has two rows");
    }

    #[test]
    fn chip_has_no_unlisted_operation() {
        crate::register();
        let session = Session::new();
        session.context().set_allow_unregistered_dialects(true);
        let text = "cube.kernel @k(%f: f32, %n: i32) {
            %a = arith.addf %f, %f : f32
            %b = arith.addi %n, %n : i32
            %c = arith.remf %f, %f : f32
            %d = arith.shli %n, %n : i32
            %e = math.erf %f : f32
            %g = math.absf %f : f32
            \"test.unknown\"(%f) : (f32) -> ()
            cube.return
        }";
        let module = session.parse(text.as_bytes(), "k.mlir").expect("a kernel");
        let native = super::Native::of(module.op());
        let has = |name: &str| {
            let op = module.op().walk().into_iter().find(|op| op.name() == name);
            native.has(op.unwrap_or_else(|| panic!("no {name}")))
        };
        assert_eq!(["arith.addf", "arith.addi", "math.absf"].map(has), [true; 3]);
        assert_eq!(["arith.remf", "arith.shli", "math.erf", "test.unknown"].map(has), [false; 4]);
    }

    #[test]
    fn element_type_matches_its_text() {
        crate::register();
        let session = Session::new();
        // Parsing a module loads the dialect.
        session.parse(b"cube.kernel @k() { cube.return }", "k.mlir").expect("a kernel");
        let cx = Cx::new(session.context());
        let own = Element::ALL.iter().map(|element| element.ir());
        let others = ["index", "i4", "i24", "i128", "si32", "ui8", "f80", "f128", "f8E4M3", "f8E5M2FNUZ", "f4E2M1FN"];
        for text in own.chain(others).chain(["!cube.param<@T>", "none"]) {
            let ty = cx.parse_type(text).unwrap_or_else(|| panic!("{text} is a type"));
            assert_eq!(element_of(ty), Element::from_ir(text), "{text}");
            if ty.bits().is_some() && !text.starts_with('!') {
                assert_eq!(element_of(cx.vector(4, ty)), Element::from_ir(text), "vector of {text}");
            }
        }
    }
}
