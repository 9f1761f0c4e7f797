//! `cargo xtask package`: packages every crate that a program with kernels depends on, as a registry would receive it.
use crate::Outcome;
use crate::workspace;
use std::process::Command;

/// The crates in the order of their publication. Each crate depends only on crates that precede it in the
/// list.
pub const CRATES: [&str; 14] = [
    "cube-target",
    "cube-artifact",
    "cube-runtime",
    "cube-runtime-cpu",
    "cube-runtime-gpu",
    "cube-runtime-cuda",
    "cube-runtime-hip",
    "cube-runtime-wgpu",
    "cube-names",
    "cube-macros",
    "cube-frontend",
    "cube-algebra",
    "cube-std",
    "cube-mlir",
];

/// Packages the crates. With `--build`, the task also builds each package from the packaged files alone.
pub fn run(arguments: &[String]) -> Outcome {
    let build = match arguments {
        [] => false,
        [one] if one == "--build" => true,
        _ => return Err("`cargo xtask package` takes `--build` or nothing".into()),
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace::root()).args(["package", "--quiet", "--allow-dirty"]);
    if !build {
        // All dependencies have already been downloaded for the workspace.
        cargo.args(["--no-verify", "--offline"]);
    }
    for name in CRATES {
        cargo.args(["-p", name]);
    }
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`cargo package` failed with {status}: its messages name the crate and the field")),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_of_a_user_can_be_packaged() {
        run(&[]).unwrap();
        let folder = workspace::target_folder(&workspace::root()).join("package");
        for name in CRATES {
            let found = std::fs::read_dir(&folder).unwrap().flatten().any(|entry| {
                let file = entry.file_name().to_string_lossy().into_owned();
                file.strip_prefix(name).is_some_and(|rest| rest.starts_with("-0.") && rest.ends_with(".crate"))
            });
            assert!(found, "{name} has no package");
        }
    }
}
