//! Measures functions of one operand on all inputs.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cube_math::measure::{Symmetry, symmetry, ulp_error, unary};
use cube_math::{Counter, Emit, Single, Unary};

use crate::table::Row;

const BLOCK: usize = 1024;
const CHUNK: u64 = 1 << 22;

/// The largest error over a set of inputs, and its input.
#[derive(Clone, Copy)]
pub struct Worst {
    pub error: f64,
    pub input: f32,
}

impl Worst {
    fn take(&mut self, error: f64, input: f32) {
        // A comparison with NaN is false. `ulp_error` therefore returns infinity for a wrong NaN.
        if error > self.error {
            *self = Self { error, input };
        }
    }
}

/// The largest error over every `stride`th input, with the arithmetic of `e`.
pub fn measure<E: Emit<F = f32> + Sync>(e: &E, f: Unary, threads: usize, stride: u64) -> Row {
    // For a symmetric function, the positive inputs alone cover both signs.
    let total: u64 = if symmetry(f) == Symmetry::None { 1 << 32 } else { 1 << 31 };
    let next = AtomicU64::new(0);
    let worst = Mutex::new(Worst { error: -1.0, input: 0.0 });
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                loop {
                    let start = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if start >= total {
                        break;
                    }
                    let chunk = chunk(e, f, start, stride);
                    worst.lock().unwrap().take(chunk.error, chunk.input);
                    if std::io::stderr().is_terminal() {
                        eprint!("\r{} {:3} %  ", f.name(), start * 100 / total);
                    }
                }
            });
        }
    });
    let worst = worst.into_inner().unwrap();
    let counter = Counter::<Single>::default();
    f.emit(&counter, [()]);
    Row::exhaustive(f.name(), worst.error, worst.input, counter.cost())
}

fn chunk<E: Emit<F = f32>>(e: &E, f: Unary, start: u64, stride: u64) -> Worst {
    let mut worst = Worst { error: -1.0, input: 0.0 };
    let mut inputs = (start..start + CHUNK).step_by(stride as usize).map(|b| f32::from_bits(b as u32));
    let (mut x, mut y, mut exact) = ([0f32; BLOCK], [0f32; BLOCK], [0f64; BLOCK]);
    let reference = unary(f);
    loop {
        let mut n = 0;
        for slot in &mut x {
            let Some(v) = inputs.next() else { break };
            *slot = v;
            n += 1;
        }
        if n == 0 {
            return worst;
        }
        for i in 0..n {
            exact[i] = reference(f64::from(x[i]));
        }
        compare(e, f, &x[..n], &mut y[..n], &exact[..n], &mut worst);
        let sign = match symmetry(f) {
            Symmetry::None => continue,
            Symmetry::Odd => -1.0,
            Symmetry::Even => 1.0,
        };
        for i in 0..n {
            x[i] = -x[i];
            exact[i] *= sign;
        }
        compare(e, f, &x[..n], &mut y[..n], &exact[..n], &mut worst);
    }
}

fn compare<E: Emit<F = f32>>(e: &E, f: Unary, x: &[f32], y: &mut [f32], exact: &[f64], worst: &mut Worst) {
    f.run(e, [x], y);
    let largest = y.iter().zip(exact).map(|(y, e)| ulp_error(*y, *e)).fold(-1.0, f64::max);
    if largest > worst.error {
        for i in 0..x.len() {
            worst.take(ulp_error(y[i], exact[i]), x[i]);
        }
    }
}
