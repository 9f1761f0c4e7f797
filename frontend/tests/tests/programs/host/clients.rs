//! Memory, handles and limits of a client.
use crate::common::*;
use cubecl::features::{Plane, Tma, TypeUsage};
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::{AllocationDescriptor, AllocationKind, CopyDescriptor};

#[cube(launch)]
fn doubled(data: &mut Array<f32>) {
    if ABSOLUTE_POS < data.len() {
        data[ABSOLUTE_POS] *= 2.0;
    }
}

#[test]
fn tensors_are_made_one_by_one_and_together() {
    let client = client();
    let floats = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let made = client.create_tensors(vec![
        (AllocationDescriptor::optimized(&[2, 3], 4), f32::as_bytes(&floats)),
        (AllocationDescriptor::new(AllocationKind::Contiguous, &[2], 2), u16::as_bytes(&[7, 8])),
    ]);
    assert_eq!((&made[0].strides[..], &made[1].strides[..]), (&[3, 1][..], &[1][..]));
    assert_eq!(f32::from_bytes(&client.read_one(made[0].handle.clone())), floats);
    assert_eq!(u16::from_bytes(&client.read_one(made[1].handle.clone())), [7, 8]);
    let empty = client.empty_tensors(vec![
        AllocationDescriptor::contiguous(&[3, 5], 4),
        AllocationDescriptor::contiguous(&[0, 5], 4),
        AllocationDescriptor::contiguous(&[], 8),
    ]);
    assert_eq!(empty.iter().map(|a| a.handle.size()).collect::<Vec<_>>(), [60, 0, 8]);
    let error = client.try_create_tensor(f32::as_bytes(&floats), &[2, 2], 4).unwrap_err().to_string();
    assert!(error.contains("[2, 2]") && error.contains("16 bytes, but the data has 24 bytes"), "{error}");
}

