//! Random kernels with barriers before and after the pass `eliminate-barriers`, in the interpreter. All units of a cube
//! read and write shared and global memory. In the source, a barrier separates all accesses of different units to the
//! same bytes. The interpreter reports a race if the pass removes such a barrier.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, pass_changes};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

const PASS: &str = "eliminate-barriers";

/// The buffers of a kernel, with their types.
const BUFFERS: &[(&str, &str)] =
    &[("x", "!cube.array<i32>"), ("s", "!cube.shared<96 x i32>"), ("t", "!cube.shared<96 x i32>")];

/// Indices that have a different value in each unit of the cube.
const OWN: &[&str] = &["unit", "mirror", "twice", "moved", "rotated"];
/// Indices of lines that can belong to any unit.
const ANY: &[&str] = &["unit", "mirror", "twice", "moved", "rotated", "next", "zero", "n", "counter"];

struct Gen {
    state: u64,
    text: String,
    next: usize,
    in_loop: bool,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    /// One phase between two barriers: all units read any lines of all buffers, or each unit writes one line and reads
    /// the same line.
    fn phase(&mut self, sum: &str) -> String {
        let n = self.next;
        self.next += 1;
        let (buffer, ty) = BUFFERS[self.draw(BUFFERS.len())];
        let writes = self.draw(2) == 0;
        let from = if writes { OWN } else { ANY };
        let mut index = from[self.draw(from.len())].to_string();
        if index == "counter" && !self.in_loop {
            index = "n".into();
        }
        // The index depends on the unit's position and on the loop counter, so each unit accesses a different line in each iteration.
        if self.in_loop && self.draw(4) == 0 {
            self.line(&format!("%moving{n} = arith.addi %{index}, %counter : i32"));
            index = format!("moving{n}");
        }
        if writes {
            self.line(&format!("cube.store %{sum}, %{buffer}[%{index}] checked : i32, {ty}"));
        }
        let mut sum = sum.to_string();
        for part in 0..1 + self.draw(2) {
            self.line(&format!("%v{n}_{part} = cube.load %{buffer}[%{index}] checked : {ty} -> i32"));
            self.line(&format!("%m{n}_{part} = arith.muli %{sum}, %five : i32"));
            self.line(&format!("%s{n}_{part} = arith.addi %m{n}_{part}, %v{n}_{part} : i32"));
            sum = format!("s{n}_{part}");
        }
        sum
    }

    fn barrier(&mut self) {
        self.line("cube.sync cube");
        if self.draw(8) == 0 {
            self.line("cube.sync storage");
        }
    }

    fn block(&mut self, mut sum: String, count: usize, depth: usize) -> String {
        for _ in 0..count {
            let n = self.next;
            self.next += 1;
            let kind = self.draw(if depth > 0 { 6 } else { 4 });
            match kind {
                0..=3 => sum = self.phase(&sum),
                4 => {
                    self.line(&format!("%s{n} = scf.if %uniform -> (i32) {{"));
                    let yes = self.block(sum.clone(), 2, depth - 1);
                    self.line(&format!("scf.yield %{yes} : i32\n}} else {{"));
                    let no = if self.draw(2) == 0 { self.block(sum.clone(), 1, depth - 1) } else { sum.clone() };
                    self.line(&format!("scf.yield %{no} : i32\n}}"));
                    sum = format!("s{n}");
                }
                _ if self.in_loop => continue,
                _ => {
                    self.in_loop = true;
                    self.line(&format!(
                        "%s{n} = scf.for unsigned %counter = %zero to %n step %one iter_args(%t{n} = %{sum}) -> (i32) : i32 {{"
                    ));
                    let end = self.block(format!("t{n}"), 3, depth - 1);
                    self.line(&format!("scf.yield %{end} : i32\n}}"));
                    self.in_loop = false;
                    sum = format!("s{n}");
                }
            }
            // A barrier ends each arm of a branch and each iteration, so a branch or loop needs no barrier after it.
            if kind <= 3 || self.draw(2) == 0 {
                self.barrier();
            }
        }
        sum
    }
}

fn kernel(seed: u64) -> String {
    let mut state = seed ^ 0xba441e4;
    let dim = ["8", "4, 2", "32"][(random(&mut state) % 3) as usize];
    let units: u32 = dim.split(", ").map(|n| n.parse::<u32>().expect("a number")).product();
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32, %far: i32) cube_dim({dim}) {{\n"
    );
    let mut all = Gen { state, text, next: 0, in_loop: false };
    for (name, value) in [("zero", 0), ("one", 1), ("two", 2), ("five", 5), ("last", units - 1), ("units", units)] {
        all.line(&format!("%{name} = arith.constant {value} : i32"));
    }
    if dim == "4, 2" {
        all.line("%ux = cube.topology unit_pos_x\n%uy = cube.topology unit_pos_y\n%row = arith.constant 4 : i32");
        all.line("%start = arith.muli %uy, %row : i32\n%unit = arith.addi %start, %ux : i32");
    } else {
        all.line("%unit = cube.topology unit_pos");
    }
    all.line("%mirror = arith.subi %last, %unit : i32\n%twice = arith.muli %unit, %two : i32");
    all.line("%moved = arith.addi %unit, %far : i32\n%next = arith.addi %unit, %one : i32");
    all.line("%r = arith.addi %unit, %units : i32\n%rotated = arith.addi %r, %far : i32");
    all.line("%uniform = arith.cmpi ult, %n, %two : i32");
    for (name, ty) in &BUFFERS[1..] {
        all.line(&format!("%{name} = cube.alloc : {ty}"));
        // All lines have a value before anything reads them.
        all.line(&format!("%end_{name} = arith.constant 96 : i32"));
        all.line(&format!("scf.for unsigned %f_{name} = %unit to %end_{name} step %units : i32 {{"));
        all.line(&format!("cube.store %f_{name}, %{name}[%f_{name}] inbounds : i32, {ty}\n}}"));
    }
    all.line("cube.sync cube");
    let sum = all.block("unit".into(), 8, 2);
    all.line(&format!("cube.store %{sum}, %out[%unit] checked : i32, !cube.array<i32>\ncube.return\n}}"));
    all.text
}

#[test]
fn random_barriers_leave_no_race_and_no_other_result() {
    let (first, count) = seeds(60);
    let mut changed = 0;
    for seed in first..first + count {
        let launch = |n: u64, far: u64| -> Launch {
            let buffer =
                |lines: usize| Arg::Buffer { bytes: (0..4 * lines).map(|n| n as u8).collect(), initialised: true };
            (vec![buffer(70), buffer(32), Arg::Scalar(n), Arg::Scalar(far)], 1)
        };
        changed +=
            u64::from(pass_changes(PASS, &kernel(seed), &[launch(0, 3), launch(1, 0), launch(3, 0xffff_fffe)][..]));
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 6, "only {changed} of {count} kernels were changed");
}
