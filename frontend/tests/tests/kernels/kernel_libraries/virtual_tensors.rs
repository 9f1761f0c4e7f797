//! Functions over tensors with an abstract storage type.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::tensor::r#virtual::{VirtualTensor, VirtualTensorOperations};

const DATA: [f32; 8] = [0.5, -1.5, 2.25, 3.0, -4.0, 0.0, 7.5, 1.0];

/// Runs a kernel of eight units over two rows of four elements.
fn run(line: u8, launch: impl FnOnce(&Client, TensorArg<'_, R>, TensorArg<'_, R>)) -> Vec<f32> {
    let c = client();
    let (input, out) = (c.create(f32::as_bytes(&DATA)), c.create(f32::as_bytes(&[0.0; 8])));
    // SAFETY: both have two rows of four elements.
    let arg = |handle| unsafe { TensorArg::from_raw_parts::<f32>(handle, &[4, 1], &[2, 4], line) };
    launch(&c, arg(&input), arg(&out));
    f32::from_bytes(&c.read_one(out)).to_vec()
}

#[cube]
fn total<F: Float>(of: &VirtualTensor<F>) -> F {
    let mut sum = F::new(0.0);
    for i in 0..of.len() {
        let line = of.read(i);
        #[unroll]
        for lane in 0..of.line_size() {
            sum += line[lane];
        }
    }
    sum
}

#[cube]
fn shifted<F: Float>(from: &VirtualTensor<F>, to: &mut VirtualTensor<F, ReadWrite>, by: F) {
    if ABSOLUTE_POS < to.buffer_len() {
        to.write(ABSOLUTE_POS, from.read(ABSOLUTE_POS) + Line::new(by));
    }
}

#[cube(launch)]
fn whole<F: Float>(input: &Tensor<Line<F>>, out: &mut Tensor<Line<F>>) {
    let from = VirtualTensor::<F>::new::<Tensor<Line<F>>>(input);
    let mut to = VirtualTensor::<F, ReadWrite>::new::<Tensor<Line<F>>>(out);
    let facts = from.shape(1) * 1000 + from.stride(0) * 100 + from.rank() * 10 + from.coordinate(6, 1);
    shifted::<F>(&from, &mut to, total::<F>(&from) + F::cast_from(facts));
}

#[test]
fn function_accepts_any_tensor() {
    // 4 elements in a row, 4 from row to row, 2 dimensions, column 2 of the sixth; the sum of DATA is 8.75.
    let expected = DATA.map(|x| x + 4422.0 + 8.75);
    for line in [1, 2, 4] {
        let got = run(line, |c, a, b| whole::launch::<f32, R>(c, one(), CubeDim::new_1d(9), a, b));
        assert_eq!(got, expected, "lines of {line}");
    }
}

#[cube]
fn at<F: Float, L: List<Line<F>>>(list: &L, index: u32) -> Line<F> {
    list.read(index)
}

#[cube(launch)]
fn through<F: Float>(input: &Tensor<Line<F>>, out: &mut Tensor<Line<F>>) {
    let from = VirtualTensor::<F>::new::<Tensor<Line<F>>>(input);
    let mut to = VirtualTensor::<F, ReadWrite>::new::<Tensor<Line<F>>>(out);
    let (elements, written) = (from.as_view(), to.as_view_mut());
    let part = from.as_slice(1, from.len());
    let pos = UNIT_POS * from.line_size();
    // The next line; after the last line, the read returns 0.
    let next = elements.read_checked(pos + from.line_size());
    written.write_checked(pos, next * at::<F, VirtualTensor<F>>(&from, 0) + part[0]);
}

#[test]
fn views_slices_and_lists_use_virtual_tensors() {
    for line in [1, 2, 4] {
        let got = run(line, |c, a, b| through::launch::<f32, R>(c, one(), CubeDim::new_1d(9), a, b));
        let n = usize::from(line);
        let next = |i: usize| DATA.get(i + n).copied().unwrap_or(0.0);
        let expected: Vec<f32> = (0..8).map(|i| next(i) * DATA[i % n] + DATA[n + i % n]).collect();
        assert_eq!(got, expected, "lines of {line}");
    }
}

/// Multiplies every line of a tensor by `times`.
#[derive(CubeType, Clone)]
struct Scaled<E: Numeric> {
    times: E,
    below: VirtualTensor<E>,
}

impl<E: Numeric> Lined for Scaled<E> {}
impl<E: Numeric> LinedExpand for ScaledExpand<E> {
    fn line_size(&self) -> u32 {
        self.below.line_size()
    }
}

#[cube]
impl<E: Numeric> VirtualTensorOperations<E> for Scaled<E> {
    fn read(&self, index: u32) -> Line<E> {
        self.below.read(index) * Line::new(self.times)
    }
    fn read_window(&self, start: u32, end: u32) -> Slice<Line<E>, ReadOnly> {
        self.below.slice(start, end)
    }
    fn write(&self, _index: u32, _value: Line<E>) {}
    fn shape(&self, axis: u32) -> u32 {
        self.below.shape(axis)
    }
    fn stride(&self, axis: u32) -> u32 {
        self.below.stride(axis)
    }
    fn rank(&self) -> u32 {
        self.below.rank()
    }
    fn len(&self) -> u32 {
        self.below.len()
    }
    fn buffer_len(&self) -> u32 {
        self.below.buffer_len()
    }
}

#[cube(launch)]
fn of_a_program(input: &Tensor<Line<f32>>, out: &mut Tensor<Line<f32>>) {
    let below = VirtualTensor::<f32>::new::<Tensor<Line<f32>>>(input);
    let scaled = Scaled::<f32> { times: 3.0f32, below };
    let from = VirtualTensor::<f32>::new::<Scaled<f32>>(&scaled);
    if ABSOLUTE_POS < from.len() {
        out[ABSOLUTE_POS] = from.read(ABSOLUTE_POS) + Line::new(total::<f32>(&from));
    }
}

#[test]
fn program_defines_custom_storage() {
    let expected = DATA.map(|x| 3.0 * x + 3.0 * 8.75);
    for line in [1, 4] {
        let got = run(line, |c, a, b| of_a_program::launch::<R>(c, one(), CubeDim::new_1d(9), a, b));
        assert_eq!(got, expected, "lines of {line}");
    }
}
