#![allow(unused)]
mod len_with_arg {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Array<u32>) -> u32 { t.len(0) } //~
}

mod out_scope {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 {
        if t > 1 { let y = 1u32; }
        y //~~
    }
}

mod use_before_decl {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 {
        let b = a + t; //~~
        let a = 1u32;
        b
    }
}

mod float_rem_mix {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 { x % 2 } //~
}

mod int_lit_to_float_ret {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> f32 { 0 } //~
}

mod ret_inside {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> u32 { if x > 0.0 { return x; } 1 } //~
}

mod return_empty {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> u32 { if x > 0.0 { return; } 1 } //~
}

mod while_cond {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { let mut i = 0u32; while i { i += 1; } i } //~
}

mod for_non_range {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { let mut s = 0u32; for i in x { s += i; } s } //~
}

mod for_float_range {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { let mut s = 0u32; for i in 0.0..1.0 { s += 1; } s } //~
}

mod range_mixed {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, y: i32) -> u32 { let mut s = 0u32; for i in x..y { s += 1; } s } //~
}

mod step_by_wrong {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { let mut s = 0u32; for i in (0..x).step_by(2.0) { s += 1; } s } //~
}

mod range_stepped_args {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32) -> u32 { let mut s = 0u32; for i in range_stepped(0, x) { s += 1; } s } //~
}

mod index_not_indexable {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 { x[0] } //~
}

mod two_indices {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Tensor<f32>) -> f32 { x[0][1] } //~
}

fn main() {}
