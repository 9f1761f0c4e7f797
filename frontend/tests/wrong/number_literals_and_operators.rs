#![allow(unused, dead_code)]
mod f64_scalar_times_f32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn axpy(x: &Array<f32>, y: &mut Array<f32>, a: f64) {
        if ABSOLUTE_POS < y.len() {
            y[ABSOLUTE_POS] = y[ABSOLUTE_POS] + a * x[ABSOLUTE_POS]; //~~
        }
    }
}

mod f32_compared_with_integer {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn cmp(x: &Array<f32>, out: &mut Array<f32>) {
        if x[ABSOLUTE_POS] > 0 { //~
            out[ABSOLUTE_POS] = 1.0;
        }
    }
}

mod u32_divided_by_float {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let half: u32 = CUBE_DIM_X / 2.0; //~
        out[UNIT_POS] = half;
    }
}

mod u32_stored_as_f32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[UNIT_POS] = UNIT_POS; //~
    }
}

mod float_bitand {
    use cubecl::prelude::*;
    #[cube]
    fn bits(a: f32) -> f32 {
        a & 1.0 //~
    }
}

mod shift_by_float {
    use cubecl::prelude::*;
    #[cube]
    fn shift(a: u32) -> u32 {
        a << 1.5 //~
    }
}

mod negative_literal_plus_u32 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        a + -1 //~
    }
}

mod integer_literal_plus_f32 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a + 1 //~
    }
}

mod char_literal_plus_u32 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        a + 'c' //~
    }
}

mod f64_literal_plus_f32 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a + 1.0f64 //~~
    }
}

mod array_literal_too_short {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let v: [u32; 4] = [1, 2, 3]; //~
        v[0] + a
    }
}

mod negative_index {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x[-1] //~
    }
}

mod shared_memory_of_arrays {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let mut tile = SharedMemory::<[f32; 4]>::new(8); //~
        out[0] = 1.0;
    }
}

mod add_assign_on_atomic {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        out[0] += 1; //~
    }
}

mod float_added_to_u32_atomic {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        Atomic::add(&out[0], 1.0f32); //~
    }
}

fn main() {}
