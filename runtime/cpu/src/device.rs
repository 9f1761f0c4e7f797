//! The CPU as a device.
use crate::code::Code;
use crate::fault;
use crate::features;
use crate::launch::Launcher;
use crate::limit::{self, TimeLimit};
use crate::memory::{Allocation, BUFFER_ALIGNMENT, HostMemory, machine_bytes, own};
use crate::workers::{Workers, threads_from_env};
use cube_artifact::Variables;
use cube_artifact::{Artifact, CodeFormat};
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, Device, DeviceProperties, Init, Kernel, MemoryUsage, RuntimeError};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Copies of at least this many bytes use all threads.
const PARALLEL_COPY: usize = 4 << 20;

/// Maximum bytes of scratch memory of a kernel, on each thread.
const MOST_SCRATCH: usize = 64 << 20;

/// Maximum loaded kernels that are remembered, so that a program with ever new kernels does not fill the memory.
const MOST_LOADED: usize = 1024;

/// The host CPU with its own pool of threads.
///
/// Work is complete when a call returns, so [`Device::sync`] does not wait. The code of an artifact is trusted: it runs
/// in this process with all its rights.
pub struct CpuDevice {
    launcher: Launcher,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
}

impl CpuDevice {
    /// A device with `CUBE_CPU_THREADS` threads, or one for each processor. `CUBE_CPU_GUARD=1` puts buffers between
    /// guard pages ([`CpuDevice::guard_buffers`]), and `CUBE_CPU_TIME_LIMIT=SECONDS` limits launches
    /// ([`CpuDevice::limit_time`]). Without variables, the device has a thread for each processor.
    ///
    /// # Errors
    /// `CUBE_CPU_THREADS` is not a number of threads, `CUBE_CPU_GUARD` is neither 0 nor 1, `CUBE_CPU_TIME_LIMIT` is not a time.
    pub fn new(variables: &Variables) -> Result<Self, RuntimeError> {
        let mut device = Self::with_threads(threads_from_env(variables.get("CUBE_CPU_THREADS"))?);
        device.launcher.limit = limit::from_env(variables.get("CUBE_CPU_TIME_LIMIT"))?;
        Ok(if guard_from_env(variables.get("CUBE_CPU_GUARD"))? { device.guard_buffers() } else { device })
    }

    /// Makes every later buffer end at an inaccessible page. A kernel without checks that leaves its buffers then
    /// faults at that access, instead of reading or writing foreign memory.
    ///
    /// The first byte after a buffer is the first byte of that page, for any element type. If a kernel requires a
    /// larger alignment than the buffer's size allows (`cube.align`), fewer bytes than that alignment are between the
    /// two.
    pub fn guard_buffers(mut self) -> Self {
        self.launcher.guard = true;
        self
    }

    /// Whether [`CpuDevice::catch_faults`] catches faults on this system: x86-64 Linux.
    pub const CATCHES_FAULTS: bool = fault::CATCHES;

    /// Makes a later launch whose code faults fail with [`ErrorKind::Fault`]: for example an undefined integer division
    /// by zero, or an access that leaves guarded buffers. Without this setting a fault ends the program. The kernel's
    /// writes up to the fault remain. On systems without [`CpuDevice::CATCHES_FAULTS`] the setting has no effect.
    ///
    /// The process gets handlers for SIGFPE, SIGSEGV, SIGBUS and SIGILL; faults of other code go to the previous
    /// handlers.
    ///
    /// # Errors
    /// The system refuses the handlers.
    pub fn catch_faults(mut self) -> Result<Self, RuntimeError> {
        fault::install()?;
        self.launcher.catch = true;
        Ok(self)
    }

    /// A launch that takes longer than `time` ends with [`cube_runtime::ErrorKind::TimeLimit`]. It ends at the next
    /// iteration of a loop that is not proven to terminate, or before its next cubes. Without a limit an infinite loop
    /// never ends its launch.
    pub fn limit_time(mut self, time: Duration) -> Self {
        self.launcher.limit = Some(TimeLimit::new(time));
        self
    }

