#![allow(unused)]
mod match_arms {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: u32) -> f32 { match c { 0 => 1.0f32, 1 => 2u32, _ => 3.0f32 } } //~
}

mod tuple_arity {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: u32) -> (u32, u32) { (c, c, c) } //~
}

mod tuple_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: u32) -> (u32, f32) { (c, c) } //~
}

mod struct_field_type {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(c: u32) -> P { P { x: 1.0, y: c } } //~
}

mod struct_missing_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(c: f32) -> P { P { x: c } } //~
}

mod struct_unknown_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(c: f32) -> P { P { x: c, y: c, z: c } } //~
}

mod struct_field_twice {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(c: f32) -> P { P { x: c, y: c, x: c } } //~
}

mod tuple_struct_arity {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P(f32, f32);
    #[cube]
    fn h(c: f32) -> P { P(c) } //~
}

mod tuple_struct_type {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P(f32, f32);
    #[cube]
    fn h(c: u32) -> P { P(c, 1.0) } //~
}

mod nested_call_types {
    use cubecl::prelude::*;
    #[cube]
    fn sq(x: f32) -> f32 { x * x }
    #[cube]
    fn h(c: u32) -> f32 { sq(sq(c)) } //~
}

mod unit_as_value {
    use cubecl::prelude::*;
    #[cube]
    fn nothing(x: &mut Array<f32>) { x[0] = 1.0; }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let a = nothing(out); out[1] = a; } //~
}

mod missing_tail_semicolon {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: f32) -> f32 { c * 2.0; } //~
}

mod extra_value {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] } //~
}

mod closure_ret {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: f32) -> f32 { let f = |x: f32| x > 1.0; f(c) } //~
}

mod closure_arity {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: f32) -> f32 { let f = |x: f32| x; f(c, c) } //~
}

mod cast_struct {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> u32 { x as u32 } //~
}

fn main() {}
