//! Ends launches that take too long.
//!
//! A kernel with an infinite loop never releases its threads, and no other thread can end the kernel's threads.
//! The code of a kernel therefore polls a word of its launch in each iteration of loops that are not proven to
//! terminate (`lower-loop-cancellation`). A thread of the device writes this word when the launch reaches its
//! time limit.
use crate::entry::LaunchBlock;
use cube_runtime::{ErrorKind, RuntimeError};
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The value of a launch's word that requests the end of the launch.
const REQUESTED: u32 = 1;

/// The bit of a launch's word that is set when the code returned early or cubes were skipped. The other bits
/// of the word contain the source line of the loop that ended early, or 0 if the line is unknown.
const ENDED_EARLY: u32 = 1 << 31;

/// The time limit of launches, and the setting from which it comes, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    time: Duration,
    origin: &'static str,
}

impl Limit {
    /// The limit of a device.
    pub fn of_device(time: Duration) -> Limit {
        Limit { time, origin: "CUBE_CPU_TIME_LIMIT or CpuDevice::limit_time" }
    }
}

thread_local!(static OF_THREAD: Cell<Option<Limit>> = const { Cell::new(None) });

/// The limit of launches of this thread, in [`with_limit`].
pub(crate) fn of_thread() -> Option<Limit> {
    OF_THREAD.get()
}

/// Runs `work` with a limit for the launches of this thread.
pub(crate) fn with_limit(time: Duration, work: &mut dyn FnMut()) {
    /// Dropping this value restores the earlier limit, also after a panic.
    struct LimitGuard(Option<Limit>);
    impl Drop for LimitGuard {
        fn drop(&mut self) {
            OF_THREAD.set(self.0);
        }
    }
    let origin = "the caller of Device::limit_launches";
    let _earlier = LimitGuard(OF_THREAD.replace(Some(Limit { time, origin })));
    work();
}

/// The thread of a device that ends launches at their limits.
#[derive(Default)]
pub(crate) struct TimeLimits {
    thread: OnceLock<Result<Arc<TimeLimitThread>, String>>,
}

/// The running launches, whose time a thread checks.
#[derive(Default)]
struct TimeLimitThread {
    running: Mutex<Running>,
    changed: Condvar,
}

#[derive(Default)]
struct Running {
    launches: Vec<(Instant, Arc<LaunchBlock>)>,
    /// Whether the device has been dropped, so that no further launch follows.
    closed: bool,
}

impl TimeLimits {
    /// Runs a launch. If the launch exceeds the time limit, the method returns an error.
    pub fn run_with_limit(
        &self,
        limit: Limit,
        block: LaunchBlock,
        run: impl FnOnce(&LaunchBlock) -> Result<(), RuntimeError>,
    ) -> Result<(), RuntimeError> {
        let thread = self.thread.get_or_init(TimeLimitThread::start).as_ref().map_err(|error| {
            RuntimeError::device_limit(format!(
                "the system cannot start the thread that ends launches ({error}); end other threads, or unset CUBE_CPU_TIME_LIMIT"
            ))
        })?;
        let block = Arc::new(block);
        // If the clock cannot represent the end of the limit, the limit is never reached.
        if let Some(end) = Instant::now().checked_add(limit.time) {
            thread.locked().launches.push((end, block.clone()));
            thread.changed.notify_one();
        }
        /// Dropping this value removes the launch from the list of running launches, even after a panic.
        struct LaunchGuard<'a>(&'a TimeLimitThread, &'a Arc<LaunchBlock>);
        impl Drop for LaunchGuard<'_> {
            fn drop(&mut self) {
                self.0.locked().launches.retain(|(_, block)| !Arc::ptr_eq(block, self.1));
            }
        }
        let done = LaunchGuard(thread, &block);
        let result = run(&block);
        drop(done);
        result?;
        match block.stop.load(Ordering::Relaxed) {
            // All cubes had completed before the time limit was detected, so the launch is successful.
            0 | REQUESTED => Ok(()),
            left => Err(RuntimeError::new(ErrorKind::TimeLimit, limit.message(left & !ENDED_EARLY))),
        }
    }
}

impl Limit {
    fn message(self, line: u32) -> String {
        let place = match line {
            0 => "between two cubes, or in a loop".to_string(),
            line => format!("in the loop at line {line} of its source"),
        };
        format!(
            "it was terminated {place}, after the limit of {} s that {} sets; correct the loop, or raise the limit",
            self.time.as_secs_f64(),
            self.origin
        )
    }
}

impl Drop for TimeLimits {
    fn drop(&mut self) {
        if let Some(Ok(thread)) = self.thread.get() {
            thread.locked().closed = true;
            thread.changed.notify_one();
        }
    }
}

impl TimeLimitThread {
    fn start() -> Result<Arc<TimeLimitThread>, String> {
        let shared = Arc::<TimeLimitThread>::default();
        let checker = shared.clone();
        let thread = std::thread::Builder::new().name("cube-cpu-limit".into());
        thread.spawn(move || checker.check_launches()).map(|_| shared).map_err(|error| error.to_string())
    }

    fn locked(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_launches(&self) {
        let mut running = self.locked();
        while !running.closed {
            let now = Instant::now();
            running.launches.retain(|(end, block)| {
                if *end <= now {
                    // The kernel can have written a line to the word already.
                    let _ = block.stop.compare_exchange(0, REQUESTED, Ordering::Relaxed, Ordering::Relaxed);
                }
                *end > now
            });
            let next = running.launches.iter().map(|(end, _)| *end - now).min();
            running = match next {
                Some(time) => self.changed.wait_timeout(running, time).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(running).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Whether a launch is allowed to run more cubes. If cubes are skipped, the function sets the bit `ENDED_EARLY`.
pub(crate) fn can_start_cubes(block: &LaunchBlock) -> bool {
    let stop = block.stop.load(Ordering::Relaxed);
    if stop == REQUESTED {
        // If the kernel has written the word in the meantime, the value of the kernel is kept.
        let _ = block.stop.compare_exchange(REQUESTED, ENDED_EARLY, Ordering::Relaxed, Ordering::Relaxed);
    }
    stop == 0
}

/// The time limit that `CUBE_CPU_TIME_LIMIT` sets.
pub(crate) fn from_env(value: Option<&std::ffi::OsStr>) -> Result<Option<Limit>, RuntimeError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let seconds = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|seconds: &f64| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.map(|time| Some(Limit::of_device(time))).ok_or_else(|| {
        RuntimeError::environment(format!(
            "CUBE_CPU_TIME_LIMIT is '{}', which is not a time; set the variable to the maximum seconds of a launch, or unset the variable",
            value.to_string_lossy()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limit_is_parsed_or_rejected_with_a_fix() {
        let read = |text: &str| from_env(Some(text.as_ref())).map(|limit| limit.map(|limit| limit.time));
        assert_eq!(read("0.5").unwrap(), Some(Duration::from_millis(500)));
        assert_eq!((read("").unwrap(), from_env(None).unwrap().map(|limit| limit.time)), (None, None));
        for text in ["0", "-1", "soon", "nan", "inf"] {
            let error = read(text).expect_err(text);
            assert!(error.message.starts_with(&format!("CUBE_CPU_TIME_LIMIT is '{text}'")), "{error}");
        }
    }
}
