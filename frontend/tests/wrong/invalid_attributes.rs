#![allow(unused, dead_code)]
mod misspelled_launch {
    use cubecl::prelude::*;
    #[cube(lunch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod launch_with_value {
    use cubecl::prelude::*;
    #[cube(launch = true)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod unknown_attribute_key {
    use cubecl::prelude::*;
    #[cube(launch, cube_dim = 64)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod misspelled_unroll {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        #[unrol] //~~
        for i in 0..4 {
            out[i] = 1.0;
        }
    }
}

mod launch_as_text {
    use cubecl::prelude::*;
    #[cube("launch")] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod unroll_with_value {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        #[unroll(n = 4)] //~
        for i in 0..4 {
            out[i] = 1.0;
        }
    }
}

mod misspelled_launch_and_unknown_name {
    use cubecl::prelude::*;
    #[cube(lauch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = missing; //~
    }
}

mod async_kernel {
    use cubecl::prelude::*;
    #[cube(launch)]
    async fn k(out: &mut Array<f32>) { //~
        out[0] = 1.0;
    }
}

fn main() {}
