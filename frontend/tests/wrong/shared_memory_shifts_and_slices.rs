mod self_kernel {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P {
        #[cube(launch)] //~
        fn k(&self, out: &mut Array<f32>) {
            out[0] = self.x;
        }
    }
}

mod shared_index_type {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let s = SharedMemory::<f32>::new(8u32);
        s[0] = 1.0; //~
        out[0] = s[0];
    }
}

mod shl_float {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        a << 2 //~
    }
}

mod slice_mut_of_immut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let mut s = x.slice_mut(0, 4); //~
        s[0] = 1.0;
        out[0] = s[0];
    }
}

mod std_max {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32, b: u32) -> u32 {
        std::cmp::max(a, b) //~
    }
}

mod string_arg {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(name: String, out: &mut Array<f32>) { //~
        out[0] = 1.0;
    }
}

mod struct_field_not_cube {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: f32, y: std::collections::HashMap<u32, u32> } //~
}

mod struct_field_type {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: u32 }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P { x: a, y: a }; //~
        p.x
    }
}

mod struct_missing_field {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32, y: f32 }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P { x: a }; //~
        p.x
    }
}

mod tensor_shape_no_arg {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Tensor<f32>, out: &mut Array<u32>) {
        out[0] = x.shape(); //~
    }
}

fn main() {}
