use cubecl::prelude::*;

#[cube(launch)]
fn k(input: &Array<f32>, out: &mut Array<f32>, n: u32) {
    let a: u32 = 1.5; //~
    let b = input[n] + n; //~
    let c = missing; //~
    let d = out.size_of(); //~
    out[0] = true; //~
}

fn main() {}
