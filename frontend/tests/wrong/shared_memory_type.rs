use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let mut s = SharedMemory::<f32>::new(out[0]); //~
    s[0] = 1.0;
    out[0] = s[0];
}

fn main() {}
