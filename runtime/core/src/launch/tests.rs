//! Tests every rule for the arguments of a launch, and the error message of each rule.
use super::*;
use crate::buffer::tests::buffer;
use crate::error::ErrorKind;
use crate::kernel::Kernel;
use cube_artifact::{CodeFormat, Target};
use std::sync::Arc;

fn device() -> DeviceProperties {
    DeviceProperties {
        backend: "cpu".into(),
        max_cube_count: [1000, 100, u32::MAX],
        max_cube_dim: [1024, 64, 64],
        max_units_per_cube: 1024,
        max_shared_bytes: 4096,
        memory_bytes: 1 << 30,
        buffer_alignment: 128,
        parallel_cubes: 2,
        ..DeviceProperties::default()
    }
}

fn param(name: &str, elem: ElemType, line: u32, access: BufferAccess) -> Param {
    Param { name: name.into(), kind: ParamKind::Buffer { elem, line, align: 1, access } }
}

/// `y = a * x + bias`, lines of 4 for x and y.
fn kernel() -> Artifact {
    Artifact {
        kernel: "saxpy".into(),
        entry: "saxpy".into(),
        target: Target::cpu(),
        format: CodeFormat::ELF_OBJECT,
        code: vec![0],
        params: vec![
            param("x", ElemType::F32, 4, BufferAccess::Read),
            Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } },
            param("y", ElemType::F32, 4, BufferAccess::Write),
            param("bias", ElemType::F16, 1, BufferAccess::Read),
        ],
        derived: vec![],
        info: vec![InfoWord::Length { param: 3 }, InfoWord::Length { param: 0 }],
        cube_dim: [32, 2, 1],
        checked: true,
        shared_bytes: 0,
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: Some(1 << 20),
        first_cubes: None,
        features: vec![],
    }
}

fn args() -> Vec<Arg> {
    vec![
        Arg::buffer(&buffer(64), ElemType::F32),
        Scalar::F32(2.0).into(),
        Arg::buffer(&buffer(64), ElemType::F32),
        Arg::buffer(&buffer(6), ElemType::F16),
    ]
}

/// The error of a launch that is valid except for the given `change`.
fn refused(change: impl FnOnce(&mut Artifact, &mut Vec<Arg>, &mut [u32; 3])) -> RuntimeError {
    let (mut artifact, mut args, mut count) = (kernel(), args(), [1, 1, 1]);
    change(&mut artifact, &mut args, &mut count);
    bind(&artifact, &args, count, &device()).expect_err("the change breaks a rule")
}

#[track_caller]
fn assert_error(error: RuntimeError, kind: ErrorKind, text: &str) {
    assert_eq!((error.kind, error.to_string().as_str()), (kind, text));
}

#[test]
fn valid_launch_produces_calling_convention_arrays() {
    let args = args();
    let bound = bind(&kernel(), &args, [2, 3, 4], &device()).unwrap();
    let sizes: Vec<_> = bound.buffers.iter().map(|(b, writes)| (b.size(), *writes)).collect();
    assert_eq!(sizes, [(64, false), (64, true), (6, false)]);
    assert_eq!(bound.info, [3, 4]);
    assert_eq!(bound.scalars, [0x4000_0000]);
    assert_eq!((bound.cube_count, bound.cubes), ([2, 3, 4], 24));
}

#[test]
fn launch_with_zero_cubes_is_checked_and_not_run() {
    assert_eq!(bind(&kernel(), &args(), [0, 100, u32::MAX], &device()).unwrap().cubes, 0);
    let error = bind(&kernel(), &[], [0, 1, 1], &device()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::User);
}

