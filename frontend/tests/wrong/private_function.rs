use cubecl::prelude::*;

mod inner {
    use cubecl::prelude::*;

    #[cube]
    fn hidden(x: f32) -> f32 {
        x
    }
}

#[cube]
fn k(x: f32) -> f32 {
    inner::hidden(x) //~~
}

fn main() {}
