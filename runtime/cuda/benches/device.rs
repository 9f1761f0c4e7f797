//! Measurements on a GPU, with the artifacts of the kernels in benches/kernels. The command is `device FOLDER`, where
//! FOLDER contains a file `KERNEL.artifact` for each kernel.
//!
//! The benchmark checks the results of each kernel before it measures the time. The benchmark checks every element
//! of the large addition, and compares every row sum with an f64 sum. The times of kernels are measured with device
//! events, and each reported time is the median of several runs. The times of launches and of kernel loads are
//! measured with the host's clock.
#![allow(missing_docs)]
#[path = "device/raw.rs"]
mod raw;

use cube_artifact::{Artifact, ElemType};
use cube_runtime::{Arg, Buffer, Device, Init, Kernel, Scalar};
use cube_runtime_cuda::CudaDevice;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    // `cargo bench` adds --bench.
    let Some(folder) = std::env::args().skip(1).find(|a| !a.starts_with("--")).map(PathBuf::from) else {
        println!("name the folder of the artifacts: device FOLDER");
        return Ok(());
    };
    let start = Instant::now();
    let device = CudaDevice::new(&cube_artifact::Variables::of_process())?;
    println!("{} ({}, CUDA {})", device.name(), device.chip(), device.driver_version());
    row("open: driver, context and stream", milliseconds(start.elapsed()));
    let bench = Bench { device, folder };
    bench.launches()?;
    bench.temporaries()?;
    bench.additions()?;
    bench.row_sums()
}

struct Bench {
    device: CudaDevice,
    folder: PathBuf,
}

impl Bench {
    /// Measures the launch cost of an empty kernel, and the cost of loading a kernel without a cache.
    fn launches(&self) -> Result<(), Failed> {
        let start = Instant::now();
        let empty = self.load("empty")?;
        row("load: the driver compiles an empty kernel, the first", milliseconds(start.elapsed()));
        let start = Instant::now();
        self.load("add")?;
        row("load: the driver compiles add, the second", milliseconds(start.elapsed()));
        let args: Vec<Arg> = (0..8).map(|n| Scalar::I32(n).into()).collect();
        let launch = || self.device.launch_kernel(&empty, &args, [1, 1, 1]);
        let of = |count: u32, each: &dyn Fn() -> Result<(), Failed>| -> Result<Duration, Failed> {
            let mut times = Vec::new();
            for _ in 0..7 {
                self.device.sync()?;
                let start = Instant::now();
                for _ in 0..count {
                    each()?;
                }
                self.device.sync()?;
                times.push(start.elapsed() / count);
            }
            Ok(median(times))
        };
        row("launch, empty kernel, 8 parameters, back to back", microseconds(of(2000, &|| Ok(launch()?))?));
        self.raw_launch(of(2000, &|| Ok(launch()?))?)?;
        row("launch and sync each", microseconds(of(500, &|| Ok(launch().and_then(|()| self.device.sync())?))?));
        Ok(())
    }

    /// Measures the driver's own launch of an empty kernel, in a separate context. The kernel has as many parameters as
    /// the kernel of the runtime's launch. Prints the ratio of the runtime's launch time to the driver's
    /// launch time.
    fn raw_launch(&self, launch: Duration) -> Result<(), Failed> {
        let raw = raw::Raw::new()?;
        let mut times = Vec::new();
        for _ in 0..7 {
            raw.sync()?;
            let start = Instant::now();
            for _ in 0..2000 {
                raw.launch()?;
            }
            raw.sync()?;
            times.push(start.elapsed() / 2000);
        }
        let raw = median(times);
        row("cuLaunchKernel, empty kernel, 8 parameters", microseconds(raw));
        row("  launch / cuLaunchKernel (floor 1.15)", ratio(launch, raw));
        Ok(())
    }

