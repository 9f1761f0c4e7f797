//! Searches for the program of the compiler.
use super::names::{ALL_TOOLS, INSTALL_COMMAND, PROGRAM};
use cube_artifact::{CompileError, Variables};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The locations where the search looks for the compiler, in order: first the user's choice, last the
/// programs that cargo built on this machine.
#[derive(Default)]
struct SearchLocations {
    /// `CUBE_COMPILER`. If `CUBE_COMPILER` is set, the search uses no other location.
    named: Option<OsString>,
    /// `PATH`.
    path: OsString,
    /// The path of the running program; cargo builds the compiler into the same folder.
    program: Option<PathBuf>,
    /// The folder into which `cargo install` installs programs; on some machines, `PATH` does not contain
    /// this folder.
    installed: Option<PathBuf>,
    /// The checkout from which this library was compiled. A program with a path dependency on the library therefore
    /// needs no installed compiler.
    checkout: Option<PathBuf>,
}

/// Finds the compiler in `CUBE_COMPILER`, in `PATH`, next to the running program, in cargo's folder of installed
/// programs, or in the checkout of this library.
pub(super) fn find(variables: &Variables) -> Result<PathBuf, CompileError> {
    let get = |name| variables.get(name);
    let home = || get("HOME").or_else(|| get("USERPROFILE")).map(|home| Path::new(home).join(".cargo"));
    let checkout =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).filter(|root| root.join("tools/Cargo.toml").is_file());
    SearchLocations {
        named: get("CUBE_COMPILER").map(Into::into),
        path: get("PATH").unwrap_or_default().into(),
        program: variables.program().map(Into::into),
        installed: get("CARGO_HOME").map(PathBuf::from).or_else(home).map(|cargo| cargo.join("bin")),
        checkout: checkout.map(Path::to_path_buf),
    }
    .find()
}

impl SearchLocations {
    fn find(&self) -> Result<PathBuf, CompileError> {
        if let Some(named) = &self.named {
            let file = PathBuf::from(named);
            // If the file that `CUBE_COMPILER` names does not exist, the result is an error, because another compiler
            // could give unexpected results.
            return if is_program(&file) {
                Ok(file)
            } else {
                Err(CompileError::from(cube_artifact::diagnostic!(CUBE0900.named {
                    file: file.display(),
                    program: PROGRAM,
                    advice: self.advice()
                })))
            };
        }
        let beside = self.program.as_deref().and_then(Path::parent);
        let found = self.alone().into_iter().chain(self.all_tools()).find(|file| is_program(file));
        found.or_else(|| self.built_last()).map_or_else(
            || {
                let beside =
                    beside.map_or(String::new(), |folder| format!(", nor next to this program ({})", folder.display()));
                Err(CompileError::from(cube_artifact::diagnostic!(CUBE0900.none {
                    program: PROGRAM,
                    beside,
                    advice: self.advice()
                })))
            },
            Ok,
        )
    }

    /// Test programs and examples are one folder deeper than other programs (target/debug/deps,
    /// target/debug/examples). The search therefore includes the parent of such a folder, but no other folder
    /// above the running program. The program of a documentation test is in a subfolder of the folder for
    /// temporary files, where any user can create programs.
    fn own(&self) -> impl Iterator<Item = &Path> {
        let beside = self.program.as_deref().and_then(Path::parent);
        let of_tests = |folder: &&Path| ["deps", "examples"].iter().any(|name| folder.ends_with(name));
        beside.into_iter().chain(beside.filter(of_tests).and_then(Path::parent))
    }

    fn alone(&self) -> Vec<PathBuf> {
        let folders = std::env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        let near = self.own().chain(self.installed.as_deref()).map(Path::to_path_buf);
        folders.chain(near).map(|folder| folder.join(executable(PROGRAM))).collect()
    }

    /// cargo builds all tools as one program with the name `cube`. The search looks for `cube` only in Cube's
    /// own folders, because elsewhere another program can have this name.
    fn all_tools(&self) -> Vec<PathBuf> {
        self.own().map(|folder| folder.join(executable(ALL_TOOLS))).collect()
    }

    /// The newest compiler that was built in the checkout. The library was built from the same checkout, and can
    /// require features that an older compiler does not have.
    fn built_last(&self) -> Option<PathBuf> {
        let target = self.checkout.as_ref()?.join("target");
        let built = ["release", "debug"].map(|profile| target.join(profile).join(executable(ALL_TOOLS)));
        built
            .into_iter()
            .filter(|file| is_program(file))
            .max_by_key(|file| file.metadata().and_then(|found| found.modified()).ok())
    }

