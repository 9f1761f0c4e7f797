use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>, #[comptime] n: u32) {
    n = 3; //~
    out[0] = n;
}

fn main() {}
