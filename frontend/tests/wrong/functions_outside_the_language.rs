#![allow(unused, dead_code)]
mod instant_now {
    use cubecl::prelude::*;
    use std::time::Instant;
    #[cube]
    fn h(a: f32) -> f32 {
        let t = Instant::now(); //~
        a
    }
}

mod attribute_on_impl_of_host_trait {
    use cubecl::prelude::*;
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube] //~-
    impl Op for S {
        fn op(x: f32) -> f32 { x }
    }
}

mod bound_of_host_trait {
    use cubecl::prelude::*;
    trait Op { fn op(x: f32) -> f32; }
    #[cube]
    fn h<O: Op>(x: f32) -> f32 {
        O::op(x) //~
    }
}

mod host_method {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    impl P {
        fn dbl(&self) -> f32 { self.x * 2.0 }
    }
    #[cube]
    fn h(p: P) -> f32 {
        p.dbl() //~
    }
}

mod host_constructor {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    impl P {
        fn make(x: f32) -> P { P { x } }
    }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P::make(a); //~
        p.x
    }
}

mod extern_function {
    use cubecl::prelude::*;
    extern "C" fn host(a: f32) -> f32 { a }
    #[cube]
    fn h(a: f32) -> f32 {
        host(a) //~
    }
}

mod format_macro {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let s = format!("{a}"); //~
        a
    }
}

mod struct_without_derive {
    use cubecl::prelude::*;
    struct P { x: f32 }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P { x: a }; //~
        p.x
    }
}

mod to_string {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = a.to_string(); //~
        a
    }
}

mod thread_sleep {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        std::thread::sleep(std::time::Duration::from_secs(1)); //~~
        a
    }
}

mod string_from {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let s = String::from("x"); //~
        a
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

mod host_implementation_of_add {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    impl std::ops::Add for P {
        type Output = P;
        fn add(self, o: P) -> P { P { x: self.x + o.x } }
    }
    #[cube]
    fn h(p: P, q: P) -> P {
        p + q //~
    }
}

fn main() {}
