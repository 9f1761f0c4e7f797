#![allow(unused, dead_code)]
mod cuda_position_names {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let i = BLOCK_IDX_X * BLOCK_DIM_X + THREAD_IDX_X; //~ //~ //~
        out[i] = 1;
    }
}

mod misspelled_position {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let i = ABSOLUTE_POSITION; //~
        out[i] = 1;
    }
}

mod pi_without_path {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * PI //~~
    }
}

mod pi_of_f32 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * f32::PI //~~
    }
}

mod misspelled_pi {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * std::f32::consts::PIE //~
    }
}

mod unknown_const_generic {
    use cubecl::prelude::*;
    #[cube]
    fn h<const N: u32>(a: f32) -> f32 {
        let mut s = a;
        for _i in 0..N { s += M; } //~
        s
    }
}

mod unknown_comptime_flag {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] flag: bool) {
        if comptime!(flg) { //~
            out[0] = 1.0;
        }
    }
}

mod misspelled_position_and_shared_output {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &Array<f32>) {
        let i = ABSOLUTE_PS; //~
        out[i] = x[i]; 
    }
}

mod unknown_variable {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let r = a + undefined_thing; //~
        r
    }
}

mod private_function_of_module {
    use cubecl::prelude::*;
    mod math {
        use cubecl::prelude::*;
        #[cube]
        fn square(a: f32) -> f32 { a * a }
    }
    #[cube]
    fn h(a: f32) -> f32 {
        math::square(a) //~~
    }
}

fn main() {}
