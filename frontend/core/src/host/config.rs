//! What a program configures: from `cube.toml` in the current folder or one above, then the environment, or in code.
//!
//! | section | keys |
//! |---|---|
//! | `[profiling]` | `logger` |
//! | `[autotune]` | `logger`, `level`, `cache` |
//! | `[compilation]` | `logger`, `cache` |
//!
//! A `cache` of `[autotune]` is `"global"` where nothing is said, the user's cache folder; compiled kernels are kept where a cache is named.
//! A `logger` is `{ level = "…", file = "…", append = true, stdout = true, stderr = true, log = "info" }`; `log` sends events to
//! `tracing`. A `cache` is `"local"`, `"target"`, `"global"` or `{ file = "…" }`.
mod file;
mod logger;

pub use cube_runtime::cache::CacheConfig;
pub use logger::{LogCrateLevel, LoggerConfig, Sink};

use super::variables::{given, notice};
use std::sync::{Arc, Mutex, PoisonError};

/// The names of `[profiling]` where 0.8.1 has them.
pub mod profiling {
    pub use super::{ProfilingConfig, ProfilingLogLevel};
}

/// The names of `[compilation]` where 0.8.1 has them.
pub mod compilation {
    pub use super::{CompilationConfig, CompilationLogLevel};
}

/// The names of `[autotune]` where 0.8.1 has them.
pub mod autotune {
    pub use super::{AutotuneConfig, AutotuneLevel, AutotuneLogLevel};
}

/// The names of caches where 0.8.1 has them.
pub mod cache {
    pub use super::CacheConfig;
}

/// The levels of a section.
pub trait Level: Copy + Default + PartialEq + 'static {
    /// Their names, from the quietest.
    const NAMES: &'static [(&'static str, Self)];
}

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident: $default:ident { $($(#[$word_doc:meta])* $word:ident $text:literal),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$word_doc])* $word),* }
        impl Default for $name {
            fn default() -> Self {
                $name::$default
            }
        }
        impl Level for $name {
            const NAMES: &'static [(&'static str, Self)] = &[$(($text, $name::$word)),*];
        }
    )*};
}

levels! {
    /// What is told about launches.
    ProfilingLogLevel: Disabled {
        /// Nothing.
        Disabled "disabled",
        /// Which kernels run.
        Minimal "minimal",
        /// And how long each takes; every launch is waited for.
        Basic "basic",
        /// And with how many cubes.
        Medium "medium",
        /// And with which arguments.
        Full "full"
    }
    /// What is told about compilation.
    CompilationLogLevel: Disabled {
        /// Nothing.
        Disabled "disabled",
        /// Which kernels are compiled, and how long that takes.
        Basic "basic",
        /// And their text.
        Full "full"
    }
    /// What is told about the choice among kernels.
    AutotuneLogLevel: Disabled {
        /// Nothing.
        Disabled "disabled",
        /// What was chosen.
        Minimal "minimal",
        /// And every measurement.
        Full "full"
    }
    /// How much is tried before one of several kernels is chosen.
    AutotuneLevel: Balanced {
        /// Little.
        Minimal "minimal",
        /// Some.
        Balanced "balanced",
        /// Much.
        Extensive "extensive",
        /// Everything.
        Full "full"
    }
}

/// `[profiling]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfilingConfig {
    /// What is told, and where.
    pub logger: LoggerConfig<ProfilingLogLevel>,
}

/// `[compilation]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompilationConfig {
    /// What is told, and where.
    pub logger: LoggerConfig<CompilationLogLevel>,
    /// Where compiled kernels are kept between runs; `None` keeps them in memory only.
    pub cache: Option<CacheConfig>,
}

/// `[autotune]`.
#[derive(Clone, Debug, PartialEq)]
pub struct AutotuneConfig {
    /// What is told, and where.
    pub logger: LoggerConfig<AutotuneLogLevel>,
    /// How much is tried.
    pub level: AutotuneLevel,
    /// Where choices are kept between runs; the user's cache folder unless set.
    pub cache: CacheConfig,
}

impl Default for AutotuneConfig {
    fn default() -> Self {
        AutotuneConfig { logger: LoggerConfig::default(), level: AutotuneLevel::default(), cache: CacheConfig::Global }
    }
}

/// The configuration of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlobalConfig {
    /// `[profiling]`.
    pub profiling: ProfilingConfig,
    /// `[autotune]`.
    pub autotune: AutotuneConfig,
    /// `[compilation]`.
    pub compilation: CompilationConfig,
}

