use cubecl::prelude::*;

#[derive(CubeLaunch)] //~~
struct Alone { //~-
    a: u32,
}

#[cube(launch)]
fn reads(x: &Alone, y: &mut Array<u32>) { //~-
    y[0] = x.a;
}

#[cube]
fn starts<T: Numeric + Default>(x: T) -> T {
    let sum = T::default(); //~
    sum + x
}

fn main() {}
