//! Compares kernels with loops and one element per unit before and after the pass `coarsen`, in the interpreter. The
//! kernels contain matrix products, sums of columns, nested loops and stores in loops. The launches have cubes of one
//! and two dimensions, aligned and unaligned indices, and buffers that end early. The tests also insert bugs in
//! the output of the pass, which the launches must detect.
use cube_backend_interp::{Arg, Find};
use cube_fuzz::device::{Case, Launch, RunResults, check_pass};
use cube_fuzz::mutate::Bug;
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;

/// Options of the pass: accesses of 16 bytes, including launches with few units.
const OPTIONS: &str = "bits=128 units=1";

/// Element types, each with its size in bytes and two operations.
const TYPES: &[(&str, u64, &str, &str)] = &[
    ("f32", 4, "arith.addf", "arith.mulf"),
    ("f32", 4, "arith.subf", "arith.mulf"),
    ("f16", 2, "arith.addf", "arith.mulf"),
    ("f64", 8, "arith.addf", "arith.mulf"),
    ("i32", 4, "arith.subi", "arith.muli"),
    ("i64", 8, "arith.addi", "arith.xori"),
    ("i16", 2, "arith.addi", "arith.muli"),
];

struct Kernel {
    text: String,
    bytes: u64,
    dim: [u64; 2],
}

fn kernel(seed: u64) -> Kernel {
    let mut state = seed ^ 0x100b5;
    let mut draw = |n: u64| random(&mut state) % n;
    let (ty, bytes, add, mul) = TYPES[draw(TYPES.len() as u64) as usize];
    let dim = [[8, 1], [8, 2], [4, 4]][draw(3) as usize];
    let linear = dim[1] == 1 && draw(2) == 0;
    let (guard, left, right, bounds, inner, store, end) =
        (draw(4), draw(4), draw(6), draw(4), draw(4), draw(4), draw(3));
    let array = format!("!cube.array<{ty}>");
    let (pos, row) = match linear {
        true => ("absolute_pos", "%row = arith.constant 0 : i32"),
        false => ("absolute_pos_x", "%row = cube.topology absolute_pos_y"),
    };
    let mut text = format!(
        "cube.kernel @k(%a: {array}, %b: {array}, %out: {array}, %n: i32, %m: i32, %off: i32) cube_dim({}, {}) {{\n\
         %zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%two = arith.constant 2 : i32\n\
         %eight = arith.constant 8 : i32\n%p = cube.topology {pos}\n{row}\n%none = arith.constant {} : {ty}\n",
        dim[0],
        dim[1],
        if ty.starts_with('f') { "1.0" } else { "3" },
    );
    // Without a guard, an access past the end of a row would be in the next row, which another unit writes.
    text += match guard {
        0 | 1 => "%inside = arith.cmpi ult, %p, %n : i32\nscf.if %inside {\n",
        2 => "%beyond = arith.cmpi uge, %p, %n : i32\nscf.if %beyond {\n} else {\n",
        _ => {
            "%x1 = arith.cmpi ult, %p, %n : i32\n%x2 = arith.cmpi ult, %row, %m : i32\n\
             %inside = arith.andi %x1, %x2 : i1\nscf.if %inside {\n"
        }
    };
    text += "%start = arith.muli %row, %n : i32\n";
    let (word, from, step) = match bounds {
        0 => ("", "%zero", "%one"),
        1 => ("unsigned ", "%off", "%one"),
        2 => ("unsigned ", "%zero", "%two"),
        _ => ("unsigned ", "%zero", "%one"),
    };
    text += &format!("%sum = scf.for {word}%i = {from} to %m step {step} iter_args(%s = %none) -> ({ty}) : i32 {{\n");
    if inner == 0 {
        text += &format!("%q = scf.for unsigned %j = %zero to %two step %one iter_args(%t = %s) -> ({ty}) : i32 {{\n");
    }
    let counter = if inner == 0 { "%j" } else { "%i" };
    text += &match left {
        0 => "%ai = arith.addi %start, %i : i32\n".to_string(),
        1 => format!("%ai = arith.addi %start, {counter} : i32\n"),
        2 => "%ai = arith.addi %i, %off : i32\n".to_string(),
        _ => "%r = arith.muli %i, %two : i32\n%ai = arith.addi %r, %zero : i32\n".to_string(),
    };
    text += &match right {
        0 | 1 => "%r1 = arith.muli %i, %n : i32\n%bi = arith.addi %r1, %p : i32\n".to_string(),
        2 => "%bi = arith.addi %p, %zero : i32\n".to_string(),
        3 => format!("%r1 = arith.muli {counter}, %eight : i32\n%bi = arith.addi %r1, %p : i32\n"),
        4 => "%r1 = arith.muli %i, %n : i32\n%r2 = arith.addi %r1, %off : i32\n%bi = arith.addi %r2, %p : i32\n"
            .to_string(),
        // In every second iteration, adjacent elements from this index are not aligned.
        _ => "%bi = arith.addi %p, %i : i32\n".to_string(),
    };
    text += &format!(
        "%x = cube.load %a[%ai] checked : {array} -> {ty}\n%y = cube.load %b[%bi] checked : {array} -> {ty}\n"
    );
    text += &format!("%xy = {mul} %x, %y : {ty}\n");
    let carried = if inner == 0 { "%t" } else { "%s" };
    text += &format!("%next = {add} {carried}, %xy : {ty}\n");
    if store == 0 && end > 0 {
        // Each iteration stores to the unit's own element, so the value of the last iteration remains.
        text += &format!("%oi = arith.addi %start, %p : i32\ncube.store %next, %out[%oi] checked : {ty}, {array}\n");
    }
    text += &format!("scf.yield %next : {ty}\n}}\n");
    if inner == 0 {
        text += &format!("scf.yield %q : {ty}\n}}\n");
    }
    text += &format!("%ci = arith.addi %start, %p : i32\ncube.store %sum, %out[%ci] checked : {ty}, {array}\n}}\n");
    Kernel { text: text + "cube.return\n}\n", bytes, dim }
}

