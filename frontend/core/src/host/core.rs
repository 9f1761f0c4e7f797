//! A device with its compiler and its loaded kernels.
use super::arguments::{BuildKeyHasher, LaunchError, Named, StoredValue, Written, values_match};
use super::bundles::Bundles;
use super::config::{CompilationLogLevel, GlobalConfig, LogWriter, ProfilingLogLevel};
use super::counters::DeviceCounters;
use super::graph::Recorder;
use super::long_launches::{SourceNumber, number_of};
use super::memory::MemoryUsage;
use super::numbered::Numbered;
use super::precompile::KernelOrigin;
use super::reports::ReportRequests;
use super::timeline::{Span, Timeline};
use super::variables::{notice, variables};
use super::{Features, Handle};
use cube_artifact::cost::Profile;
use cube_artifact::{Artifact, BufferAccess, CompileOptions, Compiler, ParamKind, Target};
use cube_runtime::cache::KernelCache;
use cube_runtime::{Device, Kernel, Queue};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

/// Maximum number of cached kernels. A full cache is emptied before the next kernel is added.
const MAX_KERNELS: usize = 4096;

/// A device with its compiler and its loaded kernels.
pub struct Core {
    /// The device that runs the kernels.
    pub device: Box<dyn Device>,
    /// Target of compilation.
    pub target: Target,
    /// Features of the device.
    pub features: Features,
    compiler: Arc<dyn Compiler>,
    kernels: RwLock<Kernels>,
    numbered: Numbered,
    /// The number of the device among all devices of the process.
    number: u64,
    /// Whether launches can repeat earlier ones: nothing observes single launches.
    repeats: bool,
    requests: ReportRequests,
    /// Configuration of the program.
    pub config: Arc<GlobalConfig>,
    log: LogWriter,
    disk: Option<KernelCache>,
    pub(super) bundles: Bundles,
    pub(super) counters: DeviceCounters,
    /// The timeline of the program, with the number of this device in it.
    pub(super) timeline: Option<(Arc<Timeline>, u64)>,
}

/// A device with the queue to which a client submits its commands.
#[derive(Clone)]
pub struct Session {
    /// The device and its loaded kernels.
    pub core: Arc<Core>,
    /// The queue that receives the commands.
    pub queue: Queue,
    /// The recording that receives launches and copies instead of the queue, if the client records a graph.
    pub(super) recorder: Option<Arc<Recorder>>,
}

impl std::ops::Deref for Session {
    type Target = Core;
    fn deref(&self) -> &Core {
        &self.core
    }
}

/// A kernel that is loaded on the device.
pub struct LoadedKernel {
    /// The kernel as the device's runtime represents it.
    pub kernel: Kernel,
    /// Name of the kernel in the program, and location of its definition.
    pub source: KernelSource,
    /// One flag per argument: whether the kernel writes the argument.
    pub writes: Vec<bool>,
    /// The hash of the kernel's text. See [`hash_of_text`].
    pub(crate) text_hash: [u8; 32],
    /// The number of `source` for notices.
    pub(super) notice: SourceNumber,
    /// The number of the kernel on its device, if it has one.
    pub(super) number: OnceLock<u32>,
}

impl LoadedKernel {
    /// Whether the kernel accesses an argument, and does not only read its length, shape and strides.
    pub(crate) fn accesses(&self, argument: usize) -> bool {
        let kind = self.kernel.artifact().params.get(argument).map(|param| &param.kind);
        !matches!(kind, Some(ParamKind::Buffer { access: BufferAccess::Unaccessed, .. }))
    }
}

/// A hash of the text that the compiler receives for a kernel.
pub(crate) fn hash_of_text(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Name of a kernel in the program, with the file and line of its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// Name of the kernel.
    pub name: &'static str,
    /// File of the kernel's definition.
    pub file: &'static str,
    /// Line of the kernel's definition.
    pub line: u32,
}

impl KernelSource {
    /// Location of the kernel's definition.
    pub fn location(&self) -> cube_artifact::SourceLocation {
        cube_artifact::SourceLocation { file: self.file.into(), line: self.line, column: 1 }
    }
}

