//! Host API: cached kernels, messages, properties, measurements.
mod arguments;
mod barriers;
mod bundles;
mod clients;
mod foreign;
mod graphs;
mod instances;
mod launches;
mod precompile;
#[cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
mod predictions;
mod profile;
mod tasks;
mod tuning;
use crate::common::*;
use cubecl::benchmark::{Benchmark, BenchmarkComputations, TimingMethod};
use cubecl::features::{Plane, TypeUsage};
use cubecl::prelude::*;
use std::process::Command;

#[cube(launch)]
fn triple(out: &mut Array<u32>) {
    out[ABSOLUTE_POS] = ABSOLUTE_POS * 3 + PLANE_DIM * 0;
}

fn run() -> Vec<u32> {
    outputs::<u32>(4, |c, out| triple::launch::<R>(c, one(), CubeDim::new_1d(4), out))
}

#[test]
fn a_missing_gpu_is_reported_in_a_sentence() {
    use cubecl::cuda::{CudaDevice, CudaRuntime};
    let Err(error) = CudaRuntime::try_client(&CudaDevice::new(4000)) else { panic!("nobody has so many GPUs") };
    let error = error.to_string();
    assert!(error.contains("CUDA driver") || error.contains("4000"), "{error}");
}

/// A child process that other tests start through [`start`].
#[test]
fn a_program() {
    assert_eq!(run(), [0, 3, 6, 9]);
}

/// Runs [`a_program`] with the given environment variables; returns whether the program succeeded.
fn start(variables: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "host::a_program"]).envs(variables.iter().copied());
    command.output().unwrap().status.success()
}

#[test]
fn kernels_are_kept_between_runs() {
    let folder = std::env::temp_dir().join(format!("cube-host-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (cache, log) = (folder.join("cache"), folder.join("messages"));
    let given = [
        ("CUBE_CACHE", cache.to_str().unwrap()),
        ("CUBE_DEBUG_LOG", log.to_str().unwrap()),
        ("CUBE_DEBUG_OPTION", "debug"),
    ];
    let reports = || std::fs::read_to_string(&log).unwrap();
    assert!(start(&given));
    assert!(reports().contains("compiled kernel triple for "), "{}", reports());
    assert!(
        reports().contains("cube.kernel @triple") && reports().contains("launched kernel triple in"),
        "{}",
        reports()
    );
    assert!(start(&given));
    assert!(reports().contains("loaded kernel triple"), "{}", reports());
    let no_compiler = [given[0], given[1], given[2], ("CUBE_COMPILER", "/no/such/compiler")];
    assert!(start(&no_compiler), "what is kept needs no compiler");
    // A damaged file is ignored.
    let kept = std::fs::read_dir(cache.join("kernels")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&kept).unwrap();
    let at = bytes.len() - 9;
    bytes[at] ^= 1;
    std::fs::write(&kept, bytes).unwrap();
    assert!(!start(&no_compiler));
    assert!(start(&given));
    assert_eq!(reports().matches("compiled kernel triple").count(), 2, "{}", reports());
    std::fs::remove_dir_all(folder).unwrap();
}

#[cube(launch, launch_unchecked)]
fn reversed(input: &Tensor<f32>, out: &mut Array<f32>) {
    out[ABSOLUTE_POS] = input[input.len() - 1 - ABSOLUTE_POS];
}

#[test]
fn unchecked_launch_checks_bounds_of_short_memory() {
    let client = client();
    let input = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    // SAFETY: the length beyond the memory only affects a checked launch.
    let tensor = |shape, strides| unsafe { TensorArg::from_raw_parts::<f32>(&input, strides, shape, 1) };
    let run = |tensor, bytes: usize| {
        let out = client.empty(bytes);
        // SAFETY: as above.
        unsafe {
            let out = array::<f32>(&out, 4);
            reversed::launch_unchecked::<R>(&client, one(), CubeDim::new_1d(4), tensor, out);
        }
        f32::from_bytes(&client.read_one(out)).to_vec()
    };
    assert_eq!(run(tensor(&[2, 2], &[2, 1]), 16), [4.0, 3.0, 2.0, 1.0]);
    // A write beyond the end would overwrite host memory.
    assert_eq!(run(tensor(&[4], &[1]), 8), [4.0, 3.0]);
    assert_eq!(run(tensor(&[3, 2], &[2, 1]), 16), [0.0, 0.0, 4.0, 3.0]);
}

#[test]
fn an_error_of_a_launch_reads_as_its_message() {
    let client = client();
    let out = client.empty(16);
    let refused = triple::try_launch::<R>(&client, one(), CubeDim::new_3d(4096, 4096, 1), array::<u32>(&out, 4));
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("in the kernel 'triple'"));
    assert_eq!(format!("{error:?}"), error.to_string(), "what unwrap says");
}

/// The child process of `a_failing_launch_panics_at_the_line_of_its_call`: a read panics and prints a message
/// and a location.
#[test]
fn read_after_a_failed_launch_panics_in_the_child_process() {
    let Some(line) = std::env::var_os("CUBE_TEST_PANICS") else { return };
    assert_eq!(line, "here");
    let client = client();
    let handle = client.empty(16);
    let cubes = CubeDim::new(4096, 4096, 4096);
    triple::launch::<R>(&client, one(), cubes, array::<u32>(&handle, 4));
    client.read_one(handle); // this line
}

#[test]
fn a_failing_launch_panics_at_the_line_of_its_call() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "host::read_after_a_failed_launch_panics_in_the_child_process", "--nocapture"])
        .env("CUBE_TEST_PANICS", "here");
    let output = command.output().unwrap();
    let reports = String::from_utf8_lossy(&output.stderr);
    let line = 1 + include_str!("host.rs").lines().position(|line| line.ends_with("// this line")).unwrap();
    assert!(!output.status.success() && reports.contains(&format!("tests/programs/host.rs:{line}:")), "{reports}");
    assert!(reports.contains("in the kernel 'triple'"), "{reports}");
}

