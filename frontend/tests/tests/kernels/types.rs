//! Structs, enums, tuples, traits, generics.
mod same_names;
use crate::common::*;
use cubecl::prelude::*;

#[derive(CubeType, Clone, Copy)]
struct Complex<F: Float> {
    re: F,
    im: F,
}

#[cube]
impl<F: Float> Complex<F> {
    fn new(re: F, im: F) -> Self {
        Complex::<F> { re, im }
    }
    fn mul(&self, other: Complex<F>) -> Complex<F> {
        Complex::<F>::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
    fn scale(&mut self, by: F) {
        self.re *= by;
        self.im *= by;
    }
}

#[cube(launch)]
fn powers<F: Float>(out: &mut Array<F>) {
    let mut z = Complex::<F>::new(F::new(1.0), F::new(0.0));
    let w = Complex::<F> { re: F::new(0.0), im: F::new(2.0) };
    for _ in 0..ABSOLUTE_POS {
        z = z.mul(w);
    }
    z.scale(F::new(0.5));
    let best = if z.re > z.im { z } else { Complex::<F>::new(z.im, z.re) };
    out[2 * ABSOLUTE_POS] = best.re;
    out[2 * ABSOLUTE_POS + 1] = best.im;
}

#[test]
fn structs_with_methods() {
    let got = outputs::<f32>(8, |c, out| powers::launch::<f32, R>(c, one(), CubeDim::new_1d(4), out));
    assert_eq!(got, [0.5, 0.0, 1.0, 0.0, 0.0, -2.0, 0.0, -4.0]);
}

#[cube]
trait Op<F: Float>: Send + Sync + 'static {
    type Extra: CubeType;
    const BASE: u32;
    fn apply(x: F, y: F) -> F;
    fn twice(x: F, y: F) -> F {
        Self::apply(Self::apply(x, y), y)
    }
}

struct Plus;
struct Times;

#[cube]
impl<F: Float> Op<F> for Plus {
    type Extra = u32;
    const BASE: u32 = 3;
    fn apply(x: F, y: F) -> F {
        x + y
    }
}

#[cube]
impl<F: Float> Op<F> for Times {
    type Extra = u32;
    const BASE: u32 = 7;
    fn apply(x: F, y: F) -> F {
        x * y
    }
}

#[cube(launch)]
fn apply_all<F: Float, O: Op<F>, const N: u32>(out: &mut Array<F>) {
    let i = ABSOLUTE_POS;
    out[i] = O::twice(F::cast_from(i), F::cast_from(O::BASE + N));
}

#[test]
fn traits_with_defaults_and_constants() {
    let got = outputs::<f32>(3, |c, out| apply_all::launch::<f32, Plus, 1, R>(c, one(), CubeDim::new_1d(3), out));
    assert_eq!(got, [8.0, 9.0, 10.0]);
    let got = outputs::<f64>(3, |c, out| apply_all::launch::<f64, Times, 0, R>(c, one(), CubeDim::new_1d(3), out));
    assert_eq!(got, [0.0, 49.0, 98.0]);
}

#[cube]
trait Shape {
    fn area(&self) -> u32;
    fn doubled(&self) -> u32 {
        self.area() * 2
    }
}

#[derive(CubeType)]
struct Square(u32);

#[derive(CubeType)]
struct Rect {
    w: u32,
    h: u32,
}

#[cube]
impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

#[cube]
impl Shape for Rect {
    fn area(&self) -> u32 {
        self.w * self.h
    }
}

#[cube]
fn total<A: Shape, B: Shape>(a: &A, b: &B) -> u32 {
    a.doubled() + b.area()
}

#[cube(launch)]
fn areas(out: &mut Array<u32>) {
    let a = Square(ABSOLUTE_POS);
    let b = Rect { w: ABSOLUTE_POS, h: 10 };
    out[ABSOLUTE_POS] = total::<Square, Rect>(&a, &b);
}

#[test]
fn methods_of_traits() {
    let got = outputs::<u32>(4, |c, out| areas::launch::<R>(c, one(), CubeDim::new_1d(4), out));
    assert_eq!(got, [0, 12, 28, 48]);
}

#[derive(CubeType, CubeLaunch)]
enum Source {
    Constant(u32),
    Memory { data: Array<u32>, offset: u32 },
    Nothing,
}

