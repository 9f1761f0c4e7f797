//! The expansion of each operation.
use cube_ir::OpKind;
use cube_ir::ops::{arith, math, vector};
use cube_math::{Binary, Rounding, Unary};

/// A function that an expansion computes.
#[derive(Clone, Copy)]
pub enum Function {
    One(Unary),
    Two(Binary),
    SinCos,
    Clamp,
    Fused(Rounding),
    Root,
}

/// The function that an operation computes; `None` for operations without an expansion.
pub fn expansion(kind: OpKind) -> Option<Function> {
    use Function::{One, Two};
    Some(match kind {
        math::FMA | vector::FMA => Function::Fused(Rounding::Nearest),
        math::SQRT => Function::Root,
        math::SINCOS => Function::SinCos,
        math::CLAMPF => Function::Clamp,
        math::EXP => One(Unary::Exp),
        math::EXP2 => One(Unary::Exp2),
        math::EXPM1 => One(Unary::Expm1),
        math::LOG => One(Unary::Log),
        math::LOG2 => One(Unary::Log2),
        math::LOG10 => One(Unary::Log10),
        math::LOG1P => One(Unary::Log1p),
        math::SIN => One(Unary::Sin),
        math::COS => One(Unary::Cos),
        math::TAN => One(Unary::Tan),
        math::ASIN => One(Unary::Asin),
        math::ACOS => One(Unary::Acos),
        math::ATAN => One(Unary::Atan),
        math::SINH => One(Unary::Sinh),
        math::COSH => One(Unary::Cosh),
        math::TANH => One(Unary::Tanh),
        math::ASINH => One(Unary::Asinh),
        math::ACOSH => One(Unary::Acosh),
        math::ATANH => One(Unary::Atanh),
        math::ERF => One(Unary::Erf),
        math::ERFC => One(Unary::Erfc),
        math::CBRT => One(Unary::Cbrt),
        math::RSQRT => One(Unary::Rsqrt),
        math::FLOOR => One(Unary::Floor),
        math::CEIL => One(Unary::Ceil),
        math::TRUNC => One(Unary::Trunc),
        math::ROUND => One(Unary::RoundAway),
        math::ROUNDEVEN => One(Unary::RoundEven),
        math::ATAN2 => Two(Binary::Atan2),
        math::POWF => Two(Binary::Pow),
        arith::REMF => Two(Binary::Fmod),
        _ => return None,
    })
}

/// The name of the error bound of an operation in `semantics/tables/ulp.toml`; `None` for operations without a bound.
pub fn bound_name(kind: OpKind) -> Option<&'static str> {
    match expansion(kind) {
        Some(Function::One(function)) => Some(function.name()),
        Some(Function::Two(function)) => Some(function.name()),
        Some(Function::SinCos) => Some(Unary::Sin.name()),
        Some(Function::Clamp | Function::Fused(_) | Function::Root) => None,
        None => (kind == math::FPOWI).then_some("powi"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_semantics::tables::bound;

    #[test]
    fn each_bound_belongs_to_an_operation() {
        let named: Vec<_> = OpKind::all().filter_map(|kind| Some((kind, bound_name(kind)?))).collect();
        assert_eq!(named.len(), 33, "{named:?}");
        for (kind, name) in named {
            assert!(bound("f32", name).is_some() && bound("f64", name).is_some(), "{kind} has no bound {name}");
        }
        assert_eq!([math::FPOWI, math::POWF].map(bound_name), [Some("powi"), Some("pow")]);
        assert_eq!([math::SQRT, math::ABSF, arith::MULF].map(bound_name), [None; 3]);
    }

    // The comparison with the operation's name detects exchanged rows of the table.
    #[test]
    fn each_operation_expands_to_the_function_of_its_name() {
        let name = |function| match function {
            Function::One(Unary::RoundAway) => "math.round".into(),
            Function::One(Unary::RoundEven) => "math.roundeven".into(),
            Function::One(function) => format!("math.{}", function.name()),
            Function::Two(Binary::Pow) => "math.powf".into(),
            Function::Two(Binary::Fmod) => "arith.remf".into(),
            Function::Two(function) => format!("math.{}", function.name()),
            Function::SinCos => "math.sincos".into(),
            Function::Clamp => "math.clampf".into(),
            Function::Root => "math.sqrt".into(),
            Function::Fused(_) => "math.fma".into(),
        };
        let expanded = OpKind::all().filter_map(|kind| Some((kind, expansion(kind)?)));
        for (kind, function) in expanded.filter(|(kind, _)| *kind != vector::FMA) {
            assert_eq!(kind.name(), name(function));
        }
        let mut missing: Vec<&str> = Vec::new();
        for function in Unary::ALL {
            let has = OpKind::all().any(|kind| matches!(expansion(kind), Some(Function::One(own)) if own == *function));
            missing.extend((!has).then(|| function.name()));
        }
        // MLIR does not have an operation `math.exp10`.
        assert_eq!(missing, ["exp10"]);
    }
}
