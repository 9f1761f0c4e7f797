//! Loops over inclusive ranges and indices of type usize, on a chip without integers of 64 bits: the passes
//! `narrow-inclusive-loops` and `narrow-integers` keep the results of the interpreter.
use cube_artifact::Target;
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, before_and_after, pass_changes_for, results};
use cube_fuzz::mutate::{Bug, mutate_module};
use cube_ir::Session;

const PIPELINE: &str = "builtin.module(attach-target{target=wgsl},narrow-inclusive-loops)";

/// Numbers at the ends of the signed and of the unsigned range, and some between them.
const EDGES: [u32; 8] = [0, 1, 5, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// A kernel whose loop hashes its counters. The loop ends after 20 iterations, so that long ranges can be tested.
/// `step` is a constant; with `first`, the loop begins at that constant instead of the argument `a`.
fn kernel(unsigned: bool, first: Option<u32>, step: u32) -> String {
    let (sign, word) = if unsigned { ("ui", "unsigned ") } else { ("si", "") };
    let first = match (first, unsigned) {
        (None, _) => format!("arith.ext{sign} %a : i32 to i64"),
        (Some(number), true) => format!("arith.constant {number} : i64"),
        (Some(number), false) => format!("arith.constant {} : i64", number as i32),
    };
    format!(
        "cube.kernel @k(%a: i32, %b: i32, %y: !cube.array<i32>) cube_dim(1) {{
           %zero = arith.constant 0 : i32
           %one = arith.constant 1 : i32
           %most = arith.constant 20 : i32
           %factor = arith.constant 31 : i32
           %wide_one = arith.constant 1 : i64
           %step = arith.constant {step} : i64
           %hash = cube.alloc : !cube.local<1 x i32>
           %count = cube.alloc : !cube.local<1 x i32>
           cube.store %zero, %hash[%zero] : i32, !cube.local<1 x i32>
           cube.store %zero, %count[%zero] : i32, !cube.local<1 x i32>
           %from = {first}
           %last = arith.ext{sign} %b : i32 to i64
           %to = arith.addi %last, %wide_one : i64
           cube.for {word}%i = %from to %to step %step : i64 {{
             %n = cube.load %count[%zero] : !cube.local<1 x i32> -> i32
             %done = arith.cmpi uge, %n, %most : i32
             cube.if %done {{ cube.break }}
             %next = arith.addi %n, %one : i32
             cube.store %next, %count[%zero] : i32, !cube.local<1 x i32>
             %odd = arith.andi %n, %one : i32
             %is_odd = arith.cmpi eq, %odd, %one : i32
             %number = arith.trunci %i : i64 to i32
             %old = cube.load %hash[%zero] : !cube.local<1 x i32> -> i32
             %product = arith.muli %old, %factor : i32
             %new = arith.addi %product, %number : i32
             cube.store %new, %hash[%zero] : i32, !cube.local<1 x i32>
             cube.if %is_odd {{ cube.continue }}
             %more = arith.xori %new, %factor : i32
             cube.store %more, %hash[%zero] : i32, !cube.local<1 x i32>
           }}
           %h = cube.load %hash[%zero] : !cube.local<1 x i32> -> i32
           %c = cube.load %count[%zero] : !cube.local<1 x i32> -> i32
           cube.store %h, %y[%zero] : i32, !cube.array<i32>
           cube.store %c, %y[%one] : i32, !cube.array<i32>
           cube.return
         }}"
    )
}

fn launches() -> Vec<Launch> {
    let pairs = EDGES.iter().flat_map(|a| EDGES.iter().map(move |b| (*a, *b)));
    let out = || Arg::Buffer { bytes: vec![0; 8], initialised: true };
    pairs.map(|(a, b)| (vec![Arg::Scalar(a.into()), Arg::Scalar(b.into()), out()], 1)).collect()
}

