//! Correct programs in which several blocks use equal names, which must not affect each other.
#![deny(warnings)]
#![allow(dead_code, clippy::new_ret_no_self)]
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn each(out: &mut Array<f32>) {
    out[0] = a::before(2.0) + b::after(3.0, 4);
    out[1] = b::uses(5) as f32 + b::acts(6.0) + b::acts_a(7.0);
    out[2] = b::op(b::Op::Sub { by: 1.0 }, 8.0) + a::op(a::Op::Mul, 9.0) + c::op::of(1.0);
    out[3] =
        c::one::of_made(1.0) + c::two::of_made(2) as f32 + c::of_point(3) as f32 + c::aliased(4.0) + c::renamed(5.0);
    out[4] =
        c::uses_const(2) as f32 + c::uses_type(3.0) + c::local_items(4) as f32 + c::generic::<f32, u32, i32>(9.0, 1, 2);
    out[5] = y::before(1.0) + y::before_e(y::made_d(), 2.0) + y::before_q(3) as f32 + y::before_u(4) as f32;
    out[6] = z::before::<z::V>(1.0) + w::lifetimes(2.0) + v::defaulted(3.0) + v::defaulted_after(4.0);
    out[7] = r#mod::uses(1) as f32 + r#mod::closed(2.0) + r#mod::parsed(3.0) + r#mod::opened(4.0);
}

#[test]
fn names_refer_to_the_item_in_scope() {
    let got = outputs::<f32>(8, |c, out| each::launch::<R>(c, one(), CubeDim::new_single(), out));
    let expected = [
        (2.0 + 2.0) + (6.0 + 3.0),
        (5.0 + 3.0) + 12.0 + 14.0,
        7.0 + 18.0 + 1.0,
        2.0 + 4.0 + 6.0 + 4.0 + 10.0,
        (8.0 + 6.0 + 10.0 + 4.0) + 6.0 + (12.0 + 2.0) + (3.0 + 1.0),
        2.0 + 3.0 + 9.0 + 12.0,
        2.0 + 2.0 + 9.0 + 12.0,
        2.0 + 3.0 + 4.5 + 4.0,
    ];
    assert_eq!(got, expected);
}

#[test]
fn a_block_in_a_body_sees_the_items_of_the_body() {
    const LOCAL: u32 = 5;
    fn host(x: u32) -> u32 {
        x
    }
    #[derive(CubeType, Clone, Copy)]
    struct Inside {
        v: u32,
    }
    #[cube]
    impl Inside {
        fn new(v: u32) -> Inside {
            Inside { v: v + LOCAL + comptime!(host(1)) }
        }
        fn again(&self) -> u32 {
            let other = Inside::new(self.v);
            later(other.v)
        }
    }
    #[cube]
    fn later(x: u32) -> u32 {
        x + 1
    }
    // The original functions are Rust functions that also run on the host.
    assert_eq!(Inside::new(1).again(), 7 + 6 + 1);
}

