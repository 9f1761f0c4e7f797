mod parameter {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube]  //~-
    fn f<T: CubePrimitive>(w: &W<T>) -> T { //~~
        w.x
    }
}

mod block {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube] //~-
    impl<T: Numeric> W<T> { //~
        fn get(&self) -> T { //~
            self.x
        }
        fn make(x: T) -> W<T> { //~
            W::<T> { x } //~~
        }
    }
}

mod value {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F>
    where
        F: Float,
    {
        x: F,
    }
    #[cube]
    fn f<T: Numeric>(x: T) -> T {
        let w = W::<T> { x }; //~~
        w.x
    }
}

mod field {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[derive(CubeType)] //~-
    pub struct V<T: Int> {
        w: W<T>, //~~
        y: T,
    }
}

mod argument {
    use cubecl::prelude::*;
    #[derive(CubeType, CubeLaunch)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube(launch)] //~-
    fn k<T: Numeric>(w: &W<T>, out: &mut Array<T>) { //~~
        out[0] = w.x;
    }
}

mod number {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube]  //~-
    fn f(x: u32) -> W<u32> { //~
        W::<u32> { x } //~~
    }
    #[cube] //~-
    impl W<i32> { //~
        fn z(&self) -> u32 { //~
            1u32
        }
    }
}

mod function {
    use cubecl::prelude::*;
    #[cube]
    fn f<F: Float>(x: F) -> F {
        x
    }
    #[cube]
    fn g<N: Numeric>(x: N) -> N {
        f::<N>(x) //~~
    }
    #[cube]
    fn h(x: u32) -> u32 {
        f::<u32>(x) //~~
    }
}

mod method {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube] //~-
    impl W<f32> {
        fn of<T: Numeric>(w: &W<T>) -> T { //~
            w.x
        }
    }
}

// Correct code is accepted.
mod right {
    use cubecl::prelude::*;
    pub trait Mine: Float {}
    impl Mine for f32 {}
    #[derive(CubeType)]
    pub struct W<F: Float> {
        x: F,
    }
    #[cube]
    fn f<T: Mine>(w: &W<T>) -> T {
        w.x
    }
    #[cube]
    fn g<T>(w: &W<T>) -> T
    where
        T: Clone + Float,
    {
        w.x
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let w = W::<f32> { x: out[1] };
        out[0] = f::<f32>(&w) + g::<f32>(&w);
    }
}

fn main() {}
