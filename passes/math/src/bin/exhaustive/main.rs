//! Measures functions of one operand on all 2^32 inputs and functions of two operands on 10^8 samples, and writes the
//! rows of `docs/math.md`.
//!
//! `cargo run --release -p cube-math --bin exhaustive -- [--threads N] [--stride N] [--near SEED | --coarse SEED] [function...]`. If
//! `--stride` is above 1, the program measures only samples, prints the rows, and writes no file. With `--near`, the
//! program measures the functions of one operand with the arithmetic of [`NearSingle`], and with `--coarse` that of
//! [`CoarseSingle`]; it then writes no file.
//! `RUSTFLAGS="-C target-cpu=native"` makes the program about three times as fast.

#![forbid(unsafe_code)]

mod binary;
mod table;
mod unary;

use std::process::ExitCode;

use cube_math::{CoarseSingle, NativeSingle, NearSingle, Unary};

const SAMPLES: u64 = 100_000_000;

struct Options {
    threads: usize,
    stride: u64,
    near: Option<u64>,
    coarse: Option<u64>,
    names: Vec<String>,
}

fn options() -> Result<Options, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut o = Options { threads, stride: 1, near: None, coarse: None, names: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|v| v.parse().ok()).ok_or(format!("{arg} needs a number"));
        match arg.as_str() {
            "--threads" => o.threads = number()? as usize,
            "--stride" => o.stride = number()?,
            "--near" => o.near = Some(number()?),
            "--coarse" => o.coarse = Some(number()?),
            name if known(name) => o.names.push(arg),
            name => return Err(format!("no function is named `{name}`")),
        }
    }
    Ok(o)
}

fn known(name: &str) -> bool {
    Unary::named(name).is_some() || binary::cases().iter().any(|c| c.name == name)
}

fn main() -> ExitCode {
    let o = match options() {
        Ok(o) => o,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    };
    let is_selected = |name: &str| o.names.is_empty() || o.names.iter().any(|n| n == name);
    let is_exact = o.near.is_none() && o.coarse.is_none();
    let mut held = true;
    for f in Unary::ALL.iter().copied().filter(|f| is_selected(f.name())) {
        let row = match (o.near, o.coarse) {
            (Some(seed), _) => unary::measure(&NearSingle(seed), f, o.threads, o.stride),
            (None, Some(seed)) => unary::measure(&CoarseSingle(seed), f, o.threads, o.stride),
            (None, None) => unary::measure(&NativeSingle, f, o.threads, o.stride),
        };
        println!("{row}");
        held &= row.holds();
        if o.stride == 1 && is_exact {
            table::write(&row);
        }
    }
    for case in binary::cases().iter().filter(|c| is_exact && is_selected(c.name)) {
        let row = binary::measure(case, SAMPLES / o.stride);
        println!("{row}");
        held &= row.holds();
        if o.stride == 1 {
            table::write(&row);
        }
    }
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
