//! Random Rust functions, executed as plain Rust and as kernels; the results must be equal bit by bit.
//!
//! `CUBE_FUZZ_COUNT` sets the number of functions, `CUBE_FUZZ_SEED` the first seed, and `CUBE_FUZZ_RUNTIME` the runtime of
//! the kernels: `cpu` (default), `cuda`, or `wgsl` and `spirv` on the default adapter of wgpu. A program contains each function
//! twice with the same text: in the module `plain`, and with `#[cube]` in the module `kernel`. On failure, the test
//! prints the path of the program's file.
#![cfg(not(any(feature = "on-cuda", feature = "on-wgpu")))]
mod generator;

use generator::{Random, function};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Functions in one program.
const OF_A_PROGRAM: u64 = 100;
/// Number of functions that one kernel calls. Fewer kernels with more functions compile and launch faster.
const OF_A_KERNEL: usize = 10;
/// Runtimes that `CUBE_FUZZ_RUNTIME` can name, with their types. The first one is the default.
const RUNTIMES: [(&str, &str); 4] = [
    ("cpu", "cpu::CpuRuntime"),
    ("cuda", "cuda::CudaRuntime"),
    ("wgsl", "wgpu::WgpuRuntime"),
    ("spirv", "wgpu::WgpuRuntime"),
];
/// Number of units of a launch. Each unit has its own arguments.
const UNITS: usize = 64;

/// Definitions that the functions of both modules use.
const PLAIN: &str = "
pub trait Int: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> + std::ops::BitXor<Output = Self>
    + std::ops::Sub<Output = Self> + PartialOrd {}
impl Int for u32 {}
impl Int for i32 {}
pub fn bits(x: f32) -> u32 { if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() } }
pub fn no_bits(_: f32) -> u32 { 0 }
std::thread_local! { pub static IS_FINITE: std::cell::Cell<bool> = const { std::cell::Cell::new(true) }; }
pub fn seen(x: f32) -> f32 { if !x.is_finite() { IS_FINITE.set(false); } x }
#[derive(Clone, Copy)]
";
const KERNEL: &str = "
use cubecl::prelude::*;
#[cube]
pub fn bits(x: f32) -> u32 { if x != x { 0x7fc0_0000u32 } else { u32::reinterpret(x) } }
#[cube]
pub fn no_bits(x: f32) -> u32 { 0u32 }
#[derive(CubeType, Clone, Copy)]
";
const SHARED: &str = "pub struct S { pub a: u32, pub b: i32, pub c: f32 }\n";
const GENERIC: &str =
    "pub fn mixed<N: Int>(a: N, b: N) -> N { let mut t = a * b; if a < b { t = t + a; } else { t = t ^ b; } t - b }
pub fn turned(s: S, n: u32) -> S { let mut r = s; r.a = r.a ^ n; if n > s.a { r.c = -s.c; } r }\n";

/// The runtime that executes the kernels: its name in [`RUNTIMES`], and its type in the crate `cubecl`.
fn runtime() -> (&'static str, &'static str) {
    if cfg!(feature = "on-hip") {
        return ("hip", "hip::HipRuntime");
    }
    let Ok(name) = std::env::var("CUBE_FUZZ_RUNTIME") else { return RUNTIMES[0] };
    let found = RUNTIMES.iter().find(|(runtime, _)| *runtime == name);
    *found.unwrap_or_else(|| panic!("CUBE_FUZZ_RUNTIME is {name}, and not one of {RUNTIMES:?}"))
}

/// A function with u32 instead of u64, which WGSL does not have, and without the bits of floats. WGSL permits compilers to
/// reorder sums and to drop the sign of zero. It also permits them to assume that no float is infinite or NaN: if an expression
/// would produce such a number, its value is undefined ("Differences from IEEE-754" in the specification). lavapipe computes
/// `x - x` as 0 for an infinite `x`. The program therefore does not compare the results of arguments for which the plain
/// function evaluates an expression that is infinite or NaN.
fn for_wgsl(text: String) -> String {
    let replaced = [
        ("18446744073709551615u64", "4294967295u32"),
        ("8589934592u64", "65536u32"),
        ("63u32", "31u32"),
        ("bits(", "no_bits("),
    ];
    replaced.iter().fold(text, |text, (wide, narrow)| text.replace(wide, narrow)).replace("u64", "u32")
}

