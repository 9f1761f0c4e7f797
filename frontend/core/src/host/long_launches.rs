//! Reports long launches. A kernel with an endless loop blocks its queue, and blocks each thread that waits for the
//! kernel. On the CPU, the variable `CUBE_CPU_TIME_LIMIT` can set a time limit for kernels. Without a time limit, such
//! a kernel runs until the program ends. A notice names the kernel of a long launch.
use super::core::{Core, KernelSource};
use super::variables::notice;
use std::cell::OnceCell;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time from the start of a launch to its first notice. The interval between two notices doubles with each
/// notice.
const FIRST_NOTICE: Duration = Duration::from_secs(10);

/// A running launch.
#[derive(Clone, Copy)]
struct Running {
    source: KernelSource,
    start: Instant,
    /// Time from the start of the launch to the next notice.
    next_notice: Duration,
}

impl Running {
    /// The text of the notice that is due at the time `now`, if any.
    fn overdue(&mut self, now: Instant) -> Option<String> {
        let time = now.duration_since(self.start);
        if time < self.next_notice {
            return None;
        }
        while self.next_notice <= time {
            self.next_notice *= 2;
        }
        Some(format!(
            "the kernel '{}' at {}:{} has been running for {} s; set CUBE_CPU_TIME_LIMIT=SECONDS to stop such launches on the CPU\n  \
             to find an endless loop, write the kernel to a file with CUBE_DUMP=folder; \
             `cube-run FILE --backend interp --max-steps 10000000` names the line of the loop",
            self.source.name,
            self.source.file,
            self.source.line,
            time.as_secs()
        ))
    }
}

/// The launch that a thread currently runs, if any.
type ThreadSlot = Mutex<Option<Running>>;

static THREADS: Mutex<Vec<Weak<ThreadSlot>>> = Mutex::new(Vec::new());

thread_local!(static OWN: OnceCell<Arc<ThreadSlot>> = const { OnceCell::new() });

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch. A notice reports a launch that exceeds `FIRST_NOTICE`.
pub fn with_notices<T>(source: KernelSource, start: Instant, launch: impl FnOnce() -> T) -> T {
    /// The drop of this guard, also after a panic, removes the thread's current launch.
    struct ClearSlot(Arc<ThreadSlot>);
    impl Drop for ClearSlot {
        fn drop(&mut self) {
            *locked(&self.0) = None;
        }
    }
    let slot = OWN.with(|own| own.get_or_init(register).clone());
    *locked(&slot) = Some(Running { source, start, next_notice: FIRST_NOTICE });
    let _free = ClearSlot(slot);
    launch()
}

/// A monitored device, with the launch that ran at the last check.
struct MonitoredDevice {
    core: Weak<Core>,
    running: Option<Running>,
}

static DEVICES: Mutex<Vec<MonitoredDevice>> = Mutex::new(Vec::new());

/// Starts to monitor the launches on a device's queues.
pub fn monitor_device(core: &Arc<Core>) {
    let mut devices = locked(&DEVICES);
    if devices.iter().all(|with_notices| !std::ptr::eq(with_notices.core.as_ptr(), Arc::as_ptr(core))) {
        devices.push(MonitoredDevice { core: Arc::downgrade(core), running: None });
        start();
    }
}

impl MonitoredDevice {
    fn check(&mut self) -> Option<String> {
        let core = self.core.upgrade()?;
        let (kernel, start) = core.device.running()?;
        if self.running.is_none_or(|running| running.start != start) {
            let source = core.source_of(&kernel)?;
            self.running = Some(Running { source, start, next_notice: FIRST_NOTICE });
        }
        self.running.as_mut()?.overdue(Instant::now())
    }
}

/// Starts the monitoring thread. If the thread cannot start, long launches are not reported.
fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| drop(std::thread::Builder::new().name("cube-watch".into()).spawn(monitor)));
}

/// Adds an entry for the current thread's launch to `THREADS`.
fn register() -> Arc<ThreadSlot> {
    start();
    let slot = Arc::new(ThreadSlot::default());
    locked(&THREADS).push(Arc::downgrade(&slot));
    slot
}

fn monitor() {
    loop {
        std::thread::sleep(FIRST_NOTICE / 5);
        let mut threads = locked(&THREADS);
        threads.retain(|slot| slot.strong_count() > 0);
        for slot in threads.iter().filter_map(Weak::upgrade) {
            if let Some(text) = locked(&slot).as_mut().and_then(|running| running.overdue(Instant::now())) {
                notice(text);
            }
        }
        drop(threads);
        let mut devices = locked(&DEVICES);
        devices.retain(|with_notices| with_notices.core.strong_count() > 0);
        devices.iter_mut().filter_map(MonitoredDevice::check).for_each(notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_launch_is_reported_at_doubling_intervals() {
        let start = Instant::now();
        let mut running =
            Running { source: KernelSource { name: "k", file: "src/k.rs", line: 7 }, start, next_notice: FIRST_NOTICE };
        let reported: Vec<u64> =
            (0..100).filter(|s| running.overdue(start + Duration::from_secs(*s)).is_some()).collect();
        assert_eq!(reported, [10, 20, 40, 80]);
        let notice = running.overdue(start + Duration::from_secs(500)).unwrap();
        assert!(notice.contains("'k' at src/k.rs:7 has been running for 500 s"), "{notice}");
    }

    #[test]
    fn a_slot_is_free_after_its_launch() {
        let now = Instant::now();
        let inside = with_notices(KernelSource { name: "k", file: "k.rs", line: 1 }, now, || {
            OWN.with(|own| locked(own.get().unwrap()).is_some())
        });
        let after = OWN.with(|own| locked(own.get().unwrap()).is_some());
        assert!(inside && !after);
        let panics =
            || with_notices(KernelSource { name: "k", file: "k.rs", line: 1 }, now, || panic!("in the launch"));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(OWN.with(|own| locked(own.get().unwrap()).is_none()));
    }
}
