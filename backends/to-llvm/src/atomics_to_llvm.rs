//! Atomics become LLVM's atomics with relaxed order (`monotonic`). Each atomic operation is indivisible. No atomic
//! operation orders other accesses.
//!
//! ```mlir
//! %old = cube.atomic_rmw addi %v, %x[%i]    %p = getelementptr (pointer of %x), %i
//!                                           %old = llvm.atomicrmw add %p, %v syncscope("device") monotonic
//! ```
//!
//! On a GPU the scope of an atomic is the device. Operations that only move or compare a float use the float's bits.
//! The CPU has no atomic float arithmetic, so `expand-atomics` runs before this pass on the CPU. Every address is
//! aligned to the size of the accessed number, because buffers and allocations are aligned. Cost: linear.
use crate::{compare_loop::compare_loop, kernel_parts::descriptor};
use cube_dialect::{Combine, access_of, ops};
use cube_ir::ops::llvm::{AtomicBinOp, AtomicOrdering};
use cube_ir::ops::{arith, builtin, llvm};
use cube_ir::{Builder, Cx, DYNAMIC_INDEX, Failed, MemRef, Op, OpKind, PassResult, Run, Type, TypeExt, Val, pass};

pass! {
    name: "atomics-to-llvm",
    summary: "lowers atomic operations to atomic operations of LLVM",
    on: builtin::MODULE,
    level: Device => Device,
    dialects: ["llvm", "arith", "memref", "scf"],
    options: {
        scope: Text("") = "LLVM's synchronisation scope of atomic operations; the default is the whole system",
        unordered: Bool(false) = "whether the target's minima and maxima of floats do not order zeros by sign, and become loops",
        negated: Bool(false) = "whether subtractions of floats become additions of the negated number, which is exact",
        promises: Text("") = "attributes of the target's dialect on each read-modify-write, with + between them",
    },
    statistics: ["atomics lowered"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let (scope, promises) = (run.text("scope"), run.text("promises"));
    let scope = (!scope.is_empty()).then_some(scope.as_str());
    if run.flag("unordered") {
        for rmw in run.root().walk().into_iter().filter_map(ops::AtomicRmw::of) {
            let Some(kind @ (Combine::MinF | Combine::MaxF)) = rmw.kind() else { continue };
            let value = compare_loop(run.before(rmw.op()), rmw, kind);
            run.replace(rmw.op(), &[value]);
        }
    }
    let negated = run.flag("negated");
    for op in run.root().walk() {
        let Some(access) = access_of(op).filter(|access| access.kind.is_atomic()) else { continue };
        if let (None, Some(kind)) = (scope, float_arithmetic(op)) {
            op.error(cube_ir::diagnostic!(CUBE0344.atomic { kind: kind.word() }));
            return Err(Failed);
        }
        let b = run.before(op);
        let at =
            AtomicOperand { b, scope, promises: &promises, negated, pointer: pointer(b, access.buffer, access.index) };
        let values = lowered(at, op).ok_or(Failed)?;
        run.replace(op, &values);
        run.count("atomics lowered", 1);
    }
    Ok(())
}

// The kind of an atomic operation that computes with floats.
fn float_arithmetic(op: Op<'_>) -> Option<Combine> {
    let rmw = ops::AtomicRmw::of(op).filter(|rmw| rmw.value().ty().is_fp())?;
    rmw.kind().filter(|kind| *kind != Combine::Exchange)
}

fn lowered<'p>(at: AtomicOperand<'_, 'p>, op: Op<'p>) -> Option<Vec<Val<'p>>> {
    let b = at.b;
    if ops::AtomicLoad::of(op).is_some() {
        let ty = op.result(0).ty();
        let bits = bits_of(b.cx(), ty);
        let loaded = at.access(llvm::LOAD, "ordering", bits).operands(&[at.pointer]).result(bits).value();
        return Some(vec![to_type(b, loaded, ty)]);
    }
    if let Some(store) = ops::AtomicStore::of(op) {
        let bits = to_bits(b, store.value());
        at.access(llvm::STORE, "ordering", bits.ty()).operands(&[bits, at.pointer]).build();
        return Some(vec![]);
    }
    if let Some(cas) = ops::AtomicCas::of(op) {
        let seen = at.compare(to_bits(b, cas.expected()), to_bits(b, cas.value()));
        return Some(vec![to_type(b, seen, op.result(0).ty())]);
    }
    let rmw = ops::AtomicRmw::of(op)?;
    let (kind, ty) = (rmw.kind()?, rmw.value().ty());
    let (kind, value) = match kind {
        Combine::Exchange => (kind, to_bits(b, rmw.value())),
        // x - y is x + (-y) for all numbers, also for zeros.
        Combine::SubF if at.negated => (Combine::AddF, b.cast(arith::NEGF, rmw.value(), ty)),
        _ => (kind, rmw.value()),
    };
    let bin_op = operation(kind)?.attr(b.cx());
    let mut spec = at.access(llvm::ATOMICRMW, "ordering", value.ty()).attr("bin_op", bin_op);
    for promise in at.promises.split('+').filter(|promise| !promise.is_empty()) {
        spec = spec.attr(promise, b.cx().unit_attr());
    }
    let old = spec.operands(&[at.pointer, value]).result(value.ty()).value();
    Some(vec![to_type(b, old, ty)])
}

