#![allow(unused)]
mod pat_variant_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add(u32), Mul { x: f32 } }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op {
            Op::Add(n) => a,
            Op::Mull { x } => x, //~
            Op::Mul { x } => x,
        }
    }
}

mod impl_wrong_count {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        fn f(a: f32, b: f32) -> f32 { a + b } //~~
    }
}

mod host_fn_in_module {
    use cubecl::prelude::*;
    mod m { pub fn helper(a: f32) -> f32 { a } }
    #[cube]
    fn h(a: f32) -> f32 { m::helper(a) } //~
}

mod host_fn_imported {
    use cubecl::prelude::*;
    mod m { pub fn doubled(a: f32) -> f32 { a } }
    use m::doubled;
    #[cube]
    fn h(a: f32) -> f32 { doubled(a) } //~
}

mod host_method {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    impl P { fn f(&self) -> f32 { self.x } }
    #[cube]
    fn h(a: P) -> f32 { a.f() } //~
}

mod std_path_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { std::mem::swap(a) } //~~
}

mod std_fn_ok_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32, b: f32) -> f32 { std::cmp::max_by(a, b, |x, y| x.total_cmp(y)) } //~
}

mod core_min {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32, b: u32) -> u32 { std::cmp::min(a, b) } //~
}

fn main() {}
