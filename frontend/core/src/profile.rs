//! Measured times of device work.
use crate::benchmark::TimingMethod;
use crate::future::DynFut;
use std::future::Future;
use std::time::{Duration, Instant};

/// Start time and end time of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileTicks {
    start: Instant,
    end: Instant,
}

impl ProfileTicks {
    /// Creates a measurement from the time `start` to the time `end`.
    pub fn from_start_end(start: Instant, end: Instant) -> Self {
        ProfileTicks { start, end }
    }

    /// Time from the start to the end of the measurement.
    pub fn duration(&self) -> Duration {
        self.end.duration_since(self.start)
    }

    /// Time from `epoch` to the start of the measurement.
    pub fn start_duration_since(&self, epoch: Instant) -> Duration {
        self.start.duration_since(epoch)
    }

    /// Time from `epoch` to the end of the measurement.
    pub fn end_duration_since(&self, epoch: Instant) -> Duration {
        self.end.duration_since(epoch)
    }
}

/// A measurement whose result is possibly not available yet.
pub struct ProfileDuration {
    ticks: DynFut<ProfileTicks>,
    method: TimingMethod,
}

impl ProfileDuration {
    /// A pending measurement.
    pub fn new(ticks: DynFut<ProfileTicks>, method: TimingMethod) -> Self {
        ProfileDuration { ticks, method }
    }

    /// Creates a finished measurement by the host's clock.
    pub fn new_system_time(start: Instant, end: Instant) -> Self {
        let ticks = ProfileTicks::from_start_end(start, end);
        Self::new(Box::pin(std::future::ready(ticks)), TimingMethod::System)
    }

    /// Creates a measurement by a device's clock.
    pub fn new_device_time(ticks: impl Future<Output = ProfileTicks> + Send + 'static) -> Self {
        Self::new(Box::pin(ticks), TimingMethod::Device)
    }

    /// The clock that measures the work.
    pub fn timing_method(&self) -> TimingMethod {
        self.method
    }

    /// Converts the measurement to a future of its start and end.
    pub fn into_future(self) -> DynFut<ProfileTicks> {
        self.ticks
    }

    /// Waits until the measurement is available.
    pub async fn resolve(self) -> ProfileTicks {
        self.ticks.await
    }
}

impl std::fmt::Debug for ProfileDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProfileDuration by the clock of the {}", self.method)
    }
}
