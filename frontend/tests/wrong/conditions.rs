#![allow(unused, dead_code)]
use cubecl::prelude::*;

/// A mistake next to a `#[cfg]` condition is reported at the location of the mistake.
#[cube(launch)]
fn beside_a_condition(out: &mut Array<f32>) {
    #[cfg(any())]
    nothing();
    out[0] = missing; //~
    #[cfg(all())]
    out[1].not_a_method(); //~
}

/// An error that the macro finds is also reported at the location of the mistake.
#[cube]
fn found_by_the_macro(x: f32) -> f32 {
    #[cfg(any())]
    return 0.0;
    fma(x, x, "text".len()?) //~~
}

/// Attributes at positions where a kernel does not support them.
#[cube(launch)]
fn elsewhere(out: &mut Array<f32>) {
    #[unroll] //~~
    if out[0] > 0.0 {
        out[0] = 1.0;
    }
    match ABSOLUTE_POS {
        #[likely] //~
        0 => out[1] = 1.0,
        _ => out[2] = 1.0,
    }
    #[inspect] //~~
    {
        out[3] = 1.0;
    }
    out[4] = f32::max(#[comptime] out[4], 1.0); //~~
}

fn main() {}