fn launches(seed: u64, kernel: &Kernel) -> Vec<Launch> {
    let mut state = seed ^ 0x1a9;
    let mut draw = |n: u64| random(&mut state) % n;
    let mut all = vec![];
    for number in 0..10u64 {
        let (n, m): (u64, u64) = ([8, 16, 12, 4, 24, 7, 9][draw(7) as usize], [1, 2, 3, 5, 0][draw(5) as usize]);
        let off: u64 = [0, 8, 16, 1][draw(4) as usize];
        let rows = m.div_ceil(kernel.dim[1]).max(1) * kernel.dim[1];
        let full = (rows.max(8) + 1) * n + off + 2 * m;
        // In one of three launches, the buffers end early.
        let mut near = || if number % 3 == 2 { full.saturating_sub(draw(full)) } else { full };
        let lengths = [near(), near(), near()];
        let mut fill = |lines: u64| Arg::Buffer {
            bytes: (0..lines * kernel.bytes).map(|_| draw(0x40) as u8).collect(),
            initialised: true,
        };
        let args = lengths.map(&mut fill).into_iter().chain([n, m, off].map(Arg::Scalar)).collect();
        let cubes = [(n.div_ceil(kernel.dim[0]) + number % 2) as u32, (rows / kernel.dim[1]) as u32, 1];
        let name = format!("n {n}, m {m}, off {off}, lengths {lengths:?}, {cubes:?} cubes");
        all.push(Launch { args, cubes, name });
    }
    all
}

fn seen(seed: u64, broken: Option<(Bug, usize)>) -> RunResults {
    let kernel = kernel(seed);
    let launches = launches(seed, &kernel);
    let case = Case { pass: "coarsen", text: &kernel.text, launches: &launches, find: Find::FAULTS, seed };
    check_pass(&case, OPTIONS, broken)
}

#[test]
fn coarsened_loop_has_the_same_results() {
    let (first, count) = seeds(60);
    let mut changed = 0;
    for seed in first..first + count {
        let seen = seen(seed, None);
        changed += u64::from(seen.changed);
        assert!(seen.wrong.is_none(), "seed {seed}: {}", seen.wrong.unwrap_or_default());
    }
    eprintln!("{changed} of {count} kernels from seed {first} were coarsened");
    assert!(changed * 10 >= count * 6, "only {changed} of {count} kernels were coarsened");
}

/// Bugs that the test inserts, each with its kind, its position in the module after the pass, and a seed
/// whose launches detect the bug.
const PLANTED: &[(Bug, usize, u64)] = &[
    (Bug::Constant, 16, 1),
    (Bug::FirstOperand, 5, 6),
    (Bug::FirstOperand, 9, 1),
    (Bug::Lower, 4, 6),
    (Bug::Lower, 6, 1),
    (Bug::Lower, 8, 5),
    (Bug::Neighbour, 0, 1),
    (Bug::Predicate, 0, 16),
    (Bug::Predicate, 7, 1),
    (Bug::Predicate, 9, 2),
    (Bug::Stale, 4, 6),
    (Bug::Stale, 6, 6),
    (Bug::Stale, 10, 4),
    (Bug::Iterations, 0, 1),
    (Bug::Iterations, 2, 1),
];

fn shows(how: Bug, site: usize, seed: u64) -> bool {
    let seen = seen(seed, Some((how, site)));
    seen.bug_inserted && seen.wrong.is_some()
}

#[test]
fn a_break_of_the_pass_shows() {
    let missed: Vec<_> = PLANTED.iter().filter(|(how, site, seed)| !shows(*how, *site, *seed)).collect();
    assert!(missed.is_empty(), "no launch shows {missed:?}");
}

/// Prints the inserted bugs that launches detect, as candidates for [`PLANTED`]. Run this test with
/// `--ignored --nocapture`.
// This function is ignored because it checks nothing. The test `a_break_of_the_pass_shows` checks the chosen bugs.
#[test]
#[ignore = "a tool without checks: prints the inserted bugs that launches detect"]
fn which_breaks_show() {
    use Bug::{Constant, FirstOperand, Iterations, Lower, Neighbour, Predicate, Stale};
    for how in [Constant, FirstOperand, Lower, Neighbour, Predicate, Stale, Iterations] {
        for site in 0..24 {
            if let Some(seed) = (1..=16).find(|seed| shows(how, site, *seed)) {
                println!("    (Bug::{how:?}, {site}, {seed}),");
            }
        }
    }
}
