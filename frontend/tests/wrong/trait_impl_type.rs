use cubecl::prelude::*;

#[cube]
trait Op<F: Float>: Send + Sync + 'static {
    type Out: Numeric;
    fn apply(x: F, n: u32) -> F;
    fn other(x: F) -> Self::Out;
}

struct A;

#[cube]
impl<F: Float> Op<F> for A {
    type Out = u32;
    fn apply(x: F, n: u32) -> F {
        x * n //~
    }
    fn other(x: F) -> Self::Out {
        u32::cast_from(Self::apply(x, 2))
    }
}

fn main() {}
