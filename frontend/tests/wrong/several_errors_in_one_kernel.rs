#![allow(unused)]
mod three_in_one_kernel {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, b: &Array<u32>, out: &mut Array<f32>) {
        let i = ABSOLUTE_POS;
        if i < out.len() {
            let x: u32 = a[i]; //~
            let y = b.size(); //~
            out[i] = b[i]; //~
        }
    }
}

mod unknown_and_type {
    use cubecl::prelude::*;
    #[cube]
    fn helper(x: f32) -> f32 {
        let y = unknwn + 1.0; //~
        x.foo() //~
    }
}

mod two_functions_and_an_enum {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul(f32) }
    #[cube]
    fn apply(op: Op, x: f32) -> f32 {
        match op {
            Op::Ad => x, //~
            Op::Mul(k) => x * k,
            Op::Add => x,
        }
    }
    #[cube]
    fn scale(x: f32) -> u32 {
        x * 2.0 //~
    }
}

mod trait_impl_and_body {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; fn g(a: f32) -> f32; }
    struct Relu;
    #[cube] //~-
    impl Act for Relu {
        fn f(a: f32) -> f32 { a + 1u32 } //~
        fn h(a: f32) -> f32 { a } //~~
        fn g(a: f32, b: f32) -> f32 { a } //~~
    }
}

mod macro_refused_and_rustc_s {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) {
        let mut s = SharedMemory::<f32>::new(n); //~
        let v = Vec::new();
        out[0] = missing; //~
    }
}

mod attribute_and_body {
    use cubecl::prelude::*;
    #[cube(launch, fastmath = 1)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod struct_two {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    impl P {
        fn sum(&self) -> f32 { self.x + self.z } //~
        fn scale(&self, k: u32) -> f32 { self.x * k } //~
        fn make() -> P { P { x: 1.0 } } //~
    }
}

mod nested_calls_across_fns {
    use cubecl::prelude::*;
    #[cube]
    fn a(x: f32) -> f32 { x }
    #[cube]
    fn b(x: u32) -> u32 { a(x) } //~ //~
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { out[0] = b(1.0); out[1] = c(2); } //~ //~
}

mod five_in_a_long_kernel {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn matmul<F: Float>(lhs: &Tensor<F>, rhs: &Tensor<F>, out: &mut Tensor<F>, #[comptime] tile: u32) {
        let row = CUBE_POS_X * tile + UNIT_POS_X;
        let col = CUBE_POS_Y * tile + UNIT_POS_Y;
        let k = lhs.shape(1);
        let mut a = SharedMemory::<F>::new(tile * tile);
        let mut b = SharedMemory::<F>::new(tile * tile);
        let mut acc = F::new(0.0);
        for t in 0..(k / tile) {
            a[UNIT_POS_Y * tile + UNIT_POS_X] = lhs[row * k + t * tile + UNIT_POS_Y];
            b[UNIT_POS_Y * tile + UNIT_POS_X] = rhs[(t * tile + UNIT_POS_X) * rhs.shape(1) + cl]; //~
            sync_cubes(); //~
            for i in 0..tile {
                acc += a[UNIT_POS_X * tile + i] * b[i * tile + UNIT_POS_Y] * 2.0; //~
            }
            sync_cube();
        }
        if row < out.shape(0) && col { //~
            out[row * out.stride(0) + col] = acc as F32; //~
        }
    }
}

mod reduce_with_a_few {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn reduce(input: &Array<f32>, output: &mut Array<f32>) {
        let mut sum: f32 = 0; //~
        for i in 0..input.len() {
            sum += input[i];
        }
        let count = input.length(); //~
        output[0] = sum / count;
        output[1.0] = sum; //~
    }
}

mod missing_mut_x3 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &Array<f32>) {
        let s = 0.0;
        for i in 0..a.len() { s += a[i]; } //~
        out[0] = s; //~
    }
}

mod async_plus_type {
    use cubecl::prelude::*;
    #[cube]
    async fn h(a: f32) -> f32 { a } //~
    #[cube]
    fn g(a: f32) -> u32 { a } //~
}

mod derive_and_use {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, name: String } //~ //~
    #[cube]
    fn h(p: P) -> u32 { p.x } //~
}

mod host_calls_in_two_kernels {
    use cubecl::prelude::*;
    fn host(a: f32) -> f32 { a }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = host(out[1]); } //~
    #[cube(launch)]
    fn l(out: &mut Array<f32>) { out[0] = host(out[1]); } //~
}

mod methods_of_host_in_two_kernels {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: f32, out: &mut Array<f32>) { out[0] = a.to_string(); } //~
    #[cube(launch)]
    fn l(a: f32, out: &mut Array<u32>) { let s = a.to_string(); out[0] = 1; } //~
}

mod self_methods_wrong {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn a(&self) -> f32 { self.b() } //~
        fn c(&self) -> f32 { Self::d(self.x) } //~
        fn e(&mut self, v: u32) { self.x = v; } //~
    }
}

fn main() {}
