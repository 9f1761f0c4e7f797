mod launch_option {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(m: std::time::Duration, out: &mut Array<u32>) { //~
        out[0] = 1;
    }
}

mod model_assoc {
    use cubecl::prelude::*;
    #[cube]
    pub trait Model: Send + Sync + Clone + 'static {
        const WIDTH: u32;
        type Acc: Float;
        fn run(&self, x: f32) -> f32;
    }

    #[cube]
    fn h<A: Model>(x: f32) -> A::Acc {
        x //~
    }
}

mod model_const {
    use cubecl::prelude::*;
    #[cube]
    pub trait Model: Send + Sync + Clone + 'static {
        const WIDTH: u32;
        type Acc: Float;
        fn run(&self, x: f32) -> f32;
    }

    #[cube]
    fn h<A: Model>() -> f32 {
        A::WIDTH //~
    }
}

mod model_method {
    use cubecl::prelude::*;
    #[cube]
    pub trait Model: Send + Sync + Clone + 'static {
        const WIDTH: u32;
        type Acc: Float;
        fn run(&self, x: f32) -> f32;
    }

    #[cube]
    fn h<A: Model>(m: &A, x: u32) -> f32 {
        m.run(x) //~
    }
}

mod returns_host_type {
    use cubecl::prelude::*;
    #[cube]
    fn h(x: f32) -> std::time::Duration { //~
        comptime!(std::time::Duration::ZERO)
    }
}

mod two_in_two_functions {
    use cubecl::prelude::*;
    #[cube]
    fn a(x: f32) -> u32 { x } //~
    #[cube]
    fn b(x: u32) -> f32 { x } //~
    #[cube(launch)]
    fn k(out: &mut Array<f32>) { out[0] = b(a(1.0)); }
}

mod where_type {
    use cubecl::prelude::*;
    #[cube]
    pub trait Activation: Send + Sync + 'static {
        fn apply(x: f32) -> f32;
    }

    #[cube]
    fn h<A, F>(x: F) -> u32 where A: Activation, F: Float {
        x //~
    }
}

mod zero_arg_host {
    use cubecl::prelude::*;
    fn seed() -> u32 { 4 }
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let s = seed(); //~
        out[0] = s + 1;
    }
}

mod zero_arg_unknown_value {
    use cubecl::prelude::*;
    #[cube(launch)]
    fn k(out: &mut Array<u32>) {
        let s = sed(); //~
        out[0] = s + 1;
    }
}

fn main() {}
