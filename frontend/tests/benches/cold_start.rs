//! Time from the start of a program's work to the end of the first launches of 50 kernels.
//!
//! `cargo bench -p cube-frontend-tests --bench cold_start`, and with `--features on-cuda` on a GPU, prints one line per case.
//! Each case is a separate process, which runs several times. The line has the smallest and the median time, and the part
//! before the first launch: the client and two buffers. On a GPU this part is the start of the driver. The program `cube` of
//! the same folder compiles the kernels. The last line has the time that the device needed for the loads of the 50 kernels.
#[path = "../tests/common/mod.rs"]
mod common;

use common::{Client, R};
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

/// The measured program: prints the time until the first launch and the complete time, in microseconds.
fn program(precompiles: bool) {
    let start = Instant::now();
    let client = R::client(&Default::default());
    let [x, y] = [client.empty(4096), client.empty(4096)];
    cubecl::future::block_on(client.sync()).expect("the device works");
    let ready = start.elapsed();
    if precompiles {
        let report = client.precompile(|| launch_all(&client, &x, &y));
        assert_eq!((report.kernels.len() as u32, report.failures().count()), (KERNELS, 0), "{report}");
    }
    launch_all(&client, &x, &y);
    cubecl::future::block_on(client.sync()).expect("the launches work");
    println!("{} {}", ready.as_micros(), start.elapsed().as_micros());
}

/// The target of the device under test, as `cubec` reads it.
fn target() -> String {
    let log = Command::new(std::env::current_exe().expect("this program's path")).env("COLD_START", "target").output();
    String::from_utf8(log.expect("this program starts").stdout).expect("text").trim().into()
}

fn main() {
    if let Ok(word) = std::env::var("COLD_START") {
        match word.as_str() {
            "target" => println!("{}", R::client(&Default::default()).target()),
            how => program(how == "precompile"),
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("cube-cold-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let exe = std::env::current_exe().expect("this program's path");
    let run = |how: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new(&exe);
        command.current_dir(&folder).env("COLD_START", how).env_remove("CUBE_CACHE").env_remove("CUBE_BUNDLE");
        let output = command.envs(variables.iter().copied()).output().expect("this program starts");
        // A launch that fails reports its error and returns.
        let failed = String::from_utf8_lossy(&output.stderr).contains("error[");
        assert!(output.status.success() && !failed, "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut times = text.split_whitespace().map(|time| Duration::from_micros(time.parse().expect("a time")));
        let mut next = || times.next().expect("two times");
        (next(), next())
    };
    let measure = |name: &str, how: &str, times: usize, variables: &[(&str, &str)]| {
        let all: Vec<_> = (0..times).map(|_| run(how, variables)).collect();
        let sorted = |of: fn(&(Duration, Duration)) -> Duration| {
            let mut all: Vec<Duration> = all.iter().map(of).collect();
            all.sort();
            all
        };
        let (whole, start, rest) = (sorted(|t| t.1), sorted(|t| t.0), sorted(|t| t.1 - t.0));
        println!(
            "{name:46} {:9.1?} smallest {:9.1?} median of {times}; {:9.1?} before the launches, {:9.1?} from there",
            whole[0],
            whole[times / 2],
            start[times / 2],
            rest[times / 2]
        );
    };
    run("launch", &[("CUBE_DUMP", "kernels")]);
    let cube = exe.parent().and_then(Path::parent).expect("a target folder").join("cube");
    let compiler = std::env::var_os("CUBE_COMPILER").map_or(cube, PathBuf::from);
    let bundled = Command::new(compiler)
        .current_dir(&folder)
        .args(["c", "bundle", "kernels", "--target", &target(), "-o", "kernels.bundle"])
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
    run("launch", &[no_compiler, ("CUBE_BUNDLE", "kernels.bundle"), ("CUBE_PROFILE", "trace.json")]);
    let trace = std::fs::read_to_string(folder.join("trace.json")).expect("a timeline");
    let loads = trace.lines().filter(|line| line.contains("\"cat\":\"load\""));
    let (count, time) = loads.fold((0, 0.0), |(count, time), line| {
        let after = line.split("\"dur\":").nth(1).expect("a time");
        let number = after.split([',', '}']).next().and_then(|number| number.trim().parse::<f64>().ok());
        (count + 1, time + number.expect("microseconds"))
    });
    println!("loads of {count} kernels: {:.1} ms", time / 1e3);
    let _ = std::fs::remove_dir_all(&folder);
}
