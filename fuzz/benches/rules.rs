//! Measures the rewrites of arithmetic on a device. The benchmark compares kernels with and without fast-math flags,
//! and kernels of index arithmetic with and without the passes that rewrite index arithmetic. The benchmark also
//! measures the error of the math functions of f32, and quotients and remainders with divisors that are launch
//! arguments.
//!
//! `cargo bench -p cube-fuzz --bench rules -- cuda|cpu [flags|indices|accuracy|division]`.
//! `cargo bench -p cube-fuzz --bench rules -- code [CHIP]` needs no GPU. It counts the machine instructions of the kernels
//! of index arithmetic for an NVIDIA chip, by default sm_90, with the program `ptxas` of CUDA (`CUBE_PTXAS` or `PATH`).
//!
//! Each time is the median of 15 replays of a graph of launches, for one launch. The compared kernels alternate. On the
//! CPU, the time is the processor time of this process, which other processes affect less. GB/s count each element of a
//! large buffer as one read or one write. On a GPU, the error is the maximum over all 2^32 inputs. On the CPU, it is
//! the maximum over every 4099th input. The reference is the f64 function of this compiler on the same device. The
//! dividends are 0 to 2^32 - 1 on a GPU, and 0 to 2^18 - 1 on the CPU.
#![allow(missing_docs)]
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, Target, Variables};
use cube_driver::Driver;
use cube_fuzz::sass;
use cube_fuzz::without::{OF_INDICES, compile};
use cube_runtime::graph::{CommandList, Graph};
use cube_runtime::{Arg, Buffer, Clock, Device, Init, Kernel, Queue, Scalar};
use cube_runtime_cpu::CpuDevice;
use cube_runtime_cuda::{CudaDevice, machine_code};
use cube_semantics::tables::bound;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const FLAGS: &str = include_str!("../../benches/kernels/fast_flags.mlir");
const DIVISION: &str = include_str!("../../benches/kernels/divide_all.mlir");
const INDICES: &str = include_str!("../../benches/kernels/index.mlir");

/// Units of a cube in all measured kernels.
const UNITS: u64 = 256;

/// The functions of f32 with one operand and a published error bound.
const FUNCTIONS: [&str; 24] = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "cbrt", "rsqrt", "sqrt",
];

struct Bench {
    device: Box<dyn Device>,
    target: Target,
    /// Elements of a large buffer.
    elements: u64,
    /// Launches of a graph.
    launches: usize,
    /// Distance between two inputs of a function.
    step: u64,
    /// The number of the GPU whose driver compiles PTX to machine code; `None` on the CPU.
    ordinal: Option<u32>,
}

/// A loaded kernel with its arguments.
struct Launch {
    kernel: Kernel,
    args: Vec<Arg>,
    cubes: u64,
}

