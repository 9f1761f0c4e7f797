//! GPUs: atomics become those of LLVM: relaxed, and seen by the units of the whole device.
//!
//! ```mlir
//! %old = cube.atomic_rmw addi %v, %x[%i]    %p = getelementptr (pointer of %x), %i
//!                                           %old = llvm.atomicrmw add %p, %v syncscope("device") monotonic
//! ```
//!
//! A compare-exchange compares bits, also those of floats. Cost: linear.
use crate::levels;
use cube_dialect::{Combine, access_of, ops};
use cube_ir::{Builder, Failed, Level, Op, PassResult, Run, Type, TypeExt, Val, pass};

pass! {
    name: "atomics-to-llvm",
    summary: "turns atomics into those of LLVM (GPUs)",
    on: "cube.kernel",
    level: Legal => Any,
    dialects: ["llvm", "arith", "memref"],
    options: { target: Text("nvptx") = "nvptx or amdgpu" },
    statistics: ["atomics lowered"],
    run: run,
}

/// LLVM's number for `monotonic`.
const RELAXED: i64 = 2;

/// A descriptor as the conversion of memrefs makes them.
const DESCRIPTOR: &str = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>";

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    // Earlier passes of this phase may have made operations of the target.
    levels::require_with(run.root(), Level::Legal, &["nvvm.*", "rocdl.*"])?;
    let scope = match run.text("target").as_str() {
        "amdgpu" => "agent",
        _ => "device",
    };
    for op in run.root().walk() {
        let Some(access) = access_of(op).filter(|access| access.kind.is_atomic()) else { continue };
        let b = run.before(op);
        let at = Place { b, scope, pointer: pointer(b, access.buffer, access.index) };
        let values = lowered(at, op).ok_or(Failed)?;
        run.replace(op, &values);
        run.count("atomics lowered", 1);
    }
    Ok(())
}

fn lowered<'p>(at: Place<'p>, op: Op<'p>) -> Option<Vec<Val<'p>>> {
    if ops::AtomicLoad::of(op).is_some() {
        return Some(vec![at.load(op.result(0).ty())]);
    }
    if let Some(store) = ops::AtomicStore::of(op) {
        at.ordered("llvm.store", "ordering")
            .attr("alignment", at.alignment(store.value().ty()))
            .operands(&[store.value(), at.pointer])
            .build();
        return Some(vec![]);
    }
    if let Some(cas) = ops::AtomicCas::of(op) {
        let (expected, value) = (at.to_bits(cas.expected()), at.to_bits(cas.value()));
        return Some(vec![at.to_type(at.exchange(expected, value), op.result(0).ty())]);
    }
    let rmw = ops::AtomicRmw::of(op)?;
    let number = number(Combine::of(rmw.kind())?)?;
    let bin_op = at.b.cx().int_attr(at.b.cx().int(64), number);
    let spec = at.ordered("llvm.atomicrmw", "ordering").attr("bin_op", bin_op);
    Some(vec![spec.operands(&[at.pointer, rmw.value()]).result(rmw.value().ty()).value()])
}

/// LLVM's number of an operation (`AtomicRMWInst::BinOp`); products have none, and the verifier refuses them.
fn number(kind: Combine) -> Option<i64> {
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
        Combine::AddF => 11,
        Combine::SubF => 12,
        Combine::MaxF => 13,
        Combine::MinF => 14,
        Combine::MulI | Combine::MulF => return None,
    })
}

/// The address of a line of a memref.
fn pointer<'p>(b: Builder<'p>, buffer: Val<'p>, index: Val<'p>) -> Val<'p> {
    let (cx, ptr) = (b.cx(), b.cx().llvm_ptr(0));
    let descriptor = cx.parse_type(DESCRIPTOR).expect("llvm is loaded");
    let whole = b.cast("builtin.unrealized_conversion_cast", buffer, descriptor);
    let position = cx.i64_array(&[1]);
    let base = b.op("llvm.extractvalue").operands(&[whole]).attr("position", position).result(ptr).value();
    let index = b.cast("arith.index_cast", index, cx.int(64));
    let dynamic = cx.i32_array(&[i32::MIN]);
    b.op("llvm.getelementptr")
        .operands(&[base, index])
        .attr("rawConstantIndices", dynamic)
        .attr("elem_type", cx.type_attr(buffer.ty().element()))
        .result(ptr)
        .value()
}

/// A number in memory.
#[derive(Clone, Copy)]
struct Place<'p> {
    b: Builder<'p>,
    scope: &'static str,
    pointer: Val<'p>,
}

impl<'p> Place<'p> {
    fn ordered<'f>(self, name: &'f str, ordering: &str) -> cube_ir::OpSpec<'p, 'f> {
        let cx = self.b.cx();
        let relaxed = cx.int_attr(cx.int(64), RELAXED);
        self.b.op(name).attr(ordering, relaxed).attr("syncscope", cx.str_attr(self.scope))
    }

    fn alignment(self, ty: Type<'p>) -> cube_ir::Attribute<'p> {
        let cx = self.b.cx();
        cx.int_attr(cx.int(64), i64::from(ty.bits().unwrap_or(32).div_ceil(8)))
    }

    fn load(self, ty: Type<'p>) -> Val<'p> {
        let spec = self.ordered("llvm.load", "ordering").attr("alignment", self.alignment(ty));
        spec.operands(&[self.pointer]).result(ty).value()
    }

    fn to_bits(self, value: Val<'p>) -> Val<'p> {
        let bits = self.b.cx().int(value.ty().bits().unwrap_or(32));
        if value.ty().is_fp() { self.b.cast("arith.bitcast", value, bits) } else { value }
    }

    fn to_type(self, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
        if ty.is_fp() { self.b.cast("arith.bitcast", value, ty) } else { value }
    }

    /// What was there; `value` is there now if that was `expected`.
    fn exchange(self, expected: Val<'p>, value: Val<'p>) -> Val<'p> {
        let cx = self.b.cx();
        let pair = cx.parse_type(&format!("!llvm.struct<({}, i1)>", value.ty())).expect("llvm is loaded");
        let failure = cx.int_attr(cx.int(64), RELAXED);
        let spec = self.ordered("llvm.cmpxchg", "success_ordering").attr("failure_ordering", failure);
        let result = spec.operands(&[self.pointer, expected, value]).result(pair).value();
        let position = cx.i64_array(&[0]);
        self.b.op("llvm.extractvalue").operands(&[result]).attr("position", position).result(value.ty()).value()
    }
}
