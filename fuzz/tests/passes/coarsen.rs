//! Compares kernels with one element per unit before and after coarsening, in the interpreter. Cases: lengths near each
//! access width, launches with too many and too few units, rows and columns, `checked` and `inbounds` accesses,
//! branches. The tests also insert bugs in the output of the pass, which the launches must detect.
use cube_artifact::derived::{Arguments, Derived, Property};
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::{Arg, Find, Options, Program, run};
use cube_dialect::attributes::OVERWRITTEN;
use cube_driver::stages;
use cube_fuzz::device::{self, Case, RunResults, check_pass_on, check_pipeline};
use cube_fuzz::mutate::Bug;
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use cube_ir::AttrExt;
use std::ops::ControlFlow;

/// Units of a cube.
const DIM: u64 = 8;

/// Element types, each with its size in bytes and an operation.
const TYPES: &[(&str, u64, &str)] = &[
    ("f32", 4, "arith.addf"),
    ("f32", 4, "arith.mulf"),
    ("f16", 2, "arith.addf"),
    ("f64", 8, "arith.subf"),
    ("i32", 4, "arith.muli"),
    ("i8", 1, "arith.xori"),
    ("i16", 2, "arith.subi"),
    ("i64", 8, "arith.addi"),
];

/// Whether the kernel that a seed generates uses `absolute_pos`, the position over all axes.
fn is_linear(seed: u64) -> bool {
    !seed.is_multiple_of(3)
}

/// A kernel `out[i] = x[i] op y[i]`, with variations that the seed selects. `lanes` is the number of lanes of a line. The second
/// result is the number of bytes of a line.
fn kernel(seed: u64, lanes: u64) -> (String, u64) {
    let mut state = seed ^ 0xc0a5;
    let mut draw = |n: u64| random(&mut state) % n;
    let (ty, bytes, op) = TYPES[draw(TYPES.len() as u64) as usize];
    let position = if is_linear(seed) { "absolute_pos" } else { "absolute_pos_x" };
    let (index, guard, gather, branch, row) = (draw(3), draw(5), draw(6), draw(4), draw(2));
    let is_float = ty.starts_with('f');
    let (ty, array) = match lanes {
        1 => (ty.to_string(), format!("!cube.array<{ty}>")),
        _ => (format!("vector<{lanes}x{ty}>"), format!("!cube.array<{ty}, {lanes}>")),
    };
    let mut text = format!("cube.kernel @k(%x: {array}, %y: {array}, %out: {array}, %w: i32) cube_dim({DIM}) {{\n");
    text +=
        &format!("%p = cube.topology {position}\n%zero = arith.constant 0 : i32\n%three = arith.constant 3 : i32\n");
    text += match index {
        0 => "%i = arith.addi %p, %zero : i32\n",
        // Row and column. For a width of 0, all units read one element.
        1 => {
            "%q = cube.divui %p, %w : i32\n%c = cube.remui %p, %w : i32\n%m = arith.muli %q, %w : i32\n%i = arith.addi %m, %c : i32\n"
        }
        _ => "%a = arith.addi %p, %w : i32\n%i = arith.subi %a, %w : i32\n",
    };
    let mut ends = "";
    let (less, bounds) = match guard {
        0 => ("", "checked"),
        1 => ("%n = cube.len %out : ARRAY\n%inside = arith.cmpi ult, %p, %n : i32\nscf.if %inside {\n", "checked"),
        2 => ("%n = cube.len %out : ARRAY\n%inside = arith.cmpi ugt, %n, %i : i32\nscf.if %inside {\n", "checked"),
        3 => (
            "%n = cube.len %y : ARRAY\n%beyond = arith.cmpi uge, %p, %n : i32\nscf.if %beyond {\n} else {\n",
            "checked",
        ),
        _ => (
            "%n = cube.len %out : ARRAY\n%a1 = arith.cmpi ult, %p, %n : i32\n%a2 = arith.cmpi ult, %w, %n : i32\n\
             %inside = arith.andi %a1, %a2 : i1\nscf.if %inside {\n",
            "checked",
        ),
    };
    if guard != 0 {
        ends = "}\n";
    }
    text += &less.replace("ARRAY", &array);
    text += &format!(
        "%u = cube.load %x[%i] {bounds} : {array} -> {ty}\n%v = cube.load %y[%i] {bounds} : {array} -> {ty}\n"
    );
    text += &format!("%s = {op} %u, %v : {ty}\n");
    let mut result = "%s";
    if gather > 0 {
        // The elements at the remainder and at the quotient of the position, and one element that all units read.
        let at = match gather {
            1 => "%j = cube.remui %p, %three : i32\n",
            2 => "%j = arith.addi %w, %zero : i32\n",
            3 => "%j = cube.divui %p, %three : i32\n",
            4 => "%two = arith.constant 2 : i32\n%half = cube.divui %p, %two : i32\n%j = arith.addi %half, %w : i32\n",
            _ => "%two = arith.constant 2 : i32\n%half = cube.divui %p, %two : i32\n%j = arith.addi %p, %half : i32\n",
        };
        text += &format!("{at}%g = cube.load %x[%j] checked : {array} -> {ty}\n%t = {op} %s, %g : {ty}\n");
        result = "%t";
    }
    if row == 0 {
        // One element for each row, and one for each column.
        text += "%qw = cube.divui %p, %w : i32\n%cw = cube.remui %p, %w : i32\n%at = arith.muli %qw, %three : i32\n";
        text += &format!(
            "%fw = cube.load %x[%at] checked : {array} -> {ty}\n%gw = cube.load %y[%cw] checked : {array} -> {ty}\n\
             %ow = {op} %fw, %gw : {ty}\n%rw = {op} {result}, %ow : {ty}\n"
        );
        result = "%rw";
    }
    if branch == 0 && index > 0 {
        // A select and a math function, which have vector forms.
        let compare = if is_float { "arith.cmpf ogt" } else { "arith.cmpi slt" };
        let condition = if lanes == 1 { ty.clone() } else { format!("vector<{lanes}xi1>, {ty}") };
        text +=
            &format!("%least = {compare}, %u, {result} : {ty}\n%e = arith.select %least, %u, {result} : {condition}\n");
        result = "%e";
        if is_float {
            text += &format!("%f = math.absf %e : {ty}\n");
            result = "%f";
        }
    }
    if branch == 1 {
        text += "%odd = cube.remui %p, %three : i32\n%is = arith.cmpi eq, %odd, %zero : i32\n";
        text += &format!(
            "%d = scf.if %is -> ({ty}) {{\n scf.yield %u : {ty}\n}} else {{\n scf.yield {result} : {ty}\n}}\n"
        );
        result = "%d";
    }
    text += &format!("cube.store {result}, %out[%p] checked : {ty}, {array}\n");
    // In place: each unit reads and writes its own element.
    if branch == 3 && gather == 0 && index != 1 && row != 0 {
        text += &format!("cube.store {result}, %x[%i] checked : {ty}, {array}\n");
    }
    if branch == 2 {
        text += "%few = arith.cmpi ult, %p, %three : i32\nscf.if %few {\n";
        text += &format!("cube.store %u, %out[%p] checked : {ty}, {array}\n}}\n");
    }
    (text + ends + "cube.return\n}\n", bytes * lanes)
}

