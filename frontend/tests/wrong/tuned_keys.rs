//! Keys of choices among kernels, and candidates that are none.
use cubecl::AutotuneKey;
use cubecl::tune::{Tunable, TunableSet};

#[derive(Clone, Debug, PartialEq, Eq, Hash, AutotuneKey)]
struct A {
    #[autotune(anker)] //~
    n: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, AutotuneKey)]
struct B {
    #[autotune(anchor(linear(max = 3)))] //~
    n: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, AutotuneKey)]
struct C {
    #[autotune(anchor(exp(most = 3)))] //~
    n: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, AutotuneKey)]
enum D { //~
    N(usize),
}

fn cannot_fail(n: u32) -> u32 {
    n
}

fn main() {
    let set = TunableSet::new(|n: &u32| n.to_string(), |_: &String, n: &u32| *n);
    let _set: TunableSet<String, u32, u32> = set.with(Tunable::new(cannot_fail)); //~
}
