//! A launch with the facts of an earlier launch repeats it on the device, and any other launch does not.
#![cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
#![allow(unsafe_code)]
use cube_artifact::{Artifact, Variables};
use cube_runtime_cpu::CpuDevice;
use cube_runtime_cpu::cube_runtime::launch::Repeat;
use cube_runtime_cpu::cube_runtime::{
    Arg, Buffer, Cubes, Device, DeviceProperties, Event, Graph, HostBytes, Init, Kernel, MemoryUsage, Queue, Reading,
    RuntimeError,
};
use cubecl::cpu::CpuRuntime as R;
use cubecl::host::{ComputeClient, Core, Counters, Handle};
use cubecl::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Client = ComputeClient<cubecl::cpu::CpuServer>;

/// A CPU device that counts the repeated launches.
struct Counting {
    device: CpuDevice,
    repeated: Arc<AtomicU64>,
}

impl Device for Counting {
    fn name(&self) -> &str {
        self.device.name()
    }
    fn properties(&self) -> &DeviceProperties {
        self.device.properties()
    }
    fn alloc_on(&self, queue: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        self.device.alloc_on(queue, bytes, init)
    }
    fn memory_usage(&self) -> MemoryUsage {
        self.device.memory_usage()
    }
    fn memory_cleanup(&self) {
        self.device.memory_cleanup();
    }
    fn write_on(&self, queue: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        self.device.write_on(queue, buffer, offset, data)
    }
    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError> {
        self.device.write_async(queue, buffer, offset, data)
    }
    fn read_on(&self, queue: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        self.device.read_on(queue, buffer, offset, out)
    }
    fn read_async(&self, queue: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError> {
        self.device.read_async(queue, buffer, offset, bytes)
    }
    fn copy(&self, queue: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
        self.device.copy(queue, from, to)
    }
    fn copy_from(
        &self,
        queue: Queue,
        to: &Buffer,
        source: &dyn Device,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError> {
        self.device.copy_from(queue, to, source, source_queue, from)
    }
    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        self.device.load(artifact)
    }
    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError> {
        self.device.launch_on(queue, kernel, args, cubes)
    }
    fn repeats(&self) -> bool {
        true
    }
    fn repeat(
        &self,
        queue: Queue,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&Buffer],
        scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        let repeated = self.device.repeat(queue, kernel, repeat, buffers, scalars)?;
        self.repeated.fetch_add(repeated.into(), Ordering::Relaxed);
        Ok(repeated)
    }
    fn record(&self, queue: Queue) -> Result<Event, RuntimeError> {
        self.device.record(queue)
    }
    fn wait(&self, queue: Queue, event: &Event) -> Result<(), RuntimeError> {
        self.device.wait(queue, event)
    }
    fn sync_queue(&self, queue: Queue) -> Result<(), RuntimeError> {
        self.device.sync_queue(queue)
    }
    fn sync(&self) -> Result<(), RuntimeError> {
        self.device.sync()
    }
    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
        self.device.replay(queue, graph)
    }
}

/// A client of a new device, and the number of its repeated launches.
fn counting() -> (Client, Arc<AtomicU64>) {
    let repeated = Arc::<AtomicU64>::default();
    let device = Box::new(Counting { device: CpuDevice::with_threads(1), repeated: repeated.clone() });
    let compiler = cubecl::host::compiler(&Variables::of_process());
    let core = Core::new(device, cube_artifact::Target::cpu(), compiler);
    (ComputeClient::new(Arc::new(core)), repeated)
}

/// Writes values that depend on the facts of the launch to `out`.
#[cube(launch, launch_unchecked)]
fn facts(x: &Array<f32>, t: &Tensor<f32>, out: &mut Array<f32>, factor: f32, #[comptime] shift: u32) {
    if ABSOLUTE_POS == 0u32 {
        out[0] = f32::cast_from(x.len());
        out[1] = factor * x[0] + f32::cast_from(shift);
        out[2] = f32::cast_from(t.shape(0) * 100 + t.stride(0) * 10 + t.rank());
        out[3] = t[t.stride(0)];
        out[4] = f32::cast_from(CUBE_COUNT_X * 100 + CUBE_DIM_X);
    }
}

/// Writes the elements of `from`, plus 1, to `to`.
#[cube(launch)]
fn copied(from: &Array<f32>, to: &mut Array<f32>) {
    if ABSOLUTE_POS < to.len() {
        to[ABSOLUTE_POS] = from[ABSOLUTE_POS] + 1.0;
    }
}

fn array(handle: &Handle, length: usize) -> ArrayArg<'_, R> {
    // SAFETY: the kernels are checked, or all lengths are at most those of the memory.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, length, 1) }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// One of the values, mostly the first.
    fn rarely<T: Copy>(&mut self, values: &[T]) -> T {
        values[if self.below(8) == 0 { self.below(values.len()) } else { 0 }]
    }
}

