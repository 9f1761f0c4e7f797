//! Compilation of kernels before their first launch.
//!
//! ```
//! # extern crate cube_frontend as cube;
//! # pub use cube::{__private, *};
//! use cube::prelude::*;
//!
//! #[cube(launch)]
//! fn scale<F: Float>(x: &mut Array<F>, #[comptime] by: u32) {
//!     x[ABSOLUTE_POS] *= F::cast_from(by);
//! }
//!
//! fn prepare<R: Runtime>(client: &ComputeClient<R::Server>) {
//!     // An argument of 0 elements replaces an argument of any length.
//!     let none = client.empty(0);
//!     let report = client.precompile(|| {
//!         for by in [2, 3, 4] {
//!             // SAFETY: the handle has 0 elements.
//!             let x = unsafe { ArrayArg::from_raw_parts::<f32>(&none, 0, 1) };
//!             scale::launch::<f32, R>(client, CubeCount::new_1d(1), CubeDim::new_1d(256), x, by);
//!         }
//!     });
//!     for kernel in report.failures() {
//!         eprintln!("{kernel}");
//!     }
//! }
//! # fn main() {}
//! ```
use super::arguments::LaunchError;
use super::recording::{Recorded, State, record};
use super::{ComputeClient, ComputeServer};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The source from which a client took a kernel's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelOrigin {
    /// The kernel was loaded on the device before.
    Memory,
    /// A bundle.
    Bundle,
    /// The disk cache.
    Disk,
    /// The compiler.
    Compiled,
}

impl std::fmt::Display for KernelOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            KernelOrigin::Memory => "was loaded before",
            KernelOrigin::Bundle => "from a bundle",
            KernelOrigin::Disk => "from the disk cache",
            KernelOrigin::Compiled => "compiled",
        })
    }
}

/// The result of the compilation of one kernel.
#[derive(Clone, Debug)]
pub struct PrecompiledKernel {
    /// Name of the kernel.
    pub name: &'static str,
    /// Name of the kernel with its types and comptime values.
    pub instance: String,
    /// The source of the kernel's code, or the reason why the launch would fail.
    pub outcome: Result<KernelOrigin, LaunchError>,
    /// Time of compilation and loading.
    pub time: Duration,
}

impl std::fmt::Display for PrecompiledKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.outcome {
            Ok(origin) => write!(f, "{}: {origin}, {:.1?}", self.instance, self.time),
            Err(error) => write!(f, "{}: {error}", self.instance),
        }
    }
}

/// The results of the compilation of several kernels, in the order of their launches. Each kernel occurs once.
#[derive(Clone, Debug, Default)]
pub struct PrecompileReport {
    /// One entry per kernel.
    pub kernels: Vec<PrecompiledKernel>,
    /// Time of all kernels together.
    pub time: Duration,
}

impl PrecompileReport {
    /// The kernels that cannot be launched.
    pub fn failures(&self) -> impl Iterator<Item = &PrecompiledKernel> {
        self.kernels.iter().filter(|kernel| kernel.outcome.is_err())
    }

    /// Number of kernels whose code comes from `origin`.
    pub fn count(&self, origin: KernelOrigin) -> usize {
        self.kernels.iter().filter(|kernel| kernel.outcome == Ok(origin)).count()
    }
}

impl std::fmt::Display for PrecompileReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kernels.iter().try_for_each(|kernel| writeln!(f, "{kernel}"))?;
        write!(f, "{} kernels in {:.1?}", self.kernels.len(), self.time)
    }
}

/// A compilation in the background. The compilation continues if this value is dropped.
#[derive(Debug)]
pub struct WarmUp(Running);

#[derive(Debug)]
enum Running {
    Thread(JoinHandle<PrecompileReport>),
    /// The operating system did not start a thread, so the kernels were already compiled in the calling thread.
    Done(PrecompileReport),
}

