use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, n: u32) {
    let mut a = Array::<f32>::new(n, 2); //~ //~
    a[0] = 1.0;
    out[0] = 1;
}

fn main() {}