/// The properties of a launch that identify its kernel.
pub struct KernelRequest<'a> {
    /// The words of the kernel's key.
    pub key: &'a [u64],
    /// Name of the kernel in the program, and location of its definition.
    pub source: KernelSource,
    /// The comptime values that the host passes. The comptime values distinguish kernels with equal keys.
    pub values: &'a [Named<'a>],
    /// Whether the kernel is compiled for a debugger.
    pub debug: bool,
    /// The kernel's name with its types and values, for reports.
    pub instance: &'a dyn Fn() -> String,
}

/// The kernels that share one key. Each kernel is stored with the comptime values for which it was compiled.
type KernelsOfKey = Vec<(Vec<StoredValue>, Arc<LoadedKernel>)>;

/// The cache of loaded kernels.
#[derive(Default)]
struct Kernels {
    by_key: HashMap<Box<[u64]>, Arc<KernelsOfKey>, BuildKeyHasher>,
    count: usize,
}

impl Kernels {
    fn keep(&mut self, key: &[u64], values: Vec<StoredValue>, loaded: Arc<LoadedKernel>) {
        if self.count >= MAX_KERNELS {
            *self = Self::default();
        }
        self.count += 1;
        Arc::make_mut(self.by_key.entry(key.into()).or_default()).push((values, loaded));
    }
}

impl Session {
    /// Whether a launch can repeat an earlier one. Observed and recorded launches are submitted one by one.
    #[inline]
    pub(super) fn repeats(&self) -> bool {
        let is_traced = tracing::level_filters::LevelFilter::current() >= tracing::level_filters::LevelFilter::TRACE;
        self.core.repeats && self.recorder.is_none() && !is_traced
    }
}

impl Core {
    /// A device with a compiler for its target.
    pub fn new(device: Box<dyn Device>, target: Target, compiler: Arc<dyn Compiler>) -> Self {
        let requests = ReportRequests::of_variables(variables());
        let features = Features::of(&target);
        let config = GlobalConfig::get();
        let compiler_file = cube_runtime::child::installed(variables());
        let limit = KernelCache::limit_of(variables()).unwrap_or_else(|error| {
            notice(error);
            cube_runtime::cache::DEFAULT_LIMIT
        });
        let disk = config.compilation.cache.as_ref();
        let disk = disk.map(|cache| KernelCache::new(cache.root(variables()), compiler_file).limit(limit));
        if config.memory != Default::default()
            && let Err(error) = device.limit_memory(config.memory)
        {
            notice(error);
        }
        let (kernels, log) = (RwLock::default(), LogWriter::default());
        let bundles = Bundles::open(&config.compilation.bundles);
        let timeline = super::timeline::of_process().map(|timeline| {
            let number = timeline.add_device(device.name());
            (timeline, number)
        });
        let counters = DeviceCounters::default();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (number, numbered) = (NEXT.fetch_add(1, Ordering::Relaxed), Numbered::default());
        let logs = config.profiling.logger.level != ProfilingLogLevel::Disabled;
        let repeats = device.repeats() && timeline.is_none() && !logs;
        Core {
            device,
            target,
            features,
            compiler,
            kernels,
            numbered,
            number,
            repeats,
            requests,
            config,
            log,
            disk,
            bundles,
            counters,
            timeline,
        }
    }

    /// Wraps a buffer of this device in a handle.
    pub fn handle(&self, buffer: cube_runtime::Buffer) -> Handle {
        Handle::new(buffer)
    }

    /// Memory usage of the device.
    pub(super) fn memory_usage(&self) -> MemoryUsage {
        self.device.memory_usage().into()
    }

    /// Returns the kernel that a request describes. If the cache does not contain the kernel, the call
    /// builds, compiles and loads the kernel.
    ///
    /// # Errors
    /// The kernel is invalid, or compilation or loading failed.
    pub fn kernel(
        &self,
        request: &KernelRequest<'_>,
        write: impl FnOnce() -> Result<Written, LaunchError>,
    ) -> Result<Arc<LoadedKernel>, LaunchError> {
        if let Some(cached) = self.find(request) {
            return Ok(cached);
        }
        let _prepare = self.span("prepare", request.source.name);
        let written = write()?;
        let (loaded, _) = self.build(request.source, request.debug, request.instance, written)?;
        // Another thread can have compiled the same kernel in the meantime.
        if let Some(cached) = self.find(request) {
            return Ok(cached);
        }
        self.keep(request.key, request.values.iter().map(|(_, value)| value.keep()).collect(), loaded.clone());
        Ok(loaded)
    }

