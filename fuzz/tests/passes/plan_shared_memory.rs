//! Random kernels with shared arrays before and after the pass `plan-shared-memory`, in the interpreter. Units write and
//! read arrays of several types in the phases between barriers. In the source, no accesses race, and each read follows a
//! write. Arrays that share bytes have common memory in the interpreter, which reports a race between their accesses
//! and a read of bytes that another array overwrote.
use cube_artifact::Target;
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, pass_changes_for};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

const PASS: &str = "plan-shared-memory";

/// The arrays of a kernel, with their types, in the order in which phases use them. The last three types are only for
/// targets with untyped memory.
const ARRAYS: &[(&str, &str)] = &[
    ("!cube.shared<40 x i32>", "i32"),
    ("!cube.shared<64 x i32>", "i32"),
    ("!cube.shared<33 x i32, 4>", "vector<4xi32>"),
    ("!cube.shared<32 x i32>", "i32"),
    ("!cube.shared<48 x i32, 4>", "vector<4xi32>"),
    ("!cube.shared<100 x i16>", "i16"),
    ("!cube.shared<32 x i64>", "i64"),
    ("!cube.shared<65 x i8>", "i8"),
];

struct Gen {
    state: u64,
    text: String,
    next: usize,
    /// The types of the kernel's arrays.
    arrays: Vec<(&'static str, &'static str)>,
    /// For each array, whether all units have written their line on every path.
    written: Vec<bool>,
    /// The arrays that were accessed after the last barrier.
    accessed: Vec<usize>,
    /// The number of an array. A phase accesses this array or the next one.
    around: usize,
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

    fn barrier(&mut self) {
        self.line("cube.sync cube");
        self.accessed.clear();
    }

    /// All units write their own line of an array, or read the line of another unit.
    fn access(&mut self, sum: &str) -> String {
        let array = (self.around + self.draw(2)).min(self.arrays.len() - 1);
        let (ty, line) = self.arrays[array];
        let n = self.fresh();
        // Only a barrier orders two accesses of one array. A barrier of another scope orders no shared memory.
        if self.accessed.contains(&array) || self.draw(3) == 0 {
            self.barrier();
        } else if self.draw(4) == 0 {
            self.line("cube.sync storage");
        }
        self.accessed.push(array);
        if !self.written[array] || self.draw(3) == 0 {
            let value = match line {
                "i32" => sum.to_string(),
                "i64" => format!("w{n} = arith.extui %{sum} : i32 to i64"),
                "i16" | "i8" => format!("w{n} = arith.trunci %{sum} : i32 to {line}"),
                _ => format!("w{n} = vector.broadcast %{sum} : i32 to {line}"),
            };
            let name = if line == "i32" { value.clone() } else { format!("w{n}") };
            if line != "i32" {
                self.line(&format!("%{value}"));
            }
            self.line(&format!("cube.store %{name}, %s{array}[%unit] checked : {line}, {ty}"));
            self.written[array] = true;
            return sum.into();
        }
        let index = ["mirror", "next", "zero"][self.draw(3)];
        self.line(&format!("%l{n} = cube.load %s{array}[%{index}] checked : {ty} -> {line}"));
        let value = match line {
            "i32" => format!("l{n}"),
            "i64" => format!("r{n} = arith.trunci %l{n} : i64 to i32"),
            "i16" | "i8" => format!("r{n} = arith.extui %l{n} : {line} to i32"),
            _ => format!("r{n} = vector.extract %l{n}[2] : i32 from {line}"),
        };
        let name = if line == "i32" { value.clone() } else { format!("r{n}") };
        if line != "i32" {
            self.line(&format!("%{value}"));
        }
        self.line(&format!("%m{n} = arith.muli %{sum}, %five : i32\n%a{n} = arith.addi %m{n}, %{name} : i32"));
        format!("a{n}")
    }

