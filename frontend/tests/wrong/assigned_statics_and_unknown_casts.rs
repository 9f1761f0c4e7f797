use cubecl::prelude::*;

mod compound_assignment_to_a_constant {
    use super::*;
    const N: u32 = 2;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        N += 1; //~
        out[0] = N;
    }
}

mod element_of_a_constant {
    use super::*;
    const TABLE: [u32; 2] = [1, 2];
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        TABLE[0] = 3; //~
        out[0] = TABLE[1];
    }
}

mod mutable_static_in_an_unsafe_block {
    use super::*;
    static mut COUNT: u32 = 0;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        // SAFETY: no other code uses the static.
        unsafe {
            COUNT = 3; //~
        }
        out[0] = 1;
    }
}

mod unknown_cast_in_a_generic_function {
    use super::*;
    #[cube]
    fn f<F: Float>(x: F) -> F {
        let whole = x as Whole; //~
        F::cast_from(whole)
    }
}

mod question_mark_on_an_element {
    use super::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        out[0] = x[0]? + 1.0; //~~
    }
}

mod question_mark_in_a_function_with_an_option {
    use super::*;
    #[cube]
    fn f(x: Option<f32>) -> Option<f32> {
        Some(x? + 1.0) //~
    }
}

mod slice_pattern_of_an_array_parameter {
    use super::*;
    #[cube]
    fn f(pair: [f32; 2]) -> f32 {
        let [a, b] = pair; //~
        a + b
    }
}

fn main() {}
