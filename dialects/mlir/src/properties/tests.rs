//! Tests the properties of operations of each class, and the conservative results for unknown operations.
use super::*;
use crate::{
    Session,
    ops::{arith, func, gpu, memref, scf, vector},
};

const TEXT: &str = "func.func @f(%c: i1, %i: index, %n: i32, %x: f32, %m: memref<8xf32>, %v: vector<4xf32>, %k: vector<4xi1>,
                     %at: vector<4xindex>) {
    %three = arith.constant 3 : i32
    %a = arith.addi %n, %n : i32
    %d = arith.divui %n, %n : i32
    %e = arith.divsi %n, %three : i32
    %w = math.exp %x : f32
    vector.store %v, %m[%i] : memref<8xf32>, vector<4xf32>
    vector.maskedstore %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
    vector.scatter %m[%i] [%at], %k, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    vector.compressstore %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
    %g = vector.gather %m[%i] [%at], %k, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %l = memref.alloca() : memref<4xf32>
    scf.if %c { memref.store %x, %m[%i] : memref<8xf32> }
    scf.if %c { %z = arith.addi %n, %n : i32 }
    \"some.thing\"() : () -> ()
    scf.if %c { \"some.thing\"() : () -> () }
    gpu.barrier
    func.call @g() : () -> ()
    return
}
func.func private @g()";

fn with(check: impl for<'p> FnOnce(&dyn Fn(OpKind, usize) -> Op<'p>)) {
    let session = Session::new();
    session.context().load_all_available_dialects();
    session.context().set_allow_unregistered_dialects(true);
    let module = session.parse(TEXT.as_bytes(), "m").unwrap();
    let root = module.op();
    check(&|kind, number| {
        // In source order, with the nested operations before the operation itself.
        let all: Vec<Op<'_>> =
            root.walk().into_iter().filter(|op| op.kind() == kind && !op.is(builtin::MODULE)).collect();
        all[number]
    });
}

#[test]
fn computations() {
    with(|op| {
        for kind in [arith::ADDI, arith::CONSTANT, math_exp()] {
            assert!(is_pure(op(kind, 0)) && is_speculatable(op(kind, 0)) && !is_convergent(op(kind, 0)), "{kind}");
        }
        let divide = op(arith::DIVUI, 0);
        assert!(has_no_effects(divide) && !is_speculatable(divide) && !is_pure(divide), "the divisor can be zero");
        assert!(is_pure(op(arith::DIVSI, 0)), "a constant divisor that is neither 0 nor -1");
    });
}

fn math_exp() -> OpKind {
    crate::ops::math::EXP
}

#[test]
fn every_store_of_vectors_writes_the_memory_that_it_names() {
    with(|op| {
        for kind in [vector::STORE, vector::MASKEDSTORE, vector::SCATTER, vector::COMPRESSSTORE, memref::STORE] {
            let op = op(kind, 0);
            assert!(!is_pure(op) && !has_no_effects(op), "{kind}");
            let Effects::Known(effects) = own_effects(op) else { panic!("{kind} says what it does") };
            assert_eq!(effects.len(), 1, "{kind}");
            let written = effects[0].value.map(|v| v.ty().to_string());
            assert_eq!((effects[0].kind, written.as_deref()), (EffectKind::Write, Some("memref<8xf32>")), "{kind}");
            assert_eq!(effects[0].resource, MEMORY);
        }
        assert!(own_effects(op(vector::GATHER, 0)).may(EffectKind::Read));
        assert!(!own_effects(op(vector::GATHER, 0)).may(EffectKind::Write));
        assert!(own_effects(op(memref::ALLOCA, 0)).may(EffectKind::Alloc));
    });
}

#[test]
fn structured_operations_have_the_effects_of_their_regions() {
    with(|op| {
        let holding = |kind: OpKind| op(kind, 0).parent().unwrap();
        let storing = holding(memref::STORE);
        assert!(storing.is(scf::IF));
        assert!(effects(storing).may(EffectKind::Write) && !own_effects(storing).may(EffectKind::Write));
        assert!(!is_pure(storing));
        let computing = (0..3).map(|n| op(scf::IF, n)).find(|branch| is_pure(*branch));
        assert!(computing.is_some_and(|branch| !effects(branch).may(EffectKind::Write)));
    });
}

#[test]
fn unknown_operation_has_no_guaranteed_property() {
    with(|op| {
        for number in 0..2 {
            let unknown = op(OpKind::Unknown, number);
            assert_eq!(unknown.name(), "some.thing");
            assert!(!is_pure(unknown) && !is_speculatable(unknown) && !has_no_effects(unknown));
            assert!(is_convergent(unknown) && matches!(effects(unknown), Effects::Unknown));
            assert!(own_effects(unknown).may(EffectKind::Write));
        }
        let around = (0..3).map(|n| op(scf::IF, n)).filter(|branch| matches!(effects(*branch), Effects::Unknown));
        let around: Vec<Op<'_>> = around.collect();
        assert_eq!(around.len(), 1);
        assert!(holds_convergent(around[0]) && !is_convergent(around[0]) && !is_pure(around[0]));
    });
}

/// An operation of `llvm` with effects is convergent unless it is listed. An intrinsic of coroutines can suspend the
/// function, so such intrinsics are not listed.
#[test]
fn unlisted_operations_of_llvm_are_convergent() {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let text = "llvm.func @f(%p: !llvm.ptr, %n: i32) {
        %a = llvm.add %n, %n : i32
        %l = llvm.load %p : !llvm.ptr -> i32
        llvm.store %a, %p : i32, !llvm.ptr
        %m = llvm.intr.smax(%a, %l) : (i32, i32) -> i32
        llvm.fence seq_cst
        \"llvm.intr.trap\"() : () -> ()
        llvm.call @g() : () -> ()
        %x = llvm.inline_asm \"\", \"=r\" : () -> i32
        %s = llvm.intr.stacksave : !llvm.ptr
        llvm.return
    }
    llvm.func @g()";
    let module = session.parse(text.as_bytes(), "m").expect("a function");
    let convergent: Vec<String> =
        module.op().walk().into_iter().filter(|op| is_convergent(*op)).map(|op| op.name().into()).collect();
    let expected = ["llvm.intr.trap", "llvm.call", "llvm.inline_asm", "llvm.intr.stacksave"];
    assert_eq!(convergent, expected);
}

#[test]
fn only_resources_of_the_dialect_share_nothing_with_buffers() {
    let effect = |resource| Effect { kind: EffectKind::Write, value: None, resource };
    assert_eq!(
        ["output", "plane", MEMORY, "AutomaticAllocationScope", "queue"].map(|of| effect(of).is_of_memory()),
        [false, false, true, true, true]
    );
}

#[test]
fn barriers_and_calls_are_convergent() {
    with(|op| {
        assert!(is_convergent(op(gpu::BARRIER, 0)) && is_convergent(op(func::CALL, 0)));
        assert!(!is_speculatable(op(gpu::BARRIER, 0)));
        assert!(is_terminator(op(func::RETURN, 0)) && !is_terminator(op(arith::ADDI, 0)));
    });
}