    /// A device with this many threads; with one thread, all cubes run on the caller's thread.
    pub fn with_threads(threads: usize) -> Self {
        let workers = Workers::new(threads);
        // Planes are as wide as the compiler makes them where the kernel does not say otherwise.
        let plane = cube_target::Target::promised("cpu", None).planes.width;
        let properties = DeviceProperties {
            backend: "cpu".into(),
            formats: vec![CodeFormat::ELF_OBJECT],
            max_cube_count: [u32::MAX; 3],
            max_cube_dim: [4096; 3],
            // The live values of a cube's units across barriers must fit the scratch memory of a thread.
            max_units_per_cube: 4096,
            max_shared_bytes: 256 << 10,
            memory_bytes: machine_bytes(),
            buffer_alignment: BUFFER_ALIGNMENT as u32,
            parallel_cubes: workers.threads() as u32,
            plane_dim: [plane; 2],
            processors: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
            load_bits: features::load_bits(),
            cache_bytes: features::cache_bytes(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            features: features::all(),
        };
        let memory = HostMemory::new(properties.memory_bytes);
        let launcher = Launcher { properties, workers, memory, guard: false, catch: false, limit: None };
        CpuDevice { launcher, loaded: Mutex::default() }
    }

    fn load_new(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        self.launcher.properties.loads(artifact, "cpu")?;
        artifact.check().map_err(|rule| {
            RuntimeError::invalid_artifact(format!("{rule}: compile it again with the matching cubec"))
        })?;
        features::check(&artifact.features)?;
        let scratch = usize::try_from(artifact.scratch_bytes).unwrap_or(usize::MAX);
        if scratch > MOST_SCRATCH {
            return Err(RuntimeError::device_limit(format!(
                "its cubes need {scratch} bytes of memory for what units share and keep across barriers, the limit is {MOST_SCRATCH}: use smaller cubes or less shared memory"
            )));
        }
        let code = Code::load(&artifact.code, &artifact.entry, scratch)?;
        Ok(Kernel::new(Arc::new(artifact.clone()), Arc::new(code)))
    }

    fn copy(&self, from: &[u8], to: &mut [u8]) -> Result<(), RuntimeError> {
        if from.len() < PARALLEL_COPY || self.launcher.workers.threads() == 1 {
            to.copy_from_slice(from);
            return Ok(());
        }
        let chunk = 1 << 20;
        let pairs =
            || to.par_chunks_mut(chunk).zip(from.par_chunks(chunk)).for_each(|(to, from)| to.copy_from_slice(from));
        self.launcher.workers.install(pairs)
    }
}

/// Whether buffers are placed between guard pages.
fn guard_from_env(value: Option<&std::ffi::OsStr>) -> Result<bool, RuntimeError> {
    match value.map(|value| value.to_string_lossy()).as_deref() {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(RuntimeError::environment(format!(
            "CUBE_CPU_GUARD is '{other}': set it to 1 for buffers between guard pages, or unset it"
        ))),
    }
}

impl Device for CpuDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.launcher.properties
    }

    fn alloc(&self, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        // Linux promises more pages than there are and kills the process that touches them all.
        if bytes > self.launcher.properties.memory_bytes {
            return Err(RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the {} bytes of memory of this machine: work in parts",
                self.launcher.properties.memory_bytes
            )));
        }
        let memory = &self.launcher.memory;
        let allocation = if self.launcher.guard {
            Allocation::guarded(memory, bytes)?
        } else {
            Allocation::new(memory, bytes, init)?
        };
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.launcher.memory.usage()
    }

    fn memory_cleanup(&self) {
        self.launcher.memory.cleanup();
    }

    fn write(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        own(buffer)?.write(range, |bytes| self.copy(data, bytes))
    }

    fn read(&self, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, out.len() as u64)?;
        own(buffer)?.read(range, |bytes| self.copy(bytes, out))
    }

    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        let key = artifact.content_hash();
        if let Some(kernel) = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = self.load_new(artifact).map_err(|error| error.in_kernel(&artifact.kernel))?;
        // Two threads that load the same kernel at once get the same code in the end.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        // Kernels in use are kept by their users; the rest is quickly loaded again.
        if loaded.len() >= MOST_LOADED {
            loaded.clear();
        }
        Ok(loaded.entry(key).or_insert(kernel).clone())
    }

    fn launch_kernel(&self, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        let artifact = kernel.artifact();
        let launch = || {
            let code: &Code = kernel
                .code()
                .ok_or_else(|| RuntimeError::user("it was loaded by another device: load it on this one"))?;
            let prints = Prints::new(self, artifact)?;
            self.launcher.run(kernel, code, args, cube_count, prints.buffer())?;
            prints.show(self)
        };
        launch().map_err(|error: RuntimeError| error.in_kernel(&artifact.kernel))
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        Ok(())
    }
}
