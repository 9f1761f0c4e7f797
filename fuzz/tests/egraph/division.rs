//! Division and remainder by constants and by arguments of the launch, compiled for the CPU and compared with Rust. The
//! tests cover all pairs of 8-bit numbers, all 16-bit dividends for each divisor, and edge cases of 32 and 64 bits.
//! Code for both `/` and `%` has one more product than code for `/` alone.
use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_backend::OutputForm;
use cube_driver::{Driver, NoInstrumentation};
use cube_runtime::{Arg, Device, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use std::fmt::Write;

/// A signed or unsigned integer type.
#[derive(Clone, Copy, Debug)]
struct Ints {
    bits: u32,
    signed: bool,
}

impl Ints {
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The number that a bit pattern represents.
    fn number(self, pattern: u64) -> i128 {
        let shift = 64 - self.bits;
        if self.signed { i128::from((pattern << shift) as i64 >> shift) } else { i128::from(pattern & self.mask()) }
    }

    /// Quotient and remainder of the kernel language: x / 0 = x, x % 0 = 0, and MIN / -1 = MIN.
    fn divided(self, x: u64, d: u64) -> [u64; 2] {
        let (x, d) = (self.number(x), self.number(d));
        let [q, r] = if d == 0 { [x, 0] } else { [x / d, x % d] };
        [q as u64 & self.mask(), r as u64 & self.mask()]
    }

    fn bytes(self, patterns: &[u64]) -> Vec<u8> {
        patterns.iter().flat_map(|p| p.to_le_bytes().into_iter().take(self.bits as usize / 8)).collect()
    }

    fn patterns(self, bytes: &[u8]) -> Vec<u64> {
        let read = |b: &[u8]| b.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        bytes.chunks(self.bits as usize / 8).map(read).collect()
    }

    fn elem(self) -> ElemType {
        match self.bits {
            8 => ElemType::I8,
            16 => ElemType::I16,
            32 => ElemType::I32,
            _ => ElemType::I64,
        }
    }

    /// Zeros, powers of two, the smallest and largest number, multiples of several numbers, and the neighbours of
    /// all these numbers.
    fn edges(self, near: &[u64]) -> Vec<u64> {
        let powers = (0..self.bits).flat_map(|n| [1u64 << n, (1 << n) - 1, (1 << n) + 1, (1u64 << n).wrapping_neg()]);
        let multiples = near.iter().filter(|d| **d != 0).flat_map(|d| {
            let most = self.mask() / d;
            let times = [1, 2, 3, most / 2, most - most.min(1), most];
            times.into_iter().flat_map(move |n| {
                let product = n.wrapping_mul(*d);
                [product.wrapping_sub(1), product, product.wrapping_add(1)]
            })
        });
        let mut all: Vec<u64> = powers.chain(multiples).map(|p| p & self.mask()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn all() -> impl Iterator<Item = Ints> {
    [8, 16, 32, 64].into_iter().flat_map(|bits| [false, true].map(|signed| Ints { bits, signed }))
}

/// The results of a kernel with the buffers `x` and `out`. The kernel writes a fixed number of results for each element
/// of `x`.
fn run(ints: Ints, text: &str, xs: &[u64], each: usize, divisors: &[u64]) -> Vec<Vec<u64>> {
    let artifact = Driver.compile(text.as_bytes(), &Target::cpu(), &CompileOptions::default());
    let artifact = artifact.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let device = CpuDevice::with_threads(1);
    let kernel = device.load(&artifact).expect("it loads");
    let bytes = ints.bytes(xs);
    let x = device.alloc(bytes.len() as u64, Init::Any).expect("memory");
    device.write(&x, 0, &bytes).expect("a copy");
    let out = device.alloc((bytes.len() * each) as u64, Init::Any).expect("memory");
    let launch = |scalar: Option<u64>| {
        let scalar = scalar.map(|d| match ints.bits {
            32 => Scalar::I32(d as i32),
            _ => Scalar::I64(d as i64),
        });
        let buffers = [&x, &out].map(|buffer| Arg::buffer(buffer, ints.elem()));
        let args: Vec<Arg> = buffers.into_iter().chain(scalar.map(Arg::from)).collect();
        device.launch_kernel(&kernel, &args, [xs.len().div_ceil(64) as u32, 1, 1]).expect("it runs");
        let mut got = vec![0; bytes.len() * each];
        device.read(&out, 0, &mut got).expect("a copy");
        ints.patterns(&got)
    };
    match divisors {
        [] => vec![launch(None)],
        some => some.iter().map(|d| launch(Some(*d))).collect(),
    }
}

/// A kernel that divides each element of `x` by constants.
fn by_constants(ints: Ints, divisors: &[u64]) -> String {
    let (ty, each) = (format!("i{}", ints.bits), 2 * divisors.len());
    let [div, rem] = if ints.signed { ["divsi", "remsi"] } else { ["divui", "remui"] };
    let mut text = format!(
        "cube.kernel @k(%x: !cube.array<{ty}>, %out: !cube.array<{ty}>) cube_dim(64) {{
  %i = cube.topology absolute_pos
  %each = arith.constant {each} : i32
  %at = arith.muli %i, %each : i32
  %v = cube.load %x[%i] checked : !cube.array<{ty}> -> {ty}\n"
    );
    for (n, d) in divisors.iter().enumerate() {
        let d = ints.number(*d);
        let _ = write!(
            text,
            "  %d{n} = arith.constant {d} : {ty}
  %q{n} = cube.{div} %v, %d{n} : {ty}
  %r{n} = cube.{rem} %v, %d{n} : {ty}
  %o{n} = arith.constant {} : i32
  %a{n} = arith.addi %at, %o{n} : i32
  %p{n} = arith.constant {} : i32
  %b{n} = arith.addi %at, %p{n} : i32
  cube.store %q{n}, %out[%a{n}] checked : {ty}, !cube.array<{ty}>
  cube.store %r{n}, %out[%b{n}] checked : {ty}, !cube.array<{ty}>\n",
            2 * n,
            2 * n + 1
        );
    }
    text + "  cube.return\n}\n"
}

fn check(ints: Ints, xs: &[u64], divisors: &[u64], got: &[u64]) -> usize {
    for (row, x) in got.chunks(2 * divisors.len()).zip(xs) {
        for (pair, d) in row.chunks(2).zip(divisors) {
            let expected = ints.divided(*x, *d);
            assert_eq!(pair, expected, "{ints:?}: {} by {}", ints.number(*x), ints.number(*d));
        }
    }
    xs.len() * divisors.len()
}

#[test]
fn constants_divide_all_numbers_of_8_bits() {
    for signed in [false, true] {
        let ints = Ints { bits: 8, signed };
        let all: Vec<u64> = (0..256).collect();
        let mut pairs = 0;
        for divisors in all.chunks(64) {
            let got = run(ints, &by_constants(ints, divisors), &all, 2 * divisors.len(), &[]);
            pairs += check(ints, &all, divisors, &got[0]);
        }
        assert_eq!(pairs, 65536);
    }
}

/// Divisors for each variant of division by a magic number. The divisors are powers of two, even, odd, large and
/// negative numbers, and divisors whose code adds the dividend.
fn divisors(ints: Ints) -> Vec<u64> {
    let top = 1u64 << (ints.bits - 1);
    let all = [0, 1, 2, 3, 5, 6, 7, 10, 14, 64, 641, 1000, 32767, 65537, top - 1, top, top + 1, top + 2];
    let mut all: Vec<u64> = all.iter().flat_map(|d| [*d, d.wrapping_neg()]).map(|d| d & ints.mask()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn constants_divide_all_dividends_of_16_bits() {
    for signed in [false, true] {
        let ints = Ints { bits: 16, signed };
        let (xs, divisors): (Vec<u64>, _) = ((0..65536).collect(), divisors(ints));
        let got = run(ints, &by_constants(ints, &divisors), &xs, 2 * divisors.len(), &[]);
        assert_eq!(check(ints, &xs, &divisors, &got[0]), 65536 * divisors.len());
    }
}

#[test]
fn constants_divide_edges_of_32_and_64_bits() {
    for ints in all().filter(|ints| ints.bits >= 32) {
        let divisors = divisors(ints);
        let xs = ints.edges(&divisors);
        let got = run(ints, &by_constants(ints, &divisors), &xs, 2 * divisors.len(), &[]);
        assert!(check(ints, &xs, &divisors, &got[0]) > 5000);
    }
}

#[test]
fn numbers_of_the_launch_divide_edges() {
    for ints in all().filter(|ints| ints.bits >= 32) {
        let ty = format!("i{}", ints.bits);
        let [div, rem] = if ints.signed { ["divsi", "remsi"] } else { ["divui", "remui"] };
        let text = format!(
            "cube.kernel @k(%x: !cube.array<{ty}>, %out: !cube.array<{ty}>, %n: {ty}) cube_dim(64) {{
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] checked : !cube.array<{ty}> -> {ty}
  %q = cube.{div} %v, %n : {ty}
  %r = cube.{rem} %v, %n : {ty}
  %a = arith.addi %i, %i : i32
  %b = arith.addi %a, %one : i32
  cube.store %q, %out[%a] checked : {ty}, !cube.array<{ty}>
  cube.store %r, %out[%b] checked : {ty}, !cube.array<{ty}>
  cube.return\n}}\n"
        );
        let divisors = divisors(ints);
        let xs = ints.edges(&divisors);
        let results = run(ints, &text, &xs, 2, &divisors);
        let pairs: usize = divisors.iter().zip(&results).map(|(d, got)| check(ints, &xs, &[*d], got)).sum();
        assert!(pairs > 5000);
    }
}

#[test]
fn exact_quotients_of_multiples_are_right() {
    for (bits, signed) in [8, 16, 32, 64].into_iter().flat_map(|bits| [(bits, false), (bits, true)]) {
        let (ints, ty) = (Ints { bits, signed }, format!("i{bits}"));
        let divisors: &[i64] = if signed { &[3, 6, 24, 100, -1, -3, -24, 64] } else { &[1, 3, 6, 24, 100, 64] };
        for d in divisors {
            let division = if signed { "divsi" } else { "divui" };
            let text = format!(
                "cube.kernel @k(%x: !cube.array<{ty}>, %out: !cube.array<{ty}>) cube_dim(64) {{
  %i = cube.topology absolute_pos
  %d = arith.constant {d} : {ty}
  %v = cube.load %x[%i] checked : !cube.array<{ty}> -> {ty}
  %q = arith.{division} %v, %d exact : {ty}
  cube.store %q, %out[%i] checked : {ty}, !cube.array<{ty}>
  cube.return\n}}\n"
            );
            let d = i128::from(*d);
            let greatest = if signed { ints.mask() >> 1 } else { ints.mask() };
            let most = i128::from(greatest) / d.abs();
            let positive = (0..=most.min(99)).chain([most - 1, most, most / 3]);
            let quotients: Vec<i128> = positive.flat_map(|q| if signed { vec![q, -q] } else { vec![q] }).collect();
            let pattern = |number: i128| number as u64 & ints.mask();
            let xs: Vec<u64> = quotients.iter().map(|q| pattern(q * d)).collect();
            let expected: Vec<u64> = quotients.iter().map(|q| pattern(*q)).collect();
            assert_eq!(run(ints, &text, &xs, 1, &[])[0], expected, "{ints:?} by {d}");
        }
    }
}

/// The number of multiply instructions in PTX: for a kernel that stores only the quotient, and for a kernel that also
/// stores the remainder.
fn products(ints: Ints, divisor: &str, both: bool) -> usize {
    let ty = format!("i{}", ints.bits);
    let [div, rem] = if ints.signed { ["divsi", "remsi"] } else { ["divui", "remui"] };
    let remainder =
        if both { format!("%r = cube.{rem} %v, %n : {ty}\n  %s = arith.xori %q, %r : {ty}") } else { String::new() };
    let text = format!(
        "cube.kernel @k(%x: !cube.array<{ty}>, %out: !cube.array<{ty}>, %m: {ty}) cube_dim(64) {{
  %i = cube.topology absolute_pos_y
  %n = {divisor} : {ty}
  %v = cube.load %x[%i] inbounds : !cube.array<{ty}> -> {ty}
  %q = cube.{div} %v, %n : {ty}
  {remainder}
  cube.store {}, %out[%i] inbounds : {ty}, !cube.array<{ty}>
  cube.return\n}}\n",
        if both { "%s" } else { "%q" }
    );
    let target = Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) };
    let options = CompileOptions::default();
    let code = Driver.emit_text(text.as_bytes(), &target, &options, OutputForm::Assembly, &mut NoInstrumentation);
    let code = String::from_utf8(code.unwrap_or_else(|error| panic!("{error:?}\n{text}"))).expect("text");
    assert!(!code.contains("div.") && !code.contains("rem."), "{code}");
    code.lines().filter(|line| ["mul", "mad"].iter().any(|op| line.trim().starts_with(op))).count()
}

