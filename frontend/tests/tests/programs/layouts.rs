//! Tensors with layouts: the layouts and kernel results of an article about CuTe, and refused layouts.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::layout::{Layout, Mode, Swizzle, View, layout, make_layout_tv, row_major, tile};

/// Number of rows, and of columns, of the matrices in the article.
const N: u32 = 2048;

#[cube(launch_unchecked)]
fn naive<F: Float>(a: &Array<F>, b: &Array<F>, c: &mut Array<F>) {
    let ga = View::new(a, comptime!(row_major(N, N)));
    let gb = View::new(b, comptime!(row_major(N, N)));
    let gc = View::new(c, comptime!(row_major(N, N)));
    ga.expect_layout("(2048,2048):(2048,1)");
    let unit = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    let n = ga.size_of_mode(1);
    gc.set((unit / n, unit % n), ga.get((unit / n, unit % n)) + gb.get((unit / n, unit % n)));
}

#[cube(launch_unchecked)]
fn vectorised<F: Float>(a: &Array<F>, b: &Array<F>, c: &mut Array<F>) {
    let ga = View::new(a, comptime!(row_major(N, N))).zipped_divide(comptime!(tile(&[1, 4])));
    let gb = View::new(b, comptime!(row_major(N, N))).zipped_divide(comptime!(tile(&[1, 4])));
    let gc = View::new(c, comptime!(row_major(N, N))).zipped_divide(comptime!(tile(&[1, 4])));
    ga.expect_layout("((1,4),(2048,512)):((0,1),(2048,4))");
    let unit = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    let (m, n) = (unit / 512, unit % 512);
    let mine = ga.slice((Mode::All, (m, n)));
    mine.expect_layout("((1,4)):((0,1))");
    gc.slice((Mode::All, (m, n))).store(mine.load() + gb.slice((Mode::All, (m, n))).load());
}

#[cube]
fn of_unit<F: Float>(buffer: &Array<F>, #[comptime] tv: Layout) -> View<F> {
    let tiles = View::new(buffer, comptime!(row_major(N, N))).zipped_divide(comptime!(tile(&[16, 256])));
    tiles.expect_layout("((16,256),(128,8)):((2048,1),(32768,256))");
    let pairs = tiles.slice(((Mode::All, Mode::All), CUBE_POS_X)).compose(comptime!(tv.clone()));
    pairs.expect_layout("((32,4),(8,4)):((8,8192),(1,2048))");
    let mine = pairs.slice((UNIT_POS_X, Mode::All));
    mine.expect_layout("((8,4)):((1,2048))");
    mine
}

#[cube(launch_unchecked)]
fn thread_value<F: Float>(a: &Array<F>, b: &Array<F>, c: &mut Array<F>, #[comptime] tv: Layout) {
    let ta = of_unit::<F>(a, comptime!(tv.clone()));
    let tb = of_unit::<F>(b, comptime!(tv.clone()));
    of_unit::<F>(c, comptime!(tv.clone())).store(ta.load() + tb.load());
}

