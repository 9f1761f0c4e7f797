use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let mut s = out.slice(0, 4);
    s[0] = 1.0; //~
}

fn main() {}
