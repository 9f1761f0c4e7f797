//! Counts the operations of an algorithm, for the cost column of `docs/math.md`.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::emit::Emit;
use crate::format::Format;
use crate::tables::Tables;

/// Number of operations in each cost class. Constants are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Float additions, multiplications, fused multiply-adds, comparisons, selects and conversions.
    pub float: u32,
    /// Divisions and square roots.
    pub slow: u32,
    /// Integer and boolean operations, without bit casts.
    pub int: u32,
}

impl Cost {
    /// All operations.
    pub fn total(self) -> u32 {
        self.float + self.slow + self.int
    }
}

/// An emitter that only counts operations and whose values are empty.
#[derive(Debug)]
pub struct Counter<K> {
    cost: Cell<Cost>,
    kind: PhantomData<K>,
}

impl<K> Default for Counter<K> {
    fn default() -> Self {
        Self { cost: Cell::default(), kind: PhantomData }
    }
}

impl<K> Counter<K> {
    /// The cost of the operations emitted so far.
    pub fn cost(&self) -> Cost {
        self.cost.get()
    }
    fn float(&self) {
        self.cost.update(|c| Cost { float: c.float + 1, ..c });
    }
    fn slow(&self) {
        self.cost.update(|c| Cost { slow: c.slow + 1, ..c });
    }
    fn int(&self) {
        self.cost.update(|c| Cost { int: c.int + 1, ..c });
    }
}

macro_rules! counted {
    ($($class:ident: $($op:ident($($arg:ident: $ty:ident),*) -> $out:ident),+;)+) => {
        $($(
            fn $op(&self, $($arg: Self::$ty),*) -> Self::$out {
                let _ = ($($arg),*);
                self.$class()
            }
        )+)+
    };
}

impl<K: Tables> Emit for Counter<K> {
    type Kind = K;
    type F = ();
    type I = ();
    type B = ();

    fn f(&self, _: <K as Format>::Float) {}
    fn i(&self, _: <K as Format>::Int) {}
    fn bits(&self, (): ()) {}
    fn of_bits(&self, (): ()) {}

    counted! {
        float: add(a: F, b: F) -> F, sub(a: F, b: F) -> F, mul(a: F, b: F) -> F, fma(a: F, b: F, c: F) -> F,
            near_exp2(a: F) -> F, abs(a: F) -> F, copysign(a: F, b: F) -> F, to_int(a: F) -> I, of_int(a: I) -> F,
            lt(a: F, b: F) -> B, le(a: F, b: F) -> B, eq(a: F, b: F) -> B, select(c: B, a: F, b: F) -> F;
        slow: div(a: F, b: F) -> F, sqrt(a: F) -> F;
        int: iadd(a: I, b: I) -> I, isub(a: I, b: I) -> I, imul(a: I, b: I) -> I, umul_hi(a: I, b: I) -> I,
            iand(a: I, b: I) -> I, ior(a: I, b: I) -> I, ixor(a: I, b: I) -> I, shl(a: I, b: I) -> I,
            shr_s(a: I, b: I) -> I, shr_u(a: I, b: I) -> I, ilt(a: I, b: I) -> B, ult(a: I, b: I) -> B,
            ieq(a: I, b: I) -> B, and(a: B, b: B) -> B, or(a: B, b: B) -> B, not(a: B) -> B,
            iselect(c: B, a: I, b: I) -> I;
    }
    // Free, because every target has negation as an operand modifier.
    fn neg(&self, (): ()) {}
}
