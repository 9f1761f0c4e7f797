#![allow(unused, dead_code)]
mod clusters {
    use cubecl::prelude::*;
    #[cube(cluster_dim = CubeDim::new(2, 1, 1), launch)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
    fn call<R: Runtime>(client: &ComputeClient<R::Server>, out: ArrayArg<'_, R>) {
        k::launch::<R>(client, CubeCount::new_single(), CubeDim::new_single(), out);
    }
}

mod dummy {
    use cubecl::prelude::*;
    #[cube(launch, create_dummy_kernel)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod two_words {
    use cubecl::prelude::*;
    #[cube(launch_unchecked, cluster_dim = 2, fast_math)] //~ //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod value {
    use cubecl::prelude::*;
    #[cube(launch, debug = true)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod no_kernel {
    use cubecl::prelude::*;
    #[cube(deny_checks)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod checks_with_value {
    use cubecl::prelude::*;
    #[cube(launch, deny_checks = true)] //~
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0;
    }
}

mod no_eq {
    use cubecl::prelude::*;
    #[derive(Clone, Copy, Debug, Hash)]
    struct Size(u32);
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] size: Size) { //~
        out[0] = comptime!(size.0 as f32);
    }
}

fn main() {}