#[test]
fn unaccessed_buffer_has_any_length_and_offset() {
    let mut args = args();
    args[2] = Arg::buffer(&buffer(64).slice(2..42).unwrap(), ElemType::F32);
    bind(&kernel(), &args, [1, 1, 1], &device()).expect_err("the kernel writes lines of 16 bytes");
    let mut artifact = kernel();
    artifact.params[2] = param("y", ElemType::F32, 4, BufferAccess::Unaccessed);
    artifact.info.push(InfoWord::Length { param: 2 });
    let bound = bind(&artifact, &args, [1, 1, 1], &device()).unwrap();
    assert_eq!((bound.buffers[1].1, bound.info[2]), (false, 2));
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let user = ErrorKind::User;
    assert_error(
        refused(|_, args, _| args.truncate(1)),
        user,
        "error[CUBE0920]: kernel 'saxpy': it takes 4 arguments (x, a, y, bias), but the launch has 1 argument; pass one argument for each",
    );
    assert_error(
        refused(|_, args, _| args[0] = Scalar::I32(1).into()),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'x': the kernel takes a buffer of f32, but the argument is a scalar of type i32; put the value into a buffer",
    );
    assert_error(
        refused(|_, args, _| args[1] = Arg::buffer(&buffer(4), ElemType::F32)),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'a': the kernel takes a scalar of type f32, but the argument is a buffer; pass the value itself",
    );
    assert_error(
        refused(|_, args, _| args[1] = Scalar::F64(2.0).into()),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'a': the kernel takes a scalar of type f32, but the argument has type f64; convert the data or compile the kernel for f64",
    );
    assert_error(
        refused(|_, args, _| args[3] = Arg::buffer(&buffer(6), ElemType::BF16)),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'bias': the kernel takes a buffer of f16, but the argument has type bf16; convert the data or compile the kernel for bf16",
    );
    assert_error(
        refused(|_, args, _| args[2] = Arg::buffer(&buffer(68), ElemType::F32)),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'y': 68 bytes are not a whole number of lines of 4 x f32 (16 bytes); bind a multiple of 16 bytes or compile with another line size",
    );
    assert_error(
        refused(|_, args, _| args[0] = Arg::buffer(&buffer(64).slice(2..34).unwrap(), ElemType::F32)),
        user,
        "error[CUBE0920]: kernel 'saxpy', argument 'x': it begins at byte 2 of its allocation, which is not a multiple of the 16 bytes of a line of 4 x f32; begin the slice at a multiple",
    );
    assert_error(
        refused(|_, args, _| args[3] = Arg::buffer(&buffer(2 << 32), ElemType::F16)),
        ErrorKind::DeviceLimit,
        "error[CUBE0922]: kernel 'saxpy', argument 'bias': it has 4294967296 lines, and lengths are u32, at most 4294967295; bind a part of it, or use longer lines",
    );
}

#[test]
fn bytes_shared_with_a_written_argument_need_to_be_marked_and_the_same() {
    let shared = buffer(128);
    let part = |range| Arg::buffer(&shared.slice(range).unwrap(), ElemType::F32);
    assert_error(
        refused(|_, args, _| (args[0], args[2]) = (part(0..64), part(0..64))),
        ErrorKind::User,
        "error[CUBE0920]: kernel 'saxpy', argument 'y': it shares bytes with argument 'x' and the kernel writes 'y'; bind a copy, or mark one of the two arguments as in place",
    );
    assert_error(
        refused(|_, args, _| (args[0], args[2]) = (part(0..64), part(48..112))),
        ErrorKind::User,
        "error[CUBE0920]: kernel 'saxpy', argument 'y': it shares bytes with argument 'x' and the kernel writes 'y'; bind parts that do not overlap, or bind a copy",
    );
    // The mark `in_place` does not allow buffers that overlap only partially.
    let marked = Arg::in_place(&shared.slice(16..80).unwrap(), ElemType::F32);
    assert_eq!(refused(|_, args, _| (args[0], args[2]) = (part(0..64), marked.clone())).kind, ErrorKind::User);

    let same = shared.slice(0..64).unwrap();
    let good = |args: Vec<Arg>| bind(&kernel(), &args, [1, 1, 1], &device()).is_ok();
    let mut with_mark = args();
    (with_mark[0], with_mark[2]) = (part(0..64), Arg::in_place(&same, ElemType::F32));
    assert!(good(with_mark));
    let mut neighbours = args();
    (neighbours[0], neighbours[2]) = (part(0..64), part(64..128));
    assert!(good(neighbours));
}

#[test]
fn read_only_arguments_can_alias() {
    let mut artifact = kernel();
    artifact.params[2] = param("y", ElemType::F32, 4, BufferAccess::Read);
    let mut args = args();
    args[2] = args[0].clone();
    assert!(bind(&artifact, &args, [1, 1, 1], &device()).is_ok());
}