/// A launch: elements of the three buffers, the scalar, cubes along x and y.
type Launch = ([u64; 3], u64, [u32; 2]);

fn launches(seed: u64) -> Vec<Launch> {
    let mut state = seed ^ 0x1a;
    let mut draw = |n: u64| random(&mut state) % n;
    let mut all: Vec<Launch> = (0..=18u64).map(|n| ([n; 3], 5, [n.div_ceil(DIM) as u32, 1])).collect();
    for _ in 0..12 {
        let n = 15 + draw(60);
        let mut near = || n.saturating_sub(draw(2) * draw(20));
        let lengths = [near(), near(), near()];
        all.push((
            lengths,
            draw(5) * 4 + draw(2) * draw(8),
            [(n.div_ceil(DIM) + draw(3)).saturating_sub(draw(2)) as u32, 1],
        ));
    }
    // If the position counts only along x, the units of both rows would write one element.
    if is_linear(seed) {
        all.extend((0..4).map(|n| ([20 + 9 * n; 3], 5, [2, 2 + n as u32 % 2])));
        // The number of cubes of a row need not be a multiple of the elements of a unit.
        all.extend((0..8).map(|n| ([13 * n + draw(7); 3], draw(9), [1 + n as u32 % 5, 1 + n as u32 / 2])));
    }
    all
}

/// The launches of a kernel whose lines have `bytes` bytes.
fn filled(seed: u64, bytes: u64) -> Vec<device::Launch> {
    let launch = |(lengths, scalar, [x, y]): Launch| {
        let mut state = seed;
        // Numbers whose bytes are below 0x40 are finite. Sums of infinities could be NaNs with different payloads.
        let mut fill = |n: u64| (0..n * bytes).map(|_| (random(&mut state) % 0x40) as u8).collect::<Vec<u8>>();
        let buffers = lengths.iter().map(|n| Arg::Buffer { bytes: fill(*n), initialised: true });
        let args = buffers.chain([Arg::Scalar(scalar)]).collect();
        device::Launch { args, cubes: [x, y, 1], name: format!("{lengths:?}, {scalar}, {x} by {y} cubes") }
    };
    launches(seed).into_iter().map(launch).collect()
}

