#![allow(unused, dead_code)]
mod store_to_shared_reference {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &Array<f32>) {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS]; //~
    }
}

mod sum_without_mut {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) {
        let acc = 0.0;
        for i in 0..x.len() {
            acc += x[i]; //~
        }
        out[0] = acc;
    }
}

mod value_for_mutable_reference {
    use cubecl::prelude::*;
    #[cube]
    fn bump(v: &mut u32) {
        *v += 1;
    }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let mut c = 0u32;
        bump(c); //~
        out[0] = c;
    }
}

mod store_through_shared_reference {
    use cubecl::prelude::*;
    #[cube]
    fn bump(v: &u32) {
        *v += 1; //~
    }
}

mod field_store_without_mut {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P { x: a };
        p.x = 2.0; //~
        p.x
    }
}

mod field_store_through_shared_self {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct Acc { sum: f32 }
    #[cube]
    impl Acc {
        fn add(&self, v: f32) {
            self.sum += v; //~
        }
    }
}

mod use_after_move_into_call {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct Buf { a: SharedMemory<f32> }
    #[cube]
    fn take(b: Buf) -> f32 {
        b.a[0]
    }
    #[cube]
    fn h() -> f32 {
        let b = Buf { a: SharedMemory::<f32>::new(4u32) };
        let x = take(b);
        x + take(b) //~
    }
}

mod two_mutable_borrows {
    use cubecl::prelude::*;
    #[cube]
    fn swap(a: &mut f32, b: &mut f32) {
        let t = *a;
        *a = *b;
        *b = t;
    }
    #[cube]
    fn h(x: f32) -> f32 {
        let mut v = x;
        swap(&mut v, &mut v); //~
        v
    }
}

mod borrow_outlives_value {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 {
        let r;
        {
            let v = x * 2.0;
            r = &v; //~
        }
        *r
    }
}

mod conditionally_initialised_variable {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> f32 {
        let y: f32;
        if x > 0.0 {
            y = x;
        }
        y //~
    }
}

mod use_of_moved_struct {
    use cubecl::prelude::*;
    #[derive(CubeType)]
    struct Pair { a: f32, b: f32 }
    #[cube]
    fn h(x: f32) -> f32 {
        let p = Pair { a: x, b: x };
        let q = p;
        p.a + q.b //~
    }
}

fn main() {}
