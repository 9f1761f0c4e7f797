//! Configuration of a program. Cube reads the configuration from the file `cube.toml` in the current folder or a parent
//! folder. Environment variables override the configuration file. Instead of a file, a program can call
//! [`GlobalConfig::set`].
//!
//! | section | keys |
//! |---|---|
//! | `[profiling]` | `logger` |
//! | `[autotune]` | `logger`, `level`, `cache` |
//! | `[compilation]` | `logger`, `cache`, `processes`, `bundles` |
//! | `[wgpu]` | `adapter`, `code`, `planes` |
//! | `[memory]` | `limit_mib`, `keep_mib` |
//!
//! In `[autotune]`, the default of `cache` is `"global"`, the user's cache folder. Compiled kernels are stored on
//! disk only if `[compilation]` has a `cache`. `processes` is the largest number of compiler processes, from 1 to 256.
//! The default of `processes` is the number of cores, but at most 8. `bundles` is a list of files that `cubec bundle`
//! wrote. A client takes the kernels of these files before it uses the disk cache or the compiler. A `logger` is
//! `{ level = "…", file = "…", append = true, stdout = true, stderr = true, log = "info" }`. The key
//! `log` of a `logger` sends events to `tracing`. `limit_mib` limits the memory that a device's pool reserves.
//! `keep_mib` limits the free memory of large buffers that stays reserved. The value of `cache` is `"local"`, `"target"`, `"global"` or `{ file = "…" }`.
mod file;
mod logger;

pub use cube_runtime::MemoryLimits;
pub use cube_runtime::cache::CacheConfig;
pub use logger::{LogCrateLevel, LogWriter, LoggerConfig};

use cube_runtime::bundle::BUNDLE_VARIABLE;
use cube_runtime::child::{PROCESSES_VARIABLE, processes_from};

use super::variables::{notice, variables};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Re-exports the items of `[profiling]` under their module path in CubeCL 0.8.1.
pub mod profiling {
    pub use super::{ProfilingConfig, ProfilingLogLevel};
}

/// Re-exports the items of `[compilation]` under their module path in CubeCL 0.8.1.
pub mod compilation {
    pub use super::{CompilationConfig, CompilationLogLevel};
}

/// Re-exports the items of `[autotune]` under their module path in CubeCL 0.8.1.
pub mod autotune {
    pub use super::{AutotuneConfig, AutotuneLevel, AutotuneLogLevel};
}

/// Re-exports the items of caches under their module path in CubeCL 0.8.1.
pub mod cache {
    pub use super::CacheConfig;
}

/// The verbosity levels of a configuration section.
pub trait LogLevel: Copy + Default + PartialEq + 'static {
    /// Names and values of the levels, from the least to the most verbose level.
    const NAMES: &'static [(&'static str, Self)];
}

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident: $default:ident { $($(#[$level_doc:meta])* $level:ident $text:literal),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$level_doc])* $level),* }
        impl Default for $name {
            fn default() -> Self {
                $name::$default
            }
        }
        impl LogLevel for $name {
            const NAMES: &'static [(&'static str, Self)] = &[$(($text, $name::$level)),*];
        }
    )*};
}

levels! {
    /// Selects the launch events to log.
    ProfilingLogLevel: Disabled {
        /// Log nothing.
        Disabled "disabled",
        /// Log the names of the kernels that run.
        Minimal "minimal",
        /// Log the names of kernels and the time of each launch. To measure the time, the program waits for
        /// every launch.
        Basic "basic",
        /// Log the names of kernels, the times and the numbers of cubes.
        Medium "medium",
        /// Log the names of kernels, the times, the numbers of cubes and the arguments.
        Full "full"
    }
    /// Selects the compilation events to log.
    CompilationLogLevel: Disabled {
        /// Log nothing.
        Disabled "disabled",
        /// Log the names of compiled kernels and the time of each compilation.
        Basic "basic",
        /// Log the names, compilation times and texts of compiled kernels.
        Full "full"
    }
    /// Selects the autotuning events to log.
    AutotuneLogLevel: Disabled {
        /// Log nothing.
        Disabled "disabled",
        /// Log the selected candidates.
        Minimal "minimal",
        /// Log the selected candidates and every measurement.
        Full "full"
    }
    /// Granularity of autotune keys, which determines how many input sizes share one measurement
    /// (`tune::anchor`).
    AutotuneLevel: Balanced {
        /// Input sizes between two consecutive powers of 2.5 share a measurement.
        Minimal "minimal",
        /// Input sizes between two consecutive powers of 2 share a measurement.
        Balanced "balanced",
        /// Input sizes between two consecutive powers of 1.5 share a measurement.
        Extensive "extensive",
        /// Each input size has its own measurement.
        Full "full"
    }
}

