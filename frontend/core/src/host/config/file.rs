//! The file `cube.toml`.
use super::{CacheConfig, GlobalConfig, LogCrateLevel, LogLevel, LoggerConfig, WgpuCode};
use cube_runtime::child::MAX_PROCESSES;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A table of the configuration file. Reading a key removes the key from the table. Keys that remain after
/// reading are unknown.
struct Section<'a> {
    name: &'a str,
    table: Table,
    /// The known keys, which the error message for an unknown key lists.
    keys: Vec<&'static str>,
}

impl<'a> Section<'a> {
    fn of(name: &'a str, value: Value) -> Result<Self, String> {
        match value {
            Value::Table(table) => Ok(Section { name, table, keys: Vec::new() }),
            other => Err(format!("'{name}' must be a section, but is {}", kind_of(other))),
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Value> {
        self.keys.push(key);
        self.table.remove(key)
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("'{key}' in [{}] must be a string, but is {}", self.name, kind_of(other))),
        }
    }

    fn flag(&mut self, key: &'static str) -> Result<Option<bool>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(flag)),
            Some(other) => Err(format!("'{key}' in [{}] must be true or false, but is {}", self.name, kind_of(other))),
        }
    }

    /// The value in bytes of a key whose unit in the file is MiB.
    fn mib(&mut self, key: &'static str) -> Result<Option<u64>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Integer(mib @ 1..=0xffff_ffff)) => Ok(Some((mib as u64) << 20)),
            Some(other) => Err(format!("'{key}' in [{}] is {other:?}; use a number of MiB of at least 1", self.name)),
        }
    }

    fn files(&mut self, key: &'static str) -> Result<Vec<PathBuf>, String> {
        let wrong = |section: &str, value: String| format!("'{key}' in [{section}] is {value}; write a list of files");
        let files = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(files)) => files,
            Some(other) => return Err(wrong(self.name, kind_of(other))),
        };
        let file = |file| match file {
            Value::String(file) => Ok(file.into()),
            other => Err(wrong(self.name, format!("a list with {}", kind_of(other)))),
        };
        files.into_iter().map(file).collect()
    }

    fn processes(&mut self) -> Result<Option<usize>, String> {
        match self.take("processes") {
            None => Ok(None),
            Some(Value::Integer(n)) if (1..=MAX_PROCESSES as i64).contains(&n) => Ok(Some(n as usize)),
            Some(other) => Err(format!(
                "'processes' in [{}] is {other:?}; use a number of compiler processes from 1 to {MAX_PROCESSES}",
                self.name
            )),
        }
    }

    fn level<L: LogLevel>(&mut self, key: &'static str) -> Result<Option<L>, String> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let names = || L::NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        match L::NAMES.iter().find(|(name, _)| *name == text) {
            Some((_, level)) => Ok(Some(*level)),
            None => Err(format!("'{key}' in [{}] is '{text}'; write one of {}", self.name, names())),
        }
    }

    fn logger<L: LogLevel>(&mut self) -> Result<LoggerConfig<L>, String> {
        let Some(value) = self.take("logger") else { return Ok(LoggerConfig::default()) };
        let mut section = Section::of("logger", value)?;
        let config = LoggerConfig {
            file: section.text("file")?.map(Into::into),
            append: section.flag("append")?.unwrap_or(true),
            stdout: section.flag("stdout")?.unwrap_or(false),
            stderr: section.flag("stderr")?.unwrap_or(false),
            log: match section.text("log")?.as_deref() {
                None => None,
                Some("info") => Some(LogCrateLevel::Info),
                Some("debug") => Some(LogCrateLevel::Debug),
                Some("trace") => Some(LogCrateLevel::Trace),
                Some(other) => return Err(format!("'log' is '{other}'; use info, debug or trace")),
            },
            level: section.level("level")?.unwrap_or_default(),
        };
        section.end()?;
        Ok(config)
    }

    fn cache(&mut self) -> Result<Option<CacheConfig>, String> {
        match self.take("cache") {
            None => Ok(None),
            Some(Value::String(name)) => match CacheConfig::named(&name) {
                Some(cache) => Ok(Some(cache)),
                None => Err(format!(
                    "'cache' in [{}] is '{name}'; write local, target, global or {{ file = \"…\" }}",
                    self.name
                )),
            },
            Some(value) => {
                let mut section = Section::of("cache", value)?;
                let file = section.text("file")?;
                section.end()?;
                Ok(file.map(|file| CacheConfig::File(file.into())))
            }
        }
    }

    /// Rejects unknown keys.
    fn end(self) -> Result<(), String> {
        match self.table.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("unknown key '{key}' in [{}]; use {}", self.name, self.keys.join(", "))),
        }
    }
}

