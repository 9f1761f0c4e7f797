#![allow(unused, dead_code)]
mod sum_of_iterator {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x.iter().sum() //~
    }
}

mod sum_of_mapped_range {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        (0..4).map(|i| x[i]).sum() //~
    }
}

mod question_mark_on_option {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: Option<f32>) -> Option<f32> {
        let v = a?; //~
        Some(v * 2.0)
    }
}

mod slice_pattern {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        match x {
            [a, b] => 1.0, //~~
            _ => 0.0,
        }
    }
}

mod raw_pointer {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let p = &a as *const u32; //~
        a
    }
}

mod assert_eq_and_dbg_macros {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: f32) -> f32 {
        assert_eq!(a, 1.0); //~
        dbg!(a) //~
    }
}

mod pow_method {
    use cubecl::prelude::*;
    #[cube]
    fn h(a: u32) -> u32 {
        let b = a.pow(2); //~
        b
    }
}

mod index_of_subslice {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: &Array<f32>) -> f32 {
        x[0..4][0] //~~
    }
}

fn main() {}
