//! Compares index arithmetic before and after the pass `simplify-indices`, in the interpreter. Inputs are all
//! pairs of 8-bit numbers, the limits of 32 and 64 bits, and random expressions under random guards.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, pass_changes};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use std::fmt::Write;

/// Units of a cube.
const DIM: u32 = 64;

const PASS: &str = "simplify-indices";

/// The body of a kernel with the variables `%x`, `%w` and `%h` of type `T` and the results `%r0` to `%r9`.
const LAWS: &str = "
  %q = cube.divui %x, %w : T
  %c = cube.remui %x, %w : T
  %m = arith.muli %q, %w : T
  %r0 = arith.addi %m, %c : T
  %d = arith.subi %x, %m : T
  %r1 = arith.addi %d, %m : T
  %r2 = cube.remui %c, %w : T
  %r3 = cube.divui %c, %w : T
  %less = arith.cmpi ult, %c, %w : T
  %r4 = arith.select %less, %x, %h : T
  %least = arith.cmpi ule, %w, %c : T
  %r5 = arith.select %least, %x, %h : T
  %hw = arith.muli %h, %w : T
  %inside = arith.cmpi ult, %x, %hw : T
  %r6 = scf.if %inside -> (T) {
    %qh = cube.remui %q, %h : T
    %ch = cube.divui %q, %h : T
    %s6 = arith.subi %qh, %ch : T
    scf.yield %s6 : T
  } else {
    %qh = cube.remui %q, %h : T
    scf.yield %qh : T
  }
  %k12 = arith.constant 12 : T
  %k3 = arith.constant 3 : T
  %k7 = arith.constant 7 : T
  %s = cube.shrui %x, %k3 : T
  %l = arith.andi %x, %k7 : T
  %sl = cube.shl %s, %k3 : T
  %r7 = arith.ori %sl, %l : T
  %z = cube.divui %q, %h : T
  %y = cube.remui %q, %h : T
  %zh = arith.muli %z, %h : T
  %zy = arith.addi %zh, %y : T
  %zyw = arith.muli %zy, %w : T
  %r8 = arith.addi %zyw, %c : T
  %q12 = cube.divui %x, %k12 : T
  %c12 = cube.remui %x, %k12 : T
  %m12 = arith.muli %q12, %k12 : T
  %r9 = arith.addi %c12, %m12 : T
";

/// A kernel that evaluates the rewrite laws for all pairs of numbers from two buffers.
fn laws(ty: &str) -> String {
    let array = format!("!cube.array<{ty}>");
    let mut text = format!("cube.kernel @k(%xs: {array}, %ws: {array}, %out: {array}, %h: {ty}) cube_dim({DIM}) {{\n");
    text += "  %p = cube.topology absolute_pos\n  %ten = arith.constant 10 : i32\n  %to = arith.muli %p, %ten : i32\n";
    for name in ["x", "w"] {
        writeln!(text, "  %{name} = cube.load %{name}s[%p] : {array} -> {ty}").expect("a string");
    }
    text += &LAWS.replace(": T", &format!(": {ty}")).replace("(T)", &format!("({ty})"));
    for n in 0..10 {
        writeln!(text, "  %n{n} = arith.constant {n} : i32\n  %at{n} = arith.addi %to, %n{n} : i32").expect("a string");
        writeln!(text, "  cube.store %r{n}, %out[%at{n}] : {ty}, {array}").expect("a string");
    }
    text + "  cube.return\n}\n"
}

/// A launch over pairs of numbers with `bytes` bytes each.
fn pairs(pairs: &[(u64, u64)], bytes: usize, h: u64) -> Launch {
    let buffer = |bytes: Vec<u8>| Arg::Buffer { bytes, initialised: true };
    let cubes = pairs.len().div_ceil(DIM as usize);
    let units = cubes * DIM as usize;
    let column = |of: fn(&(u64, u64)) -> u64| {
        let mut all: Vec<u8> = pairs.iter().flat_map(|pair| of(pair).to_le_bytes()[..bytes].to_vec()).collect();
        all.resize(units * bytes, 0);
        buffer(all)
    };
    (vec![column(|p| p.0), column(|p| p.1), buffer(vec![0; units * bytes * 10]), Arg::Scalar(h)], cubes as u32)
}

#[test]
fn the_laws_hold_for_all_numbers_of_8_bits() {
    let all: Vec<(u64, u64)> = (0..256).flat_map(|x| (0..256).map(move |w| (x, w))).collect();
    let launches: Vec<Launch> = [0, 1, 7, 128, 255].map(|h| pairs(&all, 1, h)).into();
    assert!(pass_changes(PASS, &laws("i8"), &launches), "the pass changed nothing");
}

#[test]
fn the_laws_hold_at_the_ends_of_32_and_64_bits() {
    for (ty, bits) in [("i16", 16u32), ("i32", 32), ("i64", 64)] {
        let mask = u64::MAX >> (64 - bits);
        let mut edges: Vec<u64> = vec![0, 1, 2, 3, 5, 7, 12, 13, 255, 256, 1000];
        edges.extend([mask, mask - 1, mask / 2, mask / 2 + 1, mask / 3, (mask >> (bits / 2)) + 1, mask >> (bits / 2)]);
        let mut state = 7;
        edges.extend((0..8).map(|n| random(&mut state) & (mask >> (n * bits / 9))));
        let all: Vec<(u64, u64)> = edges.iter().flat_map(|x| edges.iter().map(move |w| (*x, *w))).collect();
        let launches: Vec<Launch> = edges.iter().map(|h| pairs(&all, bits as usize / 8, *h)).collect();
        assert!(pass_changes(PASS, &laws(ty), &launches), "the pass changed nothing");
    }
}

