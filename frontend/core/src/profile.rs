//! How long work takes.
use crate::benchmark::TimingMethod;
use crate::future::DynFut;
use std::future::Future;
use std::time::{Duration, Instant};

/// The beginning and the end of what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileTicks {
    start: Instant,
    end: Instant,
}

impl ProfileTicks {
    /// From one to the other.
    pub fn from_start_end(start: Instant, end: Instant) -> Self {
        ProfileTicks { start, end }
    }

    /// The time in between.
    pub fn duration(&self) -> Duration {
        self.end.duration_since(self.start)
    }

    /// From `epoch` to the beginning.
    pub fn start_duration_since(&self, epoch: Instant) -> Duration {
        self.start.duration_since(epoch)
    }

    /// From `epoch` to the end.
    pub fn end_duration_since(&self, epoch: Instant) -> Duration {
        self.end.duration_since(epoch)
    }
}

/// What was measured, or will be.
pub struct ProfileDuration {
    ticks: DynFut<ProfileTicks>,
    method: TimingMethod,
}

impl ProfileDuration {
    /// What a future gives.
    pub fn new(ticks: DynFut<ProfileTicks>, method: TimingMethod) -> Self {
        ProfileDuration { ticks, method }
    }

    /// By the host's clock.
    pub fn new_system_time(start: Instant, end: Instant) -> Self {
        let ticks = ProfileTicks::from_start_end(start, end);
        Self::new(Box::pin(std::future::ready(ticks)), TimingMethod::System)
    }

    /// By a device's clock.
    pub fn new_device_time(ticks: impl Future<Output = ProfileTicks> + Send + 'static) -> Self {
        Self::new(Box::pin(ticks), TimingMethod::Device)
    }

    /// Whose clock counted.
    pub fn timing_method(&self) -> TimingMethod {
        self.method
    }

    /// What was measured.
    pub fn into_future(self) -> DynFut<ProfileTicks> {
        self.ticks
    }

    /// What was measured.
    pub async fn resolve(self) -> ProfileTicks {
        self.ticks.await
    }
}

impl std::fmt::Debug for ProfileDuration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ProfileDuration by the clock of the {}", self.method)
    }
}
