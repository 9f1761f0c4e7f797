//! Planted bugs: a test inserts one plausible bug in the output of each pass, to show that the bisection names the
//! right pass.
use cube_dialect::attributes::SHARED_OFFSET;
use cube_driver::Stage;
use cube_ir::{AttrExt, Builder, Op, TypeExt};

/// The kind of a bug that a test inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// An integer constant is one too large.
    Constant,
    /// A float constant is twice as large.
    Float,
    /// `<` becomes `<=`, `==` becomes `!=`.
    Predicate,
    /// `a - b` becomes `b - a`.
    Operands,
    /// `c ? a : b` becomes `c ? b : a`.
    Select,
    /// `a + b` becomes `a`.
    Stale,
    /// A store writes to the address of the adjacent line.
    Neighbour,
    /// A required check is removed.
    Unchecked,
    /// A loop has one iteration less.
    Iterations,
    /// A derived argument has a different expression.
    Derived,
    /// An atomic subtracts instead of adding.
    Atomic,
    /// A shuffle permutes its lanes in another order.
    Shuffle,
    /// A signed integer is zero-extended, converted as an unsigned number, or shifted logically.
    Sign,
    /// A branch takes the other arm.
    Branch,
    /// The last stride of a layout is one too large.
    Layout,
    /// A load in a loop moves before the loop.
    Early,
    /// An integer constant is one too small.
    Lower,
    /// `x < y` becomes `x <= y` between floats, `x == y` becomes false, "unordered" becomes true.
    Ordered,
    /// An unsigned number is sign-extended, shifted arithmetically, or compared as signed.
    Unsigned,
    /// An operation is replaced by its first operand: a bit operation, a shift, a subtraction, a division, a
    /// minimum, a maximum, a multiply-add, a square root or an operation on signs.
    FirstOperand,
    /// An allocation of shared or local memory is one line shorter.
    Shorter,
    /// A load, a vector store or an atomic accesses the address of the adjacent line.
    Elsewhere,
    /// A truncated number loses its lowest bit.
    Cut,
    /// The lower half of a wide product replaces the upper half.
    Half,
    /// A bitcast between floats and integers becomes a conversion, or a conversion to an integer of equal size becomes
    /// a bitcast.
    Recast,
    /// The operands of a comparison are swapped.
    Exchanged,
    /// An allocation of shared memory begins at the start of shared memory.
    Overlap,
}

/// All kinds of bugs that a test can insert.
pub const BUGS: &[Bug] = &[
    Bug::Constant,
    Bug::Float,
    Bug::Predicate,
    Bug::Operands,
    Bug::Select,
    Bug::Stale,
    Bug::Neighbour,
    Bug::Unchecked,
    Bug::Iterations,
    Bug::Derived,
    Bug::Atomic,
    Bug::Shuffle,
    Bug::Sign,
    Bug::Branch,
    Bug::Layout,
    Bug::Early,
    Bug::Lower,
    Bug::Ordered,
    Bug::Unsigned,
    Bug::FirstOperand,
    Bug::Shorter,
    Bug::Elsewhere,
    Bug::Cut,
    Bug::Half,
    Bug::Recast,
    Bug::Exchanged,
    Bug::Overlap,
];

/// Inserts a bug in the module of a stage. `site` counts the possible positions in the order of the text.
/// Returns whether the module has a position with the number `site`.
pub fn mutate(stage: &Stage<'_, '_>, how: Bug, site: usize) -> bool {
    mutate_module(stage.module.op(), how, site)
}

/// Inserts a bug in any module, like [`mutate`].
pub fn mutate_module(module: Op<'_>, how: Bug, site: usize) -> bool {
    let change: fn(Op<'_>) -> bool = match how {
        Bug::Constant => constant,
        Bug::Float => float,
        Bug::Predicate => predicate,
        Bug::Operands => operands,
        Bug::Select => select,
        Bug::Stale => stale,
        Bug::Neighbour => neighbour,
        Bug::Unchecked => unchecked,
        Bug::Iterations => iterations,
        Bug::Derived => derived,
        Bug::Atomic => atomic,
        Bug::Shuffle => shuffle,
        Bug::Sign => sign,
        Bug::Branch => branch,
        Bug::Layout => layout,
        Bug::Early => early,
        Bug::Lower => lower,
        Bug::Ordered => predicate,
        Bug::Unsigned => unsigned,
        Bug::FirstOperand => stale,
        Bug::Shorter => shorter,
        Bug::Elsewhere => elsewhere,
        Bug::Cut => cut,
        Bug::Half => half,
        Bug::Recast => recast,
        Bug::Exchanged => operands,
        Bug::Overlap => overlapping,
    };
    let possible = |op: &Op<'_>| is_place(*op, how);
    module.walk().into_iter().filter(possible).nth(site).is_some_and(change)
}

