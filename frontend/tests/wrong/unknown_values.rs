#![allow(unused, dead_code)]
mod n01 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let i = BLOCK_IDX_X * BLOCK_DIM_X + THREAD_IDX_X; //~ //~ //~
        out[i] = 1;
    }
}

mod n03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let i = ABSOLUTE_POSITION; //~
        out[i] = 1;
    }
}

mod n19 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * PI //~
    }
}

mod n20 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * f32::PI //~
    }
}

mod n21 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a * std::f32::consts::PIE //~
    }
}

mod g19 {
    use cubecl::prelude::*;
    #[cube]
    fn h<const N: u32>(a: f32) -> f32 {
        let mut s = a;
        for _i in 0..N { s += M; } //~
        s
    }
}

mod c06 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, #[comptime] flag: bool) {
        if comptime!(flg) { //~
            out[0] = 1.0;
        }
    }
}

mod z01 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &Array<f32>) {
        let i = ABSOLUTE_PS; //~
        out[i] = x[i]; 
    }
}

mod n16 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let r = a + undefined_thing; //~
        r
    }
}

mod n25 {
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
