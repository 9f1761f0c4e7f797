mod tensor_stride_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Tensor<f32>, out: &mut Array<u32>) {
        out[0] = x.stride(1i32); //~
    }
}

mod three_unknowns {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let a = foo(1.0); //~
        let b = bar; //~
        out[0] = a.baz(); 
        out[1] = b + Qux; //~
    }
}

mod trait_default_body {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static {
        fn f(a: f32) -> f32 { a + true } //~
    }
}

mod trait_default_name {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static {
        fn f(a: f32) -> f32 { a + nowhere } //~
    }
}

mod trait_default_unknown {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static {
        fn f(a: f32) -> f32 { missing_thing(a) } //~~
    }
}

mod trait_missing_method {
    use cubecl::prelude::*;
    #[cube]
    trait T: Send + Sync + 'static {
        fn f(a: f32) -> f32;
    }
    struct S;
    #[cube]
    impl T for S { //~
    }
}

mod tuple_field_oob {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let t = (a, a);
        t.2 //~
    }
}

mod two_type_errors_one_kernel {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let a: f32 = n; //~
        let b: u32 = 1.5f32; //~
        out[b] = a;
    }
}

mod typo_sync {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        sync_units_all(); //~
        out[0] = 1.0;
    }
}

mod typo_topology {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[ABSOLUT_POS] = 1.0; //~
    }
}

fn main() {}
