//! The environment of a program, as a value: its variables, its current folder and its own file.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment of a program as a value. The libraries of Cube do not read the environment themselves. A program (or
/// the crate `cube-mlir`) creates this value once with [`Variables::of_process`], and passes it to other crates. The
/// page docs/variables.md lists all variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<OsString, OsString>,
    folder: PathBuf,
    temporary: PathBuf,
    program: Option<PathBuf>,
}

impl Variables {
    /// Reads the environment of this process. Programs, the C interface and the crate `cube-mlir` call this function.
    /// Other libraries must not call it.
    pub fn of_process() -> Self {
        Variables {
            folder: std::env::current_dir().unwrap_or_default(),
            temporary: std::env::temp_dir(),
            program: std::env::current_exe().ok(),
            ..Self::of(std::env::vars_os())
        }
    }

    /// Creates the value from a list of names and values. If a name occurs more than once, the last value is
    /// used. The value has no current folder, no folder for temporary files and no program.
    pub fn of(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Variables { values: all.into_iter().collect(), ..Self::default() }
    }

    /// The value of an environment variable; `None` if the variable is not set.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.values.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The value of an environment variable; `None` if the variable is not set or its value is not UTF-8
    /// text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }

    /// The value of an environment variable that is an absolute path. An empty value counts as unset, and so does a
    /// relative path.
    pub fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The current folder of the program. The path is empty if it is not known; relative paths then stay relative.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The system's folder for temporary files. The path is empty if it is not known.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The file of the running program.
    pub fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::Variables;

    #[test]
    fn the_last_value_of_a_name_counts_and_others_are_not_set() {
        let all = [("CUBE_A", "1"), ("CUBE_B", ""), ("CUBE_A", "2")];
        let variables = Variables::of(all.map(|(name, value)| (name.into(), value.into())));
        assert_eq!((variables.text("CUBE_A"), variables.text("CUBE_B")), (Some("2"), Some("")));
        assert_eq!(variables.get("CUBE_C"), None);
        assert_eq!(Variables::default().get("PATH"), None);
        assert_eq!((variables.folder(), variables.program()), (std::path::Path::new(""), None));
    }

    #[test]
    fn only_absolute_paths_are_folders() {
        let all = [("A", "/a"), ("B", ""), ("C", "c")].map(|(name, value)| (name.into(), value.into()));
        let variables = Variables::of(all);
        assert_eq!(["A", "B", "C", "D"].map(|name| variables.absolute(name)), [Some("/a".into()), None, None, None]);
    }

    #[test]
    fn the_environment_of_a_process_has_its_folder_and_its_program() {
        let variables = Variables::of_process();
        assert!(variables.folder().is_absolute() && variables.temporary().is_absolute());
        assert!(variables.program().is_some_and(|file| file.is_file()));
        assert_eq!(variables.get("PATH"), std::env::var_os("PATH").as_deref());
    }
}