fn main() -> Outcome<ExitCode> {
    // `cargo bench` adds --bench.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (device, part) = (words.first().map(String::as_str), words.get(1).map(String::as_str));
    let bench = match device {
        Some("cuda") => {
            let device = CudaDevice::new(&Variables::of_process())?;
            let target = Target { backend: "nvptx".into(), chip: Some(device.chip()) };
            let ordinal = Some(device.ordinal());
            Bench { device: Box::new(device), target, elements: 1 << 25, launches: 32, step: 1, ordinal }
        }
        Some("cpu") => {
            let device = Box::new(CpuDevice::with_threads(1));
            Bench { device, target: Target::cpu(), elements: 1 << 17, launches: 8, step: 4099, ordinal: None }
        }
        Some("code") => return code(part.unwrap_or("sm_90")),
        _ => {
            println!(
                "name a device: cargo bench -p cube-fuzz --bench rules -- cuda|cpu [flags|indices|accuracy|division]\n\
                 or count machine code: cargo bench -p cube-fuzz --bench rules -- code [CHIP]"
            );
            return Ok(ExitCode::from(2));
        }
    };
    println!("{}, {} elements", bench.device.name(), bench.elements);
    let all = part.is_none();
    let mut right = true;
    if all || part == Some("flags") {
        bench.flags()?;
    }
    if all || part == Some("indices") {
        right &= bench.indices()?;
    }
    if all || part == Some("accuracy") {
        right &= bench.accuracy()?;
    }
    if all || part == Some("division") {
        right &= bench.division()?;
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Bench {
    fn launch(&self, artifact: &Artifact, args: &[Arg], cubes: u64) -> Outcome<Launch> {
        Ok(Launch { kernel: self.device.load(artifact)?, args: args.to_vec(), cubes })
    }

    /// A buffer of pseudo-random values in [-4, 4).
    fn random(&self, elements: u64) -> Outcome<Buffer> {
        let value = |i: u64| (((i ^ (i >> 15)).wrapping_mul(0x9E37_79B1) as u32) >> 8) as f32 / (1 << 21) as f32 - 4.0;
        let bytes: Vec<u8> = (0..elements).flat_map(|i| value(i).to_ne_bytes()).collect();
        let buffer = self.device.alloc(4 * elements, Init::Any)?;
        self.device.write(&buffer, 0, &bytes)?;
        Ok(buffer)
    }

    /// The median time of each launch in seconds. The launches alternate.
    fn medians<const N: usize>(&self, all: [&Launch; N]) -> Outcome<[f64; N]> {
        let graphs = all.map(|launch| {
            let mut list = CommandList::new();
            for _ in 0..self.launches {
                list.launch(&launch.kernel, &launch.args, [launch.cubes as u32, 1, 1]);
            }
            Graph::new(list)
        });
        let mut times = [(); N].map(|()| Vec::new());
        for round in 0..20 {
            for (graph, times) in graphs.iter().zip(&mut times) {
                let start = processor_time();
                let (time, clock) = self.device.measure(&mut || self.device.replay(Queue::default(), graph))?;
                let used = (clock == Clock::Host).then(|| Some(processor_time()? - start?)).flatten();
                let time = used.unwrap_or(time);
                // The first replays warm the device.
                if round >= 5 {
                    times.push(time.as_secs_f64() / self.launches as f64);
                }
            }
        }
        Ok(times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        }))
    }

    fn compare(&self, name: &str, bytes: u64, [without, with]: [&Launch; 2]) -> Outcome<()> {
        let times = self.medians([without, with])?;
        let [a, b] = times.map(|time| format!("{:9.1} us {:6.0} GB/s", time * 1e6, bytes as f64 / time / 1e9));
        println!("{name:24} without {a}, with {b}, {:.2} times as fast", times[0] / times[1]);
        Ok(())
    }

    /// GELU, the sigmoid, and the last steps of softmax and of layer normalisation, over rows of 1024.
    fn flags(&self) -> Outcome<()> {
        println!("fast-math flags, benches/kernels/fast_flags.mlir");
        let n = 2 * self.elements;
        let (x, y) = (self.random(n)?, self.device.alloc(4 * n, Init::Zero)?);
        let parts: Vec<u8> = (0..n / 1024).flat_map(|_| [0.5f32, 700.0]).flat_map(f32::to_ne_bytes).collect();
        let of_rows = self.device.alloc(parts.len() as u64, Init::Any)?;
        self.device.write(&of_rows, 0, &parts)?;
        let [x, y, of_rows] = [&x, &y, &of_rows].map(|buffer| Arg::buffer(buffer, ElemType::F32));
        for (name, args) in [
            ("gelu", vec![x.clone(), y.clone()]),
            ("sigmoid", vec![x.clone(), y.clone()]),
            ("softmax", vec![x.clone(), y.clone(), of_rows.clone()]),
            ("layernorm", vec![x.clone(), y.clone(), of_rows.clone()]),
        ] {
            let of = |form: &str| {
                let artifact = compile(FLAGS.as_bytes(), &format!("{name}_{form}"), &self.target, &[])?;
                self.launch(&artifact, &args, n / UNITS)
            };
            self.compare(name, 8 * n, [&of("exact")?, &of("fast")?])?;
        }
        Ok(())
    }

    /// The kernels of index arithmetic with and without [`OF_INDICES`]: times, and on NVIDIA the instructions of the
    /// whole machine code. Returns whether the results are equal.
    fn indices(&self) -> Outcome<bool> {
        println!("index arithmetic, benches/kernels/index.mlir, without {}", OF_INDICES.join(", "));
        let n = self.elements;
        let (x, out) =
            (self.random(n)?, [self.device.alloc(4 * n, Init::Zero)?, self.device.alloc(4 * n, Init::Zero)?]);
        let mut right = true;
        for (name, kernel, scalars) in [
            // Extents 1, 2 and 3, and the strides of the input.
            ("permuted copy", "permute", &[16, 64, 128, 1, (n >> 17) as u32, (n >> 13) as u32, (n >> 7) as u32][..]),
            ("permuted copy, rows of 49", "permute", &[16, 64, 49, 64 * 49, 49, 16 * 64 * 49, 1]),
            // Channels, height and width, height and width of the output, height and width of the filter, padding.
            ("im2col", "im2col", &[128, 56, 56, 56, 56, 3, 3, 1]),
            // Height, width, window, channels, shift.
            ("windows", "window", &[56, 56, 7, 96, 3]),
        ] {
            let of = |passes: &[&str], out: &Buffer| {
                let artifact = compile(INDICES.as_bytes(), kernel, &self.target, passes)?;
                let mut args = vec![Arg::buffer(&x, ElemType::F32), Arg::buffer(out, ElemType::F32)];
                args.extend(scalars.iter().map(|value| Arg::from(Scalar::U32(*value))));
                let launch = self.launch(&artifact, &args, n / UNITS)?;
                Outcome::Ok((artifact, launch))
            };
            let (without, with) = (of(OF_INDICES, &out[0])?, of(&[], &out[1])?);
            self.compare(name, 8 * n, [&without.1, &with.1])?;
            if let Some(ordinal) = self.ordinal {
                let count = |artifact: &Artifact| -> Outcome<usize> {
                    let code = machine_code(ordinal, &artifact.code)?;
                    sass::instructions(&code).ok_or_else(|| "the driver returned a file without code".into())
                };
                print_counts(name, [count(&without.0)?, count(&with.0)?]);
            }
            let results = [self.read(&out[0], 4 * n)?, self.read(&out[1], 4 * n)?];
            if results[0] != results[1] || results[0].iter().all(|byte| *byte == 0) {
                println!("{name}: the results DIFFER");
                right = false;
            }
        }
        Ok(right)
    }

    fn read(&self, buffer: &Buffer, bytes: u64) -> Outcome<Vec<u8>> {
        let mut data = vec![0; bytes as usize];
        self.device.read(buffer, 0, &mut data)?;
        Ok(data)
    }

    /// Measures and prints the largest error of each function. Returns whether all errors are within their bounds.
    fn accuracy(&self) -> Outcome<bool> {
        let count = (1u64 << 32).div_ceil(self.step);
        println!("largest error of functions of f32, {count} inputs");
        let mut right = true;
        for function in FUNCTIONS {
            let text = error_kernel(function);
            let artifact = Driver.compile(text.as_bytes(), &self.target, &CompileOptions::default())?;
            let most = self.device.alloc(8, Init::Zero)?;
            let args = [Arg::buffer(&most, ElemType::I32), Scalar::U32(self.step as u32).into()];
            let launch = self.launch(&artifact, &args, count.div_ceil(UNITS))?;
            let cubes = [launch.cubes as u32, 1, 1];
            let (time, _) =
                self.device.measure(&mut || self.device.launch_kernel(&launch.kernel, &launch.args, cubes))?;
            let result = self.read(&most, 8)?;
            let error = f32::from_bits(u32::from_ne_bytes(result[..4].try_into()?));
            let counted = u32::from_ne_bytes(result[4..].try_into()?);
            // The square root is correctly rounded.
            let allowed = bound("f32", function).unwrap_or(0.5);
            let holds = f64::from(error) <= allowed && counted != 0;
            let word = if holds { "" } else { "  TOO LARGE" };
            println!(
                "{function:8} {error:.4} ULP, bound {allowed}, {counted} results are not NaN, {:.2} s{word}",
                time.as_secs_f64()
            );
            right &= holds;
        }
        Ok(right)
    }

    /// Compares quotients and remainders by 64 numbers of the launch with those by the same numbers from memory, with and
    /// without sign. Returns whether all are equal.
    fn division(&self) -> Outcome<bool> {
        let artifact = compile(DIVISION.as_bytes(), "divide_all", &self.target, &[])?;
        // A unit divides 64 dividends.
        let dividends = if self.step == 1 { 1u64 << 32 } else { 1 << 18 };
        let powers = (1..32).flat_map(|power| [(1u32 << power) - 1, 1 << power, (1 << power) + 1]);
        let others =
            [0, 1, 6, 7, 10, 11, 25, 60, 100, 125, 625, 641, 1000, 6_700_417, 0xaaaa_aaab, u32::MAX - 1, u32::MAX];
        let mut divisors: Vec<u32> = powers.skip(42).take(47).chain(others).collect();
        divisors.sort_unstable();
        divisors.dedup();
        let (zero, bad) = (self.device.alloc(4, Init::Zero)?, self.device.alloc(4, Init::Zero)?);
        let mut wrong = 0;
        for eight in divisors.chunks(8) {
            let mut args = vec![Arg::buffer(&zero, ElemType::I32), Arg::buffer(&bad, ElemType::U32)];
            let numbers = (0..8).map(|i| eight[i.min(eight.len() - 1)]);
            args.extend(numbers.map(|number| Arg::from(Scalar::U32(number))));
            let launch = self.launch(&artifact, &args, dividends / 64 / UNITS)?;
            self.device.launch_kernel(&launch.kernel, &launch.args, [launch.cubes as u32, 1, 1])?;
            wrong = u32::from_ne_bytes(self.read(&bad, 4)?[..].try_into()?);
        }
        println!("{dividends} dividends by {} divisors, {wrong} wrong: {divisors:?}", divisors.len());
        Ok(wrong == 0)
    }
}

