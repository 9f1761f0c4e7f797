//! Errors of the compiler and the launch point to the Rust source line that `//~` marks. The messages use terms of
//! the kernel language and name a fix.
use crate::common::*;
use cubecl::prelude::*;

type Launch = fn(&Client, ArrayArg<'_, R>) -> Result<(), LaunchError>;

struct Case {
    name: &'static str,
    code: &'static str,
    words: &'static [&'static str],
    launch: Launch,
}

macro_rules! cases {
    ($($name:ident $(@$arg:ident)? $dim:expr, $code:literal $words:expr, |$out:ident| $body:block)*) => {
        $(#[cube(launch $(, $arg)?)] fn $name($out: &mut Array<f32>) $body)*

        const CASES: &[Case] = &[$(Case {
            name: stringify!($name),
            code: $code,
            words: &$words,
            launch: |client, out| $name::try_launch::<R>(client, one(), $dim, out),
        }),*];
    };
}

cases! {
    too_large CubeDim::new_1d(8), "CUBE0138" ["this memory requires 400000000 bytes", "use smaller tiles"], |out| {
        let mut all = SharedMemory::<f32>::new(100_000_000u32); //~
        all[UNIT_POS] = out[UNIT_POS];
        sync_cube();
        out[UNIT_POS] = all[7 - UNIT_POS];
    }
    too_large_for_one CubeDim::new_1d(8), "CUBE0138" ["this memory requires 400000000 bytes"], |out| {
        let mut all = Array::<f32>::new(100_000_000u32); //~
        all[UNIT_POS] = out[UNIT_POS];
        out[UNIT_POS] = all[7 - UNIT_POS];
    }
    an_option_of_the_kernel CubeDim::new_1d(8), "CUBE0950" ["`#[derive(CubeType)] enum Found { No, Yes(f32) }`"], |out| {
        let mut best: Option<f32> = None;
        if out[0] > 1.0 {
            best = Some(out[0]); //~
        }
        if let Some(found) = best {
            out[1] = found;
        }
    }
    a_panic_of_a_unit CubeDim::new_1d(8), "CUBE0950" ["no zero, please", "use `terminate!()` to end a unit"], |out| {
        if out[0] == 0.0 {
            panic!("no zero, please"); //~
        }
    }
    no_units CubeDim::new_1d(0), "CUBE0120" ["this kernel has the cube dim [0, 1, 1]", "`CubeDim::new_2d(64, 2)`"], |out| { //~
        out[0] = 1.0;
    }
    too_many_units CubeDim::new_3d(1024, 1024, 64), "CUBE0121" ["this kernel has 67108864 units per cube"], |out| { //~
        out[0] = 1.0;
    }
    atomic_of_bools CubeDim::new_1d(8), "CUBE0139" ["this atomic operation does not support elements of type bool"], |out| {
        let flags = SharedMemory::<Atomic<bool>>::new(8u32);
        Atomic::store(&flags[0], true); //~
        out[0] = 1.0;
    }
    bits_of_floats CubeDim::new_1d(8), "CUBE0140" ["cannot combine values of type f32 with `xor`", "`swap`, `add`, `sub`, `min`, `max`"], |out| {
        let sum = SharedMemory::<Atomic<f32>>::new(8u32);
        Atomic::xor(&sum[0], 1.0); //~
        out[0] = 1.0;
    }
    plane_of_storage CubeDim::new_1d(8), "CUBE0141" ["this plane operation computes with tf32", "`f32::cast_from`"], |out| {
        let stored = tf32::cast_from(out[0]);
        let sum = plane_sum(stored); //~
        out[0] = f32::cast_from(sum);
    }
    comparing_storage CubeDim::new_1d(8), "CUBE0314" ["this comparison computes with e4m3", "`f32::cast_from`"], |out| {
        let stored = SharedMemory::<Line<cubecl::e4m3>>::new(8u32);
        let less = stored[0].less_than(stored[1]); //~
        out[0] = select(less[0], 1.0, 2.0);
    }
    lines_of_three CubeDim::new_1d(8), "CUBE0950" ["this memory has lines of 3 elements"], |out| {
        let tile = SharedMemory::<f32>::new_lined(4u32, 3u32); //~
        out[0] = tile[0][0];
    }
    a_variable_of_three CubeDim::new_1d(8), "CUBE0950" ["this variable has lines of 3 elements"], |out| {
        let mut line = Line::<f32>::empty(3u32).fill(1.0); //~
        if out[0] > 1.0 { line = line + line; }
        out[0] = line[0];
    }
    unrolled_too_far CubeDim::new_1d(8), "CUBE0950" ["the kernel is too large to compile with this loop unrolled"], |out| {
        #[unroll]
        for i in 0..1000 {
            #[unroll]
            for j in 0..1000 { //~
                out[i] += out[j];
            }
        }
    }
    check_without_guard @deny_checks CubeDim::new_1d(8), "CUBE0324" ["needs a bounds check", "put this write into `if index < buffer.len()`"], |out| {
        if UNIT_POS < out.len() {
            out[UNIT_POS] = 1.0;
        }
        out[UNIT_POS + 1] = 2.0; //~
    }
    barrier_in_a_branch CubeDim::new_1d(8), "CUBE0315" ["not all units of a cube reach this barrier"], |out| {
        if UNIT_POS < 4 {
            sync_cube(); //~
        }
        out[UNIT_POS] = 1.0;
    }
    barrier_behind_a_return CubeDim::new_1d(8), "CUBE0315" ["not all units of a cube reach this barrier"], |out| {
        if UNIT_POS > 3 { return; }
        sync_cube(); //~
        out[UNIT_POS] = 1.0;
    }
}

#[test]
fn refusals_quote_the_input() {
    let source: Vec<&str> = include_str!("messages.rs").lines().collect();
    let client = client();
    for Case { name, code, words, launch } in CASES {
        let out = client.empty(32);
        // On an NVIDIA GPU, the launcher evaluates this check, so the kernel has no check in place.
        if cfg!(feature = "on-cuda") && *name == "check_without_guard" {
            launch(&client, array::<f32>(&out, 8)).expect(name);
            continue;
        }
        let error = launch(&client, array::<f32>(&out, 8)).expect_err(name).to_string();
        for word in words.iter().chain([code, name]) {
            assert!(error.contains(word), "{name}: `{word}` is not in: {error}");
        }
        for word in ["cube.", "scf.", "arith.", "cmpf", "xori", "!cube", "vector<", ".mlir"] {
            assert!(!error.contains(word), "{name}: `{word}` is in: {error}");
        }
        let mut place = error.split(':');
        let (file, line) = (place.next().unwrap(), place.next().unwrap().parse::<usize>().unwrap());
        assert!(file.ends_with("cubecl_idioms/messages.rs"), "{error}");
        assert!(source[line - 1].ends_with("//~"), "{name}: at a line that is not marked: {error}");
        assert!(client.try_read_one(out).is_err(), "{name}: what failed is not read");
    }
}

#[cube(launch)]
fn größe(länge: &mut Array<f32>, schritt_α: f32) {
    länge[UNIT_POS] += schritt_α;
}

/// A macro that receives the kernel's body, which contains an early exit.
macro_rules! from_a_macro {
    ($name:ident $body:block) => {
        #[cube(launch)]
        fn $name(_numbers: &mut Array<f32>) $body
    };
}

from_a_macro!(leaving {
    if UNIT_POS > 1 { return; }
    terminate!();
});

#[test]
fn names_in_any_alphabet_and_bodies_of_macros() {
    let client = client();
    let out = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    größe::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<f32>(&out, 4), ScalarArg::new(0.5));
    leaving::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<f32>(&out, 4));
    assert_eq!(f32::from_bytes(&client.read_one(out)), [1.5, 2.5, 3.5, 4.5]);
}
