//! Float functions under Rust's names, and a user's trait with one of these names.
use crate::common::one;
use cubecl::prelude::*;

#[cube]
fn generic<F: Float>(x: F) -> F {
    F::ln(x) + x.ln_1p() + x.round_ties_even()
}

#[cube(launch)]
fn by_name(out: &mut Array<f32>, x: f32) {
    let y = x * 2.0;
    let z = f32::sqrt(x);
    out[0] = x.ln() + f32::ln(y);
    out[1] = y.ln_1p() + f32::ln_1p(x);
    out[2] = (x + 0.5).round_ties_even() + f32::round_ties_even(z);
    out[3] = generic::<f32>(z);
    out[4] = z.ln();
    let line = Line::<f32>::empty(4).fill(x);
    out[5] = line.ln()[1];
}

#[test]
fn floats_by_names_of_rust() {
    let x = 4.0f32;
    let result = crate::common::outputs::<f32>(6, |client, out| {
        by_name::try_launch::<crate::common::R>(client, one(), CubeDim::new_1d(1), out, ScalarArg::new(x)).unwrap();
    });
    let (y, z) = (x * 2.0, x.sqrt());
    let host = [
        x.ln() + y.ln(),
        y.ln_1p() + x.ln_1p(),
        (x + 0.5).round_ties_even() + z.round_ties_even(),
        z.ln() + z.ln_1p() + z.round_ties_even(),
        z.ln(),
        x.ln(),
    ];
    for (have, expected) in result.iter().zip(host) {
        assert!((have - expected).abs() < 1e-5, "{result:?} against {host:?}");
    }
}

mod own {
    use cubecl::prelude::*;

    #[cube]
    pub trait Ln {
        fn ln(&self) -> f32;
    }

    #[derive(CubeType, Clone, Copy)]
    pub struct Path {
        pub length: f32,
    }
}

use own::{Ln as _, Path};

#[cube]
impl own::Ln for Path {
    fn ln(&self) -> f32 {
        self.length + 1.0
    }
}

#[cube(launch)]
fn of_the_user(out: &mut Array<f32>) {
    out[0] = Path { length: 5.0 }.ln();
}

#[test]
fn user_trait_method_takes_precedence() {
    let result = crate::common::outputs::<f32>(1, |client, out| {
        of_the_user::try_launch::<crate::common::R>(client, one(), CubeDim::new_1d(1), out).unwrap();
    });
    assert_eq!(result, [6.0]);
}