/// The section `[profiling]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfilingConfig {
    /// The events to log, and the outputs of the log.
    pub logger: LoggerConfig<ProfilingLogLevel>,
}

/// The section `[compilation]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompilationConfig {
    /// The events to log, and the outputs of the log.
    pub logger: LoggerConfig<CompilationLogLevel>,
    /// Disk cache for compiled kernels. If the value is `None`, compiled kernels are cached in memory only.
    pub cache: Option<CacheConfig>,
    /// The largest number of compiler processes. The default is the number of cores, but at most 8.
    pub processes: Option<usize>,
    /// Files with compiled kernels. A client searches these files before it searches the disk cache or calls the
    /// compiler.
    pub bundles: Vec<PathBuf>,
}

/// The section `[autotune]`.
#[derive(Clone, Debug, PartialEq)]
pub struct AutotuneConfig {
    /// The events to log, and the outputs of the log.
    pub logger: LoggerConfig<AutotuneLogLevel>,
    /// Granularity of autotune keys; `balanced` by default.
    pub level: AutotuneLevel,
    /// Disk cache for autotune choices. The default is the user's cache folder.
    pub cache: CacheConfig,
}

impl Default for AutotuneConfig {
    fn default() -> Self {
        AutotuneConfig { logger: LoggerConfig::default(), level: AutotuneLevel::default(), cache: CacheConfig::Global }
    }
}

/// The section `[wgpu]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WgpuConfig {
    /// The adapter of the default device: `discrete`, `integrated`, `virtual`, `cpu`, or a part of the adapter's name.
    /// A number can follow the kinds `discrete`, `integrated` and `virtual` (`discrete:1`). `None` selects the first
    /// adapter, in the order of the kinds.
    pub adapter: Option<String>,
    /// The code format of kernels on the default device.
    pub code: WgpuCode,
    /// Whether planes are 32 units that exchange values through shared memory, instead of the adapter's subgroups.
    pub shared_planes: bool,
    /// Whether kernels access buffers by 64-bit addresses, and not by bindings, on an adapter of Vulkan.
    pub addresses: bool,
}

/// The code format of kernels on wgpu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WgpuCode {
    /// SPIR-V if the program and the adapter support SPIR-V, otherwise WGSL.
    #[default]
    Auto,
    /// WGSL.
    Wgsl,
    /// SPIR-V. An adapter without support for SPIR-V is an error.
    Spirv,
}

/// The configuration of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlobalConfig {
    /// The section `[profiling]`.
    pub profiling: ProfilingConfig,
    /// The section `[autotune]`.
    pub autotune: AutotuneConfig,
    /// The section `[compilation]`.
    pub compilation: CompilationConfig,
    /// The section `[wgpu]`.
    pub wgpu: WgpuConfig,
    /// The section `[memory]`.
    pub memory: MemoryLimits,
}

static CONFIG: Mutex<Option<Arc<GlobalConfig>>> = Mutex::new(None);

/// Names of the configuration file, in the order of precedence. The program reads the first of these files that exists.
const FILES: [&str; 4] = ["cube.toml", "Cube.toml", "cubecl.toml", "CubeCL.toml"];

