//! The programs that tests run: the built `cube`, and LLVM's test tools.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The command that builds the tool for the tests.
pub const BUILD: &str = "cargo build -p cube-tools";

/// The command that builds the plugin for `mlir-opt`.
pub const BUILD_PLUGIN: &str = "cargo build -p cube-plugin";

/// The tool names that tests use, each with the corresponding subcommand of `cube`.
pub const TOOLS: [(&str, &str); 7] = [
    ("cube", ""),
    ("cube-opt", "opt"),
    ("cubec", "c"),
    ("cube-run", "run"),
    ("cube-layout", "layout"),
    ("cube-reduce", "reduce"),
    ("cube-lsp-server", "lsp-server"),
];

/// Programs of LLVM that a test can call by name; the installed program can have the suffix `-22`.
pub const LLVM_TOOLS: [&str; 13] = [
    "FileCheck",
    "not",
    "count",
    "split-file",
    "mlir-opt",
    "mlir-translate",
    "llc",
    "opt",
    "llvm-as",
    "llvm-mc",
    "llvm-objdump",
    "llvm-readelf",
    "llvm-remarkutil",
];

/// The programs of a test run.
#[derive(Clone, Debug)]
pub struct Toolbox {
    /// The multi-call binary.
    pub cube: PathBuf,
    /// The folder of `FileCheck` and similar tools.
    pub llvm: PathBuf,
}

impl Toolbox {
    /// Finds `cube` in the folder that the variable `CUBE_TOOLS` names, otherwise in the folder where cargo built the
    /// running test. The search for LLVM uses the same variable as the crate mlir-sys.
    pub fn find() -> Toolbox {
        let folder = std::env::var_os("CUBE_TOOLS").map_or_else(beside_this_test, PathBuf::from);
        let prefix = std::env::var_os("MLIR_SYS_220_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
        Toolbox { cube: folder.join("cube"), llvm: Path::new(&prefix).join("bin") }
    }

    /// Checks that `cube` is newer than its sources.
    ///
    /// # Errors
    /// The tool is missing or older than its sources, or LLVM's `FileCheck` is missing. The error is one
    /// sentence with the command that builds the tool. With an old tool, the tests would test code that no
    /// longer exists.
    pub fn check(&self) -> Result<(), String> {
        let Ok(built) = self.cube.metadata().and_then(|data| data.modified()) else {
            return Err(format!("the tool {} is not built; run `{BUILD}`", self.cube.display()));
        };
        if !self.llvm.join("FileCheck").is_file() {
            let llvm = self.llvm.display();
            return Err(format!("no FileCheck in {llvm}; `cargo xtask doctor` lists missing programs"));
        }
        match newer_source(&self.cube, built) {
            Some(source) => Err(format!(
                "the tool {} is older than {source}, so its result would apply to old code; run `{BUILD}`",
                self.cube.display()
            )),
            None => Ok(()),
        }
    }

    /// The plugin for stock `mlir-opt`, from the folder of the tools.
    ///
    /// # Errors
    /// The errors of [`Toolbox::check`], for the plugin. Only tests that contain `%plugin` require the
    /// plugin.
    pub fn plugin(&self) -> Result<PathBuf, String> {
        let plugin = self.cube.with_file_name("libcube_plugin.so");
        let Ok(built) = plugin.metadata().and_then(|data| data.modified()) else {
            return Err(format!("the plugin {} is not built; run `{BUILD_PLUGIN}`", plugin.display()));
        };
        match newer_source(&plugin, built) {
            Some(source) => {
                Err(format!("the plugin {} is older than {source}; run `{BUILD_PLUGIN}`", plugin.display()))
            }
            None => Ok(plugin),
        }
    }

    /// The program that a test starts as `cube`. In `cargo xtask test`, the program is a client that sends its
    /// arguments to a server (`tools/test-server`), which has already loaded LLVM and MLIR. Tests that check the
    /// process of the tool start [`Toolbox::cube`] without the server.
    pub fn start(&self) -> PathBuf {
        let client = self.cube.with_file_name("cube-client");
        let served = std::env::var_os("CUBE_TEST_SERVER").is_some() && client.is_file();
        if served { client } else { self.cube.clone() }
    }

    /// The command that replaces the name of a tool; `None` for any other word.
    pub fn command(&self, word: &str) -> Option<String> {
        if let Some((_, subcommand)) = TOOLS.iter().find(|(name, _)| *name == word) {
            return Some(format!("{} {subcommand}", quoted(&self.start())).trim_end().to_string());
        }
        let plain = word.strip_suffix("-22").unwrap_or(word);
        LLVM_TOOLS.contains(&plain).then(|| quoted(&self.llvm.join(plain)))
    }
}

/// Quotes a path as one word of a shell command.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:@%".contains(c);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// cargo puts test binaries into `target/PROFILE/deps` and tools into `target/PROFILE`.
fn beside_this_test() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    test.ancestors().nth(2).unwrap_or(Path::new("")).to_path_buf()
}