    fn advice(&self) -> String {
        match &self.checkout {
            Some(root) => {
                format!("install cubec with `cd {} && cargo xtask setup && {INSTALL_COMMAND}`", root.display())
            }
            None => format!("install cubec with `{INSTALL_COMMAND}` in a checkout of Cube"),
        }
    }
}

/// The command with which the user can rebuild a compiler. If the compiler is from a checkout, the command
/// builds in this checkout.
pub(super) fn rebuild(program: &Path) -> String {
    let root = program.ancestors().find(|folder| folder.join("tools/Cargo.toml").is_file());
    match root {
        Some(root) => {
            let release = if program.parent().is_some_and(|p| p.ends_with("release")) { " --release" } else { "" };
            format!("build the compiler again with `cd {} && cargo build -p cube-tools{release}`", root.display())
        }
        None => format!("build the compiler again from the sources of this program with `{INSTALL_COMMAND}`"),
    }
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn named_compiler_precedes_installed_and_built_ones() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let [named, in_path, beside, installed] =
            ["a", "b", "c", "d"].map(|folder| program(&at(folder), PROGRAM, 0o755));
        // The search skips a file without execute permission.
        program(&at("plain"), PROGRAM, 0o644);
        let old = program(&at("tree/target/release"), ALL_TOOLS, 0o755);
        let new = program(&at("tree/target/debug"), ALL_TOOLS, 0o755);
        let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        std::fs::File::options().write(true).open(&old).unwrap().set_modified(an_hour_ago).unwrap();

        let mut places = SearchLocations {
            named: Some(named.clone().into()),
            path: std::env::join_paths([at("none"), at("plain"), at("b")]).unwrap(),
            program: Some(at("c/program")),
            installed: Some(at("d")),
            checkout: Some(at("tree")),
        };
        assert_eq!(places.find(), Ok(named));
        places.named = None;
        assert_eq!(places.find(), Ok(in_path));
        places.path.clear();
        assert_eq!(places.find(), Ok(beside.clone()));
        places.program = Some(at("c/deps/test"));
        assert_eq!(places.find(), Ok(beside.clone()));
        // The search skips folders that belong to another user.
        places.program = Some(at("c/rustdoctest1/test"));
        assert_eq!(places.find(), Ok(installed.clone()));
        places.program = Some(at("c/deps/test"));
        // The program `cube` contains all tools. The search uses it if `cubec` does not exist, but never takes it from
        // `PATH`.
        let all = beside.with_file_name(ALL_TOOLS);
        std::fs::rename(&beside, &all).unwrap();
        places.installed = None;
        assert_eq!(places.find(), Ok(all));
        places.path = at("c").into();
        places.program = Some(at("x/y/test"));
        assert_eq!(places.find(), Ok(new));
        places.installed = Some(at("d"));
        assert_eq!(places.find(), Ok(installed));
        places.installed = None;
        places.checkout = Some(at("emptied"));
        assert!(places.find().is_err());
    }

    #[test]
    fn rebuild_hint_names_the_source_folder() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("tree");
        program(&tree.join("tools"), "Cargo.toml", 0o644);
        let text = |file: &str| rebuild(&root.path().join(file));
        let in_tree = |flag: &str| {
            format!("build the compiler again with `cd {} && cargo build -p cube-tools{flag}`", tree.display())
        };
        assert_eq!(text("tree/target/debug/cube"), in_tree(""));
        assert_eq!(text("tree/target/release/cube"), in_tree(" --release"));
        assert!(text("bin/cubec").ends_with("with `cargo install --path tools`"), "{}", text("bin/cubec"));
    }

    #[test]
    fn missing_compiler_is_reported_with_its_install_command() {
        let root = tempfile::tempdir().unwrap();
        let mut places = SearchLocations {
            path: root.path().into(),
            program: Some(root.path().join("x/y/program")),
            ..SearchLocations::default()
        };
        let error = places.find().unwrap_err();
        assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0900"));
        assert!(
            error.to_string().ends_with("; install cubec with `cargo install --path tools` in a checkout of Cube"),
            "{error}"
        );
        places.checkout = Some("/tree".into());
        let error = places.find().unwrap_err().to_string();
        assert!(
            error.ends_with("; install cubec with `cd /tree && cargo xtask setup && cargo install --path tools`"),
            "{error}"
        );
        places.named = Some("/no/such/cubec".into());
        let error = places.find().unwrap_err().to_string();
        assert!(error.contains("CUBE_COMPILER is '/no/such/cubec', which is not a program"), "{error}");
    }
}
