#![allow(unused)]
mod const_generic_kind {
    use cubecl::prelude::*;
    #[cube]
    fn g<const N: u32>(x: f32) -> f32 { x }
    #[cube]
    fn h(x: f32) -> f32 { g::<f32>(x) } //~
}

mod const_generic_missing {
    use cubecl::prelude::*;
    #[cube]
    fn g<const N: u32>(x: f32) -> f32 { x }
    #[cube]
    fn h(x: f32) -> f32 { g(x) } //~
}

mod not_inferred {
    use cubecl::prelude::*;
    #[cube]
    fn g<F: Float>() -> u32 { 1 }
    #[cube]
    fn h() -> u32 { g() } //~
}

mod cannot_infer_var {
    use cubecl::prelude::*;
    #[cube]
    fn h() -> u32 { let s = Sequence::new(); 1 } //~
}

mod tuple_field {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: (u32, f32)) -> u32 { t.2 } //~
}

mod field_of_number {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 { t.x } //~
}

mod method_on_tuple {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: (u32, f32)) -> u32 { t.sum() } //~
}

mod call_non_fn {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 { t(1) } //~
}

mod unknown_var_in_nested {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 {
        let a = if t > 1 { tt } else { 0 }; //~
        a
    }
}

mod unknown_const {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: u32) -> u32 { t + TILE } //~
}

mod unknown_method_on_array {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Array<u32>) -> u32 { t.size() } //~
}

mod unknown_method_on_tensor {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Tensor<u32>) -> u32 { t.dims() } //~
}

mod shape_without_arg {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Tensor<u32>) -> u32 { t.shape() } //~
}

mod shape_field_index {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Tensor<u32>) -> u32 { t.shape[0] } //~
}

mod array_shape {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Array<u32>) -> u32 { t.shape(0) } //~
}

mod stride_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(t: &Tensor<u32>, i: i32) -> u32 { t.stride(i) } //~
}

fn main() {}
