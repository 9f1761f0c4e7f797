use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>) {
    let mut s = SharedMemory::<f32>::new(4u32);
    s[0] = 1u32; //~
    out[0] = s[0];
}

fn main() {}
