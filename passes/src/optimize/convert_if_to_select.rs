//! Replaces a branch by selects, if both arms contain only cheap arithmetic.
//!
//! ```mlir
//! %r = scf.if %p -> (f32) {              %s = arith.mulf %x, %y
//!   %s = arith.mulf %x, %y               %r = arith.select %p, %s, %x
//!   scf.yield %s
//! } else {
//!   scf.yield %x
//! }
//! ```
//!
//! A branch costs a jump, and in divergent code also the reconvergence of the lanes. If a select replaces the branch,
//! each unit executes both arms. The pass therefore compares the cost of both arms and of the selects with a limit. The
//! target description defines the costs (`cube_rules::cost`). A branch that contains a division, square root, math
//! function, memory access, call or nested branch is kept.
//!
//! Invariant: every moved operation has a defined value for all operands, and a select returns the bits of one operand,
//! also for a NaN and for -0. Moved operations can keep their fast-math flags, because the select ignores the value of
//! the arm that is not taken. Cost: linear.
use super::egraph::ingest::{Term, term_of, time_of};
use crate::native::Native;
use cube_ir::ops::{arith, scf};
use cube_ir::properties::{is_pure, is_terminator};
use cube_ir::{Block, Op, PassResult, Run, TypeExt, Val, pass};
use cube_semantics::{FloatOp, IntOp};
use cube_target::{CostClass, Target};

/// Maximum number of operations of an arm.
const MAX_OPERATIONS: usize = 16;

pass! {
    name: "convert-if-to-select",
    summary: "replaces branches whose arms are cheap arithmetic by selects",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "scf"],
    options: {
        limit: Int(600) = "highest cost of both arms and the selects, in hundredths of an f32 multiply-add",
    },
    statistics: ["branches converted", "branches kept"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let native = Native::of(run.root());
    let mut changed = false;
    // Inner branches come first, because an outer branch with an inner branch is kept.
    for branch in run.root().walk().into_iter().filter(|op| op.is(scf::IF) && op.results().len() > 0) {
        match convert(run, branch, native.target()) {
            Ok(cost) => {
                let what = format!("both arms run and selects choose the results, because their cost is {cost}");
                run.passed(branch, "select", what);
                run.count("branches converted", 1);
                changed = true;
            }
            Err(why) => {
                run.analysis(branch, "branch", format_args!("the branch stays, because {why}"));
                run.count("branches kept", 1);
            }
        }
    }
    if !changed {
        run.unchanged();
    }
    Ok(())
}

// Converts the branch and returns the cost of the new operations, or returns the reason why the branch stays.
fn convert<'p>(run: &mut Run<'p>, branch: Op<'p>, target: &Target) -> Result<u64, String> {
    let arms: Vec<Block<'p>> = branch.regions().filter_map(|region| region.first_block()).collect();
    let [yes, no] = arms[..] else { return Err("an arm is missing".into()) };
    let (Some(of_yes), Some(of_no)) = (yes.terminator(), no.terminator()) else {
        return Err("an arm has no end".into());
    };
    let moved: Vec<Op<'p>> = [yes, no].into_iter().flat_map(|arm| arm.ops()).filter(|op| !is_terminator(*op)).collect();
    if moved.len() > 2 * MAX_OPERATIONS {
        return Err(format!("its arms have {} operations", moved.len()));
    }
    let mut cost = 0;
    for op in &moved {
        cost += time_of_cheap(*op, target).ok_or_else(|| format!("'{}' is not cheap arithmetic", op.name()))?;
    }
    let chosen: Vec<(Val<'p>, Val<'p>)> = of_yes.operands().zip(of_no.operands()).collect();
    for (value, _) in chosen.iter().filter(|(x, y)| x != y) {
        cost += time_of_select(*value, target).ok_or("a result has no select")?;
    }
    let limit = run.int("limit").max(0) as u64;
    if cost > limit {
        return Err(format!("its arms and the selects cost {cost}, more than {limit}"));
    }
    moved.iter().for_each(|op| op.move_before(branch));
    let b = run.before(branch);
    let condition = branch.operand(0);
    let select = |(x, y): (Val<'p>, Val<'p>)| if x == y { x } else { b.select(condition, x, y) };
    let results: Vec<Val<'p>> = chosen.into_iter().map(select).collect();
    run.replace(branch, &results);
    Ok(cost)
}

// The cost of an operation that can run in units that do not take its arm. `None` for an operation that is not cheap or
// not defined for all operands.
fn time_of_cheap(op: Op<'_>, target: &Target) -> Option<u64> {
    if op.is(arith::CONSTANT) {
        return Some(0);
    }
    let (term, _) = term_of(op).filter(|_| is_pure(op))?;
    let is_cheap = match term {
        Term::Int(int) => !matches!(
            int,
            IntOp::TotalDivU | IntOp::TotalDivS | IntOp::TotalRemU | IntOp::TotalRemS | IntOp::DivU | IntOp::RemU
        ),
        Term::Float(float) => !matches!(float, FloatOp::Div | FloatOp::Rem | FloatOp::Sqrt),
        Term::CompareInts(_) | Term::CompareFloats(_) | Term::Select | Term::Convert(_) | Term::Splat => true,
        Term::Function(_) | Term::View => false,
    };
    is_cheap.then(|| time_of(op, target)).flatten()
}

// The cost of a select between two values of a type. `None` for a type that is not a number or a vector of numbers.
fn time_of_select(value: Val<'_>, target: &Target) -> Option<u64> {
    let ty = value.ty();
    let computed = |bits: u32| matches!(bits, 1 | 8 | 16 | 32 | 64);
    let element = ty.element();
    let bits = if element.is_index() { 64 } else { ty.bits().filter(|bits| computed(*bits))? };
    if !(element.is_index() || element.is_int() || cube_dialect::element_of(element)?.is_computed()) {
        return None;
    }
    Some(u64::from(target.cost(CostClass::AddInt)) * ty.line_size()? * if bits > 32 { 2 } else { 1 })
}
