// mistakes: 1
#![allow(unused, dead_code)]
mod n30 {
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

fn main() {}
