//! Compares the total integer operations with their definition in Rust. The constant folder is tested on every pair of
//! 8-bit numbers. The rules of `expand-integers` are tested on every 8-bit number with edge values of the divisor and
//! the shift amount. With `CUBE_HOSTILE=2`, the rules of `expand-integers` are tested on every pair of 8-bit
//! numbers.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

/// The definition of each operation: `x/0 = x`, `x%0 = 0`, `MIN/-1 = MIN`, `MIN%-1 = 0`, and shift amounts
/// modulo the width.
fn meaning(op: &str, x: i8, y: i8) -> i8 {
    let (ux, uy) = (x as u8, y as u8);
    match op {
        "divui" => ux.checked_div(uy).unwrap_or(ux) as i8,
        "remui" => ux.checked_rem(uy).unwrap_or(0) as i8,
        "divsi" if y == 0 => x,
        "divsi" => x.wrapping_div(y),
        "remsi" if y == 0 => 0,
        "remsi" => x.wrapping_rem(y),
        "shl" => x.wrapping_shl(u32::from(uy)),
        "shrui" => ux.wrapping_shr(u32::from(uy)) as i8,
        "shrsi" => x.wrapping_shr(u32::from(uy)),
        _ => unreachable!(),
    }
}

fn every() -> Vec<i8> {
    (i8::MIN..=i8::MAX).collect()
}

fn edges() -> Vec<i8> {
    if std::env::var_os("CUBE_HOSTILE").is_some() {
        return every();
    }
    vec![-128, -127, -64, -9, -8, -7, -3, -2, -1, 0, 1, 2, 3, 6, 7, 8, 9, 10, 15, 16, 17, 63, 64, 126, 127]
}

/// A kernel that applies `op` to each pair of operands and stores the results in order.
fn kernel(op: &str, lhs: &[i8], rhs: &[i8]) -> String {
    let mut text = String::from("cube.kernel @k(%x: !cube.array<i8>, %i: i32) {\n");
    let name = |n: i8| format!("%n{}", n as u8);
    for n in every() {
        let _ = writeln!(text, "{} = arith.constant {n} : i8", name(n));
    }
    let pairs = lhs.iter().flat_map(|x| rhs.iter().map(move |y| (*x, *y)));
    for (k, (x, y)) in pairs.enumerate() {
        let _ = writeln!(text, "%r{k} = cube.{op} {}, {} : i8", name(x), name(y));
        let _ = writeln!(text, "cube.store %r{k}, %x[%i] : i8, !cube.array<i8>");
    }
    text + "cube.return\n}\n"
}

/// The constants that the kernel stores, in order, after the given passes.
fn folded(text: &str, passes: &[&str]) -> Vec<i8> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.mlir");
    std::fs::write(&input, text).unwrap();
    let output = Command::new(Toolbox::find().start()).arg("opt").arg(&input).args(passes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout).unwrap();
    let mut constants = HashMap::new();
    let mut stored = Vec::new();
    for line in output.lines().map(str::trim) {
        if let Some((name, value)) = line.split_once(" = arith.constant ") {
            let value = value.strip_suffix(" : i8").and_then(|v| v.parse::<i8>().ok());
            constants.insert(name, value.expect("an i8"));
        } else if let Some(store) = line.strip_prefix("cube.store ") {
            let name = store.split(',').next().unwrap();
            stored.push(*constants.get(name).unwrap_or_else(|| panic!("{name} is not a constant: not folded")));
        }
    }
    stored
}

fn judge(op: &str, lhs: &[i8], rhs: &[i8], passes: &[&str]) {
    let stored = folded(&kernel(op, lhs, rhs), passes);
    assert_eq!(stored.len(), lhs.len() * rhs.len());
    let pairs = lhs.iter().flat_map(|x| rhs.iter().map(move |y| (*x, *y)));
    for ((x, y), got) in pairs.zip(stored) {
        assert_eq!(got, meaning(op, x, y), "{op} {x}, {y} after {passes:?}");
    }
}

macro_rules! ops {
    ($($op:ident),*) => {
        $(#[test]
        fn $op() {
            judge(stringify!($op), &every(), &every(), &["--canonicalize"]);
            let passes = ["--pass-pipeline=builtin.module(cube.kernel(expand-integers,canonicalize))"];
            judge(stringify!($op), &every(), &edges(), &passes);
        })*
    };
}

ops!(divui, remui, divsi, remsi, shl, shrui, shrsi);
