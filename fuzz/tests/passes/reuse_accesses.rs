//! Random sequences of loads and stores before and after the pass `reuse-accesses`, in the interpreter. The kernels
//! contain `checked` and `inbounds` accesses, inside and outside of buffers, to global, shared and local memory. The
//! kernels also contain branches, loops and barriers.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, pass_changes};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

const PASS: &str = "reuse-accesses";

/// The buffers of a kernel, with their types. Each buffer has four lines.
const BUFFERS: &[(&str, &str)] = &[
    ("x", "!cube.array<i32>"),
    ("y", "!cube.array<i32>"),
    ("cells", "!cube.local<4 x i32>"),
    ("other", "!cube.local<4 x i32>"),
    ("tile", "!cube.shared<4 x i32>"),
];

struct Gen {
    state: u64,
    text: String,
    next: usize,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    /// Generates statements that add the loaded values to the value named `sum`; returns the name of the new
    /// sum.
    fn block(&mut self, mut sum: String, count: usize, depth: usize, in_branch: bool) -> String {
        for _ in 0..count {
            let n = self.next;
            self.next += 1;
            let (buffer, ty) = BUFFERS[self.draw(BUFFERS.len())];
            // The indices 4 and 5 are out of bounds, so these accesses must be checked.
            let index = ["zero", "one", "inner", "near", "i", "five"][self.draw(6)];
            let inside = !matches!(index, "i" | "five");
            let bounds = if inside && self.draw(2) == 0 { "inbounds" } else { "checked" };
            match self.draw(if depth > 0 { 9 } else { 6 }) {
                0..=2 => {
                    self.line(&format!("%v{n} = cube.load %{buffer}[%{index}] {bounds} : {ty} -> i32"));
                    self.line(&format!(
                        "%m{n} = arith.muli %{sum}, %five : i32\n%s{n} = arith.addi %m{n}, %v{n} : i32"
                    ));
                    sum = format!("s{n}");
                }
                3 | 4 => {
                    let value = [sum.as_str(), "i", "one"][self.draw(3)].to_string();
                    self.line(&format!("cube.store %{value}, %{buffer}[%{index}] {bounds} : i32, {ty}"));
                }
                5 if !in_branch => self.line("cube.sync cube"),
                5 => {}
                6 | 7 => {
                    self.line(&format!("%c{n} = arith.cmpi ult, %{}, %j : i32", ["i", "one"][n % 2]));
                    self.line(&format!("%s{n} = scf.if %c{n} -> (i32) {{"));
                    let yes = self.block(sum.clone(), 3, depth - 1, true);
                    self.line(&format!("scf.yield %{yes} : i32\n}} else {{"));
                    let no = self.block(sum.clone(), 2, depth - 1, true);
                    self.line(&format!("scf.yield %{no} : i32\n}}"));
                    sum = format!("s{n}");
                }
                _ => {
                    self.line(&format!(
                        "%s{n} = scf.for unsigned %l{n} = %zero to %j step %one iter_args(%t{n} = %{sum}) -> (i32) : i32 {{"
                    ));
                    let end = self.block(format!("t{n}"), 4, depth - 1, in_branch);
                    self.line(&format!("scf.yield %{end} : i32\n}}"));
                    sum = format!("s{n}");
                }
            }
        }
        sum
    }
}

fn kernel(seed: u64) -> String {
    let text = "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>, %out: !cube.array<i32>, %i: i32, %j: i32) cube_dim(1) {\n";
    let mut all = Gen { state: seed ^ 0xacce55, text: text.into(), next: 0 };
    for (name, value) in [("zero", 0), ("one", 1), ("three", 3), ("five", 5)] {
        all.line(&format!("%{name} = arith.constant {value} : i32"));
    }
    all.line("%inner = arith.andi %i, %three : i32\n%next = arith.addi %i, %one : i32\n%near = arith.andi %next, %three : i32");
    for (name, ty) in &BUFFERS[2..] {
        all.line(&format!("%{name} = cube.alloc : {ty}"));
        // All lines have a value before anything reads them.
        all.line(&format!(
            "%end_{name} = arith.constant 4 : i32\nscf.for unsigned %f_{name} = %zero to %end_{name} step %one : i32 {{"
        ));
        all.line(&format!("cube.store %i, %{name}[%f_{name}] inbounds : i32, {ty}\n}}"));
    }
    let sum = all.block("j".into(), 16, 2, false);
    all.line(&format!("cube.store %{sum}, %out[%zero] checked : i32, !cube.array<i32>\ncube.return\n}}"));
    all.text
}

#[test]
fn random_accesses_have_the_same_results() {
    let (first, count) = seeds(100);
    let mut changed = 0;
    for seed in first..first + count {
        let launch = |i: u64, j: u64| -> Launch {
            let buffer = |from: u8| Arg::Buffer { bytes: (from..from + 16).collect(), initialised: true };
            (vec![buffer(1), buffer(50), buffer(0), Arg::Scalar(i), Arg::Scalar(j)], 1)
        };
        let launches = [launch(0, 2), launch(1, 0), launch(2, 3), launch(3, 1), launch(4, 9), launch(0xffff_ffff, 1)];
        changed += u64::from(pass_changes(PASS, &kernel(seed), &launches));
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 6, "only {changed} of {count} kernels were changed");
}
