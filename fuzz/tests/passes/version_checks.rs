//! Random kernels before and after the pass `version-checks`, in the interpreter. Indices are sums, products, quotients
//! and remainders of positions, counters and launch values, which also wrap around. Each kernel runs with buffers of
//! several lengths: the shortest length for which the launcher selects the version without checks, one line less, and 0.
use cube_artifact::derived::{Arguments, Derived, Property};
use cube_backend_interp::Arg;
use cube_fuzz::alone::{self, before_and_after, results};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use cube_ir::Session;
use std::fmt::Write;

const PIPELINE: &str = "builtin.module(attach-target{target=nvptx:sm_70},cube.kernel(version-checks))";

/// Units of a cube.
const UNITS: u64 = 8;

/// Maximum number of lines of a buffer.
const MAX_LINES: u64 = 1 << 14;

struct Gen {
    state: u64,
    text: String,
    next: usize,
    /// Names of the numbers from which indices are computed.
    numbers: Vec<String>,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn number(&mut self) -> String {
        let n = self.draw(self.numbers.len());
        self.numbers[n].clone()
    }

    /// Emits an operation on known numbers.
    fn operation(&mut self) -> String {
        let (x, y, name) = (self.number(), self.number(), self.fresh("v"));
        let line = match self.draw(16) {
            0..=3 => format!("arith.addi %{x}, %{y} : i32"),
            4..=6 => format!("arith.muli %{x}, %{y} : i32"),
            7 | 8 => format!("cube.divui %{x}, %{y} : i32"),
            9 | 10 => format!("cube.remui %{x}, %{y} : i32"),
            11 => format!("cube.shrui %{x}, %one : i32"),
            12 => format!("cube.shl %{x}, %one : i32"),
            13 => format!("arith.minui %{x}, %{y} : i32"),
            14 => format!("arith.ori %{x}, %{y} : i32"),
            _ => format!("arith.subi %{x}, %{y} : i32"),
        };
        self.line(&format!("%{name} = {line}"));
        self.numbers.push(name.clone());
        name
    }

    /// Emits accesses, conditions and loops; returns the name of the last sum.
    fn body(&mut self, sum: &str, depth: usize) -> String {
        let mut sum = sum.to_string();
        for _ in 0..1 + self.draw(3) {
            for _ in 0..self.draw(3) {
                self.operation();
            }
            let known = self.numbers.len();
            match self.draw(if depth == 0 { 4 } else { 8 }) {
                0..=2 => {
                    let (at, v, a) = (self.number(), self.fresh("l"), self.fresh("a"));
                    self.line(&format!("%{v} = cube.load %x[%{at}] checked : !cube.array<i32> -> i32"));
                    self.line(&format!("%{a} = arith.addi %{sum}, %{v} : i32"));
                    // Some indices are numbers from memory.
                    if self.draw(3) == 0 {
                        self.numbers.push(v);
                    }
                    sum = a;
                }
                3 => {
                    let (m, at) = (self.fresh("m"), self.fresh("at"));
                    // Each unit writes other lines than the other units.
                    self.line(&format!("%{m} = arith.muli %zero, %{} : i32", self.numbers[0].clone()));
                    self.line(&format!("%{at} = arith.addi %p, %{m} : i32"));
                    self.line(&format!("cube.store %{sum}, %out[%{at}] checked : i32, !cube.array<i32>"));
                }
                4 | 5 => {
                    let (x, y, c, r) = (self.number(), self.number(), self.fresh("c"), self.fresh("r"));
                    let word = ["ult", "ule", "ugt", "uge", "ne", "ult"][self.draw(6)];
                    self.line(&format!("%{c} = arith.cmpi {word}, %{x}, %{y} : i32\n%{r} = scf.if %{c} -> (i32) {{"));
                    let inner = self.body(&sum, depth - 1);
                    self.line(&format!("scf.yield %{inner} : i32\n}} else {{"));
                    self.numbers.truncate(known);
                    let other = if self.draw(2) == 0 { self.body(&sum, depth - 1) } else { sum.clone() };
                    self.line(&format!("scf.yield %{other} : i32\n}}"));
                    sum = r;
                }
                _ => {
                    let (i, s, h, r) = (self.fresh("i"), self.fresh("s"), self.fresh("h"), self.fresh("r"));
                    let first = ["zero", "one", "p"][self.draw(3)];
                    let (last, step, carried) =
                        (["few", "three", "some"][self.draw(3)], ["one", "three"][self.draw(2)], self.number());
                    self.line(&format!(
                        "%{r}:2 = scf.for unsigned %{i} = %{first} to %{last} step %{step} iter_args(%{s} = %{sum}, %{h} = %{carried}) -> (i32, i32) : i32 {{"
                    ));
                    self.numbers.extend([i, h.clone()]);
                    let inner = self.body(&s, depth - 1);
                    let next = match self.draw(3) {
                        0 => format!("cube.shrui %{h}, %one : i32"),
                        1 => format!("arith.subi %three, %{h} : i32"),
                        _ => format!("arith.addi %{h}, %one : i32"),
                    };
                    let name = self.fresh("n");
                    self.line(&format!("%{name} = {next}\nscf.yield %{inner}, %{name} : i32, i32\n}}"));
                    self.numbers.truncate(known);
                    sum = format!("{r}#0");
                    let copy = self.fresh("t");
                    self.line(&format!("%{copy} = arith.addi %{sum}, %zero : i32"));
                    sum = copy;
                }
            }
            self.numbers.truncate(known.max(8));
        }
        sum
    }
}

