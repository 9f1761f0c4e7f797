//! The error function.

use crate::emit::Emit;
use crate::exp::exp2_reduced;
use crate::steps::Steps;
use crate::tables::Tables;

/// erf(x) = x + x p(x^2) up to 1, then 1 - 2^q(x): the logarithm of erfc is nearly a parabola, so q is short.
pub fn erf<E: Emit>(e: &E, x: E::F) -> E::F {
    let a = e.abs(x);
    let small = e.fma(a, e.poly(e.mul(a, a), E::Kind::ERF), a);
    let bounded = e.at_most(a, e.c2(4.0, 6.0));
    let (n, p) = exp2_reduced(e, e.poly(bounded, E::Kind::ERF_TAIL));
    let large = e.fnma(p, e.pow2(n), e.c(1.0));
    e.copysign(e.select(e.lt(a, e.c(1.0)), small, large), x)
}
