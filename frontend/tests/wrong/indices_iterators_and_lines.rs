mod index_2d {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Tensor<f32>, out: &mut Array<f32>) {
        out[0] = x[(0, 1)]; //~
    }
}

mod int_div_float {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        out[0] = 1.0 / n; //~
    }
}

mod iterate_array {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        for v in x.iter() { //~
            out[0] = v;
        }
    }
}

mod launch_arg_not_launchable {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube(launch)]
    fn k(p: P, out: &mut Array<f32>) { //~
        out[0] = p.x;
    }
}

mod line_mixed {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, y: &Array<Line<u32>>, out: &mut Array<Line<f32>>) {
        out[0] = x[0] + y[0]; //~
    }
}

mod line_new_missing {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>) {
        out[0] = 1.0f32; //~
    }
}

mod line_scalar_mul {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<Line<f32>>) {
        out[0] = x[0] * 2.0f32; //~
    }
}

mod match_int_nonexhaustive {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        match a { //~
            0 => 1u32,
            1 => 2u32,
        }
    }
}

mod match_nonexhaustive {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op { //~
            Op::Add => a,
        }
    }
}

mod missing_import_like {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let d = FastDivmodd::new(3); //~
        out[0] = 1.0;
    }
}

fn main() {}