fn seen(seed: u64, broken: Option<(Bug, usize)>) -> RunResults {
    let (text, bytes) = kernel(seed, 1);
    let launches = filled(seed, bytes);
    check_pipeline(&Case { pass: "coarsen", text: &text, launches: &launches, find: Find::FAULTS, seed }, broken)
}

/// The pass for a target whose launcher runs the first cubes of a launch by a second entry point. Lines of several lanes have
/// no wide accesses.
fn seen_by_cubes(seed: u64, broken: Option<(Bug, usize)>) -> RunResults {
    let (text, bytes) = kernel(seed, [1, 1, 2, 4][seed as usize % 4]);
    let launches = filled(seed, bytes);
    let case = Case { pass: "coarsen", text: &text, launches: &launches, find: Find::FAULTS, seed };
    check_pass_on(Some("wgsl:core-f16"), &case, "units=1", broken)
}

#[test]
fn coarsened_kernel_has_the_same_results() {
    let (first, count) = seeds(60);
    let mut coarsened = 0;
    for seed in first..first + count {
        let seen = seen(seed, None);
        coarsened += u64::from(seen.changed);
        assert!(seen.wrong.is_none(), "seed {seed}: {}", seen.wrong.unwrap_or_default());
    }
    eprintln!("{coarsened} of {count} kernels from seed {first} were coarsened");
    assert!(coarsened * 10 >= count * 8, "only {coarsened} of {count} kernels were coarsened");
}

#[test]
fn first_cubes_have_the_same_results() {
    let (first, count) = seeds(60);
    let mut coarsened = 0;
    for seed in first..first + count {
        let seen = seen_by_cubes(seed, None);
        coarsened += u64::from(seen.changed);
        assert!(seen.wrong.is_none(), "seed {seed}: {}", seen.wrong.unwrap_or_default());
    }
    eprintln!("the launcher splits launches of {coarsened} of {count} kernels from seed {first}");
    assert!(coarsened * 10 >= count * 6, "only {coarsened} of {count} kernels have first cubes");
}

/// The properties of a launch that the expression of `cube.overwritten` reads.
struct Overwritten<'a>(&'a Launch);

impl Arguments for Overwritten<'_> {
    fn scalar(&self, _: &str) -> Option<u64> {
        None
    }

    fn of(&self, property: Property, name: &str, _: u32) -> Option<u64> {
        let buffer = ["x", "y", "out"].iter().position(|buffer| *buffer == name)?;
        (property == Property::BufferLen).then(|| self.0.0[buffer])
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        Some(self.0.2.get(axis as usize).map_or(1, |count| u64::from(*count)))
    }
}

/// The results of a kernel's launches for two initial contents of the buffer `out`, and the value of the expression of
/// `cube.overwritten` for each launch. The result is empty if the attribute is missing.
fn overwriting_launches(seed: u64) -> Vec<(u64, bool)> {
    let (text, bytes) = kernel(seed, 1);
    let target = Target { backend: "nvptx".into(), chip: None };
    let mut seen = vec![];
    let visited = stages(text.as_bytes(), &target, &CompileOptions::default(), &mut |stage| {
        if stage.pass != "mark-overwritten" {
            return ControlFlow::Continue(());
        }
        let kernel = stage.kernel().expect("a kernel");
        let expression = kernel.op().attr(OVERWRITTEN).and_then(|all| all.entry("out")?.as_str());
        let Some(expression) = expression.map(|text| Derived::parse(text).unwrap()) else {
            return ControlFlow::Break(());
        };
        let program = Program::decode(kernel, &[]).unwrap_or_else(|error| panic!("seed {seed}: {}", error.message));
        for launch in launches(seed) {
            let (lengths, scalar, [x, y]) = launch;
            let results = [0x11u8, 0x22].map(|content| {
                let buffer = |(at, n): (usize, &u64)| {
                    let byte = if at == 2 { content } else { 0x33 };
                    Arg::Buffer { bytes: vec![byte; (n * bytes) as usize], initialised: true }
                };
                let buffers = lengths.iter().enumerate().map(buffer);
                let mut args: Vec<Arg> = buffers.chain([Arg::Scalar(scalar)]).collect();
                let options = Options { find: Find::FAULTS, max_steps: 1 << 22, ..Options::default() };
                run(&program, &mut args, [x, y, 1], &options).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
                args[2].bytes().map(<[u8]>::to_vec)
            });
            // A launch without cubes runs nothing.
            if x > 0 && y > 0 {
                let value = expression.evaluate(&Overwritten(&launch)).expect("known names");
                seen.push((value, results[0] == results[1]));
            }
        }
        ControlFlow::Break(())
    });
    visited.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    seen
}

