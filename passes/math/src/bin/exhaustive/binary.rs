//! Measures functions of two operands on samples.

use cube_math::measure::{binary, ulp_error};
use cube_math::{Binary, Counter, Emit, NativeSingle, Single, powi};

use crate::table::Row;

const BLOCK: usize = 1024;

type Run = Box<dyn Fn(&[f32], &[f32], &mut [f32])>;

/// A function of two operands. The second operand of `powi` is an integer, stored in the bits of a float.
pub struct Case {
    pub name: &'static str,
    run: Run,
    exact: Box<dyn Fn(f32, f32) -> f64>,
    cost: cube_math::Cost,
}

/// All functions of two operands.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Binary::ALL.iter().map(|f| named(*f)).collect();
    let counter = Counter::<Single>::default();
    powi(&counter, (), ());
    cases.push(Case {
        name: "powi",
        run: Box::new(|x, y, out| {
            for i in 0..out.len() {
                out[i] = powi(&NativeSingle, x[i], NativeSingle.bits(y[i]));
            }
        }),
        exact: Box::new(|x, y| f64::from(x).powf(f64::from(y.to_bits() as i32))),
        cost: counter.cost(),
    });
    cases
}

fn named(f: Binary) -> Case {
    let counter = Counter::<Single>::default();
    f.emit(&counter, [(), ()]);
    let exact = binary(f);
    Case {
        name: f.name(),
        run: Box::new(move |x, y, out| f.run(&NativeSingle, [x, y], out)),
        exact: Box::new(move |x, y| exact(f64::from(x), f64::from(y))),
        cost: counter.cost(),
    }
}

/// A random number generator: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A float with any sign and significand. The absolute value of the exponent is at most `spread`.
    fn moderate(&mut self, spread: u32) -> f32 {
        let r = self.next();
        let exponent = 127 - spread + (r >> 40) as u32 % (2 * spread);
        f32::from_bits((r as u32 & 0x807f_ffff) | (exponent << 23))
    }

    /// Operands of one of four kinds: random bits, moderate size, close to one, or, for powers, an exponent that
    /// keeps the result in range.
    fn operands(&mut self, name: &str, kind: u64) -> (f32, f32) {
        let bits = self.next();
        let any = (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
        match (kind, name) {
            (0, _) => any,
            (1 | 2, "powi") => (any.0, f32::from_bits((self.next() as i32 >> (8 + bits % 22)) as u32)),
            (1, _) => (self.moderate(40), self.moderate(12)),
            (2, "pow") => (any.0.abs(), self.moderate(8)),
            (2, _) => (self.moderate(2), self.moderate(2)),
            _ => self.in_range(name, any.0.abs()),
        }
    }

    fn in_range(&mut self, name: &str, x: f32) -> (f32, f32) {
        let x = if self.next() & 1 == 0 { x } else { self.moderate(1).abs() };
        let target = (self.next() as i32) as f32 * (152.0 / 2_147_483_648.0);
        let y = target / x.log2();
        match name {
            "pow" => (x, y),
            "powi" => (x, f32::from_bits(y as i32 as u32)),
            _ => (x, x * self.moderate(2)),
        }
    }
}

/// The largest error over `count` samples with a fixed seed.
pub fn measure(case: &Case, count: u64) -> Row {
    let mut random = Random(1);
    let (mut x, mut y, mut out) = ([0f32; BLOCK], [0f32; BLOCK], [0f32; BLOCK]);
    let mut worst = (-1.0, 0f32, 0f32);
    for _ in 0..count.div_ceil(BLOCK as u64) {
        for i in 0..BLOCK {
            (x[i], y[i]) = random.operands(case.name, i as u64 % 4);
        }
        (case.run)(&x, &y, &mut out);
        for i in 0..BLOCK {
            let error = ulp_error(out[i], (case.exact)(x[i], y[i]));
            if error > worst.0 {
                worst = (error, x[i], y[i]);
            }
        }
    }
    let at = match case.name {
        "powi" => format!("{:e}, {}", worst.1, worst.2.to_bits() as i32),
        _ => format!("{:e}, {:e}", worst.1, worst.2),
    };
    Row::sampled("f32", case.name, worst.0, at, count, case.cost)
}
