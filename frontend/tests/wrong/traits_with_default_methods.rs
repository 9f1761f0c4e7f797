mod bounded_unknown {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    #[cube]
    fn h<A: Activation>(x: f32) -> f32 {
        A::apply(x) + helper(x) //~
    }
}

mod default_method {
    use cubecl::prelude::*;
    #[cube]
    pub trait Shape: Send + Sync + 'static {
        fn area(&self) -> f32;
        fn twice(&self) -> u32 { self.area() } //~
    }
}

mod default_unknown_variable {
    use cubecl::prelude::*;
    #[cube]
    pub trait Shape: Send + Sync + 'static {
        type Acc: Numeric;
        fn area(x: f32) -> f32 { x * y } //~
    }
}

mod enum_host_field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    enum E { A(String), B } //~
}

mod float_pow {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[UNIT_POS] = x[UNIT_POS].log2(); //~
    }
}

mod four_classes {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn twice(&self) -> f32 { self.y } //~
    }
    #[cube]
    fn h(p: P) -> f32 { p.x + missing(p.x) } //~
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let p = P { x: n }; //~
        out[0] = h(p).mul_add(2.0, 1.0);
        out[1] = n; //~
    }
}

mod impl_generic_method {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Pair<N: Numeric> { a: N, b: N }
    #[cube]
    impl<N: Numeric> Pair<N> {
        fn scale<M: Numeric>(&self, m: M) -> N { self.a * m } //~
    }
}

mod impl_generic_trait {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    pub struct Relu;
    #[cube]
    impl Activation for Relu {
        fn apply(x: f32) -> f32 { if x > 0u32 { x } else { 0.0 } } //~
    }
}

mod impl_where {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Pair<N: Numeric> { a: N, b: N }
    #[cube]
    impl<N> Pair<N> where N: Numeric {
        fn first(&self) -> u32 { self.a } //~
    }
}

mod index_rotated {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        out[0] = n.rotate_left(4); //~
    }
}

fn main() {}
