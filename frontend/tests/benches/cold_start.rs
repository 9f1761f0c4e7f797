//! Time from the start of a program's work to the end of the first launches of 50 kernels, on the CPU.
//!
//! `cargo bench -p cube-frontend-tests --bench cold_start` prints one line per case. Each case is a separate process, which
//! runs several times; the line has the smallest and the median time. The program `cube` of the same folder compiles the
//! kernels.
use cubecl::cpu::CpuRuntime as R;
use cubecl::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[cube(launch)]
fn polynomial(x: &Array<f32>, y: &mut Array<f32>, #[comptime] degree: u32) {
    if ABSOLUTE_POS < y.len() {
        let mut sum = 0.0;
        #[unroll]
        for i in 0..degree {
            sum = sum * x[ABSOLUTE_POS] + comptime!(i as f32 + 0.5);
        }
        y[ABSOLUTE_POS] = sum;
    }
}

#[cube(launch)]
fn gelu(x: &Array<f32>, y: &mut Array<f32>, #[comptime] scale: u32) {
    if ABSOLUTE_POS < y.len() {
        let v = x[ABSOLUTE_POS] * f32::cast_from(scale);
        y[ABSOLUTE_POS] = v * 0.5 * (1.0 + f32::tanh(0.79788456 * (v + 0.044715 * v * v * v)));
    }
}

#[cube(launch)]
fn rows(x: &Array<f32>, y: &mut Array<f32>, #[comptime] length: u32) {
    if ABSOLUTE_POS < y.len() {
        let mut sum = 0.0;
        for i in 0..length {
            sum += x[ABSOLUTE_POS * length + i];
        }
        y[ABSOLUTE_POS] = sum;
    }
}

#[cube(launch)]
fn tiles(x: &Array<f32>, y: &mut Array<f32>, #[comptime] shift: u32) {
    let mut tile = SharedMemory::<f32>::new(64);
    tile[UNIT_POS] = x[ABSOLUTE_POS];
    sync_cube();
    y[ABSOLUTE_POS] = tile[(UNIT_POS + shift) % 64];
}

#[cube(launch)]
fn integers(x: &Array<f32>, y: &mut Array<f32>, #[comptime] divisor: u32) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS / divisor] + f32::cast_from(ABSOLUTE_POS % divisor);
    }
}

type Client = ComputeClient<<R as Runtime>::Server>;

const KERNELS: u32 = 50;

fn launch_all(client: &Client, x: &cubecl::server::Handle, y: &cubecl::server::Handle) {
    let (cubes, units) = (CubeCount::new_1d(1), CubeDim::new_1d(64));
    for value in 1..=KERNELS / 5 {
        // SAFETY: both handles have 4096 bytes.
        let args = || unsafe { [x, y].map(|handle| ArrayArg::from_raw_parts::<f32>(handle, 1024, 1)) };
        for launch in
            [polynomial::launch::<R>, gelu::launch::<R>, rows::launch::<R>, tiles::launch::<R>, integers::launch::<R>]
        {
            let [x, y] = args();
            launch(client, cubes.clone(), units, x, y, value);
        }
    }
}

/// The measured program: prints the time in microseconds.
fn program(precompiles: bool) {
    let start = Instant::now();
    let client = R::client(&Default::default());
    let [x, y] = [client.empty(4096), client.empty(4096)];
    if precompiles {
        let report = client.precompile(|| launch_all(&client, &x, &y));
        assert_eq!((report.kernels.len() as u32, report.failures().count()), (KERNELS, 0), "{report}");
    }
    launch_all(&client, &x, &y);
    cubecl::future::block_on(client.sync()).expect("the launches work");
    println!("{}", start.elapsed().as_micros());
}

fn main() {
    if let Ok(word) = std::env::var("COLD_START") {
        return program(word == "precompile");
    }
    let folder = std::env::temp_dir().join(format!("cube-cold-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let exe = std::env::current_exe().expect("this program's path");
    let run = |how: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(&exe);
        command.current_dir(&folder).env("COLD_START", how).env_remove("CUBE_CACHE").env_remove("CUBE_BUNDLE");
        let output = command.envs(variables.iter().copied()).output().expect("this program starts");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Duration::from_micros(text.trim().parse().expect("a time"))
    };
    let measure = |name: &str, how: &str, times: usize, variables: &[(&str, &str)]| {
        let mut all: Vec<Duration> = (0..times).map(|_| run(how, variables)).collect();
        all.sort();
        println!("{name:46} {:9.1?} smallest {:9.1?} median of {times}", all[0], all[times / 2]);
    };
    run("launch", &[("CUBE_DUMP", "kernels")]);
    let cube = exe.parent().and_then(Path::parent).expect("a target folder").join("cube");
    let compiler = std::env::var_os("CUBE_COMPILER").map_or(cube, PathBuf::from);
    let bundled = Command::new(compiler)
        .current_dir(&folder)
        .args(["c", "bundle", "kernels", "--target", "cpu", "-o", "kernels.bundle"])
        .status();
    assert!(bundled.is_ok_and(|status| status.success()), "cubec bundle works");
    let (one, cache) = (("CUBE_COMPILER_PROCESSES", "1"), ("CUBE_CACHE", "cache"));
    measure("nothing cached, launches", "launch", 5, &[one]);
    measure("nothing cached, precompile, 1 process", "precompile", 5, &[one]);
    measure("nothing cached, precompile, a process per core", "precompile", 5, &[]);
    run("launch", &[cache]);
    let no_compiler = ("CUBE_COMPILER", "/no/such/cubec");
    measure("disk cache, launches", "launch", 11, &[cache]);
    measure("disk cache, precompile", "precompile", 11, &[cache]);
    measure("bundle without a compiler, launches", "launch", 11, &[no_compiler, ("CUBE_BUNDLE", "kernels.bundle")]);
    measure(
        "bundle without a compiler, precompile",
        "precompile",
        11,
        &[no_compiler, ("CUBE_BUNDLE", "kernels.bundle")],
    );
    let _ = std::fs::remove_dir_all(&folder);
}