    /// Compares two chains of 1,000 small kernels: one allocates a temporary buffer of 1 MiB per kernel, and one
    /// allocates none.
    fn temporaries(&self) -> Result<(), Failed> {
        let kernel = self.load("fill")?;
        let launch = |buffer: &Buffer| {
            let args = [Arg::buffer(buffer, ElemType::F32), Scalar::U32(1).into()];
            self.device.launch_kernel(&kernel, &args, [16, 1, 1])
        };
        let kept = self.device.alloc(1 << 20, Init::Any)?;
        let timed = |each: &dyn Fn() -> Result<(), Failed>| -> Result<Duration, Failed> {
            let mut times = Vec::new();
            for _ in 0..7 {
                self.device.sync()?;
                let start = Instant::now();
                (0..1000).try_for_each(|_| each())?;
                self.device.sync()?;
                times.push(start.elapsed());
            }
            Ok(median(times))
        };
        let alone = timed(&|| Ok(launch(&kept)?))?;
        let reserved = self.device.memory_usage().reserved;
        let with = timed(&|| Ok(launch(&self.device.alloc(1 << 20, Init::Any)?)?))?;
        let grown = self.device.memory_usage().reserved - reserved;
        row("1,000 launches on one buffer", milliseconds(alone));
        row("1,000 launches, each on a temporary of 1 MiB", milliseconds(with));
        row("  with / without temporaries (floor 1.2)", ratio(with, alone));
        row("  bytes reserved for 7,000 temporaries", format!("{grown:9}"));
        Ok(())
    }

    /// Measures `c = a + b` for f32 matrices of 32768 x 32768 elements.
    fn additions(&self) -> Result<(), Failed> {
        let count = 1u64 << 30;
        let [a, b] = [self.random(count, 1)?, self.random(count, 0x8000_0001)?];
        let c = self.device.alloc(4 * count, Init::Any)?;
        for (name, units) in [("add", count / 4), ("add_unchecked", count / 4), ("add_one", count)] {
            let kernel = self.load(name)?;
            // If the launch omits an element, the element keeps an earlier value, which is not a sum.
            let poison = self.random(1 << 20, 7)?;
            let args = [&a, &b, &c].map(|buffer| Arg::buffer(buffer, ElemType::F32));
            self.poison(&c, &poison)?;
            let cubes = [(units / 256) as u32, 1, 1];
            self.device.launch_kernel(&kernel, &args, cubes)?;
            self.check_sums(&a, &b, &c)?;
            let time = self.median_time(&kernel, &args, cubes, 30)?;
            let rate = 12.0 * count as f64 / time.as_secs_f64() / 1e9;
            row(&format!("{name}, f32 32768 x 32768"), format!("{rate:8.0} GB/s  {}", microseconds(time)));
        }
        Ok(())
    }

    fn check_sums(&self, a: &Buffer, b: &Buffer, c: &Buffer) -> Result<(), Failed> {
        const PART: u64 = 256 << 20;
        let mut parts = [vec![0u8; PART as usize], vec![0; PART as usize], vec![0; PART as usize]];
        for offset in (0..c.size()).step_by(PART as usize) {
            for (buffer, part) in [a, b, c].iter().zip(&mut parts) {
                self.device.read(buffer, offset, part)?;
            }
            let [x, y, z] = [0, 1, 2].map(|n: usize| parts[n].chunks_exact(4));
            for (index, ((x, y), z)) in x.zip(y).zip(z).enumerate() {
                let (x, y, z) = (float(x), float(y), float(z));
                if x + y != z || !(-1.0..1.0).contains(&x) {
                    let at = offset / 4 + index as u64;
                    return Err(format!("element {at}: {x} + {y} gave {z}").into());
                }
            }
        }
        Ok(())
    }

    /// Measures the sums of the rows of an f32 matrix; the input is in the cache if it fits.
    fn row_sums(&self) -> Result<(), Failed> {
        let shapes: [(u64, u64); 4] = [(512, 8192), (128, 32768), (64 * 256, 1024), (65536, 8192)];
        for name in ["unit_a_row", "plane_a_row", "cube_a_row"] {
            if !self.path(name).is_file() {
                println!("{name}: no artifact");
                continue;
            }
            let kernel = self.load(name)?;
            for (rows, cols) in shapes {
                let (matrix, sums) = (self.random(rows * cols, 3)?, self.device.alloc(4 * rows, Init::Zero)?);
                let args = [
                    Arg::buffer(&matrix, ElemType::F32),
                    Arg::buffer(&sums, ElemType::F32),
                    Scalar::U32((cols / 4) as u32).into(),
                ];
                let cubes = match name {
                    "unit_a_row" => [rows.div_ceil(128) as u32, 1, 1],
                    "plane_a_row" => [1, rows.div_ceil(8) as u32, 1],
                    _ => [rows as u32, 1, 1],
                };
                self.device.launch_kernel(&kernel, &args, cubes)?;
                self.check_rows(&matrix, &sums, cols)?;
                let repeats = if rows * cols > 1 << 28 { 5 } else { 30 };
                // Several launches are timed together, because the clock is too coarse for a single launch.
                let burst = if rows * cols > 1 << 28 { 1 } else { 20 };
                let time = self.median_burst(&kernel, &args, cubes, repeats, burst)?;
                let rate = 4.0 * (rows * cols) as f64 / time.as_secs_f64() / 1e9;
                row(&format!("{name}, [{rows},{cols}]"), format!("{}  {rate:8.0} GB/s", microseconds(time)));
            }
        }
        Ok(())
    }