impl GlobalConfig {
    /// The active configuration. An invalid configuration file is reported once, on stderr.
    pub fn get() -> Arc<Self> {
        let mut config = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        config
            .get_or_insert_with(|| {
                let found = Self::from_current_dir().unwrap_or_else(|error| {
                    notice(format_args!("{}: the file is ignored", error.trim_end()));
                    Self::default()
                });
                Arc::new(found.override_from_env())
            })
            .clone()
    }

    /// Sets the configuration. A program must call this function before it creates the first client.
    ///
    /// # Panics
    /// A client already exists, or the configuration was already set. A later call could give different parts of the
    /// program different configurations.
    pub fn set(config: Self) {
        let mut current = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(current.is_none(), "the configuration is in use; set it once, before the first client is made");
        *current = Some(Arc::new(config));
    }

    /// Reads the configuration file from the current folder or the nearest parent folder that has such a
    /// file.
    ///
    /// # Errors
    /// The file cannot be read, or has an invalid key or value.
    pub fn from_current_dir() -> Result<Self, String> {
        let found = variables()
            .folder()
            .ancestors()
            .flat_map(|folder| FILES.map(|name| folder.join(name)))
            .find(|file| file.is_file());
        match found {
            None => Ok(Self::default()),
            Some(file) => {
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                Self::from_toml(&text).map_err(|e| format!("{}: {e}", file.display()))
            }
        }
    }

    /// The folder of a cache of this program.
    pub fn folder_of(cache: &CacheConfig) -> PathBuf {
        cache.root(variables())
    }

    /// Applies the environment variables `CUBE_DEBUG_LOG`, `CUBE_DEBUG_OPTION`, `CUBE_AUTOTUNE_LEVEL`,
    /// `CUBE_WGPU_ADAPTER`, `CUBE_WGPU_PLANES`, `CUBE_WGPU_BUFFERS`, `CUBE_CACHE`, `CUBE_COMPILER_PROCESSES` and `CUBE_BUNDLE`. The
    /// prefix `CUBECL_` also works for `CUBE_DEBUG_LOG`, `CUBE_DEBUG_OPTION` and `CUBE_AUTOTUNE_LEVEL`.
    pub fn override_from_env(self) -> Self {
        self.override_from(|name| {
            let old = name.strip_prefix("CUBE_").map(|rest| format!("CUBECL_{rest}"));
            let all = variables();
            all.text(name).or_else(|| old.and_then(|old| all.text(&old))).map(str::to_string)
        })
    }

    fn override_from(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(value) = variable("CUBE_DEBUG_LOG") {
            self.profiling.logger.to(&value, ProfilingLogLevel::Medium);
            self.autotune.logger.to(&value, AutotuneLogLevel::Full);
            self.compilation.logger.to(&value, CompilationLogLevel::Full);
        }
        if let Some(value) = variable("CUBE_DEBUG_OPTION") {
            self.debug_option(&value);
        }
        if let Some(value) = variable("CUBE_AUTOTUNE_LEVEL") {
            let numbered = value.parse::<usize>().ok().and_then(|n| AutotuneLevel::NAMES.get(n));
            let found = numbered.or_else(|| AutotuneLevel::NAMES.iter().find(|(name, _)| *name == value));
            match found {
                Some((_, level)) => self.autotune.level = *level,
                None => notice(format_args!(
                    "CUBE_AUTOTUNE_LEVEL is '{value}'; set the variable to minimal, balanced, extensive, full, or 0 to 3"
                )),
            }
        }
        if let Some(value) = variable("CUBE_WGPU_ADAPTER") {
            self.wgpu.adapter = Some(value);
        }
        let select = |name: &str, [first, second]: [&str; 2], is_second: &mut bool| match variable(name).as_deref() {
            None | Some("") => {}
            Some(word) if word == first || word == second => *is_second = word == second,
            Some(other) => notice(format_args!("{name} is '{other}'; set the variable to {first} or {second}")),
        };
        select("CUBE_WGPU_PLANES", ["subgroups", "shared"], &mut self.wgpu.shared_planes);
        select("CUBE_WGPU_BUFFERS", ["bindings", "addresses"], &mut self.wgpu.addresses);
        if let Some(value) = variable("CUBE_CACHE") {
            self.compilation.cache = CacheConfig::from_variable(value.as_ref());
        }
        if let Some(value) = variable(BUNDLE_VARIABLE) {
            let files = std::env::split_paths(&value);
            self.compilation.bundles = files.filter(|file| !file.as_os_str().is_empty()).collect();
        }
        match variable(PROCESSES_VARIABLE).as_deref().map(processes_from) {
            None => {}
            Some(Ok(processes)) => self.compilation.processes = Some(processes),
            Some(Err(error)) => notice(error),
        }
        self
    }

