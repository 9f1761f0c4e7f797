#![allow(unused)]
mod enum_self {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(f32), B }
    #[cube]
    impl E {
        fn v(self) -> f32 { match self { Self::A(x) => x, Self::C => 0.0 } } //~
        fn w(self) -> f32 { match self { E::A { y } => y, E::B => 0.0 } } //~
    }
}

mod generic_enum {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Opt<F: Float> { Has(F), Hasnt }
    #[cube]
    fn h<F: Float>(o: Opt<F>) -> F { match o { Opt::Has(x) => x, Opt::Nothing => F::new(0.0) } } //~
    #[cube]
    fn m<F: Float>(x: F) -> Opt<F> { Opt::Hass(x) } //~
}

mod wrong_closure_two {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 {
        let f = |a: f32, b: f32| a * b;
        let g = |a: u32| a + 1;
        f(x) + g(x) //~ //~ //~
    }
}

mod shadow_and_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: u32, y: i32) -> u32 {
        let s = x + y; //~~
        let t = x < y; //~
        let mut u = x;
        u += y; //~~
        u
    }
}

mod atomics {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(c: &mut Array<Atomic<u32>>, d: &mut Array<Atomic<f32>>, out: &mut Array<u32>) {
        Atomic::add(&c[0], 1i32); //~
        Atomic::inc(&c[0]); //~
        out[0] = c[0]; //~
        out[1] = Atomic::load(&d[0]); //~
    }
}

mod lines {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<Line<f32>>, b: &Array<Line<f32>>, out: &mut Array<Line<f32>>, s: f32) {
        out[0] = a[0] * s; //~
        out[1] = a[0].dot(b); //~
        out[2] = Line::new(a[0]); //~
        out[3] = a[0] + b[0].size(); //~
    }
}

mod planes {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<f32>, out: &mut Array<f32>) {
        out[0] = plane_sum(a); //~
        out[1] = plane_max(a[0], a[1]); //~
        out[2] = plane_shuffle(a[0], 1.5); //~
        out[3] = plane_elect(); //~
    }
}

mod visibility_and_imports {
    use cubecl::prelude::*;
    mod m {
        use cubecl::prelude::*;
        #[cube] fn hidden(x: f32) -> f32 { x }
        #[cube] pub fn shown(x: f32) -> f32 { x }
        #[derive(CubeType, Clone, Copy)] pub struct Q { x: f32 }
    }
    #[cube]
    fn h(x: f32, q: m::Q) -> f32 {
        m::hidden(x) //~
            + m::shwn(x) //~
            + q.x //~
    }
}

mod sequence {
    use cubecl::prelude::*;
    #[cube]
    fn h(s: &Sequence<f32>) -> u32 {
        s.push(1u32); //~
        s.index(0) //~
    }
}

mod wrong_types_in_three_functions {
    use cubecl::prelude::*;
    #[cube]
    fn g(a: f32) -> f32 {
        a + 1u32 //~
    }
    #[cube]
    fn h(a: f32) -> f32 {
        g(a, a) //~
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = h(UNIT_POS); //~
    }
}

fn main() {}
