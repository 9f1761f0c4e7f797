//! Exact integer arithmetic: division by a divisor that is uniform over the launch, and a matrix product
//! quantised to 8 bits.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example integers`
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::server::Handle;
use cube::std::quant::{self, Product, Rescale, Scheme};
use cube::std::{FastDivmod, FastDivmodArgs};

/// Computes quotient and remainder by multiplication and shifts.
#[cube(launch)]
fn divided(input: &Array<u32>, out: &mut Array<u32>, by: FastDivmod) {
    if ABSOLUTE_POS < input.len() {
        let (quotient, rest) = by.div_mod(input[ABSOLUTE_POS]);
        out[2 * ABSOLUTE_POS] = quotient;
        out[2 * ABSOLUTE_POS + 1] = rest;
    }
}

/// Computes quotient and remainder of 64-bit integers.
#[cube(launch)]
fn divided_wide(input: &Array<u64>, out: &mut Array<u64>, by: FastDivmod<u64>) {
    if ABSOLUTE_POS < input.len() {
        let (quotient, rest) = by.div_mod(input[ABSOLUTE_POS]);
        out[2 * ABSOLUTE_POS] = quotient;
        out[2 * ABSOLUTE_POS + 1] = rest;
    }
}

fn array<E: CubePrimitive, R: Runtime>(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: each handle has `len` elements.
    unsafe { ArrayArg::from_raw_parts::<E>(handle, len, 1) }
}

fn divisions<R: Runtime>(client: &ComputeClient<R::Server>) {
    let (one, dim) = (CubeCount::new_single(), CubeDim::new_1d(8));
    // For the divisor 3, formulas with a shorter multiplier are wrong for dividends from 0xC000_0000.
    for d in [1, 3, 7, 641, 0x8000_0001, u32::MAX] {
        let data = [0, d - 1, d, 0xBFFF_FFFF, 0xC000_0000, 0xC000_0001, u32::MAX - 1, u32::MAX];
        let (input, out) = (client.create(u32::as_bytes(&data)), client.empty(64));
        let by = FastDivmodArgs::new(client, d);
        divided::launch::<R>(client, one.clone(), dim, array::<u32, R>(&input, 8), array::<u32, R>(&out, 16), by);
        let host: Vec<u32> = data.iter().flat_map(|n| [n / d, n % d]).collect();
        assert_eq!(u32::from_bytes(&client.read_one(out)), host, "by {d}");
        let (d, data) = (u64::from(d) << 31 | 1, data.map(|n| u64::from(n) << 32 | 0xFFFF_FFFF));
        let (input, out) = (client.create(u64::as_bytes(&data)), client.empty(128));
        let by = FastDivmodArgs::new(client, d);
        divided_wide::launch::<R>(client, one.clone(), dim, array::<u64, R>(&input, 8), array::<u64, R>(&out, 16), by);
        let host: Vec<u64> = data.iter().flat_map(|n| [n / d, n % d]).collect();
        assert_eq!(u64::from_bytes(&client.read_one(out)), host, "by {d}");
    }
    println!("divisions of 32 and 64 bits: exact up to the largest number");
}

fn quantised<R: Runtime>(client: &ComputeClient<R::Server>) {
    let [m, k, n] = [17, 64, 9];
    let left: Vec<f32> = (0..m * k).map(|i| ((i * 37) % 101) as f32 * 0.02 - 1.0).collect();
    let right: Vec<f32> = (0..k * n).map(|i| ((i * 53) % 97) as f32 * 0.03 - 0.5).collect();
    let schemes = [Scheme::covering(-1.0, 1.0), Scheme::covering(-0.5, 2.4), Scheme::covering(-40.0, 40.0)];
    let eight_bits = |data: &[f32], scheme: Scheme| {
        let (floats, bytes) = (client.create(f32::as_bytes(data)), client.empty(data.len()));
        quant::quantize::<R, f32>(client, &floats, &bytes, data.len(), scheme).expect("the launch succeeds");
        bytes
    };
    let (lhs, rhs, out) = (eight_bits(&left, schemes[0]), eight_bits(&right, schemes[1]), client.empty(m * n));
    let product =
        Product { lhs: (&lhs, schemes[0]), rhs: (&rhs, schemes[1]), out: (&out, schemes[2]), shape: [m, k, n] };
    quant::matmul::<R>(client, &product).expect("the launch succeeds");
    // The kernel's result must equal the integer result of the host bit for bit.
    let (a, b) = (client.read_one(lhs), client.read_one(rhs));
    let factor = f64::from(schemes[0].scale) * f64::from(schemes[1].scale) / f64::from(schemes[2].scale);
    let element = |i: usize| {
        let term = |j: usize| {
            (i32::from(a[i / n * k + j]) - schemes[0].zero) * (i32::from(b[j * n + i % n]) - schemes[1].zero)
        };
        let sum: i32 = (0..k).map(term).sum();
        (Rescale::new(factor).apply(sum) + i64::from(schemes[2].zero)).clamp(0, 255) as u8
    };
    let got = client.read_one(out);
    assert_eq!(&got[..], (0..m * n).map(element).collect::<Vec<_>>());
    // The result must also be close to the product of the floats.
    let exact = |i: usize| (0..k).map(|j| left[i / n * k + j] * right[j * n + i % n]).sum::<f32>();
    let worst = (0..m * n)
        .map(|i| (f32::from(got[i]) - schemes[2].zero as f32).mul_add(schemes[2].scale, -exact(i)).abs())
        .fold(0.0, f32::max);
    assert!(worst < 0.5, "{worst}");
    println!("a product in 8 bits: exact in integers, within {worst:.2} of the floats");
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    divisions::<R>(&client);
    quantised::<R>(&client);
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
