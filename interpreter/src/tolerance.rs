//! Tolerances for differences from the interpreter's results. The tolerances are read from the tables
//! `semantics/tables/tolerance.toml` and `ulp.toml`.
use cube_dialect::Combine;
use cube_ir::ops::{arith, cube, llvm, math, vector};
use cube_ir::{Op, Val};
use cube_passes::legalize::expand_math::bound_name;
use cube_semantics::tables::{TOLERANCE, bound, entries};
use cube_target::Class;
use std::collections::HashMap;

/// Largest permitted distance between the elements of two results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// Units in the last place of each element.
    pub ulp: u64,
    /// Units in the last place of the largest element of the buffer.
    pub of_largest: u64,
}

impl Tolerance {
    /// Results must have equal bits, except in the payload of a NaN.
    pub const EXACT: Tolerance = Tolerance { ulp: 0, of_largest: 0 };

    /// A tolerance of `ulp` units in the last place.
    pub fn ulp(ulp: u64) -> Tolerance {
        Tolerance { ulp, of_largest: 0 }
    }

    /// The sum of the tolerances of all operations of a kernel.
    pub fn of_kernel(kernel: Op<'_>) -> Tolerance {
        let InexactOperations { functions, sums, flags } = InexactOperations::of(kernel);
        functions.and(sums).and(flags)
    }

    /// The tolerance of a pass for the result of a kernel with the operations in `before`.
    pub fn of_pass(pass: &str, before: InexactOperations) -> Tolerance {
        let own = match line("pass", pass).map(|(allowed, _)| allowed) {
            None => Tolerance::EXACT,
            Some(BY_FUNCTION) => before.functions,
            Some(_) if before.sums == Tolerance::EXACT => Tolerance::EXACT,
            Some(allowed) => fixed(allowed),
        };
        own.and(before.flags)
    }

    /// The sum of two tolerances, because errors add up.
    pub fn and(self, other: Tolerance) -> Tolerance {
        Tolerance { ulp: self.ulp + other.ulp, of_largest: self.of_largest + other.of_largest }
    }
}

/// Operations of a kernel whose result the compiler can change within a tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InexactOperations {
    /// Math functions.
    functions: Tolerance,
    /// Sums and products over units, which have an unspecified order.
    sums: Tolerance,
    /// Operations with fast-math flags.
    flags: Tolerance,
}

impl InexactOperations {
    /// Collects the operations of a kernel whose result can change within a tolerance.
    pub fn of(kernel: Op<'_>) -> InexactOperations {
        let mut all = InexactOperations::default();
        let mut errors = Errors::default();
        for op in kernel.walk() {
            errors.add(op);
            all.functions = all.functions.and(of_function(op));
            all.sums = all.sums.and(of_sum(op));
            // Flags allow the compiler to rewrite the whole kernel. The number of flags does not matter.
            if is_flagged(op) {
                all.flags = line("operation", "fastmath").map_or(Tolerance::EXACT, |(allowed, _)| fixed(allowed));
            }
        }
        // A product has the errors of all its factors.
        all.functions.ulp = all.functions.ulp.max(errors.of_products);
        all
    }

    /// The tolerance for kernels whose math functions are already expanded. Only fast-math flags and a
    /// different order of sums can change the result.
    pub fn of_order(self) -> Tolerance {
        self.sums.and(self.flags)
    }
}

const BY_FUNCTION: &str = "ulp.toml";

// Parses `exact`, `N ulp` or `N of largest`.
fn fixed(allowed: &str) -> Tolerance {
    let (number, unit) = allowed.split_once(' ').unwrap_or(("0", ""));
    let number = number.parse().unwrap_or(0);
    match unit {
        "ulp" => Tolerance::ulp(number),
        "of largest" => Tolerance { ulp: 0, of_largest: number },
        _ => Tolerance::EXACT,
    }
}

fn of_sum(op: Op<'_>) -> Tolerance {
    let word = Combine::on(op);
    let allowed = word.and_then(|word| line("operation", &format!("{} {}", op.name(), word.word())));
    allowed.map_or(Tolerance::EXACT, |(allowed, _)| fixed(allowed))
}

