//! Reports long launches. A kernel with an endless loop blocks the thread that launched it. Without
//! a limit (`CUBE_CPU_TIME_LIMIT`, on the CPU) only the end of the program stops it. A notice names
//! the kernel.
use super::variables::notice;
use std::cell::OnceCell;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time until the first notice of a launch. The time doubles for each next notice.
const FIRST_NOTICE: Duration = Duration::from_secs(10);

/// A running launch.
#[derive(Clone, Copy)]
struct Running {
    kernel: &'static str,
    file: &'static str,
    line: u32,
    start: Instant,
    /// Time of the next notice, from the start.
    next_notice: Duration,
}

impl Running {
    /// The notice that is due at `now`.
    fn overdue(&mut self, now: Instant) -> Option<String> {
        let time = now.duration_since(self.start);
        if time < self.next_notice {
            return None;
        }
        while self.next_notice <= time {
            self.next_notice *= 2;
        }
        Some(format!(
            "the kernel '{}' at {}:{} has been running for {} s: to find an endless loop, write the kernel to a file with CUBE_DUMP=folder and run `cube-run FILE --backend interp --max-steps 10000000`, which names the loop's line; set CUBE_CPU_TIME_LIMIT=SECONDS to stop such launches on the CPU",
            self.kernel,
            self.file,
            self.line,
            time.as_secs()
        ))
    }
}

/// The running launch of a thread.
type ThreadSlot = Mutex<Option<Running>>;

static THREADS: Mutex<Vec<Weak<ThreadSlot>>> = Mutex::new(Vec::new());

thread_local!(static OWN: OnceCell<Arc<ThreadSlot>> = const { OnceCell::new() });

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch and reports it if it takes long.
pub fn watched<T>(
    kernel: &'static str,
    location: (&'static str, u32),
    start: Instant,
    launch: impl FnOnce() -> T,
) -> T {
    /// Frees the slot, also after a panic.
    struct Free(Arc<ThreadSlot>);
    impl Drop for Free {
        fn drop(&mut self) {
            *locked(&self.0) = None;
        }
    }
    let slot = OWN.with(|own| own.get_or_init(register).clone());
    let (file, line) = location;
    *locked(&slot) = Some(Running { kernel, file, line, start, next_notice: FIRST_NOTICE });
    let _free = Free(slot);
    launch()
}

/// Adds a slot for this thread. The first call starts the watching thread.
fn register() -> Arc<ThreadSlot> {
    static STARTED: Once = Once::new();
    // If the thread cannot start, long launches are not reported.
    STARTED.call_once(|| drop(std::thread::Builder::new().name("cube-watch".into()).spawn(watch)));
    let slot = Arc::new(ThreadSlot::default());
    locked(&THREADS).push(Arc::downgrade(&slot));
    slot
}

fn watch() {
    loop {
        std::thread::sleep(FIRST_NOTICE / 5);
        let mut threads = locked(&THREADS);
        threads.retain(|slot| slot.strong_count() > 0);
        for slot in threads.iter().filter_map(Weak::upgrade) {
            if let Some(text) = locked(&slot).as_mut().and_then(|running| running.overdue(Instant::now())) {
                notice(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_launch_is_reported_at_doubling_intervals() {
        let start = Instant::now();
        let mut running = Running { kernel: "k", file: "src/k.rs", line: 7, start, next_notice: FIRST_NOTICE };
        let reported: Vec<u64> =
            (0..100).filter(|s| running.overdue(start + Duration::from_secs(*s)).is_some()).collect();
        assert_eq!(reported, [10, 20, 40, 80]);
        let notice = running.overdue(start + Duration::from_secs(500)).unwrap();
        assert!(notice.contains("'k' at src/k.rs:7 has been running for 500 s"), "{notice}");
    }

    #[test]
    fn a_slot_is_free_after_its_launch() {
        let now = Instant::now();
        let inside = watched("k", ("k.rs", 1), now, || OWN.with(|own| locked(own.get().unwrap()).is_some()));
        let after = OWN.with(|own| locked(own.get().unwrap()).is_some());
        assert!(inside && !after);
        let panics = || watched("k", ("k.rs", 1), now, || panic!("in the launch"));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(OWN.with(|own| locked(own.get().unwrap()).is_none()));
    }
}
