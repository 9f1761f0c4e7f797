//! A kernel with more uniform values than scalar registers. LLVM keeps the values in lanes of vector registers, and
//! these vector registers in memory.
use super::{Case, judged};
use cube_amdgpu_test::Emulator;
use cube_artifact::CompileOptions;
use cube_backend_interp::Arg;
use libtest_mimic::Failed;
use std::fmt::Write;

/// Scans of pairs of i64 under a branch.
const SCANS: [&str; 13] = [
    "inclusive maxsi",
    "exclusive muli",
    "inclusive minui",
    "exclusive minsi",
    "exclusive ori",
    "inclusive xori",
    "inclusive muli",
    "inclusive andi",
    "inclusive addi",
    "exclusive addi",
    "exclusive andi",
    "inclusive maxui",
    "exclusive xori",
];

/// Units of a cube, 7 x 11, and cubes.
const LAUNCH: [u64; 2] = [77, 2];

fn text() -> String {
    let (mut body, mut stores) = (String::new(), String::new());
    for (number, scan) in SCANS.iter().enumerate() {
        let _ = writeln!(body, "    %r{number} = cube.plane_scan {scan} %v : vector<2xi64>");
        let _ = writeln!(
            stores,
            "    %n{number} = arith.constant {number} : i32\n    %a{number} = arith.addi %base, %n{number} : i32\n    \
             cube.store %r{number}, %r[%a{number}] : vector<2xi64>, !cube.array<i64, 2>"
        );
    }
    let scans = SCANS.len();
    format!(
        "cube.kernel @k(%x: !cube.array<i64, 2>, %s: !cube.array<i32>, %r: !cube.array<i64, 2>) cube_dim(7, 11) {{\n  \
         %i = cube.topology absolute_pos\n  %zero = arith.constant 0 : i32\n  %three = arith.constant 3 : i32\n  \
         %v = cube.load %x[%i] : !cube.array<i64, 2> -> vector<2xi64>\n  \
         %w = cube.load %s[%i] : !cube.array<i32> -> i32\n  %part = arith.andi %w, %three : i32\n  \
         %some = arith.cmpi ne, %part, %zero : i32\n  %scans = arith.constant {scans} : i32\n  \
         %base = arith.muli %i, %scans : i32\n  cube.if %some {{\n{body}{stores}  }}\n  cube.return\n}}\n"
    )
}

/// Tests that two vector registers with lanes for scalar registers do not share memory while both are alive
/// (`-no-stack-slot-sharing` in `cube-backend-llvm`).
pub fn lanes(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    let units = LAUNCH[0] * LAUNCH[1];
    let words = |count: u64, seed: u64| {
        let word = |n: u64| (n + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..count).flat_map(|n| (word(n) ^ word(n) >> 29).to_le_bytes()).collect::<Vec<u8>>()
    };
    let mut cases = Vec::new();
    for chip in ["gfx1100-wave64", "gfx1200-wave64"] {
        let buffer = |bytes| Arg::Buffer { bytes, initialised: true };
        let results = vec![0; units as usize * SCANS.len() * 16];
        let args = vec![buffer(words(units * 2, 1)), buffer(words(units.div_ceil(2), 7)), buffer(results)];
        let (name, options) = (format!("spilled lanes on {chip}"), CompileOptions::default());
        let case = Case { name, text: text(), options, args, cubes: [LAUNCH[1] as u32, 1, 1] };
        let artifact = case.compile(chip)?;
        cases.push(case.prepare(&artifact, 64)?);
    }
    judged(emulator, "chips with waves of 64 lanes", &cases, vec![], 0).map(drop)
}