    fn kernels(&self) -> RwLockReadGuard<'_, Kernels> {
        self.kernels.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loaded kernel that a request describes, if any.
    pub(super) fn find(&self, request: &KernelRequest<'_>) -> Option<Arc<LoadedKernel>> {
        let kernels = self.kernels();
        let same_key = kernels.by_key.get(request.key)?;
        if request.values.is_empty() {
            // This comparison calls no code of the program. All threads share the reference counts, so only one is changed.
            return same_key.iter().find(|(values, _)| values.is_empty()).map(|(_, loaded)| loaded.clone());
        }
        // The comparison calls the program's `Eq` without holding the lock, because the program's code can call this
        // function again.
        let same_key = same_key.clone();
        drop(kernels);
        same_key.iter().find(|(values, _)| values_match(request.values, values)).map(|(_, loaded)| loaded.clone())
    }

    /// Stores a loaded kernel under its key and comptime values.
    pub(super) fn keep(&self, key: &[u64], values: Vec<StoredValue>, loaded: Arc<LoadedKernel>) {
        self.numbered.add(&loaded);
        self.kernels.write().unwrap_or_else(PoisonError::into_inner).keep(key, values, loaded);
    }

    /// The number of the device among all devices of the process.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The kernel with a number.
    #[inline]
    pub(super) fn numbered(&self, number: u32) -> Option<&Arc<LoadedKernel>> {
        self.numbered.get(number)
    }

    /// The number of kernels that the compiler compiles at the same time.
    pub(crate) fn parallelism(&self) -> usize {
        self.compiler.parallelism()
    }

    /// Compiles a kernel or takes its code from a bundle or the disk cache, and loads the kernel on the device.
    ///
    /// # Errors
    /// The kernel is invalid, or compilation or loading failed.
    pub(super) fn build(
        &self,
        source: KernelSource,
        debug: bool,
        instance: &dyn Fn() -> String,
        written: Written,
    ) -> Result<(Arc<LoadedKernel>, KernelOrigin), LaunchError> {
        let start = Instant::now();
        let (text, options) = (written.text.as_bytes(), self.options(source, debug, instance, &written)?);
        let load = |artifact: &Artifact| {
            let _span = tracing::debug_span!("load", kernel = source.name).entered();
            let _slice = self.span("load", source.name);
            self.device.load(artifact)
        };
        let (artifact, kernel, origin) = match self.bundles.load(load, text, &self.target, &options) {
            Some((artifact, kernel)) => (artifact, kernel, KernelOrigin::Bundle),
            None => {
                let (artifact, origin) = self.compiled(source, text, &options)?;
                let kernel = load(&artifact)?;
                (artifact, kernel, origin)
            }
        };
        self.counters.kernel(origin);
        let logger = &self.config.compilation.logger;
        if logger.level >= CompilationLogLevel::Basic {
            let what = if origin == KernelOrigin::Compiled { "compiled" } else { "loaded" };
            let (instance, time) = (instance(), start.elapsed());
            self.log.write(logger, &format!("{what} kernel {instance} for {} in {time:.1?}", self.target));
        }
        if logger.level >= CompilationLogLevel::Full {
            self.log.write(logger, &written.text);
        }
        let writes = artifact
            .params
            .iter()
            .map(|p| matches!(p.kind, ParamKind::Buffer { access, .. } if access.writes()))
            .collect();
        let text_hash = hash_of_text(&written.text);
        let (notice, number) = (number_of(source), OnceLock::new());
        Ok((Arc::new(LoadedKernel { kernel, source, writes, text_hash, notice, number }), origin))
    }

    /// The cost profile of a kernel, without code generation. `None` if the compiler has no profile for the target, for code
    /// for a debugger, and for an invalid kernel, whose compilation reports the error.
    pub(crate) fn profile(&self, source: KernelSource, debug: bool, written: &Written) -> Option<Profile> {
        let debug = debug || CompileOptions::debug_of(variables()).unwrap_or(true);
        if debug {
            return None;
        }
        let options = CompileOptions { file_name: Some(format!("{}.mlir", source.name)), ..CompileOptions::default() };
        self.compiler.profile(written.text.as_bytes(), &self.target, &options).ok().flatten()
    }

