//! Measurement of kernels, with statistics over several runs.
use crate::future::block_on;
use crate::host::variables::variables;
pub use crate::profile::{ProfileDuration, ProfileTicks};
use std::fmt;
use std::time::Duration;
pub use std::time::Instant;

/// The clock that measures a benchmark run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimingMethod {
    /// The host's clock. A measurement begins at the start of the work and ends at its completion.
    #[default]
    System,
    /// The device's clock, or the host's clock if the device does not have one.
    Device,
}

impl fmt::Display for TimingMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimingMethod::System => "system",
            TimingMethod::Device => "device",
        })
    }
}

/// Measured times of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkDurations {
    /// The clock that measured the runs.
    pub timing_method: TimingMethod,
    /// One duration per run.
    pub durations: Vec<Duration>,
}

impl BenchmarkDurations {
    /// Wraps durations that the caller measured.
    pub fn new(timing_method: TimingMethod, durations: Vec<Duration>) -> Self {
        BenchmarkDurations { timing_method, durations }
    }
    /// Same as [`BenchmarkDurations::new`].
    pub fn from_durations(timing_method: TimingMethod, durations: Vec<Duration>) -> Self {
        Self::new(timing_method, durations)
    }
}

/// Statistics over the runs of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenchmarkComputations {
    /// Mean time of a run.
    pub mean: Duration,
    /// Median time of a run.
    pub median: Duration,
    /// The variance: the mean squared deviation from the mean. A `Duration` of one second represents one second
    /// squared.
    pub variance: Duration,
    /// Shortest time of a run.
    pub min: Duration,
    /// Longest time of a run.
    pub max: Duration,
}

impl BenchmarkComputations {
    /// Computes the statistics of the runs. If no run was measured, all statistics are zero.
    pub fn new(durations: &BenchmarkDurations) -> Self {
        let mut sorted = durations.durations.clone();
        if sorted.is_empty() {
            return Self::default();
        }
        sorted.sort();
        let count = sorted.len();
        let mean = sorted.iter().sum::<Duration>() / count as u32;
        let median = if count % 2 == 1 { sorted[count / 2] } else { (sorted[count / 2 - 1] + sorted[count / 2]) / 2 };
        let squares = sorted.iter().map(|d| (d.as_secs_f64() - mean.as_secs_f64()).powi(2)).sum::<f64>();
        let variance = Duration::from_secs_f64(squares / count as f64);
        BenchmarkComputations { mean, median, variance, min: sorted[0], max: sorted[count - 1] }
    }
}

impl fmt::Display for BenchmarkDurations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let c = BenchmarkComputations::new(self);
        writeln!(f, "\n―――――――― Result ―――――――――")?;
        writeln!(f, "  Timing      {}", self.timing_method)?;
        writeln!(f, "  Samples     {}", self.durations.len())?;
        writeln!(f, "  Mean        {:.3?}", c.mean)?;
        writeln!(f, "  Variance    {:.3?}", c.variance)?;
        writeln!(f, "  Median      {:.3?}", c.median)?;
        writeln!(f, "  Min         {:.3?}", c.min)?;
        writeln!(f, "  Max         {:.3?}", c.max)?;
        write!(f, "―――――――――――――――――――――――――")
    }
}

/// The work that a benchmark measures, with its input and its description.
pub trait Benchmark {
    /// Input of a run.
    type Input: Clone;
    /// Output of a run.
    type Output;

    /// Makes the input. Each run receives a clone of this input.
    fn prepare(&self) -> Self::Input;
    /// Executes one run.
    ///
    /// # Errors
    /// The run failed.
    fn execute(&self, input: Self::Input) -> Result<Self::Output, String>;
    /// The number of measured runs: the value of the environment variable `BENCH_NUM_SAMPLES`, or 10.
    fn num_samples(&self) -> usize {
        variables().text("BENCH_NUM_SAMPLES").and_then(|n| n.parse().ok()).unwrap_or(10)
    }
    /// Name of the benchmark in reports.
    fn name(&self) -> String;
    /// Options of the benchmark in reports.
    fn options(&self) -> Option<String> {
        None
    }
    /// Shapes of the inputs in reports.
    fn shapes(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }
    /// Waits for the device.
    fn sync(&self);

    /// Measures one run. An implementation can override this method to measure with the device's clock, through
    /// `ComputeClient::profile`.
    ///
    /// # Errors
    /// The run failed.
    fn profile(&self, args: Self::Input) -> Result<ProfileDuration, String> {
        self.profile_full(args)
    }