fn kernel(seed: u64) -> String {
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %out: !cube.array<i32>, %n: i32 {{cube.host = \"u32\"}}, %w: i32 {{cube.host = \"u32\"}}) cube_dim({UNITS}) {{\n"
    );
    let mut all = Gen { state: seed ^ 0xc4ec, text, next: 0, numbers: vec![] };
    for (name, value) in [("zero", 0), ("one", 1), ("three", 3), ("half", i32::MIN)] {
        all.line(&format!("%{name} = arith.constant {value} : i32"));
    }
    all.line("%p = cube.topology absolute_pos_x\n%u = cube.topology unit_pos\n%len = cube.len %x : !cube.array<i32>");
    all.line("%few = cube.remui %n, %three : i32");
    // A loop up to `some` runs only for positions below `n`.
    all.line("%below = arith.cmpi ult, %p, %n : i32\n%some = arith.select %below, %few, %zero : i32");
    all.numbers = ["p", "u", "n", "w", "three", "one", "few", "p"].map(String::from).into();
    if all.draw(4) == 0 {
        all.numbers.push("half".into());
    }
    if all.draw(4) == 0 {
        all.numbers.push("len".into());
    }
    let sum = all.body("u", 2);
    all.line(&format!("cube.store %{sum}, %out[%p] checked : i32, !cube.array<i32>\ncube.return\n}}"));
    all.text
}

/// The arguments of a launch: lines of both buffers, scalars, cubes.
#[derive(Clone, Copy, Debug)]
struct Launch {
    lines: [u64; 2],
    scalars: [u64; 2],
    cubes: u32,
}

impl Arguments for Launch {
    fn scalar(&self, name: &str) -> Option<u64> {
        ["n", "w"].iter().position(|scalar| *scalar == name).map(|at| self.scalars[at])
    }
    fn of(&self, _: Property, name: &str, _: u32) -> Option<u64> {
        ["x", "out"].iter().position(|buffer| *buffer == name).map(|at| self.lines[at])
    }
    fn cubes(&self, axis: u32) -> Option<u64> {
        Some(if axis == 0 { self.cubes.into() } else { 1 })
    }
}

/// The conditions of the versions in a module.
fn conditions(module: &str) -> Vec<Derived> {
    let texts = module.split("cube.derived = \"").skip(1).filter_map(|rest| rest.split('"').next());
    texts.map(|text| Derived::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))).collect()
}

