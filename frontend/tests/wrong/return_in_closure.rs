use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let f = |x: u32| {
        if x > 1 {
            return 2u32; //~
        }
        x
    };
    out[0] = f(3);
}

fn main() {}