impl GlobalConfig {
    /// Parses the text of a configuration file.
    ///
    /// # Errors
    /// The text is not TOML, or has an invalid key or value.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
        let mut config = GlobalConfig::default();
        for (name, value) in table {
            let mut section = Section::of(&name, value)?;
            match name.as_str() {
                "profiling" => config.profiling.logger = section.logger()?,
                "autotune" => {
                    config.autotune.logger = section.logger()?;
                    config.autotune.level = section.level("level")?.unwrap_or_default();
                    config.autotune.cache = section.cache()?.unwrap_or(CacheConfig::Global);
                }
                "compilation" => {
                    config.compilation.logger = section.logger()?;
                    config.compilation.cache = section.cache()?;
                    config.compilation.processes = section.processes()?;
                    config.compilation.bundles = section.files("bundles")?;
                }
                "wgpu" => {
                    config.wgpu.adapter = section.text("adapter")?;
                    config.wgpu.code = match section.text("code")?.as_deref() {
                        None | Some("auto") => WgpuCode::Auto,
                        Some("wgsl") => WgpuCode::Wgsl,
                        Some("spirv") => WgpuCode::Spirv,
                        Some(other) => return Err(format!("'code' in [wgpu] is '{other}'; use auto, wgsl or spirv")),
                    };
                    let mut is_second =
                        |key: &'static str, [first, second]: [&str; 2]| match section.text(key)?.as_deref() {
                            None => Ok(false),
                            Some(word) if word == first || word == second => Ok(word == second),
                            Some(other) => Err(format!("'{key}' in [wgpu] is '{other}'; use {first} or {second}")),
                        };
                    config.wgpu.shared_planes = is_second("planes", ["subgroups", "shared"])?;
                    config.wgpu.addresses = is_second("buffers", ["bindings", "addresses"])?;
                }
                // Sections of CubeCL 0.8.1 without an effect here.
                "streaming" => continue,
                "memory" => {
                    config.memory.limit = section.mib("limit_mib")?;
                    config.memory.keep = section.mib("keep_mib")?;
                    // Keys of CubeCL 0.8.1 in this section have no effect here.
                    continue;
                }
                other => {
                    return Err(format!(
                        "unknown section [{other}]; use profiling, autotune, compilation, memory or wgpu"
                    ));
                }
            }
            section.end()?;
        }
        Ok(config)
    }

    /// Writes a configuration file that contains the default of every key.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save_default<P: AsRef<Path>>(path: P) -> std::io::Result<()> {
        std::fs::write(path, DEFAULT)
    }
}