    fn block(&mut self, mut sum: String, count: usize, depth: usize) -> String {
        for _ in 0..count {
            let n = self.fresh();
            match self.draw(if depth > 0 { 8 } else { 6 }) {
                0..=4 => sum = self.access(&sum),
                5 => self.around = (self.around + 1).min(self.arrays.len() - 1),
                6 => {
                    if self.draw(2) == 0 {
                        self.barrier();
                    }
                    let (before, written) = (self.accessed.clone(), self.written.clone());
                    self.line(&format!("%a{n} = scf.if %uniform -> (i32) {{"));
                    let yes = self.block(sum.clone(), 3, depth - 1);
                    let after_yes = (std::mem::replace(&mut self.accessed, before), self.written.clone());
                    self.written = written;
                    self.line(&format!("scf.yield %{yes} : i32\n}} else {{"));
                    let no = self.block(sum.clone(), 2, depth - 1);
                    self.line(&format!("scf.yield %{no} : i32\n}}"));
                    self.accessed.extend(after_yes.0);
                    self.written.iter_mut().zip(after_yes.1).for_each(|(no, yes)| *no &= yes);
                    sum = format!("a{n}");
                }
                _ => {
                    // A barrier at the start of each iteration separates it from the last one.
                    let written = self.written.clone();
                    let before = self.accessed.clone();
                    self.line(&format!(
                        "%a{n} = scf.for unsigned %k{n} = %zero to %n step %one iter_args(%t{n} = %{sum}) -> (i32) : i32 {{"
                    ));
                    self.barrier();
                    let end = self.block(format!("t{n}"), 3, depth - 1);
                    self.line(&format!("scf.yield %{end} : i32\n}}"));
                    self.accessed.extend(before);
                    self.written = written;
                    sum = format!("a{n}");
                }
            }
        }
        sum
    }
}

fn kernel(seed: u64, arrays: &[(&'static str, &'static str)]) -> String {
    let mut state = seed ^ 0x5ba4ed;
    let units = [8u32, 16, 32][(random(&mut state) % 3) as usize];
    let text = format!("cube.kernel @k(%out: !cube.array<i32>, %n: i32) cube_dim({units}) {{\n");
    let mut order: Vec<_> = arrays.to_vec();
    order.rotate_left((random(&mut state) % arrays.len() as u64) as usize);
    let count = order.len();
    let mut all = Gen { state, text, next: 0, arrays: order, written: vec![false; count], accessed: vec![], around: 0 };
    for (name, value) in [("zero", 0), ("one", 1), ("two", 2), ("five", 5), ("last", units - 1), ("units", units)] {
        all.line(&format!("%{name} = arith.constant {value} : i32"));
    }
    all.line("%unit = cube.topology unit_pos\n%mirror = arith.subi %last, %unit : i32");
    all.line("%o = arith.addi %unit, %one : i32\n%next = cube.remui %o, %units : i32");
    all.line("%uniform = arith.cmpi ult, %n, %two : i32");
    for number in 0..count {
        let ty = all.arrays[number].0;
        all.line(&format!("%s{number} = cube.alloc : {ty}"));
    }
    let sum = all.block("unit".into(), 24, 2);
    all.line(&format!("cube.store %{sum}, %out[%unit] checked : i32, !cube.array<i32>\ncube.return\n}}"));
    all.text
}

fn hold(target: &Target, arrays: &[(&'static str, &'static str)]) {
    let (first, count) = seeds(60);
    let mut changed = 0;
    for seed in first..first + count {
        let out = Arg::Buffer { bytes: vec![0; 128], initialised: true };
        let launches: Vec<Launch> = [0, 1, 3].map(|n| (vec![out.clone(), Arg::Scalar(n)], 1)).into();
        changed += u64::from(pass_changes_for(target, PASS, &kernel(seed, arrays), &launches));
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 3, "only {changed} of {count} kernels were changed");
}

#[test]
fn random_arrays_share_bytes_without_another_result() {
    hold(&Target::cpu(), ARRAYS);
}

#[test]
fn random_arrays_of_one_type_share_memory_without_another_result() {
    hold(&"wgsl:core".parse().expect("a target"), &ARRAYS[..5]);
}
