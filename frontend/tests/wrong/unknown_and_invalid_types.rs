#![allow(unused)]
mod cast_to_unknown {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { x as u33 } //~
}

mod unknown_param_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: flaot) -> u32 { 1 } //~
}

mod unknown_return_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> Flaot { x } //~
}

mod unknown_elem {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f23>, out: &mut Array<f32>) { out[0] = 1.0; } //~~
}

mod array_without_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array, out: &mut Array<f32>) { out[0] = 1.0; } //~~
}

mod array_two_params {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32, u32>, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod line_of_array {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<Array<f32>>>, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod array_of_string {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<String>, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod vec_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: Vec<f32>, out: &mut Array<f32>) { out[0] = x[0]; } //~
}

mod slice_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &[f32], out: &mut Array<f32>) { out[0] = x[0]; } //~
}

mod str_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &str, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod isize_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: isize, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod u128 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u128) -> u128 { x } //~
}

mod char {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: char) -> u32 { 1 } //~
}

mod mixed_literal_suffix {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { x + 1i32 } //~~
}

mod mixed_literal_float {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { x * 0.5 } //~
}

fn main() {}
