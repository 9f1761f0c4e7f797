//! Launches that do not come back: a kernel with a loop that never ends holds up the thread that launched it, and where no limit is
//! set (`CUBE_CPU_TIME_LIMIT`, on the CPU) nothing ends it without the program. So the program is told which kernel it waits for.
use super::variables::notice;
use std::cell::OnceCell;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

/// After this time a launch is told of; each next time is twice as long.
const PATIENCE: Duration = Duration::from_secs(10);

/// A launch that runs.
#[derive(Clone, Copy)]
struct Running {
    kernel: &'static str,
    file: &'static str,
    line: u32,
    start: Instant,
    /// When it is told of next.
    patience: Duration,
}

impl Running {
    /// What to say of it at a time, if anything.
    fn overdue(&mut self, now: Instant) -> Option<String> {
        let time = now.duration_since(self.start);
        if time < self.patience {
            return None;
        }
        while self.patience <= time {
            self.patience *= 2;
        }
        Some(format!(
            "the kernel '{}' at {}:{} has been running for {} s: if a loop of it never ends, CUBE_DUMP=folder writes it down, and `cube-run FILE --backend interp --max-steps 10000000` gives up in that loop and names its line, and CUBE_CPU_TIME_LIMIT=SECONDS ends such launches on the CPU",
            self.kernel,
            self.file,
            self.line,
            time.as_secs()
        ))
    }
}

/// What a thread runs.
type Slot = Mutex<Option<Running>>;

static THREADS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

thread_local!(static OWN: OnceCell<Arc<Slot>> = const { OnceCell::new() });

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch under watch.
pub fn watched<T>(kernel: &'static str, place: (&'static str, u32), start: Instant, launch: impl FnOnce() -> T) -> T {
    /// The slot is free again, also where the launch panics.
    struct Free(Arc<Slot>);
    impl Drop for Free {
        fn drop(&mut self) {
            *locked(&self.0) = None;
        }
    }
    let slot = OWN.with(|own| own.get_or_init(register).clone());
    let (file, line) = place;
    *locked(&slot) = Some(Running { kernel, file, line, start, patience: PATIENCE });
    let _free = Free(slot);
    launch()
}

/// A slot for this thread; the first one starts who looks at them.
fn register() -> Arc<Slot> {
    static STARTED: Once = Once::new();
    // Without a thread nobody is told, and all else is the same.
    STARTED.call_once(|| drop(std::thread::Builder::new().name("cube-watch".into()).spawn(watch)));
    let slot = Arc::new(Slot::default());
    locked(&THREADS).push(Arc::downgrade(&slot));
    slot
}

fn watch() {
    loop {
        std::thread::sleep(PATIENCE / 5);
        let mut threads = locked(&THREADS);
        threads.retain(|slot| slot.strong_count() > 0);
        for slot in threads.iter().filter_map(Weak::upgrade) {
            if let Some(said) = locked(&slot).as_mut().and_then(|running| running.overdue(Instant::now())) {
                notice(said);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_told_of_when_it_takes_long_and_then_more_rarely() {
        let start = Instant::now();
        let mut running = Running { kernel: "k", file: "src/k.rs", line: 7, start, patience: PATIENCE };
        let told: Vec<u64> = (0..100).filter(|s| running.overdue(start + Duration::from_secs(*s)).is_some()).collect();
        assert_eq!(told, [10, 20, 40, 80]);
        let said = running.overdue(start + Duration::from_secs(500)).unwrap();
        assert!(said.contains("'k' at src/k.rs:7 has been running for 500 s"), "{said}");
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
