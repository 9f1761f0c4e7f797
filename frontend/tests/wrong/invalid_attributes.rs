#![allow(unused, dead_code)]
mod w01 {
    use cubecl::prelude::*;
    #[cube(lunch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod w02 {
    use cubecl::prelude::*;
    #[cube(launch = true)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod w04 {
    use cubecl::prelude::*;
    #[cube(launch, cube_dim = 64)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod w06 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        #[unrol] //~
        for i in 0..4 {
            out[i] = 1.0;
        }
    }
}

mod w12 {
    use cubecl::prelude::*;
    #[cube("launch")] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod w13 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        #[unroll(n = 4)] //~
        for i in 0..4 {
            out[i] = 1.0;
        }
    }
}

mod z05 {
    use cubecl::prelude::*;
    #[cube(lauch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = missing; //~
    }
}

mod r01 {
    use cubecl::prelude::*;
    #[cube(launch)]
    async fn k(out: &mut Array<f32>) { //~
        out[0] = 1.0;
    }
}

fn main() {}