#[test]
fn unchecked_code_rejects_shapes_larger_than_the_buffer() {
    let larger = |args: &mut Vec<Arg>| args[0] = args[0].clone().with_dims(Dims::tensor(&[4, 5], &[4, 1]));
    assert_error(
        refused(|artifact, args, _| {
            artifact.checked = false;
            larger(args);
        }),
        ErrorKind::User,
        "error[CUBE0920]: kernel 'saxpy', argument 'x': shape [4, 5] with strides [4, 1] requires 17 elements, but the buffer has 16, and the accesses of the kernel are unchecked; bind a larger buffer, or compile the kernel with checks",
    );
    let mut args = args();
    larger(&mut args);
    assert!(bind(&kernel(), &args, [1, 1, 1], &device()).is_ok(), "checks keep the accesses inside");
}

#[test]
fn exceeded_limits_are_reported_with_value_and_fix() {
    let limit = ErrorKind::DeviceLimit;
    assert_error(
        refused(|_, _, count| *count = [1, 101, 1]),
        limit,
        "error[CUBE0922]: kernel 'saxpy': 101 cubes along y exceed the device's limit of 100; use another axis, or do more work per cube",
    );
    assert_error(
        refused(|artifact, _, _| artifact.cube_dim = [1, 65, 1]),
        limit,
        "error[CUBE0922]: kernel 'saxpy': its cube has 65 units along y, but the device's limit is 64; compile the kernel with a smaller cube dim",
    );
    assert_error(
        refused(|artifact, _, _| artifact.cube_dim = [1024, 2, 1]),
        limit,
        "error[CUBE0922]: kernel 'saxpy': its cube [1024, 2, 1] has 2048 units, but the device's limit is 1024; compile the kernel with a smaller cube dim",
    );
    assert_error(
        refused(|artifact, _, _| artifact.shared_bytes = 5000),
        limit,
        "error[CUBE0922]: kernel 'saxpy': its cube uses 5000 bytes of shared memory, but the device's limit is 4096; use smaller tiles",
    );
    assert_error(
        refused(|_, _, count| *count = [1, 1, (1 << 20) + 1]),
        limit,
        "error[CUBE0922]: kernel 'saxpy': 1048577 cubes of 1 units along z are 1048577 units, but positions in this kernel must be below 1048576; split the launch",
    );
    assert_error(
        refused(|_, _, count| *count = [1000, 100, 1]),
        limit,
        "error[CUBE0922]: kernel 'saxpy': cube count [1000, 100, 1] of cube dim [32, 2, 1] are 6400000 units, but positions in this kernel must be below 1048576; split the launch",
    );
    let mut unlimited = device();
    unlimited.max_cube_count = [u32::MAX; 3];
    let mut artifact = kernel();
    artifact.unit_limit = None;
    assert_error(
        bind(&artifact, &args(), [u32::MAX; 3], &unlimited).unwrap_err(),
        limit,
        "error[CUBE0922]: kernel 'saxpy': cube count [4294967295, 4294967295, 4294967295] has more than 2^64 cubes; launch fewer cubes",
    );
}

#[test]
fn an_artifact_whose_info_names_no_buffer_is_invalid_not_a_panic() {
    for index in [1, 4, u32::MAX] {
        let error = refused(|artifact, _, _| artifact.info.push(InfoWord::Length { param: index }));
        assert_error(
            error,
            ErrorKind::InvalidArtifact,
            &format!(
                "error[CUBE0921]: kernel 'saxpy': its info refers to the length of parameter {index}, which is not a buffer; compile the kernel again"
            ),
        );
    }
}

/// A kernel that runs a quarter of the requested cubes if the address of buffer x is a multiple of 16 bytes.
fn coarse() -> Artifact {
    let take = "add(1, mul(3, eq(rem(offset(x), 16), 0)))";
    let derived = cube_artifact::DerivedParam { name: "take".into(), elem: ElemType::U32, expression: take.into() };
    let counts = [format!("ceildiv(cubes(0), {take})"), "cubes(1)".into(), "cubes(2)".into()];
    let mut artifact = Artifact { derived: vec![derived], cube_count: Some(counts), ..kernel() };
    artifact.params[0] = param("x", ElemType::F32, 1, BufferAccess::Read);
    artifact
}

#[test]
fn artifact_expression_determines_the_cube_count() {
    let device = DeviceProperties { buffer_alignment: 256, ..device() };
    let launch = |start: u64, count| {
        let mut args = args();
        let all = buffer(64 + start);
        args[0] = Arg::buffer(&all.slice(start..64 + start).unwrap(), ElemType::F32);
        let bound = bind(&coarse(), &args, count, &device).unwrap();
        (bound.scalars[1], bound.cube_count, bound.cubes)
    };
    assert_eq!(coarse().check(), Ok(()));
    assert_eq!(launch(0, [9, 2, 3]), (4, [3, 2, 3], 18));
    assert_eq!(launch(16, [8, 1, 1]), (4, [2, 1, 1], 2));
    assert_eq!(launch(272, [1, 1, 1]), (4, [1, 1, 1], 1));
    assert_eq!(launch(4, [9, 2, 3]), (1, [9, 2, 3], 54));
    assert_eq!(launch(0, [0, 2, 3]), (4, [0, 2, 3], 0));
}

