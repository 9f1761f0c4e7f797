//! The example kernels with data of realistic size, and the expected results, which are computed in plain
//! Rust.
use super::erf::erf;
use crate::run::failure::Failure;
use crate::run::values::Value;
use cube_artifact::ElemType;
use cube_runtime::Scalar;
use cube_runtime::hostdata::{Fill, HostArray, png};
use std::path::Path;

/// The input picture of the kernel `blur`.
pub const PICTURE: &str = "examples/data/mandelbrot.png";

/// An example kernel: its arguments and its expected result.
pub struct Example {
    /// The name of the kernel file without folder and suffix.
    pub name: &'static str,
    /// A description of the computation and its size.
    pub summary: &'static str,
    /// Creates the arguments and the expected result. The argument of the function is the root of the
    /// checkout.
    pub data: fn(&Path) -> Result<Data, Failure>,
}

/// The arguments of a launch, and the expected content of one buffer argument.
pub struct Data {
    /// The argument of each parameter.
    pub values: Vec<Value>,
    /// The number of the parameter that contains the result.
    pub result: usize,
    /// The expected result.
    pub expected: HostArray,
    /// The largest allowed error of an element, in units in the last place.
    pub ulp: u64,
    /// Cubes along x, y, z; `None` for the cube count that covers the lines of the result.
    pub cubes: Option<[u32; 3]>,
}

impl Data {
    /// Creates the data from the arguments, the parameter number of the result, the expected result, and the
    /// tolerance.
    fn new(values: Vec<Value>, result: usize, expected: HostArray, ulp: u64) -> Self {
        Data { values, result, expected, ulp, cubes: None }
    }
}

pub const EXAMPLES: &[Example] = &[
    Example { name: "scale", summary: "an array times a number, 2^22 f32", data: scale },
    Example { name: "gelu", summary: "GELU with the exact erf, 2^22 f32 in [-1, 1)", data: gelu },
    Example { name: "row_sum", summary: "the sums of the rows of a matrix, 2048 x 2048 f32", data: row_sum },
    Example { name: "blur", summary: "a 3 x 3 filter on a picture, 512 x 512 RGB bytes", data: blur },
    Example {
        name: "cube_scan",
        summary: "running sums with planes and shared memory, 2^22 u32 in cubes of 256",
        data: scan,
    },
    Example {
        name: "matmul_tiled",
        summary: "a product of matrices by tiles in shared memory, 256 x 256 f32",
        data: matmul,
    },
];

fn random(shape: &[u64]) -> Result<HostArray, Failure> {
    Ok(Fill::Random { seed: 1 }.array(ElemType::F32, shape.to_vec())?)
}

fn zeros(like: &HostArray) -> Result<Value, Failure> {
    Ok(Value::Buffer(Fill::Zeros.array(like.elem(), like.shape().to_vec())?))
}

