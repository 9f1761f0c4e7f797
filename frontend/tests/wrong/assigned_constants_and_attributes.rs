#![allow(unused)]
mod array_not_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let s = Array::<f32>::new(4);
        s[0] = 1.0; //~
        out[UNIT_POS] = s[0];
    }
}

mod deref_number {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { *a } //~
}

mod topology_assigned {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { ABSOLUTE_POS = 3; out[0] = 1.0; } //~
}

mod loop_var_assigned {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { for i in 0..4 { i += 1; out[i] = 1; } } //~
}

mod const_write {
    use cubecl::prelude::*;
    const T: [f32; 2] = [1.0, 2.0];
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { T = 3.0; out[0] = T[1]; } //~
}

mod return_ref_to_local {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> &Array<f32> { let a = Array::<f32>::new(4); &a } //~
}

mod missing_lifetime_two {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: &Array<f32>, b: &Array<f32>) -> &Array<f32> { a } //~
}

mod closure_mutates_captured_immut {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; let f = |x: u32| { s += x; }; f(n); s } //~
}

mod attr_misspelt_lauch {
    use cubecl::prelude::*;
    #[cube(lauch)] //~
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
}

mod attr_launch_value {
    use cubecl::prelude::*;
    #[cube(launch = true)] //~
    fn k(out: &mut Array<f32>) { out[0] = 1.0; }
}

mod fast_math_unknown_flag {
    use cubecl::prelude::*;
    #[cube(fast_math = FastMath::Fast)] //~
    fn h(a: f32) -> f32 { a }
}

mod fast_math_bool {
    use cubecl::prelude::*;
    #[cube(fast_math = true)] //~
    fn h(a: f32) -> f32 { a }
}

mod comptime_misspelt_attr_on_param {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptim] n: u32) -> u32 { n } //~
}

mod unroll_misspelt {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; #[unrol] for i in 0..4 { s += i; } s } //~~
}

mod unroll_on_while {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; #[unroll] while s < 4 { s += 1; } s } //~~
}

mod unroll_on_loop {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 { let mut s = 0u32; #[unroll] loop { s += 1; if s > 4 { break; } } s } //~~
}

fn main() {}
