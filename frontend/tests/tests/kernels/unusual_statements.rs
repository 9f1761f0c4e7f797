//! Unusual statements of ordinary programs.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn unused(out: &mut Array<u32>) {
    let mut x = 0;
    let _y = 1.5;
    let z = 5;
    x += 1;
    let _ = x;
    out[z] = 7;
}

#[test]
fn unread_variables() {
    assert_eq!(outputs::<u32>(6, |c, out| unused::launch::<R>(c, one(), CubeDim::new_1d(1), out))[5], 7);
}

#[cube(launch)]
fn telling<F: Float>(input: &Array<F>, n: u32) {
    debug_print!("{} of %u is {}, %d, %%0 %%1", UNIT_POS, n, input[UNIT_POS], -3i32);
    let half = input[UNIT_POS] + F::new(0.5);
    debug_print!("{half} of {n}: {1} {0} {0}, {twice} {{{n}}} 50% done", UNIT_POS, 7, twice = half + half);
}

// Printed lines are visible in the whole process: lines of other tests are ignored.
#[test]
fn prints_reach_the_program() {
    let (send, receiver) = std::sync::mpsc::channel();
    cubecl::prints::set_sink(move |line| drop(send.send(line.to_string())));
    outputs::<f32>(2, |c, out| telling::launch::<f32, R>(c, one(), CubeDim::new_1d(2), out, ScalarArg::new(u32::MAX)));
    let mut lines: Vec<String> = receiver.try_iter().collect();
    lines.sort();
    let named = |unit| format!("0.5 of 4294967295: 7 {unit} {unit}, 1 {{4294967295}} 50% done");
    assert_eq!(lines, ["0 of 4294967295 is 0, -3, %0 %1", &named(0), &named(1), "1 of 4294967295 is 0, -3, %0 %1"]);
}

#[cube]
fn pair<F: Float>(x: F, y: F) -> (F, F) {
    (x + y, x - y)
}

#[cube]
fn lined<F: Float>(x: Line<F>) -> Line<F> {
    x * x + Line::new(F::new(1.0))
}

#[cube]
fn limit(#[comptime] n: u32) -> comptime_type!(u32) {
    comptime!(if n > 4 { n * 2 } else { 1 })
}

#[cube(launch)]
fn assorted<F: Float>(input: &Array<Line<F>>, out: &mut Array<F>, #[comptime] n: u32, #[comptime] name: String) {
    let source = &input;
    let line = lined(source[0]);
    let (sum, difference) = pair(line[0], line[1]);
    let (sum, difference) = pair::<F>(sum, difference);
    let x = if sum > difference { F::new(1.0) } else { F::INFINITY };
    let mut i = 0;
    let mut done = false;
    let mut steps = 0u32;
    while i < 10 && !done {
        i += 3;
        steps += 1;
        if i as u32 > n && steps > 2 {
            done = true;
        }
    }
    let mut low = 0i32;
    for k in -3..3 {
        low = low * 2 + k;
    }
    let steps = steps + limit(n);
    out[0] = sum + F::new(2.0) * x;
    out[1] = F::cast_from(steps) * F::new(core::f32::consts::PI);
    out[2] = F::cast_from(low) + F::cast_from(u32::MAX / 3_000_000_000);
    out[3] = F::cast_from(comptime!(name.len() as u32)) + F::cast_from(input.line_size());
    let mask = (1 << n) | 1u32;
    out[4] = F::cast_from(mask & !2);
    let p = &sum;
    let q = *p * *p;
    out[5] = -q + F::EPSILON * F::new(0.0);
}

#[test]
fn unusual_expressions_are_evaluated() {
    let client = client();
    let input = client.create(f32::as_bytes(&[2.0, 3.0]));
    let got = outputs::<f32>(6, |c, out| {
        // SAFETY: the handle has that many elements.
        let input = unsafe { ArrayArg::from_raw_parts::<f32>(&input, 2, 2) };
        assorted::launch::<f32, R>(c, one(), CubeDim::new_1d(1), input, out, 3, "four".to_string())
    });
    let (s, d) = (5.0f32 + 10.0, 5.0f32 - 10.0);
    let (s, d) = (s + d, s - d);
    let x = if s > d { 1.0 } else { f32::INFINITY };
    let low = (-3..3).fold(0i32, |low, k| low * 2 + k) as f32;
    let steps = (3 + 1) as f32;
    assert_eq!(got, [s + 2.0 * x, steps * std::f32::consts::PI, low + 1.0, 6.0, 9.0, -(s * s)]);
}

