// mistakes: 10
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
    fn k(out: &mut Array<f32>, n: usize) { //~
        out[0] = 1.0;
    }
}

mod indices {
    use cubecl::prelude::*;
    const TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = TABLE[UNIT_POS as usize]; //~
    }
}

fn main() {}
