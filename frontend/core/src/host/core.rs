//! A device with its compiler, and the kernels that it has seen.
use super::arguments::{Kept, LaunchError, Named, Written, are};
use super::config::{CompilationLogLevel, GlobalConfig, ProfilingLogLevel, Sink};
use super::memory::{MemoryUsage, Usage};
use super::reports::Wishes;
use super::variables::{given, notice};
use super::{Features, Handle};
use cube_artifact::{Artifact, CompileOptions, Compiler, Target};
use cube_runtime::cache::KernelCache;
use cube_runtime::{Device, Kernel};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Instant;

/// Kernels that are remembered.
const MOST_KERNELS: usize = 4096;

/// A device, its compiler and its kernels.
pub struct Core {
    /// The device.
    pub device: Box<dyn Device>,
    /// What kernels are compiled for.
    pub target: Target,
    /// What it can do.
    pub features: Features,
    compiler: Arc<dyn Compiler>,
    kernels: Mutex<Kernels>,
    wishes: Wishes,
    /// What the program has configured.
    pub config: Arc<GlobalConfig>,
    sink: Sink,
    disk: Option<KernelCache>,
    usage: Arc<Usage>,
}

/// A kernel that is ready.
pub struct Prepared {
    /// The device's form of it.
    pub kernel: Kernel,
    /// Whether the kernel writes each of its arguments, in their order.
    pub writes: Vec<bool>,
}

/// A kernel that a launch asks for.
pub struct Asked<'a> {
    /// The hash of all that tells kernels apart.
    pub key: [u8; 32],
    /// Its name in the program.
    pub name: &'a str,
    /// The values of the host that it is compiled for; kernels of one key differ in these.
    pub values: &'a [Named<'a>],
    /// Whether its code is for a debugger.
    pub debug: bool,
    /// Its name with types and values, for reports.
    pub instance: &'a dyn Fn() -> String,
}

/// Kernels of one key, each with the values that it was compiled for.
type OfOneKey = Vec<(Vec<Kept>, Arc<Prepared>)>;

/// Kernels that are remembered.
#[derive(Default)]
struct Kernels {
    by_key: HashMap<[u8; 32], Arc<OfOneKey>>,
    count: usize,
}

impl Kernels {
    fn keep(&mut self, key: [u8; 32], values: Vec<Kept>, prepared: Arc<Prepared>) {
        if self.count >= MOST_KERNELS {
            *self = Self::default();
        }
        self.count += 1;
        Arc::make_mut(self.by_key.entry(key).or_default()).push((values, prepared));
    }
}

impl Core {
    /// A device with a compiler for it.
    pub fn new(device: Box<dyn Device>, target: Target, compiler: Arc<dyn Compiler>) -> Self {
        let wishes = Wishes::of_variables(given());
        let features = Features::of(&target);
        let config = GlobalConfig::get();
        let compiler_file = cube_runtime::child::installed();
        let limit = KernelCache::limit_of(given()).unwrap_or_else(|error| {
            notice(error);
            cube_runtime::cache::DEFAULT_LIMIT
        });
        let disk = config.compilation.cache.as_ref();
        let disk = disk.map(|cache| KernelCache::new(cache.root(), compiler_file).limit(limit));
        let (kernels, sink, usage) = (Mutex::default(), Sink::default(), Arc::default());
        Core { device, target, features, compiler, kernels, wishes, config, sink, disk, usage }
    }

    /// A handle to a buffer of this device.
    pub(super) fn handle(&self, buffer: cube_runtime::Buffer) -> Handle {
        Handle::new(buffer, &self.usage)
    }

    /// Memory that handles hold.
    pub(super) fn memory_usage(&self) -> MemoryUsage {
        self.usage.now()
    }

