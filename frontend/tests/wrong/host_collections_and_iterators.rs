#![allow(unused)]
mod format {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let s = format!("{}", 1); out[0] = s; } //~
}

mod vec_macro {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let v = vec![1.0, 2.0]; out[0] = v[UNIT_POS]; } //~
}

mod vec_new_push {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let mut v = Vec::new(); v.push(1.0f32); out[0] = v[0]; } //~
}

mod string_from {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let v = String::from("a"); out[0] = 1.0; } //~
}

mod hashmap {
    use cubecl::prelude::*;
    use std::collections::HashMap;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { let mut m = HashMap::new(); m.insert(1u32, 2u32); out[0] = 1.0; } //~
}

mod iter_map {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { let s: f32 = x.iter().map(|v| v * 2.0).sum(); out[0] = s; } //~
}

mod range_map_sum {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { let s = (0..x.len()).map(|i| x[i]).sum(); out[0] = s; } //~
}

mod enumerate {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { for (i, v) in x.iter().enumerate() { out[i] = v; } } //~
}

mod zip {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(x: &Array<f32>, out: &mut Array<f32>) { for (a, b) in (0..4).zip(0..4) { out[a] = x[b]; } } //~
}

mod for_each {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { (0..4u32).for_each(|i| out[i] = 1.0); } //~
}

mod question {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<f32>) -> f32 { a? } //~~
}

mod case_await {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { a.await } //~
}

mod async_fn {
    use cubecl::prelude::*;
    #[cube]
    async fn h(a: f32) -> f32 { a } //~
}

mod async_block {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { let f = async { a }; a } //~
}

mod unsafe_fn {
    use cubecl::prelude::*;
    #[cube]
    unsafe fn h(a: f32) -> f32 { a }
    #[cube]
    fn g(a: f32) -> f32 { h(a) } //~
}

mod raw_pointer_param {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(p: *const f32, out: &mut Array<f32>) { out[0] = 1.0; } //~
}

fn main() {}
