//! The host side of the comparison of speed with CubeCL: reads commands, runs rounds of launches, and prints times.
//!
//! The program prints a line for each case, with its name and the sum of its results. Then it reads the number of a
//! case from each line of its input. It launches the kernel of the case several times, waits for the device, and prints
//! the elapsed time and the processor time of all its threads, in nanoseconds for each launch.
use std::io::{BufRead, Write};
use std::time::Instant;

/// A kernel with its arguments.
pub struct Case {
    pub name: &'static str,
    /// Whether the kernel checks its accesses.
    pub checked: bool,
    /// Launches of a round.
    pub launches: u32,
    pub launch: Box<dyn Fn()>,
    /// The output of the kernel.
    pub read: Box<dyn Fn() -> Vec<f32>>,
}

/// Numbers between -2 and 2 without a short period.
pub fn numbers(count: usize) -> Vec<f32> {
    (0..count as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 16) as f32 / 16384.0 - 2.0).collect()
}

/// Nanoseconds of processor time of all threads of the process.
fn processor_time() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux has this folder");
    let of_thread = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0)
    };
    threads.filter_map(Result::ok).map(|entry| of_thread(entry.path())).sum()
}

pub fn serve(runtime: &str, cases: &[Case], sync: impl Fn()) {
    println!("runtime {runtime}");
    for case in cases {
        (case.launch)();
        let sum: f64 = (case.read)().into_iter().map(f64::from).sum();
        println!("case {sum} {}, {}", case.name, if case.checked { "checked" } else { "unchecked" });
    }
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the input is text");
        let case = &cases[line.trim().parse::<usize>().expect("the number of a case")];
        let (processor, wall) = (processor_time(), Instant::now());
        (0..case.launches).for_each(|_| (case.launch)());
        sync();
        let times = (wall.elapsed().as_nanos() as u64, processor_time() - processor);
        println!("{} {}", times.0 / u64::from(case.launches), times.1 / u64::from(case.launches));
        std::io::stdout().flush().expect("the output is open");
    }
}
