//! Strict lints of clippy apply to a kernel but not to its expansion. `cargo xtask check` runs clippy.
#![deny(clippy::semicolon_if_nothing_returned)]
use crate::common::*;
use cubecl::prelude::*;

#[derive(CubeType, CubeLaunch, Clone, Copy)]
struct Pair<F: Float> {
    first: F,
    second: F,
}

#[cube(launch)]
fn sum_of_pair<F: Float>(out: &mut Array<F>, pair: Pair<F>) {
    out[0] = pair.first + pair.second;
}

#[test]
fn kernel_accepts_a_generic_struct() {
    let got = outputs::<f32>(1, |c, out| {
        let pair = PairLaunch::new(ScalarArg::new(1.5), ScalarArg::new(2.0));
        sum_of_pair::launch::<f32, R>(c, one(), CubeDim::new_single(), out, pair);
    });
    assert_eq!(got, [3.5]);
}