#[test]
fn requested_cube_count_is_checked() {
    // The limit of the device applies to the requested cube count, not to the reduced cube count of a coarsened kernel.
    let error = bind(&coarse(), &args(), [1001, 1, 1], &device()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::DeviceLimit);
    // If the allocations of a device have a lower alignment than the expressions assume, the launch runs the plain form
    // of the kernel.
    let args = args();
    let bound = bind(&coarse(), &args, [8, 1, 1], &device()).unwrap();
    assert_eq!((bound.scalars[1], bound.cube_count), (1, [8, 1, 1]));
}

#[test]
fn artifact_cube_count_cannot_exceed_the_request() {
    let counts = |text: &str| [text.to_string(), "cubes(1)".into(), "cubes(2)".into()];
    let run = |text: &str| {
        let artifact = Artifact { cube_count: Some(counts(text)), ..kernel() };
        bind(&artifact, &args(), [3, 1, 1], &device()).map(|bound| bound.cube_count)
    };
    assert_eq!(run("sub(cubes(0), 1)").unwrap(), [2, 1, 1]);
    for (text, why) in [
        ("add(cubes(0), 1)", "its cube count [4, 1, 1] is more than the requested [3, 1, 1]"),
        ("cubes(7)", "its cube count along axis 0: a launch has no axis 7"),
        ("shl(1, 32)", "its cube count along axis 0: 4294967296 exceeds 4294967295"),
    ] {
        let error = run(text).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn overwritten_buffers_depend_on_the_launch() {
    let needed = "ceildiv(buffer_len(x), 4)";
    let expression = format!("eq(min(cubes(0), {needed}), {needed})");
    let overwritten = vec![cube_artifact::OverwrittenBuffer { param: 0, expression }];
    let artifact = Artifact { overwritten, ..kernel() };
    assert_eq!(artifact.check(), Ok(()));
    let (plan, args) = (LaunchPlan::new(&artifact), args());
    let Arg::Buffer { buffer, elem, .. } = &args[0] else { unreachable!("the first argument is a buffer") };
    let lines = buffer.size() / elem.size() as u64 / 4;
    let cubes = lines.div_ceil(4) as u32;
    let over = |cubes, argument| bind(&artifact, &args, [cubes, 1, 1], &device()).unwrap().overwrites(&plan, argument);
    assert_eq!([over(cubes, 0), over(cubes - 1, 0), over(cubes, 1)], [true, false, false]);
}

/// A repeated launch has the arrays of a new launch with the same ranges, types and shapes, or is left to the new launch.
#[test]
fn repeated_launches_equal_new_ones() {
    let of = |name: &str, expression: &str| cube_artifact::DerivedParam {
        name: name.into(),
        elem: ElemType::U32,
        expression: expression.into(),
    };
    let mut artifact = kernel();
    artifact.params.push(Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::U32 } });
    artifact.derived = vec![of("len", "add(len(x), mul(n, 2))"), of("start", "offset(bias)")];
    artifact.cube_count = Some(["cubes(0)".into(), "min(cubes(1), n)".into(), "cubes(2)".into()]);
    artifact.overwritten = vec![cube_artifact::OverwrittenBuffer { param: 2, expression: "eq(n, 3)".into() }];
    let (device, count) = (DeviceProperties { buffer_alignment: 256, ..device() }, [2, 2, 1]);
    let kernel = Kernel::new(Arc::new(artifact.clone()), Arc::new(()));
    let other = Kernel::new(Arc::new(artifact.clone()), Arc::new(()));
    let allocations = [buffer(256), buffer(256), buffer(192)];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut any = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut launch = || {
        let mut part = |ranges: &[std::ops::Range<u64>]| {
            allocations[any(3)].slice(ranges[if any(4) == 0 { any(ranges.len()) } else { 0 }].clone()).unwrap()
        };
        let (x, y) = (part(&[0..64, 64..128, 32..96]), part(&[0..64, 64..128, 32..96]));
        let bias = part(&[128..134, 0..6, 132..138]);
        let y = if any(2) == 0 { Arg::in_place(&y, ElemType::F32) } else { Arg::buffer(&y, ElemType::F32) };
        let (a, n) = (Scalar::F32([2.0, 3.0][any(2)]), Scalar::U32([3, 3, 3, 2][any(4)]));
        vec![Arg::buffer(&x, ElemType::F32), a.into(), y, Arg::buffer(&bias, ElemType::F16), n.into()]
    };
    let (mut repeated, mut refused, mut invalid) = (0, 0, 0);
    for _ in 0..5_000 {
        let Ok(repeat) = Repeat::of(&kernel, &launch(), count, &device) else { continue };
        let args = launch();
        let buffers: Vec<_> = args
            .iter()
            .filter_map(|arg| if let Arg::Buffer { buffer, .. } = arg { Some(buffer) } else { None })
            .collect();
        let scalars: Vec<_> = args
            .iter()
            .filter_map(|arg| if let Arg::Scalar(scalar) = arg { Some(scalar.slot()) } else { None })
            .collect();
        // The marks of the earlier launch apply, as its other facts do.
        let mut marked = args.clone();
        if let Arg::Buffer { in_place, .. } = &mut marked[2] {
            *in_place = repeat.parts()[1].in_place;
        }
        let new = bind(&artifact, &marked, count, &device);
        let same_ranges = repeat.parts().iter().zip(&buffers).all(|(part, b)| part.bytes == (b.offset()..b.end()));
        let same_read = repeat.read == [(1, scalars[1])];
        match (repeat.bind(&kernel, &buffers, &scalars, LaunchArrays::default()), new) {
            (Ok(got), Ok(new)) => {
                assert!(same_ranges && same_read, "{args:?}");
                let of = |bound: &BoundLaunch<'_>| {
                    let buffers: Vec<_> = bound.buffers.iter().map(|(b, w)| (std::ptr::from_ref(*b), *w)).collect();
                    (bound.info.clone(), bound.scalars.clone(), bound.cube_count, bound.cubes, buffers.len())
                };
                assert_eq!(of(&got), of(&new), "{args:?}");
                for (((got, writes), (new, new_writes)), part) in
                    got.buffers.iter().zip(&new.buffers).zip(repeat.parts())
                {
                    assert!(got.same_bytes(new) && writes == new_writes && part.writes == *writes, "{args:?}");
                }
                let over = |argument| new.overwrites(kernel.plan(), argument);
                assert_eq!(
                    repeat.parts().iter().map(|part| part.overwrites).collect::<Vec<_>>(),
                    [over(0), over(2), over(3)]
                );
                assert!(repeat.bind(&other, &buffers, &scalars, LaunchArrays::default()).is_err(), "another kernel");
                repeated += 1;
            }
            (Ok(_), Err(error)) => panic!("{args:?} is invalid: {error}"),
            (Err(_), Ok(_)) => {
                assert!(!same_ranges || !same_read, "{args:?}");
                refused += 1;
            }
            (Err(_), Err(_)) => invalid += 1,
        }
    }
    assert!(repeated > 500 && refused > 500 && invalid > 200, "{repeated} {refused} {invalid}");
}

