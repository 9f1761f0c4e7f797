//! The CPU as a device.
use crate::code::{Code, NotRun};
use crate::entry::LaunchBlock;
use crate::fault::{self, Region};
use crate::features;
use crate::limit::{self, TimeLimit};
use crate::memory::{Allocation, BUFFER_ALIGNMENT, HostMemory, machine_bytes};
use crate::workers::{Workers, threads_from_env};
use cube_artifact::Variables;
use cube_artifact::{Artifact, CodeFormat, ParamKind};
use cube_runtime::launch::{BoundLaunch, bind};
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, Device, DeviceProperties, ErrorKind, Init, Kernel, MemoryUsage, RuntimeError};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Copies of at least this many bytes use all threads.
const PARALLEL_COPY: usize = 4 << 20;

/// Bytes of scratch memory that a kernel may ask for, on each thread.
const MOST_SCRATCH: usize = 64 << 20;

/// Loaded kernels that are remembered: a program that makes ever new kernels must not fill the memory with them.
const MOST_LOADED: usize = 1024;

/// The host CPU with a pool of threads of its own.
///
/// Work is done when a call returns, so that [`Device::sync`] has nothing to wait for. The code of an artifact is trusted: it
/// runs in this process with all its rights.
pub struct CpuDevice {
    properties: DeviceProperties,
    workers: Workers,
    memory: Arc<HostMemory>,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
    guard: bool,
    catch: bool,
    limit: Option<TimeLimit>,
}

impl CpuDevice {
    /// A device with `CUBE_CPU_THREADS` threads, or one for each processor; with `CUBE_CPU_GUARD=1` buffers stand between
    /// guard pages ([`CpuDevice::guard_buffers`]), and with `CUBE_CPU_TIME_LIMIT=SECONDS` launches end
    /// ([`CpuDevice::limit_time`]). Without variables: a thread for each processor.
    ///
    /// # Errors
    /// `CUBE_CPU_THREADS` is no number of threads, `CUBE_CPU_GUARD` is neither 0 nor 1, `CUBE_CPU_TIME_LIMIT` is no time.
    pub fn new(variables: &Variables) -> Result<Self, RuntimeError> {
        let mut device = Self::with_threads(threads_from_env(variables.get("CUBE_CPU_THREADS"))?);
        device.limit = limit::from_env(variables.get("CUBE_CPU_TIME_LIMIT"))?;
        Ok(if guard_from_env(variables.get("CUBE_CPU_GUARD"))? { device.guard_buffers() } else { device })
    }

    /// From now on every buffer ends at a page that nobody may touch. A kernel that leaves its buffers, which only one without
    /// checks can, then faults at that access instead of reading or writing what belongs to others.
    ///
    /// The first byte behind a buffer is the first of that page, whatever the type of its elements. Where a kernel has a buffer
    /// aligned to more than divides its size (`cube.align`), fewer bytes than that alignment lie between the two.
    pub fn guard_buffers(mut self) -> Self {
        self.guard = true;
        self
    }

    /// Whether [`CpuDevice::catch_faults`] catches faults on this system: x86-64 Linux.
    pub const CATCHES_FAULTS: bool = fault::CATCHES;

    /// From now on a launch whose code faults fails with [`ErrorKind::Fault`]: an integer division by zero of a kernel for which
    /// nothing defines it, an access that leaves guarded buffers. Without it, a fault ends the program. What the
    /// kernel wrote till then is there. On systems where [`CpuDevice::CATCHES_FAULTS`] does not hold, nothing changes.
    ///
    /// The process gets handlers for SIGFPE, SIGSEGV, SIGBUS and SIGILL; faults of other code go to the handlers before them.
    ///
    /// # Errors
    /// The system does not take the handlers.
    pub fn catch_faults(mut self) -> Result<Self, RuntimeError> {
        fault::install()?;
        self.catch = true;
        Ok(self)
    }

    /// From now on a launch that takes longer than `time` ends with [`cube_runtime::ErrorKind::TimeLimit`] at the next turn of a loop
    /// of which nothing shows that it ends, or before its next cubes. Without a limit a loop without end holds up its launch
    /// for ever.
    pub fn limit_time(mut self, time: Duration) -> Self {
        self.limit = Some(TimeLimit::new(time));
        self
    }