/// The results of a launch agree with its facts, if any fact differs from those of earlier launches.
#[test]
fn launches_with_other_facts_are_not_repeated() {
    let (client, repeated) = counting();
    let data = |start: usize, n: usize| (start..start + n).map(|i| i as f32).collect::<Vec<_>>();
    let buffers: Vec<(Handle, usize)> =
        [(0, 64), (100, 64), (200, 32)].map(|(start, n)| (client.create(f32::as_bytes(&data(start, n))), start)).into();
    let out = client.create(f32::as_bytes(&[0.0; 5]));
    let mut random = Random(27);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..2_000 {
        let (handle, start) = &buffers[random.below(3)];
        let skip = random.rarely(&[0, 4, 8]);
        let x = handle.clone().offset_start(skip as u64 * 4);
        let length = random.rarely(&[32, 24, 16]);
        let (tensor, first) = &buffers[random.below(3)];
        let (shape, strides) = random.rarely(&[([4, 4], [4, 1]), ([2, 4], [4, 1]), ([4, 4], [5, 1]), ([4, 4], [4, 2])]);
        // SAFETY: the tensor has at most 32 elements.
        let t = unsafe { TensorArg::<R>::from_raw_parts::<f32>(tensor, &strides, &shape, 1) };
        let (factor, shift) = (random.below(10) as f32, random.rarely(&[0, 3]) as u32);
        let (count, dim) = (random.rarely(&[1, 2]), random.rarely(&[8, 16]));
        let (cubes, units) = (CubeCount::Static(count, 1, 1), CubeDim::new_1d(dim));
        let checked = random.rarely(&[true, false]);
        match checked {
            true => facts::launch::<R>(
                &client,
                cubes,
                units,
                array(&x, length),
                t,
                array(&out, 5),
                ScalarArg::new(factor),
                shift,
            ),
            // SAFETY: all indices are within the memory.
            false => unsafe {
                facts::launch_unchecked::<R>(
                    &client,
                    cubes,
                    units,
                    array(&x, length),
                    t,
                    array(&out, 5),
                    ScalarArg::new(factor),
                    shift,
                );
            },
        }
        let number = |n: usize| n as f32;
        let expected = [
            number(length),
            factor * number(start + skip) + shift as f32,
            number(shape[0] * 100 + strides[0] * 10 + 2),
            number(first + strides[0]),
            (count * 100 + dim) as f32,
        ];
        assert_eq!(f32::from_bytes(&client.read_one(out.clone())), expected);
        seen.insert((skip, length, shape, strides, shift, count, dim, checked, handle.size()));
    }
    let repeated = repeated.load(Ordering::Relaxed);
    assert!(repeated > 500 && seen.len() > 80, "{repeated} repeated, {} different", seen.len());
}

/// Runs a launch until it is repeated.
fn warm(repeated: &AtomicU64, launch: impl Fn()) {
    let before = repeated.load(Ordering::Relaxed);
    (0..4).for_each(|_| launch());
    assert!(repeated.load(Ordering::Relaxed) > before, "no launch was repeated");
}

#[test]
fn a_repeated_launch_uses_its_own_handles_and_marks_them() {
    let (client, repeated) = counting();
    let new = |value: f32| client.create(f32::as_bytes(&[value; 4]));
    let launch = |client: &Client, from: &Handle, to: &Handle| {
        copied::try_launch::<R>(client, CubeCount::new_1d(1), CubeDim::new_1d(4), array(from, 4), array(to, 4))
    };
    let (a, b) = (new(1.0), new(0.0));
    warm(&repeated, || launch(&client, &a, &b).unwrap());
    let counted = client.counters();
    // Temporary handles are dropped while the launch can still be queued.
    for value in 0..50 {
        let to = new(0.0);
        launch(&client, &new(value as f32), &to).unwrap();
        assert_eq!(f32::from_bytes(&client.read_one(to)), [value as f32 + 1.0; 4]);
    }
    let all = repeated.load(Ordering::Relaxed);
    assert!(all >= 50, "{all}");
    assert_eq!(
        client.counters(),
        Counters {
            launches: counted.launches + 50,
            copies: client.counters().copies,
            copied_bytes: client.counters().copied_bytes,
            ..counted
        }
    );
    // The same buffer twice is an alias, and parts of it that overlap are an error.
    launch(&client, &a, &a).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(a.clone())), [2.0; 4]);
    let long = client.create(f32::as_bytes(&[0.0; 5]));
    let (front, back) = (long.clone().offset_end(4), long.clone().offset_start(4));
    let error = launch(&client, &front, &back).unwrap_err().to_string();
    assert!(error.contains("do not overlap"), "{error}");
    // A failed output is valid again after a repeated launch.
    let (wrong, to) = (client.empty(16), new(0.0));
    // SAFETY: the launch does not run, because the elements have another size.
    let wrong_size = unsafe { ArrayHandleRef::from_raw_parts(&to, 4, 8) };
    let wrong_size = ArrayArg::Handle { handle: wrong_size, line_size: 1 };
    let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(4));
    let unfit = copied::try_launch::<R>(&client, count, dim, array(&wrong, 4), wrong_size);
    assert!(unfit.is_err() && client.try_read_one(to.clone()).is_err(), "the output of a failed launch is invalid");
    launch(&client, &b, &to).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(to)), [3.0; 4]);
    // A buffer of another device is an error of the launch, also for the facts of a repeated one.
    let (other, _) = counting();
    let far = other.create(f32::as_bytes(&[0.0; 4]));
    assert!(launch(&client, &far, &b).unwrap_err().to_string().contains("another cpu device"));
    // Another device has other kernels.
    let near = other.create(f32::as_bytes(&[7.0; 4]));
    launch(&other, &far, &near).unwrap();
    assert_eq!(f32::from_bytes(&other.read_one(near)), [1.0; 4]);
}

