//! The run time of the pass `egraph`: its growth with the size of a kernel, and its sum over all kernels of
//! the repository.
use cube_artifact::{CompileOptions, Target};
use cube_driver::{Driver, PassInfo, PassInstrumentation};
use cube_ir::OwnedModule;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Measures the time of one pass.
struct Clock {
    start: Duration,
    taken: Duration,
}

impl Clock {
    fn new() -> Clock {
        Clock { start: Duration::ZERO, taken: Duration::ZERO }
    }
}

/// The processor time of this thread, which other processes do not affect. On systems without a clock of
/// processor time, the function returns the elapsed time.
fn now() -> Duration {
    // The kernel updates the processor time of a running thread at its clock ticks, and when the thread yields.
    std::thread::yield_now();
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = own.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.elapsed(), Duration::from_nanos)
}

impl PassInstrumentation for Clock {
    fn before(&mut self, _: &PassInfo<'_>) {
        self.start = now();
    }

    fn after(&mut self, info: &PassInfo<'_>, _: &OwnedModule<'_>) -> ControlFlow<()> {
        if info.pass == "egraph" {
            self.taken += now() - self.start;
        }
        ControlFlow::Continue(())
    }
}

fn time_of(text: &str, kernel: Option<String>) -> Option<Duration> {
    let mut clock = Clock::new();
    let target = Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) };
    let options = CompileOptions { kernel, ..CompileOptions::default() };
    Driver.compile_to(text.as_bytes(), &target, &options, "optimize", &mut clock).ok().map(|_| clock.taken)
}

// A kernel without branches, with `count` operations on integers and floats. Its flags allow most rules.
fn straight_line(count: usize) -> String {
    let mut text = String::from(
        "cube.kernel @k(%x: !cube.array<f32>, %y: !cube.array<i32>, %a: i32, %b: i32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %c3 = arith.constant 3 : i32
  %f0 = cube.load %x[%i] : !cube.array<f32> -> f32
  %f1 = cube.load %x[%a] : !cube.array<f32> -> f32
  %n0 = arith.addi %i, %a : i32
  %n1 = arith.addi %i, %b : i32\n",
    );
    for n in 2..count / 2 {
        let (last, other) = (n - 1, n - 2);
        let float = ["arith.mulf", "arith.addf", "arith.subf", "arith.addf"][n % 4];
        let _ = writeln!(text, "  %f{n} = {float} %f{last}, %f{other} fastmath<fast> : f32");
        let (op, by) = [("arith.muli", "c3"), ("arith.addi", "n"), ("cube.divui", "c3"), ("arith.xori", "n")][n % 4];
        let by = if by == "n" { format!("n{other}") } else { by.into() };
        let _ = writeln!(text, "  %n{n} = {op} %n{last}, %{by} : i32");
    }
    let last = count / 2 - 1;
    let _ = write!(
        text,
        "  cube.store %f{last}, %x[%i] : f32, !cube.array<f32>
  cube.store %n{last}, %y[%i] : i32, !cube.array<i32>
  cube.return\n}}\n"
    );
    text
}

// The limits are wide: other tests run beside this one.
#[test]
fn time_grows_with_the_size_of_a_kernel() {
    let sizes = [100usize, 1000, 10_000];
    // Once for the table of rules.
    time_of(&straight_line(100), None).expect("it compiles");
    let times: Vec<f64> =
        sizes.iter().map(|size| time_of(&straight_line(*size), None).expect("it compiles").as_secs_f64()).collect();
    let exponent = (times[2] / times[0]).ln() / (sizes[2] as f64 / sizes[0] as f64).ln();
    println!("{sizes:?} operations take {times:.4?} s; the exponent is {exponent:.2}");
    assert!(times[2] < 8.0 && exponent < 1.5, "{times:?} s, exponent {exponent}");
    // The maximum memory of this process, which also includes the other tests that run at the same time.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    if let Some(peak) = peak {
        println!("{} MiB at most", peak >> 10);
        assert!(peak < 1 << 20, "{peak} KiB");
    }
}

// The hash tables of Rust's standard library have a different order in each run.
#[test]
fn hundred_runs_produce_the_same_text() {
    let text = straight_line(60);
    let target = Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) };
    let run = || {
        let mut clock = Clock::new();
        Driver
            .compile_to(text.as_bytes(), &target, &CompileOptions::default(), "optimize", &mut clock)
            .expect("it compiles")
    };
    let first = run();
    assert!((1..100).all(|_| run() == first));
}

#[test]
#[ignore = "a measurement without checks: prints the time of the pass for all kernels of the checkout"]
fn time_of_all_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the checkout");
    let mut times = Vec::new();
    for folder in ["test/run", "examples/kernels", "benches/kernels", "dialects/cube/examples"] {
        for entry in root.join(folder).read_dir().expect("it is there").flatten() {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            for part in text.split("cube.kernel @").skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(time) = time_of(&text, Some(name.clone())) {
                    times.push((time, name));
                }
            }
        }
    }
    times.sort();
    let at = |part: f64| &times[((times.len() - 1) as f64 * part) as usize];
    println!("{} kernels: median {:?}, p99 {:?}, most {:?}", times.len(), at(0.5), at(0.99), at(1.0));
}
