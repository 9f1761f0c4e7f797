//! CPU: atomics become LLVM's, relaxed (`monotonic`): each is one step, and none orders anything else.
//!
//! ```mlir
//! %r = cube.atomic_rmw addi %v, %m[%i] : i32     %p = llvm.getelementptr %base[%i]
//!                                                %r = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
//! ```
//!
//! Numbers that are no integers are moved as their bits. Every address is aligned to its number, as buffers and pieces
//! are. Needs `expand-atomics` before it. Cost: linear.
use cube_dialect::{Combine, ops};
use cube_ir::{Builder, Cx, Failed, PassResult, Run, Type, TypeExt, Val, pass};

pass! {
    name: "atomics-to-instructions",
    summary: "turns atomics into those of LLVM (CPU)",
    on: "builtin.module",
    level: Lowered => Lowered,
    dialects: ["arith", "llvm"],
    statistics: ["atomics"],
    run: run,
}

/// `llvm.atomicrmw` and orderings by the dialect's numbers.
const MONOTONIC: i64 = 2;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let b = run.before(op);
        let value = if let Some(load) = ops::AtomicLoad::of(op) {
            let at = address(b, load.buffer(), load.index());
            let ty = op.result(0).ty();
            let bits = access(b, "llvm.load", &[at], ty).result(int_of(b.cx(), ty)).value();
            Some(number(b, bits, ty))
        } else if let Some(store) = ops::AtomicStore::of(op) {
            let at = address(b, store.buffer(), store.index());
            access(b, "llvm.store", &[bits(b, store.value()), at], store.value().ty()).build();
            None
        } else if let Some(rmw) = ops::AtomicRmw::of(op) {
            Some(modify(b, rmw)?)
        } else if let Some(cas) = ops::AtomicCas::of(op) {
            Some(compare(b, cas))
        } else {
            continue;
        };
        run.replace(op, value.as_slice());
        run.count("atomics", 1);
    }
    Ok(())
}

fn int_of<'p>(cx: Cx<'p>, ty: Type<'p>) -> Type<'p> {
    if ty.is_fp() { cx.int(ty.bits().unwrap_or(32)) } else { ty }
}

fn bits<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    if value.ty().is_fp() { b.cast("arith.bitcast", value, int_of(b.cx(), value.ty())) } else { value }
}

fn number<'p>(b: Builder<'p>, bits: Val<'p>, ty: Type<'p>) -> Val<'p> {
    if ty.is_fp() { b.cast("arith.bitcast", bits, ty) } else { bits }
}

// A load or store with an order and an alignment.
fn access<'p, 'f>(b: Builder<'p>, name: &'f str, operands: &[Val<'p>], ty: Type<'p>) -> cube_ir::OpSpec<'p, 'f> {
    let i64t = b.cx().int(64);
    let bytes = i64::from(ty.bits().unwrap_or(64).div_ceil(8));
    b.op(name)
        .operands(operands)
        .attr("ordering", b.cx().int_attr(i64t, MONOTONIC))
        .attr("alignment", b.cx().int_attr(i64t, bytes))
}

// The pointer inside a memref, which finalize-memref-to-llvm makes a structure whose second part is the aligned pointer.
fn address<'p>(b: Builder<'p>, memref: Val<'p>, index: Val<'p>) -> Val<'p> {
    let text = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>";
    let descriptor = b.cx().parse_type(text).expect("llvm is loaded");
    let (ptr, i64t) = (b.cx().llvm_ptr(0), b.cx().int(64));
    let parts = b.cast("builtin.unrealized_conversion_cast", memref, descriptor);
    let base =
        b.op("llvm.extractvalue").operands(&[parts]).attr("position", b.cx().i64_array(&[1])).result(ptr).value();
    let wide = b.cast("arith.index_castui", index, i64t);
    b.op("llvm.getelementptr")
        .operands(&[base, wide])
        .attr("rawConstantIndices", b.cx().i32_array(&[i32::MIN]))
        .attr("elem_type", b.cx().type_attr(memref.ty().element()))
        .result(ptr)
        .value()
}

fn modify<'p>(b: Builder<'p>, rmw: ops::AtomicRmw<'p>) -> Result<Val<'p>, Failed> {
    // The dialect's numbers: xchg 0, add 1, sub 2, and 3, or 5, xor 6, max 7, min 8, umax 9, umin 10.
    let number_of = |kind| {
        Some(match kind {
            Combine::Exchange => 0,
            Combine::AddI => 1,
            Combine::SubI => 2,
            Combine::AndI => 3,
            Combine::OrI => 5,
            Combine::XOrI => 6,
            Combine::MaxSI => 7,
            Combine::MinSI => 8,
            Combine::MaxUI => 9,
            Combine::MinUI => 10,
            _ => return None,
        })
    };
    let Some(kind) = Combine::of(rmw.kind()).and_then(number_of) else {
        rmw.op().error("'cube.atomic_rmw' of this kind has no instruction; run expand-atomics before [CUBE0344]");
        return Err(Failed);
    };
    let ty = rmw.value().ty();
    let at = address(b, rmw.buffer(), rmw.index());
    let old = access(b, "llvm.atomicrmw", &[at, bits(b, rmw.value())], ty)
        .attr("bin_op", b.cx().int_attr(b.cx().int(64), kind))
        .result(int_of(b.cx(), ty))
        .value();
    Ok(number(b, old, ty))
}

fn compare<'p>(b: Builder<'p>, cas: ops::AtomicCas<'p>) -> Val<'p> {
    let ty = cas.value().ty();
    let int = int_of(b.cx(), ty);
    let i64t = b.cx().int(64);
    let at = address(b, cas.buffer(), cas.index());
    let pair = b.cx().parse_type(&format!("!llvm.struct<({int}, i1)>")).expect("llvm is loaded");
    let both = b
        .op("llvm.cmpxchg")
        .operands(&[at, bits(b, cas.expected()), bits(b, cas.value())])
        .attr("success_ordering", b.cx().int_attr(i64t, MONOTONIC))
        .attr("failure_ordering", b.cx().int_attr(i64t, MONOTONIC))
        .result(pair)
        .value();
    let seen = b.op("llvm.extractvalue").operands(&[both]).attr("position", b.cx().i64_array(&[0])).result(int).value();
    number(b, seen, ty)
}
