#![allow(unused, dead_code)]
use cubecl::prelude::*;

/// A mistake in an item with a condition is reported at its own location.
#[cube(launch)]
fn beside_a_condition(out: &mut Array<f32>) {
    #[cfg(any())]
    nothing();
    out[0] = missing; //~
    #[cfg(all())]
    out[1].not_a_method(); //~
}

/// An error that the macro finds is also reported at its own location.
#[cube]
fn found_by_the_macro(x: f32) -> f32 {
    #[cfg(any())]
    return 0.0;
    fma(x, x, "text".len()?) //~
}

/// Attributes that a kernel does not support at these positions.
#[cube(launch)]
fn elsewhere(out: &mut Array<f32>) {
    #[unroll] //~
    if out[0] > 0.0 {
        out[0] = 1.0;
    }
    match ABSOLUTE_POS {
        #[likely] //~
        0 => out[1] = 1.0,
        _ => out[2] = 1.0,
    }
    #[inspect] //~
    {
        out[3] = 1.0;
    }
    out[4] = f32::max(#[comptime] out[4], 1.0); //~
}

fn main() {}
