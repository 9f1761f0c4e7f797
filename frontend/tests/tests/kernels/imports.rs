//! One `use` of an enum suffices for the host and for the kernel, across modules.
use crate::common::{R, array, client, one};
use cubecl::prelude::*;

mod shapes {
    use cubecl::prelude::*;

    #[derive(CubeType, Clone, Copy)]
    pub struct Point<F: Float> {
        pub x: F,
        pub y: F,
    }

    #[derive(CubeType, Clone)]
    pub enum Shape<F: Float> {
        Empty,
        Circle(F),
        Box { low: Point<F>, high: F },
        Pair(F, F),
    }

    #[derive(CubeType, Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Way {
        Up,
        Down,
        By { steps: u32 },
    }
}

mod user {
    use super::shapes::{Point, Shape, Way};
    use cubecl::prelude::*;

    #[cube]
    pub fn made(#[comptime] which: u32, x: f32) -> Shape<f32> {
        match comptime!(which) {
            0 => Shape::<f32>::Empty,
            1 => Shape::Circle(x),
            2 => Shape::Box { high: x + 5.0, low: Point::<f32> { x, y: x * 2.0 } },
            _ => Shape::Pair(x, 3.0),
        }
    }

    #[cube]
    pub fn area<F: Float>(shape: &Shape<F>) -> F {
        match shape {
            Shape::Empty => F::new(0.5),
            Shape::Circle(r) => *r * *r,
            Shape::Box { low, high } => low.x + low.y + *high,
            Shape::Pair(first, ..) => *first,
        }
    }

    #[cube]
    pub fn alternatives(shape: Shape<f32>, n: u32) -> f32 {
        match (shape, n) {
            (Shape::Circle(r) | Shape::Pair(r, _), 2) => r * 100.0,
            (Shape::Circle(r), _) => r,
            (Shape::Box { high, .. }, n) if n > 1 => high * 10.0,
            _ => 7.0,
        }
    }

    #[cube]
    pub fn changed(shape: Shape<f32>) -> f32 {
        let mut shape = shape;
        if let Shape::Pair(_, second) = &mut shape {
            *second += 1.0;
        }
        let Shape::Pair(first, second) = shape else { return -1.0 };
        first * second
    }

    /// The variant of the returned enum is known only at run time.
    #[cube]
    pub fn way(n: u32) -> u32 {
        let mut way = Way::Up;
        if n > 1 {
            way = Way::By { steps: n * 3 };
        } else if n == 1 {
            way = Way::Down;
        }
        match Some(way) {
            Some(Way::Up) => 10,
            Some(Way::By { steps: 6 }) => 60,
            Some(Way::By { steps }) => steps,
            _ => 20,
        }
    }
}

#[cube(launch)]
fn shapes_of(out: &mut Array<f32>, #[comptime] which: u32) {
    let x = out[ABSOLUTE_POS];
    let shape = user::made(which, x);
    let area = user::area::<f32>(&shape);
    let alternative = user::alternatives(shape.clone(), ABSOLUTE_POS);
    out[ABSOLUTE_POS] = area + 1000.0 * alternative + 0.125 * user::changed(shape);
}

#[cube(launch)]
fn ways(out: &mut Array<u32>) {
    out[ABSOLUTE_POS] = user::way(ABSOLUTE_POS);
}

#[test]
fn an_enum_from_another_module_is_matched() {
    let client = client();
    for which in 0..4 {
        let x = [1.0f32, 2.0, 3.0, 4.0];
        let buffer = client.create(f32::as_bytes(&x));
        let out = array::<f32>(&buffer, 4);
        shapes_of::try_launch::<R>(&client, one(), CubeDim::new_1d(4), out, which).unwrap();
        let host = |(i, x): (usize, &f32)| {
            let shape = || user::made(which, *x);
            user::area(&shape()) + 1000.0 * user::alternatives(shape(), i as u32) + 0.125 * user::changed(shape())
        };
        let host: Vec<f32> = x.iter().enumerate().map(host).collect();
        assert_eq!(f32::from_bytes(&client.read_one(buffer)), host, "{which}");
    }
}

#[test]
fn unqualified_variant_is_resolved_inside_the_kernel() {
    let host: Vec<u32> = (0..4).map(user::way).collect();
    assert_eq!(host, [10, 20, 60, 9]);
    let result = crate::common::outputs::<u32>(4, |client, out| {
        ways::try_launch::<R>(client, one(), CubeDim::new_1d(4), out).unwrap();
    });
    assert_eq!(result, host);
}

/// `impl` blocks for a type that another module declares. The module that contains the `impl` block imports
/// only the type.
mod far {
    pub mod types {
        use cubecl::prelude::*;
        #[derive(CubeType, CubeLaunch, Clone, Copy)]
        pub struct Scale {
            pub by: f32,
        }
        #[derive(CubeType, Clone, Copy)]
        pub struct Both<F: Float, const N: u32> {
            pub a: F,
            pub b: F,
        }
    }
    pub mod methods {
        use super::types::{Both, Scale as Factor};
        use cubecl::prelude::*;
        #[cube]
        impl Factor {
            pub fn new(by: f32) -> Factor {
                Factor { by }
            }
            pub fn of(&self, x: f32) -> f32 {
                self.twice() * x
            }
            fn twice(&self) -> f32 {
                self.by * 2.0
            }
            pub fn grow(&mut self, by: f32) {
                self.by += by;
            }
        }
        #[cube]
        impl<F: Float, const N: u32> Both<F, N> {
            pub fn sum(self) -> F {
                self.a + self.b + F::cast_from(N)
            }
        }
    }
    pub mod kernels {
        use super::types::{Both, Scale};
        use cubecl::prelude::*;
        #[cube(launch)]
        pub fn scaled(out: &mut Array<f32>, scale: Scale) {
            let mut own = Scale::new(1.0);
            own.grow(out[0]);
            let both = Both::<f32, 7> { a: 1.0, b: out[1] };
            out[2] = scale.of(3.0) + own.of(10.0);
            out[3] = both.sum();
        }
    }
}

#[test]
fn methods_are_found_through_the_type_across_modules() {
    let client = client();
    let buffer = client.create(f32::as_bytes(&[0.5, 2.5, 0.0, 0.0]));
    let scale = far::types::ScaleLaunch::new(ScalarArg::new(4.0f32));
    far::kernels::scaled::try_launch::<R>(&client, one(), CubeDim::new_1d(1), array::<f32>(&buffer, 4), scale).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(buffer)), [0.5, 2.5, 24.0 + 30.0, 10.5]);
}