#[test]
fn a_launch_that_overwrites_a_buffer_ignores_its_contents() {
    let (first, count) = seeds(60);
    let all: Vec<_> = (first..first + count).map(|seed| (seed, overwriting_launches(seed))).collect();
    let wrong = all.iter().find(|(_, launches)| launches.contains(&(1, false)));
    assert!(wrong.is_none(), "a launch reads the contents of a buffer: {wrong:?}");
    let launches = || all.iter().flat_map(|(_, launches)| launches);
    // The launches of these kernels differ in the contents that remain, and the expression finds most complete launches.
    let complete = launches().filter(|(_, same)| *same).count();
    let found = launches().filter(|(value, _)| *value == 1).count();
    assert!(launches().any(|(_, same)| !same) && found * 10 >= complete * 7, "{found} of {complete} launches");
}

/// Bugs that the test inserts, each with its kind, its position in the module after the pass, and a seed
/// whose launches detect the bug.
const PLANTED: &[(Bug, usize, u64)] = &[
    (Bug::Constant, 2, 1),
    (Bug::Lower, 0, 1),
    // The first comparison is that of the last element with the end of the wide form.
    (Bug::Predicate, 0, 1),
    (Bug::Predicate, 2, 3),
    (Bug::Predicate, 3, 1),
    (Bug::Predicate, 4, 1),
    (Bug::Predicate, 5, 6),
    (Bug::Predicate, 6, 2),
    (Bug::Predicate, 7, 2),
    (Bug::Stale, 0, 1),
    (Bug::Stale, 1, 1),
    (Bug::Neighbour, 0, 1),
    (Bug::Derived, 0, 1),
    (Bug::Iterations, 0, 1),
];

/// As [`PLANTED`], for a target whose launcher splits launches.
const PLANTED_BY_CUBES: &[(Bug, usize, u64)] = &[
    (Bug::Constant, 0, 1),
    (Bug::Constant, 3, 1),
    (Bug::Constant, 6, 2),
    (Bug::Lower, 1, 1),
    (Bug::Predicate, 0, 1),
    (Bug::Predicate, 2, 2),
    (Bug::Stale, 0, 1),
    (Bug::Stale, 4, 1),
    (Bug::Neighbour, 0, 1),
    (Bug::Neighbour, 2, 3),
    (Bug::Derived, 0, 1),
];

fn shows(how: Bug, site: usize, seed: u64) -> bool {
    let seen = seen(seed, Some((how, site)));
    seen.bug_inserted && seen.wrong.is_some_and(|why| why.starts_with("coarsen"))
}

#[test]
fn a_break_of_the_pass_shows() {
    let missed: Vec<_> = PLANTED.iter().filter(|(how, site, seed)| !shows(*how, *site, *seed)).collect();
    assert!(missed.is_empty(), "no launch shows {missed:?}");
}

#[test]
fn a_break_of_the_first_cubes_shows() {
    let shows = |(how, site, seed): &(Bug, usize, u64)| {
        let seen = seen_by_cubes(*seed, Some((*how, *site)));
        seen.bug_inserted && seen.wrong.is_some()
    };
    let missed: Vec<_> = PLANTED_BY_CUBES.iter().filter(|bug| !shows(bug)).collect();
    assert!(missed.is_empty(), "no launch shows {missed:?}");
}

/// Prints the inserted bugs that launches detect, as candidates for [`PLANTED`] and [`PLANTED_BY_CUBES`]. Run this test with
/// `--ignored --nocapture`.
// This function is ignored because it checks nothing. The test `a_break_of_the_pass_shows` checks the chosen bugs.
#[test]
#[ignore = "a tool without checks: prints the inserted bugs that launches detect"]
fn which_breaks_show() {
    use Bug::{Constant, Derived, Elsewhere, Iterations, Lower, Neighbour, Predicate, Stale, Unchecked};
    for how in [Constant, Lower, Predicate, Stale, Neighbour, Elsewhere, Derived, Iterations, Unchecked] {
        for site in 0..8 {
            if let Some(seed) = (1..=12).find(|seed| shows(how, site, *seed)) {
                println!("    (Bug::{how:?}, {site}, {seed}),");
            }
            let by_cubes = |seed: &u64| {
                let seen = seen_by_cubes(*seed, Some((how, site)));
                seen.bug_inserted && seen.wrong.is_some()
            };
            if let Some(seed) = (1..=12).find(by_cubes) {
                println!("by cubes: (Bug::{how:?}, {site}, {seed}),");
            }
        }
    }
}
