use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let a = first(1.0); //~
    let b: u32 = 2.0; //~
    out[0] = a;
}

fn main() {}
