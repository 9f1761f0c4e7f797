#![allow(unused, dead_code)]
mod begun_as_literals {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn sum<F: Float>(out: &mut Array<F>) {
        let mut s = 0.0;
        s += F::new(2.0); //~
        out[0] = s; //~-
    }
    #[cube(launch)]
    fn best<F: Float>(out: &mut Array<F>) {
        let mut best = -1.0;
        for i in 0..out.len() {
            if out[i] > best { //~
                best = out[i]; //~-
            }
        }
    }
    #[cube(launch)]
    fn count<N: Numeric>(out: &mut Array<N>) {
        let mut n = 0;
        n = n + out[0]; //~
        out[1] = n; //~-
    }
    #[cube(launch)]
    fn constant<F: Float>(out: &mut Array<F>) {
        let zero = 0.0;
        out[0] = out[1].max(zero); //~
    }
    #[cube(launch)]
    fn of_another_family(out: &mut Array<f32>) {
        let mut s = 0;
        for i in 0..4u32 {
            s += out[i]; //~
        }
        out[0] = s; //~-
    }
    // Correct code: the name is a number of `F` again after the block.
    #[cube]
    fn hidden<F: Float>(x: F) -> F {
        let s = F::new(1.0);
        let mut sum = x;
        {
            let mut s = 0.0;
            s += 1.0f32;
            sum += F::cast_from(s);
        }
        sum + s
    }
}

mod literals_of_functions {
    use cubecl::prelude::*;
    #[cube]
    fn twice<F: Float>(x: F, y: F) -> F {
        x + y
    }
    #[cube(launch)]
    fn given<F: Float>(out: &mut Array<F>) {
        out[0] = twice::<F>(1.5, out[0]); //~
        out[1] = twice(out[0], 2.0); //~
        out[2] = twice(out[0], out[2]) * 2.0; //~
        out[3] = out[2].sqrt().max(out[0]) + 1.0; //~
        out[4] = F::new(2.0) + 1; //~
    }
    // Correct code is accepted.
    #[cube(launch)]
    fn right(out: &mut Array<f32>) {
        out[0] = twice(out[0], 2.0) + twice::<f32>(1.0, 2.0);
    }
}

mod families {
    use cubecl::prelude::*;
    #[cube]
    fn length(x: f32) -> f32 {
        x.abs()
    }
    #[cube(launch)]
    fn literals(out: &mut Array<f32>, n: u32, h: &Array<f16>) {
        out[0] = out[1] * 2; //~
        out[1] = out[1].sqrt() + -3; //~
        out[2] = length(out[2]) * 4; //~
        out[3] = f32::cast_from(n * 0.5); //~
        if out[4] > 0 { //~
            out[5] = f32::cast_from(h[0] * 2.0); //~
        }
        out[6] = length(out[2]) * n; //~
    }
}

mod fields_and_parameters {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P {
        x: f32,
        n: u32,
    }
    #[cube]
    impl P {
        fn scaled(&self) -> f32 {
            self.x * 2 //~
        }
    }
    #[cube]
    fn of_field(p: P) -> f32 {
        p.x * p.n //~
    }
    #[cube]
    fn of_constant<const N: u32>(x: f32) -> f32 {
        x * N //~
    }
    #[cube]
    fn of_bool(x: u32, b: bool) -> u32 {
        x + b //~
    }
    #[cube]
    fn of_bool_and_float(x: f32) -> f32 {
        x + true //~
    }
    #[cube]
    fn of_char(x: u32) -> u32 {
        x + 'c' //~
    }
    #[cube]
    fn of_closure(x: f32) -> f32 {
        let f = |y: f32| y * 2; //~
        f(x)
    }
    // Correct code is accepted.
    #[cube]
    fn right<const N: u32>(p: P, b: bool) -> f32 {
        let both = b && p.x > 1.0;
        let f = |y: f32| y * 2.0;
        select(both == true, f(p.x) * f32::cast_from(p.n + N), 0.0)
    }
}

// Correct code: one macro makes functions and structs of one name with different types.
mod made_by_a_macro {
    macro_rules! made {
        ($name:ident, $ty:ty, $by:expr) => {
            mod $name {
                use cubecl::prelude::*;
                #[cube]
                fn k(x: $ty, p: P) -> $ty {
                    size(x) * $by + p.n * $by
                }
                #[cube]
                fn size(x: $ty) -> $ty {
                    x + x
                }
                #[derive(CubeType, Clone, Copy)]
                struct P {
                    n: $ty,
                }
            }
        };
    }
    made!(of_integers, u32, 2);
    made!(of_floats, f32, 2.0);
}

mod sizes {
    use cubecl::prelude::*;
    #[cube]
    fn size(x: u32) -> usize {
        x as usize
    }
    #[cube(launch)]
    fn indices(out: &mut Array<f32>, n: u32) {
        out[size(3)] = 1.0; //~
        let i = n as usize;
        out[i] = 1.0;
        out[i + 1] += 1.0;
        let mut a = [0.0f32; 4];
        a[i] = 1.0;
        let sum = n + i; //~~
    }
    #[cube(launch)]
    fn declared(out: &mut Array<f32>, n: u32) {
        let i: usize = n; //~
        out[i] = 1.0;
    }
    // Correct code: after the block the name is an index again.
    #[cube(launch)]
    fn hidden(out: &mut Array<f32>, n: u32) {
        let i = n;
        {
            let i = n as usize;
            out[i as u32] = 1.0;
        }
        out[i] = 1.0;
    }
}

mod outside {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn shared(out: &mut Array<f32>) {
        let mut s = SharedMemory::<f32>::new(16u32);
        s[15] = 1.0;
        s[16] = 1.0; //~
        s[20] += 1.0; //~
        out[0] = s[17]; //~
    }
    #[cube(launch)]
    fn local(out: &mut Array<f32>) {
        let mut a = [out[0], out[1]];
        a[2] = 1.0; //~
        let b = [1.0f32; 4];
        let mut c = Array::<f32>::new(1);
        out[0] = b[4]; //~
        out[1] = c[1]; //~
    }
    // Correct code: the name is other memory later, and a length can be a parameter.
    #[cube(launch)]
    fn others(out: &mut Array<f32>, #[comptime] n: u32) {
        let mut s = SharedMemory::<f32>::new(n);
        s[20] = 1.0;
        let mut t = SharedMemory::<f32>::new(2u32);
        t = s;
        out[0] = t[20];
        {
            let out = SharedMemory::<f32>::new(2u32);
        }
        out[3] = 1.0;
    }
}

mod parts {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn of_constants(out: &mut Array<u32>) {
        let [a, b] = [1u32, 2]; //~
        out[a] = b;
    }
    #[cube(launch)]
    fn of_a_variable(out: &mut Array<f32>) {
        let v = [out[0], out[1]];
        let [a, b]: [f32; 2] = v; //~~
        match v {
            [c, d] => out[0] = a + c, //~~
        }
    }
    #[cube]
    fn of_a_parameter([a, b]: [f32; 2]) -> f32 { //~
        a + b
    }
}

mod loops {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let v = [out[0], out[1]];
        for x in v.iter() { //~~
            out[0] += *x;
        }
        for x in &mut *out {
            *x = 1.0; //~
        }
    }
}

mod texts {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        eprintln!("{}", out[0]); //~
        if out[0] > 0.0 {
            panic!("no {}", out[0]); //~
        }
    }
}

fn main() {}
