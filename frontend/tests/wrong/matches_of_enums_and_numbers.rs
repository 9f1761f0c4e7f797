#![allow(unused, dead_code)]
mod missing_enum_arm {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul, Neg }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        match op { //~
            Op::Add => a + 1.0,
            Op::Mul => a * 2.0,
        }
    }
}

mod missing_number_arm {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> f32 {
        match a { //~
            0 => 1.0,
            1 => 2.0,
        }
    }
}

mod arms_of_two_types {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> f32 {
        match a {
            0 => 1.0,
            1 => 2u32, //~
            _ => 3.0,
        }
    }
}

mod enum_comparison_without_partial_eq {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum Op { Add, Mul }
    #[cube]
    fn h(op: Op, a: f32) -> f32 {
        if op == Op::Add { a } else { a * 2.0 } //~
    }
}

fn main() {}