/// The operations of a stage that can receive the bug `how`; each with its name, result type and predicate
/// number.
pub fn sites(stage: &Stage<'_, '_>, how: Bug) -> Vec<String> {
    let named = |op: Op<'_>| {
        let ty = op.results().next().map(|result| format!(" {}", result.ty())).unwrap_or_default();
        let predicate = op.attr("predicate").and_then(|a| a.as_int());
        format!("{}{ty}{}", op.name(), predicate.map(|number| format!(" {number}")).unwrap_or_default())
    };
    stage.module.op().walk().into_iter().filter(|op| is_place(*op, how)).map(named).collect()
}

const BINARY: &[&str] =
    &["arith.addi", "arith.addf", "arith.muli", "arith.mulf", "llvm.add", "llvm.fadd", "llvm.mul", "llvm.fmul"];
const ORDERED: &[&str] = &[
    "arith.subi",
    "arith.subf",
    "arith.divf",
    "arith.divui",
    "arith.remui",
    "arith.shli",
    "cube.divui",
    "cube.remui",
    "cube.shl",
    "llvm.sub",
    "llvm.fsub",
    "llvm.fdiv",
    "llvm.udiv",
    "llvm.urem",
    "llvm.shl",
];

const REPLACED_BY_FIRST_OPERAND: &[&str] = &[
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.subi",
    "arith.shli",
    "arith.shrui",
    "arith.minui",
    "arith.maxui",
    "arith.minsi",
    "arith.maxsi",
    "arith.minimumf",
    "arith.maximumf",
    "arith.subf",
    "arith.divf",
    "math.copysign",
    "math.fma",
    "math.absf",
    "math.sqrt",
    "arith.negf",
];
const UNSIGNED: &[&str] =
    &["arith.extui", "arith.uitofp", "arith.fptoui", "arith.shrui", "arith.minui", "arith.maxui", "arith.index_castui"];
const ACCESSES_WITH_NEIGHBOUR: &[&str] =
    &["memref.load", "vector.load", "vector.store", "cube.atomic_rmw", "cube.atomic_store"];

fn is_place(op: Op<'_>, how: Bug) -> bool {
    let one_of = |names: &[&str]| names.contains(&op.name());
    match how {
        Bug::Constant => {
            one_of(&["arith.constant", "llvm.mlir.constant"]) && plain(op) && op.result(0).ty().bits() != Some(1)
        }
        Bug::Lower => op.is_named("arith.constant") && plain(op),
        Bug::Float => {
            op.is_named("arith.constant")
                && op.result(0).ty().is_fp()
                && op.attr("value").is_some_and(|a| a.as_float().is_some())
        }
        Bug::Predicate => one_of(&["arith.cmpi", "llvm.icmp"]),
        Bug::Operands => one_of(ORDERED),
        Bug::Select => one_of(&["arith.select", "llvm.select"]),
        Bug::Stale => one_of(BINARY) && op.operand(0) != op.operand(1),
        Bug::Neighbour => one_of(&["cube.store", "memref.store"]),
        Bug::Unchecked => one_of(&["cube.load", "cube.store"]),
        Bug::Iterations => op.is_named("scf.for"),
        Bug::Derived => op.is_named("cube.kernel"),
        Bug::Atomic => one_of(&["cube.atomic_rmw", "llvm.atomicrmw"]),
        Bug::Ordered => op.is_named("arith.cmpf"),
        Bug::Unsigned => one_of(UNSIGNED),
        Bug::FirstOperand => one_of(REPLACED_BY_FIRST_OPERAND),
        Bug::Shorter => op.is_named("memref.alloca"),
        Bug::Elsewhere => one_of(ACCESSES_WITH_NEIGHBOUR),
        Bug::Cut => op.is_named("arith.trunci"),
        Bug::Half => one_of(&["arith.mului_extended", "arith.mulsi_extended"]) && !op.result(1).uses().is_empty(),
        Bug::Recast => is_recast(op),
        Bug::Exchanged => one_of(&["arith.cmpi", "arith.cmpf"]),
        Bug::Overlap => cube_dialect::shared_offset(op).is_some_and(|offset| offset > 0),
        Bug::Shuffle => one_of(&["vector.shuffle", "llvm.shufflevector"]),
        Bug::Sign => one_of(&["arith.extsi", "arith.sitofp", "arith.shrsi", "llvm.sext"]),
        Bug::Branch => one_of(&["cf.cond_br", "llvm.cond_br"]),
        Bug::Layout => op.is_named("layout.constant") && !op.is_unused(),
        Bug::Early => {
            let loop_op = op.parent().filter(|parent| op.is_named("cube.load") && parent.is_named("scf.for"));
            loop_op.is_some_and(|loop_op| op.operands().all(|v| cube_passes::analysis::loops::is_outside(v, loop_op)))
        }
    }
}