#[test]
fn device_properties_list_its_features() {
    let client = client();
    let properties = client.properties();
    assert!(properties.features.plane.contains(Plane::Ops));
    assert!(f32::supported_uses(&client).contains(TypeUsage::Arithmetic));
    assert!(Atomic::<u32>::supported_uses(&client).contains(TypeUsage::AtomicAdd));
    assert!(!Atomic::<u8>::supported_uses(&client).contains(TypeUsage::AtomicAdd));
    let hardware = &properties.hardware;
    assert!(hardware.plane_size_min <= hardware.plane_size_max && hardware.max_units_per_cube > 0);
    assert_eq!(R::io_optimized_line_sizes(&f32::as_type_native_unchecked()).collect::<Vec<_>>(), [4, 2, 1]);
}

#[cube(launch)]
fn specialised(out: &mut Array<u32>, #[comptime] vectors_of: u32, #[comptime] planes_of: u32) {
    // The condition is known at compile time, so the code contains only one of the two values.
    out[0] = if comptime!(vectors_of >= 256) { 2 } else { 1 };
    let mut sum = 0;
    #[unroll]
    for i in 0..planes_of {
        sum += i;
    }
    out[1] = sum;
    out[2] = PLANE_DIM;
}

#[test]
fn kernels_are_specialised_on_device_properties() {
    let client = client();
    let hardware = &client.properties().hardware;
    assert!(hardware.num_cpu_cores.is_some() != hardware.num_streaming_multiprocessors.is_some());
    assert!(hardware.load_width >= 128 && hardware.plane_size_min <= hardware.plane_size_max);
    let planes = hardware.plane_size_max;
    let got = outputs::<u32>(3, |client, out| {
        specialised::launch::<R>(client, one(), CubeDim::new_1d(1), out, hardware.load_width, planes);
    });
    let wide = if hardware.load_width >= 256 { 2 } else { 1 };
    assert_eq!(got[..2], [wide, planes * (planes - 1) / 2]);
    assert!((hardware.plane_size_min..=hardware.plane_size_max).contains(&got[2]), "{got:?}");
}

#[test]
fn a_cube_beyond_the_limit_is_refused_with_the_limit() {
    let client = client();
    let most = client.properties().hardware.max_units_per_cube;
    let out = client.empty(16);
    let arg = array::<u32>(&out, 4);
    let error = triple::try_launch::<R>(&client, one(), CubeDim::new_1d(most + 1), arg).unwrap_err().to_string();
    assert!(error.contains(&most.to_string()) && error.contains("triple"), "{error}");
    assert!(client.try_read_one(out).unwrap_err().to_string().contains("triple"));
}

struct Triple(Client);

impl Benchmark for Triple {
    type Input = ();
    type Output = Vec<u32>;
    fn prepare(&self) {}
    fn execute(&self, (): ()) -> Result<Vec<u32>, String> {
        Ok(run())
    }
    fn num_samples(&self) -> usize {
        4
    }
    fn name(&self) -> String {
        "triple".into()
    }
    fn sync(&self) {
        let _done = self.0.sync();
    }
}

#[test]
fn measurements_by_either_clock() {
    for method in [TimingMethod::System, TimingMethod::Device] {
        let durations = Triple(client()).run(method).unwrap();
        // The benchmark does not implement `profile`, so that the host's clock measures in both cases.
        assert_eq!((durations.durations.len(), durations.timing_method), (4, TimingMethod::System));
        let figures = BenchmarkComputations::new(&durations);
        assert!(
            figures.min <= figures.median && figures.median <= figures.max && figures.min > std::time::Duration::ZERO
        );
        assert!(durations.to_string().contains("Median"));
    }
}

