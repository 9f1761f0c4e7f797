mod far {
    use cubecl::prelude::*;
    pub struct Host {
        pub x: f32,
    }
    impl Host {
        pub fn get(&self) -> f32 {
            self.x
        }
        pub fn of(x: f32) -> Host {
            Host { x }
        }
    }
    #[derive(CubeType, Clone, Copy)]
    pub struct P {
        pub x: f32,
    }
    pub trait Plain {
        fn p(&self) -> f32;
        fn q() -> f32 {
            1.0
        }
    }
    impl Plain for P {
        fn p(&self) -> f32 {
            1.0
        }
    }
    #[cube]
    pub trait Act: 'static + Send + Sync {
        fn act(x: f32) -> f32;
    }
    pub fn host_fn(x: f32) -> f32 {
        x
    }
    pub fn host_gen<T>(x: T) -> T {
        x
    }
}

mod kernels {
    use super::far::*;
    use cubecl::prelude::*;
    #[cube]
    fn a(p: P) -> f32 {
        p.p() + P::q() //~ //~
    }
    #[cube]
    fn b(x: f32) -> f32 {
        <P as Plain>::q() + x //~
    }
    #[cube]
    fn c(x: f32) -> f32 {
        let h = Host::of(x); //~
        h.get()
    }
    #[cube]
    fn d(x: f32) -> f32 {
        let h = Host { x }; //~
        h.x
    }
    #[cube]
    fn e(x: f32) -> f32 {
        host_gen::<f32>(x) //~
    }
    #[cube]
    fn f(x: f32) -> f32 {
        let f = host_fn;
        f(x) //~
    }
    #[cube]
    fn g<A: Act>(x: f32) -> f32 {
        A::act(x)
    }
    #[cube]
    fn h(x: f32) -> f32 {
        g::<P>(x) //~~
    }
    struct S;
    #[cube] //~-
    impl S { //~
        fn i(&self) -> f32 {
            1.0
        }
        fn j(&self) -> f32 {
            2.0
        }
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>, f: fn(f32) -> f32) { //~
        out[0] = f(1.0);
    }
    #[cube(launch)]
    fn l(out: &mut Array<f32>, p: &P) { //~
        out[0] = p.x;
    }
    // Correct code: this `f` is not a host function.
    #[cube]
    fn m(x: f32) -> f32 {
        let f = |y: f32| y + x;
        f(x)
    }
    struct T;
    #[cube]
    impl T {
        fn n(#[comptime] &self, x: f32) -> f32 {
            x
        }
    }
}

fn main() {}
