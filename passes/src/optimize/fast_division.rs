//! Divisions of unsigned integers by values known at launch become multiplications.
//!
//! ```mlir
//! cube.kernel @k(%n: i32)             cube.kernel @k(%n: i32, %n_mul: i32 {cube.derived = "magic_mul(n)"}, ...)
//!   %q = cube.divui %x, %n              %t = (high half of) arith.mului_extended %x, %n_mul
//!                                       %q = (%t + ((%x - %t) >> %n_shift_1)) >> %n_shift_2
//!   %r = cube.remui %x, %n              %r = %x - %q * (%n or 1)
//! ```
//!
//! The divisor is a scalar argument, or a value that the runtime computes, such as a shape. The multiplier and the
//! shifts are computed once per launch (runtime/artifact/src/derived.rs, after Granlund and Montgomery, 1994, figure
//! 4.1). The formula holds for every dividend and every divisor. For a divisor of 0 the numbers are those of 1, as the
//! kernel language defines x / 0 and x % 0. Cost: linear; three arguments per divisor, and about five operations
//! instead of 20 to 40 on a GPU or a division without vector form on a CPU.
use cube_dialect::attributes::DERIVED;
use cube_dialect::ops;
use cube_ir::ops::{arith, vector};
use cube_ir::{AttrExt, Builder, Failed, Op, PassResult, Run, Type, TypeExt, Val, pass};
use std::collections::HashMap;

pass! {
    name: "fast-division",
    summary: "turns unsigned divisions by values known at launch into multiplications",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "vector"],
    statistics: ["divisions replaced", "divisors"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let mut magics: HashMap<Val<'p>, Magic<'p>> = HashMap::new();
    for op in run.root().walk() {
        let Some(remainder) = division(op) else { continue };
        let (x, divisor) = (op.operand(0), op.operand(1));
        let Some(n) = scalar_of(divisor) else { continue };
        let Some((name, expression)) = known_to_host(kernel, n) else { continue };
        let magic = match magics.get(&n) {
            Some(known) => *known,
            None => *magics.entry(n).or_insert(Magic::new(kernel, n, &name, &expression)?),
        };
        let b = run.before(op);
        let quotient = magic.divide(b, x);
        let result = if remainder { magic.rest(b, x, quotient) } else { quotient };
        run.replace(op, &[result]);
        run.count("divisions replaced", 1);
    }
    run.count("divisors", magics.len() as u64);
    Ok(())
}

// Whether an operation is a remainder, if it is an unsigned division at all.
fn division(op: Op<'_>) -> Option<bool> {
    let bits = op.results().next()?.ty().element().bits();
    if !matches!(bits, Some(32 | 64)) {
        return None;
    }
    match op.kind() {
        ops::Divui::KIND | arith::DIVUI => Some(false),
        ops::Remui::KIND | arith::REMUI => Some(true),
        _ => None,
    }
}

// The scalar that all lanes of a value are.
fn scalar_of(value: Val<'_>) -> Option<Val<'_>> {
    match value.ty().is_scalar() {
        true => Some(value),
        false => value.def_of(vector::BROADCAST).map(|op| op.operand(0)).filter(|v| v.ty().is_scalar()),
    }
}

// The name of an argument and the expression by which the runtime knows it.
fn known_to_host<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<(String, String)> {
    let (_, index) = value.block_arg().filter(|(block, _)| block.parent() == Some(kernel.op()))?;
    let name = kernel.arg_name(index);
    let derived = kernel.arg_attrs().and_then(|a| a.item(index)).and_then(|a| a.entry(DERIVED));
    let expression = derived.and_then(|text| text.as_str()).map_or_else(|| name.clone(), String::from);
    Some((name, expression))
}

/// Numbers that the runtime computes for a divisor.
#[derive(Clone, Copy)]
struct Magic<'p> {
    n: Val<'p>,
    mul: Val<'p>,
    shifts: [Val<'p>; 2],
}

impl<'p> Magic<'p> {
    fn new(kernel: ops::Kernel<'p>, n: Val<'p>, name: &str, expression: &str) -> Result<Self, Failed> {
        let width = if n.ty().bits() == Some(64) { "64" } else { "" };
        let shift = format!("magic_shift{width}({expression})");
        let add = |what: &str, expression: &str| {
            kernel.add_derived(&format!("{name}_{what}"), expression, n.ty()).ok_or(Failed)
        };
        Ok(Magic {
            n,
            mul: add("mul", &format!("magic_mul{width}({expression})"))?,
            shifts: [
                add("shift_1", &format!("min({shift}, 1)"))?,
                add("shift_2", &format!("sub(max({shift}, 1), 1)"))?,
            ],
        })
    }

    fn divide(self, b: Builder<'p>, x: Val<'p>) -> Val<'p> {
        let ty = x.ty();
        let [mul, first, second] = [self.mul, self.shifts[0], self.shifts[1]].map(|v| in_all_lanes(b, v, ty));
        let t = b.op(arith::MULUI_EXTENDED).operands(&[x, mul]).results(&[ty, ty]).build().result(1);
        b.shrui(b.addi(t, b.shrui(b.subi(x, t), first)), second)
    }

    fn rest(self, b: Builder<'p>, x: Val<'p>, quotient: Val<'p>) -> Val<'p> {
        let n = b.maxui(self.n, b.int(self.n.ty(), 1));
        b.subi(x, b.muli(quotient, in_all_lanes(b, n, x.ty())))
    }
}

fn in_all_lanes<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    if !ty.is_scalar() { b.cast(vector::BROADCAST, value, ty) } else { value }
}