fn floats(array: &HostArray) -> Vec<f32> {
    array.bytes().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn array(shape: &[u64], values: impl Iterator<Item = f32>) -> Result<HostArray, Failure> {
    Ok(HostArray::new(ElemType::F32, shape.to_vec(), values.flat_map(f32::to_le_bytes).collect())?)
}

fn scale(_: &Path) -> Result<Data, Failure> {
    let x = random(&[1 << 22])?;
    let factor = 1.1f32;
    let expected = array(x.shape(), floats(&x).into_iter().map(|v| v * factor))?;
    let values = vec![Value::Buffer(x), zeros(&expected)?, Value::Scalar(Scalar::F32(factor))];
    Ok(Data::new(values, 1, expected, 0))
}

fn gelu(_: &Path) -> Result<Data, Failure> {
    let x = random(&[1 << 22])?;
    let exact = |v: f64| 0.5 * v * (1.0 + erf(v * std::f64::consts::FRAC_1_SQRT_2));
    let expected = array(x.shape(), floats(&x).into_iter().map(|v| exact(v.into()) as f32))?;
    let values = vec![Value::Buffer(x), zeros(&expected)?];
    // erf and its argument have an error of 3 ULP for values of up to 0.68. 1 + erf can be as small as 0.32, where a
    // ULP is half as large. The three other roundings add half a ULP each.
    Ok(Data::new(values, 1, expected, 8))
}

fn row_sum(_: &Path) -> Result<Data, Failure> {
    let (rows, cols) = (2048, 2048);
    let matrix = random(&[rows, cols])?;
    let all = floats(&matrix);
    // From left to right in f32, like the kernel: the bits must be equal.
    let expected = array(&[rows], all.chunks(cols as usize).map(|row| row.iter().fold(0.0, |sum, v| sum + v)))?;
    let size = |n: u64| Value::Scalar(Scalar::U32(n as u32));
    let values = vec![Value::Buffer(matrix), zeros(&expected)?, size(rows), size(cols)];
    Ok(Data::new(values, 1, expected, 0))
}

fn blur(root: &Path) -> Result<Data, Failure> {
    let picture = png::read(&root.join(PICTURE))?;
    let [height, width, channels] = *picture.shape() else { unreachable!("pictures have three dimensions") };
    let expected = HostArray::new(ElemType::U8, picture.shape().to_vec(), box_blur(&picture))?;
    let size = |n: u64| Value::Scalar(Scalar::U32(n as u32));
    let destination = zeros(&picture)?;
    let values = vec![Value::Buffer(picture), destination, size(width), size(height), size(channels)];
    Ok(Data::new(values, 1, expected, 0))
}

fn scan(_: &Path) -> Result<Data, Failure> {
    let x = Fill::Random { seed: 1 }.array(ElemType::U32, vec![1 << 22])?;
    let numbers = x.bytes().as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let mut so_far = 0u32;
    let sums = numbers.enumerate().flat_map(|(i, v)| {
        so_far = if i % 256 == 0 { v } else { so_far.wrapping_add(v) };
        so_far.to_le_bytes()
    });
    let expected = HostArray::new(ElemType::U32, x.shape().to_vec(), sums.collect())?;
    let values = vec![Value::Buffer(x), zeros(&expected)?];
    Ok(Data::new(values, 1, expected, 0))
}

fn matmul(_: &Path) -> Result<Data, Failure> {
    let side = 256;
    let [a, b] = [1, 2].map(|seed| Fill::Random { seed }.array(ElemType::F32, vec![side, side]));
    let (a, b) = (a?, b?);
    let n = side as usize;
    let (rows, columns) = (floats(&a), floats(&b));
    // The products are added in sequence, each product and sum rounded once, like the kernel: the bits must be equal.
    let mut sums = vec![0f32; n * n];
    for (row, sums) in rows.chunks(n).zip(sums.chunks_mut(n)) {
        for (v, line) in row.iter().zip(columns.chunks(n)) {
            sums.iter_mut().zip(line).for_each(|(sum, w)| *sum = v.mul_add(*w, *sum));
        }
    }
    let expected = array(a.shape(), sums.into_iter())?;
    let c = zeros(&expected)?;
    let values = vec![Value::Buffer(a), Value::Buffer(b), c, Value::Scalar(Scalar::U32(side as u32))];
    Ok(Data { cubes: Some([side as u32 / 64, side as u32 / 64, 1]), ..Data::new(values, 2, expected, 0) })
}

// One pass along rows and one along columns with weights 1 2 1, rounded once at the end. The kernel sums all nine
// values in one pass.
fn box_blur(picture: &HostArray) -> Vec<u8> {
    let [height, width, channels] = [0, 1, 2].map(|i| picture.shape()[i] as usize);
    let pass = |values: &[u32], step: usize, place: &dyn Fn(usize) -> (usize, usize)| -> Vec<u32> {
        let mean = |i: usize| {
            let (at, size) = place(i);
            let before = if at == 0 { i } else { i - step };
            let after = if at + 1 == size { i } else { i + step };
            values[before] + 2 * values[i] + values[after]
        };
        (0..values.len()).map(mean).collect()
    };
    let values: Vec<u32> = picture.bytes().iter().map(|&v| v.into()).collect();
    let rows = pass(&values, channels, &|i| (i / channels % width, width));
    let both = pass(&rows, channels * width, &|i| (i / channels / width, height));
    both.into_iter().map(|sum| ((sum + 8) / 16) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture in `examples/data`: the part of the Mandelbrot set that is named Seahorse Valley. The colour of a
    /// point is given by the number of iterations until the point escapes.
    fn picture() -> HostArray {
        let side = 512;
        let mut pixels = Vec::new();
        for row in 0..side {
            for column in 0..side {
                let place = |n: u32| f64::from(n) / f64::from(side) - 0.5;
                pixels.extend(colour(iterations(-0.74 + 0.05 * place(column), 0.13 + 0.05 * place(row))));
            }
        }
        HostArray::new(ElemType::U8, vec![side.into(), side.into(), 3], pixels).unwrap()
    }

    fn iterations(re: f64, im: f64) -> u32 {
        let (mut x, mut y) = (0.0, 0.0);
        let leaves = |_: &u32| {
            (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
            x * x + y * y > 4.0
        };
        (0..250).find(leaves).unwrap_or(250)
    }

    // One wave per colour channel.
    fn colour(iterations: u32) -> [u8; 3] {
        let wave = |period: u32| {
            let at = iterations % period * 510 / period;
            if at < 256 { at } else { 510 - at }
        };
        if iterations == 250 { [0, 0, 0] } else { [wave(96) as u8, wave(48) as u8, wave(144) as u8] }
    }

    #[test]
    fn picture_file_matches_its_generator() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PICTURE);
        if std::env::var_os("BLESS").is_some() {
            png::write(&file, &picture()).unwrap();
        }
        assert!(png::read(&file).unwrap() == picture(), "BLESS=1 writes {PICTURE} again");
    }

    #[test]
    fn reference_blur_of_constant_and_impulse() {
        let of = |bytes: Vec<u8>| box_blur(&HostArray::new(ElemType::U8, vec![3, 3, 1], bytes).unwrap());
        assert_eq!(of(vec![200; 9]), [200; 9]);
        let mut dot = vec![0; 9];
        dot[4] = 160;
        assert_eq!(of(dot), [10, 20, 10, 20, 40, 20, 10, 20, 10]);
        // A corner also counts for the pixels beyond the edge: 9 of 16 parts.
        let mut corner = vec![0; 9];
        corner[0] = 16;
        assert_eq!(of(corner), [9, 3, 0, 3, 1, 0, 0, 0, 0]);
    }
}