#[cube(launch)]
fn reads(source: Source, out: &mut Array<u32>) {
    let value = match source {
        Source::Constant(v) => v,
        Source::Memory { data, offset } => data[ABSOLUTE_POS + offset],
        Source::Nothing => 77u32.runtime(),
    };
    out[ABSOLUTE_POS] = value;
}

#[test]
fn enums_as_arguments() {
    let client = client();
    let data = client.create(u32::as_bytes(&[1, 2, 3, 4]));
    let run = |source: SourceArgs<'_, R>| {
        outputs::<u32>(2, |c, out| reads::launch::<R>(c, one(), CubeDim::new_1d(2), source, out))
    };
    assert_eq!(run(SourceArgs::Constant(ScalarArg::new(9))), [9, 9]);
    assert_eq!(run(SourceArgs::Nothing), [77, 77]);
    assert_eq!(run(SourceArgs::Memory { data: array::<u32>(&data, 4), offset: ScalarArg::new(2) }), [3, 4]);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Sum,
    Product,
}

#[derive(CubeType, CubeLaunch)]
struct Config {
    scale: u32,
    #[cube(comptime)]
    kind: Kind,
    #[cube(comptime)]
    tag: String,
}

#[cube(launch)]
fn configured(config: Config, out: &mut Array<u32>, #[comptime] extra: Option<u32>) {
    let i = ABSOLUTE_POS;
    let mut value = if config.kind == Kind::Sum { i + config.scale } else { i * config.scale };
    if comptime!(config.tag == "neg") {
        value = 0 - value;
    }
    if let Some(extra) = extra {
        value += extra;
    }
    let (a, mut b) = (value, 1);
    b += a;
    out[i] = b;
}

#[test]
fn comptime_fields_specialise_the_kernel() {
    let run = |kind, tag: &str, extra| {
        outputs::<u32>(3, |c, out| {
            let config = ConfigLaunch::new(ScalarArg::new(5), kind, tag.to_string());
            configured::launch::<R>(c, one(), CubeDim::new_1d(3), config, out, extra)
        })
    };
    assert_eq!(run(Kind::Sum, "", None), [6, 7, 8]);
    assert_eq!(run(Kind::Product, "", Some(100)), [101, 106, 111]);
    assert_eq!(run(Kind::Product, "neg", None), [1, 1u32.wrapping_sub(5), 1u32.wrapping_sub(10)]);
}

#[cube]
fn sum_all(values: &Sequence<u32>) -> u32 {
    let mut sum = 0;
    #[unroll]
    for i in 0..values.len() {
        sum += *values.index(i);
    }
    sum
}

#[cube(launch)]
fn sequences(out: &mut Array<u32>) {
    let mut list = Sequence::<u32>::new();
    list.push(ABSOLUTE_POS);
    list.push(10);
    let other = list.clone();
    list.push(100);
    out[ABSOLUTE_POS] = sum_all(&list) * 1000 + sum_all(&other);
}

#[test]
fn cloned_sequences_are_independent() {
    let got = outputs::<u32>(3, |c, out| sequences::launch::<R>(c, one(), CubeDim::new_1d(3), out));
    assert_eq!(got, (0..3).map(|i| (110 + i) * 1000 + 10 + i).collect::<Vec<u32>>());
}

#[cube(launch)]
fn kind_of<N: Numeric>(out: &mut Array<u32>) {
    let ty = comptime!(N::as_type_native_unchecked());
    out[0] = comptime!(ty.size_bits() as u32 + ty.elem_type().size() as u32);
    if comptime!(ty.is_float()) {
        out[1] = 1;
    } else if comptime!(ty.is_signed_int()) {
        out[1] = 2;
    } else if comptime!(ty.is_unsigned_int() && ty.is_int() && !ty.is_atomic()) {
        out[1] = 3 * comptime!(ty.packing_factor());
    }
}

#[test]
fn kernel_queries_its_element_type() {
    fn kind<N: Numeric>() -> [u32; 2] {
        let got = outputs::<u32>(2, |c, out| kind_of::launch::<N, R>(c, one(), CubeDim::new_1d(1), out));
        [got[0], got[1]]
    }
    assert_eq!([kind::<u8>(), kind::<u32>(), kind::<u64>()], [[9, 3], [36, 3], [72, 3]]);
    assert_eq!([kind::<i16>(), kind::<i64>()], [[18, 2], [72, 2]]);
    assert_eq!([kind::<cubecl::f16>(), kind::<f32>(), kind::<f64>()], [[18, 1], [36, 1], [72, 1]]);
}
