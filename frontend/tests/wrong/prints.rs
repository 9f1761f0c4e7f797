#![allow(unused, dead_code)]
mod formats {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        let y = out[0];
        debug_print!("{:?}", y); //~
        debug_print!("{y:.2}"); //~
        println!("{:>8}", UNIT_POS); //~
        debug_print!("{0} {1} {0}", y); //~
        debug_print!("%f and %f", y); //~
        debug_print!("{}", y, UNIT_POS); //~
        debug_print!("{y"); //~
        out[0] = y;
    }
}

mod unknown {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<f32>) {
        debug_print!("{nobody}"); //~
        out[0] = 1.0;
    }
}

fn main() {}