fn is_recast(op: Op<'_>) -> bool {
    if !["arith.bitcast", "arith.fptosi"].contains(&op.name()) {
        return false;
    }
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    from.is_fp() != to.is_fp() && from.bits() == to.bits()
}

fn recast(op: Op<'_>) -> bool {
    let other = match (op.name(), op.operand(0).ty().is_fp()) {
        ("arith.fptosi", _) => "arith.bitcast",
        (_, true) => "arith.fptosi",
        (_, false) => "arith.sitofp",
    };
    let made = Builder::before(op).op(other).operands(&[op.operand(0)]).result(op.result(0).ty()).value();
    op.result(0).replace_all_uses(made);
    true
}

// Whether the operation is a scalar constant of an integer type or of the type `index`.
fn plain(op: Op<'_>) -> bool {
    let ty = op.result(0).ty();
    !ty.is_fp() && ty.is_scalar() && op.attr("value").is_some_and(|a| a.as_int().is_some())
}

fn layout(op: Op<'_>) -> bool {
    let text = op.attr("value").map(|a| a.to_string()).unwrap_or_default();
    let last = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let first = text[..last].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let Ok(stride) = text[first..last].parse::<u64>() else { return false };
    let changed = format!("{}{}{}", &text[..first], stride + 1, &text[last..]);
    op.cx().parse_attr(&changed).map(|attr| op.set_attr("value", attr)).is_some()
}

fn constant(op: Op<'_>) -> bool {
    let value = op.attr("value").and_then(|a| a.as_int()).unwrap_or(0);
    op.set_attr("value", op.cx().int_attr(op.result(0).ty(), value.wrapping_add(1)));
    true
}

fn lower(op: Op<'_>) -> bool {
    let value = op.attr("value").and_then(|a| a.as_int()).unwrap_or(0);
    op.set_attr("value", op.cx().int_attr(op.result(0).ty(), value.wrapping_sub(1)));
    true
}

fn float(op: Op<'_>) -> bool {
    let value = op.attr("value").and_then(|a| a.as_float()).unwrap_or(0.0);
    let value = if value == 0.0 { 1.0 } else { value * 2.0 };
    op.set_attr("value", op.cx().float_attr(op.result(0).ty(), value));
    true
}

fn early(op: Op<'_>) -> bool {
    op.parent().inspect(|loop_op| op.move_before(*loop_op)).is_some()
}

fn predicate(op: Op<'_>) -> bool {
    let number = op.attr("predicate").and_then(|a| a.as_int()).unwrap_or(0);
    op.set_attr("predicate", op.cx().int_attr(op.cx().int(64), number ^ 1));
    true
}

fn operands(op: Op<'_>) -> bool {
    op.set_operands(&[op.operand(1), op.operand(0)]);
    true
}

fn select(op: Op<'_>) -> bool {
    op.set_operands(&[op.operand(0), op.operand(2), op.operand(1)]);
    true
}

fn stale(op: Op<'_>) -> bool {
    op.result(0).replace_all_uses(op.operand(0));
    true
}

fn neighbour(op: Op<'_>) -> bool {
    let b = Builder::before(op);
    let ty = op.operand(2).ty();
    let one = b.op("arith.constant").attr("value", op.cx().int_attr(ty, 1)).result(ty).value();
    op.set_operand(2, b.addi(op.operand(2), one));
    true
}

fn shorter(op: Op<'_>) -> bool {
    let text = op.result(0).ty().to_string();
    let Some((lines, rest)) = text.strip_prefix("memref<").and_then(|rest| rest.split_once('x')) else { return false };
    let Ok(lines) = lines.parse::<u64>() else { return false };
    let shorter = op.cx().parse_type(&format!("memref<{}x{rest}", lines - 1));
    shorter.inspect(|ty| op.result(0).set_type(*ty)).is_some()
}

fn overlapping(op: Op<'_>) -> bool {
    op.set_attr(SHARED_OFFSET, op.cx().int_attr(op.cx().int(64), 0));
    true
}

fn half(op: Op<'_>) -> bool {
    op.result(1).replace_all_uses(op.result(0));
    true
}

