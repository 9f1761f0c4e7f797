use cubecl::prelude::*;

#[cube(launch)]
fn k<T>(input: &Array<T>, out: &mut Array<T>) { //~
    out[0] = input[0];
}

fn main() {}
