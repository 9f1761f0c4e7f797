mod far {
    use cubecl::prelude::*;
    pub struct Host;
    impl Host {
        pub fn f(x: f32) -> f32 {
            x
        }
        pub fn g<T>(x: T) -> T {
            x
        }
        pub fn none() -> f32 {
            1.0
        }
    }
    pub struct Pair<T>(pub T);
    impl<T> Pair<T> {
        pub fn f(x: f32) -> f32 {
            x
        }
    }
    pub trait Plain {
        fn p(x: f32) -> f32;
    }
    #[derive(CubeType)]
    pub struct Known {
        pub x: f32,
    }
    impl Known {
        pub fn make(x: f32) -> f32 {
            x
        }
    }
    #[cube]
    impl Known {
        pub fn right(x: f32) -> f32 {
            x
        }
    }
    #[cube]
    pub trait Op: 'static + Send + Sync {
        fn act(x: f32) -> f32;
    }
    pub struct A;
    #[cube]
    impl Op for A {
        fn act(x: f32) -> f32 {
            x + 1.0
        }
    }
    pub type Time = core::time::Duration;
}

mod kernels {
    use super::far::*;
    use cubecl::prelude::*;
    #[cube(launch)]
    fn a(out: &mut Array<f32>) {
        out[0] = Host::f(out[1]); //~
    }
    #[cube(launch)]
    fn b(out: &mut Array<f32>) {
        out[0] = Host::g::<f32>(out[1]) * 2.0; //~
    }
    #[cube(launch)]
    fn c(out: &mut Array<f32>) {
        out[0] = Pair::<f32>::f(out[1]) + 1.0; //~~
    }
    #[cube]
    fn d<P: Plain>(x: f32) -> f32 {
        P::p(x) * 2.0 //~
    }
    #[cube(launch)]
    fn e(out: &mut Array<f32>) {
        out[0] = Known::make(out[1]); //~
    }
    // Correct code beside the errors.
    #[cube(launch)]
    fn f(out: &mut Array<f32>) {
        out[0] = Known::right(out[1]) + A::act(2.0);
    }
    #[cube(launch)]
    fn g(out: &mut Array<f32>) {
        let x = Host::none(); //~
        out[0] = x + 1.0;
    }
    #[cube(launch)]
    fn h(out: &mut Array<f32>) {
        let _d = Time::from_secs(1u64); //~
        out[0] = 1.0;
    }
    #[cube(launch)]
    fn i(out: &mut Array<f32>) {
        let x = Host::absent(); //~
        out[0] = x + 1.0;
    }
    pub struct S;
    #[cube]
    impl S {
        fn j(x: f32) -> f32 {
            Host::f(x) + Host::none() //~ //~
        }
    }
    #[cube]
    impl Op for S {
        fn act(x: f32) -> f32 {
            S::j(x) + Host::f(x) //~
        }
    }
}

fn main() {}
