//! Arguments of launches: cube counts, in-place arguments, and several arguments in one struct.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::{CubeError, ErrorKind};

#[cube(launch, launch_unchecked)]
fn shifted<F: Float>(x: &Array<Line<F>>, y: &mut Array<Line<F>>, by: F) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] + Line::new(by);
    }
}

fn lines(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: the handle has that many elements.
    unsafe { ArrayArg::from_raw_parts_and_size(handle, len, 4, 4) }
}

#[test]
fn kernel_launches_with_four_functions() {
    let client = client();
    let x = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    let y = client.empty(32);
    let (count, dim, by) = (one(), CubeDim::new_1d(2), ScalarArg::new);
    let mut expected = 1.0;
    let mut next = |by: f32| {
        expected += by;
        assert_eq!(f32::from_bytes(&client.read_one(y.clone()))[0], expected);
        expected = 1.0;
    };
    shifted::launch::<f32, R>(&client, count.clone(), dim, lines(&x, 8), lines(&y, 8), by(1.0));
    next(1.0);
    shifted::try_launch::<f32, R>(&client, count.clone(), dim, lines(&x, 8), lines(&y, 8), by(2.0)).unwrap();
    next(2.0);
    // SAFETY: two units, two lines each.
    unsafe {
        shifted::launch_unchecked::<f32, R>(&client, count.clone(), dim, lines(&x, 8), lines(&y, 8), by(3.0));
    }
    next(3.0);
    // SAFETY: the same.
    let outcome =
        unsafe { shifted::try_launch_unchecked::<f32, R>(&client, count, dim, lines(&x, 8), lines(&y, 8), by(4.0)) };
    assert_eq!(outcome, Ok(()));
    next(4.0);
}

#[cube(launch)]
fn marks(out: &mut Array<u32>) {
    out[CUBE_POS] = CUBE_COUNT_X * 100 + CUBE_COUNT_Y * 10 + CUBE_COUNT_Z;
}

#[test]
fn cube_count_is_read_from_a_buffer() {
    let client = client();
    let counts = client.create(u32::as_bytes(&[9, 9, 2, 3, 1, 9]));
    let run = |count: CubeCount| {
        let out = client.empty(32);
        marks::launch::<R>(&client, count, CubeDim::new_single(), array::<u32>(&out, 8));
        u32::from_bytes(&client.read_one(out)).to_vec()
    };
    let dynamic = CubeCount::Dynamic(counts.clone().offset_start(8).binding());
    assert_eq!(run(dynamic), [231, 231, 231, 231, 231, 231, 0, 0]);
    assert_eq!(run(CubeCount::new_3d(1, 1, 2)), [112, 112, 0, 0, 0, 0, 0, 0]);
    assert_eq!(run(CubeCount::Static(0, 4, 1)), [0; 8], "no cubes, and no error");
    // A count that was never computed is reported with the kernel that uses it.
    let out = client.empty(32);
    let short = CubeCount::Dynamic(counts.offset_start(16).binding());
    let error = marks::try_launch::<R>(&client, short, CubeDim::new_single(), array::<u32>(&out, 8)).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("marks") && error.contains("12 bytes"), "{error}");
}

#[cube(launch)]
fn overwrite(out: &mut Array<u32>) {
    sync_cube();
    out[CUBE_POS] = CUBE_COUNT;
}

/// The kernel writes the buffer that contains its number of cubes. The launch has the number before the first write.
#[test]
fn a_kernel_can_overwrite_its_cube_count() {
    let client = client();
    let counts = client.create(u32::as_bytes(&[4, 1, 1, 9]));
    let count = CubeCount::Dynamic(counts.clone().binding());
    overwrite::launch::<R>(&client, count, CubeDim::new_1d(2), array::<u32>(&counts, 4));
    assert_eq!(u32::from_bytes(&client.read_one(counts)), [4, 4, 4, 4]);
}

#[cube(launch)]
fn squares(x: &Tensor<f32>, y: &mut Tensor<f32>) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] * x[ABSOLUTE_POS];
    }
}

#[test]
fn an_output_can_be_an_input() {
    let client = client();
    let data = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    let by = ScalarArg::new(0.5);
    let y = ArrayArg::alias(0);
    shifted::launch::<f32, R>(&client, one(), CubeDim::new_1d(1), lines(&data, 4), y, by);
    // SAFETY: the handle has that many elements.
    let x = unsafe { TensorArg::from_raw_parts_and_size(&data, &[2, 1], &[2, 2], 1, 4) };
    assert!(format!("{x:?}").contains("shape: [2, 2]"));
    squares::launch::<R>(&client, one(), CubeDim::new_1d(4), x, TensorArg::alias(0));
    assert_eq!(f32::from_bytes(&client.read_one(data.clone())), [2.25, 6.25, 12.25, 20.25]);
    let (x, nowhere) = (lines(&data, 4), ArrayArg::alias(1));
    let error = shifted::try_launch::<f32, R>(&client, one(), CubeDim::new_1d(1), x, nowhere, by).unwrap_err();
    assert!(error.to_string().contains("refers to buffer 1, which is not an earlier argument"), "{error}");
}

