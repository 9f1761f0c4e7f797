#![allow(unused, dead_code)]
mod literals {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k<F: Float>(x: &Array<F>, out: &mut Array<F>, by: F) {
        let twice = by * 2.0; //~
        out[0] = 1.0; //~
        out[1] = x[0] + 3; //~
        if by > -0.5 { //~
            out[2] = by;
        }
        out[3] = 1.0 - x[1]; //~
    }
}

mod mixtures {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k<F: Float>(x: &Array<f32>, n: u32, by: F, out: &mut Array<F>) {
        let a = x[0] * n; //~
        let b = by + n; //~
        let c = n / 2.0f32; //~
        out[0] = by;
    }
}

mod sizes {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: isize) { //~
        out[0] = 1.0;
    }
}

mod indices {
    use cubecl::prelude::*;
    const TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = TABLE[UNIT_POS as usize];
    }
}

mod more_literals {
    use cubecl::prelude::*;
    #[cube]
    fn of_let<F: Float>(x: F) -> F {
        let y: F = 2.0; //~
        x * y
    }
    #[cube]
    fn result<F: Float>() -> F {
        1.0 //~
    }
    #[cube]
    fn of_two<F: Float>(x: F) -> F {
        F::max(x, 0.0) + x.min(-1.0) //~ //~
    }
}

mod bounds {
    use cubecl::prelude::*;
    #[cube]
    fn method<F: Numeric>(x: F) -> F {
        x.sqrt() //~
    }
    #[cube]
    fn function<F: Numeric>(x: F) -> F {
        F::exp(x) //~
    }
}

mod of_rust {
    use cubecl::prelude::*;
    #[cube]
    fn functions(x: f32, n: i32) -> f32 {
        f32::mul_add(x, x, x) + f32::log2(x) //~ //~
    }
    #[cube]
    fn list(x: &Array<f32>) -> f32 {
        let mut sum = 0.0f32;
        for v in x.iter() { //~
            sum += *v;
        }
        sum
    }
    #[cube]
    fn text(x: &Array<f32>) {
        let text = format!("{}", x[0]); //~
    }
    #[cube]
    fn sizes(x: &Array<f32>, n: usize) -> f32 {
        x[n]
    }
    #[cube]
    fn sizes_of_let(x: &Array<f32>) -> f32 {
        let n: usize = 3;
        x[n]
    }
    #[cube]
    fn library(x: f32) -> f32 {
        std::mem::swap(x, 2.0) //~~
    }
}

fn main() {}
