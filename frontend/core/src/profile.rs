//! How long work takes.
use crate::benchmark::TimingMethod;
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

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileDuration {
    ticks: ProfileTicks,
    method: TimingMethod,
}

impl ProfileDuration {
    /// By the host's clock.
    pub fn new_system_time(start: Instant, end: Instant) -> Self {
        ProfileDuration { ticks: ProfileTicks::from_start_end(start, end), method: TimingMethod::System }
    }

    /// Whose clock counted.
    pub fn timing_method(&self) -> TimingMethod {
        self.method
    }

    /// What was measured; it is there.
    pub fn into_future(self) -> impl Future<Output = ProfileTicks> + Send + use<> {
        std::future::ready(self.ticks)
    }

    /// What was measured; it is there.
    pub fn resolve(self) -> impl Future<Output = ProfileTicks> + Send + use<> {
        self.into_future()
    }
}
