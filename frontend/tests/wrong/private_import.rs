#![allow(unused, dead_code)]
mod import_after_private_module {
    use cubecl::prelude::*;
    mod math {
        use cubecl::prelude::*;
        #[cube]
        fn square(a: f32) -> f32 { a * a }
    }
    use math::square; //~
    #[cube]
    fn h(a: f32) -> f32 {
        square(a)
    }
}

mod import_before_private_module {
    use cubecl::prelude::*;
    use math::square; //~
    mod math {
        use cubecl::prelude::*;
        #[cube]
        fn square(a: f32) -> f32 { a * a }
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = square(1.0);
    }
}

fn main() {}