    fn debug_option(&mut self, value: &str) {
        let all = |config: &mut Self, profiling| {
            config.compilation.logger.level = CompilationLogLevel::Full;
            config.autotune.logger.level = AutotuneLogLevel::Full;
            config.profiling.logger.level = profiling;
        };
        match value {
            "debug" => all(self, ProfilingLogLevel::Medium),
            "debug-full" => all(self, ProfilingLogLevel::Full),
            "profile" => self.profiling.logger.level = ProfilingLogLevel::Basic,
            "profile-medium" => self.profiling.logger.level = ProfilingLogLevel::Medium,
            "profile-full" => self.profiling.logger.level = ProfilingLogLevel::Full,
            _ => notice(format_args!(
                "CUBE_DEBUG_OPTION is '{value}'; set the variable to debug, debug-full, profile, profile-medium or profile-full"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_log_enables_every_event_and_0_disables_all() {
        let log_to = |output: &str| {
            let given = |name: &str| (name == "CUBE_DEBUG_LOG").then(|| output.to_string());
            GlobalConfig::default().override_from(given)
        };
        let config = log_to("stderr");
        assert!(config.compilation.logger.stderr && config.compilation.logger.level == CompilationLogLevel::Full);
        assert_eq!(config.profiling.logger.level, ProfilingLogLevel::Medium);
        assert_eq!(log_to("a.log").autotune.logger.file, Some("a.log".into()));
        assert!(log_to("1").profiling.logger.file.is_some_and(|file| file.ends_with("cube.log")));
        assert_eq!(log_to("0"), GlobalConfig::default());
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let file = GlobalConfig::from_toml("[autotune]\nlevel = \"full\"\n[compilation]\ncache = \"local\"\n").unwrap();
        let given = |name: &str| match name {
            "CUBE_DEBUG_LOG" => Some("stdout".to_string()),
            "CUBE_DEBUG_OPTION" => Some("debug".to_string()),
            "CUBE_AUTOTUNE_LEVEL" => Some("0".to_string()),
            "CUBE_CACHE" => Some("/somewhere".to_string()),
            "CUBE_COMPILER_PROCESSES" => Some("3".to_string()),
            "CUBE_BUNDLE" => Some("a.bundle:/b.bundle".to_string()),
            "CUBE_WGPU_ADAPTER" => Some("cpu".to_string()),
            "CUBE_WGPU_PLANES" => Some("shared".to_string()),
            "CUBE_WGPU_BUFFERS" => Some("addresses".to_string()),
            _ => None,
        };
        assert_eq!(file.clone().override_from(|_| None), file);
        let config = file.override_from(given);
        assert_eq!(config.autotune.level, AutotuneLevel::Minimal);
        assert_eq!(config.compilation.cache, Some(CacheConfig::File("/somewhere".into())));
        assert_eq!(config.compilation.processes, Some(3));
        assert_eq!(config.compilation.bundles, [PathBuf::from("a.bundle"), "/b.bundle".into()]);
        assert_eq!((config.wgpu.adapter.as_deref(), config.wgpu.shared_planes), (Some("cpu"), true));
        assert!(config.wgpu.addresses);
        assert!(config.compilation.logger.stdout && config.profiling.logger.stdout);
        assert_eq!(config.compilation.logger.level, CompilationLogLevel::Full);
        assert_eq!(config.profiling.logger.level, ProfilingLogLevel::Medium);
    }
}
