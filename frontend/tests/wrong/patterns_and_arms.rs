#![allow(unused)]
mod return_in_closure {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { let f = |x: u32| { return x; }; f(a) } //~
}

mod loop_without_break_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { loop { break; } } //~
}

mod let_else_no_diverge {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<u32>) -> u32 { let Some(x) = a else { 1u32 }; x } //~
}

mod refutable_let {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<u32>) -> u32 { let Some(x) = a; x } //~
}

mod slice_pattern {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: &Array<u32>) -> u32 { let [x, y] = a; x } //~~
}

mod match_string {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { match a { "x" => 1u32, _ => 2u32 } } //~
}

mod match_float {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> u32 { match a { 1 => 1u32, _ => 2u32 } } //~
}

mod match_nonexh_bool {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: bool) -> u32 { match a { true => 1u32 } } //~
}

mod match_or_binding {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: (u32, u32)) -> u32 { match a { (0, x) | (y, 0) => 1u32, _ => 2u32 } } //~ //~
}

mod if_let_wrong {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { if let Some(x) = a { x } else { 0u32 } } //~
}

mod match_tuple_len {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: (u32, u32)) -> u32 { match a { (x, y, z) => x } } //~
}

mod struct_pattern_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { let P { y } = p; y } //~
}

mod struct_pattern_missing {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(p: P) -> f32 { let P { x } = p; x } //~
}

mod enum_missing_arm {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), B(f32), C }
    #[cube]
    fn h(e: E) -> u32 { match e { E::A(x) => x, E::C => 0u32 } } //~
}

mod nested_fn_in_body {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { fn twice(x: f32) -> f32 { x * 2.0 } twice(a) } //~
}

mod use_in_body {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { use std::cmp::max; max(a, 1.0) } //~
}

mod rest_before_a_part {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Three(u32, u32, u32);
    #[cube]
    fn h(t: Three) -> u32 {
        let Three(a, .., c) = t; //~
        a + c
    }
}

fn main() {}
