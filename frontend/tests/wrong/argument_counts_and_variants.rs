mod while_not_bool {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 {
        let mut i = 0u32;
        while n - i { //~
            i += 1;
        }
        i
    }
}

mod wrong_arg_count_helper {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32, b: f32) -> f32 { a + b }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = h(1.0); //~
    }
}

mod wrong_attr_word {
    use cubecl::prelude::*;
    #[cube(lunch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod wrong_fast_math {
    use cubecl::prelude::*;
    #[cube(launch, fast_math = FastMath::NoNaNs)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod wrong_generic_count {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(a: F) -> F { a }
    #[cube]
    fn h(a: f32) -> f32 {
        g::<f32, u32>(a) //~
    }
}

mod wrong_variant_expr {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul }
    #[cube]
    fn h(a: f32) -> Op {
        Op::Sub //~
    }
}

mod bounded_host_fn {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    fn host(x: f32) -> f32 { x }
    #[cube]
    fn h<A: Activation>(x: f32) -> f32 {
        A::apply(host(x)) //~
    }
}

mod bounded_missing_method {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    #[cube]
    fn h<A: Activation>(x: f32) -> f32 {
        A::aply(x) //~
    }
}

mod bounded_mixed {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    #[cube]
    fn h<A: Activation>(x: f32) -> f32 {
        A::apply(x) + 1u32 //~
    }
}

mod bounded_type {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    #[cube(launch)]
    fn k<A: Activation>(out: &mut Array<f32>, n: u32) {
        out[0] = A::apply(n); //~
    }
}

fn main() {}
