#![allow(unused, dead_code)]
mod line_times_number {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<Line<f32>>, s: f32) {
        out[0] = x[0] * s; //~
    }
}

mod component_of_line {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<Line<f32>>, out: &mut Array<f32>) {
        out[0] = x[0].x; //~
    }
}

mod line_type_with_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>) {
        out[0] = Line::<f32, 4>::new(1.0); //~
    }
}

mod runtime_line_size {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Line<f32>>, n: u32) {
        out[0] = Line::empty(n).fill(1.0); //~
    }
}

fn main() {}
