//! Where the compiler is.
use super::{ALL_TOOLS, INSTALL_COMMAND, PROGRAM};
use cube_artifact::{CompileError, codes};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The compiler as the environment has it: `CUBE_COMPILER`, then `PATH`, then next to the running program.
pub(super) fn find() -> Result<PathBuf, CompileError> {
    let named = std::env::var_os("CUBE_COMPILER");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let exe = std::env::current_exe().ok();
    find_in(named.as_deref(), &path, exe.as_deref())
}

fn find_in(named: Option<&OsStr>, path: &OsStr, exe: Option<&Path>) -> Result<PathBuf, CompileError> {
    if let Some(named) = named {
        let file = PathBuf::from(named);
        // Named and missing is an error: another compiler would compile with surprises.
        return if is_program(&file) {
            Ok(file)
        } else {
            Err(CompileError::new(
                codes::NO_COMPILER,
                format!(
                    "CUBE_COMPILER is '{}', which is no program: set it to the path of {PROGRAM}, or unset it and install the compiler with `{INSTALL_COMMAND}`",
                    file.display()
                ),
            ))
        };
    }
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    // Programs under test lie one folder deeper than installed ones (target/debug/deps, target/debug/examples).
    let beside = exe.and_then(Path::parent);
    let above = beside.and_then(Path::parent);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let own: Vec<PathBuf> = beside.into_iter().chain(above).map(Path::to_path_buf).collect();
    // cargo builds the tools as one program; only our own folders are asked for it, since `cube` in PATH may be anything.
    let all_tools = own.iter().map(|folder| folder.join(format!("{ALL_TOOLS}{}", std::env::consts::EXE_SUFFIX)));
    let alone = folders.chain(own.iter().cloned()).map(|folder| folder.join(&name));
    alone.chain(all_tools).find(|file| is_program(file)).ok_or_else(|| {
        let beside = beside.map_or(String::new(), |folder| format!(", nor next to this program ({})", folder.display()));
        CompileError::new(
            codes::NO_COMPILER,
            format!(
                "no cube compiler was found: CUBE_COMPILER is not set and {PROGRAM} is not in a folder of PATH{beside}; install it with `{INSTALL_COMMAND}`"
            ),
        )
    })
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

    fn program(folder: &Path, mode: u32) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        let file = folder.join(PROGRAM);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_named_one_comes_before_path_and_path_before_the_neighbour() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let (named, in_path, beside) = (program(&at("a"), 0o755), program(&at("b"), 0o755), program(&at("c"), 0o755));
        // A file without the permission to run is passed over.
        program(&at("plain"), 0o644);
        let path = std::env::join_paths([at("none"), at("plain"), at("b")]).unwrap();
        let exe = at("c/program");
        assert_eq!(find_in(Some(named.as_os_str()), &path, Some(&exe)), Ok(named));
        assert_eq!(find_in(None, &path, Some(&exe)), Ok(in_path));
        assert_eq!(find_in(None, "".as_ref(), Some(&exe)), Ok(beside.clone()));
        assert_eq!(find_in(None, "".as_ref(), Some(&at("c/deps/test"))), Ok(beside.clone()));
        // The program that is all tools at once is taken where there is no compiler alone, and never from PATH.
        let all = beside.with_file_name(ALL_TOOLS);
        std::fs::rename(&beside, &all).unwrap();
        assert_eq!(find_in(None, "".as_ref(), Some(&at("c/deps/test"))), Ok(all));
        let path = std::env::join_paths([at("c")]).unwrap();
        assert!(find_in(None, &path, Some(&at("x/y/test"))).is_err());
    }

    #[test]
    fn without_one_the_error_names_the_command_that_installs_it() {
        let root = tempfile::tempdir().unwrap();
        let exe = root.path().join("x/y/program");
        let error = find_in(None, root.path().as_os_str(), Some(&exe)).unwrap_err();
        assert_eq!(error.diagnostics[0].code.as_deref(), Some(codes::NO_COMPILER));
        assert!(error.to_string().ends_with("; install it with `cargo install --path tools`"), "{error}");
        let error = find_in(Some("/no/such/cubec".as_ref()), "".as_ref(), None).unwrap_err();
        assert!(error.to_string().contains("CUBE_COMPILER is '/no/such/cubec', which is no program"), "{error}");
    }
}
