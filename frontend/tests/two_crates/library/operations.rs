//! Kernel traits, functions and a kernel over the types of another file.
use crate::shapes::{Scale, Step, Tile};
use cubecl::prelude::*;

#[cube]
pub trait Operation<F: Float>: Send + Sync + 'static {
    const ROUNDS: u32;
    fn apply(x: F, scale: Scale<F>) -> F;
    fn twice(x: F, scale: Scale<F>) -> F {
        Self::apply(Self::apply(x, scale), scale)
    }
}

/// A trait with a method.
#[cube]
pub trait Stepped {
    fn stepped(self, step: Step) -> Self;
}

#[cube]
impl Stepped for f32 {
    fn stepped(self, step: Step) -> f32 {
        match step {
            Step::Add(y) => self + y,
            Step::Scaled { by } => self * by,
            Step::Keep => self,
        }
    }
}

pub struct Linear;

#[cube]
impl<F: Float> Operation<F> for Linear {
    const ROUNDS: u32 = 1;
    fn apply(x: F, scale: Scale<F>) -> F {
        scale.of(x)
    }
}

#[cube]
pub fn rounds<F: Float, O: Operation<F>>(x: F, scale: Scale<F>, #[comptime] tile: Tile) -> F {
    let mut y = x;
    #[unroll]
    for _ in 0..tile.rows * O::ROUNDS {
        y = O::twice(y, scale);
    }
    y
}

/// Applies an operation to each element.
#[cube(launch)]
pub fn map<F: Float, O: Operation<F>>(input: &Array<F>, scale: Scale<F>, out: &mut Array<F>, #[comptime] tile: Tile) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = rounds::<F, O>(input[ABSOLUTE_POS], scale, tile);
    }
}

/// A function of the host, which kernels cannot call.
pub fn on_host(x: f32) -> f32 {
    x + 1.0
}