/// The launches of a kernel. For each condition, the lengths include the shortest that satisfies the condition.
fn launches(conditions: &[Derived]) -> Vec<Launch> {
    let mut all = vec![];
    let scalars = [[5, 3], [16, 4], [0, 0], [1, 7], [0xffff_ffff, 2], [0x8000_0000, 0x8000_0001], [24, 0xffff_ffff]];
    for (k, scalars) in scalars.into_iter().enumerate() {
        let cubes = [1, 2, 3][k % 3];
        let with = |lines| Launch { lines, scalars, cubes };
        all.extend([[0, 24], [3, 24], [200, 9]].map(with));
        for condition in conditions {
            let holds = |n: u64| condition.evaluate(&with([n; 2])) == Ok(1);
            if !holds(MAX_LINES) {
                continue;
            }
            // The condition holds for all lengths from a certain length.
            let (mut below, mut least) = (0, MAX_LINES);
            while below < least {
                let middle = (below + least) / 2;
                (below, least) = if holds(middle) { (below, middle) } else { (middle + 1, least) };
            }
            all.extend([least, least.saturating_sub(1)].map(|n| with([n; 2])));
        }
    }
    all
}

/// The launches with their arguments.
fn with_arguments(launches: &[Launch]) -> Vec<alone::Launch> {
    let buffer = |lines: u64| Arg::Buffer {
        bytes: (0..lines).flat_map(|n| ((n * 7 % 13) as u32).to_le_bytes()).collect(),
        initialised: true,
    };
    let of = |launch: &Launch| {
        let buffers = launch.lines.map(buffer);
        (buffers.into_iter().chain(launch.scalars.map(Arg::Scalar)).collect(), launch.cubes)
    };
    launches.iter().map(of).collect()
}

fn session() -> Session {
    cube_passes::register();
    Session::new()
}

#[test]
fn random_kernels_have_the_same_results() {
    let (first, count) = seeds(100);
    let (mut changed, mut guarded, mut all) = (0, 0, 0);
    for seed in first..first + count {
        let text = kernel(seed);
        let session = session();
        let [before, after] = before_and_after(&session, &text, PIPELINE);
        let conditions = conditions(&after.print());
        let launches = launches(&conditions);
        let (expected, found) = {
            let launches = with_arguments(&launches);
            (results(&before, &launches), results(&after, &launches))
        };
        for (launch, (expected, found)) in launches.iter().zip(expected.iter().zip(&found)) {
            assert!(expected.is_ok(), "seed {seed}, {launch:?}: {expected:?}\n{text}");
            assert!(expected == found, "seed {seed}, {launch:?}: {found:?}\n{}", after.print());
            guarded += conditions.iter().filter(|condition| condition.evaluate(launch) == Ok(1)).count();
            all += conditions.len();
        }
        changed += u64::from(!conditions.is_empty());
    }
    eprintln!("{changed} of {count} kernels from seed {first} have versions; {guarded} of {all} conditions hold");
    assert!(changed * 10 >= count * 6 && guarded * 4 >= all, "few kernels or launches have versions without checks");
}

#[test]
fn a_bound_that_is_too_small_by_one_shows() {
    let mut shown = 0;
    for seed in 1..=40 {
        let text = kernel(seed);
        let session = session();
        let [before, after] = before_and_after(&session, &text, PIPELINE);
        let after = after.print();
        // Each condition compares with a length that is too large by one.
        let broken = after
            .replace("buffer_len(x))", "add(buffer_len(x), 1))")
            .replace("buffer_len(out))", "add(buffer_len(out), 1))");
        let conditions = conditions(&broken);
        let arguments = with_arguments(&launches(&conditions));
        let broken = session.parse(broken.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}\n{broken}"));
        shown += usize::from(results(&before, &arguments) != results(&broken, &arguments));
    }
    assert!(shown >= 15, "only {shown} of 40 kernels show a bound that is too small by one");
}
