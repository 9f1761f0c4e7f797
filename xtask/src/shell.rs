//! The machine on which the tasks run, described by its environment variables, programs and header folders. The
//! description is a value, so that tests can simulate another machine.

use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of LLVM 22 in Debian's packages.
pub const DEBIAN_PREFIX: &str = "/usr/lib/llvm-22";

/// The environment variables with which the three binding crates (mlir-sys, llvm-sys, tblgen) find LLVM.
pub const PREFIX_VARIABLES: [&str; 3] = ["MLIR_SYS_220_PREFIX", "LLVM_SYS_221_PREFIX", "TABLEGEN_220_PREFIX"];

/// The description of a machine, which answers the queries of the tasks.
#[derive(Clone, Debug)]
pub struct Machine {
    variables: BTreeMap<String, String>,
    include_folders: Vec<PathBuf>,
    /// The data folder of the system, for files that are neither programs nor libraries.
    data_folder: PathBuf,
    /// The folder in which the system's packages install LLVM.
    pub package_prefix: PathBuf,
    /// Folder for logs.
    pub scratch: PathBuf,
}

impl Machine {
    /// The machine on which this process runs.
    pub fn this() -> Self {
        let multiarch = format!("/usr/include/{}-linux-gnu", std::env::consts::ARCH);
        let include_folders = ["/usr/include", &multiarch, "/usr/include/libxml2"].map(PathBuf::from).to_vec();
        let variables =
            std::env::vars_os().filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)));
        Machine {
            variables: variables.collect(),
            include_folders,
            data_folder: "/usr/share".into(),
            package_prefix: DEBIAN_PREFIX.into(),
            scratch: target_folder(&root()),
        }
    }

    /// A simulated machine that has only the given variables and header folders. On the simulated machine,
    /// packages install LLVM in a separate prefix.
    #[cfg(test)]
    pub fn made_of(variables: &[(&str, &str)], include_folders: &[&Path]) -> Self {
        let mut machine = Machine {
            variables: variables.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
            include_folders: include_folders.iter().map(|folder| folder.to_path_buf()).collect(),
            data_folder: "/nowhere".into(),
            package_prefix: "/nowhere".into(),
            scratch: "/nowhere".into(),
        };
        machine.package_prefix = machine.prefix();
        machine.data_folder = machine.prefix().join("share");
        machine.scratch = machine.prefix();
        machine
    }

    /// The value of an environment variable; `None` if the variable is not set or empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The folder of LLVM 22: the value of the variable of mlir-sys, otherwise the folder of Debian's
    /// packages.
    pub fn prefix(&self) -> PathBuf {
        self.variable(PREFIX_VARIABLES[0]).map_or_else(|| self.package_prefix.clone(), PathBuf::from)
    }

    /// The path of the first program with this name on `PATH`.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(self.variable("PATH")?).map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// The path of the first header with this name in the include folders of the system.
    pub fn header(&self, name: &str) -> Option<PathBuf> {
        self.include_folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// The data folder of the system, for files that are neither programs nor libraries.
    pub fn data_folder(&self) -> &Path {
        &self.data_folder
    }

    /// Runs a program and returns its output; `None` if the program fails. The program receives only the
    /// environment variables of this machine.
    pub fn ask(&self, program: &Path, arguments: &[&str]) -> Option<String> {
        let output = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(&self.variables)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Runs a command to its end, with the terminal of this process. If the command fails, the error contains the
/// command.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("`{}` did not start: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", shown(command))) }
}

/// A command for the cargo program that runs this task, in the root of the workspace.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// The text of a command as a user would type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_is_found_only_on_the_given_path() {
        let machine = Machine::made_of(&[("PATH", "/usr/bin:/bin")], &[]);
        assert!(machine.program("sh").is_some());
        assert!(machine.program("no-such-program").is_none());
        assert!(Machine::made_of(&[], &[]).program("sh").is_none());
    }

    #[test]
    fn the_prefix_is_that_of_mlir_sys() {
        assert_eq!(Machine::made_of(&[], &[]).prefix(), Path::new("/nowhere"));
        let machine = Machine::made_of(&[("MLIR_SYS_220_PREFIX", "/opt/llvm")], &[]);
        assert_eq!(machine.prefix(), Path::new("/opt/llvm"));
    }

    #[test]
    fn a_failing_command_is_named() {
        let message = run(Command::new("/bin/sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(message.contains("sh -c exit 3") && message.contains('3'), "{message}");
    }
}
