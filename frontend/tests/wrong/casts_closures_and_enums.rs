mod cast_as_struct {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(a: u32) -> P {
        a as P //~
    }
}

mod closure_captured_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> u32 {
        let f = |x: u32| x + 1;
        f(a) //~
    }
}

mod comptime_from_runtime {
    use cubecl::prelude::*;
    #[cube]
    fn h(#[comptime] n: u32) -> u32 { n }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        out[0] = h(UNIT_POS); //~
    }
}

mod const_shadow_assign {
    use cubecl::prelude::*;
    const N: u32 = 4;
    #[cube]
    fn h() -> u32 {
        N = 5; //~
        N
    }
}

mod duplicate_param {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32, a: f32) -> u32 { //~~
        1u32
    }
}

mod enum_data_missing {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), B }
    #[cube]
    fn h() -> E {
        E::A() //~
    }
}

mod enum_pattern_fields {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), B }
    #[cube]
    fn h(e: E) -> u32 {
        match e {
            E::A(x, y) => x, //~
            E::B => 0u32,
        }
    }
}

mod f32_cast_from_bad {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: &Array<f32>) -> f32 {
        f32::cast_from(a) //~
    }
}

mod f64_literal_into_f32 {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[0] = 1.0f64; //~
    }
}

mod float_bitand {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32, b: f32) -> f32 {
        a & b //~
    }
}

fn main() {}
