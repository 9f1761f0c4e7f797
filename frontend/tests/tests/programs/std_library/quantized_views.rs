//! Views of quantised values: each format and both kinds of memory, against plain Rust.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::quant::scheme::*;
use cubecl::std::quant::view::{QuantizedView, QuantizedViewLaunch};
use cubecl::std::tensor::launch::ViewArg;
use cubecl::std::tensor::layout::{Coords1d, Layout, plain::PlainLayout, plain::PlainLayoutLaunch};
use cubecl::{e4m3, e5m2};

/// Maps a line of values to the scale of its block.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
struct Blocks {
    lines: u32,
    count: u32,
}

#[cube]
impl Layout for Blocks {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;
    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        pos / self.lines
    }
    fn shape(&self) -> Self::Coordinates {
        self.lines * self.count
    }
}

#[cube(launch)]
fn dequantized<Q: CubePrimitive>(
    values: &QuantizedView<Q, f32, f32, Coords1d>,
    out: &mut Array<Line<f32>>,
    checked: &mut Array<f32>,
) {
    let view = values.view();
    if ABSOLUTE_POS < view.shape() {
        out[ABSOLUTE_POS] = view.read(ABSOLUTE_POS);
    } else {
        checked[0] = view.read_checked(ABSOLUTE_POS)[0] + f32::cast_from(view.line_size());
    }
}

/// The number of a code, by another formula than the kernel's.
fn number(code: u32, value: QuantValue) -> f32 {
    let code = code & ((1 << value.size_bits()) - 1);
    match value {
        QuantValue::E2M1 => {
            let magnitude = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][code as usize & 7];
            if code & 8 == 0 { magnitude } else { -magnitude }
        }
        QuantValue::E4M3 => e4m3::from_bits(code as u8).to_f32(),
        QuantValue::E5M2 => e5m2::from_bits(code as u8).to_f32(),
        _ => {
            let half = 1i64 << (value.size_bits() - 1);
            (if i64::from(code) < half { i64::from(code) } else { i64::from(code) - 2 * half }) as f32
        }
    }
}

#[test]
fn packed_values_of_each_format() {
    let words = [0x7654_3210u32, 0xfedc_ba98, 0x8001_7f80, 0x3c5a_c3a5];
    use QuantValue::*;
    for value in [Q8F, Q8S, Q4F, Q4S, Q2F, Q2S, E2M1, E4M3, E5M2] {
        let scheme = QuantScheme::default().with_value(value);
        let count = scheme.num_quants();
        // Lines of one word; two lines share a scale.
        let (client, n) = (client(), words.len() * count);
        let scales = [0.5f32, -3.0];
        let (data, factors) = (client.create(u32::as_bytes(&words)), client.create(f32::as_bytes(&scales)));
        let (out, checked) = (client.empty(n * 4), client.empty(4));
        // SAFETY: the handles have that many elements.
        let (values, factors, lines) = unsafe {
            (
                ArrayArg::from_raw_parts::<u32>(&data, words.len(), 1),
                ArrayArg::from_raw_parts::<f32>(&factors, 2, 1),
                ArrayArg::from_raw_parts::<f32>(&out, n, count as u8),
            )
        };
        let values = ViewArg::new::<PlainLayout>(values, PlainLayoutLaunch::new(ScalarArg::new(4)));
        let factors = ViewArg::new::<Blocks>(factors, BlocksLaunch::new(ScalarArg::new(2), ScalarArg::new(2)));
        let arg = QuantizedViewLaunch::new(values, factors, scheme, Default::default());
        let checked_arg = array::<f32>(&checked, 1);
        dequantized::launch::<u32, R>(&client, one(), CubeDim::new_1d(5), arg, lines, checked_arg);
        let host =
            (0..n).map(|i| number(words[i / count] >> (i % count * value.size_bits()), value) * scales[i / count / 2]);
        let got = f32::from_bytes(&client.read_one(out)).to_vec();
        let same = got.iter().zip(host.clone()).all(|(a, b)| *a == b || a.is_nan() && b.is_nan());
        assert!(same && got.len() == n, "{value:?}: {got:?}, and {:?} in Rust", host.collect::<Vec<_>>());
        assert_eq!(f32::from_bytes(&client.read_one(checked)), [count as f32]);
    }
}

#[test]
fn natively_stored_values_are_dequantized() {
    let client = client();
    let data: Vec<i8> = vec![-128, -1, 0, 1, 2, 3, 4, 127];
    let (values, factors) = (client.create(i8::as_bytes(&data)), client.create(f32::as_bytes(&[0.25, 2.0])));
    let (out, checked) = (client.empty(32), client.empty(4));
    // SAFETY: the handles have that many elements.
    let (values, factors, lines) = unsafe {
        (
            ArrayArg::from_raw_parts::<i8>(&values, 8, 2),
            ArrayArg::from_raw_parts::<f32>(&factors, 2, 1),
            ArrayArg::from_raw_parts::<f32>(&out, 8, 2),
        )
    };
    let values = ViewArg::new::<PlainLayout>(values, PlainLayoutLaunch::new(ScalarArg::new(4)));
    let factors = ViewArg::new::<Blocks>(factors, BlocksLaunch::new(ScalarArg::new(2), ScalarArg::new(2)));
    let scheme = QuantScheme::default().with_store(QuantStore::Native).with_level(QuantLevel::block([4]));
    let arg = QuantizedViewLaunch::new(values, factors, scheme, Default::default());
    dequantized::launch::<i8, R>(&client, one(), CubeDim::new_1d(4), arg, lines, array::<f32>(&checked, 1));
    assert_eq!(f32::from_bytes(&client.read_one(out)), [-32.0, -0.25, 0.0, 0.25, 4.0, 6.0, 8.0, 254.0]);
}

#[test]
fn native_store_of_4_bit_values_is_rejected() {
    let client = client();
    let (values, out, checked) = (client.create(&[0x21; 8]), client.empty(32), client.empty(4));
    let factors = client.create(f32::as_bytes(&[1.0, 1.0]));
    let values = ViewArg::new::<PlainLayout>(array::<u8>(&values, 8), PlainLayoutLaunch::new(ScalarArg::new(8)));
    let blocks = BlocksLaunch::new(ScalarArg::new(4), ScalarArg::new(2));
    let factors = ViewArg::new::<Blocks>(array::<f32>(&factors, 2), blocks);
    let scheme = QuantScheme::default().with_store(QuantStore::Native).with_value(QuantValue::Q4F);
    let arg = QuantizedViewLaunch::new(values, factors, scheme, Default::default());
    let (out, checked) = (array::<f32>(&out, 8), array::<f32>(&checked, 1));
    let error = dequantized::try_launch::<u8, R>(&client, one(), CubeDim::new_1d(8), arg, out, checked).unwrap_err();
    assert!(error.to_string().contains("need the store `QuantStore::U32`"), "{error}");
}

#[test]
fn sizes_of_schemes() {
    let scheme = QuantScheme::default();
    assert_eq!((scheme.size_bits_stored(), scheme.size_bits_value(), scheme.num_quants()), (32, 8, 4));
    let native = scheme.with_store(QuantStore::Native).with_value(QuantValue::E2M1);
    assert_eq!((native.size_bits_stored(), native.num_quants(), native.native_packing()), (8, 2, 2));
    let block = BlockSize::new([4, 8]);
    assert_eq!((block.as_dim::<3>(), block.to_dim_vec(1), block.num_elements()), ([1, 4, 8], vec![4], 32));
}
