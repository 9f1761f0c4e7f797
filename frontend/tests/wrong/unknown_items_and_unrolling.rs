mod typo_topology_unit {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        out[UNIT_POS_W] = 1.0; //~
    }
}

mod unknown_assoc_const {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> f32 {
        f32::PIE //~
    }
}

mod unknown_fn_in_impl {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn twice(&self) -> f32 { doubled(self.x) } //~~
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>, a: f32) {
        let p = P { x: a };
        out[0] = p.twice();
    }
}

mod unknown_method_in_impl {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        fn twice(&self) -> f32 { self.thrice() } //~
    }
    #[cube(launch)]
    fn k(out: &mut Array<f32>, a: f32) {
        let p = P { x: a };
        out[0] = p.twice();
    }
}

mod unroll_runtime {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>, n: u32) {
        let mut s = 0u32;
        #[unroll(n)] //~
        for i in 0..8 { s += i; }
        out[0] = s;
    }
}

mod unsafe_ptr {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        // SAFETY: it does not compile.
        unsafe { *x.as_ptr() } //~
    }
}

mod unwrap_result {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let x = a.checked_add(1).unwrap(); //~
        x
    }
}

mod use_moved_launch_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(a: &Array<String>, out: &mut Array<f32>) { //~
        out[0] = 1.0;
    }
}

mod usize_index {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>, n: u32) {
        let i: usize = ABSOLUTE_POS; //~
        out[0] = 1.0;
    }
}

mod vec_push {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let mut v = Vec::new(); //~
        v.push(1.0f32);
        out[0] = v[0];
    }
}

fn main() {}