#[cube(launch)]
fn totals(arrays: Sequence<Array<f32>>, numbers: Sequence<u32>, out: &mut Array<f32>) {
    let mut sum = 0.0;
    #[unroll]
    for i in 0..arrays.len() {
        sum += arrays.index(i)[ABSOLUTE_POS];
    }
    #[unroll]
    for i in 0..numbers.len() {
        sum += f32::cast_from(*numbers.index(i));
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn sequences_of_arguments_are_pushed_or_collected() {
    let client = client();
    let handles = [1.0f32, 10.0, 100.0].map(|x| client.create(f32::as_bytes(&[x, 2.0 * x])));
    for count in 0..=3 {
        let mut arrays = SequenceArg::new();
        handles[..count].iter().for_each(|handle| arrays.push(array::<f32>(handle, 2)));
        assert_eq!(arrays.values.len(), count);
        let numbers: SequenceArg<'_, R, u32> = [1000u32, 5000].into_iter().take(count).map(ScalarArg::new).collect();
        let got = outputs::<f32>(2, |c, out| totals::launch::<R>(c, one(), CubeDim::new_1d(2), arrays, numbers, out));
        let sum = [0.0, 1.0, 11.0, 111.0][count];
        let numbers = [0.0, 1000.0, 6000.0, 6000.0][count];
        assert_eq!(got, [sum + numbers, 2.0 * sum + numbers]);
    }
}

#[cube(launch)]
fn some_of(x: &Array<u32>, out: &mut Array<u32>, #[comptime] count: Option<u32>, limit: Option<u32>) {
    let unroll = count.is_some();
    let count = count.unwrap_or_else(|| x.len());
    let limit = limit.unwrap_or(1_000);
    let mut sum = 0;
    #[unroll(unroll)]
    for i in 0..count {
        sum += x[i];
    }
    out[0] = sum.min(limit);
}

#[test]
fn options_have_their_methods_in_kernels() {
    let client = client();
    let x = client.create(u32::as_bytes(&[1, 2, 4, 8]));
    let run = |count, limit: Option<u32>| {
        outputs::<u32>(1, |c, out| {
            let (x, limit) = (array::<u32>(&x, 4), limit.map(ScalarArg::new));
            some_of::launch::<R>(c, one(), CubeDim::new_single(), x, out, count, limit);
        })[0]
    };
    assert_eq!((run(Some(3), None), run(None, None), run(None, Some(9))), (7, 15, 9));
}

#[test]
fn sizes_are_numbers_on_the_host_too() {
    // Programs size shared memory by the number of planes in a cube.
    assert_eq!((256 / PLANE_DIM, 256 / CUBE_DIM, UNIT_POS), (8, 256, 0));
}

#[test]
fn launch_errors_are_in_terms_of_rust() {
    let client = client();
    let (x, y) = (client.create(f32::as_bytes(&[1.0; 12])), client.empty(48));
    let check = |outcome: Result<(), LaunchError>, words: &[&str]| {
        let error = outcome.unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains(".mlir"), "{error}");
    };
    // SAFETY: the handles have that many elements.
    let of = |handle, line| unsafe { ArrayArg::from_raw_parts::<f32>(handle, 12, line) };
    let run = |count, line| {
        shifted::try_launch::<f32, R>(
            &client,
            count,
            CubeDim::new_1d(3),
            of(&x, line),
            of(&y, line),
            ScalarArg::new(1.0),
        )
    };
    for line in [3, 255] {
        check(run(one(), line), &["launches.rs:", "the argument `x` has", &format!("lines of {line} elements")]);
    }
    let (short, x) = (client.create(u32::as_bytes(&[1])), client.create(f32::as_bytes(&[1.0; 12])));
    check(run(CubeCount::Dynamic(short.binding()), 1), &["three u32 values", "its handle has 4", "shifted"]);
    check(client.try_read_one(x.clone().offset_start(100)).map(drop), &["first 100", "the buffer has 48 bytes"]);
    check(client.try_read_one(x.clone().offset_end(u64::MAX).offset_end(9)).map(drop), &["the buffer has 48 bytes"]);
    run(one(), 4).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(y)), [2.0; 12]);
}

#[cube(launch)]
fn divided(out: &mut Array<u32>, #[comptime] by: u32) {
    out[0] = comptime!(12 / by);
}

#[test]
fn an_error_has_its_kind_kernel_and_location() {
    let (client, line) = (client(), line!() - 7);
    let out = client.empty(4);
    // SAFETY: the handle has one element.
    let argument = || unsafe { ArrayArg::from_raw_parts::<u32>(&out, 1, 1) };
    let run = |by| divided::try_launch::<R>(&client, one(), CubeDim::new_single(), argument(), by);
    run(3).unwrap();
    let location = |error: &CubeError| error.location.as_ref().map(|at| (at.file.ends_with("launches.rs"), at.line));
    let of_compiler = run(0).unwrap_err();
    assert_eq!((of_compiler.kind, of_compiler.kernel.as_deref()), (ErrorKind::Compile, Some("divided")));
    assert_eq!(location(&of_compiler), Some((true, line + 2)));
    // Reading the output returns the launch's failure.
    assert_eq!(client.try_read_one(out.clone()).unwrap_err(), of_compiler);
    let of_range = client.try_read_one(client.empty(4).offset_start(100)).unwrap_err();
    assert_eq!((of_range.kind, of_range.kernel), (ErrorKind::User, None));
    let of_memory = client.try_empty_tensor(&[1 << 40, 1 << 10], 4).unwrap_err();
    assert_eq!((of_memory.kind, of_memory.kernel), (ErrorKind::DeviceLimit, None));
    assert!(cubecl::future::block_on(client.sync()).is_ok());
}

#[test]
#[should_panic(expected = "6 bytes are not a whole number of f32 elements of 4 bytes")]
fn from_bytes_rejects_a_partial_element() {
    f32::from_bytes(&client().read_one(client().create(&[0; 6])));
}