const DEFAULT: &str = "\
[profiling]
# disabled, minimal, basic, medium, full
logger = { level = \"disabled\", stdout = false, stderr = false, append = true }

[autotune]
# minimal, balanced, extensive, full
level = \"balanced\"
# local, target, global, { file = \"folder\" }
cache = \"global\"
# disabled, minimal, full
logger = { level = \"disabled\" }

[compilation]
# disabled, basic, full
logger = { level = \"disabled\" }
# the largest number of compiler processes; the default is the number of cores, but at most 8
# processes = 2
# files of `cubec bundle`
# bundles = [\"kernels.bundle\"]

[wgpu]
# discrete, integrated, virtual, cpu, or a part of a name
# adapter = \"discrete:0\"
# auto, wgsl, spirv
code = \"auto\"
# subgroups, shared (32 units through shared memory)
planes = \"subgroups\"
";

/// Name of the type of a TOML value, with an article: "a string".
fn kind_of(value: Value) -> String {
    let kind = value.type_str();
    let article = if kind.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn a_file_sets_levels_outputs_and_caches() {
        let text = "[profiling]\nlogger = { level = \"medium\", stdout = true }\n\
            [compilation]\ncache = { file = \"kept/kernels\" }\nlogger = { level = \"full\", file = \"c.log\", append = false, log = \"debug\" }\n";
        let config = GlobalConfig::from_toml(text).unwrap();
        assert_eq!(config.profiling.logger.level, ProfilingLogLevel::Medium);
        assert!(config.profiling.logger.stdout && !config.profiling.logger.stderr);
        assert_eq!(config.compilation.cache, Some(CacheConfig::File("kept/kernels".into())));
        assert_eq!(config.compilation.logger.file, Some("c.log".into()));
        assert!(!config.compilation.logger.append);
        assert_eq!(config.compilation.logger.log, Some(LogCrateLevel::Debug));
        assert_eq!(config.autotune, AutotuneConfig::default());
    }

    #[test]
    fn a_file_chooses_the_adapter_and_the_code_of_wgpu() {
        let config =
            GlobalConfig::from_toml("[wgpu]\nadapter = \"cpu\"\ncode = \"wgsl\"\nplanes = \"shared\"\n").unwrap();
        let (adapter, code) = (Some("cpu".into()), WgpuCode::Wgsl);
        assert_eq!(config.wgpu, WgpuConfig { adapter, code, shared_planes: true, addresses: false });
        assert!(GlobalConfig::from_toml("[wgpu]\nbuffers = \"addresses\"").unwrap().wgpu.addresses);
        let error = GlobalConfig::from_toml("[wgpu]\nbuffers = \"pointers\"").unwrap_err();
        assert_eq!(error, "'buffers' in [wgpu] is 'pointers'; use bindings or addresses");
        let error = GlobalConfig::from_toml("[wgpu]\nplanes = \"warps\"").unwrap_err();
        assert_eq!(error, "'planes' in [wgpu] is 'warps'; use subgroups or shared");
        let error = GlobalConfig::from_toml("[wgpu]\ncode = \"glsl\"").unwrap_err();
        assert_eq!(error, "'code' in [wgpu] is 'glsl'; use auto, wgsl or spirv");
    }

    #[test]
    fn the_memory_section_sets_the_limits_of_the_pool() {
        let config = GlobalConfig::from_toml("[memory]\nlimit_mib = 100\nkeep_mib = 8\n").unwrap();
        assert_eq!((config.memory.limit, config.memory.keep), (Some(100 << 20), Some(8 << 20)));
        for wrong in ["0", "-1", "1.5", "\"much\""] {
            let error = GlobalConfig::from_toml(&format!("[memory]\nlimit_mib = {wrong}\n")).unwrap_err();
            assert!(error.contains("'limit_mib' in [memory] is") && error.contains("a number of MiB"), "{error}");
        }
    }

    #[test]
    fn the_number_of_compiler_processes_is_at_least_one() {
        let read = |value: &str| GlobalConfig::from_toml(&format!("[compilation]\nprocesses = {value}\n"));
        assert_eq!(read("4").unwrap().compilation.processes, Some(4));
        for wrong in ["0", "-1", "257", "\"2\""] {
            let error = read(wrong).unwrap_err();
            assert!(error.contains("'processes' in [compilation] is") && error.contains("from 1 to 256"), "{error}");
        }
    }

    #[test]
    fn bundles_are_a_list_of_files() {
        let read = |value: &str| GlobalConfig::from_toml(&format!("[compilation]\nbundles = {value}\n"));
        assert_eq!(read("[\"a\", \"b/c\"]").unwrap().compilation.bundles, [PathBuf::from("a"), "b/c".into()]);
        for wrong in ["\"a\"", "[1]", "1"] {
            let error = read(wrong).unwrap_err();
            assert!(error.contains("'bundles' in [compilation] is") && error.contains("a list of files"), "{error}");
        }
    }

    #[test]
    fn the_default_file_has_the_defaults() {
        assert_eq!(GlobalConfig::from_toml(super::DEFAULT).unwrap(), GlobalConfig::default());
    }

    #[test]
    fn unknown_keys_and_values_are_rejected_by_name() {
        let error = |text: &str| GlobalConfig::from_toml(text).unwrap_err();
        assert!(
            error("[profiling]\nlogger = { level = \"loud\" }")
                .contains("'loud'; write one of disabled, minimal, basic, medium, full")
        );
        assert!(
            error("[compilation]\ncahce = \"local\"")
                .contains("unknown key 'cahce' in [compilation]; use logger, cache, processes, bundles")
        );
        assert!(
            error("[compile]\n")
                .contains("unknown section [compile]; use profiling, autotune, compilation, memory or wgpu")
        );
        assert!(error("[autotune]\nlevel = 3").contains("must be a string, but is an integer"));
    }
}