/// All kernels of this test: both signs, a first number that is an argument or a constant, and several steps.
fn kernels() -> Vec<String> {
    let mut all = Vec::new();
    for unsigned in [true, false] {
        for first in [None].into_iter().chain(EDGES.map(Some)) {
            let steps = [1, 2, 7, 0x7fff_ffff].into_iter().chain(unsigned.then_some(0xffff_ffff));
            all.extend(steps.map(|step| kernel(unsigned, first, step)));
        }
    }
    all
}

fn session() -> Session {
    cube_passes::register();
    Session::new()
}

#[test]
fn inclusive_ranges_keep_their_numbers() {
    let launches = launches();
    for text in kernels() {
        let session = session();
        let [before, after] = before_and_after(&session, &text, PIPELINE);
        assert!(after.print().contains("cube.loop"), "the loop was not narrowed:\n{text}");
        let (expected, found) = (results(&before, &launches), results(&after, &launches));
        for (launch, (expected, found)) in launches.iter().zip(expected.iter().zip(&found)) {
            assert!(expected.is_ok() && expected == found, "{:?}: {expected:?}, {found:?}\n{text}", launch.0);
        }
    }
}

#[test]
fn a_break_of_the_narrowed_loop_shows() {
    for how in [Bug::FirstOperand, Bug::Select, Bug::Predicate, Bug::Constant] {
        let shows = |text: &String, place: usize| {
            let session = session();
            let [before, after] = before_and_after(&session, text, PIPELINE);
            mutate_module(after.op(), how, place) && results(&before, &launches()) != results(&after, &launches())
        };
        let all = kernels();
        let found = all.iter().step_by(13).flat_map(|text| (0..4).map(move |place| (text, place)));
        let found = found.filter(|(text, place)| shows(text, *place)).count();
        assert!(found >= 2, "{how:?} shows at {found} positions only");
    }
}

/// Indices and sums in 64 bits whose values fit in 32 bits, and some that do not fit.
#[test]
fn narrowed_integers_keep_their_values() {
    let (mut changed, wgsl) = (0, Target { backend: "wgsl".into(), chip: None });
    for op in [
        "minui",
        "maxui",
        "minsi",
        "addi",
        "subi",
        "muli",
        "andi",
        "xori",
        "shrui",
        "cmpi ult,",
        "cmpi sgt,",
        "divui ",
        "remui ",
    ] {
        for (mask, number) in [(-1i64, 1i64 << 32), (-1, 0xffff_ffff), (0xff, 3), (0xffff, 0xffff), (7, -1)] {
            let line = match op.split_once(' ') {
                Some((_, "")) => format!("%r = cube.{op}%number, %m : i64"),
                Some(_) => format!("%c = arith.{op} %m, %number : i64\n%r = arith.extui %c : i1 to i64"),
                None => format!("%r = arith.{op} %m, %number : i64"),
            };
            let text = format!(
                "cube.kernel @k(%a: i32, %y: !cube.array<i32>) cube_dim(1) {{
                   %zero = arith.constant 0 : i32
                   %one = arith.constant 1 : i32
                   %mask = arith.constant {mask} : i64
                   %number = arith.constant {number} : i64
                   %half = arith.constant 32 : i64
                   %w = arith.extui %a : i32 to i64
                   %m = arith.andi %w, %mask : i64
                   {line}
                   %low = arith.trunci %r : i64 to i32
                   %s = arith.shrui %r, %half : i64
                   %high = arith.trunci %s : i64 to i32
                   cube.store %low, %y[%zero] : i32, !cube.array<i32>
                   cube.store %high, %y[%one] : i32, !cube.array<i32>
                   cube.return
                 }}"
            );
            if op == "shrui" && !(0..64).contains(&number) {
                continue;
            }
            let out = || Arg::Buffer { bytes: vec![0; 8], initialised: true };
            let launches: Vec<Launch> = EDGES.iter().map(|a| (vec![Arg::Scalar((*a).into()), out()], 1)).collect();
            changed += usize::from(pass_changes_for(&wgsl, "narrow-integers", &text, &launches));
        }
    }
    assert!(changed >= 15, "only {changed} kernels were narrowed");
}
