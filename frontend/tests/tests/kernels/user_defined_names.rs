//! Names that the user's program defines: types named `Box`, `Vec`, `Arc` and `Rc`, and numbers with a user's trait. A
//! `#[cfg]` condition removes a host `impl` or a trait.
// `all()` is always true, and `any()` is always false.
#![allow(clippy::non_minimal_cfg)]
use crate::common::{R, array, client};
use cubecl::prelude::*;

/// A user's module whose types have names of Rust's library.
mod geometry {
    use cubecl::prelude::*;

    #[derive(CubeType, Clone, Copy)]
    pub struct Arc {
        pub angle: f32,
    }

    #[cube]
    impl Arc {
        pub fn from_angle(angle: f32) -> Arc {
            Arc { angle: angle * 2.0 }
        }
    }

    #[derive(CubeType, Clone, Copy)]
    pub struct Vec<F: Float> {
        pub x: F,
        pub y: F,
    }

    #[cube]
    impl<F: Float> Vec<F> {
        pub fn new(x: F, y: F) -> Vec<F> {
            Vec::<F> { x, y }
        }
        pub fn length2(&self) -> F {
            self.x * self.x + self.y * self.y
        }
    }

    #[derive(CubeType, Clone, Copy)]
    pub struct Rc {
        pub ohm: f32,
    }

    #[cube]
    impl Rc {
        pub fn new(ohm: f32) -> Rc {
            Rc { ohm: ohm + 1.0 }
        }
    }
}

mod by_glob {
    use super::geometry::*;
    use cubecl::prelude::*;

    #[cube]
    pub fn angle(x: f32) -> f32 {
        Arc::from_angle(x).angle + Rc::new(x).ohm
    }
}

/// Modules of the user's program that have the names of modules in Rust's library.
mod core {
    pub mod mem {
        use cubecl::prelude::*;

        #[cube]
        pub fn swap(a: f32, b: f32) -> f32 {
            a * 10.0 + b
        }
    }
}

/// A user's module whose types have names of Rust's library; the kernels use the types through paths.
mod standard {
    use super::{R, array, client};
    use cubecl::prelude::*;

    #[derive(CubeType, Clone, Copy)]
    pub struct Box {
        pub v: f32,
    }

    #[cube]
    impl Box {
        pub fn new(v: f32) -> Box {
            Box { v: v * 2.0 }
        }
    }

    #[cube(launch)]
    fn by_paths(out: &mut Array<f32>) {
        let x = out[0];
        out[0] = std::mem::swap(x, 2.0);
        out[1] = std::sync::Arc::new(x).v;
        out[2] = self::std::fs::half(x);
        out[3] = self::Box::new(x).v + super::standard::Box { v: 3.0 }.v;
        out[4] = crate::user_defined_names::geometry::Vec::<f32>::new(x, 3.0).length2();
        let own: crate::user_defined_names::geometry::Arc = super::geometry::Arc::from_angle(x);
        out[5] = own.angle;
        let made = std::sync::Arc { v: 7.0 };
        out[6] = made.v + alloc::vec::twice(x);
    }

    mod alloc {
        pub mod vec {
            use cubecl::prelude::*;

            #[cube]
            pub fn twice(x: f32) -> f32 {
                x * 2.0
            }
        }
    }

    mod std {
        pub mod mem {
            use cubecl::prelude::*;

            #[cube]
            pub fn swap(a: f32, b: f32) -> f32 {
                a + b * 10.0
            }
        }
        pub mod fs {
            use cubecl::prelude::*;

            #[cube]
            pub fn half(a: f32) -> f32 {
                a / 2.0
            }
        }
        pub mod sync {
            use cubecl::prelude::*;

            #[derive(CubeType, Clone, Copy)]
            pub struct Arc {
                pub v: f32,
            }

            #[cube]
            impl Arc {
                pub fn new(v: f32) -> Arc {
                    Arc { v: v * 3.0 }
                }
            }
        }
    }

    #[test]
    fn paths_with_names_of_rusts_library() {
        let client = client();
        let buffer = client.create(f32::as_bytes(&[4.0; 7]));
        by_paths::try_launch::<R>(&client, crate::common::one(), CubeDim::new_1d(1), array::<f32>(&buffer, 7)).unwrap();
        assert_eq!(f32::from_bytes(&client.read_one(buffer)), [24.0, 12.0, 2.0, 11.0, 25.0, 8.0, 15.0]);
    }
}

use geometry::{Arc, Vec};

#[derive(CubeType, Clone, Copy)]
struct Box {
    low: f32,
    high: f32,
}

#[cube]
impl Box {
    fn new(low: f32, high: f32) -> Box {
        Box { low, high }
    }
    fn size(&self) -> f32 {
        self.high - self.low
    }
}

