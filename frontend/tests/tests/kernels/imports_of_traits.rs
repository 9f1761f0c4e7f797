//! One `use` of a `#[cube]` trait suffices to implement it and to call its methods, across modules and crates.
use crate::common::{R, one};
use cubecl::prelude::*;

mod library {
    use cubecl::prelude::*;

    #[cube]
    pub trait Scaled: CubePrimitive {
        fn by(&self, n: u32) -> Self;
        fn plus(self, other: Self) -> Self;
        fn to<F: Float>(self, other: F) -> F;
        fn power<const N: u32>(&self) -> Self;
        fn mapped(self, f: impl Fn(Self) -> Self) -> Self;
        fn twice(&self) -> Self {
            self.by(2)
        }
    }

    #[cube]
    impl Scaled for f32 {
        fn by(&self, n: u32) -> f32 {
            *self * f32::cast_from(n)
        }
        fn plus(self, other: f32) -> f32 {
            self + other
        }
        fn to<F: Float>(self, other: F) -> F {
            F::cast_from(self) + other
        }
        fn power<const N: u32>(&self) -> f32 {
            let mut power = 1.0f32;
            for _ in 0..N {
                power *= *self;
            }
            power
        }
        fn mapped(self, f: impl Fn(f32) -> f32) -> f32 {
            f(self) * 10.0
        }
    }

    #[derive(CubeType, Clone, Copy)]
    pub struct Pair<F: Float> {
        pub a: F,
        pub b: F,
    }

    #[derive(CubeType, Clone)]
    pub enum Way<F: Float> {
        By(F),
        Nothing,
    }

    /// The trait has a parameter and an associated type.
    #[cube]
    pub trait Sum<F: Float> {
        type Kept: CubePrimitive;
        fn sum(&self) -> F;
        fn set(&mut self, a: F);
        fn kept(&self) -> Self::Kept;
    }

    /// A trait whose methods have the names of built-in methods of the kernel language.
    #[cube]
    pub trait Named {
        fn len(&self) -> u32;
        fn max(&self, other: u32) -> u32;
    }
}

/// A module that imports traits under other names and implements the imported traits.
mod implements {
    use super::library::{Named, Pair as Two, Sum as Total, Way};
    use cubecl::prelude::*;

    #[cube]
    impl<F: Float> Total<F> for Two<F> {
        type Kept = u32;
        fn sum(&self) -> F {
            self.a + self.b
        }
        fn set(&mut self, a: F) {
            self.a = a;
        }
        fn kept(&self) -> u32 {
            7
        }
    }

    #[cube]
    impl<F: Float> Total<F> for Way<F> {
        type Kept = i32;
        fn sum(&self) -> F {
            match self {
                Way::By(x) => *x,
                Way::Nothing => F::new(-1.0),
            }
        }
        fn set(&mut self, a: F) {
            let _ = a;
        }
        fn kept(&self) -> i32 {
            -7
        }
    }

    #[cube]
    impl Named for Two<f32> {
        fn len(&self) -> u32 {
            2
        }
        fn max(&self, other: u32) -> u32 {
            other + 10
        }
    }
}

mod calls {
    use super::library::{Named, Pair, Scaled as Times, Sum as _, Way};
    use cubecl::prelude::*;

    #[cube]
    pub fn of_numbers(x: f32, n: u32) -> f32 {
        let y = x.by(n).plus(x.twice());
        y + x.to::<f32>(2.0)
            + x.power::<3>()
            + (x + 1.0).mapped(|v: f32| v * v)
            + f32::cast_from(Pair::<f32> { a: x, b: x }.max(n))
    }

    #[cube]
    pub fn of_types(x: f32) -> f32 {
        let mut pair = Pair::<f32> { a: x, b: x * 2.0 };
        pair.set(100.0);
        let (way, none) = (Way::By(x), Way::<f32>::Nothing);
        pair.sum()
            + way.sum() * 1000.0
            + none.sum()
            + f32::cast_from(pair.kept() + pair.len())
            + f32::cast_from(none.kept())
    }

    #[cube]
    pub fn of_parameters<T: Times>(x: T) -> T {
        x.by(3).plus(x.power::<2>())
    }
}

mod by_glob {
    use super::library::*;
    use cubecl::prelude::*;

    #[cube]
    pub fn glob(x: f32) -> f32 {
        x.twice().plus(0.5)
    }
}

mod by_path {
    use cubecl::prelude::*;

    #[cube]
    pub fn path<F: Float, T: super::library::Sum<F>>(x: T) -> F {
        x.sum()
    }
}

/// A module that imports the trait `Scaled` and its expansion `ScaledExpand`, as older programs had to.
mod as_before {
    use super::library::{Scaled, ScaledExpand};
    use cubecl::prelude::*;

    #[cube]
    pub fn before(x: f32) -> f32 {
        x.twice().mapped(|v| v + 1.0)
    }
}

#[cube(launch)]
fn all(out: &mut Array<f32>, n: u32) {
    let x = out[0];
    out[0] = calls::of_numbers(x, n);
    out[1] = calls::of_types(x);
    out[2] = calls::of_parameters::<f32>(x);
    out[3] = by_glob::glob(x);
    out[4] = by_path::path::<f32, library::Pair<f32>>(library::Pair::<f32> { a: x, b: 4.0 });
    out[5] = as_before::before(x);
}

#[test]
fn one_use_of_a_trait_is_enough() {
    let client = crate::common::client();
    let buffer = client.create(f32::as_bytes(&[1.5; 6]));
    all::try_launch::<R>(
        &client,
        one(),
        CubeDim::new_1d(1),
        crate::common::array::<f32>(&buffer, 6),
        ScalarArg::new(9u32),
    )
    .unwrap();
    let numbers = 13.5 + 3.0 + 3.5 + 3.375 + 62.5 + 19.0;
    let types = 103.0 + 1500.0 - 1.0 + 9.0 - 7.0;
    let host = [numbers, types, 4.5 + 2.25, 3.5, 5.5, 40.0];
    assert_eq!(f32::from_bytes(&client.read_one(buffer)), host);
}