/// A launch that a thread remembers has the arrays and the errors of a launch with a new plan, whatever fact differs.
#[test]
fn remembered_launches_equal_new_ones() {
    let of = |name: &str, elem, expression: &str| cube_artifact::DerivedParam {
        name: name.into(),
        elem,
        expression: expression.into(),
    };
    let mut artifact = kernel();
    artifact.params.push(Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::U32 } });
    artifact.derived = vec![
        of("len", ElemType::U32, "add(len(x), mul(n, 2))"),
        of("shape", ElemType::U64, "add(shape(y, 1), add(stride(y, 0), offset(bias)))"),
        of("cubes", ElemType::U32, "mul(cubes(1), buffer_len(x))"),
    ];
    artifact.cube_count = Some(["cubes(0)".into(), "min(cubes(1), n)".into(), "cubes(2)".into()]);
    artifact.overwritten = vec![cube_artifact::OverwrittenBuffer { param: 2, expression: "eq(n, 3)".into() }];
    // Two kernels that share a place in the memory of a thread, and one with a separate place.
    let kernels = [(u64::MAX, 2), (u64::MAX - 128, 3), (5, 4)].map(|(kernel, by)| {
        let mut artifact = artifact.clone();
        artifact.derived[0].expression = format!("add(len(x), mul(n, {by}))");
        let plan = LaunchPlan::new(&artifact).of_kernel(kernel);
        (artifact, plan)
    });
    let (one, two) = (buffer(256), buffer(256));
    let small = DeviceProperties { max_cube_count: [1, 1, 1], buffer_alignment: 256, ..device() };
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut any = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut arrays = LaunchArrays::default();
    let (mut remembered, mut refused) = (0, 0);
    for _ in 0..20_000 {
        // Most launches differ from others in one fact at most.
        let mut rarely = |n: usize| if any(6) == 0 { any(n) } else { 0 };
        let part = |which: usize, at: usize| {
            let of = if which == 0 { &one } else { &two };
            of.slice([0..64, 16..80, 0..48, 64..128, 2..66][at].clone()).unwrap()
        };
        let dims = [None, Some(Dims::array(16)), Some(Dims::array(12)), Some(Dims::tensor(&[4, 4], &[5, 1]))];
        let x = Arg::buffer(&part(0, rarely(5)), [ElemType::F32, ElemType::U32][rarely(2)]);
        let y = match rarely(3) {
            0 => Arg::buffer(&part(1 - rarely(2), rarely(4)), ElemType::F32)
                .with_dims(dims[1 + rarely(3)].clone().unwrap()),
            1 => Arg::in_place(&part(0, rarely(4)), ElemType::F32),
            _ => Scalar::F32(1.0).into(),
        };
        let a = [Scalar::F32(2.0), Scalar::F32(3.0), Scalar::F16(half::f16::ONE)][rarely(3)];
        let bias = Arg::buffer(&part(1, 3).slice(0..[6, 8][rarely(2)]).unwrap(), ElemType::F16);
        let bias = match dims[rarely(3)].clone() {
            Some(dims) => bias.with_dims(dims),
            None => bias,
        };
        let n = [Scalar::U32(3), Scalar::U32(2), Scalar::U32(0)][rarely(3)];
        let mut args = vec![x, a.into(), y, bias, n.into()];
        args.truncate(5 - rarely(2));
        let count = [[1, 1, 1], [1, 2, 1], [2, 1, 1], [0, 1, 1]][rarely(4)];
        let device = [device(), small.clone()][rarely(2)].clone();
        let (artifact, plan) = &kernels[rarely(3)];
        let before = known(artifact, plan, &args, count, &device, |all| {
            (all.derived.to_vec(), all.info.to_vec(), all.cube_count, all.cubes)
        });
        let got = bind_into(artifact, plan, &args, count, &device, std::mem::take(&mut arrays));
        let new = bind(artifact, &args, count, &device);
        assert_eq!(format!("{got:?}"), format!("{new:?}"), "{args:?} {count:?}");
        if let Some((derived, info, count, cubes)) = &before {
            let new = new.as_ref().expect("a known launch follows all rules");
            assert!(new.scalars.ends_with(derived), "{args:?} {count:?}");
            assert_eq!((&new.info, new.cube_count, new.cubes), (info, *count, *cubes), "{args:?}");
        }
        remembered += usize::from(before.is_some());
        refused += usize::from(got.is_err());
        if let Ok(bound) = got {
            arrays = bound.into_arrays();
        }
    }
    assert!(remembered > 2_000 && refused > 2_000, "{remembered} remembered, {refused} refused");
}

/// A launch inside the function that reads an earlier launch is checked, but not remembered.
#[test]
fn a_launch_while_an_earlier_one_is_read_is_new() {
    let mut artifact = kernel();
    artifact.params.truncate(1);
    (artifact.derived, artifact.info) = (vec![], vec![]);
    let plans = [6, 7].map(|kernel| LaunchPlan::new(&artifact).of_kernel(kernel));
    let args = [Arg::buffer(&buffer(64), ElemType::F32)];
    let launch = |plan| bind_into(&artifact, plan, &args, [1, 1, 1], &device(), LaunchArrays::default()).map(drop);
    let known = |plan, call: &dyn Fn()| known(&artifact, plan, &args, [1, 1, 1], &device(), |_| call()).is_some();
    launch(&plans[0]).unwrap();
    assert!(known(&plans[0], &|| launch(&plans[1]).unwrap()));
    assert!(!known(&plans[1], &|| ()));
    launch(&plans[1]).unwrap();
    assert!(known(&plans[1], &|| ()));
}
