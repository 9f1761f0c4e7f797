use cubecl::prelude::*;

#[cube(launch)]
fn k<N: Numeric>(input: &Array<N>, out: &mut Array<N>) {
    out[0] = input[0] % input[1]; //~
}

fn main() {}