/// Prints the machine instructions of the kernels of index arithmetic, without and with [`OF_INDICES`]. The exit code is 1
/// if the passes do not halve the number for each kernel.
fn code(chip: &str) -> Outcome<ExitCode> {
    println!("machine code for {chip}, benches/kernels/index.mlir, without {}", OF_INDICES.join(", "));
    let target = Target { backend: "nvptx".into(), chip: Some(chip.into()) };
    let mut halved = true;
    for kernel in ["permute", "im2col", "window"] {
        let count = |passes: &[&str]| -> Outcome<usize> {
            let artifact = compile(INDICES.as_bytes(), kernel, &target, passes)?;
            let code = sass::compile(&artifact.code, chip)?;
            sass::instructions(&code).ok_or_else(|| "ptxas wrote a file without code".into())
        };
        let [without, with] = [count(OF_INDICES)?, count(&[])?];
        print_counts(kernel, [without, with]);
        halved &= without >= 2 * with;
    }
    Ok(if halved { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_counts(name: &str, [without, with]: [usize; 2]) {
    let times = without as f64 / with as f64;
    println!("{name:24} machine instructions: without {without}, with {with}, {times:.2} times fewer");
}

/// The processor time of all threads of this process; `None` on systems without this clock.
fn processor_time() -> Option<Duration> {
    let of_thread = |path: PathBuf| std::fs::read_to_string(path).ok()?.split_whitespace().next()?.parse().ok();
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let times: Option<Vec<u64>> = threads.map(|thread| of_thread(thread.path().join("schedstat"))).collect();
    times.map(|times| Duration::from_nanos(times.iter().sum()))
}

/// A kernel that computes the largest error of a function over the inputs with the patterns 0, `step`, 2 `step` and so
/// on, as the bits of an f32 in element 0. Element 1 is the number of inputs with numbers as results, modulo 2^32. If
/// both functions return NaN, the error is 0. If one returns NaN, the error is NaN. Results beyond the range of f32 count
/// as 2^128.
fn error_kernel(function: &str) -> String {
    format!(
        "cube.kernel @error(%most: !cube.array<i32>, %step: i32 {{cube.host = \"u32\"}}) cube_dim({UNITS}) {{
  %i = cube.topology absolute_pos
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pattern = arith.muli %i, %step : i32
  %x = arith.bitcast %pattern : i32 to f32
  %y = math.{function} %x : f32
  %wide = arith.extf %x : f32 to f64
  %reference = math.{function} %wide : f64
  %value = arith.extf %y : f32 to f64
  %top = arith.constant 0x47F0000000000000 : f64
  %bottom = arith.constant 0xC7F0000000000000 : f64
  %below = arith.minimumf %reference, %top : f64
  %exact = arith.maximumf %below, %bottom : f64
  %least_top = arith.minimumf %value, %top : f64
  %got = arith.maximumf %least_top, %bottom : f64
  %difference = arith.subf %got, %exact : f64
  %size = math.absf %difference : f64
  %bits = arith.bitcast %exact : f64 to i64
  %exponents = arith.constant 0x7ff0000000000000 : i64
  %least = arith.constant 0x3810000000000000 : i64
  %places = arith.constant 0x0170000000000000 : i64
  %exponent = arith.andi %bits, %exponents : i64
  %normal = arith.maxui %exponent, %least : i64
  %unit_bits = arith.subi %normal, %places : i64
  %unit = arith.bitcast %unit_bits : i64 to f64
  %units = arith.divf %size, %unit : f64
  %none = arith.constant 0.0 : f32
  %error = arith.truncf %units : f64 to f32
  %a = arith.cmpf uno, %reference, %reference : f64
  %b = arith.cmpf uno, %y, %y : f32
  %both = arith.andi %a, %b : i1
  %counted = arith.select %both, %none, %error : f32
  %result = arith.bitcast %counted : f32 to i32
  %old = cube.atomic_rmw maxui %result, %most[%zero] : i32, !cube.array<i32>
  %number = arith.select %both, %zero, %one : i32
  %count = cube.atomic_rmw addi %number, %most[%one] : i32, !cube.array<i32>
  cube.return
}}
"
    )
}
