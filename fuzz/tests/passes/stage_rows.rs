//! Compares kernels in which each unit reads one row, before and after the pass `stage-rows`, in the interpreter.
//! The kernels differ in element type and line size, sum one or two rows, and can store before the loop. The
//! launches have aligned and unaligned row starts, rows that end outside of the buffer, and lanes without a row. The
//! tests also insert bugs in the output of the pass, which the launches must detect.
use cube_backend_interp::{Arg, Find};
use cube_fuzz::device::{Case, Launch, RunResults, check_pass, check_pipeline};
use cube_fuzz::mutate::Bug;
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;

/// Element types, each with its size in bytes, the elements of a line, and operations that compute a sum.
const TYPES: &[(&str, u64, u64, &str, &str)] = &[
    ("f32", 4, 1, "arith.addf", "arith.mulf"),
    ("f32", 4, 1, "arith.subf", "arith.addf"),
    ("f16", 2, 1, "arith.addf", "arith.mulf"),
    ("f64", 8, 1, "arith.addf", "arith.mulf"),
    ("i32", 4, 1, "arith.subi", "arith.xori"),
    ("i16", 2, 1, "arith.addi", "arith.muli"),
    ("i64", 8, 1, "arith.xori", "arith.muli"),
    ("f32", 4, 4, "arith.addf", "arith.mulf"),
    ("i32", 4, 2, "arith.muli", "arith.addi"),
];

/// A kernel, the bytes of a line, and the number of buffer lines beyond `rows * columns`.
struct Kernel {
    text: String,
    bytes: u64,
    units: u64,
}

fn kernel(seed: u64) -> Kernel {
    let mut state = seed ^ 0x5709;
    let mut draw = |n: u64| random(&mut state) % n;
    let (element, bytes, line, add, mix) = TYPES[draw(TYPES.len() as u64) as usize];
    let units = [32, 64][draw(2) as usize];
    let ty = if line == 1 { element.to_string() } else { format!("vector<{line}x{element}>") };
    let array = if line == 1 { format!("!cube.array<{element}>") } else { format!("!cube.array<{element}, {line}>") };
    let (guard, start, twice, store, lower, signed) = (draw(5), draw(5), draw(3), draw(4), draw(3), draw(3));
    // With `far`, a unit reads elements of other rows, so the kernel must not write to the rows.
    let far = draw(6) == 0 && store != 1;
    let mut text = format!(
        "cube.kernel @k(%x: {array}, %y: {array}, %out: {array}, %rows: i32, %cols: i32, %from: i32) cube_dim({units}) {{\n\
         %zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%row = cube.topology absolute_pos\n"
    );
    text += match guard {
        0 => "",
        1 | 2 => "%inside = arith.cmpi ult, %row, %rows : i32\nscf.if %inside {\n",
        3 => "%beyond = arith.cmpi uge, %row, %rows : i32\nscf.if %beyond {\n} else {\n",
        // The condition depends on the lane, so only some lanes of a plane execute the loop.
        _ => "%odd = arith.andi %row, %from : i32\n%inside = arith.cmpi eq, %odd, %zero : i32\nscf.if %inside {\n",
    };
    text += match start {
        0 | 1 => "%start = arith.muli %row, %cols : i32\n",
        2 => "%r = arith.muli %row, %cols : i32\n%start = arith.addi %r, %from : i32\n",
        // The first unit has the last row. For units without a row, the start index wraps around.
        3 => {
            "%r = arith.subi %rows, %row : i32\n%r1 = arith.subi %r, %one : i32\n%start = arith.muli %r1, %cols : i32\n"
        }
        _ => "%q = cube.remui %row, %rows : i32\n%start = arith.muli %q, %cols : i32\n",
    };
    text += &format!("%init = cube.load %y[%row] checked : {array} -> {ty}\n");
    if store == 1 && (start <= 2 || (1..=3).contains(&guard)) {
        // The unit writes the first line of its row before the loop.
        text += "%some = arith.cmpi ult, %zero, %cols : i32\nscf.if %some {\n";
        text += &format!("cube.store %init, %x[%start] checked : {ty}, {array}\n}}\n");
    }
    let from = if lower == 0 { "%from" } else { "%zero" };
    let word = if signed == 0 { "" } else { "unsigned " };
    text += &format!("%sum = scf.for {word}%i = {from} to %cols step %one iter_args(%s = %init) -> ({ty}) : i32 {{\n");
    // With `far`, the distance between accessed elements is not constant, so the pass does not recognise a row.
    text += if far {
        "%two = arith.constant 2 : i32\n%half = cube.divui %i, %two : i32\n%apart = arith.addi %i, %half : i32\n\
         %at = arith.addi %start, %apart : i32\n"
    } else {
        "%at = arith.addi %start, %i : i32\n"
    };
    text += &format!("%v = cube.load %x[%at] checked : {array} -> {ty}\n%n = {add} %s, %v : {ty}\n");
    let mut next = "%n";
    if twice > 0 {
        // A row of the second buffer: each unit's own row, or one row that all units read.
        let at = if twice == 1 { "%at" } else { "%i" };
        text += &format!("%w = cube.load %y[{at}] checked : {array} -> {ty}\n%m = {mix} %n, %w : {ty}\n");
        next = "%m";
    }
    text += &format!("scf.yield {next} : {ty}\n}}\ncube.store %sum, %out[%row] checked : {ty}, {array}\n");
    text += if guard == 0 { "" } else { "}\n" };
    Kernel { text: text + "cube.return\n}\n", bytes: bytes * line, units }
}

