//! Measures the `f64` functions on samples against arbitrary precision and writes their rows of `docs/math.md`.
//!
//! `cargo run --release -p cube-math --example measure64 -- [samples] [function...]`

#[path = "../tests/exact/mod.rs"]
mod exact;
#[path = "../src/bin/exhaustive/table.rs"]
mod table;

use cube_math::{Binary, Counter, Double, Emit, NativeDouble, Unary, powi};
use exact::Exact;
use table::Row;

/// A random number generator: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A float with any sign and significand. The exponent is less than `high` and at least `high - spread`.
    fn moderate(&mut self, high: u64, spread: u64) -> f64 {
        let r = self.next();
        f64::from_bits((r & 0x800f_ffff_ffff_ffff) | ((1023 + high - 1 - (r >> 52) % spread) << 52))
    }

    /// A quarter of the operands has random bits. The other operands are in the range in which the functions are not
    /// constant.
    fn operand(&mut self) -> f64 {
        match self.next() % 4 {
            0 => f64::from_bits(self.next()),
            1 => self.moderate(10, 20),
            _ => self.moderate(2, 5),
        }
    }

    fn operands(&mut self, f: &str) -> (f64, f64) {
        let x = self.operand();
        let other = match self.next() % 2 {
            0 => self.operand(),
            _ if f == "pow" => (self.next() as i64) as f64 / f64::powi(2.0, 63) * 1075.0 / x.abs().log2(),
            _ => x * self.moderate(2, 4),
        };
        (x, other)
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let count: u64 = args.first().and_then(|a| a.parse().ok()).inspect(|_| drop(args.remove(0))).unwrap_or(1_000_000);
    let is_selected = |name: &str| args.is_empty() || args.iter().any(|a| a == name);
    for f in Unary::ALL.iter().filter(|f| is_selected(f.name())) {
        finish(unary(*f, count));
    }
    for f in Binary::ALL.iter().filter(|f| is_selected(f.name())) {
        finish(binary(*f, count));
    }
    if is_selected("powi") {
        finish(integer_power(count));
    }
}

fn finish(row: Row) {
    println!("{row}{}", if row.holds() { "" } else { " BOUND BROKEN" });
    table::write(&row);
}

fn unary(f: Unary, count: u64) -> Row {
    let (mut random, mut exact, mut worst) = (Random(1), Exact::new(), (-1.0, 0.0));
    for _ in 0..count {
        let x = random.operand();
        let error = exact.unary(f, x, f.emit(&NativeDouble, [x]));
        if error > worst.0 {
            worst = (error, x);
        }
    }
    let counter = Counter::<Double>::default();
    f.emit(&counter, [()]);
    Row::sampled("f64", f.name(), worst.0, format!("{:e}", worst.1), count, counter.cost())
}

fn binary(f: Binary, count: u64) -> Row {
    let (mut random, mut exact, mut worst) = (Random(1), Exact::new(), (-1.0, 0.0, 0.0));
    for _ in 0..count {
        let (x, y) = random.operands(f.name());
        let error = exact.binary(f, x, y, f.emit(&NativeDouble, [x, y]));
        if error > worst.0 {
            worst = (error, x, y);
        }
    }
    let counter = Counter::<Double>::default();
    f.emit(&counter, [(), ()]);
    Row::sampled("f64", f.name(), worst.0, format!("{:e}, {:e}", worst.1, worst.2), count, counter.cost())
}

/// Measures `powi` against exact powers. The samples are integer exponents that an `f64` represents exactly.
fn integer_power(count: u64) -> Row {
    let (mut random, mut exact, mut worst) = (Random(1), Exact::new(), (-1.0, 0.0, 0));
    for _ in 0..count {
        let (x, y) = random.operands("pow");
        let n = NativeDouble.to_int(y.clamp(-9e15, 9e15));
        let error = exact.binary(Binary::Pow, x, n as f64, powi(&NativeDouble, x, n));
        if error > worst.0 && !y.is_nan() {
            worst = (error, x, n);
        }
    }
    let counter = Counter::<Double>::default();
    powi(&counter, (), ());
    Row::sampled("f64", "powi", worst.0, format!("{:e}, {}", worst.1, worst.2), count, counter.cost())
}
