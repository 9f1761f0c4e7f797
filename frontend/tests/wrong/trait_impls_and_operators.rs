#![allow(unused, dead_code)]
mod impl_without_function {
    use cubecl::prelude::*;
    #[cube]
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube]
    impl Op for S { //~
    }
}

mod parameter_type_differs_from_trait {
    use cubecl::prelude::*;
    #[cube]
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube]
    impl Op for S {
        fn op(x: u32) -> f32 { 1.0 } //~~
    }
}

mod impl_without_associated_type {
    use cubecl::prelude::*;
    #[cube]
    trait Op { type Out: Numeric; fn op(x: f32) -> Self::Out; }
    struct S;
    #[cube]
    impl Op for S { //~
        fn op(x: f32) -> f32 { x }
    }
}

mod add_of_structs {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P, q: P) -> P {
        p + q //~
    }
}

fn main() {}