/// LLVM's operation. LLVM has no atomic product, and the verifier refuses atomic products.
fn operation(kind: Combine) -> Option<AtomicBinOp> {
    Some(match kind {
        Combine::Exchange => AtomicBinOp::Xchg,
        Combine::AddI => AtomicBinOp::Add,
        Combine::SubI => AtomicBinOp::Sub,
        Combine::AndI => AtomicBinOp::And,
        Combine::OrI => AtomicBinOp::Or,
        Combine::XOrI => AtomicBinOp::Xor,
        Combine::MaxSI => AtomicBinOp::Max,
        Combine::MinSI => AtomicBinOp::Min,
        Combine::MaxUI => AtomicBinOp::Umax,
        Combine::MinUI => AtomicBinOp::Umin,
        Combine::AddF => AtomicBinOp::Fadd,
        Combine::SubF => AtomicBinOp::Fsub,
        Combine::MaxF => AtomicBinOp::Fmax,
        Combine::MinF => AtomicBinOp::Fmin,
        Combine::MulI | Combine::MulF => return None,
    })
}

/// The address of a line of a memref.
fn pointer<'p>(b: Builder<'p>, buffer: Val<'p>, index: Val<'p>) -> Val<'p> {
    let space = MemRef::of(buffer.ty()).map_or(0, |memref| memref.space.llvm());
    let (cx, ptr) = (b.cx(), b.cx().llvm_ptr(space));
    let whole = b.cast(builtin::UNREALIZED_CONVERSION_CAST, buffer, descriptor(cx, space));
    // The second field of the descriptor is the aligned pointer.
    let position = cx.i64_array(&[1]);
    let base = b.op(llvm::EXTRACTVALUE).operands(&[whole]).attr("position", position).result(ptr).value();
    let index = b.cast(arith::INDEX_CASTUI, index, cx.int(64));
    let dynamic = cx.i32_array(&[DYNAMIC_INDEX]);
    b.op(llvm::GETELEMENTPTR)
        .operands(&[base, index])
        .attr("rawConstantIndices", dynamic)
        .attr("elem_type", cx.type_attr(buffer.ty().element()))
        .result(ptr)
        .value()
}

fn bits_of<'p>(cx: Cx<'p>, ty: Type<'p>) -> Type<'p> {
    if ty.is_fp() { cx.int(ty.bits().unwrap_or(32)) } else { ty }
}

fn to_bits<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    if value.ty().is_fp() { b.cast(arith::BITCAST, value, bits_of(b.cx(), value.ty())) } else { value }
}

fn to_type<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    if value.ty() == ty { value } else { b.cast(arith::BITCAST, value, ty) }
}

/// A number in memory that an atomic accesses.
#[derive(Clone, Copy)]
struct AtomicOperand<'s, 'p> {
    b: Builder<'p>,
    scope: Option<&'s str>,
    promises: &'s str,
    negated: bool,
    pointer: Val<'p>,
}

impl<'p> AtomicOperand<'_, 'p> {
    /// An operation on a number of type `ty`, with the operation's order, scope and alignment.
    fn access(self, what: OpKind, ordering: &str, ty: Type<'p>) -> cube_ir::OpSpec<'p, 'static> {
        let cx = self.b.cx();
        let i64_attr = |number: i64| cx.int_attr(cx.int(64), number);
        let bytes = i64::from(ty.bits().unwrap_or(32).div_ceil(8));
        let spec =
            self.b.op(what).attr(ordering, AtomicOrdering::Monotonic.attr(cx)).attr("alignment", i64_attr(bytes));
        match self.scope {
            Some(scope) => spec.attr("syncscope", cx.str_attr(scope)),
            None => spec,
        }
    }

    /// The old number in memory; if the old number equals `expected`, `value` replaces it.
    fn compare(self, expected: Val<'p>, value: Val<'p>) -> Val<'p> {
        let cx = self.b.cx();
        let pair = cx.llvm_struct(&[value.ty(), cx.int(1)]);
        let failure = AtomicOrdering::Monotonic.attr(cx);
        let spec = self.access(llvm::CMPXCHG, "success_ordering", value.ty()).attr("failure_ordering", failure);
        let result = spec.operands(&[self.pointer, expected, value]).result(pair).value();
        let position = cx.i64_array(&[0]);
        self.b.op(llvm::EXTRACTVALUE).operands(&[result]).attr("position", position).result(value.ty()).value()
    }
}
