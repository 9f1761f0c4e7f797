//! `#[cfg]` and `#[cfg_attr]` inside kernels: the kernel obeys them as rustc does on the host.
// `all()` is always true, and `any()` is always false.
#![allow(clippy::non_minimal_cfg)]
use crate::common::{R, array, client};
use cubecl::prelude::*;

/// `any()` never holds and `all()` always does: each construct appears with both.
#[cube]
fn statements(x: f32) -> f32 {
    let mut sum = x;
    #[cfg(any())]
    {
        sum += 1.0;
    }
    #[cfg(all())]
    {
        sum += 2.0;
    }
    #[cfg(any())]
    let step = 4.0;
    #[cfg(all())]
    let step = 8.0;
    sum += step;
    #[cfg(any())]
    if x > 0.0 {
        sum += 16.0;
    }
    #[cfg(all())]
    if x > 0.0 {
        sum += 32.0;
    }
    #[cfg(any())]
    for _ in 0..2u32 {
        sum += 64.0;
    }
    #[cfg(all())]
    for _ in 0..2u32 {
        sum += 128.0;
    }
    #[cfg(any())]
    while sum > 0.0 {
        sum -= 1.0;
    }
    #[cfg(any())]
    loop {}
    #[cfg(any())]
    return 7.0;
    #[cfg(any())]
    (sum += 512.0);
    #[cfg(any())]
    does_not_exist(sum.nor_this());
    #[cfg_attr(all(), allow(unused_parens))]
    (sum += 1024.0);
    sum
}

#[cube]
fn tail(x: f32) -> f32 {
    #[cfg(any())]
    {
        x
    }
    #[cfg(all())]
    {
        x + 1.0
    }
}

#[cube]
fn arms(n: u32) -> f32 {
    match n {
        #[cfg(any())]
        3 => 1.0,
        #[cfg(all())]
        3 => 2.0,
        #[cfg(any())]
        _ => unknown(),
        #[cfg(all())]
        _ => 4.0,
    }
}

#[derive(CubeType, Clone, Copy)]
struct Pair {
    a: f32,
    #[cfg(any())]
    none: f32,
    b: f32,
}

/// `#[cfg]` conditions on fields in struct expressions and patterns, on array elements, arguments and
/// parameters.
#[cube]
fn lists(x: f32, #[cfg(any())] nothing: Unknown, y: f32) -> f32 {
    let pair = Pair {
        #[cfg(any())]
        none: x,
        a: x,
        #[cfg(any())]
        b: x,
        #[cfg(all())]
        b: y,
    };
    let Pair {
        a,
        #[cfg(any())]
        none,
        b,
    } = pair;
    let both = (
        #[cfg(any())]
        1.0,
        a,
        b,
    );
    fma(
        both.0,
        #[cfg(any())]
        x,
        both.1,
        #[cfg(all())]
        x,
    )
}

#[cube]
fn generic<#[cfg(any())] N: Numeric, F: Float>(#[cfg_attr(all(), comptime)] n: u32, x: F) -> F {
    let mut sum = x;
    #[cfg_attr(all(), unroll)]
    for i in 0..n {
        // Known at compile time, since the loop is unrolled.
        sum += F::cast_from(comptime!(i + 1));
    }
    let part = comptime!({
        #[cfg(any())]
        let part = 100u32;
        #[cfg(all())]
        let part = 200u32;
        part
    });
    sum + F::cast_from(part)
}

#[cube]
trait Halves: CubePrimitive {
    #[cfg(any())]
    fn half(x: Self) -> Unknown;
    #[cfg(all())]
    fn half(x: Self) -> Self;
    #[cfg(any())]
    fn whole(x: Self) -> Self {
        nothing(x)
    }
    #[cfg(all())]
    fn whole(x: Self) -> Self {
        x
    }
}

#[cube]
impl Halves for f32 {
    #[cfg(all())]
    fn half(x: Self) -> Self {
        x / 2.0
    }
    #[cfg(any())]
    fn half(x: Self) -> Self {
        x / 3.0
    }
    #[cfg(any())]
    fn not_there(x: Self) -> Self {
        x
    }
}

