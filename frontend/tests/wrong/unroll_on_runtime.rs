use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, n: u32) {
    #[unroll(n > 4)] //~
    for i in 0..4u32 {
        out[i] = n;
    }
}

fn main() {}