#[test]
fn quotient_and_remainder_cost_one_more_product_than_quotient() {
    for ints in all().filter(|ints| ints.bits >= 32) {
        for divisor in ["arith.constant 7", "arith.addi %m, %m"] {
            let [one, pair] = [false, true].map(|both| products(ints, divisor, both));
            assert_eq!(pair, one + 1, "{ints:?} by {divisor}");
        }
    }
}

/// A random sum of products with quotients and remainders, as in the offset of an element of a tensor.
struct Sum {
    text: String,
    /// The number that divides the last quotient, for each quotient.
    divisors: Vec<usize>,
    steps: Vec<Step>,
}

/// Adds or subtracts a value times a number, then multiplies the sum by a number.
struct Step {
    value: usize,
    subtracts: bool,
    by: Option<usize>,
    then: Option<usize>,
}

/// The numbers of a launch with the argument n: n, n - 3 and n * n + 1.
fn numbers(ints: Ints, n: u64) -> [u64; 3] {
    [n, n.wrapping_sub(3), n.wrapping_mul(n).wrapping_add(1)].map(|number| number & ints.mask())
}

impl Sum {
    fn random(ints: Ints, seed: u64) -> Sum {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let divisors: Vec<usize> = (0..1 + random(4)).map(|_| random(3)).collect();
        // Value 0 is the dividend. Quotient j has the number 2 j + 1, and remainder j the number 2 j + 2.
        let mut order: Vec<usize> = (0..divisors.len()).map(|j| 2 * j + 2).chain([2 * divisors.len() - 1]).collect();
        order.extend((0..random(3)).map(|_| random(2 * divisors.len() + 1)));
        let len = order.len();
        (0..len).for_each(|i| order.swap(i, random(len)));
        let mut number = |of: usize| (random(of) > 0).then(|| random(3));
        let step = |value| {
            let (by, subtracts, then) = (number(4), number(8).is_none(), number(3).filter(|_| value % 3 == 0));
            Step { value, subtracts, by, then }
        };
        let steps: Vec<Step> = order.into_iter().map(step).collect();
        let ty = format!("i{}", ints.bits);
        let [div, rem] = if ints.signed { ["divsi", "remsi"] } else { ["divui", "remui"] };
        let mut text = format!(
            "cube.kernel @k(%x: !cube.array<{ty}>, %out: !cube.array<{ty}>, %n0: {ty}) cube_dim(64) {{
  %i = cube.topology absolute_pos
  %c1 = arith.constant 1 : {ty}
  %c3 = arith.constant 3 : {ty}
  %n1 = arith.subi %n0, %c3 : {ty}
  %square = arith.muli %n0, %n0 : {ty}
  %n2 = arith.addi %square, %c1 : {ty}
  %v0 = cube.load %x[%i] checked : !cube.array<{ty}> -> {ty}\n"
        );
        let mut dividend = 0;
        for (j, n) in divisors.iter().enumerate() {
            let (q, r) = (2 * j + 1, 2 * j + 2);
            let _ = writeln!(text, "  %v{q} = cube.{div} %v{dividend}, %n{n} : {ty}");
            let _ = writeln!(text, "  %v{r} = cube.{rem} %v{dividend}, %n{n} : {ty}");
            dividend = q;
        }
        text += &format!("  %s0 = arith.constant 0 : {ty}\n");
        for (i, Step { value, subtracts, by, then }) in steps.iter().enumerate() {
            let mut operand = format!("%v{value}");
            if let Some(by) = by {
                let _ = writeln!(text, "  %p{i} = arith.muli {operand}, %n{by} : {ty}");
                operand = format!("%p{i}");
            }
            let sum = if *subtracts { "subi" } else { "addi" };
            let _ = writeln!(text, "  %t{i} = arith.{sum} %s{i}, {operand} : {ty}");
            let next = i + 1;
            let _ = match then {
                Some(then) => writeln!(text, "  %s{next} = arith.muli %t{i}, %n{then} : {ty}"),
                None => writeln!(text, "  %s{next} = arith.addi %t{i}, %s0 : {ty}"),
            };
        }
        let last = steps.len();
        text += &format!("  cube.store %s{last}, %out[%i] checked : {ty}, !cube.array<{ty}>\n  cube.return\n}}\n");
        Sum { text, divisors, steps }
    }