    /// Measures one run with the host's clock, until the device has completed all its work.
    ///
    /// # Errors
    /// The run failed.
    fn profile_full(&self, args: Self::Input) -> Result<ProfileDuration, String> {
        self.sync();
        let start = Instant::now();
        self.execute(args)?;
        self.sync();
        Ok(ProfileDuration::new_system_time(start, Instant::now()))
    }

    /// Runs the benchmark: three times to warm up, then [`Benchmark::num_samples`] times. The timing method of the
    /// result is [`TimingMethod::Device`] only if the device's clock measured every run.
    ///
    /// # Errors
    /// A run failed.
    fn run(&self, timing_method: TimingMethod) -> Result<BenchmarkDurations, String> {
        let input = self.prepare();
        for _ in 0..3 {
            self.execute(input.clone())?;
        }
        self.sync();
        let (mut durations, mut method) = (Vec::with_capacity(self.num_samples()), timing_method);
        for _ in 0..self.num_samples() {
            let profile = match timing_method {
                TimingMethod::System => self.profile_full(input.clone())?,
                TimingMethod::Device => self.profile(input.clone())?,
            };
            if profile.timing_method() == TimingMethod::System {
                method = TimingMethod::System;
            }
            durations.push(block_on(profile.resolve()).duration());
        }
        Ok(BenchmarkDurations { timing_method: method, durations })
    }
}

/// The measured times of a benchmark, with the benchmark's name, options and shapes.
#[derive(Clone, Debug)]
pub struct BenchmarkResult {
    /// Measured times.
    pub raw: BenchmarkDurations,
    /// Statistics over the measured times.
    pub computed: BenchmarkComputations,
    /// The commit of the Git repository that contains the current folder, or an empty string.
    pub git_hash: String,
    /// Name of the benchmark.
    pub name: String,
    /// Options of the benchmark.
    pub options: Option<String>,
    /// Shapes of the inputs.
    pub shapes: Vec<Vec<usize>>,
    /// Start of the benchmark, in milliseconds since 1970.
    pub timestamp: u128,
}

impl fmt::Display for BenchmarkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Timestamp: {}", self.timestamp)?;
        writeln!(f, "Git Hash: {}", self.git_hash)?;
        write!(f, "Benchmarking - {}{}", self.name, self.raw)
    }
}

/// Runs a benchmark with the host's clock.
///
/// # Errors
/// A run failed.
pub fn run_benchmark<B: Benchmark>(benchmark: B) -> Result<BenchmarkResult, String> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let head = std::process::Command::new("git").args(["rev-parse", "HEAD"]).output().ok();
    let head = head.filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let raw = benchmark.run(TimingMethod::System)?;
    Ok(BenchmarkResult {
        computed: BenchmarkComputations::new(&raw),
        raw,
        git_hash: String::from_utf8_lossy(&head).trim().into(),
        name: benchmark.name(),
        options: benchmark.options(),
        shapes: benchmark.shapes(),
        timestamp: since.map_or(0, |since| since.as_millis()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_samples() {
        let ms = |n: &[u64]| BenchmarkDurations {
            timing_method: TimingMethod::System,
            durations: n.iter().map(|n| Duration::from_millis(*n)).collect(),
        };
        let c = BenchmarkComputations::new(&ms(&[4, 1, 3, 2]));
        assert_eq!((c.min, c.max), (Duration::from_millis(1), Duration::from_millis(4)));
        assert_eq!((c.mean, c.median), (Duration::from_micros(2500), Duration::from_micros(2500)));
        assert_eq!(BenchmarkComputations::new(&ms(&[5, 1, 9])).median, Duration::from_millis(5));
        assert_eq!(BenchmarkComputations::new(&ms(&[])), BenchmarkComputations::default());
    }

    #[test]
    fn the_result_names_the_clock_that_measured() {
        struct Timed(TimingMethod);
        impl Benchmark for Timed {
            type Input = ();
            type Output = ();
            fn prepare(&self) {}
            fn execute(&self, (): ()) -> Result<(), String> {
                Ok(())
            }
            fn name(&self) -> String {
                "timed".into()
            }
            fn sync(&self) {}
            fn profile(&self, (): ()) -> Result<ProfileDuration, String> {
                let now = Instant::now();
                let ticks = ProfileTicks::from_start_end(now, now);
                Ok(ProfileDuration::new(Box::pin(std::future::ready(ticks)), self.0))
            }
        }
        let run = |clock, asked| Timed(clock).run(asked).unwrap().timing_method;
        assert_eq!(run(TimingMethod::System, TimingMethod::Device), TimingMethod::System);
        assert_eq!(run(TimingMethod::Device, TimingMethod::Device), TimingMethod::Device);
        assert_eq!(run(TimingMethod::Device, TimingMethod::System), TimingMethod::System);
    }
}
