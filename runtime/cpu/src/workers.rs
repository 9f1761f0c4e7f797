//! Distributes the cubes of a launch over threads.
use cube_runtime::RuntimeError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Expected time in nanoseconds below which moving cubes to another thread costs more than executing them.
const MIN_CHUNK_NS: f64 = 16_000.0;

/// Minimum number of chunks of cubes for each thread, if the chunks are large enough. With many chunks, the slowest
/// thread delays the end of a launch by at most the time of one small chunk.
const CHUNKS_PER_THREAD: u64 = 16;

/// Stack size of a thread in bytes. Kernels keep the local memory of a cube's units on the stack.
const STACK_BYTES: usize = 8 << 20;

/// Maximum expected time of a launch that the calling thread executes itself, in nanoseconds. The value is from a time
/// when queuing a command cost about 2 us. It costs about 0.1 us now, but a queued launch makes later launches on its buffers wait for one thread.
pub(crate) const SHORT_NS: f64 = 2_000.0;

/// The cost of one cube of a kernel, measured in the last launch.
///
/// All threads that launch the kernel read this value. The value has a separate pair of cache lines, so that a store does
/// not delay reads of the kernel's code address.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Cost {
    /// The time of a cube in nanoseconds, as the bits of an f64; 0 if unknown.
    cube_ns: AtomicU64,
    /// A hash of the buffer lengths and scalars of the measured launch.
    arguments: AtomicU64,
    /// Whether the last measured time was much longer than `cube_ns`.
    was_slow: AtomicBool,
}

impl Cost {
    /// Records the hash of the arguments of the measured launch.
    pub fn measured(&self, arguments: u64) {
        // Threads that launch one kernel share this cache line. Only stores make the threads wait for each other, so an
        // unchanged value is not stored.
        if self.arguments.load(Ordering::Relaxed) != arguments {
            self.arguments.store(arguments, Ordering::Relaxed);
        }
    }

    /// The expected time of a launch in nanoseconds. The result is `None` if the last launch had other arguments,
    /// because a loop can then take a different time.
    pub fn expected_ns(&self, cubes: u64, arguments: u64) -> Option<f64> {
        let same = self.arguments.load(Ordering::Relaxed) == arguments;
        self.cube_ns().filter(|_| same).map(|ns| ns * cubes as f64)
    }

    /// The time of a cube in nanoseconds; `None` before the first launch.
    fn cube_ns(&self) -> Option<f64> {
        let ns = f64::from_bits(self.cube_ns.load(Ordering::Relaxed));
        (ns > 0.0).then_some(ns)
    }

    /// Records the time of `cubes` cubes. A longer time than before has an effect only after two such measurements in
    /// sequence. The reason is that a thread which the system interrupts measures a long time once. A longer time of a
    /// launch that is short nevertheless has no effect, because the times of short launches vary by more than a quarter.
    fn set(&self, ns: u64, cubes: u64) {
        // The cost has a minimum above 0, because 0 means that the cost is unknown.
        let (launch_ns, ns) = (ns as f64, (ns as f64 / cubes as f64).max(1e-3));
        let before = self.cube_ns();
        let is_slow = launch_ns > SHORT_NS && before.is_some_and(|before| ns > before * 1.25);
        // The threads that launch one kernel share the cache line, so a value that does not change is not stored.
        let was_slow = self.was_slow.load(Ordering::Relaxed);
        if is_slow != was_slow {
            self.was_slow.store(is_slow, Ordering::Relaxed);
        }
        // A time that is similar to the stored time is not stored, because it changes no decision.
        if before.is_none_or(|before| ns < before * 0.75) || is_slow && was_slow {
            self.cube_ns.store(ns.to_bits(), Ordering::Relaxed);
        }
    }
}

/// A private pool of threads. The first launch that is large enough for several threads starts the pool.
pub(crate) struct Workers {
    threads: usize,
    pool: OnceLock<Result<ThreadPool, String>>,
}

