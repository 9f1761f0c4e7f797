use cubecl::prelude::*;

#[cube]
fn zero<F: Float>() -> F {
    F::new(0.0)
}

#[cube(launch)]
fn k(out: &mut Array<u32>) {
    let x = zero(); //~
    out[0] = 1;
}

fn main() {}