// Flags that allow a result to change. All other flags are assumptions about operands.
fn is_flagged(op: Op<'_>) -> bool {
    let has = |flags: Option<arith::FastMathFlags>| {
        use arith::FastMathFlags as F;
        flags.is_some_and(|flags| [F::REASSOC, F::CONTRACT, F::ARCP, F::AFN].iter().any(|flag| flags.contains(*flag)))
    };
    let has_llvm = |flags: Option<llvm::FastmathFlags>| {
        use llvm::FastmathFlags as F;
        flags.is_some_and(|flags| [F::REASSOC, F::CONTRACT, F::ARCP, F::AFN].iter().any(|flag| flags.contains(*flag)))
    };
    has(arith::FastMathFlags::of(op.attr("fastmath"))) || has_llvm(llvm::FastmathFlags::of(op.attr("fastmathFlags")))
}

// The published bound of a math function. A later subtraction can cancel terms. The same number of units of the largest
// element is therefore allowed.
fn of_function(op: Op<'_>) -> Tolerance {
    let allowed = bound_of(op);
    let stored = op.results().all(|r| r.uses().iter().all(|(user, _)| user.is(cube::STORE)));
    if stored { allowed } else { Tolerance { of_largest: allowed.ulp, ..allowed } }
}

/// Relative errors of math functions that products propagate, in units in the last place of one. Sums are not tracked,
/// because their terms can cancel out. The tolerance of sums is relative to the largest element of the buffer.
/// The analysis counts a loop as one iteration.
#[derive(Default)]
struct Errors<'p> {
    known: HashMap<Val<'p>, u64>,
    /// Largest error of a product, in units in the last place.
    of_products: u64,
}

impl<'p> Errors<'p> {
    /// Callers must add operations in order, and inner operations before the enclosing operation.
    fn add(&mut self, op: Op<'p>) {
        let mut error = match op.kind() {
            arith::MULF | arith::DIVF | math::FMA | vector::FMA => {
                let sum = op.operands().fold(0u64, |sum, value| sum.saturating_add(self.of(value)));
                // The compiler and the interpreter each round the product, with an error of half a unit. A unit of a
                // result near 1 is half as large as a unit near 2.
                let error = if sum == 0 { 0 } else { sum.saturating_add(1) };
                self.of_products = self.of_products.max(error.saturating_mul(2));
                error
            }
            _ => self.most(op).saturating_add(bound_of(op).ulp),
        };
        for block in op.regions().filter_map(|region| region.first_block()) {
            error = error.max(block.terminator().map_or(0, |end| self.most(end)));
        }
        let floats = op.results().filter(|r| {
            let element = cube_dialect::element_of(r.ty());
            element.is_some_and(|element| element.class() == Class::Float && element.is_computed())
        });
        self.known.extend(floats.filter(|_| error > 0).map(|result| (result, error)));
    }

    fn of(&self, value: Val<'p>) -> u64 {
        // The initial value of a loop. At this point, the error inside the loop is unknown.
        let from_outside = || {
            let around = value.block_arg().and_then(|(block, _)| block.parent())?;
            let values = around.operands().filter_map(|operand| self.known.get(&operand)).max();
            values.copied()
        };
        self.known.get(&value).copied().or_else(from_outside).unwrap_or(0)
    }

    fn most(&self, op: Op<'p>) -> u64 {
        op.operands().map(|value| self.of(value)).max().unwrap_or(0)
    }
}

fn bound_of(op: Op<'_>) -> Tolerance {
    let Some(function) = bound_name(op.kind()) else { return Tolerance::EXACT };
    let Some(result) = op.results().next() else { return Tolerance::EXACT };
    let Some(element) = cube_dialect::element_of(result.ty()) else { return Tolerance::EXACT };
    match element.computed_in() {
        // The function is computed in the wider format and rounded again. The second rounding adds half a unit.
        Some(wide) => Tolerance::ulp(u64::from(bound(wide.ir(), function).is_some_and(|bound| bound > 0.0))),
        // The interpreter's result is within half a unit of the exact result.
        None => Tolerance::ulp(
            bound(element.ir(), function).map_or(0, |bound| if bound > 0.0 { (bound + 0.5) as u64 } else { 0 }),
        ),
    }
}

