mod generic_int_sqrt {
    use cubecl::prelude::*;
    #[cube]
    fn h<I: Int>(a: I) -> I {
        I::sqrt(a) //~
    }
}

mod generic_no_bound {
    use cubecl::prelude::*;
    #[cube]
    fn h<T>(a: T, b: T) -> T { //~
        a + b
    }
}

mod host_fn_call {
    use cubecl::prelude::*;
    fn host(a: f32) -> f32 { a * 2.0 }
    #[cube]
    fn h(a: f32) -> f32 {
        host(a) //~
    }
}

mod host_fn_const_ok_runtime_bad {
    use cubecl::prelude::*;
    fn host(a: u32) -> u32 { a * 2 }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = host(UNIT_POS); //~
    }
}

mod i32_index {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: i32) {
        out[n] = 1.0; //~
    }
}

mod if_no_else_value {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        if a > 1 { 2u32 } //~
    }
}

mod impl_generic_error {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P<F: Float> { x: F }
    #[cube]
    impl<F: Float> P<F> {
        fn f(&self) -> u32 { self.x } //~
    }
}

mod impl_missing_self_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn f(&self) -> f32 { self.y } //~
    }
}

mod impl_trait_type_error {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static {
        fn f(a: f32) -> f32;
    }
    struct S;
    #[cube]
    impl T for S {
        fn f(a: f32) -> f32 { a + 1u32 } //~
    }
}

mod impl_type_error {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn f(&self) -> u32 { self.x } //~
    }
}

fn main() {}
