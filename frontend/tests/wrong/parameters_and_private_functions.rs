mod mutating_param {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        a += 1; //~
        a
    }
}

mod neg_unsigned {
    use cubecl::prelude::*;
    #[cube]
    fn h(b: u32) -> u32 {
        -b //~
    }
}

mod not_a_cube_struct {
    use cubecl::prelude::*;
    #[derive(Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { p.x } //~
}

mod pattern_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> u32 {
        let (x, y) = a; //~
        1u32
    }
}

mod plane_bad_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, b: u32) {
        out[0] = plane_sum(b); //~
    }
}

mod private_fn {
    use cubecl::prelude::*;
    mod m {
        use cubecl::prelude::*;
        #[cube]
        fn hidden(a: f32) -> f32 { a }
        #[cube]
        pub fn shown(a: f32) -> f32 { hidden(a) }
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = m::hidden(1.0); //~~
    }
}

mod question {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<f32>) -> Option<f32> {
        let x = a?; //~
        Some(x)
    }
}

mod read_immut_as_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>) {
        x[ABSOLUTE_POS] = 1.0; //~
    }
}

mod return_from_launch {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) -> f32 { //~
        out[0] = 1.0;
        out[0]
    }
}

mod rust_math_method {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a.mul_add(2.0, 3.0) //~
    }
}

fn main() {}
