//! Launches with equal types and equal comptime values share a compiled kernel, independent of the hash of
//! these values.
use crate::common::*;
use cubecl::prelude::*;
use std::hash::{Hash, Hasher};

/// A configuration whose implementation of `Hash` omits a field, as Rust permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Config {
    shown: u32,
    hidden: u32,
}

impl Hash for Config {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.shown.hash(state);
    }
}

#[cube(launch)]
fn of_parameter(out: &mut Array<u32>, #[comptime] config: Config) {
    out[0] = comptime!(config.hidden);
}

#[derive(CubeType, CubeLaunch)]
struct Argument {
    by: u32,
    #[cube(comptime)]
    config: Config,
}

#[cube(launch)]
fn of_field(out: &mut Array<u32>, argument: Argument) {
    out[0] = argument.by * comptime!(argument.config.hidden);
}

#[derive(CubeType, CubeLaunch)]
enum Choice {
    One(Plain),
    Two(Argument),
}

#[derive(CubeType, CubeLaunch)]
struct Plain {
    by: u32,
}

#[cube(launch)]
fn of_variant(out: &mut Array<u32>, choice: Choice) {
    match choice {
        Choice::One(plain) => out[0] = plain.by,
        Choice::Two(argument) => out[0] = argument.by * comptime!(argument.config.hidden),
    }
}

#[test]
fn eq_decides_which_values_share_a_kernel() {
    // Each value twice: the second launch finds the kernel for its value.
    for hidden in [1, 2, 3, 1, 2, 3] {
        let config = Config { shown: 7, hidden };
        let argument = || ArgumentLaunch::new(ScalarArg::new(10), config);
        let got = outputs::<u32>(1, |c, out| of_parameter::launch::<R>(c, one(), CubeDim::new_single(), out, config));
        assert_eq!(got, [hidden]);
        let got = outputs::<u32>(1, |c, out| of_field::launch::<R>(c, one(), CubeDim::new_single(), out, argument()));
        assert_eq!(got, [10 * hidden]);
        let got = outputs::<u32>(1, |c, out| {
            of_variant::launch::<R>(c, one(), CubeDim::new_single(), out, ChoiceArgs::Two(argument()));
        });
        assert_eq!(got, [10 * hidden]);
    }
}

/// Comptime values behind references, including types that the launch cannot copy.
#[cube(launch)]
fn of_references(out: &mut Array<u32>, #[comptime] name: &str, #[comptime] list: &[u32], #[comptime] config: &Config) {
    out[0] = comptime!(name.len() as u32 * 100 + list.iter().sum::<u32>() * 10 + config.hidden);
}

#[test]
fn values_behind_references_are_compared_too() {
    for (name, list, hidden) in
        [("ab", vec![1, 2], 3), ("ab", vec![1, 3], 3), ("abc", vec![1, 2], 3), ("ab", vec![1, 2], 4)]
    {
        let config = Config { shown: 1, hidden };
        let got = outputs::<u32>(1, |c, out| {
            of_references::launch::<R>(c, one(), CubeDim::new_single(), out, name, &list, config);
        });
        assert_eq!(got, [name.len() as u32 * 100 + list.iter().sum::<u32>() * 10 + hidden]);
    }
}

/// A trait for two types with the same name, each declared inside a function.
#[cube]
trait Number: 'static + Send + Sync {
    fn number() -> u32;
}

#[cube(launch)]
fn of_type<N: Number>(out: &mut Array<u32>) {
    out[0] = N::number();
}

macro_rules! number {
    ($value:expr) => {{
        struct Same;
        #[cube]
        impl Number for Same {
            fn number() -> u32 {
                $value
            }
        }
        outputs::<u32>(1, |c, out| of_type::launch::<Same, R>(c, one(), CubeDim::new_single(), out))
    }};
}

#[test]
fn types_with_equal_names_are_distinguished() {
    assert_eq!((number!(4u32), number!(5u32)), (vec![4], vec![5]));
}

/// The results are equal with a cold and with a warm cache on disk.
#[test]
#[cfg(not(feature = "on-cuda"))]
fn eq_decides_kernel_sharing_with_the_disk_cache() {
    let cache = tempfile::tempdir().unwrap();
    for run in ["cold", "warm"] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "host::instances::eq_decides_which_values_share_a_kernel"]);
        let output = command.env("CUBE_CACHE", cache.path()).output().unwrap();
        assert!(output.status.success(), "{run}: {output:?}");
        // Three kernels of three values each.
        assert_eq!(std::fs::read_dir(cache.path().join("kernels")).unwrap().count(), 9, "{run}");
    }
}
