//! Random loops with checks before and after the pass `peel-loops`, in the interpreter. The numbers of the checks are
//! sums and products of the counter with launch values, which also wrap around. Loops begin at any constant, count in any
//! constant step, and can contain barriers. Buffers have any length. The first failing check of each unit can be in a
//! different iteration.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, before_and_after, results};
use cube_fuzz::mutate::{Bug, mutate_module};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use cube_ir::Session;
use std::fmt::Write;

/// No target's pipeline contains the pass.
const PIPELINE: &str = "builtin.module(cube.kernel(peel-loops))";

struct Gen {
    state: u64,
    text: String,
    next: usize,
    units: u32,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A number that depends on the counter. With `uniform`, it is equal in all units.
    fn number(&mut self, counter: &str, uniform: bool) -> String {
        let mut name = counter.to_string();
        for _ in 0..self.draw(4) {
            let n = self.fresh();
            let other = ["s", "w", "three", "five", "unit"][self.draw(if uniform { 4 } else { 5 })];
            let op = ["addi", "muli", "subi", "addi"][self.draw(4)];
            let (x, y) = if self.draw(3) == 0 { (other, name.as_str()) } else { (name.as_str(), other) };
            let line = match self.draw(6) {
                0 => format!("%p{n} = cube.shl %{name}, %one : i32"),
                _ => format!("%p{n} = arith.{op} %{x}, %{y} : i32"),
            };
            self.line(&line);
            name = format!("p{n}");
        }
        name
    }

    fn body(&mut self, counter: &str, sum: &str) -> String {
        let mut sum = sum.to_string();
        let barrier = self.units > 1 && self.draw(2) == 0;
        let uniform = barrier && self.draw(4) > 0;
        for _ in 0..1 + self.draw(3) {
            let (number, n) = (self.number(counter, uniform), self.fresh());
            match self.draw(4) {
                0 | 1 => {
                    self.line(&format!("%v{n} = cube.load %x[%{number}] checked : !cube.array<i32> -> i32"));
                    self.line(&format!(
                        "%m{n} = arith.muli %{sum}, %five : i32\n%a{n} = arith.addi %m{n}, %v{n} : i32"
                    ));
                }
                2 if self.units == 1 => {
                    self.line(&format!("cube.store %{sum}, %out[%{number}] checked : i32, !cube.array<i32>"));
                    self.line(&format!("%a{n} = arith.addi %{sum}, %three : i32"));
                }
                _ => {
                    let limit = ["w", "s", "length"][self.draw(3)];
                    self.line(&format!("%c{n} = arith.cmpi ult, %{number}, %{limit} : i32"));
                    self.line(&format!("%a{n} = scf.if %c{n} -> (i32) {{"));
                    self.line(&format!("%v{n} = cube.load %x[%{number}] checked : !cube.array<i32> -> i32"));
                    self.line(&format!("%b{n} = arith.xori %{sum}, %v{n} : i32\nscf.yield %b{n} : i32\n}} else {{"));
                    self.line(&format!("%e{n} = arith.addi %{sum}, %one : i32\nscf.yield %e{n} : i32\n}}"));
                }
            }
            sum = format!("a{n}");
        }
        if barrier {
            self.line("cube.sync cube");
        }
        sum
    }
}

/// The kernel of a seed, and the first number of its loops.
fn kernel(seed: u64) -> (String, i32) {
    let mut state = seed ^ 0x9ee1;
    let units = [1u32, 8][(random(&mut state) % 2) as usize];
    let from = [0, 0, 2, -16][(random(&mut state) % 4) as usize];
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32, %w: i32, %s: i32) cube_dim({units}) {{\n"
    );
    let mut all = Gen { state, text, next: 0, units };
    for (name, value) in [("zero", 0), ("one", 1), ("three", 3), ("five", 5), ("from", from)] {
        all.line(&format!("%{name} = arith.constant {value} : i32"));
    }
    let step = [1, 1, 1, 2, 7][all.draw(5)];
    all.line(&format!("%step = arith.constant {step} : i32\n%unit = cube.topology unit_pos"));
    all.line("%length = cube.len %x : !cube.array<i32>");
    let mut sum = "unit".to_string();
    for _ in 0..2 {
        let n = all.fresh();
        all.line(&format!(
            "%s{n} = scf.for unsigned %i{n} = %from to %n step %step iter_args(%t{n} = %{sum}) -> (i32) : i32 {{"
        ));
        let end = all.body(&format!("i{n}"), &format!("t{n}"));
        all.line(&format!("scf.yield %{end} : i32\n}}"));
        sum = format!("s{n}");
    }
    all.line(&format!("cube.store %{sum}, %out[%unit] checked : i32, !cube.array<i32>\ncube.return\n}}"));
    (all.text, from)
}

fn launches(from: i32) -> Vec<Launch> {
    let ends: &[u64] = if from < 0 { &[5, 0xffff_fff3, 0xffff_ffff] } else { &[0, 5, 17, 40] };
    let mut all = Vec::new();
    for (k, end) in ends.iter().enumerate() {
        for (j, length) in [0usize, 1, 10, 33, 130].into_iter().enumerate() {
            let w = [0u64, 1, 7, 0x1_0000, 0xffff_ffff][(j + k) % 5];
            let s = [0u64, 3, 0xffff_fff0, 0x7fff_ffff, 20][(2 * j + k) % 5];
            let buffer =
                |lines: usize| Arg::Buffer { bytes: (0..4 * lines).map(|n| n as u8).collect(), initialised: true };
            all.push((vec![buffer(length), buffer(64), Arg::Scalar(*end), Arg::Scalar(w), Arg::Scalar(s)], 1));
        }
    }
    all
}

fn session() -> Session {
    cube_passes::register();
    Session::new()
}

#[test]
fn random_loops_have_the_same_results() {
    let (first, count) = seeds(80);
    let mut changed = 0;
    for seed in first..first + count {
        let (text, from) = kernel(seed);
        let session = session();
        let [before, after] = before_and_after(&session, &text, PIPELINE);
        let (expected, found) = (results(&before, &launches(from)), results(&after, &launches(from)));
        for (n, (expected, found)) in expected.iter().zip(&found).enumerate() {
            assert!(expected.is_ok(), "seed {seed}, launch {n}: {expected:?}\n{text}");
            assert!(expected == found, "seed {seed}, launch {n}: {found:?}\n{}", after.print());
        }
        changed += u64::from(before.print() != after.print());
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 4, "only {changed} of {count} kernels were changed");
}

/// Whether the interpreter's results show a bug that is inserted after the pass. `None` if the position does not exist.
fn shows(how: Bug, place: usize, seed: u64) -> Option<bool> {
    let (text, from) = kernel(seed);
    let session = session();
    let [before, after] = before_and_after(&session, &text, PIPELINE);
    let planted = before.print() != after.print() && mutate_module(after.op(), how, place);
    planted.then(|| results(&before, &launches(from)) != results(&after, &launches(from)))
}

/// Kinds of bugs in the emitted bounds of the loops.
const PLANTED: &[Bug] = &[Bug::FirstOperand, Bug::Select, Bug::Predicate, Bug::Iterations, Bug::Constant];

#[test]
fn a_break_of_the_pass_shows() {
    for how in PLANTED {
        let shown = (1..=12).flat_map(|seed| (0..6).map(move |place| (seed, place)));
        let found = shown.filter(|(seed, place)| shows(*how, *place, *seed) == Some(true)).count();
        assert!(found >= 3, "{how:?} shows at {found} positions only");
    }
}
