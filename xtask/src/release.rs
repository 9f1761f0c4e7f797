//! `cargo xtask release`: one binary that contains LLVM, for machines without LLVM, as a folder and as an archive with the
//! default names of `cargo binstall`.

use crate::phase::phase;
use crate::shell::{Machine, cargo, run as run_command};
use crate::{Outcome, links, setup, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The separate target folder for static builds. A separate folder is necessary because the build script of
/// mlir-sys does not detect a change between shared and static linking.
const TARGET: &str = "target-static";

/// Text files that a release contains in addition to the binary.
const TEXTS: [&str; 4] = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"];

/// The task `release`: builds the static binary and packs the release folder.
pub fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("usage: cargo xtask release".into());
    }
    let root = workspace::root();
    phase("set-up", || setup::ensure(&Machine::this()))?;
    if !workspace::has_tools(&root) {
        return Err("no tools/ in this checkout yet, so there is nothing to release".into());
    }
    phase("building the static tools", || run_command(&mut build(&root)))?;
    let dist = root.join(TARGET).join("dist");
    let built = root.join(TARGET).join("release/cube");
    let size = phase("packing", || pack(&built, &dist, &root))?;
    println!("{}: {:.1} MB, stripped", dist.join("cube").display(), size as f64 / 1e6);
    let name = format!("cube-tools-{}-v{}", host()?, env!("CARGO_PKG_VERSION"));
    let file = phase("archiving", || archive(&dist, &name))?;
    println!("{}", file.display());
    Ok(())
}

/// The target triple of this machine, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("cannot start rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| format!("`rustc -vV` prints no host:\n{text}"))
}

/// Packs the release folder into `NAME.tgz` beside it. The files of the archive are in the folder `NAME`, where `cargo
/// binstall` looks for the binaries of a package. Returns the path of the archive.
fn archive(dist: &Path, name: &str) -> Result<PathBuf, String> {
    let file = dist.with_file_name(format!("{name}.tgz"));
    let (parent, folder) = (dist.parent().expect("the folder has a parent"), dist.file_name().expect("it has a name"));
    let mut tar = Command::new("tar");
    tar.arg("--create").arg("--gzip").arg("--file").arg(&file).arg("--directory").arg(parent);
    // The flag `r` limits the change to names: the targets of the links stay the same.
    tar.arg(format!("--transform=flags=r;s,^{},{name},", folder.to_string_lossy())).arg(folder);
    run_command(&mut tar)?;
    Ok(file)
}

fn build(root: &Path) -> Command {
    let arguments = [
        "build",
        "--release",
        "-p",
        "cube-tools",
        "--no-default-features",
        "--features",
        "static",
        "--config",
        "profile.release.strip=true",
    ];
    let mut command = cargo(root, &arguments);
    // The variables of the process override those of .cargo/config.toml, which request shared libraries.
    command.env("MLIR_SYS_LINK_SHARED", "0").env("CARGO_TARGET_DIR", TARGET);
    command
}

/// Fills an empty release folder with the binary, its links and the text files. An existing release folder is
/// deleted first. Returns the size of the binary in bytes.
fn pack(built: &Path, dist: &Path, root: &Path) -> Result<u64, String> {
    let failed = |what: &Path, error: std::io::Error| format!("cannot pack {}: {error}", what.display());
    if dist.exists() {
        std::fs::remove_dir_all(dist).map_err(|error| failed(dist, error))?;
    }
    std::fs::create_dir_all(dist).map_err(|error| failed(dist, error))?;
    let size = std::fs::copy(built, dist.join("cube")).map_err(|error| failed(built, error))?;
    for text in TEXTS.iter().map(|name| root.join(name)).filter(|path| path.is_file()) {
        let name = text.file_name().expect("a text has a name");
        std::fs::copy(&text, dist.join(name)).map_err(|error| failed(&text, error))?;
    }
    links::make_in(dist)?;
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_holds_the_binary_its_names_and_the_licences() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("cube"), "12345").unwrap();
        std::fs::write(at("LICENSE-MIT"), "MIT").unwrap();
        std::fs::create_dir(at("dist")).unwrap();
        std::fs::write(at("dist/old"), "").unwrap();
        assert_eq!(pack(&at("cube"), &at("dist"), folder.path()), Ok(5));
        assert!(at("dist/cubec").is_symlink() && at("dist/LICENSE-MIT").is_file());
        assert!(!at("dist/old").exists());
    }

    #[test]
    fn an_archive_has_the_layout_of_cargo_binstall() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("cube"), "12345").unwrap();
        std::fs::write(at("LICENSE-MIT"), "MIT").unwrap();
        pack(&at("cube"), &at("dist"), folder.path()).unwrap();
        let name = format!("cube-tools-{}-v1.2.3", host().unwrap());
        assert_eq!(archive(&at("dist"), &name), Ok(at(&format!("{name}.tgz"))));
        let mut tar = Command::new("tar");
        tar.arg("--extract").arg("--gzip").arg("--file").arg(at(&format!("{name}.tgz")));
        run_command(tar.arg("--directory").arg(folder.path())).unwrap();
        for text in ["cube", "cubec"].map(|file| std::fs::read_to_string(at(&name).join(file))) {
            assert_eq!(text.unwrap(), "12345");
        }
        assert!(at(&name).join("LICENSE-MIT").is_file());
    }

    #[test]
    fn the_static_build_keeps_out_of_the_shared_folder() {
        let command = build(Path::new("."));
        let set: Vec<_> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?))).collect();
        assert!(
            set.contains(&("MLIR_SYS_LINK_SHARED", "0")) && set.contains(&("CARGO_TARGET_DIR", "target-static")),
            "{set:?}"
        );
    }
}
