#![allow(unused, dead_code)]
mod r18 {
    use cubecl::prelude::*;
    use std::time::Instant;
    #[cube]
    fn h(a: f32) -> f32 {
        let t = Instant::now(); //~
        a
    }
}

mod x03 {
    use cubecl::prelude::*;
    trait Op { fn op(x: f32) -> f32; }
    struct S;
    #[cube] //~-!
    impl Op for S {
        fn op(x: f32) -> f32 { x }
    }
}

mod x06 {
    use cubecl::prelude::*;
    trait Op { fn op(x: f32) -> f32; }
    #[cube]
    fn h<O: Op>(x: f32) -> f32 {
        O::op(x) //~
    }
}

mod x09 {
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

mod x10 {
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

mod r31 {
    use cubecl::prelude::*;
    extern "C" fn host(a: f32) -> f32 { a }
    #[cube]
    fn h(a: f32) -> f32 {
        host(a) //~
    }
}

mod r06 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let s = format!("{a}"); //~
        a
    }
}

mod d02 {
    use cubecl::prelude::*;
    struct P { x: f32 }
    #[cube]
    fn h(a: f32) -> f32 {
        let p = P { x: a }; //~
        p.x
    }
}

mod r20 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let f = a.to_string(); //~
        a
    }
}

mod r17 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        std::thread::sleep(std::time::Duration::from_secs(1)); //~~
        a
    }
}

mod r30 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let s = String::from("x"); //~
        a
    }
}

mod r03 {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        let b = Box::new(a); //~
        *b
    }
}

mod x12 {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    struct P { x: f32 }
    impl std::ops::Add for P {
        type Output = P;
        fn add(self, o: P) -> P { P { x: self.x + o.x } }
    }
    #[cube]
    fn h(p: P, q: P) -> P {
        p + q //~~!
    }
}

fn main() {}
