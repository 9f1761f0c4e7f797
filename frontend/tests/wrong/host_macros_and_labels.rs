#![allow(unused)]
mod raw_pointer_deref {
    use cubecl::prelude::*;
    #[cube]
    // SAFETY: nothing of this runs.
    fn h(a: f32) -> f32 { let p = &a as *const f32; unsafe { *p } } //~
}

mod case_dyn {
    use cubecl::prelude::*;
    #[cube]
    trait Act: Send + Sync + 'static { fn f(&self, a: f32) -> f32; }
    #[cube]
    fn h(a: &dyn Act) -> f32 { a.f(1.0) } //~
}

mod box_dyn {
    use cubecl::prelude::*;
    #[cube]
    fn h(f: Box<dyn Fn(f32) -> f32>) -> f32 { f(1.0) } //~
}

mod static_mut {
    use cubecl::prelude::*;
    static mut COUNT: u32 = 0;
    #[cube(launch)]
    // SAFETY: nothing of this runs.
    fn k(out: &mut Array<u32>) { unsafe { COUNT += 1; } out[0] = 1; } //~
}

mod thread_local {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { std::thread::sleep(1); out[0] = 1; } //~~
}

mod instant {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { let t = std::time::Instant::now(); out[0] = 1; } //~~
}

mod unknown_macro {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { kprint!("x"); out[0] = 1; } //~~
}

mod dbg {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { dbg!(out[0]); out[0] = 1; } //~
}

mod eprintln {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { eprintln!("a {}", out[0]); out[0] = 1; } //~
}

mod write {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { write!(out, "a"); out[0] = 1; } //~~
}

mod assert_eq {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { assert_eq!(out[0], 1); out[0] = 1; } //~
}

mod label_unknown {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) { for i in 0..4 { if i > 2 { break 'outer; } out[i] = 1; } } //~
}

mod break_value_in_while {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u32 { let mut i = 0u32; let r = while i < 4 { i += 1; break 3u32; }; i } //~
}

mod continue_outside {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { if a > 1 { continue; } a } //~
}

mod break_in_closure {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { let mut s = 0u32; for i in 0..4 { let f = |x: u32| { if x > 1 { break; } x }; s += f(i); } s } //~
}

fn main() {}