/// The first source file that is newer than the tool. Cargo writes a list of the source files beside each
/// binary.
fn newer_source(cube: &Path, built: SystemTime) -> Option<String> {
    let list = std::fs::read_to_string(cube.with_extension("d")).ok()?;
    let (_, sources) = list.split_once(": ")?;
    // A space inside a path is written as `\ `.
    let sources = sources.trim().replace("\\ ", "\0");
    let paths = sources.split(' ').map(|path| path.replace('\0', " "));
    paths
        .into_iter()
        .find(|path| Path::new(path).metadata().and_then(|data| data.modified()).is_ok_and(|at| at > built))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn toolbox(folder: &Path) -> Toolbox {
        for name in ["cube", "FileCheck"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        Toolbox { cube: folder.join("cube"), llvm: folder.into() }
    }

    #[test]
    fn names_become_commands() {
        let tools = Toolbox { cube: "/t/cube".into(), llvm: "/l v/bin".into() };
        assert_eq!(tools.command("cube-opt").unwrap(), "/t/cube opt");
        assert_eq!(tools.command("cube").unwrap(), "/t/cube");
        assert_eq!(tools.command("FileCheck-22").unwrap(), "'/l v/bin/FileCheck'");
        assert_eq!(tools.command("cube-opt2"), None);
    }

    #[test]
    fn a_missing_tool_names_the_command_that_builds_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut tools = toolbox(folder.path());
        assert_eq!(tools.check(), Ok(()));
        tools.cube = folder.path().join("absent");
        let message = tools.check().unwrap_err();
        let shown = tools.cube.display();
        assert_eq!(message, format!("the tool {shown} is not built; run `cargo build -p cube-tools`"));
    }

    #[test]
    fn a_missing_plugin_names_its_command_and_a_built_one_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let tools = toolbox(folder.path());
        assert!(tools.plugin().unwrap_err().ends_with("is not built; run `cargo build -p cube-plugin`"));
        std::fs::write(folder.path().join("libcube_plugin.so"), "").unwrap();
        assert_eq!(tools.plugin(), Ok(folder.path().join("libcube_plugin.so")));
    }

    #[test]
    fn a_tool_older_than_a_source_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tools = toolbox(folder.path());
        let source = folder.path().join("a pass.rs");
        std::fs::write(&source, "").unwrap();
        let escaped = source.to_str().unwrap().replace(' ', "\\ ");
        std::fs::write(folder.path().join("cube.d"), format!("/t/cube: /no/such.rs {escaped}\n")).unwrap();
        let built = tools.cube.metadata().unwrap().modified().unwrap();
        let at = |time| std::fs::File::options().write(true).open(&source).unwrap().set_modified(time).unwrap();
        at(built - Duration::from_secs(9));
        assert_eq!(tools.check(), Ok(()));
        at(built + Duration::from_secs(9));
        let message = tools.check().unwrap_err();
        assert!(message.contains("older than") && message.contains("a pass.rs"), "{message}");
    }
}
