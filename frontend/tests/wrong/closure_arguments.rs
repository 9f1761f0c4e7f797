#![allow(unused, dead_code)]
mod integer_times_closure_parameter {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x: f32| x * 2; //~
        f(a)
    }
}

mod call_with_missing_argument {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x: f32, y: f32| x * y;
        f(a) //~
    }
}

mod call_with_two_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = |x| x * 2.0; 
        f(a) + f(1u32) //~
    }
}

fn main() {}