fn launches(seed: u64, kernel: &Kernel) -> Vec<Launch> {
    let mut state = seed ^ 0x1a7;
    let mut draw = |n: u64| random(&mut state) % n;
    // Rows of several tiles, rows whose last tile is partial, rows with unaligned starts, and empty rows.
    let columns = [16, 32, 64, 64, 68, 72, 33, 128, 132, 5, 0];
    let mut all = vec![];
    for n in 0..6u64 {
        let rows = [kernel.units, kernel.units + 3, 7, 2 * kernel.units - 1][draw(4) as usize];
        let cols = columns[draw(columns.len() as u64) as usize];
        let from = [0, 0, 4, 8, 16, 3][draw(6) as usize];
        // In one of six launches, the buffer can end before the last row ends.
        let lines = (rows * cols + from).saturating_sub(if n == 3 { draw(40) } else { 0 });
        let mut fill = |lines: u64| Arg::Buffer {
            // Numbers whose bytes are below 0x40 are finite.
            bytes: (0..lines * kernel.bytes).map(|_| (draw(0x40)) as u8).collect(),
            initialised: true,
        };
        let args = vec![fill(lines), fill(lines), fill(rows)];
        let args = args.into_iter().chain([rows, cols, from].map(Arg::Scalar)).collect();
        let cubes = [rows.div_ceil(kernel.units) as u32, 1, 1];
        all.push(Launch { args, cubes, name: format!("{rows} rows of {cols} from {from}, {lines} lines") });
    }
    all
}

fn seen(seed: u64, broken: Option<(Bug, usize)>) -> RunResults {
    let kernel = kernel(seed);
    let launches = launches(seed, &kernel);
    let case = Case { pass: "stage-rows", text: &kernel.text, launches: &launches, find: Find::FAULTS, seed };
    // One third of the seeds run only the pass, with narrow tiles that are not loaded ahead. The other seeds run the pipeline.
    match seed % 3 {
        0 => check_pass(&case, "lanes=32 bytes=64 ahead=false", broken),
        _ => check_pipeline(&case, broken),
    }
}

#[test]
fn staged_rows_have_the_same_sums() {
    let (first, count) = seeds(16);
    let mut changed = 0;
    for seed in first..first + count {
        let seen = seen(seed, None);
        changed += u64::from(seen.changed);
        assert!(seen.wrong.is_none(), "seed {seed}: {}", seen.wrong.unwrap_or_default());
    }
    eprintln!("rows of {changed} of {count} kernels from seed {first} were staged");
    assert!(changed * 10 >= count * 5, "rows of only {changed} of {count} kernels were staged");
}

/// Bugs that the test inserts, each with its kind, its position in the module after the pass, and a seed
/// whose launches detect the bug.
const PLANTED: &[(Bug, usize, u64)] = &[
    (Bug::Constant, 9, 2),
    (Bug::Lower, 5, 3),
    (Bug::FirstOperand, 3, 4),
    (Bug::FirstOperand, 14, 4),
    (Bug::Neighbour, 0, 1),
    (Bug::Neighbour, 6, 1),
    (Bug::Predicate, 5, 2),
    (Bug::Predicate, 7, 1),
    (Bug::Select, 0, 4),
    (Bug::Select, 4, 3),
    (Bug::Stale, 3, 4),
    (Bug::Stale, 13, 2),
    (Bug::Iterations, 0, 3),
    (Bug::Iterations, 4, 3),
    (Bug::Iterations, 6, 1),
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
    use Bug::{Constant, Elsewhere, FirstOperand, Iterations, Lower, Neighbour, Predicate, Select, Stale};
    for how in [Constant, Elsewhere, FirstOperand, Lower, Neighbour, Predicate, Select, Stale, Iterations] {
        for site in 0..24 {
            if let Some(seed) = (1..=6).find(|seed| shows(how, site, *seed)) {
                println!("    (Bug::{how:?}, {site}, {seed}),");
            }
        }
    }
}
