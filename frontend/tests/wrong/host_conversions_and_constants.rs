#![allow(unused)]
mod enum_unit_called {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy)]
    enum E { A(u32), C }
    #[cube]
    fn h() -> E { E::C(1) } //~
}

mod const_in_body_wrong_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { const N: u32 = 1.5; a + N } //~
}

mod neg_literal_unsigned {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u32 { -1u32 } //~
}

mod shadow_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { let a = 1.0f32; a } //~
}

mod vs {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { if a = 1 { 2u32 } else { 3u32 } } //~
}

mod self_in_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 { self.x } //~
}

mod generic_param_shadow_unused {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: f32) -> f32 { F::from(a) } //~
}

mod into {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> f32 { a.into() } //~
}

mod try_into {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> i32 { a.try_into().unwrap() } //~
}

mod as_bool {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> bool { a as bool } //~
}

mod to_string {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { let s = a.to_string(); a } //~
}

mod f32_consts {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { a * std::f32::consts::PII } //~
}

mod f32_sin_as_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { f32::sinus(a) } //~
}

mod unknown_f_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h<F: Float>(a: F) -> F { F::sinus(a) } //~
}

mod method_typo {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 { a.sqr() } //~
}

mod euclidean_remainder {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32, b: f32) -> f32 { a.rem_euclid(b) } //~
}

fn main() {}