// The tolerance of a table entry, and its reason.
fn line(section: &str, name: &str) -> Option<(&'static str, &'static str)> {
    entries(TOLERANCE).find(|(s, n, _)| *s == section && *n == name)?.2.split_once(": ")
}

/// The lines of a section of `semantics/tables/tolerance.toml`: name, tolerance, and reason.
pub fn lines(section: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let of = |(s, name, value): (&str, &'static str, &'static str)| {
        let (allowed, why) = value.split_once(": ").unwrap_or((value, ""));
        (s == section).then_some((name, allowed, why))
    };
    entries(TOLERANCE).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_ir::Session;

    fn of(text: &str) -> Tolerance {
        cube_passes::register();
        let session = Session::new();
        let module = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}"));
        Tolerance::of_kernel(module.op())
    }

    #[test]
    fn every_line_has_a_tolerance_and_a_reason() {
        let all: Vec<_> = ["operation", "pass", "backend"].iter().flat_map(|section| lines(section)).collect();
        assert_eq!(all.len(), entries(TOLERANCE).count(), "a line of an unknown section");
        for (name, allowed, why) in all {
            let known = matches!(allowed, "exact" | BY_FUNCTION) || fixed(allowed) != Tolerance::EXACT;
            assert!(known && why.len() > 4, "{name} = {allowed}: {why}");
        }
    }

    #[test]
    fn kernel_tolerance_follows_its_operations() {
        let kernel = |body: &str| format!("cube.kernel @k(%x: f32, %y: f64, %h: f16) {{ {body} cube.return }}");
        assert_eq!(of(&kernel("%a = arith.addf %x, %x : f32")), Tolerance::EXACT);
        assert_eq!(of(&kernel("%a = math.exp %x : f32 %b = math.tan %x : f32")), Tolerance::ulp(7));
        assert_eq!(of(&kernel("%a = math.floor %x : f32 %b = math.exp %h : f16")), Tolerance::ulp(1));
        assert_eq!(of(&kernel("%a = cube.plane_reduce addf %x : f32")), Tolerance::EXACT);
        let atomic = "%b = cube.alloc : !cube.shared<4 x f32> %0 = arith.constant 0 : i32 \
                      %a = cube.atomic_rmw WORD %x, %b[%0] : f32, !cube.shared<4 x f32>";
        assert_eq!(of(&kernel(&atomic.replace("WORD", "addf"))).of_largest, 64);
        assert_eq!(of(&kernel(&atomic.replace("WORD", "maxf"))), Tolerance::EXACT);
        // The third power of a function with an error of 2 units: three times the error, and two rounded products.
        let cubed = "%a = math.rsqrt %x : f32 %b = arith.mulf %a, %a : f32 %c = arith.mulf %b, %a : f32";
        assert_eq!(of(&kernel(cubed)).ulp, 2 * (3 * 2 + 2));
        let in_a_branch = "%a = math.rsqrt %x : f32 %t = arith.constant true %b = scf.if %t -> f32 { scf.yield %a : f32 } \
                           else { scf.yield %x : f32 } %c = arith.mulf %b, %x : f32";
        assert_eq!(of(&kernel(in_a_branch)).ulp, 2 * (2 + 1));
        assert_eq!(of(&kernel("%a = math.rsqrt %x : f32 %b = arith.mulf %x, %x : f32")).ulp, 2);
        assert_eq!(of(&kernel("%a = arith.addf %x, %x fastmath<reassoc> : f32")).of_largest, 16);
        assert_eq!(of(&kernel("%a = arith.addf %x, %x fastmath<nnan> : f32")), Tolerance::EXACT);
    }
}
