mod array_len_field {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<u32>) {
        out[0] = x.len; //~
    }
}

mod as_cast_generic {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k<F: Float>(out: &mut Array<F>, n: u32) {
        out[0] = n; //~
    }
}

mod assign_loop_var {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u32 {
        let s = 0u32;
        for i in 0..4u32 {
            s += i; //~
        }
        s
    }
}

mod async_kernel {
    use cubecl::prelude::*;
    #[cube(launch)]
    async fn k(out: &mut Array<f32>) { //~
        out[0] = 1.0;
    }
}

mod atomic_assign {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        out[0] = 1u32; //~
    }
}

mod atomic_bad_method {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        Atomic::increment(&out[0], 1u32); //~
    }
}

mod bool_arith {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: bool, b: u32) -> u32 {
        b + a //~
    }
}

mod bool_not_condition {
    use cubecl::prelude::*;
    #[cube]
    fn h(b: u32) -> u32 {
        if b { 1u32 } else { 2u32 } //~
    }
}

mod box_new {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let b = Box::new(a); //~
        *b
    }
}

mod break_value_types {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u32 {
        loop {
            break 1.0f32; //~
        }
    }
}

fn main() {}
