#![allow(unused)]
mod derive_on_unknown_type_field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: Foo } //~
}

mod derive_with_ref {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: &Array<f32> } //~
}

mod derive_union {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    union P { x: f32, y: u32 } //~
}

mod derive_misspelt {
    use cubecl::prelude::*;
    #[derive(CubeTyp)] //~
    struct P { x: f32 }
}

mod struct_not_derived_used {
    use cubecl::prelude::*;
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { p.x } //~
}

mod struct_not_launch_derived {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) { out[0] = p.x; } //~
}

mod comptime_struct_missing_traits {
    use cubecl::prelude::*;
    struct C { n: u32 }
    #[cube(launch)]
    fn k(#[comptime] c: C, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

mod comptime_field_of_launch_without_hash {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunch)]
    struct P { #[cube(comptime)] x: f64, y: f32 } //~
}

mod comptime_f32_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(#[comptime] c: f32, out: &mut Array<f32>) { out[0] = c; } //~
}

mod let_comptime_of_runtime {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(n: u32, out: &mut Array<f32>) { let m = comptime!(n + 1); out[m] = 1.0; } //~
}

mod comptime_of_element {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<u32>, out: &mut Array<f32>) { let m = comptime!(x[0]); out[m] = 1.0; } //~
}

mod comptime_assign {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptime] n: u32) -> u32 { n = 3; n } //~
}

mod comptime_type_err {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptime] n: u32) -> u32 { comptime!(n + 1.0) } //~
}

mod comptime_unknown_name {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptime] n: u32) -> u32 { comptime!(n + mm) } //~
}

mod comptime_arg_type {
    use cubecl::prelude::*;
    #[cube]
    fn g(#[comptime] n: u32) -> u32 { n }
    #[cube]
    fn h() -> u32 { g(1.5) } //~
}

mod comptime_arg_missing {
    use cubecl::prelude::*;
    #[cube]
    fn g(a: f32, #[comptime] n: u32) -> f32 { a }
    #[cube]
    fn h(a: f32) -> f32 { g(a) } //~
}

fn main() {}
