//! `cargo xtask code-diff OLD [NEW]`: compares the code that two versions of the compiler emit for the kernels of
//! `examples/kernels` and `benches/kernels`.

use crate::phase::phase;
use crate::shell::{cargo, run as run_command, shown};
use crate::{Outcome, workspace};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const USAGE: &str = "write: cargo xtask code-diff OLD [NEW]; OLD and NEW are each a git revision or the path of a cubec program, \
    and NEW is this tree by default";

/// The targets, one for each kind of code.
const TARGETS: [&str; 6] = ["cpu", "nvptx:sm_90a", "amdgpu:gfx942", "amdgpu:gfx1100", "spirv", "wgsl"];

const FOLDERS: [&str; 2] = ["examples/kernels", "benches/kernels"];

/// The task.
pub fn run(arguments: &[String]) -> Outcome {
    let (old, new) = match arguments {
        [old] => (old.as_str(), None),
        [old, new] => (old.as_str(), Some(new.as_str())),
        _ => return Err(USAGE.to_string()),
    };
    let old = Compiler::of(old)?;
    let new = new.map_or_else(Compiler::this, Compiler::of)?;
    let mut report = Report::default();
    for folder in FOLDERS {
        for file in kernels_in(&new.tree.join(folder))? {
            compare(&old, &new, &Path::new(folder).join(file), &mut report)?;
        }
    }
    print!("{}", report.text());
    if report.lost.is_empty() {
        Ok(())
    } else {
        Err("the new compiler refuses kernels that the old one compiles".into())
    }
}

/// A version of the compiler, and the tree that contains its kernels.
struct Compiler {
    program: PathBuf,
    tree: PathBuf,
}

impl Compiler {
    /// The compiler of this tree.
    fn this() -> Result<Compiler, String> {
        let root = workspace::root();
        phase("building the tools", || run_command(&mut cargo(&root, &["build", "-p", "cube-tools"])))?;
        Ok(Compiler { program: workspace::target_folder(&root).join("debug/cube"), tree: root })
    }

    /// The compiler at a path, or that of a git revision, which is built if necessary.
    fn of(name: &str) -> Result<Compiler, String> {
        let root = workspace::root();
        let path = Path::new(name);
        if path.is_file() {
            return Ok(Compiler { program: path.to_path_buf(), tree: root });
        }
        let revision = format!("{name}^{{commit}}");
        let commit =
            output(Command::new("git").current_dir(&root).args(["rev-parse", "--verify", "--quiet", &revision]))
                .ok_or_else(|| format!("`{name}` is neither a file nor a git revision; {USAGE}"))?;
        let commit = String::from_utf8_lossy(&commit).trim().to_string();
        let folder = workspace::target_folder(&root).join("code-diff").join(&commit);
        let tree = folder.join("tree");
        if !tree.join("Cargo.toml").is_file() {
            let mut add = Command::new("git");
            add.current_dir(&root).args(["worktree", "add", "--force", "--detach"]).arg(&tree).arg(&commit);
            run_command(&mut add)?;
        }
        let mut build = cargo(&tree, &["build", "-p", "cube-tools"]);
        build.env("CARGO_TARGET_DIR", folder.join("target")).env("CARGO_INCREMENTAL", "0");
        phase(&format!("building the tools of {name}"), || run_command(&mut build))?;
        Ok(Compiler { program: folder.join("target/debug/cube"), tree })
    }

    /// The assembly or text of a kernel; `None` if the compiler refuses it.
    fn code(&self, file: &Path, kernel: &str, target: &str) -> Result<Option<String>, String> {
        let emit = if target == "wgsl" { "code" } else { "asm" };
        let mut command = Command::new(&self.program);
        // The program `cube` of a target folder acts as the tool whose name it is called by.
        command.arg0("cubec");
        command.arg(self.tree.join(file)).args(["--kernel", kernel, "--target", target, "--emit", emit, "-o", "-"]);
        let done = command.output().map_err(|error| format!("`{}` did not start: {error}", shown(&command)))?;
        Ok(done.status.success().then(|| code_lines(&String::from_utf8_lossy(&done.stdout))))
    }
}

fn output(command: &mut Command) -> Option<Vec<u8>> {
    let done = command.stderr(Stdio::null()).output().ok()?;
    done.status.success().then_some(done.stdout)
}

/// The `.mlir` files of a folder, in alphabetical order.
fn kernels_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".mlir")).collect();
    names.sort();
    Ok(names)
}

/// The names of the kernels that a text defines.
fn names_of(text: &str) -> Vec<&str> {
    let after = text.lines().filter_map(|line| line.trim_start().strip_prefix("cube.kernel @"));
    after.filter_map(|rest| rest.split(['(', '<', ' ']).next()).collect()
}