#[test]
fn profile_reports_its_timing_method() {
    let profile = client().profile(run, "triple").unwrap();
    let expected = if cfg!(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")) {
        TimingMethod::Device
    } else {
        TimingMethod::System
    };
    assert_eq!(profile.timing_method(), expected);
    assert!(cubecl::future::block_on(profile.resolve()).duration() > std::time::Duration::ZERO);
}

#[test]
fn tensors_are_read_without_their_gaps() {
    let client = client();
    let data: Vec<i32> = (0..12).collect();
    let handle = client.create(i32::as_bytes(&data));
    let (shape, strides) = ([3, 2], [1, 4]);
    let turned = client.read_one_tensor(handle.copy_descriptor(&shape, &strides, 4));
    assert_eq!(i32::from_bytes(&turned), [0, 4, 1, 5, 2, 6]);
    let made = client.create_tensor(i32::as_bytes(&data), &[3, 4], 4);
    assert_eq!(made.strides, [4, 1]);
    let all = client.read_tensor(vec![made.handle.copy_descriptor(&[3, 4], &made.strides, 4)]);
    assert_eq!(i32::from_bytes(&all[0]), data);
    let later = cubecl::future::block_on(client.read_async(vec![handle]));
    assert_eq!(i32::from_bytes(&later[0]), data);
}

/// A function that names the runtime's associated types in the syntax of CubeCL 0.6.
fn length_of<Rt: Runtime>(client: &ComputeClient<Rt::Server, Rt::Channel>, handle: &cubecl::server::Handle) -> usize {
    client.read_one(handle.clone()).len()
}

#[test]
fn clients_with_and_without_a_channel_are_the_same() {
    let client = client();
    assert_eq!(length_of::<R>(&client, &client.empty(12)), 12);
}

#[test]
fn work_is_measured_and_bytes_move_between_clients() {
    let (from, to) = (client(), client());
    let handle = from.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let moved = from.to_client(handle.clone(), &to).handle;
    assert_eq!(f32::from_bytes(&to.read_one(moved)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let columns = handle.copy_descriptor(&[3, 2], &[1, 3], 4);
    let moved = from.to_client_tensor(columns, &to);
    assert_eq!(moved.strides, [2, 1]);
    assert_eq!(f32::from_bytes(&to.read_one(moved.handle)), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let delay = std::time::Duration::from_millis(5);
    // A device's clock starts when the device reaches the first event, which can be up to `delay` after the start of the nap.
    let nap = match from.properties().timing_method {
        TimingMethod::System => delay,
        TimingMethod::Device => 2 * delay,
    };
    let profile = from.profile(|| std::thread::sleep(nap), "a nap").unwrap();
    assert!(cubecl::future::block_on(profile.resolve()).duration() >= delay);
}

#[cube(launch)]
fn multiplied(x: &mut Array<f32>, by: f32) {
    x[ABSOLUTE_POS] *= by;
}

/// A client of a separate CPU device, whose kernels do not compile.
fn other_cpu() -> cubecl::host::ComputeClient<cubecl::cpu::CpuServer> {
    use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Message, Target};
    struct Silent;
    impl Compiler for Silent {
        fn compile(&self, _: &[u8], _: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
            Err(CompileError::from(Message::from("none [CUBE0900]")))
        }
    }
    let device = Box::new(cube_runtime_cpu::CpuDevice::with_threads(1));
    let core = cubecl::host::Core::new(device, Target::cpu(), std::sync::Arc::new(Silent));
    cubecl::host::ComputeClient::new(std::sync::Arc::new(core))
}

#[test]
fn bytes_move_to_another_device_in_the_order_of_launches() {
    const LEN: usize = 1 << 20;
    let (client, other) = (client(), other_cpu());
    let data = client.create(f32::as_bytes(&vec![1.0; LEN]));
    let launch = |by: f32| {
        let count = CubeCount::new_1d((LEN / 64) as u32);
        multiplied::launch::<R>(&client, count, CubeDim::new_1d(64), array::<f32>(&data, LEN), ScalarArg::new(by));
    };
    (0..8).for_each(|_| launch(2.0));
    let moved = client.to_client(data.clone(), &other).handle;
    launch(-1.0);
    assert!(f32::from_bytes(&other.read_one(moved.clone())).iter().all(|v| *v == 256.0));
    assert!(f32::from_bytes(&client.read_one(data.clone())).iter().all(|v| *v == -256.0));
    let back = other.to_client(moved, &client).handle;
    assert!(f32::from_bytes(&client.read_one(back)).iter().all(|v| *v == 256.0));
    // The failure of a launch is the error of the copy.
    multiplied::launch::<R>(&client, one(), CubeDim::new_1d(1 << 20), array::<f32>(&data, LEN), ScalarArg::new(1.0));
    let error = client.try_to_client(data, &other).expect_err("the launch was refused").to_string();
    assert!(error.contains("1048576"), "{error}");
}
