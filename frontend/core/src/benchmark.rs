//! Measuring kernels.
use crate::future::block_on;
use crate::host::variables::given;
pub use crate::profile::{ProfileDuration, ProfileTicks};
use std::fmt;
use std::time::Duration;
pub use std::time::Instant;

/// Whose clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimingMethod {
    /// The host's, around the work and its end.
    #[default]
    System,
    /// The device's, where it has one; the host's elsewhere.
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

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkDurations {
    /// Whose clock counted.
    pub timing_method: TimingMethod,
    /// One for each run.
    pub durations: Vec<Duration>,
}

impl BenchmarkDurations {
    /// Runs that were measured elsewhere.
    pub fn new(timing_method: TimingMethod, durations: Vec<Duration>) -> Self {
        BenchmarkDurations { timing_method, durations }
    }
    /// The same.
    pub fn from_durations(timing_method: TimingMethod, durations: Vec<Duration>) -> Self {
        Self::new(timing_method, durations)
    }
}

/// Figures of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenchmarkComputations {
    /// The mean.
    pub mean: Duration,
    /// The median.
    pub median: Duration,
    /// The mean of the squared distances from the mean, in seconds, as a duration.
    pub variance: Duration,
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
}

impl BenchmarkComputations {
    /// The figures of a measurement.
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

/// Something to measure.
pub trait Benchmark {
    /// What a run takes.
    type Input: Clone;
    /// What a run gives.
    type Output;

    /// The input of the runs.
    fn prepare(&self) -> Self::Input;
    /// One run.
    ///
    /// # Errors
    /// It could not run.
    fn execute(&self, input: Self::Input) -> Result<Self::Output, String>;
    /// Runs that count.
    fn num_samples(&self) -> usize {
        given().text("BENCH_NUM_SAMPLES").and_then(|n| n.parse().ok()).unwrap_or(10)
    }
    /// What is measured.
    fn name(&self) -> String;
    /// With which options.
    fn options(&self) -> Option<String> {
        None
    }
    /// Of which sizes.
    fn shapes(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }
    /// Waits for the device.
    fn sync(&self);

    /// One run, measured; a benchmark with a device's clock measures here (a client has `profile`).
    ///
    /// # Errors
    /// The run failed.
    fn profile(&self, args: Self::Input) -> Result<ProfileDuration, String> {
        self.profile_full(args)
    }

    /// One run by the host's clock, until the device has ended it.
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

    /// Runs it: a few times to warm up, then [`Benchmark::num_samples`] times.
    ///
    /// # Errors
    /// A run failed.
    fn run(&self, timing_method: TimingMethod) -> Result<BenchmarkDurations, String> {
        let input = self.prepare();
        for _ in 0..3 {
            self.execute(input.clone())?;
        }
        self.sync();
        let mut durations = Vec::with_capacity(self.num_samples());
        for _ in 0..self.num_samples() {
            let profile = match timing_method {
                TimingMethod::System => self.profile_full(input.clone())?,
                TimingMethod::Device => self.profile(input.clone())?,
            };
            durations.push(block_on(profile.resolve()).duration());
        }
        Ok(BenchmarkDurations { timing_method, durations })
    }
}

/// A benchmark that was run, with what it says of itself.
#[derive(Clone, Debug)]
pub struct BenchmarkResult {
    /// Its runs.
    pub raw: BenchmarkDurations,
    /// Their figures.
    pub computed: BenchmarkComputations,
    /// The commit of the current folder's repository; empty where there is none.
    pub git_hash: String,
    /// Its name.
    pub name: String,
    /// With which options.
    pub options: Option<String>,
    /// Of which sizes.
    pub shapes: Vec<Vec<usize>>,
    /// When it began, in milliseconds since 1970.
    pub timestamp: u128,
}

impl fmt::Display for BenchmarkResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Timestamp: {}", self.timestamp)?;
        writeln!(f, "Git Hash: {}", self.git_hash)?;
        write!(f, "Benchmarking - {}{}", self.name, self.raw)
    }
}

/// Runs a benchmark by the host's clock.
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
    fn the_figures_are_those_of_the_samples() {
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
}