static CONFIG: Mutex<Option<Arc<GlobalConfig>>> = Mutex::new(None);

/// Names of the file, the first that is found counts.
const FILES: [&str; 4] = ["cube.toml", "Cube.toml", "cubecl.toml", "CubeCL.toml"];

impl GlobalConfig {
    /// The configuration in force; what is wrong with the file is told once, on stderr.
    pub fn get() -> Arc<Self> {
        let mut config = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        config
            .get_or_insert_with(|| {
                let found = Self::from_current_dir().unwrap_or_else(|error| {
                    notice(format_args!("{}: nothing of this file counts", error.trim_end()));
                    Self::default()
                });
                Arc::new(found.override_from_env())
            })
            .clone()
    }

    /// Sets the configuration, before the first client is made.
    ///
    /// # Panics
    /// A client has been made, or the configuration has been set before: parts of the program would see different ones.
    pub fn set(config: Self) {
        let mut current = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(current.is_none(), "the configuration is in use: set it before the first client is made, and once");
        *current = Some(Arc::new(config));
    }

    /// The configuration of the file in the current folder or the next one above.
    ///
    /// # Errors
    /// The file cannot be read, or says what has no meaning.
    pub fn from_current_dir() -> Result<Self, String> {
        let here = std::env::current_dir().unwrap_or_default();
        let found = here.ancestors().flat_map(|folder| FILES.map(|name| folder.join(name))).find(|file| file.is_file());
        match found {
            None => Ok(Self::default()),
            Some(file) => {
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                Self::from_toml(&text).map_err(|e| format!("{}: {e}", file.display()))
            }
        }
    }

    /// The configuration with what the environment says: `CUBE_DEBUG_LOG`, `CUBE_DEBUG_OPTION`, `CUBE_AUTOTUNE_LEVEL` and
    /// `CUBE_CACHE`, or the first three with `CUBECL_`.
    pub fn override_from_env(self) -> Self {
        self.override_from(|name| {
            let old = name.strip_prefix("CUBE_").map(|rest| format!("CUBECL_{rest}"));
            let all = given();
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
                    "CUBE_AUTOTUNE_LEVEL is '{value}': give minimal, balanced, extensive, full, or 0 to 3"
                )),
            }
        }
        if let Some(value) = variable("CUBE_CACHE") {
            self.compilation.cache = CacheConfig::from_variable(value.as_ref());
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
                "CUBE_DEBUG_OPTION is '{value}': give debug, debug-full, profile, profile-medium or profile-full"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_alone_tells_everything_there_and_0_nothing() {
        let told = |place: &str| {
            let given = |name: &str| (name == "CUBE_DEBUG_LOG").then(|| place.to_string());
            GlobalConfig::default().override_from(given)
        };
        let config = told("stderr");
        assert!(config.compilation.logger.stderr && config.compilation.logger.level == CompilationLogLevel::Full);
        assert_eq!(config.profiling.logger.level, ProfilingLogLevel::Medium);
        assert_eq!(told("a.log").autotune.logger.file, Some("a.log".into()));
        assert!(told("1").profiling.logger.file.is_some_and(|file| file.ends_with("cube.log")));
        assert_eq!(told("0"), GlobalConfig::default());
    }

    #[test]
    fn the_environment_comes_after_the_file() {
        let file = GlobalConfig::from_toml("[autotune]\nlevel = \"full\"\n[compilation]\ncache = \"local\"\n").unwrap();
        let given = |name: &str| match name {
            "CUBE_DEBUG_LOG" => Some("stdout".to_string()),
            "CUBE_DEBUG_OPTION" => Some("debug".to_string()),
            "CUBE_AUTOTUNE_LEVEL" => Some("0".to_string()),
            "CUBE_CACHE" => Some("/somewhere".to_string()),
            _ => None,
        };
        assert_eq!(file.clone().override_from(|_| None), file);
        let config = file.override_from(given);
        assert_eq!(config.autotune.level, AutotuneLevel::Minimal);
        assert_eq!(config.compilation.cache, Some(CacheConfig::File("/somewhere".into())));
        assert!(config.compilation.logger.stdout && config.profiling.logger.stdout);
        assert_eq!(config.compilation.logger.level, CompilationLogLevel::Full);
        assert_eq!(config.profiling.logger.level, ProfilingLogLevel::Medium);
    }
}