/// The lines of an assembly text, without blank lines, comments and the name of the compiler.
fn code_lines(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line).trim_end());
    let kept = lines.filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with([';', '#']) && !line.starts_with(".ident") && !line.starts_with(".file")
    });
    kept.map(|line| format!("{line}\n")).collect()
}

fn compare(old: &Compiler, new: &Compiler, file: &Path, report: &mut Report) -> Outcome {
    let Ok(text) = std::fs::read_to_string(old.tree.join(file)) else {
        report.added.push(file.display().to_string());
        return Ok(());
    };
    for kernel in names_of(&text) {
        for (index, target) in TARGETS.iter().enumerate() {
            let [before, after] = [old, new].map(|compiler| compiler.code(file, kernel, target));
            report.add(index, &format!("{}: {kernel}", file.display()), before?.as_deref(), after?.as_deref());
        }
    }
    Ok(())
}

/// The result of the comparison.
#[derive(Default)]
struct Report {
    /// Kernels with identical code, for each target.
    identical: [usize; TARGETS.len()],
    /// Kernel, target, and the lines of code before and after.
    different: Vec<(String, usize, usize, usize)>,
    /// Kernels and targets that only the old compiler compiles.
    lost: Vec<(String, usize)>,
    /// Kernels and targets that only the new compiler compiles.
    gains: [usize; TARGETS.len()],
    /// Kernels that both compilers refuse.
    refused: [usize; TARGETS.len()],
    /// Files that the old tree does not have.
    added: Vec<String>,
}

impl Report {
    fn add(&mut self, target: usize, kernel: &str, before: Option<&str>, after: Option<&str>) {
        let lines = |text: &str| text.lines().count();
        match (before, after) {
            (None, None) => self.refused[target] += 1,
            (None, Some(_)) => self.gains[target] += 1,
            (Some(_), None) => self.lost.push((kernel.to_string(), target)),
            (Some(before), Some(after)) if before == after => self.identical[target] += 1,
            (Some(before), Some(after)) => {
                self.different.push((kernel.to_string(), target, lines(before), lines(after)));
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (kernel, target, before, after) in &self.different {
            text +=
                &format!("differs: {kernel} for {}: {before} lines of code before, {after} after\n", TARGETS[*target]);
        }
        for (kernel, target) in &self.lost {
            text += &format!("lost: {kernel} for {}\n", TARGETS[*target]);
        }
        for file in &self.added {
            text += &format!("new: {file}\n");
        }
        for (index, target) in TARGETS.iter().enumerate() {
            let count = self.different.iter().filter(|row| row.1 == index).count();
            let lost = self.lost.iter().filter(|row| row.1 == index).count();
            let [identical, gains, refused] = [self.identical[index], self.gains[index], self.refused[index]];
            text += &format!(
                "{target}: {identical} identical, {count} different, {lost} lost, {gains} compile only with the new compiler, \
                 {refused} with neither\n"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_of_a_file_are_found() {
        let text =
            "cube.kernel @one(%x: f32) {\n  cube.kernel @two<\n// cube.kernel @three(\ncube.kernel @four attributes";
        assert_eq!(names_of(text), ["one", "two", "four"]);
    }

    #[test]
    fn comments_do_not_count_as_code() {
        assert_eq!(
            code_lines("// by LLVM 22\n\n  mov r0 // zero\n  # asm\n  .ident \"x\"\n  ret\n"),
            "  mov r0\n  ret\n"
        );
    }

    #[test]
    fn each_kind_of_result_is_in_the_report() {
        let mut report = Report::default();
        report.add(0, "a: k", Some("x\n"), Some("x\n"));
        report.add(0, "b: k", Some("x\n"), Some("x\ny\n"));
        report.add(1, "c: k", Some("x\n"), None);
        report.add(1, "d: k", None, Some("x\n"));
        report.add(1, "e: k", None, None);
        let text = report.text();
        assert!(text.contains("differs: b: k for cpu: 1 lines of code before, 2 after"), "{text}");
        assert!(text.contains("lost: c: k for nvptx:sm_90a"), "{text}");
        assert!(text.contains("cpu: 1 identical, 1 different, 0 lost, 0 compile only"), "{text}");
        assert!(
            text.contains(
                "nvptx:sm_90a: 0 identical, 0 different, 1 lost, 1 compile only with the new compiler, 1 with neither"
            ),
            "{text}"
        );
    }

    #[test]
    fn unknown_revision_is_an_error() {
        let error = run(&["no-such-revision".to_string()]).unwrap_err();
        assert!(
            error.starts_with("`no-such-revision` is neither a file nor a git revision; write: cargo xtask code-diff"),
            "{error}"
        );
        assert!(run(&[]).unwrap_err().starts_with("write: "));
    }
}
