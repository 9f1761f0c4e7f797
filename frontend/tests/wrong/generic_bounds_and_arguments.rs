#![allow(unused, dead_code)]
mod parameter_without_bound {
    use cubecl::prelude::*;
    #[cube]
    fn h<T>(a: T, b: T) -> T { //~
        a + b
    }
}

mod add_without_numeric_bound {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: CubePrimitive>(a: F, b: F) -> F {
        a + b //~
    }
}

mod float_literal_times_generic {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: F) -> F {
        a * 2.0 //~
    }
}

mod explicit_type_without_bound {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(a: F) -> F { a }
    #[cube]
    fn h(a: u32) -> u32 {
        g::<u32>(a) //~~
    }
}

mod inferred_type_without_bound {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(a: F) -> F { a }
    #[cube]
    fn h(a: u32) -> u32 {
        g(a) //~
    }
}

mod generic_returned_as_f32 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: F) -> f32 {
        a //~
    }
}

mod unused_type_parameter {
    use cubecl::prelude::*;
    #[cube]
    fn g<S>(x: f32) -> f32 { x } //~
    #[cube]
    fn h(a: f32) -> f32 {
        g::<f32>(a)
    }
}

mod struct_without_trait_impl {
    use cubecl::prelude::*;
    #[cube]
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube]
    fn g<O: Op>(x: f32) -> f32 { O::op(x) }
    #[cube]
    fn h(a: f32) -> f32 {
        g::<S>(a) //~~
    }
}

mod struct_argument_without_bound {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct W<F: Float> { v: F }
    #[cube]  //~-
    fn h(a: W<u32>) -> u32 { //~
        a.v
    }
}

mod sum_of_two_generic_types {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float, N: Numeric>(a: F, b: N) -> F {
        a + b //~
    }
}

mod float_new_of_u32 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: &Array<F>) -> F {
        F::new(a.len()) //~
    }
}

mod runtime_const_argument {
    use cubecl::prelude::*;
    #[cube]
    fn g<const N: u32>(a: f32) -> f32 { a * N as f32 }
    #[cube]
    fn h(a: f32, n: u32) -> f32 {
        g::<n>(a) //~~
    }
}

fn main() {}
