//! The fast-math flags that a rule requires because its two sides round differently.
use cube_rules::{Flags, Instance, Op, Term};
use cube_semantics::FloatOp;

#[derive(Default)]
struct Counts {
    functions: usize,
    fused: usize,
    quotients: usize,
    arithmetic: usize,
}

fn count(term: &Term) -> Counts {
    let mut counts = Counts::default();
    // The compiler evaluates terms in brackets, so these terms do not contain operations of the program.
    outside_brackets(term, &mut |op| match op {
        Op::Function(_) => counts.functions += 1,
        Op::Float(FloatOp::Fma) => counts.fused += 1,
        Op::Float(FloatOp::Div) => {
            counts.quotients += 1;
            counts.arithmetic += 1;
        }
        Op::Float(FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Sqrt) => counts.arithmetic += 1,
        _ => {}
    });
    counts
}

fn outside_brackets(term: &Term, visit: &mut dyn FnMut(Op)) {
    if let Term::Apply { op, args, .. } = term {
        visit(*op);
        args.iter().for_each(|arg| outside_brackets(arg, visit));
    }
}

/// The flags that the rule requires: `afn` for a math function, `contract` for a fused operation, `arcp` for a
/// division, and `reassoc` for regrouped operations. `exact` is true if both sides are equal without any
/// permission.
pub fn needed(instance: &Instance, exact: bool) -> Flags {
    let (pattern, replacement) = (count(&instance.pattern), count(&instance.replacement));
    let functions = pattern.functions + replacement.functions > 0;
    if exact && !functions {
        return Flags::NONE;
    }
    let mut flags = Flags::NONE;
    if functions {
        flags = flags | Flags::AFN;
    }
    let fuses = replacement.fused > pattern.fused;
    if fuses {
        flags = flags | Flags::CONTRACT;
    }
    if pattern.quotients > 0 {
        flags = flags | Flags::ARCP;
    }
    let root_is_sum = matches!(instance.pattern, Term::Apply { op: Op::Float(FloatOp::Add | FloatOp::Sub), .. });
    let plain = fuses && pattern.arithmetic == 2 && replacement.arithmetic == 0 && root_is_sum;
    if !functions && !plain && (pattern.arithmetic > 1 || flags == Flags::NONE) {
        flags = flags | Flags::REASSOC;
    }
    flags
}