#[cube]
fn first_above(values: &Array<u32>, bound: u32) -> u32 {
    for i in 0..values.len() {
        if values[i] > bound {
            return i;
        }
        if values[i] == 0 {
            continue;
        }
    }
    values.len()
}

#[cube(launch)]
fn searching(values: &Array<u32>, out: &mut Array<u32>) {
    let bound = ABSOLUTE_POS * 10;
    out[ABSOLUTE_POS] = first_above(values, bound);
    let shown = Sequence::<(u32, f32)>::new();
    let mut list = shown;
    list.push((bound, 1.5));
    list.push((bound + 1, 2.5));
    let mut total = 0u32;
    #[unroll]
    for i in 0..list.len() {
        let (a, b) = *list.index(i);
        total += a + b as u32;
    }
    out[ABSOLUTE_POS] += total * 100;
}

#[test]
fn early_returns_and_lists_of_pairs_are_evaluated() {
    let client = client();
    let values = client.create(u32::as_bytes(&[0, 5, 12, 30]));
    let got =
        outputs::<u32>(4, |c, out| searching::launch::<R>(c, one(), CubeDim::new_1d(4), array::<u32>(&values, 4), out));
    let host = [0u32, 10, 20, 30].map(|bound| {
        let at = [0, 5, 12, 30].iter().position(|x| *x > bound).unwrap_or(4) as u32;
        at + (bound + 1 + bound + 1 + 2) * 100
    });
    assert_eq!(got, host);
}

#[cube(fast_math = FastMath::NotNaN | FastMath::NotInf)]
fn careless(x: f32) -> f32 {
    exact(x * 2.0) + x
}

#[cube(fast_math = FastMath::None)]
fn exact(x: f32) -> f32 {
    x / 3.0
}

#[cube(launch, fast_math = FastMath::AllowReciprocal)]
fn flags(out: &mut Array<f32>, x: f32) {
    let before = x - 1.0;
    let inside = careless(before);
    out[0] = inside / 7.0;
}

#[cube(launch)]
fn no_flags(out: &mut Array<f32>, x: f32) {
    out[0] = careless(x) - 1.0;
}

