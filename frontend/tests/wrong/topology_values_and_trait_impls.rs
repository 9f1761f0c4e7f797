#![allow(unused)]
mod pat_variant {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op {
            Op::Add => a,
            Op::Mull => a * a, //~
            Op::Mul => a,
        }
    }
}

mod impl_wrong_param_type {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct S;
    #[cube]
    impl T for S {
        fn f(a: u32) -> f32 { 1.0 } //~~
    }
}

mod impl_unknown_type_inherent {
    use cubecl::prelude::*;
    #[cube]
    impl Missing { //~
        fn f(a: f32) -> f32 { a }
    }
}

mod impl_fn_twice {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct S { x: f32 }
    #[cube]
    impl S {
        fn f(a: f32) -> f32 { a }
        fn f(a: f32) -> f32 { a + a } //~
    }
}

mod long_type_generic_no_trait {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(a: f32) -> f32; }
    struct Relu;
    #[cube]
    fn g<A: Act>(a: f32) -> f32 { A::f(a) }
    #[cube]
    fn h(a: f32) -> f32 { g::<Relu>(a) } //~~
}

mod runtime_const_given {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = UNIT_POS; //~
    }
}

mod topology_as_index_i {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<i32>) {
        let a: i32 = ABSOLUTE_POS; //~
        out[0] = a;
    }
}

mod topology_plus_float {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[UNIT_POS] = UNIT_POS * 2.0; //~
    }
}

mod topology_compared_float {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        if UNIT_POS < 2.0 { out[0] = 1.0; } //~
    }
}

mod topology_to_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { a }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = h(CUBE_POS_X); //~
    }
}

mod topology_if {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        if UNIT_POS { out[0] = 1.0; } //~
    }
}

mod topology_method {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = UNIT_POS.sqroot(); //~
    }
}

mod topology_field {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = UNIT_POS.x; //~
    }
}

mod topology_index_self {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = CUBE_DIM[0]; //~
    }
}

mod topology_comptime_arg {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = h(UNIT_POS); //~
    }
}

mod topology_called {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = UNIT_POS(); //~~
    }
}

fn main() {}
