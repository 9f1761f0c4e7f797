//! Locations of data that persists between runs of a program.
use cube_artifact::Variables;
use std::ffi::OsStr;
use std::path::PathBuf;

/// A location of data that persists between runs of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CacheConfig {
    /// The data is in the current folder.
    Local,
    /// The data is in the folder `target` of the project.
    Target,
    /// The data is in the user's cache folder: `$XDG_CACHE_HOME/cube`, or `~/.cache/cube`. Without both
    /// variables, the folder is `cube` in the system's folder for temporary files.
    Global,
    /// In this folder.
    File(PathBuf),
}

impl CacheConfig {
    /// The path of the folder, which depends on the program's environment variables.
    pub fn root(&self, variables: &Variables) -> PathBuf {
        let here = variables.folder();
        match self {
            CacheConfig::Local => here.into(),
            CacheConfig::Target => {
                let project = here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(here);
                project.join("target")
            }
            CacheConfig::Global => {
                let home = || variables.absolute("HOME").map(|home| home.join(".cache"));
                let cache = variables.absolute("XDG_CACHE_HOME").or_else(home);
                cache.unwrap_or_else(|| variables.temporary().into()).join("cube")
            }
            CacheConfig::File(folder) => folder.clone(),
        }
    }

    /// Finds a location by its name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "local" => CacheConfig::Local,
            "target" => CacheConfig::Target,
            "global" => CacheConfig::Global,
            _ => return None,
        })
    }

    /// Parses a value of `CUBE_CACHE`. An empty value, `0` and `off` disable the cache. `1` and `on` select the
    /// user's cache folder. Any other value is a name for [`CacheConfig::named`] or a path.
    pub fn from_variable(value: &OsStr) -> Option<Self> {
        match value.to_str() {
            Some("" | "0" | "off") => None,
            Some("1" | "on") => Some(CacheConfig::Global),
            Some(name) if Self::named(name).is_some() => Self::named(name),
            _ => Some(CacheConfig::File(value.into())),
        }
    }
}