    fn evaluate(&self, ints: Ints, x: u64, n: u64) -> u64 {
        let numbers = numbers(ints, n);
        let (mut values, mut dividend) = (vec![x], x);
        for by in &self.divisors {
            values.extend(ints.divided(dividend, numbers[*by]));
            dividend = values[values.len() - 2];
        }
        let times = |value: u64, by: Option<usize>| by.map_or(value, |by| value.wrapping_mul(numbers[by]));
        let sum = self.steps.iter().fold(0u64, |sum, step| {
            let product = times(values[step.value], step.by);
            let sum = if step.subtracts { sum.wrapping_sub(product) } else { sum.wrapping_add(product) };
            times(sum, step.then)
        });
        sum & ints.mask()
    }
}

#[test]
fn sums_of_products_with_remainders_are_right() {
    let first = std::env::var("CUBE_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1u64);
    let count = std::env::var("CUBE_FUZZ_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(24);
    let mut changed = 0;
    for seed in first..first + count {
        let ints = all().filter(|ints| ints.bits >= 32).nth(seed as usize % 4).expect("four types");
        let sum = Sum::random(ints, seed);
        let divisors: Vec<u64> = divisors(ints).into_iter().step_by(3).chain([0, 3, 5]).collect();
        let xs: Vec<u64> = ints.edges(&divisors).into_iter().step_by(5).collect();
        for (n, got) in divisors.iter().zip(run(ints, &sum.text, &xs, 1, &divisors)) {
            for (x, got) in xs.iter().zip(got) {
                assert_eq!(got, sum.evaluate(ints, *x, *n), "seed {seed}, {ints:?}: {x} and {n}\n{}", sum.text);
            }
        }
        let artifact = Driver.compile(sum.text.as_bytes(), &Target::cpu(), &CompileOptions::default());
        changed += u64::from(artifact.expect("it compiled").derived.iter().any(|one| one.name.starts_with("factor")));
    }
    eprintln!("{count} sums from seed {first}, {changed} without a remainder");
    assert!(changed * 4 >= count, "only {changed} of {count} sums changed");
}

#[test]
fn numbers_of_the_launch_divide_extended_numbers() {
    let ints = Ints { bits: 64, signed: false };
    let text = "cube.kernel @k(%x: !cube.array<i64>, %out: !cube.array<i64>, %n: i64) cube_dim(64) {
  %i = cube.topology absolute_pos
  %one = arith.constant 1 : i32
  %v = cube.load %x[%i] checked : !cube.array<i64> -> i64
  %low = arith.trunci %v : i64 to i32
  %u = arith.extui %low : i32 to i64
  %q = cube.divui %u, %n : i64
  %r = cube.remui %u, %n : i64
  %a = arith.addi %i, %i : i32
  %b = arith.addi %a, %one : i32
  cube.store %q, %out[%a] checked : i64, !cube.array<i64>
  cube.store %r, %out[%b] checked : i64, !cube.array<i64>
  cube.return\n}\n";
    let target = Target::cpu();
    let code = Driver.compile(text.as_bytes(), &target, &CompileOptions::default()).unwrap();
    let halves = code.derived.iter().filter(|derived| derived.name.contains("half")).count();
    assert_eq!(halves, 3, "the quotient has the form with halves: {:?}", code.derived);
    let mut divisors = divisors(ints);
    divisors.extend([u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1, (1 << 33) + 3]);
    let xs: Vec<u64> = ints.edges(&divisors).iter().map(|x| x & u64::from(u32::MAX)).collect();
    let results = run(ints, text, &xs, 2, &divisors);
    let pairs: usize = divisors.iter().zip(&results).map(|(d, got)| check(ints, &xs, &[*d], got)).sum();
    assert!(pairs > 5000);
}