    /// The kernel that a launch asks for, written and compiled where it is new.
    ///
    /// # Errors
    /// What is wrong with the kernel, or with the compiler.
    pub fn prepared(
        &self,
        asked: &Asked<'_>,
        write: impl FnOnce() -> Result<Written, LaunchError>,
    ) -> Result<Arc<Prepared>, LaunchError> {
        let kernels = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // The program's `Eq` runs without the lock: it may do anything.
        let found = || {
            let same_key = kernels().by_key.get(&asked.key)?.clone();
            same_key.iter().find(|(values, _)| are(asked.values, values)).map(|(_, prepared)| prepared.clone())
        };
        if let Some(found) = found() {
            return Ok(found);
        }
        let written = write()?;
        let artifact = self.compiled(asked, &written.text)?;
        let kernel = self.device.load(&artifact)?;
        let writes = artifact
            .params
            .iter()
            .map(|p| matches!(p.kind, cube_artifact::ParamKind::Buffer { access, .. } if access.writes()))
            .collect();
        // Another thread may have compiled the same kernel meanwhile.
        if let Some(found) = found() {
            return Ok(found);
        }
        let prepared = Arc::new(Prepared { kernel, writes });
        let values = asked.values.iter().map(|(_, value)| value.keep()).collect();
        kernels().keep(asked.key, values, prepared.clone());
        Ok(prepared)
    }

    /// The compiled kernel of a text, from the disk where it is there.
    fn compiled(&self, asked: &Asked<'_>, text: &str) -> Result<Artifact, LaunchError> {
        let start = Instant::now();
        let reports = self.wishes.reports(asked.name, asked.instance, text, &self.target);
        self.wishes.begin(&reports, text)?;
        let debug = CompileOptions::debug_of(given())? || asked.debug;
        let file_name = Some(format!("{}.mlir", asked.name));
        let options = CompileOptions { kernel: None, params: Vec::new(), file_name, debug, reports };
        // Code that was made from edited files is not kept, and kept code has nothing to report.
        let disk = self.disk.as_ref().filter(|_| options.reports.is_empty());
        let kept = disk.and_then(|disk| disk.load(text.as_bytes(), &self.target, &options));
        let from_disk = kept.is_some();
        let artifact = match kept {
            Some(artifact) => artifact,
            None => {
                let (artifact, told) = self.compiler.compile_told(text.as_bytes(), &self.target, &options)?;
                if !told.is_empty() {
                    notice(told.trim_end_matches('\n'));
                }
                if let Some(disk) = disk
                    && let Err(error) = disk.store(text.as_bytes(), &self.target, &options, &artifact)
                {
                    self.sink.tell(&self.config.compilation.logger, &error.to_string());
                    // The next kernel will not be kept either: who asked for it is told once, whatever is logged.
                    static TOLD: Once = Once::new();
                    TOLD.call_once(|| notice(&error));
                }
                artifact
            }
        };
        let logger = &self.config.compilation.logger;
        if logger.level >= CompilationLogLevel::Basic {
            let what = if from_disk { "loaded" } else { "compiled" };
            let (instance, time) = ((asked.instance)(), start.elapsed());
            self.sink.tell(logger, &format!("{what} kernel {instance} for {} in {time:.1?}", self.target));
        }
        if logger.level >= CompilationLogLevel::Full {
            self.sink.tell(logger, text);
        }
        Ok(artifact)
    }

    /// Tells of work that was measured, as the program has configured.
    pub(super) fn profiled(&self, name: &str, time: std::time::Duration) {
        let logger = &self.config.profiling.logger;
        if logger.level >= ProfilingLogLevel::Basic {
            self.sink.tell(logger, &format!("profiled {name} in {time:.1?}"));
        }
    }

    /// Tells of a launch that has begun, as the program has configured.
    pub(super) fn profile_launch(&self, name: &str, start: Instant, count: [u32; 3], args: &[cube_runtime::Arg]) {
        let logger = &self.config.profiling.logger;
        if logger.level == ProfilingLogLevel::Disabled {
            return;
        }
        let mut message = format!("launched kernel {name}");
        if logger.level >= ProfilingLogLevel::Basic {
            // The launch is over when the device says so; what goes wrong there is told to whoever reads.
            let _ = self.device.sync();
            message.push_str(&format!(" in {:.1?}", start.elapsed()));
        }
        if logger.level >= ProfilingLogLevel::Medium {
            message.push_str(&format!(" with {count:?} cubes"));
        }
        if logger.level >= ProfilingLogLevel::Full {
            message.push_str(&format!(" and {} arguments", args.len()));
        }
        self.sink.tell(logger, &message);
    }
}
