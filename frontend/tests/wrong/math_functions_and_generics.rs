#![allow(unused)]
mod exp_of_int {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { x.exp() } //~
}

mod f32_exp_of_int {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> f32 { f32::exp(x) } //~
}

mod max_mixed {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, y: f32) -> u32 { x.max(y) } //~
}

mod max_args {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, y: u32) -> u32 { x.max(y, 1) } //~
}

mod clamp_args {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 { f32::clamp(x, 0.0) } //~
}

mod fma_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32, y: u32) -> f32 { fma(x, y, x) } //~
}

mod select_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32, y: u32) -> f32 { select(x > 0.0, x, y) } //~
}

mod select_cond {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32, y: f32) -> f32 { select(x, x, y) } //~
}

mod powi_arg {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32, y: f32) -> f32 { f32::powi(x, y) } //~
}

mod powf_arg {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32, y: u32) -> f32 { f32::powf(x, y) } //~
}

mod generic_two {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float, G: Float>(x: F, y: G) -> F { x * y } //~
}

mod generic_to_concrete {
    use cubecl::prelude::*;
    #[cube]
    fn g(x: f32) -> f32 { x }
    #[cube]
    fn h<F: Float>(x: F) -> F { g(x) } //~ //~
}

mod numeric_exp {
    use cubecl::prelude::*;
    #[cube]
    fn h<N: Numeric>(x: N) -> N { N::exp(x) } //~
}

mod generic_arg_count {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(x: F) -> F { x }
    #[cube]
    fn h(x: f32) -> f32 { g::<f32, f32>(x) } //~
}

mod generic_wrong_bound {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(x: F) -> F { x }
    #[cube]
    fn h(x: u32) -> u32 { g::<u32>(x) } //~~
}

mod generic_wrong_bound_inferred {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(x: F) -> F { x }
    #[cube]
    fn h(x: u32) -> u32 { g(x) } //~
}

fn main() {}