#[test]
fn flags_hold_for_a_function_and_end_with_it() {
    let folder = std::env::temp_dir().join(format!("cube-flags-test-{}", std::process::id()));
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "unusual_statements::kernels_with_flags"])
        .env("CUBE_DUMP", &folder)
        .status()
        .unwrap();
    assert!(status.success());
    let text = |name: &str| {
        let found = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
        // The name of a source file has one dot. The name of a file after a pass also contains the phase.
        let written = |f: &&std::path::PathBuf| {
            let file = f.file_name().unwrap().to_string_lossy();
            file.starts_with(name) && file.matches('.').count() == 1
        };
        let found: Vec<_> = found.collect();
        let file = found.iter().find(written).unwrap();
        std::fs::read_to_string(file).unwrap()
    };
    let ops = |text: &str| -> Vec<String> {
        let float = ["arith.subf", "arith.mulf", "arith.divf", "arith.addf"];
        text.lines()
            .filter_map(|line| float.iter().find(|op| line.contains(**op)).map(|op| (op, line)))
            .map(|(op, line)| {
                let flags = line.split("fastmath<").nth(1).and_then(|rest| rest.split('>').next()).unwrap_or("");
                format!("{}:{flags}", op.trim_start_matches("arith."))
            })
            .collect()
    };
    assert_eq!(ops(&text("flags-")), ["subf:arcp", "mulf:nnan,ninf", "divf:", "addf:nnan,ninf", "divf:arcp"]);
    assert_eq!(ops(&text("no_flags-")), ["mulf:nnan,ninf", "divf:", "addf:nnan,ninf", "subf:"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn kernels_with_flags() {
    let x = ScalarArg::new(4.0f32);
    let careless = |x: f32| x * 2.0 / 3.0 + x;
    let got = outputs::<f32>(1, |c, out| flags::launch::<R>(c, one(), CubeDim::new_1d(1), out, x));
    assert!((got[0] - careless(3.0) / 7.0).abs() < 1e-6);
    let got = outputs::<f32>(1, |c, out| no_flags::launch::<R>(c, one(), CubeDim::new_1d(1), out, x));
    assert_eq!(got, [careless(4.0) - 1.0]);
}

#[cube(launch)]
fn eight_bits(input: &Array<f32>, a: &mut Array<e4m3>, b: &mut Array<e5m2>, out: &mut Array<f32>) {
    let i = ABSOLUTE_POS;
    a[i] = e4m3::cast_from(input[i]);
    b[i] = e5m2::cast_from(input[i]);
    out[i] = f32::cast_from(e4m3::cast_from(input[i])) + f32::cast_from(e5m2::cast_from(input[i])) * 1000.0;
}

use cubecl::{e4m3, e5m2};

#[test]
fn floats_of_eight_bits() {
    let client = client();
    let data = [0.0f32, 1.0, -0.3, 17.0, 19.0, 400.0, 0.002, -1.75];
    let (input, a, b) = (client.create(f32::as_bytes(&data)), client.empty(8), client.empty(8));
    let got = outputs::<f32>(8, |c, out| {
        let (a, b) = (array::<e4m3>(&a, 8), array::<e5m2>(&b, 8));
        eight_bits::launch::<R>(c, one(), CubeDim::new_1d(8), array::<f32>(&input, 8), a, b, out)
    });
    let host: Vec<f32> =
        data.iter().map(|x| e4m3::from_f32(*x).to_f32() + e5m2::from_f32(*x).to_f32() * 1000.0).collect();
    assert_eq!(got, host);
    assert_eq!(e4m3::from_bytes(&client.read_one(a)), data.map(e4m3::from_f32));
    assert_eq!(e5m2::from_bytes(&client.read_one(b)), data.map(e5m2::from_f32));
}

/// Types whose staged forms are not imported.
mod parts {
    use cubecl::prelude::*;

    #[derive(CubeType, Clone, Copy)]
    pub struct Pair {
        pub x: u32,
        pub y: u32,
    }

    #[cube]
    impl Pair {
        pub fn adder(&self) -> impl Fn(u32) -> u32 {
            let sum = self.x + self.y;
            move |n: u32| n + sum
        }
    }

    #[derive(CubeType, Clone, Copy)]
    pub struct Three(pub u32, pub u32, pub u32);
}
use parts::{Pair, Three};

#[cube]
fn digits(Pair { x, y }: Pair) -> u32 {
    x * 10 + y
}

#[cube(launch)]
fn parts_of_patterns(out: &mut Array<u32>) {
    let (first, .., last) = (UNIT_POS + 1, 2u32, 3u32, UNIT_POS + 40);
    let Three(left, ..) = Three(UNIT_POS + 7, 8, 9);
    let next = |Pair { y, .. }: Pair| y + 1;
    let sum = |mut x: u32| {
        x += 5;
        x
    };
    out[0] = first;
    out[1] = last;
    out[2] = left;
    out[3] = digits(Pair { x: UNIT_POS + 3, y: 4 });
    out[4] = next(Pair { x: 0, y: UNIT_POS + 6 });
    out[5] = sum(first);
    let pair = Pair { x: UNIT_POS, y: 2 };
    let add = pair.adder();
    out[6] = add(30);
}

#[test]
fn patterns_bind_parts_and_methods_return_closures() {
    let got = outputs::<u32>(7, |c, out| parts_of_patterns::launch::<R>(c, one(), CubeDim::new_1d(1), out));
    assert_eq!(got, [1, 40, 7, 34, 7, 6, 32]);
}