// The lowest bit of the wide number is cleared before the truncation.
fn cut(op: Op<'_>) -> bool {
    let b = Builder::before(op);
    let wide = op.operand(0);
    op.set_operand(0, b.andi(wide, b.int(wide.ty(), -2)));
    true
}

// The index operand follows the buffer. A stored value precedes both.
fn elsewhere(op: Op<'_>) -> bool {
    let at = if op.name().ends_with("load") { 1 } else { 2 };
    let b = Builder::before(op);
    let ty = op.operand(at).ty();
    let one = b.op("arith.constant").attr("value", op.cx().int_attr(ty, 1)).result(ty).value();
    op.set_operand(at, b.addi(op.operand(at), one));
    true
}

fn unchecked(op: Op<'_>) -> bool {
    let inbounds = op.cx().parse_attr("#cube<bounds inbounds>");
    inbounds.inspect(|attr| op.set_attr("bounds", *attr)).is_some()
}

fn iterations(op: Op<'_>) -> bool {
    let b = Builder::before(op);
    let ty = op.operand(1).ty();
    let one = b.op("arith.constant").attr("value", op.cx().int_attr(ty, 1)).result(ty).value();
    op.set_operand(1, b.subi(op.operand(1), one));
    true
}

fn derived(op: Op<'_>) -> bool {
    let all = op.attr("arg_attrs").map(|a| a.to_string()).unwrap_or_default();
    let other = all.replace("shape(t, 0)", "shape(t, 1)").replace("min(sub(mul(", "min(max(mul(");
    let other = other.replace(", div(min(", ", ceildiv(min(");
    let parsed = op.cx().parse_attr(&other).filter(|_| other != all);
    parsed.inspect(|attr| op.set_attr("arg_attrs", *attr)).is_some()
}

fn atomic(op: Op<'_>) -> bool {
    if op.is_named("llvm.atomicrmw") {
        // `add` is 1 and `sub` is 2.
        op.set_attr("bin_op", op.cx().int_attr(op.cx().int(64), 2));
        return true;
    }
    op.cx().parse_attr("#cube<combine subi>").inspect(|attr| op.set_attr("kind", *attr)).is_some()
}

fn shuffle(op: Op<'_>) -> bool {
    let Some(mask) = op.attr("mask") else { return false };
    let narrow = mask.as_i32_array().map(|lanes| op.cx().i32_array(&rotated(lanes)));
    let wide = mask.as_i64_array().map(|lanes| op.cx().i64_array(&rotated(lanes)));
    narrow.or(wide).inspect(|attr| op.set_attr("mask", *attr)).is_some()
}

// Moves the first lane to the end. A single lane becomes the next lane.
fn rotated<T: From<i32> + Copy + std::ops::Add<Output = T>>(mut lanes: Vec<T>) -> Vec<T> {
    if let [only] = lanes.as_mut_slice() {
        *only = *only + T::from(1);
    }
    lanes.rotate_left(1);
    lanes
}

fn sign(op: Op<'_>) -> bool {
    let other = match op.name() {
        "arith.extsi" => "arith.extui",
        "arith.sitofp" => "arith.uitofp",
        "arith.shrsi" => "arith.shrui",
        _ => "llvm.zext",
    };
    let operands: Vec<_> = op.operands().collect();
    let made = Builder::before(op).op(other).operands(&operands).result(op.result(0).ty()).value();
    op.result(0).replace_all_uses(made);
    true
}

fn unsigned(op: Op<'_>) -> bool {
    let other = match op.name() {
        "arith.extui" => "arith.extsi",
        "arith.uitofp" => "arith.sitofp",
        "arith.fptoui" => "arith.fptosi",
        "arith.shrui" => "arith.shrsi",
        "arith.minui" => "arith.minsi",
        "arith.maxui" => "arith.maxsi",
        _ => "arith.index_cast",
    };
    let operands: Vec<_> = op.operands().collect();
    let made = Builder::before(op).op(other).operands(&operands).result(op.result(0).ty()).value();
    op.result(0).replace_all_uses(made);
    true
}

// Negates the condition by comparing it with false.
fn branch(op: Op<'_>) -> bool {
    let b = Builder::before(op);
    let bool = op.cx().int(1);
    let (constant, xor) =
        if op.is_named("cf.cond_br") { ("arith.constant", "arith.xori") } else { ("llvm.mlir.constant", "llvm.xor") };
    let yes = b.op(constant).attr("value", op.cx().int_attr(bool, 1)).result(bool).value();
    let other = b.op(xor).operands(&[op.operand(0), yes]).result(bool).value();
    op.set_operand(0, other);
    true
}