/// The text of a program with one function per seed.
fn program((name, runtime): (&str, &str), seeds: std::ops::Range<u64>) -> String {
    let is_wgsl = name == "wgsl";
    let narrow = |text: String| if is_wgsl { for_wgsl(text) } else { text };
    let texts: Vec<(u64, String)> = seeds.map(|seed| (seed, narrow(function(&mut Random(seed), seed)))).collect();
    let unseen = |text: &str| text.replace("seen(", "(");
    let mut text =
        String::from("#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]\n");
    let cubes = |text: &str| text.replace("pub fn ", "#[cube]\npub fn ");
    write!(text, "mod plain {{{PLAIN}{SHARED}{GENERIC}").unwrap();
    texts.iter().for_each(|(_, function)| text.push_str(&if is_wgsl { function.clone() } else { unseen(function) }));
    write!(text, "}}\nmod kernel {{{KERNEL}{SHARED}{}", cubes(GENERIC)).unwrap();
    texts.iter().for_each(|(_, function)| text.push_str(&cubes(&unseen(function))));
    for kernel in texts.chunks(OF_A_KERNEL) {
        let (first, count) = (kernel[0].0, kernel.len());
        writeln!(
            text,
            "#[cube(launch)]\npub fn k{first}(a: &Array<u32>, b: &Array<i32>, c: &Array<f32>, out: &mut Array<u32>) {{
                 let i = ABSOLUTE_POS;"
        )
        .unwrap();
        for (at, (seed, _)) in kernel.iter().enumerate() {
            writeln!(text, "    out[i * {count} + {at}] = f{seed}(a[i], b[i], c[i]);").unwrap();
        }
        text.push_str("}\n");
    }
    write!(
        text,
        "}}
use cubecl::prelude::*;
type R = cubecl::{runtime};
fn main() {{
    let client = R::client(&Default::default());
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; (state >> 32) as u32 }};
    let edges = [0u32, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let a: Vec<u32> = (0..{UNITS}).map(|i| if i < 8 {{ edges[i] }} else {{ next() >> (i % 32) }}).collect();
    let b: Vec<i32> = (0..{UNITS}).map(|i| if i < 16 {{ edges[i % 8] as i32 }} else {{ next() as i32 >> (i % 32) }}).collect();
    let floats = [0.0f32, -0.0, 1.0, -1.5, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE / 4.0, f32::MAX];
    let c: Vec<f32> = (0..{UNITS}).map(|i| if i % 8 == 0 {{ floats[i / 8] }} else {{ next() as i32 as f32 / 65536.0 }}).collect();
    let (da, db, dc) = (client.create(u32::as_bytes(&a)), client.create(i32::as_bytes(&b)), client.create(f32::as_bytes(&c)));
    let (mut failed, mut compared) = (false, 0);
"
    )
    .unwrap();
    for kernel in texts.chunks(OF_A_KERNEL) {
        let (first, count) = (kernel[0].0, kernel.len());
        let plain: Vec<String> = kernel.iter().map(|(seed, _)| format!("({seed}, plain::f{seed})")).collect();
        write!(
            text,
            "    {{
        let plain: [(u64, fn(u32, i32, f32) -> u32); {count}] = [{}];
        let out = client.empty(4 * {UNITS} * {count});
        // SAFETY: the buffers have that many elements.
        let launched = unsafe {{
            kernel::k{first}::try_launch::<R>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d({UNITS}),
                ArrayArg::from_raw_parts::<u32>(&da, {UNITS}, 1), ArrayArg::from_raw_parts::<i32>(&db, {UNITS}, 1),
                ArrayArg::from_raw_parts::<f32>(&dc, {UNITS}, 1),
                ArrayArg::from_raw_parts::<u32>(&out, {UNITS} * {count}, 1))
        }};
        if let Err(error) = launched {{ println!(\"seeds {first} to {}: {{error}}\"); failed = true; }} else {{
            let got = u32::from_bytes(&client.read_one(out)).to_vec();
            for (at, (seed, plain)) in plain.iter().enumerate() {{
                for i in 0..{UNITS} {{
                    plain::IS_FINITE.set(true);
                    let (expected, got) = (plain(a[i], b[i], c[i]), got[i * {count} + at]);
                    if !plain::IS_FINITE.get() {{ continue; }}
                    compared += 1;
                    if got != expected {{
                        println!(\"seed {{seed}}: f{{seed}}({{}}, {{}}, {{:?}}) is {{expected:#x}}, and {{got:#x}} as a kernel\", a[i], b[i], c[i]);
                        failed = true;
                        break;
                    }}
                }}
            }}
        }}
    }}\n",
            plain.join(", "),
            first + count as u64 - 1
        )
        .unwrap();
    }
    // Without this condition, the test could not fail if each number were infinite.
    let least = UNITS * texts.len() / 2;
    writeln!(
        text,
        "    if !failed && compared < {least} {{ println!(\"only {{compared}} results are compared\"); failed = true; }}
    println!(\"compared {{compared}} of {} results\");
    std::process::exit(i32::from(failed));\n}}",
        UNITS * texts.len()
    )
    .unwrap();
    text
}

