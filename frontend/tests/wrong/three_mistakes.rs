use cubecl::prelude::*;

#[cube(launch)]
fn k(out: &mut Array<f32>, n: u32) {
    for i in 0u32.. { //~
        out[i] = 1.0;
    }
    assert!(n > 1); //~
    let f = n.await; //~
    out[0] = f;
}

fn main() {}