#[cube(launch)]
fn own_types(out: &mut Array<f32>) {
    let x = out[0];
    let own = Box::new(x, 5.0);
    out[0] = own.size();
    out[1] = Arc::from_angle(x).angle;
    out[2] = Vec::<f32>::new(x, 3.0).length2();
    out[3] = geometry::Rc::new(x).ohm;
    out[4] = by_glob::angle(x);
    out[5] = self::core::mem::swap(x, 3.0);
    out[6] = core::mem::swap(3.0, x);
}

#[test]
fn types_with_names_of_rusts_library() {
    let client = client();
    let buffer = client.create(f32::as_bytes(&[2.0; 7]));
    own_types::try_launch::<R>(&client, crate::common::one(), CubeDim::new_1d(1), array::<f32>(&buffer, 7)).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(buffer)), [3.0, 4.0, 13.0, 3.0, 7.0, 23.0, 32.0]);
}

#[cube]
trait Third: CubePrimitive {
    fn third(x: Self) -> Self;
    fn twice(&self) -> Self;
}

type Real = f32;

#[cube]
impl Third for f32 {
    fn third(x: f32) -> f32 {
        x / 3.0
    }
    fn twice(&self) -> f32 {
        let x: f32 = *self;
        x + x
    }
}

#[cube]
impl Third for u32 {
    fn third(x: u32) -> u32 {
        x / 3
    }
    fn twice(&self) -> u32 {
        *self * 2
    }
}

#[cube]
fn plain(x: f32) -> f32 {
    -(x * 2.0 - 1.0)
}

#[cube]
fn renamed(x: Real, n: u32) -> Real {
    x * Real::cast_from((n << 1) % 5)
}

#[cube(launch)]
fn numbers(out: &mut Array<f32>, n: u32, x: f32) {
    out[0] = f32::third(x) * 2.0;
    out[1] = f32::cast_from(u32::third(n) + n);
    out[2] = plain(x) * x;
    out[3] = renamed(x, n) + x;
    out[4] = x.twice();
}

#[test]
fn operators_on_numbers_with_a_trait_of_the_user() {
    let host = |x: f32, n: u32| [x / 3.0 * 2.0, (n / 3 + n) as f32, plain(x) * x, x * ((n << 1) % 5) as f32 + x, x + x];
    let result = crate::common::outputs::<f32>(5, |client, out| {
        let (n, x) = (ScalarArg::new(7u32), ScalarArg::new(1.5f32));
        numbers::try_launch::<R>(client, crate::common::one(), CubeDim::new_1d(1), out, n, x).unwrap();
    });
    assert_eq!(result, host(1.5, 7));
}

#[derive(CubeType, Clone, Copy)]
struct Alternative {
    v: f32,
}

#[cfg(any())]
impl Alternative {
    fn f(v: f32) -> f32 {
        v
    }
}

#[cfg(not(any()))]
#[cube]
impl Alternative {
    fn f(v: f32) -> f32 {
        v + 1.0
    }
    #[cfg(any())]
    fn g(v: f32) -> f32 {
        v
    }
}

/// An `impl` of `Alternative` without `#[cube]`, for the host only.
#[cfg(any())]
impl Alternative {
    fn g(v: f32) -> f32 {
        v
    }
}

#[cube]
impl Alternative {
    fn g(v: f32) -> f32 {
        v * 2.0
    }
}

#[cfg(any())]
trait Chosen {
    fn chosen(x: f32) -> f32;
}

#[cfg(not(any()))]
#[cube]
trait Chosen {
    fn chosen(x: f32) -> f32;
}

#[cube]
impl Chosen for Alternative {
    fn chosen(x: f32) -> f32 {
        x + 3.0
    }
}

/// Two definitions of `Sized2`: the removed definition has no generic parameter, and the remaining definition
/// has one.
#[cfg(any())]
#[derive(CubeType)]
struct Sized2;

#[cfg(all())]
#[derive(CubeType, Clone, Copy)]
struct Sized2<F: Float> {
    v: F,
}

#[cube]
impl<F: Float> Sized2<F> {
    fn of(v: F) -> Sized2<F> {
        Sized2::<F> { v: v * v }
    }
}

#[cube(launch)]
fn alternatives(out: &mut Array<f32>) {
    let x = out[0];
    out[0] = Alternative::f(x);
    out[1] = Alternative::g(x);
    out[2] = Alternative::chosen(x);
    out[3] = Sized2::<f32>::of(x).v;
}

#[test]
fn items_disabled_by_cfg_do_not_shadow_names() {
    let client = client();
    let buffer = client.create(f32::as_bytes(&[4.0; 4]));
    alternatives::try_launch::<R>(&client, crate::common::one(), CubeDim::new_1d(1), array::<f32>(&buffer, 4)).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(buffer)), [5.0, 8.0, 7.0, 16.0]);
}
