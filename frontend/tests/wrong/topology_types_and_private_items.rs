#![allow(unused)]
mod pat_variant_data {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add(u32), Mul { x: f32 } }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op {
            Op::Addd(n) => a, //~
            Op::Add(n) => a,
            Op::Mul { x } => x,
        }
    }
}

mod impl_wrong_return {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        fn f(a: f32) -> u32 { 1 } //~~
    }
}

mod topology_match {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        match UNIT_POS {
            true => out[0] = 1, //~
            _ => out[0] = 2,
        }
    }
}

mod topology_returns {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> f32 { CUBE_COUNT } //~
}

mod topology_neg {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> i32 { -UNIT_POS } //~~
}

mod topology_and {
    use cubecl::prelude::*;
    #[cube]
    fn h(b: bool) -> bool { b && UNIT_POS } //~
}

mod topology_let_u64 {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u64 { let x: u64 = ABSOLUTE_POS + 1u64; x } //~~
}

mod topology_usize {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 { x[ABSOLUTE_POS as usize] }
}

mod private_fn {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*; #[cube] fn helper(a: f32) -> f32 { a } }
    #[cube]
    fn h(a: f32) -> f32 { m::helper(a) } //~~
}

mod private_method {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)] pub struct P { pub x: f32 }
    #[cube] impl P { fn helper(&self) -> f32 { self.x } } }
    #[cube]
    fn h(a: m::P) -> f32 { a.helper() } //~
}

mod private_assoc {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)] pub struct P { pub x: f32 }
    #[cube] impl P { fn helper(a: f32) -> f32 { a } } }
    #[cube]
    fn h(a: f32) -> f32 { m::P::helper(a) } //~
}

mod private_field {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)] pub struct P { x: f32 } }
    #[cube]
    fn h(a: m::P) -> f32 { a.x } //~
}

mod private_type {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)] struct P { pub x: f32 } }
    #[cube]
    fn h(a: m::P) -> f32 { a.x } //~
}

mod private_const {
    use cubecl::prelude::*;
    mod m { const N: u32 = 4; }
    #[cube]
    fn h() -> u32 { m::N } //~
}

mod missing_import {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*; #[cube] pub fn helper(a: f32) -> f32 { a } }
    #[cube]
    fn h(a: f32) -> f32 { helper(a) } //~
}

mod missing_in_module {
    use cubecl::prelude::*;
    mod m { use cubecl::prelude::*; #[cube] pub fn helper(a: f32) -> f32 { a } }
    #[cube]
    fn h(a: f32) -> f32 { m::helpr(a) } //~
}

fn main() {}
