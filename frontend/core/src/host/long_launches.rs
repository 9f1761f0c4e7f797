//! Reports long launches. A kernel with an endless loop blocks its queue, and blocks each thread that waits for the
//! kernel. On the CPU, the variable `CUBE_CPU_TIME_LIMIT` can set a time limit for kernels. Without a time limit, such
//! a kernel runs until the program ends. A notice names the kernel of a long launch.
use super::core::{Core, KernelSource};
use super::variables::notice;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

/// The number of a kernel's name and location in the process.
#[derive(Clone, Copy, Debug)]
pub struct SourceNumber(usize);

static SOURCES: Mutex<Vec<KernelSource>> = Mutex::new(Vec::new());

/// The number of a kernel's name and location.
pub fn number_of(source: KernelSource) -> SourceNumber {
    let mut sources = locked(&SOURCES);
    let found = sources.iter().position(|known| *known == source);
    SourceNumber(found.unwrap_or_else(|| {
        sources.push(source);
        sources.len() - 1
    }))
}

/// The launches of a thread.
#[derive(Default)]
struct ThreadSlot {
    /// Number of starts and ends of launches: odd while the thread runs a launch. Only the thread itself changes it.
    changes: AtomicU64,
    /// The kernel of the last launch. Only the thread itself changes it.
    source: AtomicUsize,
    /// The launch at the last check of the monitoring thread, with its value of `changes`. The time of the check counts as the
    /// start of the launch, so that a launch does not read the clock.
    seen: Mutex<Option<(u64, Running)>>,
}

impl ThreadSlot {
    fn change(&self) {
        // The thread is the only writer.
        self.changes.store(self.changes.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    fn begin(&self, source: SourceNumber) {
        self.source.store(source.0, Ordering::Relaxed);
        self.change();
    }

    /// The text of the notice that is due at the time `now`, if any.
    fn overdue(&self, now: Instant) -> Option<String> {
        let changes = self.changes.load(Ordering::Acquire);
        let mut seen = locked(&self.seen);
        if changes.is_multiple_of(2) {
            *seen = None;
            return None;
        }
        if seen.as_ref().is_none_or(|(before, _)| *before != changes) {
            let source = *locked(&SOURCES).get(self.source.load(Ordering::Relaxed))?;
            // If the launch has ended since then, the next check replaces this entry.
            *seen = Some((changes, Running { source, start: now, next_notice: FIRST_NOTICE }));
        }
        seen.as_mut().and_then(|(_, running)| running.overdue(now))
    }
}

static THREADS: Mutex<Vec<Weak<ThreadSlot>>> = Mutex::new(Vec::new());

thread_local!(static OWN: OnceCell<Arc<ThreadSlot>> = const { OnceCell::new() });

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch. A notice reports a launch that exceeds `FIRST_NOTICE`.
#[inline]
pub fn with_notices<T>(source: SourceNumber, launch: impl FnOnce() -> T) -> T {
    /// The drop of this guard, also after a panic, ends the thread's current launch.
    struct End<'a>(&'a ThreadSlot);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.change();
        }
    }
    OWN.with(|own| {
        let slot = own.get_or_init(register);
        slot.begin(source);
        let _end = End(slot);
        launch()
    })
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
            if let Some(text) = slot.overdue(Instant::now()) {
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
        let source = |name| number_of(KernelSource { name, file: "k.rs", line: 1 });
        let (now, check) = (Instant::now(), |at: Instant| OWN.with(|own| own.get().unwrap().overdue(at)));
        let after = |seconds| now + Duration::from_secs(seconds);
        let texts = with_notices(source("first"), || [0, 9, 10, 11, 20].map(|seconds| check(after(seconds))));
        assert_eq!(texts.each_ref().map(Option::is_some), [false, false, true, false, true]);
        assert!(texts[2].as_ref().unwrap().contains("'first' at k.rs:1 has been running for 10 s"), "{texts:?}");
        assert_eq!(check(after(100)), None, "no launch runs");
        // The next launch has its own start, also if no check was between both.
        with_notices(source("second"), || assert_eq!(check(after(100)), None));
        let third = with_notices(source("third"), || [108, 117, 118].map(|seconds| check(after(seconds))));
        assert_eq!(third.each_ref().map(Option::is_some), [false, false, true]);
        assert!(third[2].as_ref().unwrap().contains("'third'"), "{third:?}");
        let panics = || with_notices(source("fourth"), || panic!("in the launch"));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(check(after(500)), None);
    }
}
