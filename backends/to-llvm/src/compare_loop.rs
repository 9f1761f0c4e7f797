//! Emits a loop of compare-exchange operations for an atomic operation without an instruction.
use cube_dialect::{Combine, ops};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{Builder, TypeExt, Val, upstream::IntCmp};
use cube_passes::combine::combine;

/// Emits the compare-and-swap loop of an atomic operation; returns the value before the operation. The loop compares
/// bits, so that NaN equals itself, and -0 and 0 differ.
///
/// ```mlir
/// %r = scf.while (%old = atomic_load %m[%i]) {
///   %seen = cube.atomic_cas %old, (addf %old, %v), %m[%i]
///   scf.condition(bits of %seen != bits of %old) %seen
/// } do { ^(%s): scf.yield %s }
/// ```
pub fn compare_loop<'p>(b: Builder<'p>, rmw: ops::AtomicRmw<'p>, kind: Combine) -> Val<'p> {
    let (value, element) = (rmw.value(), [rmw.buffer(), rmw.index()]);
    let ty = value.ty();
    let first = b.op(cube::ATOMIC_LOAD).operands(&element).result(ty).value();
    let done = b
        .op(scf::WHILE)
        .operands(&[first])
        .results(&[ty])
        .body(&[ty], |b, args| {
            let new = combine(b, kind, args[0], value);
            let previous = b.op(cube::ATOMIC_CAS).operands(&[args[0], new, element[0], element[1]]).result(ty).value();
            let failed = b.cmpi(IntCmp::Ne, bits(b, previous), bits(b, args[0]));
            b.op(scf::CONDITION).operands(&[failed, previous]).build();
        })
        .body(&[ty], |b, args| {
            b.op(scf::YIELD).operands(args).build();
        })
        .build();
    done.result(0)
}

/// The bits of a number.
pub fn bits<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    match value.ty().bits().filter(|_| value.ty().is_fp()) {
        Some(width) => b.cast(arith::BITCAST, value, b.cx().int(width)),
        None => value,
    }
}
