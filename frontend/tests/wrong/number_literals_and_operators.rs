#![allow(unused, dead_code)]
mod t01 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn axpy(x: &Array<f32>, y: &mut Array<f32>, a: f64) {
        if ABSOLUTE_POS < y.len() {
            y[ABSOLUTE_POS] = y[ABSOLUTE_POS] + a * x[ABSOLUTE_POS]; //~~
        }
    }
}

mod t03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn cmp(x: &Array<f32>, out: &mut Array<f32>) {
        if x[ABSOLUTE_POS] > 0 { //~
            out[ABSOLUTE_POS] = 1.0;
        }
    }
}

mod t06 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let half: u32 = CUBE_DIM_X / 2.0; //~
        out[UNIT_POS] = half;
    }
}

mod t07 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[UNIT_POS] = UNIT_POS; //~
    }
}

mod t15 {
    use cubecl::prelude::*;
    #[cube]
    fn bits(a: f32) -> f32 {
        a & 1.0 //~
    }
}

mod t16 {
    use cubecl::prelude::*;
    #[cube]
    fn shift(a: u32) -> u32 {
        a << 1.5 //~
    }
}

mod v02 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        a + -1 //~
    }
}

mod v03 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a + 1 //~
    }
}

mod v05 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        a + 'c' //~
    }
}

mod v06 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a + 1.0f64 //~~
    }
}

mod r25 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let v: [u32; 4] = [1, 2, 3]; //~
        v[0] + a
    }
}

mod r29 {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x[-1] //~
    }
}

mod s03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let mut tile = SharedMemory::<[f32; 4]>::new(8); //~
        out[0] = 1.0;
    }
}

mod q03 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        out[0] += 1; //~
    }
}

mod q05 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<Atomic<u32>>) {
        Atomic::add(&out[0], 1.0f32); //~
    }
}

fn main() {}
