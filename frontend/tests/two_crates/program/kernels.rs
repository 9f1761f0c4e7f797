//! Kernels over traits, types and functions of the library.
use cubecl::prelude::*;
use library::operations::{Operation, Stepped, rounds};
use library::shapes::{Scale, Step, Tile};

/// An operation of this crate for a trait of the library.
pub struct Squared;

#[cube]
impl<F: Float> Operation<F> for Squared {
    const ROUNDS: u32 = 2;
    fn apply(x: F, scale: Scale<F>) -> F {
        let scaled = Scale::<F> { factor: scale.factor * scale.factor, offset: scale.offset };
        scaled.of(x)
    }
}

/// Steps that depend on the unit, and functions of the library with this crate's operation.
#[cube(launch)]
pub fn steps<O: Operation<f32>>(scale: Scale<f32>, out: &mut Array<f32>, #[comptime] tile: Tile) {
    let x = ABSOLUTE_POS as f32;
    let step = if ABSOLUTE_POS % 2 == 0 { Step::Add(scale.offset) } else { Step::Scaled { by: scale.factor } };
    let kept = x.stepped(Step::Keep);
    out[ABSOLUTE_POS] = rounds::<f32, O>(kept.stepped(step), scale, tile);
}