    fn check_rows(&self, matrix: &Buffer, sums: &Buffer, cols: u64) -> Result<(), Failed> {
        let mut data = vec![0u8; matrix.size() as usize];
        self.device.read(matrix, 0, &mut data)?;
        let mut out = vec![0u8; sums.size() as usize];
        self.device.read(sums, 0, &mut out)?;
        for (row, (values, sum)) in data.chunks_exact(4 * cols as usize).zip(out.chunks_exact(4)).enumerate() {
            let exact: f64 = values.chunks_exact(4).map(|v| f64::from(float(v))).sum();
            let size: f64 = values.chunks_exact(4).map(|v| f64::from(float(v)).abs()).sum();
            let off = (f64::from(float(sum)) - exact).abs();
            // The bound for the worst case of a sum of `cols` numbers in f32 is much larger than the usual error for
            // random signs.
            if off > size * 1e-6 || off.is_nan() {
                return Err(format!("row {row} is {} and should be {exact}", float(sum)).into());
            }
        }
        Ok(())
    }

    fn random(&self, count: u64, seed: u32) -> Result<Buffer, Failed> {
        let buffer = self.device.alloc(4 * count, Init::Any)?;
        let kernel = self.load("fill")?;
        let args = [Arg::buffer(&buffer, ElemType::F32), Scalar::U32(seed).into()];
        self.device.launch_kernel(&kernel, &args, [count.div_ceil(256) as u32, 1, 1])?;
        Ok(buffer)
    }

    // Overwrites the whole buffer with other values, from a small buffer through the host.
    fn poison(&self, buffer: &Buffer, small: &Buffer) -> Result<(), Failed> {
        let mut data = vec![0u8; small.size() as usize];
        self.device.read(small, 0, &mut data)?;
        for offset in (0..buffer.size()).step_by(data.len()) {
            self.device.write(buffer, offset, &data)?;
        }
        Ok(())
    }

    fn median_time(&self, kernel: &Kernel, args: &[Arg], cubes: [u32; 3], repeats: usize) -> Result<Duration, Failed> {
        self.median_burst(kernel, args, cubes, repeats, 1)
    }

    fn median_burst(
        &self,
        kernel: &Kernel,
        args: &[Arg],
        cubes: [u32; 3],
        repeats: usize,
        burst: u32,
    ) -> Result<Duration, Failed> {
        let once = || -> Result<Duration, Failed> {
            let time =
                self.device.time(|| (0..burst).try_for_each(|_| self.device.launch_kernel(kernel, args, cubes)))?;
            Ok(time / burst)
        };
        for _ in 0..3 {
            once()?;
        }
        Ok(median((0..repeats).map(|_| once()).collect::<Result<_, _>>()?))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("artifact")
    }

    fn load(&self, name: &str) -> Result<Kernel, Failed> {
        Ok(self.device.load(&artifact(&self.path(name))?)?)
    }
}

fn artifact(path: &Path) -> Result<Artifact, Failed> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Artifact::from_bytes(&bytes)?)
}

fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> String {
    format!("{:9.3} ms", time.as_secs_f64() * 1e3)
}

fn microseconds(time: Duration) -> String {
    format!("{:9.2} us", time.as_secs_f64() * 1e6)
}

fn ratio(one: Duration, other: Duration) -> String {
    format!("{:9.3}", one.as_secs_f64() / other.as_secs_f64())
}

fn row(what: &str, figure: String) {
    println!("{what:56} {figure}");
}