/// Runs a kernel on the first elements of two matrices, and checks the sums.
fn added(elements: usize, launch: impl FnOnce(&Client, ArrayArg<'_, R>, ArrayArg<'_, R>, ArrayArg<'_, R>)) {
    let (client, n) = (client(), (N * N) as usize);
    let numbers: Vec<f16> = (0..512).map(|i| f16::from_f32(i as f32 * 0.5)).collect();
    let host = |step: usize| -> Vec<f16> { (0..n).map(|i| numbers[i * step % 512]).collect() };
    let (a, b) = (host(3), host(5));
    let (da, db) = (client.create(f16::as_bytes(&a)), client.create(f16::as_bytes(&b)));
    let out = client.create(f16::as_bytes(&vec![f16::from_f32(-1.0); n]));
    launch(&client, array::<f16>(&da, n), array::<f16>(&db, n), array::<f16>(&out, n));
    let bytes = client.read_one(out);
    let initial = f16::from_f32(-1.0).to_bits();
    let (mut written, mut kept) = (0, 0);
    for (got, (x, y)) in f16::from_bytes(&bytes).iter().zip(a.iter().zip(&b)) {
        // No sum is negative, so an element with the initial value was not written.
        if got.to_bits() == initial {
            kept += 1;
        } else if *got == *x + *y {
            written += 1;
        }
    }
    assert_eq!((written, kept), (elements, n - elements));
}

#[test]
fn the_article_s_kernels_have_its_layouts_and_add() {
    let cubes = |n| CubeCount::Static(n, 1, 1);
    // SAFETY: every unit is inside the matrices.
    unsafe {
        added(1024, |c, x, y, z| naive::launch_unchecked::<f16, R>(c, cubes(4), CubeDim::new_1d(256), x, y, z));
        added(4096, |c, x, y, z| vectorised::launch_unchecked::<f16, R>(c, cubes(4), CubeDim::new_1d(256), x, y, z));
        let tv = make_layout_tv(&layout("(4,32):(32,1)"), &layout("(4,8):(8,1)")).unwrap();
        assert_eq!(
            (tv.tile.as_slice(), tv.layout.to_string().as_str()),
            (&[16, 256][..], "((32,4),(8,4)):((128,4),(16,1))")
        );
        let tv = tv.layout;
        added(8192, |c, x, y, z| {
            thread_value::launch_unchecked::<f16, R>(c, cubes(2), CubeDim::new_1d(128), x, y, z, tv)
        });
    }
}

#[cube(launch)]
fn shared_out(x: &Array<f32>, y: &mut Array<f32>, #[comptime] units: Layout) {
    let own = View::new(x, comptime!(row_major(8, 16))).local_tile(comptime!(tile(&[4, 8])), (CUBE_POS_X, 1));
    own.expect_layout("(4,8):(16,1)");
    let part = own.local_partition(comptime!(units.clone()), UNIT_POS_X);
    part.expect_layout("((2,2)):((32,4))");
    let fragment = part.fragment_like();
    fragment.expect_layout("((2,2)):((1,2))");
    fragment.copy_from(&part);
    let memory = SharedMemory::<f32>::new(32);
    let swizzled =
        View::swizzled(&memory, comptime!("S<2,0,3>".parse::<Swizzle>().unwrap()), comptime!(row_major(4, 8)));
    swizzled.local_partition(comptime!(units.clone()), UNIT_POS_X).copy_from(&fragment);
    sync_cube();
    let out = View::new(y, comptime!(row_major(8, 4)));
    #[unroll]
    for k in 0..out.size_of_mode(1) {
        out.set((UNIT_POS_X, k), swizzled.get((k, UNIT_POS_X)));
    }
}

#[test]
fn tiles_are_shared_out_through_fragments_and_swizzled_memory() {
    let data: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let input = client().create(f32::as_bytes(&data));
    let units = layout("(2,4):(4,1)");
    let got = outputs::<f32>(32, |c, out| {
        shared_out::launch::<R>(c, one(), CubeDim::new_1d(8), array::<f32>(&input, 128), out, units)
    });
    // Row `u` of the result is column `u` of the tile at rows 0 to 3, columns 8 to 15.
    let host: Vec<f32> = (0..32).map(|i| (i % 4 * 16 + 8 + i / 4) as f32).collect();
    assert_eq!(got, host);
}

#[cube(launch)]
fn refused_composition(x: &Array<f32>, y: &mut Array<f32>) {
    let view = View::new(x, comptime!(layout("(4,3):(1,10)")));
    y[0] = view.compose(comptime!(layout("6:1"))).get((UNIT_POS_X,));
}

#[cube(launch)]
fn refused_tiles(x: &Array<f32>, y: &mut Array<f32>) {
    y[0] = View::new(x, comptime!(row_major(7, 9))).zipped_divide(comptime!(tile(&[2, 4]))).get(((0, 0), UNIT_POS_X));
}

#[cube(launch)]
fn refused_coordinates(x: &Array<f32>, y: &mut Array<f32>) {
    let view = View::new(x, comptime!(row_major(4, 8)));
    y[0] = view.get((4, UNIT_POS_X));
    y[1] = view.get((UNIT_POS_X, Mode::All));
    y[2] = view.slice((UNIT_POS_X, (Mode::All, 1))).get((0,));
    view.expect_layout("(8,4):(1,8)");
    view.slice((0, Mode::All)).copy_from(&view);
}

#[cube(launch)]
fn whole(x: &Array<f32>, y: &mut Array<f32>) {
    let view = View::new(x, comptime!(row_major(8, 4)));
    View::new(y, comptime!(row_major(8, 4)))
        .slice((UNIT_POS_X, Mode::All))
        .copy_from(&view.slice((UNIT_POS_X, Mode::All)));
}

/// A function that launches a kernel with two arrays.
type Launched<'l> = dyn Fn(ArrayArg<'_, R>, ArrayArg<'_, R>) -> Result<(), LaunchError> + 'l;

#[test]
fn invalid_layout_expression_is_reported_with_its_line() {
    let client = client();
    let (x, y) = (client.empty(512), client.empty(512));
    let refused = |launch: &Launched, words: &[&str]| {
        let error = launch(array::<f32>(&x, 128), array::<f32>(&y, 128)).unwrap_err().to_string();
        for word in words.iter().chain(&["layouts.rs"]) {
            assert!(error.contains(word), "no `{word}` in: {error}");
        }
    };
    let dim = CubeDim::new_1d(4);
    refused(
        &|a, b| refused_composition::try_launch::<R>(&client, one(), dim, a, b),
        &["no layout computes (4,3):(1,10) o 6:1", "index 4 must have the offset 10"],
    );
    refused(&|a, b| refused_tiles::try_launch::<R>(&client, one(), dim, a, b), &["mode 0", "7:9 ends at 6"]);
    refused(
        &|a, b| refused_coordinates::try_launch::<R>(&client, one(), dim, a, b),
        &[
            "coordinate 4 at 0 is outside the extent 4",
            "this coordinate does not select one element",
            "a coordinate of rank 2 at 1 for a mode of rank 1",
            "the layout of this view is (4,8):(8,1), but (8,4):(1,8) is expected",
            "copy between views of equal size",
        ],
    );
}

/// The launch checks that the argument of a view begins at a multiple of 16 bytes.
#[test]
fn a_handle_with_an_unaligned_start_is_refused() {
    let client = client();
    let data: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(128));
    let launch = |offset: u64| {
        let part = input.clone().offset_start(offset).offset_end(256 - offset - 128);
        whole::try_launch::<R>(&client, one(), CubeDim::new_1d(8), array::<f32>(&part, 32), array::<f32>(&out, 32))
    };
    launch(16).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(out.clone())), &data[4..36]);
    let error = launch(4).unwrap_err().to_string();
    assert!(error.contains("cube.align") && error.contains("not a multiple of 16"), "{error}");
}