#[test]
fn recorded_launches_are_not_repeated() {
    let (client, repeated) = counting();
    let (a, b) = (client.create(f32::as_bytes(&[1.0; 4])), client.create(f32::as_bytes(&[0.0; 4])));
    let launch = |client: &Client| {
        copied::launch::<R>(client, CubeCount::new_1d(1), CubeDim::new_1d(4), array(&a, 4), array(&b, 4));
    };
    warm(&repeated, || launch(&client));
    client.write(&b, f32::as_bytes(&[0.0; 4])).unwrap();
    let before = repeated.load(Ordering::Relaxed);
    let (graph, _) = client.graph(|client| launch(client)).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(b.clone())), [0.0; 4]);
    graph.replay().unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(b.clone())), [2.0; 4]);
    client.write(&b, f32::as_bytes(&[0.0; 4])).unwrap();
    let report = client.precompile(|| launch(&client));
    assert_eq!((report.kernels.len(), repeated.load(Ordering::Relaxed)), (1, before));
    assert_eq!(f32::from_bytes(&client.read_one(b)), [0.0; 4]);
}

/// A value whose hash ignores a field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Half(u32, u32);

impl std::hash::Hash for Half {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

#[cube]
trait Tag: Send + Sync + 'static {
    fn value() -> u32;
}

macro_rules! tags {
    ($($name:ident $value:literal)*) => {
        $(
            struct $name;
            #[cube]
            impl Tag for $name {
                fn value() -> u32 {
                    $value
                }
            }
        )*

        /// Launches the kernel for each tag.
        fn launch_tags(client: &Client, out: &Handle, check: &dyn Fn(u32, &dyn Fn())) {
            $(check($value, &|| tagged::launch::<$name, R>(client, CubeCount::new_1d(1), CubeDim::new_1d(1), numbers(out)));)*
        }
    };
}

tags! {
    T0 0 T1 1 T2 2 T3 3 T4 4 T5 5 T6 6 T7 7 T8 8 T9 9 T10 10 T11 11 T12 12 T13 13 T14 14 T15 15 T16 16 T17 17 T18 18 T19 19
    T20 20 T21 21 T22 22 T23 23 T24 24 T25 25 T26 26 T27 27 T28 28 T29 29
}

#[cube(launch)]
fn tagged<T: Tag>(out: &mut Array<u32>) {
    out[0] = T::value();
}

#[cube(launch)]
fn halves(out: &mut Array<u32>, #[comptime] half: Half) {
    out[0] = comptime!(half.1).runtime();
}

/// Writes the number of cubes, the number of units of a cube and the length of `x`.
#[cube(launch)]
fn sizes(x: &Array<f32>, out: &mut Array<u32>) {
    if ABSOLUTE_POS == 0u32 {
        out[0] = CUBE_COUNT_X * 1000000 + CUBE_DIM_X * 1000 + x.len();
    }
}

fn numbers(handle: &Handle) -> ArrayArg<'_, R> {
    // SAFETY: the handle has one element.
    unsafe { ArrayArg::from_raw_parts::<u32>(handle, 1, 1) }
}

/// A thread has 128 entries. Of many launches that differ in one fact, some share an entry.
#[test]
fn launches_that_share_an_entry_are_distinguished() {
    let (client, repeated) = counting();
    let (x, out) = (client.create(f32::as_bytes(&[0.0; 400])), client.create(u32::as_bytes(&[0])));
    // The second launch makes an entry, which the first launch of a later value can find.
    let check = |value: u32, launch: &dyn Fn()| {
        for _ in 0..3 {
            launch();
            assert_eq!(u32::from_bytes(&client.read_one(out.clone())), [value]);
        }
    };
    let size = |count: u32, dim: u32, length: u32| {
        check(count * 1_000_000 + dim * 1000 + length, &|| {
            let (cubes, units) = (CubeCount::new_1d(count), CubeDim::new_1d(dim));
            sizes::launch::<R>(&client, cubes, units, array(&x, length as usize), numbers(&out));
        });
    };
    (1..=300).for_each(|count| size(count, 1, 7));
    (1..=300).for_each(|length| size(2, 1, length));
    (1..=150).for_each(|dim| size(3, dim, 7));
    launch_tags(&client, &out, &check);
    for value in (0..4).chain(0..4) {
        check(value, &|| {
            halves::launch::<R>(&client, CubeCount::new_1d(1), CubeDim::new_1d(1), numbers(&out), Half(1, value));
        });
    }
    assert!(repeated.load(Ordering::Relaxed) > 600);
}
