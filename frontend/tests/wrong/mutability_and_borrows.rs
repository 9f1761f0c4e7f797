#![allow(unused)]
mod out_not_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &Array<f32>) {
        out[UNIT_POS] = x[UNIT_POS]; //~
    }
}

mod var_not_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let s = x[0];
        s += 1.0; //~
        out[0] = s;
    }
}

mod var_not_mut_assign {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 {
        let acc = n;
        for i in 0..n {
            acc = acc + i; //~
        }
        acc
    }
}

mod param_assign {
    use cubecl::prelude::*;
    #[cube]
    fn h(n: u32) -> u32 {
        n += 1; //~
        n
    }
}

mod struct_field_not_mut {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(p: P) -> f32 { p.x = 2.0; p.x } //~
}

mod self_field_not_mut {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P { fn set(&self, v: f32) { self.x = v; } } //~
}

mod call_mut_method_on_immut {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    impl P { fn set(&mut self, v: f32) { self.x = v; } }
    #[cube]
    fn h(p: P) -> f32 { p.set(1.0); p.x } //~
}

mod pass_for_mut {
    use cubecl::prelude::*;
    #[cube]
    fn w(o: &mut Array<f32>) { o[0] = 1.0; }
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { w(x); } //~
}

mod pass_value_for_mut {
    use cubecl::prelude::*;
    #[cube]
    fn inc(o: &mut u32) { *o += 1; }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { let mut a = 1u32; inc(a); out[0] = a; } //~
}

mod mut_of_immut {
    use cubecl::prelude::*;
    #[cube]
    fn inc(o: &mut u32) { *o += 1; }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { let a = 1u32; inc(&mut a); out[0] = a; } //~
}

mod moved {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct P { x: f32 }
    #[cube]
    fn eat(p: P) -> f32 { p.x }
    #[cube]
    fn h(p: P) -> f32 { eat(p) + eat(p) } //~
}

mod two_mut_borrows {
    use cubecl::prelude::*;
    #[cube]
    fn two(a: &mut u32, b: &mut u32) { *a = *b; }
    #[cube]
    fn h() -> u32 { let mut a = 1u32; two(&mut a, &mut a); a } //~
}

mod uninit {
    use cubecl::prelude::*;
    #[cube]
    fn h(c: bool) -> u32 { let a: u32; if c { a = 1; } a } //~
}

mod slice_mut_of_immut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let mut s = x.slice_mut(0, 2); //~
        s[0] = 1.0;
    }
}

mod slice_write {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let s = x.slice(0, 2);
        s[0] = 1.0; //~
    }
}

mod shared_not_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let s = SharedMemory::<f32>::new(32u32);
        s[UNIT_POS] = 1.0; //~
        sync_cube();
        out[UNIT_POS] = s[UNIT_POS];
    }
}

fn main() {}