    /// A call of the host on the timeline, if the program has one.
    pub(super) fn span(&self, kind: &'static str, name: &str) -> Option<Span<'_>> {
        self.timeline.as_ref().map(|(timeline, _)| timeline.span(kind, name, None))
    }

    /// Name and location of a loaded kernel. `None` if the cache has been emptied since the kernel was loaded.
    pub(super) fn source_of(&self, kernel: &Kernel) -> Option<KernelSource> {
        let kernels = self.kernels();
        let mut all = kernels.by_key.values().flat_map(|same_key| same_key.iter());
        all.find(|(_, loaded)| loaded.kernel.is(kernel)).map(|(_, loaded)| loaded.source)
    }

    /// The options of a kernel's compilation.
    fn options(
        &self,
        source: KernelSource,
        debug: bool,
        instance: &dyn Fn() -> String,
        written: &Written,
    ) -> Result<CompileOptions, LaunchError> {
        let mut reports = self.requests.reports(source.name, instance, &written.text, &self.target);
        if reports.explain {
            reports.notes = written.notes.clone();
        }
        self.requests.begin(&reports, &written.text)?;
        let debug = CompileOptions::debug_of(variables())? || debug;
        let file_name = Some(format!("{}.mlir", source.name));
        let folder = if debug { variables().folder().display().to_string() } else { String::new() };
        Ok(CompileOptions { kernel: None, params: Vec::new(), file_name, debug, folder, reports })
    }

    /// Compiles the kernel's text, or loads its artifact from the disk cache.
    fn compiled(
        &self,
        source: KernelSource,
        text: &[u8],
        options: &CompileOptions,
    ) -> Result<(Artifact, KernelOrigin), LaunchError> {
        let _span = tracing::debug_span!("compile", kernel = source.name, target = %self.target).entered();
        let _slice = self.span("compile", source.name);
        // Kernels with reports are neither read from the disk cache nor stored in it. Cached code has no reports, and
        // code from edited files must not be cached.
        let disk = self.disk.as_ref().filter(|_| options.reports.is_empty());
        if let Some(artifact) = disk.and_then(|disk| disk.load(text, &self.target, options)) {
            return Ok((artifact, KernelOrigin::Disk));
        }
        let (artifact, report) = self.compiler.compile_and_report(text, &self.target, options)?;
        if !report.is_empty() {
            notice(report.trim_end_matches('\n'));
        }
        if let Some(disk) = disk
            && let Err(error) = disk.store(text, &self.target, options, &artifact)
        {
            self.log.write(&self.config.compilation.logger, &error.to_string());
            // If one write fails, writes for later kernels will fail as well. Only the first failure is reported, even
            // if logging is off.
            static REPORTED: Once = Once::new();
            REPORTED.call_once(|| notice(&error));
        }
        Ok((artifact, KernelOrigin::Compiled))
    }

    /// Logs the time of measured work, if the configuration requests such a log.
    pub(super) fn profiled(&self, name: &str, time: std::time::Duration) {
        let logger = &self.config.profiling.logger;
        if logger.level >= ProfilingLogLevel::Basic {
            self.log.write(logger, &format!("profiled {name} in {time:.1?}"));
        }
    }

    /// Whether the configuration requests a log of launches.
    pub(super) fn logs_launches(&self) -> bool {
        self.config.profiling.logger.level != ProfilingLogLevel::Disabled
    }

    /// Logs a launch that began at `start`. See [`Session::logs_launches`].
    pub(super) fn profile_launch(
        &self,
        name: &str,
        start: Instant,
        count: Option<[u32; 3]>,
        args: &[cube_runtime::Arg],
    ) {
        let logger = &self.config.profiling.logger;
        let mut message = format!("launched kernel {name}");
        if logger.level >= ProfilingLogLevel::Basic {
            // Waits for the end of the launch. If the device failed, the next read reports the failure.
            let _ = self.device.sync();
            message.push_str(&format!(" in {:.1?}", start.elapsed()));
        }
        if logger.level >= ProfilingLogLevel::Medium {
            let count = count.map_or_else(|| "as many".into(), |count| format!("{count:?}"));
            message.push_str(&format!(" with {count} cubes"));
        }
        if logger.level >= ProfilingLogLevel::Full {
            message.push_str(&format!(" and {} arguments", args.len()));
        }
        self.log.write(logger, &message);
    }
}