pub mod x {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    pub struct P<F: Float> {
        pub v: F,
    }
    #[cube]
    impl<F: Float> P<F> {
        pub fn new(v: F) -> P<F> {
            P::<F> { v }
        }
    }
    #[derive(CubeType, Clone, Copy)]
    pub enum E {
        A,
        B,
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct Q {
        pub v: f32,
    }
    #[cube]
    impl Q {
        pub fn new(v: f32) -> Q {
            Q { v }
        }
    }
    #[cube]
    pub trait T {
        fn t(x: f32) -> f32;
    }
    #[cube]
    pub fn f(#[comptime] n: u32) -> u32 {
        n
    }
    pub struct U;
    #[cube]
    impl T for U {
        fn t(x: f32) -> f32 {
            x
        }
    }
}
pub mod y {
    use cubecl::prelude::*;
    #[cube]
    pub fn before(x: f32) -> f32 {
        let p = P::new(x);
        let q = P { v: x };
        p.v + q.v
    }
    #[cube]
    pub fn before_e(e: E, x: f32) -> f32 {
        match e {
            E::C(y) => y,
            E::D { z } => z + x,
            E::A => 1.0,
        }
    }
    #[cube]
    pub fn before_q(x: u32) -> u32 {
        let p = Q::<u32>::new(x);
        let r = Q::new(x);
        let q = Q::<u32> { v: x };
        p.v + q.v + r.v
    }
    #[cube]
    pub fn made() -> E {
        E::C(1.0)
    }
    #[cube]
    pub fn made_d() -> E {
        E::D { z: 1.0 }
    }
    #[cube]
    pub fn before_u(x: u32) -> u32 {
        U::t(x) + U::other(x) + f(x)
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct P {
        pub v: f32,
    }
    #[cube]
    impl P {
        pub fn new(v: f32) -> P {
            P { v }
        }
    }
    #[derive(CubeType, Clone, Copy)]
    pub enum E {
        A,
        C(f32),
        D { z: f32 },
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct Q<I: Int> {
        pub v: I,
    }
    #[cube]
    impl<I: Int> Q<I> {
        pub fn new(v: I) -> Q<I> {
            Q::<I> { v }
        }
    }
    #[cube]
    pub fn f(n: u32) -> u32 {
        n
    }
    pub struct U;
    #[cube]
    impl T for U {
        fn t(x: u32) -> u32 {
            x
        }
        fn other(x: u32) -> u32 {
            x
        }
    }
    #[cube]
    pub trait T {
        fn t(x: u32) -> u32;
        fn other(x: u32) -> u32;
    }
}
pub mod z {
    use cubecl::prelude::*;
    // A trait whose name is the name of a type in another module.
    #[cube]
    pub fn before<O: Q>(x: f32) -> f32 {
        O::new(x) + <O as Q>::new(x)
    }
    #[cube]
    pub trait Q {
        fn new(x: f32) -> f32;
    }
    #[cube]
    pub fn through_trait(x: f32) -> f32 {
        V::new(x) + <V as Q>::new(x)
    }
    pub struct V;
    #[cube]
    impl Q for V {
        fn new(x: f32) -> f32 {
            x
        }
    }
}
pub mod w {
    use cubecl::prelude::*;
    #[cube]
    pub fn lifetimes(x: f32) -> f32 {
        let p = P::new(x);
        p.v
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct P<const N: u32> {
        pub v: f32,
    }
    #[cube]
    impl P<3> {
        pub fn new(v: f32) -> P<3> {
            P::<3> { v }
        }
    }
    #[cube]
    impl P<4> {
        pub fn of_four(v: f32) -> P<4> {
            P::<4> { v }
        }
    }
}
pub mod v {
    use cubecl::prelude::*;
    #[cube]
    pub fn defaulted(x: f32) -> f32 {
        let p = D::new(x);
        let q = D::<f32>::new(x);
        let r = D { v: x };
        p.v + q.v + r.v
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct D<F: Float = f32> {
        pub v: F,
    }
    #[cube]
    impl<F: Float> D<F> {
        pub fn new(v: F) -> D<F> {
            D::<F> { v }
        }
    }
    #[cube]
    pub fn defaulted_after(x: f32) -> f32 {
        let p = D::new(x);
        let q = D::<f32>::new(x);
        let r: D = D { v: x };
        p.v + q.v + r.v
    }
}

pub mod a {
    use cubecl::prelude::*;
    // Uses two types before their definitions. Another module has types with the same names.
    #[cube]
    pub fn before(x: f32) -> f32 {
        let p = Point::new(x);
        p.get() + Mode::pick(x)
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct Point {
        pub v: f32,
    }
    #[cube]
    impl Point {
        pub fn new(v: f32) -> Point {
            Point { v }
        }
        pub fn get(&self) -> f32 {
            self.v
        }
    }
    pub struct Mode;
    #[cube]
    impl Mode {
        pub fn pick(x: f32) -> f32 {
            x
        }
    }
    #[cube]
    pub fn comptime_one(#[comptime] n: u32) -> u32 {
        n
    }
    #[cube]
    pub fn square(x: f32) -> f32 {
        x * x
    }
    #[derive(CubeType, Clone, Copy)]
    pub enum Op {
        Add,
        Mul,
    }
    #[cube]
    pub fn op(o: Op, x: f32) -> f32 {
        match o {
            Op::Add => x,
            Op::Mul => x * 2.0,
        }
    }
    #[cube]
    pub trait Act {
        fn act(x: f32) -> f32;
        fn pair(x: u32, y: u32) -> u32;
    }
    pub struct S;
    #[cube]
    impl Act for S {
        fn act(x: f32) -> f32 {
            x
        }
        fn pair(x: u32, y: u32) -> u32 {
            x + y
        }
    }
}
pub mod b {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    pub struct Point<F: Float> {
        pub v: F,
        pub w: u32,
    }
    #[cube]
    impl<F: Float> Point<F> {
        pub fn new(v: F, w: u32) -> Point<F> {
            Point::<F> { v, w }
        }
        pub fn get(&self, #[comptime] n: u32) -> F {
            if comptime!(n > 1) { self.v } else { self.v + self.v }
        }
    }
    #[cube]
    pub fn after(x: f32, w: u32) -> f32 {
        let p = Point::<f32>::new(x, w);
        let q = Point::new(x, w);
        p.get(1) + q.get(2)
    }
    // In another module, the parameter of the function with this name is comptime.
    #[cube]
    pub fn comptime_one(n: u32) -> u32 {
        n
    }
    #[cube]
    pub fn uses(n: u32) -> u32 {
        comptime_one(n) + super::a::comptime_one(3)
    }
    #[derive(CubeType, Clone, Copy)]
    pub enum Op {
        Sub { by: f32 },
        Nop,
        Mul(f32),
    }
    #[cube]
    pub fn op(o: Op, x: f32) -> f32 {
        match o {
            Op::Sub { by } => x - by,
            Op::Nop => x,
            Op::Mul(m) => x * m,
        }
    }
    #[cube]
    pub trait Act {
        fn act(self, x: f32) -> f32;
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct S {
        pub k: f32,
    }
    #[cube]
    impl Act for S {
        fn act(self, x: f32) -> f32 {
            self.k * x
        }
    }
    #[cube]
    pub fn acts(x: f32) -> f32 {
        let s = S { k: 2.0 };
        s.act(x)
    }
    #[cube]
    pub fn acts_a(x: f32) -> f32 {
        use super::a::Act as Other;
        super::a::S::act(x) + <super::a::S as Other>::act(x)
    }
    // This type has no comptime field, but types with this name in other modules have one.
    #[derive(CubeType, Clone, Copy)]
    pub struct Rep {
        pub k: f32,
    }
    #[cube]
    impl Rep {
        pub fn get(&self, n: u32) -> f32 {
            self.k * n as f32
        }
        pub fn slice(&self, #[comptime] a: u32, #[comptime] b: u32) -> u32 {
            a + b
        }
        pub fn new(#[comptime] k: u32) -> Rep {
            Rep { k: k as f32 }
        }
        pub fn read(&self, #[comptime] at: u32) -> f32 {
            self.k + at as f32
        }
        pub fn max(&self, #[comptime] at: u32) -> f32 {
            self.k + at as f32
        }
        pub fn index(&self, #[comptime] at: u32) -> f32 {
            self.k + at as f32
        }
        pub fn push(&mut self, #[comptime] at: u32) {
            self.k = at as f32;
        }
        pub fn store(&mut self, #[comptime] at: u32) {
            self.k = at as f32;
        }
        pub fn fill(&mut self, #[comptime] at: u32) {
            self.k = at as f32;
        }
        pub fn powf(&self, #[comptime] at: u32) -> f32 {
            self.k + at as f32
        }
        pub fn cast_from(#[comptime] at: u32) -> f32 {
            at as f32
        }
        pub fn abs(#[comptime] at: u32) -> f32 {
            at as f32
        }
    }
    #[cube(launch)]
    pub fn all(x: &Array<f32>, n: u32, out: &mut Array<f32>) {
        let mut r = Rep::new(2);
        let i = UNIT_POS;
        let s = x.slice(i, i + 1);
        out[0] = s[0] + r.get(i) + r.read(2) + x[i].max(x[0]) + r.max(1);
        let mut seq = Sequence::<f32>::new();
        seq.push(x[i]);
        out[1] = *seq.index(0u32);
        r.push(1);
        r.store(2);
        r.fill(1);
        let l = Line::<f32>::new(x[i]);
        out[2] = x[i].powf(x[0]) + f32::cast_from(n) + f32::abs(x[i]) + l[0];
        let v = Line::<f32>::empty(4u32).fill(x[i]);
        out[3] = v[0] + Rep::cast_from(1) + Rep::abs(1) + r.powf(2) + r.index(1);
        let k = Registry::<u32, f32>::new();
        let _ = k;
    }
}
pub mod c {
    use cubecl::prelude::*;
    macro_rules! make {
        ($name:ident, $f:ident, $ty:ty) => {
            #[derive(CubeType, Clone, Copy)]
            pub struct $name {
                pub v: $ty,
            }
            #[cube]
            impl $name {
                pub fn new(v: $ty) -> $name {
                    $name { v }
                }
                pub fn get(&self) -> $ty {
                    self.v
                }
            }
            #[cube]
            pub fn $f(x: $ty) -> $ty {
                let p = $name::new(x);
                let q = $name { v: x };
                p.get() + q.v
            }
        };
    }
    pub mod one {
        use super::*;
        make!(Made, of_made, f32);
    }
    pub mod two {
        use super::*;
        make!(Made, of_made, u32);
    }
    make!(Point, of_point, i32);
    macro_rules! kernel { ($($name:ident $op:tt $c:expr),*) => { $(
        #[cube(launch)] pub fn $name(x: &Array<f32>, out: &mut Array<f32>) { out[0] = x[0] $op $c; let t = $c; out[1] = t; } )* } }
    kernel!(plus + 1.0f32, times * 2.0f32);
    // Generic parameters whose names are names of types in other modules.
    #[cube]
    pub fn generic<Point: Float, S: Numeric, Made: CubePrimitive>(a: Point, b: S, c: Made) -> Point {
        let _d = (b, c);
        let x = Point::new(1.0);
        Point::sqrt(a) + x
    }
    #[cube]
    pub fn shadowing(before: f32, point: f32) -> f32 {
        let after = before;
        let square = |x: f32| x + 1.0;
        square(after) + point
    }
    type Alias = super::a::Point;
    #[cube]
    pub fn aliased(x: f32) -> f32 {
        let p = Alias::new(x);
        p.get()
    }
    use super::b::Point as Renamed;
    #[cube]
    pub fn renamed(x: f32) -> f32 {
        let p = Renamed::<f32>::new(x, 1);
        p.get(1)
    }
    pub mod op {
        use super::super::a::Op;
        use cubecl::prelude::*;
        #[cube]
        pub fn of(x: f32) -> f32 {
            super::super::a::op(Op::Add, x)
        }
    }
    const N: u32 = 4;
    #[cube]
    pub fn of_const<const M: u32>(x: u32) -> u32 {
        x * M
    }
    #[cube]
    pub fn uses_const(x: u32) -> u32 {
        of_const::<N>(x) + of_const::<3>(x) + of_const::<{ N + 1 }>(x) + N
    }
    #[cube]
    pub fn of_type<O: super::a::Act>(x: f32) -> f32 {
        O::act(x)
    }
    use super::a::{Act as _, S};
    #[cube]
    pub fn uses_type(x: f32) -> f32 {
        of_type::<S>(x) + S::act(x)
    }
    #[cube]
    pub fn local_items(x: u32) -> u32 {
        const K: u32 = 3;
        const LOCAL: [u32; 2] = [1, 2];
        x * K + LOCAL[1]
    }
}
pub mod r#mod {
    use cubecl::prelude::*;
    #[cube]
    pub fn r#match(r#type: u32) -> u32 {
        let r#fn = r#type + 1;
        r#fn
    }
    #[cube]
    pub fn uses(x: u32) -> u32 {
        r#match(x)
    }
    #[cube(launch)]
    pub fn named<R: Float>(__x: &Array<R>, client: u32, out: &mut Array<R>) {
        let _ = client;
        out[0] = __x[0];
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct R2<T> {
        pub r: T,
    }
    #[cube]
    pub fn closing(a: f32) -> impl Fn(f32) -> f32 {
        move |x| x + a
    }
    #[cube]
    pub fn closed(a: f32) -> f32 {
        let f = closing(a);
        f(1.0)
    }
    #[cube]
    pub fn parsed(a: f32) -> f32 {
        let v: f32 = "1.5".parse().unwrap();
        a + v
    }
    #[cube]
    pub fn opened(a: f32) -> f32 {
        let r = R2::<f32> { r: a };
        r.r
    }
}
