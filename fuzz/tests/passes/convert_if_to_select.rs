//! Random branches before and after the pass `convert-if-to-select`, in the interpreter. The arms compute integers and
//! floats, with loads, divisions and nested branches among cheap operations. The inputs have NaNs with payloads,
//! infinities and zeros of both signs, and the test compares all bits of the results.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, results_of};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

const PASS: &str = "convert-if-to-select";

/// The step before the pass. Earlier steps can exchange the operands of a sum, which changes the payload of a NaN.
const BEFORE: &str = "eliminate-barriers";

/// Types of values, each with operations of two operands.
const TYPES: &[(&str, &[&str])] = &[
    (
        "i32",
        &[
            "arith.addi",
            "arith.subi",
            "arith.muli",
            "arith.xori",
            "cube.shl",
            "cube.shrui",
            "arith.minsi",
            "cube.divui",
            "cube.remsi",
        ],
    ),
    ("i64", &["arith.addi", "arith.subi", "arith.muli", "arith.andi", "cube.shrui"]),
    ("f32", &["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minnumf", "arith.divf"]),
    ("f16", &["arith.addf", "arith.subf", "arith.mulf", "arith.maxnumf"]),
];

struct Gen {
    state: u64,
    text: String,
    next: usize,
    /// Names of visible values, for each type of [`TYPES`].
    values: Vec<Vec<String>>,
}

impl Gen {
    fn draw(&mut self, n: usize) -> usize {
        (random(&mut self.state) % n as u64) as usize
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn any(&mut self, ty: usize) -> String {
        // Later values are chosen more often, so that the results of branches are used.
        let count = self.values[ty].len();
        let n = self.draw(count).max(self.draw(count));
        self.values[ty][n].clone()
    }

    fn operation(&mut self) {
        let ty = self.draw(TYPES.len());
        let (name, operations) = TYPES[ty];
        let (x, y, new) = (self.any(ty), self.any(ty), self.fresh());
        let operation = operations[self.draw(operations.len())];
        match (self.draw(8), name) {
            (0, "i32") => self.line(&format!("%{new} = cube.load %k[%{x}] checked : !cube.array<i32> -> i32")),
            (1, "f32") => self.line(&format!("%{new} = arith.negf %{x} : f32")),
            _ => self.line(&format!("%{new} = {operation} %{x}, %{y} : {name}")),
        }
        self.values[ty].push(new);
    }

    /// Up to three operations, perhaps with a branch among them.
    fn arm(&mut self, depth: usize, types: &[usize]) {
        let outside: Vec<usize> = self.values.iter().map(Vec::len).collect();
        for _ in 0..self.draw(4) {
            self.operation();
        }
        if depth > 0 && self.draw(3) == 0 {
            self.branch(depth - 1);
        }
        let ends: Vec<String> = types.iter().map(|ty| format!("%{}", self.any(*ty))).collect();
        let names: Vec<&str> = types.iter().map(|ty| TYPES[*ty].0).collect();
        self.line(&format!("scf.yield {} : {}", ends.join(", "), names.join(", ")));
        self.values.iter_mut().zip(outside).for_each(|(values, count)| values.truncate(count));
    }

    fn branch(&mut self, depth: usize) {
        let (x, y, condition) = (self.any(0), self.any(0), self.fresh());
        let predicate = ["slt", "ult", "eq", "ne"][self.draw(4)];
        self.line(&format!("%{condition} = arith.cmpi {predicate}, %{x}, %{y} : i32"));
        let types: Vec<usize> = (0..1 + self.draw(2)).map(|_| self.draw(TYPES.len())).collect();
        let names: Vec<&str> = types.iter().map(|ty| TYPES[*ty].0).collect();
        let result = self.fresh();
        self.line(&format!("%{result}:{} = scf.if %{condition} -> ({}) {{", types.len(), names.join(", ")));
        self.arm(depth, &types);
        self.line("} else {");
        self.arm(depth, &types);
        self.line("}");
        for (number, ty) in types.into_iter().enumerate() {
            self.values[ty].push(format!("{result}#{number}"));
        }
    }
}

fn kernel(seed: u64) -> String {
    let text = "cube.kernel @k(%k: !cube.array<i32>, %f: !cube.array<f32>, %r: !cube.array<i32>, %n: i32) cube_dim(16) {\n\
                %i = cube.topology unit_pos\n%a = cube.load %k[%i] checked : !cube.array<i32> -> i32\n\
                %g = cube.load %f[%i] checked : !cube.array<f32> -> f32\n%j = arith.addi %i, %n : i32\n\
                %g1 = cube.load %f[%j] checked : !cube.array<f32> -> f32\n%w = arith.extsi %a : i32 to i64\n\
                %w1 = arith.extui %j : i32 to i64\n%h = arith.truncf %g : f32 to f16\n%h1 = arith.truncf %g1 : f32 to f16\n";
    let names = |all: &[&str]| all.iter().map(|name| name.to_string()).collect();
    let values = vec![names(&["i", "a", "n", "j"]), names(&["w", "w1"]), names(&["g", "g1"]), names(&["h", "h1"])];
    let mut all = Gen { state: seed ^ 0x5e1ec7, text: text.into(), next: 0, values };
    for _ in 0..10 {
        all.branch(2);
        all.operation();
    }
    // The bits of the last values of all types, in the lines of the unit.
    let [a, w, g, h] = [0, 1, 2, 3].map(|ty| all.values[ty].last().expect("a value").clone());
    all.line(&format!("%bg = arith.bitcast %{g} : f32 to i32\n%bh = arith.bitcast %{h} : f16 to i16"));
    all.line(&format!("%eh = arith.extui %bh : i16 to i32\n%lw = arith.trunci %{w} : i64 to i32"));
    for (line, value) in [a.as_str(), "lw", "bg", "eh"].into_iter().enumerate() {
        all.line(&format!("%c{line} = arith.constant {} : i32\n%at{line} = arith.addi %i, %c{line} : i32", 16 * line));
        all.line(&format!("cube.store %{value}, %r[%at{line}] checked : i32, !cube.array<i32>"));
    }
    all.text + "cube.return\n}"
}

#[test]
fn random_branches_and_selects_have_the_same_bits() {
    let (first, count) = seeds(60);
    let floats = [0x7fc0_0001u32, 0xff80_0000, 0x8000_0000, 0, 0x3f80_0000, 0x7f80_0000, 0xffc1_2345, 0x0000_0001];
    let ints = [0u32, 1, 0x8000_0000, 0xffff_ffff, 7, 31, 32, 0x7fff_ffff];
    let bytes = |all: &[u32]| -> Vec<u8> { (0..16).flat_map(|n| all[n * 5 % 8].to_le_bytes()).collect() };
    let mut changed = 0;
    for seed in first..first + count {
        let launch = |n: u64| -> Launch {
            let buffer = |bytes: Vec<u8>| Arg::Buffer { bytes, initialised: true };
            (vec![buffer(bytes(&ints)), buffer(bytes(&floats)), buffer(vec![0; 256]), Arg::Scalar(n)], 1)
        };
        let launches = [launch(0), launch(3), launch(0xffff_fff9)];
        let all = results_of(&kernel(seed), &launches, &|stage| stage.pass == BEFORE || stage.pass == PASS);
        let [_, (before, expected), (after, found)] = &all[..] else { panic!("the pipeline has no pass {PASS}") };
        assert!(expected == found, "seed {seed} gives something else:\n{before}\n{after}");
        changed += u64::from(before != after);
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 5, "only {changed} of {count} kernels were changed");
}