/// A random kernel of index arithmetic with the scalar arguments width (`%w`) and height (`%h`).
fn random_kernel(seed: u64) -> String {
    let mut state = seed ^ 0x1d_e5;
    let mut draw = |n: usize| (random(&mut state) % n as u64) as usize;
    let mut text = String::from(
        "cube.kernel @k(%w: i32, %h: i32, %n: i32, %out: !cube.array<i32>) cube_dim(64) {\n\
         %p0 = cube.topology absolute_pos\n%cube = cube.topology cube_pos_x\n%dim = cube.topology cube_dim_x\n\
         %unit = cube.topology unit_pos_x\n%zero = arith.constant 0 : i32\n%sixteen = arith.constant 16 : i32\n\
         %mm = arith.muli %cube, %dim : i32\n%p1 = arith.addi %mm, %unit : i32\n%wh = arith.muli %h, %w : i32\n",
    );
    let mut values: Vec<String> = ["p0", "p1", "w", "h", "n", "wh", "unit"].map(String::from).into();
    let constants = [1u32, 3, 8, 31, 64, 0x8000_0000, 0xffff_ffff];
    let constant = constants[draw(constants.len())];
    writeln!(text, "%k = arith.constant {} : i32", constant as i32).expect("a string");
    values.push("k".into());
    let mut guards = 0;
    for n in 0..14 + draw(16) {
        let x = values[draw(values.len())].clone();
        let by = ["w", "h", "k", "n"][draw(4)];
        match draw(10) {
            0 if guards < 3 => {
                let (compare, other) = (["ult", "ugt", "ne", "ule"][draw(4)], ["wh", "w", "n"][draw(3)]);
                writeln!(text, "%g{n} = arith.cmpi {compare}, %{x}, %{other} : i32\nscf.if %g{n} {{")
                    .expect("a string");
                guards += 1;
                continue;
            }
            // A row and a column of the same number, and their sum.
            1..=3 => {
                writeln!(text, "%q{n} = cube.divui %{x}, %{by} : i32\n%c{n} = cube.remui %{x}, %{by} : i32")
                    .expect("a string");
                let (a, b) =
                    if draw(2) == 0 { (format!("q{n}"), by.to_string()) } else { (by.to_string(), format!("q{n}")) };
                writeln!(text, "%m{n} = arith.muli %{a}, %{b} : i32\n%v{n} = arith.addi %m{n}, %c{n} : i32")
                    .expect("a string");
                values.extend([format!("q{n}"), format!("c{n}"), format!("m{n}"), format!("v{n}")]);
                continue;
            }
            4 => {
                writeln!(text, "%b{n} = arith.cmpi {}, %{x}, %{by} : i32", ["ult", "uge", "ugt", "ule"][draw(4)])
                    .expect("a string");
                writeln!(text, "%v{n} = arith.select %b{n}, %{x}, %zero : i32").expect("a string");
            }
            other => {
                let op = [
                    "arith.addi",
                    "arith.subi",
                    "arith.muli",
                    "cube.divui",
                    "cube.remui",
                    "arith.andi",
                    "arith.ori",
                    "cube.shl",
                ];
                let op = op[(other + draw(op.len())) % op.len()];
                let y = if draw(2) == 0 { by.to_string() } else { values[draw(values.len())].clone() };
                writeln!(text, "%v{n} = {op} %{x}, %{y} : i32").expect("a string");
            }
        }
        values.push(format!("v{n}"));
    }
    // Each unit writes its own 16 results.
    text += "%to = arith.muli %p0, %sixteen : i32\n";
    for (n, value) in values.iter().rev().take(16).enumerate() {
        writeln!(text, "%i{n} = arith.constant {n} : i32\n%t{n} = arith.addi %to, %i{n} : i32").expect("a string");
        writeln!(text, "cube.store %{value}, %out[%t{n}] : i32, !cube.array<i32>").expect("a string");
    }
    text + &"}\n".repeat(guards) + "cube.return\n}\n"
}

#[test]
fn random_indices_have_the_same_values() {
    let (first, count) = seeds(100);
    let mut changed = 0;
    for seed in first..first + count {
        let mut state = seed;
        let mut draw = |n: usize| (random(&mut state) % n as u64) as usize;
        let some = [0u64, 1, 2, 3, 8, 10, 16, 60, 64, 128, 1 << 16, 1 << 31, 0xffff_ffff];
        let launches: Vec<Launch> = (0..6)
            .map(|_| {
                let scalar = |n: usize| Arg::Scalar(some[n]);
                let out = Arg::Buffer { bytes: vec![0; 128 * 16 * 4], initialised: true };
                (vec![scalar(draw(13)), scalar(draw(13)), scalar(draw(13)), out], 2)
            })
            .collect();
        changed += u64::from(pass_changes(PASS, &random_kernel(seed), &launches));
    }
    eprintln!("{changed} of {count} kernels from seed {first} were changed");
    assert!(changed * 10 >= count * 8, "only {changed} of {count} kernels were changed");
}