/// Compiles and runs a program, and reports differences between its results.
fn run((name, ty): (&str, &str), seeds: std::ops::Range<u64>) -> Result<(), String> {
    let (folder, library) = cube_frontend_tests::library();
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_kernels").join(name);
    std::fs::create_dir_all(&work).unwrap();
    if ["wgsl", "spirv"].contains(&name) {
        std::fs::write(work.join("cube.toml"), format!("[wgpu]\ncode = \"{name}\"\n")).unwrap();
    }
    // Several processes can run this test at once, for example one for each GPU.
    let file = work.join(format!("random_{}_{}.rs", seeds.start, std::process::id()));
    std::fs::write(&file, program((name, ty), seeds)).unwrap();
    let out = file.with_extension("bin");
    let mut rustc = Command::new(option_env!("RUSTC").unwrap_or("rustc"));
    // Numbers wrap, as in kernels.
    rustc.args(["--edition=2024", "--crate-type=bin", "-Coverflow-checks=off", "-Cdebuginfo=0", "-Cpanic=abort"]);
    rustc.arg("-L").arg(format!("dependency={}", folder.display()));
    rustc.arg("--extern").arg(format!("cubecl={}", library.display())).arg("-o").arg(&out).arg(&file);
    rustc.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")).env("CARGO_CRATE_NAME", "random");
    let compiled = rustc.output().unwrap();
    if !compiled.status.success() {
        return Err(format!("{}: {}", file.display(), String::from_utf8_lossy(&compiled.stderr)));
    }
    let compiler = folder.parent().unwrap().join("cube");
    let mut program = Command::new(&out);
    if std::env::var_os("CUBE_COMPILER").is_none() {
        program.env("CUBE_COMPILER", compiler);
    }
    // A program reads `cube.toml` in its working directory.
    let result = program.current_dir(&work).output().unwrap();
    std::fs::remove_file(&out).unwrap();
    match result.status.success() {
        true => {
            print!("{}", String::from_utf8_lossy(&result.stdout));
            std::fs::remove_file(&file).unwrap();
            Ok(())
        }
        false => {
            let stderr = [result.stdout, result.stderr].concat();
            Err(format!("{}: {}", file.display(), String::from_utf8_lossy(&stderr)))
        }
    }
}

/// Runs the functions of `CUBE_FUZZ_SEED` and `CUBE_FUZZ_COUNT`.
fn run_all(runtime: (&str, &str)) {
    let of = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (count, first) = (of("CUBE_FUZZ_COUNT").unwrap_or(12), of("CUBE_FUZZ_SEED").unwrap_or(1));
    let mut failures = Vec::new();
    for start in (first..first + count).step_by(OF_A_PROGRAM as usize) {
        failures.extend(run(runtime, start..(start + OF_A_PROGRAM).min(first + count)).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn random_functions_are_the_same_as_kernels() {
    run_all(runtime());
}

/// WGSL has no integers of 64 bits, so this test finds passes and parts of the front end that add them to a kernel.
#[cfg(not(feature = "on-hip"))]
#[test]
fn random_functions_are_the_same_as_kernels_in_wgsl() {
    match std::env::var_os("CUBE_FUZZ_RUNTIME") {
        None => run_all(RUNTIMES[2]),
        Some(_) => eprintln!("skipped: the variable CUBE_FUZZ_RUNTIME selects the runtime"),
    }
}
