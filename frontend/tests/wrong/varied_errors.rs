#![allow(unused, dead_code)]
mod a04 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = f32::max(1.0); //~
    }
}

mod a05 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[0] = x[0].clamp(1.0); //~
    }
}

mod a07 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Tensor<f32>, out: &mut Array<u32>) {
        out[0] = x.shape[0]; //~
    }
}

mod a08 {
    use cubecl::prelude::*;
    #[cube]
    fn apply(x: f32, f: impl Fn(f32) -> f32) -> f32 {
        f(x)
    }
    #[cube]
    fn h(x: f32) -> f32 {
        apply(x, 2.0) //~
    }
}

mod e01 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul, Neg }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op { //~
            Op::Add => a + 1.0,
            Op::Mul => a * 2.0,
        }
    }
}

mod e04 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> f32 {
        match a { //~
            0 => 1.0,
            1 => 2.0,
        }
    }
}

mod e05 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> f32 {
        match a {
            0 => 1.0,
            1 => 2u32, //~
            _ => 3.0,
        }
    }
}

mod e06 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        if op == Op::Add { a } else { a * 2.0 } //~
    }
}

mod f01 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x: f32| x * 2; //~
        f(a)
    }
}

mod f02 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x: f32, y: f32| x * y;
        f(a) //~
    }
}

mod f03 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x| x * 2.0; 
        f(a) + f(1u32) //~
    }
}

mod p02 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<u32>) {
        out[0] = plane_sum(x[0]); //~
    }
}

mod p03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[0] = plane_shuffle_up(x[0]); //~
    }
}

mod q02 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        Atomic::add(&out[0], 1u32); //~
    }
}

mod q06 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        out[0].fetch_add(1); //~
    }
}

mod r07 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x.iter().sum() //~
    }
}

mod r09 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        (0..4).map(|i| x[i]).sum() //~
    }
}

mod r11 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<f32>) -> Option<f32> {
        let v = a?; //~
        Some(v * 2.0)
    }
}

mod r12 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        match x {
            [a, b] => 1.0, //~~
            _ => 0.0,
        }
    }
}

mod r14 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let p = &a as *const u32; //~
        a
    }
}

mod r21 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        assert_eq!(a, 1.0); //~
        dbg!(a) //~
    }
}

mod r26 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let b = a.pow(2); //~
        b
    }
}

mod r28 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x[0..4][0] //~
    }
}

mod x01 {
    use cubecl::prelude::*;
    #[cube]
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube]
    impl Op for S { //~
    }
}

mod x04 {
    use cubecl::prelude::*;
    #[cube]
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube]
    impl Op for S {
        fn op(x: u32) -> f32 { 1.0 } //~~
    }
}

mod x07 {
    use cubecl::prelude::*;
    #[cube]
    trait Op { type Out: Numeric; fn op(x: f32) -> Self::Out; }
    struct S;
    #[cube]
    impl Op for S { //~
        fn op(x: f32) -> f32 { x }
    }
}

mod x11 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P, q: P) -> P {
        p + q //~
    }
}

mod y02 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<Line<f32>>, s: f32) {
        out[0] = x[0] * s; //~
    }
}

mod y03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<f32>) {
        out[0] = x[0].x; //~
    }
}

mod y04 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>) {
        out[0] = Line::<f32, 4>::new(1.0); //~
    }
}

mod y05 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>, n: u32) {
        out[0] = Line::empty(n).fill(1.0); //~
    }
}

mod z03 {
    use cubecl::prelude::*;
    #[cube]
    fn g(a: f32) -> f32 {
        a + 1u32 //~
    }
    #[cube]
    fn h(a: f32) -> f32 {
        g(a, a) //~
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = h(UNIT_POS); //~
    }
}

fn main() {}
