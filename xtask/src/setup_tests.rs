//! `setup` on machines made of scripts, with a fake apt that records its calls.

use super::*;
use crate::doctor::fake::Prefix;

const PROGRAMS: [&str; 3] = ["cargo", "git", "c++"];

/// A simulated machine with the required programs but without LLVM. The program `apt-get` of the simulated
/// machine runs the script `apt_get`.
fn machine(apt_get: &str, policy: &str) -> (Prefix, Machine) {
    let prefix = Prefix::with_llvm("22.1.8");
    for program in PROGRAMS {
        prefix.script(&format!("path/{program}"), "echo 1");
    }
    prefix.script("path/id", "echo 0");
    prefix.script("path/apt-get", &format!("echo \"$@\" >> {}/asked\n{apt_get}", prefix.folder().display()));
    prefix.script("path/apt-cache", policy);
    let here = prefix.folder().to_str().unwrap();
    let path = format!("{here}/path:/usr/bin:/bin");
    let mut variables = PREFIX_VARIABLES.map(|name| (name, here)).to_vec();
    variables.push(("PATH", &path));
    let machine = Machine::made_of(&variables, &[&prefix.folder().join("headers")]);
    (prefix, machine)
}

const ALL_KNOWN: &str = "shift; for package; do echo \"$package:\"; echo '  Candidate: 1'; done";

fn requested(prefix: &Prefix) -> Vec<String> {
    let text = std::fs::read_to_string(prefix.folder().join("asked")).unwrap_or_default();
    text.lines().map(|line| line.replace("-o Acquire::Retries=2 -o DPkg::Lock::Timeout=120 ", "")).collect()
}

#[test]
fn a_known_package_is_installed_without_an_update() {
    let (prefix, machine) = machine("exit 0", ALL_KNOWN);
    // The fake apt installs nothing, so the second check still reports missing items.
    let message = ensure(&machine).unwrap_err();
    assert!(message.contains("apt installed the packages, but"), "{message}");
    let requested = requested(&prefix);
    assert_eq!(requested.len(), 1, "{requested:?}");
    assert!(requested[0].starts_with("install -y --no-install-recommends "), "{requested:?}");
    assert!(requested[0].contains(" mlir-22-tools ") && !requested[0].contains(" llvm-22-dev"), "{requested:?}");
}

#[test]
fn an_unknown_package_costs_one_update_and_names_the_suite() {
    let (prefix, machine) = machine("exit 0", "echo; echo '  Candidate: (none)'");
    let message = ensure(&machine).unwrap_err();
    assert!(message.contains("apt has no package `") && message.contains("security suite"), "{message}");
    assert_eq!(requested(&prefix), ["update"]);
}

#[test]
fn a_failed_download_is_tried_again_after_an_update() {
    let fails_once = "case \"$*\" in *install*) [ -e $0.tried ] || { touch $0.tried; exit 100; };; esac";
    let (prefix, machine) = machine(fails_once, ALL_KNOWN);
    let message = ensure(&machine).unwrap_err();
    assert!(message.contains("apt installed the packages, but"), "{message}");
    let verbs: Vec<_> = requested(&prefix).iter().map(|line| line.split(' ').next().unwrap().to_string()).collect();
    assert_eq!(verbs, ["install", "update", "install"]);
}

#[test]
fn without_root_the_command_is_handed_over() {
    let (prefix, machine) = machine("exit 0", ALL_KNOWN);
    prefix.script("path/id", "echo 1000");
    prefix.script("path/sudo", "exit 1");
    let message = ensure(&machine).unwrap_err();
    assert!(message.contains("requires root") && message.contains("sudo apt-get install"), "{message}");
    assert!(requested(&prefix).is_empty());
}

#[test]
fn without_apt_the_packages_and_variables_are_listed() {
    let prefix = Prefix::with_llvm("22.1.8");
    for program in PROGRAMS {
        prefix.script(&format!("path/{program}"), "echo 1");
    }
    let here = prefix.folder().to_str().unwrap();
    prefix.script("path/cc", "echo 1");
    let path = format!("{here}/path");
    let mut variables = PREFIX_VARIABLES.map(|name| (name, here)).to_vec();
    variables.push(("PATH", &path));
    let message = ensure(&Machine::made_of(&variables, &[])).unwrap_err();
    for part in ["no apt-get", "libmlir-22-dev", "libzstd-dev", "export MLIR_SYS_220_PREFIX="] {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

#[test]
fn old_llvm_prefix_is_reported_and_not_installed() {
    let (prefix, machine) = machine("exit 0", ALL_KNOWN);
    prefix.script("bin/llvm-config", "echo 14.0.6");
    let message = ensure(&machine).unwrap_err();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains("LLVM 14.0.6; Cube needs 22.x") && message.contains("unset"), "{message}");
    assert!(requested(&prefix).is_empty());
}

#[test]
fn custom_llvm_prefix_is_not_installed_by_apt() {
    let (prefix, mut machine) = machine("exit 0", ALL_KNOWN);
    machine.package_prefix = "/usr/lib/llvm-22".into();
    let message = ensure(&machine).unwrap_err();
    assert!(message.contains("not the prefix of Debian's packages"), "{message}");
    assert!(requested(&prefix).is_empty());
}
