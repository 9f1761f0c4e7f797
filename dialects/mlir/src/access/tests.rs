//! Compares the table of accesses with MLIR's interface of effects.
use super::*;
use crate::{
    Session,
    ops::{Dialect, EFFECTS_IN_CPP, builtin, llvm, memref, vector},
};

const TEXT: &str = r#"func.func @f(%i: index, %n: i32, %x: f32, %m: memref<8xf32>, %g: memref<4x8xf32>, %b: memref<8xi32>,
    %v: vector<4xf32>, %k: vector<4xi1>, %at: vector<4xindex>, %w: vector<2x4xf32>) {
    %0 = memref.load %m[%i] : memref<8xf32>
    memref.store %x, %g[%i, %i] : memref<4x8xf32>
    %1 = memref.atomic_rmw addi %n, %b[%i] : (i32, memref<8xi32>) -> i32
    %2 = memref.generic_atomic_rmw %b[%i] : memref<8xi32> {
    ^bb0(%old: i32):
      memref.atomic_yield %old : i32
    }
    memref.copy %m, %m : memref<8xf32> to memref<8xf32>
    memref.prefetch %m[%i], read, locality<3>, data : memref<8xf32>
    %3 = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
    vector.store %v, %m[%i] : memref<8xf32>, vector<4xf32>
    vector.store %w, %g[%i, %i] : memref<4x8xf32>, vector<2x4xf32>
    %4 = vector.maskedload %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.maskedstore %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
    %5 = vector.gather %m[%i] [%at], %k, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.scatter %m[%i] [%at], %k, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    vector.compressstore %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32>
    %6 = vector.expandload %m[%i], %k, %v : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %7 = vector.transfer_read %m[%i], %x, %k : memref<8xf32>, vector<4xf32>
    vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<8xf32>
    return
}
llvm.func @g(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64, %v: vector<4xf32>, %k: vector<4xi1>) {
    %0 = llvm.load %p : !llvm.ptr -> i64
    %1 = llvm.load volatile %p : !llvm.ptr -> i64
    llvm.store %0, %p : i64, !llvm.ptr
    %2 = llvm.atomicrmw add %p, %n monotonic : !llvm.ptr, i64
    %3 = llvm.cmpxchg %p, %n, %n monotonic monotonic : !llvm.ptr, i64
    llvm.intr.masked.store %v, %p, %k {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    "llvm.intr.memcpy"(%p, %q, %n) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    llvm.inline_asm has_side_effects "nop", "" : () -> ()
    llvm.return
}
func.func private @h()"#;

fn with(check: impl for<'p> FnOnce(&[Op<'p>])) {
    let session = Session::new();
    session.context().load_all_available_dialects();
    let module = session.parse(TEXT.as_bytes(), "m").unwrap();
    check(&module.op().walk());
}

fn nth<'p>(all: &[Op<'p>], kind: OpKind, number: usize) -> Op<'p> {
    *all.iter().filter(|op| op.kind() == kind).nth(number).unwrap_or_else(|| panic!("no {kind}"))
}

#[test]
fn every_operation_whose_effects_are_of_an_operand_has_a_row() {
    // Operations whose `.td` declares effects of operands are in the table by construction. The remaining operations
    // have effects in C++.
    let missing: Vec<&OpKind> = EFFECTS_IN_CPP.iter().filter(|kind| !ACCESSING.contains(kind)).collect();
    assert!(missing.is_empty(), "ROWS or NONE of dialects/mlir/build/accesses.rs must have {missing:?}");
    assert!(EFFECTS_IN_CPP.contains(&vector::TRANSFER_READ) && EFFECTS_IN_CPP.contains(&llvm::LOAD));
    let of = |dialect: Dialect| ACCESSING.iter().filter(|kind| kind.dialect() == Some(dialect)).count();
    assert_eq!((of(Dialect::Cube), of(Dialect::Layout), of(Dialect::Vector)), (6, 2, 10), "{ACCESSING:?}");
    assert!(ACCESSING.iter().all(|kind| OpKind::all().any(|known| known == *kind)));
}

