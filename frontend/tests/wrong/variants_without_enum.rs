mod m {
    use cubecl::prelude::*;
    #[derive(CubeType, Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Op {
        Add,
        Mul(u32),
        Both { a: u32 },
    }
    #[cube]
    fn a(#[comptime] x: u32) -> u32 {
        let _o = Add; //~~
        x
    }
    #[cube]
    fn b(x: u32) -> u32 {
        let _o = Oper::Add; //~
        x
    }
    #[cube]
    fn c(x: u32) -> u32 {
        let _o = Mul(x); //~~
        x
    }
    #[cube]
    fn d(op: Op) -> u32 {
        match op {
            Op::Add => 1u32,
            Mul(x) => x, //~
            Op::Both { a } => a,
        }
    }
    #[cube]
    fn e(op: Op) -> u32 {
        match op {
            Op::Add => 1u32,
            Op::Mul(x) => x,
            Both { a } => a, //~
        }
    }
    #[cube]
    fn f(_op: Opp) -> u32 { //~
        1u32
    }
}

fn main() {}