#[test]
fn read_returns_the_contents_at_the_time_of_the_request() {
    let client = client();
    let handle = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    let rows = handle.copy_descriptor(&[2, 2], &[2, 1], 4);
    let early = client.read_async(vec![handle.clone()]);
    let early_rows = client.read_tensor_async(vec![rows]);
    let early_columns =
        client.read_one_tensor_async(CopyDescriptor::new(handle.clone().binding(), &[2, 2], &[1, 2], 4));
    doubled::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<f32>(&handle, 4));
    assert_eq!(f32::from_bytes(&block_on(early)[0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(f32::from_bytes(&block_on(early_rows)[0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(f32::from_bytes(&block_on(early_columns)), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(f32::from_bytes(&client.read_one(handle)), [2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn a_tensor_is_read_within_its_memory_only() {
    let client = client();
    let handle = client.create(i32::as_bytes(&[1, 2, 3, 4, 5, 6]));
    let read = |shape: &[usize], strides: &[usize]| {
        client.try_read_one_tensor(handle.copy_descriptor(shape, strides, 4)).map(|b| i32::from_bytes(&b).to_vec())
    };
    assert_eq!(read(&[2, 2], &[3, 1]), Ok(vec![1, 2, 4, 5]));
    assert_eq!(read(&[4], &[1]), Ok(vec![1, 2, 3, 4]), "a tensor can be smaller than its memory");
    assert_eq!(read(&[3, 2], &[1, 0]), Ok(vec![1, 1, 2, 2, 3, 3]), "and larger, where elements repeat");
    assert_eq!(read(&[], &[]), Ok(vec![1]));
    assert_eq!(read(&[4, 0], &[1, 1]), Ok(vec![]));
    let error = read(&[3, 2], &[3, 1]).unwrap_err().to_string();
    assert!(error.contains("[3, 2]") && error.contains("ends at byte 32, but its memory has 24"), "{error}");
    assert!(read(&[3, 2], &[1]).unwrap_err().to_string().contains("as many strides as dimensions"));
}

#[test]
fn cloned_handles_share_memory() {
    let client = client();
    let data: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let whole = client.create(f32::as_bytes(&data));
    let summed = whole.clone().offset_start(64).offset_start(32).offset_end(100).offset_end(28);
    assert_eq!((whole.size(), summed.size()), (256, 32));
    assert_eq!((summed.offset_start, summed.offset_end, whole.offset_start), (Some(96), Some(128), None));
    let mut set = whole.clone();
    set.offset_start = Some(240);
    assert_eq!(f32::from_bytes(&client.read_one(set)), &data[60..]);
    drop(summed);
    let part = whole.clone().offset_start(64).offset_end(128);
    assert_eq!(f32::from_bytes(&client.read_one(part.clone())), &data[16..32]);
    assert!(!whole.can_mut() && !part.can_mut());
    // The kernel accesses only this part of the buffer.
    doubled::launch::<R>(&client, one(), CubeDim::new_1d(64), array::<f32>(&part, 16));
    drop(part);
    assert!(whole.can_mut());
    let host: Vec<f32> = data.iter().map(|x| if (16.0..32.0).contains(x) { x * 2.0 } else { *x }).collect();
    assert_eq!(f32::from_bytes(&client.read_one(whole.clone())), host);
    let beyond = client.try_read_one(whole.offset_start(300)).unwrap_err().to_string();
    assert!(beyond.contains("skips its first 300") && beyond.contains("the buffer has 256 bytes"), "{beyond}");
}

/// Other tests use the device at the same time, so this test allocates more memory than all other tests
/// together.
#[test]
fn memory_in_use_is_counted() {
    const BYTES: usize = 77_777_777;
    let client = client();
    let held = client.memory_persistent_allocation(BYTES, |bytes| client.empty(bytes));
    let clone = held.clone().offset_start(16);
    drop(held);
    let with = client.memory_usage();
    assert!(with.number_allocs >= 1 && with.bytes_in_use >= BYTES as u64 && with.bytes_reserved >= with.bytes_in_use);
    drop(clone);
    client.memory_cleanup();
    assert!(client.memory_usage().bytes_in_use < BYTES as u64);
    let both = with.combine(with.clone());
    assert_eq!(both.number_allocs, 2 * with.number_allocs);
    assert!(with.to_string().contains(&with.bytes_in_use.to_string()));
}

#[test]
fn device_reports_its_limits() {
    let client = client();
    let properties = client.properties();
    let hardware = &properties.hardware;
    let CubeCount::Static(x, y, z) = hardware.max_cube_count.clone() else { panic!("a limit is not a buffer") };
    assert!(x >= 65_535 && y >= 65_535 && z >= 65_535, "{:?}", hardware.max_cube_count);
    assert!(hardware.max_cube_dim.can_contain(CubeDim::default()));
    assert!(!CubeDim::new_2d(4, 4).can_contain(CubeDim::new_2d(4, 5)));
    assert_eq!(CubeDim::default(), CubeDim::new_2d(16, 16));
    assert!(hardware.max_shared_memory_size >= 16 << 10 && hardware.max_bindings > 0);
    assert!(properties.memory.alignment >= 16 && properties.memory.max_page_size > 1 << 20);
    let features = &properties.features;
    assert!(features.plane.contains(Plane::Ops) && features.plane == Plane::Sync | Plane::Ops);
    assert!(!features.tma.contains(Tma::Base) && features.cmma.is_empty() && features.mma.is_empty());
    assert_eq!(properties.type_usage(f64::as_type_native_unchecked()), TypeUsage::all_scalar());
    assert_eq!(Atomic::<i32>::supported_uses(&client), TypeUsage::all_atomic());
    assert!(properties.supports_type(bool::as_type_native_unchecked()));
    assert_eq!((R::max_global_line_size(), R::require_array_lengths()), (u8::MAX, false));
    assert_eq!((format!("{:?}", CubeCount::new_2d(3, 4)), R::max_cube_count().0 > 0), ("(3, 4, 1)".to_string(), true));
}

#[test]
fn cubes_for_one_unit_an_element_cover_all_of_them() {
    for elements in [0usize, 1, 255, 256, 257, 1000, 65_537, 16_777_217, 3_000_000_000] {
        let dim = CubeDim::new_2d(16, 16);
        let CubeCount::Static(x, y, z) = cubecl::calculate_cube_count_elemwise(elements, dim) else { panic!() };
        let cubes = u64::from(x) * u64::from(y) * u64::from(z);
        assert!(cubes >= 1 && cubes * 256 >= elements as u64, "{elements}: {x} {y} {z}");
        assert!(cubes < elements as u64 / 256 + 2 + u64::from(x), "{elements}: {x} {y} {z}");
    }
}

/// A kernel that fails in the expansion, in the compilation, at the launch or at run time; `how` selects the
/// failure.
#[cube(launch)]
fn fails(x: &Array<u32>, counts: &Array<Atomic<u32>>, y: &mut Array<u32>, #[comptime] how: u32) {
    if comptime!(how == 0) {
        panic!("as asked");
    }
    if comptime!(how == 1) {
        if UNIT_POS < 2 {
            sync_cube();
        }
    }
    if comptime!(how == 3) {
        if x[UNIT_POS] < 2 {
            sync_cube();
        }
    }
    y[UNIT_POS] = x[UNIT_POS];
    Atomic::add(&counts[0], 1);
}

#[test]
fn failed_launch_keeps_read_only_buffers() {
    let client = client();
    // The code generator of a GPU knows the limits of the chip (CUBE0321).
    let units = if cfg!(any(feature = "on-cuda", feature = "on-hip")) { "CUBE0321" } else { "CUBE0922" };
    for (how, code) in ["CUBE0950", "CUBE0315", units, "CUBE0943"].into_iter().enumerate() {
        let x = client.create(u32::as_bytes(&[1, 2, 3, 4]));
        let (counts, y) = (client.create(u32::as_bytes(&[0])), client.empty(16));
        let dim = CubeDim::new_1d(if how == 2 { client.properties().hardware.max_units_per_cube + 1 } else { 4 });
        let (a, b, c) = (array::<u32>(&x, 4), array::<u32>(&counts, 1), array::<u32>(&y, 4));
        let error = fails::try_launch::<R>(&client, one(), dim, a, b, c, how as u32).unwrap_err().to_string();
        assert!(error.contains(code), "{error}");
        assert_eq!(u32::from_bytes(&client.read_one(x)), [1, 2, 3, 4], "after {code}");
        for lost in [counts, y] {
            assert!(client.try_read_one(lost).unwrap_err().to_string().contains(code));
        }
    }
}

/// A kernel with many steps per unit, so that its execution takes much longer than the submission of the
/// launch.
#[cube(launch)]
fn slowly(data: &mut Array<u32>, steps: u32) {
    let mut value = data[ABSOLUTE_POS];
    for _ in 0..steps {
        value = value * 1664525 + 1013904223;
    }
    data[ABSOLUTE_POS] = value;
}

fn stepped(mut value: u32, steps: u32) -> u32 {
    for _ in 0..steps {
        value = value.wrapping_mul(1664525).wrapping_add(1013904223);
    }
    value
}

#[test]
fn a_launch_returns_at_once_and_queues_keep_the_order_of_a_buffer() {
    let client = client();
    let steps = 20_000_000;
    // Launches of other tests can hold locks of a GPU's driver, but not in each of the attempts.
    let on_a_gpu = cfg!(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu"));
    let attempts: Vec<_> = (0..if on_a_gpu { 5 } else { 1 })
        .map(|_| {
            let data = client.create(u32::as_bytes(&[1, 2, 3, 4]));
            let launch = |queue: u32, steps: u32| {
                let client = client.on_queue(queue);
                let args = array::<u32>(&data, 4);
                slowly::launch::<R>(&client, one(), CubeDim::new_1d(4), args, ScalarArg::new(steps));
            };
            // The first use of a queue creates it.
            (0..4).for_each(|queue| launch(queue, 1));
            block_on(client.sync()).unwrap();
            let start = std::time::Instant::now();
            launch(1, steps);
            launch(2, 3);
            let submitted = start.elapsed();
            // Queued before the last launch, and not changed by it.
            let early = client.on_queue(3).read_async(vec![data.clone()]);
            launch(0, 5);
            let late = client.read_one(data.clone());
            let executed = start.elapsed();
            let expected = |steps: u32| [1, 2, 3, 4].map(|value| stepped(value, steps));
            assert_eq!(u32::from_bytes(&late), expected(4 + steps + 3 + 5));
            assert_eq!(u32::from_bytes(&block_on(early)[0]), expected(4 + steps + 3));
            (submitted, executed)
        })
        .collect();
    let is_at_once = |&(submitted, executed): &(std::time::Duration, std::time::Duration)| submitted * 2 < executed;
    assert!(attempts.iter().any(is_at_once), "time of the launches and of all work: {attempts:?}");
}

#[test]
fn memory_without_contents_is_for_kernels_that_write_all_of_it() {
    let client = client();
    let out = client.uninit(16);
    client.write(&out, u32::as_bytes(&[5, 6, 7, 8])).unwrap();
    assert_eq!((out.size(), u32::from_bytes(&client.read_one(out))), (16, &[5, 6, 7, 8][..]));
}

/// A client of a separate CPU device.
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
fn separate_cpu() -> cubecl::host::ComputeClient<cubecl::cpu::CpuServer> {
    let device = Box::new(cube_runtime_cpu::CpuDevice::with_threads(1));
    let target = cube_artifact::Target::cpu();
    let compiler = cubecl::host::compiler(&cube_artifact::Variables::of_process());
    cubecl::host::ComputeClient::new(std::sync::Arc::new(cubecl::host::Core::new(device, target, compiler)))
}

#[test]
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
fn commands_and_compiled_kernels_are_counted() {
    use cubecl::host::Counters;
    let client = separate_cpu();
    assert_eq!(client.counters(), Counters::default());
    let data = client.create(f32::as_bytes(&[1.0; 8]));
    let launch = |units| {
        doubled::launch::<cubecl::cpu::CpuRuntime>(&client, one(), CubeDim::new_1d(units), array::<f32>(&data, 8));
    };
    (0..5).for_each(|_| launch(8));
    let (graph, ()) = client
        .graph(|client| {
            doubled::launch::<cubecl::cpu::CpuRuntime>(client, one(), CubeDim::new_1d(8), array::<f32>(&data, 8));
        })
        .unwrap();
    graph.replay().unwrap();
    let handle = client.create(f32::as_bytes(&[0.0; 4]));
    assert_eq!(client.read_one(handle).len(), 16);
    let counters =
        Counters { launches: 5, graphs: 1, copies: 3, copied_bytes: 32 + 16 + 16, compiled: 1, ..Counters::default() };
    assert_eq!(client.clone().counters(), counters);
    // A refused launch is not counted.
    launch(1 << 20);
    assert_eq!(client.counters(), counters);
}

#[test]
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
fn persistent_memory_does_not_keep_the_memory_of_temporary_buffers() {
    let client = separate_cpu();
    let reserved = |weights: fn(&cubecl::host::ComputeClient<cubecl::cpu::CpuServer>) -> cubecl::server::Handle| {
        let temporary: Vec<_> = (0..100).map(|_| client.empty(4096)).collect();
        let kept = weights(&client);
        drop(temporary);
        client.memory_cleanup();
        let reserved = client.memory_usage().bytes_reserved;
        drop(kept);
        client.memory_cleanup();
        (reserved, client.memory_usage().bytes_reserved)
    };
    // A segment of small buffers has 4 MiB.
    assert_eq!(reserved(|client| client.empty(4096)), (4 << 20, 0));
    assert_eq!(reserved(|client| client.memory_persistent_allocation(4096, |bytes| client.empty(bytes))), (4 << 20, 0));
    let both = |client: &cubecl::host::ComputeClient<cubecl::cpu::CpuServer>| {
        let temporary = client.empty(4096);
        let kept = client.memory_persistent_allocation(4096, |bytes| client.empty(bytes));
        assert_eq!(client.memory_usage().bytes_reserved, 8 << 20);
        drop(temporary);
        kept
    };
    assert_eq!(reserved(both), (4 << 20, 0));
}