#[test]
fn accesses_have_the_effects_of_mlir() {
    with(|all| {
        let mut compared = 0;
        for op in all.iter().filter(|op| !op.is(builtin::MODULE)) {
            let accesses: Vec<Access<'_>> = accesses_of(*op).collect();
            let Effects::Known(effects) = own_effects(*op) else { continue };
            for effect in effects.iter().filter(|effect| matches!(effect.kind, EffectKind::Read | EffectKind::Write)) {
                let Some(value) = effect.value else {
                    assert!(all_accesses(*op).is_none() || !effect.is_of_memory(), "{op}");
                    continue;
                };
                let does =
                    |a: &&Access<'_>| if effect.kind == EffectKind::Read { a.kind.reads() } else { a.kind.writes() };
                assert!(accesses.iter().filter(does).any(|a| a.buffer == value), "{op} has {effect:?}, and no access");
                compared += 1;
            }
            for access in &accesses {
                let says = |kind| effects.iter().any(|e| e.kind == kind && e.value == Some(access.buffer));
                assert!(!access.kind.reads() || says(EffectKind::Read), "{op} does not read {:?}", access.buffer);
                assert!(!access.kind.writes() || says(EffectKind::Write), "{op} does not write {:?}", access.buffer);
            }
        }
        assert!(compared > 20, "only {compared}");
    });
}

#[test]
fn operands_have_their_roles() {
    with(|all| {
        let store = access_of(nth(all, vector::STORE, 1)).unwrap();
        assert_eq!((store.kind, store.buffer_operand, store.indices().len()), (AccessKind::Store, 1, 2));
        assert_eq!((store.elements(), store.index(), store.mask), (Some(8), None, None));
        assert_eq!(store.value, Some(store.op.operand(0)));
        let masked = access_of(nth(all, vector::MASKEDSTORE, 0)).unwrap();
        assert_eq!((masked.mask, masked.value), (Some(masked.op.operand(2)), Some(masked.op.operand(3))));
        assert_eq!(masked.index(), Some(masked.op.operand(1)));
        assert_eq!((masked.elements(), masked.space()), (Some(4), Some(MemorySpace::Default)));
        let gather = access_of(nth(all, vector::GATHER, 0)).unwrap();
        assert_eq!((gather.index(), gather.offsets), (Some(gather.op.operand(1)), Some(gather.op.operand(2))));
        assert_eq!((gather.mask, gather.value, gather.kind), (Some(gather.op.operand(3)), None, AccessKind::Load));
        let read = access_of(nth(all, vector::TRANSFER_READ, 0)).unwrap();
        assert_eq!((read.mask, read.index()), (Some(read.op.operand(3)), Some(read.op.operand(1))));
        assert_eq!(access_of(nth(all, vector::TRANSFER_WRITE, 0)).unwrap().mask, None);
        let rmw = access_of(nth(all, memref::ATOMIC_RMW, 0)).unwrap();
        assert_eq!((rmw.kind, rmw.value), (AccessKind::AtomicRmw, Some(rmw.op.operand(0))));
        let cas = access_of(nth(all, llvm::CMPXCHG, 0)).unwrap();
        assert_eq!((cas.kind, cas.value), (AccessKind::AtomicCas, Some(cas.op.operand(2))));
        let hidden = access_of(nth(all, llvm::INTR_MASKED_STORE, 0)).unwrap();
        assert_eq!((hidden.value, hidden.buffer_operand), (Some(hidden.op.operand(0)), 1));
        let copy: Vec<_> = accesses_of(nth(all, memref::COPY, 0)).map(|a| (a.kind, a.buffer_operand)).collect();
        assert_eq!(copy, [(AccessKind::Load, 0), (AccessKind::Store, 1)]);
        assert!(access_of(nth(all, memref::COPY, 0)).is_none(), "a copy is two accesses");
    });
}

#[test]
fn accesses_outside_the_table_are_unknown() {
    with(|all| {
        assert_eq!(all_accesses(nth(all, llvm::LOAD, 0)).map(|all| all.len()), Some(1));
        assert!(all_accesses(nth(all, llvm::LOAD, 1)).is_none(), "a volatile load writes, too");
        assert!(all_accesses(nth(all, llvm::INLINE_ASM, 0)).is_none());
        assert!(all_accesses(nth(all, llvm::ATOMICRMW, 0)).is_none(), "MLIR says nothing of it");
        assert_eq!(all_accesses(nth(all, vector::SCATTER, 0)).map(|all| all.len()), Some(1));
        assert_eq!(all_accesses(nth(all, llvm::INTR_MEMCPY, 0)).map(|all| all.len()), Some(2));
    });
}
