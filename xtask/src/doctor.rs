//! `cargo xtask doctor`: one screen with the present and the missing requirements, and the commands that install the missing ones.

use crate::Outcome;
use crate::requirements::{Finding, REQUIREMENTS, Requirement};
use crate::shell::Machine;

/// Prints the state of all requirements; fails if a mandatory requirement is missing.
pub fn run(_: &[String]) -> Outcome {
    let report = examine(&Machine::this());
    print!("{}", report.report);
    match report.broken {
        0 => Ok(()),
        1 => Err("1 requirement is not met; the line above says how to repair it".into()),
        count => Err(format!("{count} requirements are not met; the lines above say how to repair them")),
    }
}

/// The text of the output, and the number of missing mandatory requirements.
pub struct Report {
    report: String,
    broken: usize,
}

/// Checks whether a machine satisfies every requirement.
pub fn examine(machine: &Machine) -> Report {
    let mut report = Report { report: String::new(), broken: 0 };
    for requirement in REQUIREMENTS {
        report.add(requirement, requirement.look(machine));
    }
    if report.broken == 0 {
        report.report += "\nall requirements are met\n";
    }
    report
}

impl Report {
    fn add(&mut self, requirement: &Requirement, finding: Finding) {
        let (mark, found) = match &finding {
            Finding::Present(found) => ("ok", found),
            Finding::Missing(found) => ("missing", found),
            Finding::Unfit(found) => ("unfit", found),
        };
        self.report += &format!("{mark:<8} {:<27} {found}\n", requirement.name);
        if matches!(finding, Finding::Present(_)) {
            return;
        }
        let optional = if requirement.optional { " (optional)" } else { "" };
        self.report += &format!("         {:<27} -> {}{optional}\n", "", remedy(requirement, &finding));
        self.broken += usize::from(!requirement.optional);
    }
}

/// The command that satisfies a requirement.
fn remedy(requirement: &Requirement, finding: &Finding) -> String {
    match finding {
        // An installation cannot repair a prefix variable that points elsewhere.
        Finding::Unfit(_) => "unset the three *_PREFIX variables, or point all of them at an LLVM 22".into(),
        _ if requirement.packages.is_empty() => requirement.remedy.into(),
        _ => format!("cargo xtask setup   (installs {})", requirement.packages.join(" ")),
    }
}

#[cfg(test)]
pub mod fake {
    //! A temporary folder that simulates an LLVM installation prefix, with the parts of LLVM that a test
    //! needs.

    use crate::shell::{Machine, PREFIX_VARIABLES};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// The temporary folder, which is deleted when the value is dropped.
    pub struct Prefix(tempfile::TempDir);

    impl Prefix {
        /// Creates a prefix that contains only an `llvm-config`, which reports the given version.
        pub fn with_llvm(version: &str) -> Self {
            let prefix = Prefix(tempfile::tempdir().unwrap());
            prefix.script("bin/llvm-config", &format!("echo {version}"));
            prefix
        }

        /// A simulated machine whose environment variables name this prefix. The `PATH` of the machine
        /// contains the folder `path` of the prefix, `/usr/bin` and `/bin`.
        pub fn machine(&self) -> Machine {
            let here = self.0.path().to_str().unwrap();
            let path = format!("{here}/path:/usr/bin:/bin");
            let mut variables = PREFIX_VARIABLES.map(|name| (name, here)).to_vec();
            variables.push(("PATH", &path));
            Machine::made_of(&variables, &[&self.0.path().join("headers")])
        }

        /// The folder of the prefix.
        pub fn folder(&self) -> &Path {
            self.0.path()
        }

        /// Creates an executable shell script in the prefix.
        pub fn script(&self, name: &str, body: &str) {
            self.file(name, &format!("#!/bin/sh\n{body}\n"));
            let path = self.0.path().join(name);
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }

        /// Creates a file in the prefix.
        pub fn file(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fake::Prefix;
    use super::*;

    #[test]
    fn old_llvm_is_reported_with_its_fix() {
        let report = examine(&Prefix::with_llvm("14.0.6").machine());
        let at = report.report.find("unfit    LLVM 22").expect("the row of LLVM");
        let rows: Vec<&str> = report.report[at..].lines().take(2).collect();
        assert!(rows[0].contains("is LLVM 14.0.6; Cube needs 22.x"), "{}", rows[0]);
        assert!(rows[1].contains("point all of them at an LLVM 22"), "{}", rows[1]);
        assert!(report.broken > 0);
    }

    #[test]
    fn missing_package_is_reported_with_its_install_command() {
        let report = examine(&Prefix::with_llvm("22.1.8").machine());
        assert!(report.report.contains("ok       LLVM 22"), "{}", report.report);
        let row = report.report.lines().find(|line| line.contains("installs libzstd-dev")).expect("a remedy for zstd");
        assert!(row.contains("cargo xtask setup"), "{row}");
    }

    #[test]
    fn missing_optional_requirement_does_not_fail_the_doctor() {
        let mut report = Report { report: String::new(), broken: 0 };
        let clippy = REQUIREMENTS.iter().find(|requirement| requirement.name == "clippy").unwrap();
        report.add(clippy, Finding::Missing("no cargo-clippy on PATH".into()));
        assert_eq!(report.broken, 0);
        assert!(report.report.contains("rustup component add clippy (optional)"), "{}", report.report);
    }

    #[test]
    fn the_screen_fits_a_screen() {
        let worst = examine(&Machine::made_of(&[], &[])); // its prefix is not a folder
        assert!(worst.report.lines().count() <= 60, "{} lines", worst.report.lines().count());
        assert_eq!(worst.broken, REQUIREMENTS.iter().filter(|requirement| !requirement.optional).count());
    }
}
