use cubecl::prelude::*;

#[cube(launch)]
fn unrolled_parameter(out: &mut Array<u32>, #[unroll] n: u32) { //~
    out[0] = n;
}

#[cube(launch)]
fn comptime_with_an_argument(out: &mut Array<u32>, #[comptime(always)] n: u32) { //~
    out[0] = n;
}

#[cube(launch)]
fn comptime_variable_with_an_argument(out: &mut Array<u32>) {
    #[comptime(always)] //~
    let n = 1u32;
    out[0] = n;
}

#[cube(launch)]
fn arguments_of_macros(out: &mut Array<u32>) {
    comment!(out[0]); //~
    if out[0] == 1 {
        terminate!(5); //~
    }
}

#[cube(launch, fast_math = FastMath::NotNaN, fast_math = FastMath::NotInf)] //~
fn flags_twice(out: &mut Array<f32>) {
    out[0] = 1.0;
}

#[cube(self_type = "mut")] //~
trait ByReference {
    fn f(&self) -> u32;
}

#[cube(expand_base_traits = Clone)] //~
trait WithoutText {
    fn f(&self) -> u32;
}

#[derive_cube_comptime(Copy)] //~
struct Tile {
    n: u32,
}

#[cube(launch)]
fn state_of_the_host(out: &mut Array<u32>) {
    static mut CALLS: u32 = 3; //~
    out[0] = 1;
}

#[cube]
trait Kernels {
    #[cube(launch)] //~
    fn k(out: &mut Array<u32>);
}

fn main() {}
