//! Tests the example kernels after random truncations and modifications.
use crate::{Bench, Random, examples, rounds};

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "%",
    "@",
    "#",
    "!",
    "\"",
    ":",
    ",",
    "=",
    "->",
    "-",
    "^bb0",
    "//",
    "\\",
    "\r",
    "0",
    "-1",
    "4294967296",
    "99999999999999999999",
    "1.0e400",
    "0x7F",
    "i1",
    "i32",
    "i64",
    "index",
    "f32",
    "none",
    "vector<4xf32>",
    "vector<0xf32>",
    "memref<?xf32>",
    "!cube.array<f32>",
    "!cube.array<f32, 4>",
    "!cube.param<@N>",
    "cube.return",
    "cube.load",
    "cube.store",
    "cube.len",
    "scf.if",
    "scf.for",
    "arith.constant",
    "arith.addi",
    "checked",
    "inbounds",
    "unchecked",
    "comptime(@N : i32 = 4)",
    "cube_dim(0)",
    "attributes {a = 1}",
    "loc(\"a\":1:2)",
    "dense<",
    "cube.topology unit_pos",
    "affine_map<(d0) -> (d0)>",
    "é",
    "\u{feff}",
];

fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(4) {
        let (at, length) = (random.below(text.len()), 1 + random.below(12));
        let end = (at + length).min(text.len());
        match random.below(5) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.bytes());
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..end, piece.bytes());
            }
            3 => {
                let copy = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, copy);
            }
            _ => text[at] = b" \n(){}<>[]%@#!:,=-\"0azAZ"[random.below(24)],
        }
        if text.is_empty() {
            text.push(b'x');
        }
    }
    text
}

/// Runs all texts in one process of the tool, as separate parts of one input. If this process fails, the function runs
/// each text alone, so that the error names the failing text.
fn all_parts(bench: &Bench, texts: &[Vec<u8>], passes: &str) {
    let whole = texts.join(b"\n// -----\n".as_slice());
    bench.write("all.mlir", &whole);
    let words = |name: &'static str| ["opt", name, passes, "--split-input-file", "-o", "out"];
    let together =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bench.accepted_or_refused(&words("all.mlir"))));
    let Err(panic) = together else { return };
    for text in texts {
        bench.write("one.mlir", text);
        println!("--- culprit, if this is the last:\n{}", String::from_utf8_lossy(text));
        bench.accepted_or_refused(&words("one.mlir"));
    }
    std::panic::resume_unwind(panic);
}

#[test]
fn kernels_cut_off_anywhere() {
    let bench = Bench::new();
    for (_, text) in examples() {
        let cuts: Vec<Vec<u8>> = (1..text.len()).step_by(64).map(|n| text[..n].to_vec()).collect();
        all_parts(&bench, &cuts, "--canonicalize");
        for cut in cuts.iter().step_by(5) {
            bench.write("in.mlir", cut);
            bench.accepted_or_refused(&["c", "in.mlir", "--target", "nvptx", "-o", "out"]);
        }
    }
}

#[test]
fn kernels_changed_at_random() {
    let (bench, examples) = (Bench::new(), examples());
    let seed = 0x5eed_cafe_f00d_0001;
    println!("seed {seed:#x}");
    let mut random = Random(seed);
    let mut texts: Vec<Vec<u8>> =
        (0..rounds(500)).map(|i| mutated(&examples[i % examples.len()].1, &mut random)).collect();
    // Bytes that are not text end the whole file immediately. The tests of files cover them.
    texts.retain(|t| std::str::from_utf8(t).is_ok());
    for part in texts.chunks(100) {
        all_parts(
            &bench,
            part,
            "--pass-pipeline=builtin.module(phase-specialize,phase-optimize,phase-legalize,emit-unit-loops)",
        );
    }
    for text in texts.iter().step_by(8) {
        bench.write("in.mlir", text);
        println!("--- culprit, if this is the last:\n{}", String::from_utf8_lossy(text));
        bench.accepted_or_refused(&["c", "in.mlir", "-o", "out"]);
    }
}
