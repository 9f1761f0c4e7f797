//! Measuring kernels.
use crate::future::block_on;
use crate::profile::ProfileDuration;
use std::fmt;
use std::time::{Duration, Instant};

/// Whose clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimingMethod {
    /// The host's, around the work and its end.
    #[default]
    System,
    /// The device's, where it has one; the host's elsewhere.
    Device,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkDurations {
    /// Whose clock counted.
    pub timing_method: TimingMethod,
    /// One for each run.
    pub durations: Vec<Duration>,
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
        let method = match self.timing_method {
            TimingMethod::System => "system",
            TimingMethod::Device => "device",
        };
        writeln!(f, "―――――――― Result ―――――――――")?;
        writeln!(f, "  Timing      {method}")?;
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
        std::env::var("BENCH_NUM_SAMPLES").ok().and_then(|n| n.parse().ok()).unwrap_or(10)
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
