//! Random arithmetic before and after the pass `egraph`, in the interpreter. The kernels contain integers of 8 to 64
//! bits, comparisons, selects, conversions, divisors of 0 and shift amounts beyond the width. The kernels also
//! contain floats without fast-math flags, but no `math.copysign`, which reads the sign of a NaN.
#![forbid(unsafe_code)]
#[path = "egraph/cost.rs"]
mod cost;
#[path = "egraph/division.rs"]
mod division;
#[path = "egraph/fast_math.rs"]
mod fast_math;
#[path = "egraph/flags.rs"]
mod flags;
#[path = "egraph/index.rs"]
mod index;
#[path = "egraph/time.rs"]
mod time;

use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, pass_changes};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

const PASS: &str = "egraph";

/// A kernel whose units compute `%r` from an element of three buffers, `%v`, `%w` and `%u`.
fn element_wise(body: &str) -> String {
    format!(
        "cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<f32>, %z: !cube.array<f32>, %out: !cube.array<f32>) cube_dim(64) {{
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] inbounds : !cube.array<f32> -> f32
  %w = cube.load %y[%i] inbounds : !cube.array<f32> -> f32
  %u = cube.load %z[%i] inbounds : !cube.array<f32> -> f32
  {body}
  cube.store %r, %out[%i] inbounds : f32, !cube.array<f32>
  cube.return
}}"
    )
}

const BINARY: &[&str] = &[
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.minui",
    "arith.maxui",
    "arith.minsi",
    "arith.maxsi",
    "cube.divui",
    "cube.remui",
    "cube.divsi",
    "cube.remsi",
    "cube.shl",
    "cube.shrui",
    "cube.shrsi",
    "cube.addui_sat",
    "cube.subui_sat",
];

const FLOATS: &[&str] = &[
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
];

