#![allow(unused)]
mod enum_data_uncalled {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), C }
    #[cube]
    fn h() -> E { E::A } //~
}

mod self_in_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> Self { a } //~
}

mod wrapping_add {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32, b: u32) -> u32 { a.wrapping_add(b) } //~
}

mod pow {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { f32::powf(a) } //~
}

mod wrong_number_args_helper {
    use cubecl::prelude::*;
    #[cube]
    fn g(a: f32, b: f32) -> f32 { a * b }
    #[cube]
    fn h(a: f32) -> f32 { g(a) } //~
}

mod method_wrong_number {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P { fn scale(&self, k: f32) -> f32 { self.x * k } }
    #[cube]
    fn h(p: P) -> f32 { p.scale() } //~
}

mod method_unknown_on_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P { fn scale(&self, k: f32) -> f32 { self.x * k } }
    #[cube]
    fn h(p: P) -> f32 { p.scal(1.0) } //~
}

mod assoc_unknown_on_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Point { x: f32 }
    #[cube]
    impl Point { fn new(k: f32) -> Point { Point { x: k } } }
    #[cube]
    fn h(p: f32) -> Point { Point::neww(p) } //~
}

mod assoc_fn_wrong_args {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Point { x: f32 }
    #[cube]
    impl Point { fn new(k: f32) -> Point { Point { x: k } } }
    #[cube]
    fn h(p: f32) -> Point { Point::new() } //~
}

mod method_as_static {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Point { x: f32 }
    #[cube]
    impl Point { fn get(&self) -> f32 { self.x } }
    #[cube]
    fn h(p: Point) -> f32 { Point::get() } //~
}

mod static_as_method {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Point { x: f32 }
    #[cube]
    impl Point { fn make(k: f32) -> Point { Point { x: k } } }
    #[cube]
    fn h(p: Point) -> Point { p.make(1.0) } //~
}

mod trait_method_unknown_through_bound {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; }
    #[cube]
    fn h<A: Act>(a: f32) -> f32 { A::g(a) } //~
}

fn main() {}
