#![allow(unused)]
mod add_mixed_ints {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<u32>, b: &Array<i32>, out: &mut Array<i32>) {
        if ABSOLUTE_POS < out.len() {
            out[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS]; //~~
        }
    }
}

mod f16_vs_f32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f16>, out: &mut Array<f32>) {
        out[UNIT_POS] = a[UNIT_POS]; //~
    }
}

mod let_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        let x: u32 = a[0]; //~
        out[x] = 1.0;
    }
}

mod return_generic {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(x: F) -> F { 1.0 } //~
}

mod f_new_with_f64_var {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(x: f64) -> F { F::new(x) } //~
}

mod compare {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        if a[0] > 0 { //~
            out[0] = 1.0;
        }
    }
}

mod assign_op {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        let mut s = 0.0;
        for i in 0..a.len() {
            s += i; //~
        }
        out[0] = s;
    }
}

mod assign_op_typed {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        let mut s = 0.0f32;
        for i in 0..a.len() {
            s += i; //~
        }
        out[0] = s;
    }
}

mod index_float {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        out[0] = a[1.0]; //~
    }
}

mod index_usize {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        let i = 3usize;
        out[0] = a[i];
    }
}

mod shift_by_float {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { x << 1.0 } //~
}

mod mod_bool {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, b: bool) -> u32 { x % b } //~
}

mod not_float {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 { !x } //~
}

mod neg_bool {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: bool) -> bool { -x } //~
}

mod and_numbers {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, y: u32) -> bool { x && y } //~ //~
}

mod if_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: bool) -> u32 { if c { 1u32 } else { 2.0f32 } } //~
}

fn main() {}