struct Gen {
    state: u64,
    text: String,
    ints: Vec<String>,
    floats: Vec<String>,
    conditions: Vec<String>,
    next: usize,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    // Later values and constants come more often, so that terms get deep and rules meet.
    fn of(&mut self, values: &[String]) -> String {
        let n = values.len();
        let last = self.draw(n.min(6));
        if self.draw(2) == 0 { values[n - 1 - last].clone() } else { values[self.draw(n)].clone() }
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    fn statement(&mut self, ty: &str) {
        let n = self.next;
        self.next += 1;
        let (ints, floats, conditions) = (self.ints.clone(), self.floats.clone(), self.conditions.clone());
        let (x, y, z) = (self.of(&ints), self.of(&ints), self.of(&ints));
        let (f, g, h) = (self.of(&floats), self.of(&floats), self.of(&floats));
        let condition = self.of(&conditions);
        match self.draw(16) {
            0..=6 => {
                let op = BINARY[self.draw(BINARY.len())];
                self.line(&format!("%v{n} = {op} %{x}, %{y} : {ty}"));
                self.ints.push(format!("v{n}"));
            }
            7 => {
                let predicate = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"][self.draw(10)];
                self.line(&format!("%c{n} = arith.cmpi {predicate}, %{x}, %{y} : {ty}"));
                self.conditions.push(format!("c{n}"));
            }
            8 => {
                self.line(&format!("%v{n} = arith.select %{condition}, %{x}, %{z} : {ty}"));
                self.ints.push(format!("v{n}"));
            }
            9 => {
                self.line(&format!("%n{n} = arith.extui %{condition} : i1 to {ty}"));
                self.ints.push(format!("n{n}"));
            }
            10 => {
                let other = self.of(&conditions);
                let op = ["arith.andi", "arith.ori", "arith.xori"][self.draw(3)];
                self.line(&format!("%c{n} = {op} %{condition}, %{other} : i1"));
                self.conditions.push(format!("c{n}"));
            }
            11..=13 => {
                let op = FLOATS[self.draw(FLOATS.len())];
                self.line(&format!("%f{n} = {op} %{f}, %{g} : f32"));
                self.floats.push(format!("f{n}"));
            }
            14 => {
                let line = match self.draw(3) {
                    0 => format!("%f{n} = arith.negf %{f} : f32"),
                    1 => format!("%f{n} = math.absf %{f} : f32"),
                    _ => format!("%f{n} = math.fma %{f}, %{g}, %{h} : f32"),
                };
                self.line(&line);
                self.floats.push(format!("f{n}"));
            }
            _ => {
                let predicate = ["oeq", "olt", "ole", "une", "uno", "ugt"][self.draw(6)];
                self.line(&format!("%c{n} = arith.cmpf {predicate}, %{f}, %{g} : f32"));
                self.conditions.push(format!("c{n}"));
            }
        }
    }
}

fn kernel(seed: u64) -> String {
    let ty = ["i8", "i16", "i32", "i64"][(seed % 4) as usize];
    let mut gen_ = Gen {
        state: seed ^ 0xe6_4a,
        text: format!(
            "cube.kernel @k(%x: !cube.array<{ty}>, %y: !cube.array<f32>, %a: {ty}, %b: {ty}, %f: f32, %g: f32) \
             cube_dim(1) {{\n%t = arith.constant true\n"
        ),
        ints: vec!["a".into(), "b".into()],
        floats: vec!["f".into(), "g".into()],
        conditions: vec!["t".into()],
        next: 0,
    };
    for (n, constant) in ["0", "1", "2", "3", "8", "-1", "127"].into_iter().enumerate() {
        gen_.line(&format!("%k{n} = arith.constant {constant} : {ty}"));
        gen_.ints.push(format!("k{n}"));
    }
    for (n, constant) in
        ["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "0x7F800000", "0xFF800000", "0x7FC00000"].into_iter().enumerate()
    {
        gen_.line(&format!("%r{n} = arith.constant {constant} : f32"));
        gen_.floats.push(format!("r{n}"));
    }
    let count = 20 + gen_.draw(40);
    (0..count).for_each(|_| gen_.statement(ty));
    let (ints, floats) = (gen_.ints.clone(), gen_.floats.clone());
    for (n, value) in ints.iter().rev().take(6).enumerate() {
        gen_.line(&format!(
            "%i{n} = arith.constant {n} : i32\ncube.store %{value}, %x[%i{n}] : {ty}, !cube.array<{ty}>"
        ));
    }
    for (n, value) in floats.iter().rev().take(6).enumerate() {
        // The bit pattern of a NaN is unspecified, so the kernel stores another value instead of a NaN.
        gen_.line(&format!("%u{n} = arith.cmpf uno, %{value}, %{value} : f32"));
        gen_.line(&format!("%s{n} = arith.select %u{n}, %r4, %{value} : f32"));
        gen_.line(&format!("%j{n} = arith.constant {n} : i32\ncube.store %s{n}, %y[%j{n}] : f32, !cube.array<f32>"));
    }
    for (n, value) in gen_.conditions.clone().iter().rev().take(3).enumerate() {
        let place = n + 6;
        gen_.line(&format!("%o{n} = arith.extui %{value} : i1 to {ty}\n%l{n} = arith.constant {place} : i32"));
        gen_.line(&format!("cube.store %o{n}, %x[%l{n}] : {ty}, !cube.array<{ty}>"));
    }
    gen_.text + "cube.return\n}\n"
}

#[test]
fn random_arithmetic_has_the_same_results() {
    let (first, count) = seeds(60);
    let mut changed = 0;
    for seed in first..first + count {
        let mut state = seed;
        let mut draw = |n: usize| (random(&mut state) % n as u64) as usize;
        let bits = [8u32, 16, 32, 64][(seed % 4) as usize];
        let mask = u64::MAX >> (64 - bits);
        let some = [0, 1, 2, 7, 100, mask, mask - 1, mask / 2, mask / 2 + 1, 0x1234_5678_9abc_def0 & mask];
        let floats = [0.0f32, -0.0, 1.0, -1.5, 1e30, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 3.25];
        let buffer = |bytes: usize| Arg::Buffer { bytes: vec![0; bytes], initialised: true };
        let launches: Vec<Launch> = (0..12)
            .map(|_| {
                let scalars = [some[draw(10)], some[draw(10)]].map(Arg::Scalar);
                let reals = [floats[draw(10)], floats[draw(10)]].map(|x| Arg::Scalar(x.to_bits().into()));
                let buffers = [buffer(9 * bits as usize / 8), buffer(6 * 4)];
                (buffers.into_iter().chain(scalars).chain(reals).collect(), 1)
            })
            .collect();
        changed += u64::from(pass_changes(PASS, &kernel(seed), &launches));
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 4, "only {changed} of {count} kernels were changed");
}
