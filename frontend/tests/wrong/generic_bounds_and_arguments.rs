#![allow(unused, dead_code)]
mod g01 {
    use cubecl::prelude::*;
    #[cube]
    fn h<T>(a: T, b: T) -> T { //~
        a + b
    }
}

mod g02 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: CubePrimitive>(a: F, b: F) -> F {
        a + b //~
    }
}

mod g03 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: F) -> F {
        a * 2.0 //~
    }
}

mod g06 {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(a: F) -> F { a }
    #[cube]
    fn h(a: u32) -> u32 {
        g::<u32>(a) //~
    }
}

mod g07 {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>(a: F) -> F { a }
    #[cube]
    fn h(a: u32) -> u32 {
        g(a) //~
    }
}

mod g09 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: F) -> f32 {
        a //~
    }
}

mod g12 {
    use cubecl::prelude::*;
    #[cube]
    fn g<S>(x: f32) -> f32 { x } //~
    #[cube]
    fn h(a: f32) -> f32 {
        g::<f32>(a)
    }
}

mod g13 {
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

mod g15 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct W<F: Float> { v: F }
    #[cube]
    fn h(a: W<u32>) -> u32 { //~
        a.v
    }
}

mod g17 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float, N: Numeric>(a: F, b: N) -> F {
        a + b //~
    }
}

mod g18 {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: &Array<F>) -> F {
        F::new(a.len()) //~
    }
}

mod g20 {
    use cubecl::prelude::*;
    #[cube]
    fn g<const N: u32>(a: f32) -> f32 { a * N as f32 }
    #[cube]
    fn h(a: f32, n: u32) -> f32 {
        g::<n>(a) //~
    }
}

fn main() {}