#[cube]
impl Pair {
    #[cfg(any())]
    fn sum(&self) -> f32 {
        self.a + self.none
    }
    #[cfg(all())]
    fn sum(&self) -> f32 {
        let sum = self.a + self.b;
        #[cfg(any())]
        let sum = self.none;
        sum
    }
    #[cfg(any())]
    fn scaled(x: f32) -> f32 {
        x * 2.0
    }
    #[cfg(not(any()))]
    fn scaled(x: f32) -> f32 {
        x * 3.0
    }
}

/// `#[cfg]` conditions on the kernel itself, before and after `#[cube]`.
#[cube]
#[cfg(any())]
fn alternative(x: f32) -> f32 {
    x + 1.0
}

#[cfg(all())]
#[cube]
fn alternative(x: f32) -> f32 {
    x + 2.0
}

/// A macro that defines a kernel with a `#[cfg]` condition; the macro's caller chooses the kernel's name.
macro_rules! kernel {
    ($name:ident, $value:expr) => {
        #[cube]
        fn $name(x: f32) -> f32 {
            #[cfg(any())]
            let own = x;
            #[cfg(all())]
            let own = x * $value;
            own
        }
    };
}
kernel!(of_a_macro, 5.0 + 1.0);

/// A macro that defines a kernel without a `#[cfg]` condition.
macro_rules! product {
    ($name:ident, $left:expr, $right:expr) => {
        #[cube]
        fn $name() -> f32 {
            let negated = -$left;
            negated * $right + $left as f32
        }
    };
}
product!(of_operands, 1.0 + 2.0, 3.0 - 5.0);

#[cube]
fn all(x: f32, n: u32) -> f32 {
    #[cfg(all())]
    let pair = Pair { a: x, b: 2.0 };
    let first = statements(x) + 3.0 * tail(x) + 5.0 * arms(n) + 7.0 * lists(x, 3.0);
    let second = f32::half(x) + 11.0 * f32::whole(x) + 13.0 * pair.sum() + Pair::scaled(x);
    first + second + 17.0 * alternative(x) + of_a_macro(x) + of_operands()
}

#[cube(launch)]
fn kernel(
    out: &mut Array<f32>,
    #[cfg(any())] nothing: &Array<Unknown>,
    #[cfg(all())]
    #[comptime]
    n: u32,
) {
    #[cfg(any())]
    {
        out[ABSOLUTE_POS] = 0.0;
    }
    out[ABSOLUTE_POS] = all(out[ABSOLUTE_POS], ABSOLUTE_POS) + generic::<f32>(n, 0.0);
}

#[test]
fn the_kernel_obeys_conditions_as_the_host_does() {
    let client = client();
    let x = [0.5f32, -1.0, 2.0, 3.0, 4.0];
    let buffer = client.create(f32::as_bytes(&x));
    let dim = CubeDim::new_1d(5);
    kernel::try_launch::<R>(&client, CubeCount::Static(1, 1, 1), dim, array::<f32>(&buffer, 5), 3).unwrap();
    let host = |(i, x): (usize, &f32)| {
        let statements = x + 2.0 + 8.0 + if *x > 0.0 { 32.0 } else { 0.0 } + 256.0 + 1024.0;
        let arms = if i == 3 { 2.0 } else { 4.0 };
        let first = statements + 3.0 * (x + 1.0) + 5.0 * arms + 7.0 * (x * 3.0 + x);
        let second = x / 2.0 + 11.0 * x + 13.0 * (x + 2.0) + 3.0 * x;
        first + second + 17.0 * (x + 2.0) + 6.0 * x + (6.0 + 3.0) + (1.0 + 2.0 + 3.0 + 200.0)
    };
    let host: Vec<f32> = x.iter().enumerate().map(host).collect();
    assert_eq!(f32::from_bytes(&client.read_one(buffer)), host);
}

/// The Rust functions give the same results on the host as in the kernel.
#[test]
fn host_function_has_the_same_conditions() {
    let x = 2.0;
    let statements = statements(x);
    assert_eq!((statements, tail(x), arms(3), arms(1)), (x + 1322.0, 3.0, 2.0, 4.0));
    assert_eq!(of_operands(), 9.0);
    assert_eq!((Pair::scaled(x), Pair { a: x, b: 1.0 }.sum(), alternative(x), of_a_macro(x)), (6.0, 3.0, 4.0, 12.0));
}