impl Workers {
    pub fn new(threads: usize) -> Self {
        Workers { threads: threads.max(1), pool: OnceLock::new() }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `run` with disjoint ranges that cover `0..cubes`. The method returns after all calls have ended.
    pub fn run(&self, cubes: u64, cost: &Cost, run: &(dyn Fn(u64, u64) + Sync)) -> Result<(), RuntimeError> {
        if cubes == 0 {
            return Ok(());
        }
        if self.threads == 1 || cubes == 1 {
            let start = Instant::now();
            run(0, cubes);
            cost.set(elapsed_ns(start), cubes);
            return Ok(());
        }
        let (done, ns) = self.run_inline(cubes, cost, run);
        if done < cubes { self.run_parallel(done, cubes, ns.or(cost.cube_ns()), cost, run) } else { Ok(()) }
    }

    /// Runs cubes on this thread while the launch is expected to be short. Returns the number of cubes that have
    /// completed, and the time of one of them in nanoseconds.
    fn run_inline(&self, cubes: u64, cost: &Cost, run: &(dyn Fn(u64, u64) + Sync)) -> (u64, Option<f64>) {
        let expected = cost.cube_ns().map_or(f64::INFINITY, |ns| ns * cubes as f64);
        if expected > 2.0 * MIN_CHUNK_NS {
            return (0, None);
        }
        // With other arguments, the kernel can be much slower. The function therefore compares the measured time with
        // the expected time after each quarter of the cubes.
        let start = Instant::now();
        let step = cubes.div_ceil(4);
        let (mut done, mut cube_ns) = (0, None);
        while done < cubes {
            let end = cubes.min(done.saturating_add(step));
            run(done, end);
            done = end;
            let ns = elapsed_ns(start);
            cost.set(ns, done);
            cube_ns = Some(ns as f64 / done as f64);
            if ns as f64 > 4.0 * MIN_CHUNK_NS {
                break;
            }
        }
        (done, cube_ns)
    }

    /// Runs cubes on all threads. `cube_ns` is the expected time of a cube in nanoseconds.
    fn run_parallel(
        &self,
        first: u64,
        last: u64,
        cube_ns: Option<f64>,
        cost: &Cost,
        run: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<(), RuntimeError> {
        let cubes = last - first;
        let worth_it = cube_ns.map_or(1.0, |ns| (MIN_CHUNK_NS / ns).ceil());
        let chunk_size = cubes.div_ceil(CHUNKS_PER_THREAD * self.threads as u64).max(worth_it as u64).max(1);
        let spent = AtomicU64::new(0);
        let timed = |first: u64, last: u64| {
            let start = Instant::now();
            run(first, last);
            spent.fetch_add(elapsed_ns(start), Ordering::Relaxed);
        };
        self.install(|| split(first, last, chunk_size, &timed))?;
        cost.set(spent.into_inner(), cubes);
        Ok(())
    }

    /// Runs a function on the pool and waits for it.
    pub fn install(&self, run: impl FnOnce() + Send) -> Result<(), RuntimeError> {
        let pool = self.pool()?;
        if rayon::current_thread_index().is_none() {
            pool.install(run);
            return Ok(());
        }
        // While a thread of the caller's own rayon pool waits, it executes other tasks of that pool. If such a task
        // used a buffer that this launch has locked, the thread would wait for itself. A separate thread therefore
        // waits for the launch.
        std::thread::scope(|scope| {
            let waiting = std::thread::Builder::new().name("cube-cpu-wait".into());
            let thread = waiting.spawn_scoped(scope, || pool.install(run)).map_err(|error| {
                RuntimeError::device_limit(format!("the system cannot start more threads ({error}); end other threads"))
            })?;
            thread
                .join()
                .map_err(|_| RuntimeError::device_limit("a thread of the pool has panicked; start the program again"))
        })
    }

    fn pool(&self) -> Result<&ThreadPool, RuntimeError> {
        let start = || {
            let builder = ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK_BYTES);
            builder.thread_name(|n| format!("cube-cpu-{n}")).build().map_err(|error| error.to_string())
        };
        self.pool.get_or_init(start).as_ref().map_err(|error| {
            RuntimeError::device_limit(format!(
                "the system does not start {} threads ({error}); set CUBE_CPU_THREADS to fewer",
                self.threads
            ))
        })
    }
}

fn elapsed_ns(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Splits the range in halves until its length is at most `chunk_size`; idle threads take halves from busy
/// threads.
fn split(first: u64, last: u64, chunk_size: u64, run: &(dyn Fn(u64, u64) + Sync)) {
    if last - first <= chunk_size {
        return run(first, last);
    }
    let middle = first + (last - first) / 2;
    rayon::join(|| split(first, middle, chunk_size, run), || split(middle, last, chunk_size, run));
}

/// The number of threads that `CUBE_CPU_THREADS` requests; if it is not set, the number that the system
/// reports.
pub(crate) fn threads_from_env(value: Option<&std::ffi::OsStr>) -> Result<usize, RuntimeError> {
    let Some(value) = value else {
        return Ok(std::thread::available_parallelism().map_or(1, usize::from));
    };
    let threads = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|n| (1..=4096).contains(n));
    threads.ok_or_else(|| {
        RuntimeError::environment(format!(
            "CUBE_CPU_THREADS is '{}', which is not a number of threads from 1 to 4096; set the variable to such a number, or unset the variable",
            value.to_string_lossy()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Checks that each cube runs exactly once, and returns the number of calls.
    fn calls(workers: &Workers, cubes: u64, cost: &Cost, wait_ns: u64) -> usize {
        let seen = Mutex::new(Vec::new());
        let run = |first, last| {
            assert!(first < last);
            seen.lock().unwrap().push((first, last));
            std::thread::sleep(std::time::Duration::from_nanos(wait_ns));
        };
        workers.run(cubes, cost, &run).unwrap();
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        let mut next = 0;
        for &(first, last) in &seen {
            assert_eq!(first, next, "a gap or an overlap in {seen:?}");
            next = last;
        }
        assert_eq!(next, cubes);
        seen.len()
    }

    #[test]
    fn every_cube_runs_once_for_any_thread_and_cube_count() {
        for threads in [1, 2, 3] {
            let workers = Workers::new(threads);
            for cubes in [1, 2, 3, 7, 64, 1000, 12345, u64::MAX] {
                let cost = Cost::default();
                calls(&workers, cubes, &cost, 0);
                // Runs again with the known cost.
                calls(&workers, cubes, &cost, 0);
            }
        }
    }

    #[test]
    fn similar_times_are_not_stored_and_other_times_are() {
        let cost = Cost::default();
        let times = [(10_000, 1000.0), (11_000, 1000.0), (13_000, 1000.0), (13_000, 1300.0), (10_000, 1300.0)];
        for (ns, expected) in times.into_iter().chain([(90_000, 1300.0), (9000, 900.0)]) {
            cost.set(ns, 10);
            assert_eq!(cost.cube_ns(), Some(expected), "{ns}");
        }
        cost.measured(7);
        assert_eq!((cost.expected_ns(2, 7), cost.expected_ns(2, 8)), (Some(1800.0), None));
    }

    #[test]
    fn varying_times_of_short_launches_store_nothing() {
        let cost = Cost::default();
        for (ns, cubes) in [(100, 1), (1900, 1), (1900, 1), (2000, 16), (400, 1), (400, 1)] {
            cost.set(ns, cubes);
            assert_eq!((cost.cube_ns(), cost.was_slow.load(Ordering::Relaxed)), (Some(100.0), false), "{ns}");
        }
        // A launch that is not short is stored, if it is slow twice.
        cost.set(50_000, 16);
        assert_eq!((cost.cube_ns(), cost.was_slow.load(Ordering::Relaxed)), (Some(100.0), true));
        cost.set(50_000, 16);
        assert_eq!(cost.cube_ns(), Some(3125.0));
    }

    #[test]
    fn a_single_long_time_is_ignored_and_two_are_not() {
        let cost = Cost::default();
        for (ns, expected) in [(10, 10.0), (5000, 10.0), (10, 10.0), (5000, 10.0), (5000, 5000.0), (10, 10.0)] {
            cost.set(ns, 1);
            assert_eq!(cost.cube_ns(), Some(expected), "{ns}");
        }
    }

    #[test]
    fn one_thread_and_one_cube_run_in_one_call() {
        assert_eq!(calls(&Workers::new(1), 1_000_000, &Cost::default(), 0), 1);
        assert_eq!(calls(&Workers::new(4), 1, &Cost::default(), 0), 1);
    }

    #[test]
    fn unknown_and_long_launches_are_split_and_short_ones_are_not() {
        let workers = Workers::new(2);
        let unknown = Cost::default();
        assert_eq!(calls(&workers, 1 << 20, &unknown, 0), 32);
        let long = Cost::default();
        long.set(1_000_000, 1);
        assert!(calls(&workers, 100, &long, 0) >= 25);
        // The machine can interrupt a single launch, but not all launches.
        let short = || {
            let cost = Cost::default();
            cost.set(10, 1);
            calls(&workers, 100, &cost, 0) <= 4
        };
        assert!((0..1000).any(|_| short()));
    }

    #[test]
    fn a_launch_longer_than_expected_leaves_this_thread() {
        let cost = Cost::default();
        cost.set(10, 1);
        // The first quarter of the cubes takes 1 ms instead of 250 ns. The remaining 75 cubes are then divided among
        // the threads.
        assert!(calls(&Workers::new(2), 100, &cost, 1_000_000) > 4);
    }

    #[test]
    fn thread_count_is_parsed_or_rejected_with_a_fix() {
        let read = |text: &str| threads_from_env(Some(text.as_ref()));
        assert_eq!(read("3"), Ok(3));
        assert!(threads_from_env(None).unwrap() >= 1);
        for text in ["0", "-1", "many", "", "4097", "1.5"] {
            let error = read(text).expect_err(text);
            assert!(error.message.starts_with(&format!("CUBE_CPU_THREADS is '{text}'")), "{error}");
        }
    }
}
