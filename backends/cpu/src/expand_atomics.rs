//! CPU: atomics without an instruction become a compare-exchange loop, and atomics on memory of one cube or unit become
//! plain accesses.
//!
//! ```mlir
//! // %m is an argument                      %r = scf.while (%old = atomic_load %m[%i]) {
//! %r = cube.atomic_rmw addf %v, %m[%i]        %seen = cube.atomic_cas %old, (addf %old, %v), %m[%i]
//!                                             scf.condition(bits of %seen != bits of %old) %seen
//!                                           } do { ^(%s): scf.yield %s }
//!
//! // %m is shared or local memory           %r = memref.load %m[%i]
//! %r = cube.atomic_rmw addf %v, %m[%i]      memref.store (addf %r, %v), %m[%i]
//! ```
//!
//! All units of a cube run on one thread, so no access occurs between the load and the store of an expanded atomic. The
//! pass runs after `vectorize-spmd`, which emits a separate atomic for each lane. If several lanes of one vector
//! operation had the same address, one lane would overwrite the values of the other lanes. No later pass moves
//! operations of another unit between the load and the store of an expanded atomic. The compare-exchange loops compare
//! bits, so a NaN equals itself, and zeros of different sign differ. Integer atomics and exchanges on arguments remain,
//! because the processor has instructions for them. Cost: linear.
use cube_dialect::{Access, Combine, access_of, ops};
use cube_ir::{Builder, PassResult, Run, TypeExt, Val, pass, upstream::IntCmp};
use cube_passes::combine::combine;
use cube_to_llvm::{
    compare_loop::{bits, compare_loop},
    memory::{self, AllocationScope},
};

pass! {
    name: "expand-atomics",
    summary: "expands atomics without an instruction to loops, and atomics on memory of one cube to plain accesses (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Any,
    dialects: ["arith", "cube", "memref", "scf"],
    statistics: ["atomics expanded", "atomics made plain"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let Some(access) = access_of(op).filter(|access| access.kind.is_atomic()) else { continue };
        let b = run.before(op);
        if memory::allocation_scope(access.buffer) != AllocationScope::Global {
            let values = plain(b, access);
            run.replace(op, &values);
            run.count("atomics made plain", 1);
            continue;
        }
        let Some(rmw) = ops::AtomicRmw::of(op) else { continue };
        let Some(kind) = rmw.kind() else { continue };
        let is_instruction = kind == Combine::Exchange || rmw.value().ty().is_int();
        cost(run, rmw, is_instruction);
        if !is_instruction {
            let value = compare_loop(b, rmw, kind);
            run.replace(op, &[value]);
            run.count("atomics expanded", 1);
        }
    }
    Ok(())
}

// Emits a remark about the cost of an atomic on an argument.
fn cost<'p>(run: &mut Run<'p>, rmw: ops::AtomicRmw<'p>, is_instruction: bool) {
    let code = match is_instruction {
        true => "an instruction that locks the memory",
        false => "a loop of compare and swap",
    };
    run.missed(
        rmw.op(),
        "atomic",
        format_args!("the atomic operation compiles to {code}, which takes about 10 times as long as a plain sum, because other threads share the buffer"),
        "accumulate in a variable or in shared memory, where an atomic is a plain sum, and add to the buffer once per cube",
    );
}

// A plain load and store; no operation of another unit runs between them.
fn plain<'p>(b: Builder<'p>, access: Access<'p>) -> Vec<Val<'p>> {
    let (buffer, index) = (access.buffer, access.index);
    let load = |ty| memory::load(b, ty, buffer, index);
    let store = |value| memory::store(b, value, buffer, index);
    if let Some(cas) = ops::AtomicCas::of(access.op) {
        let (expected, new) = (cas.expected(), cas.value());
        let old = load(new.ty());
        let equal = b.cmpi(IntCmp::Eq, bits(b, old), bits(b, expected));
        // If the values differ, the old value is stored again, which does not change memory.
        store(b.select(equal, new, old));
        return vec![old];
    }
    if let Some(rmw) = ops::AtomicRmw::of(access.op) {
        let old = load(rmw.value().ty());
        let kind = rmw.kind().expect("verified");
        store(combine(b, kind, old, rmw.value()));
        return vec![old];
    }
    match access.value {
        Some(value) => {
            store(value);
            vec![]
        }
        None => vec![load(access.op.result(0).ty())],
    }
}