impl WarmUp {
    /// Whether all kernels are compiled and loaded.
    pub fn is_done(&self) -> bool {
        match &self.0 {
            Running::Thread(thread) => thread.is_finished(),
            Running::Done(_) => true,
        }
    }

    /// Waits for the end of the compilation.
    pub fn wait(self) -> PrecompileReport {
        match self.0 {
            Running::Thread(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Running::Done(report) => report,
        }
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Compiles and loads the kernels of all launches in `launches`, several kernels at the same time. No launch in
    /// `launches` runs: the launch functions return immediately, and their outputs keep their contents. While
    /// `launches` runs, a read of an output returns an error. Only launches by the current thread are collected.
    ///
    /// A kernel depends on the types, the comptime values, the line sizes and the cube dim of its launch, and not on the
    /// lengths of its buffers. An argument of 0 elements can therefore replace a large argument.
    ///
    /// The report has the errors of invalid launches, and of kernels that do not compile. An error of one kernel does
    /// not affect other kernels.
    pub fn precompile(&self, launches: impl FnOnce()) -> PrecompileReport {
        let start = Instant::now();
        let ((), kernels) = record(launches);
        build_all(&kernels, start)
    }

    /// Like [`ComputeClient::precompile`], but compiles in the background. A launch waits only for its own kernel, not
    /// for the other kernels.
    pub fn warm_up(&self, launches: impl FnOnce()) -> WarmUp {
        let start = Instant::now();
        let ((), kernels) = record(launches);
        let kernels = Arc::new(kernels);
        let (of_thread, name) = (kernels.clone(), "cube-warm-up".to_string());
        let thread = std::thread::Builder::new().name(name).spawn(move || build_all(&of_thread, start));
        WarmUp(thread.map_or_else(|_| Running::Done(build_all(&kernels, start)), Running::Thread))
    }
}

/// Compiles and loads recorded kernels.
pub(crate) fn build_all(kernels: &[Arc<Recorded>], start: Instant) -> PrecompileReport {
    let kernels = in_parallel(kernels, build);
    PrecompileReport { kernels, time: start.elapsed() }
}

/// Calls `work` for each kernel, in as many threads as the compiler compiles kernels at the same time. The results are in the
/// order of the kernels.
pub(crate) fn in_parallel<T: Send + Sync>(kernels: &[Arc<Recorded>], work: impl Fn(&Recorded) -> T + Sync) -> Vec<T> {
    let results: Vec<OnceLock<T>> = kernels.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((kernel, result)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            kernels.get(i).zip(results.get(i))
        } {
            result.get_or_init(|| work(kernel));
        }
    };
    let unbuilt = kernels.iter().filter(|kernel| matches!(kernel.state, State::Written(_)));
    let threads = unbuilt.clone().map(|kernel| kernel.core.parallelism()).max().unwrap_or(1).min(unbuilt.count());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If the operating system does not start a thread, the other threads process the kernels of this thread.
            let _ = std::thread::Builder::new().name("cube-precompile".into()).spawn_scoped(scope, work);
        }
        work();
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

fn build(kernel: &Recorded) -> PrecompiledKernel {
    let start = Instant::now();
    let outcome = match &kernel.state {
        State::Loaded(_) => Ok(KernelOrigin::Memory),
        State::Failed(error) => Err(error.clone()),
        State::Written(written) => {
            let built = kernel.core.build(kernel.source, kernel.debug, &|| kernel.instance.clone(), written.clone());
            match built {
                Ok((loaded, origin)) => {
                    kernel.core.keep(&kernel.key, kernel.values.clone(), loaded);
                    Ok(origin)
                }
                // The text of a `CubeTask` has no location in the program.
                Err(error) if kernel.source.file.is_empty() => Err(error),
                Err(error) => Err(error.of_kernel(kernel.source.name, kernel.source.location())),
            }
        }
    };
    PrecompiledKernel { name: kernel.source.name, instance: kernel.instance.clone(), outcome, time: start.elapsed() }
}