    /// A device with this many threads; one thread runs everything in the caller's.
    pub fn with_threads(threads: usize) -> Self {
        let workers = Workers::new(threads);
        // Planes are as wide as the compiler makes them where the kernel does not say otherwise.
        let plane = cube_target::Target::promised("cpu", None).planes.width;
        let properties = DeviceProperties {
            backend: "cpu".into(),
            formats: vec![CodeFormat::ELF_OBJECT],
            max_cube_count: [u32::MAX; 3],
            max_cube_dim: [4096; 3],
            // What the units of a cube keep across barriers must fit the scratch memory of a thread.
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
        CpuDevice { properties, workers, memory, loaded: Mutex::default(), guard: false, catch: false, limit: None }
    }

    fn load_new(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        self.properties.loads(artifact, "cpu")?;
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
        if from.len() < PARALLEL_COPY || self.workers.threads() == 1 {
            to.copy_from_slice(from);
            return Ok(());
        }
        let chunk = 1 << 20;
        let pairs =
            || to.par_chunks_mut(chunk).zip(from.par_chunks(chunk)).for_each(|(to, from)| to.copy_from_slice(from));
        self.workers.install(pairs)
    }

    fn run(&self, artifact: &Artifact, code: &Code, bound: &BoundLaunch) -> Result<(), RuntimeError> {
        let allocations = bound.buffers.iter().map(|(buffer, _)| own(buffer)).collect::<Result<Vec<_>, _>>()?;
        let params = || artifact.params.iter().filter(|p| matches!(p.kind, ParamKind::Buffer { .. }));
        if self.guard {
            params()
                .zip(&allocations)
                .try_for_each(|(param, allocation)| allocation.align_to(alignment(&param.kind)))?;
        }
        let _guards = lock(&allocations, bound);
        let pointers: Vec<*mut c_void> =
            allocations.iter().zip(&bound.buffers).map(|(a, (buffer, _))| a.address(buffer.offset()).cast()).collect();
        let regions = || {
            let named = params().zip(&pointers).zip(&bound.buffers);
            named.map(|((param, at), (buffer, _))| (param.name.as_str(), *at as usize, buffer.size())).collect()
        };
        let block = LaunchBlock {
            buffers: pointers.as_ptr(),
            info: bound.info.as_ptr(),
            scalars: bound.scalars.as_ptr(),
            cube_count: bound.cube_count,
            stop: AtomicU32::new(0),
        };
        match &self.limit {
            None => self.run_block(code, bound, &block, &regions),
            Some(limit) => limit.watch(block, |block| self.run_block(code, bound, block, &regions)),
        }
    }

    fn run_block<'a>(
        &self,
        code: &Code,
        bound: &BoundLaunch,
        block: &LaunchBlock,
        regions: &dyn Fn() -> Vec<Region<'a>>,
    ) -> Result<(), RuntimeError> {
        // SAFETY: `bind` has built the arrays from the artifact's own declaration, every buffer is alive and as long as its
        // length in `info` says, and the guards of `run` keep other users of the written buffers out until all cubes are done.
        let run = |first, last| unsafe { code.run(block, first, last, self.catch) };
        // The first failure; no more cubes begin after it.
        let failed = OnceLock::new();
        self.workers.run(bound.cubes, &code.cost, &|first, last| {
            if failed.get().is_some() || !limit::may_begin(block) {
                return;
            }
            let mut ran = run(first, last);
            if matches!(ran, Err(NotRun::Memory)) {
                // None of these cubes has begun. The pool can hold the memory that they lack.
                self.memory.cleanup();
                ran = run(first, last);
            }
            if let Err(why) = ran {
                let _ = failed.set(why);
            }
        })?;
        match failed.into_inner() {
            None => Ok(()),
            Some(NotRun::Memory) => Err(RuntimeError::device_limit(
                "the system gives no memory for what its units share and keep across barriers: free some buffers or set CUBE_CPU_THREADS to fewer",
            )),
            Some(NotRun::Fault(caught)) => Err(RuntimeError::new(ErrorKind::Fault, caught.message(&regions()))),
        }
    }
}

/// Bytes of which the first address of a buffer is a multiple.
fn alignment(kind: &ParamKind) -> usize {
    let ParamKind::Buffer { elem, line, align, .. } = kind else { return 1 };
    (elem.size() * *line as usize).max(*align as usize)
}

/// Whether buffers are to stand between guard pages.
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
        &self.properties
    }

    fn alloc(&self, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        // Linux promises more pages than there are and kills the process that touches them all.
        if bytes > self.properties.memory_bytes {
            return Err(RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the {} bytes of memory of this machine: work in parts",
                self.properties.memory_bytes
            )));
        }
        let memory = &self.memory;
        let allocation =
            if self.guard { Allocation::guarded(memory, bytes)? } else { Allocation::new(memory, bytes, init)? };
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.memory.usage()
    }

    fn memory_cleanup(&self) {
        self.memory.cleanup();
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
            let bound = bind(artifact, args, cube_count, &self.properties)?;
            self.run(artifact, code, &bound.with_prints(prints.buffer()))?;
            prints.show(self)
        };
        launch().map_err(|error: RuntimeError| error.in_kernel(&artifact.kernel))
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        Ok(())
    }
}

fn own(buffer: &Buffer) -> Result<&Allocation, RuntimeError> {
    buffer.storage().ok_or_else(|| {
        RuntimeError::user("the buffer belongs to another device: allocate it on the cpu device and copy the data")
    })
}

/// What keeps other threads off the buffers of a launch.
#[allow(dead_code)]
enum Guard<'a> {
    Shared(RwLockReadGuard<'a, ()>),
    Exclusive(RwLockWriteGuard<'a, ()>),
}

/// Locks each allocation once, always in the order of addresses, so that no two launches wait for each other.
fn lock<'a>(allocations: &[&'a Allocation], bound: &BoundLaunch) -> Vec<Guard<'a>> {
    let writes = bound.buffers.iter().map(|(_, writes)| *writes);
    let mut wanted: Vec<(&Allocation, bool)> = allocations.iter().copied().zip(writes).collect();
    // Writers first among equals: the one that stays says what the allocation needs.
    wanted.sort_by_key(|(allocation, writes)| (std::ptr::from_ref(*allocation), !writes));
    wanted.dedup_by_key(|(allocation, _)| std::ptr::from_ref(*allocation));
    let guard = |(allocation, writes): (&'a Allocation, bool)| {
        if writes { Guard::Exclusive(allocation.exclude()) } else { Guard::Shared(allocation.share()) }
    };
    wanted.into_iter().map(guard).collect()
}
