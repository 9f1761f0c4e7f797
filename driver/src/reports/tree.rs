//! Writes a folder with the module after each pass that changed the module, in pipeline order, and the differences from
//! the previous module. The option `--dump-tree` of the tools writes the modules. The variable `CUBE_TRACE` also writes
//! remarks and code (a trace).
//!
//! ```text
//! index.txt                        one line per pass, written before the pass runs, so that a crash is visible
//! index.html                       all differences on one page
//! parse/00-parse.mlir              the module before the first pass
//! specialize/03-specialize.mlir    the module after a pass that changed it; a compilation can resume from this file
//! specialize/03-specialize.diff    the changes of this pass
//! remarks.txt                      remarks of the passes (this file and the following files: only in a trace)
//! code.ll, code.s, code.o          the last LLVM IR, the assembly, the code
//! ```
//!
//! A user can edit the module files of a trace. In later compilations, an edited file replaces the output of its pass,
//! until the user removes the file.
use crate::instrumentation::{Emit, PassInfo, PassInstrumentation, Replacement};
use cube_artifact::{Artifact, CompileError};
use cube_backend::OutputForm;
use cube_ir::{OwnedModule, SessionError, remarks};
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The first word of the file `index.txt`, which identifies a folder of this format.
const MARK: &str = "cube-tree";

/// The prefix of the first line of each module file. The line contains the hash of the text after it, which shows
/// whether a user has edited the file.
const TEXT: &str = "// cube-text: ";

const STYLE: &str = "<!doctype html><meta charset=\"utf-8\"><title>cube tree</title><style>body{font:14px sans-serif;margin:2em}pre{font:12px monospace;background:#f6f6f6;padding:.5em;overflow-x:auto}.a{background:#d8f5d8}.d{background:#fbdcdc}.s{color:#888}</style>";

/// A folder of module files that a compilation is writing.
pub struct Tree {
    folder: PathBuf,
    index: File,
    page: File,
    number: usize,
    last: String,
    failed: Option<CompileError>,
    trace: Option<Trace>,
}

/// The state and files of a trace, in addition to the module files of the passes.
struct Trace {
    /// Contents of the edited files, which will replace the output of their passes.
    edited: BTreeMap<String, String>,
    remarks: File,
    /// The text that the trace reports to the user.
    report: String,
}

impl Tree {
    /// Creates the folder, or removes the files of an earlier tree from an existing folder.
    ///
    /// # Errors
    /// The folder cannot be written, or contains files that do not belong to a tree.
    pub fn new(folder: &Path, title: &str) -> Result<Tree, CompileError> {
        Self::begin(folder, title, false)
    }

    /// Starts a trace. Edited files of an earlier trace replace the output of their passes.
    ///
    /// # Errors
    /// The errors of [`Tree::new`].
    pub fn trace(folder: &Path, title: &str) -> Result<Tree, CompileError> {
        Self::begin(folder, title, true)
    }

    fn begin(folder: &Path, title: &str, trace: bool) -> Result<Tree, CompileError> {
        let fail = |e: std::io::Error| cannot(folder, &e);
        std::fs::create_dir_all(folder).map_err(fail)?;
        let index = folder.join("index.txt");
        let mut edited = BTreeMap::new();
        match std::fs::read_to_string(&index) {
            Ok(old) if old.starts_with(MARK) => edited = remove_old(folder, &old, trace),
            _ if folder.read_dir().map_err(fail)?.next().is_none() => {}
            _ => {
                return Err(CompileError::from(cube_ir::diagnostic!(CUBE0603.taken { folder: folder.display() })));
            }
        }
        let mut index = File::create(index).map_err(fail)?;
        let mut page = File::create(folder.join("index.html")).map_err(fail)?;
        writeln!(index, "{MARK} {title}").map_err(fail)?;
        writeln!(page, "{STYLE}<h1>{}</h1>", escaped(title)).map_err(fail)?;
        // A trace keeps edited files even if it ends before their passes.
        for name in edited.keys() {
            writeln!(index, "edited {name}").map_err(fail)?;
        }
        let trace = match trace {
            true => {
                let remarks = File::create(folder.join("remarks.txt")).map_err(fail)?;
                Some(Trace { edited, remarks, report: String::new() })
            }
            false => None,
        };
        Ok(Tree { folder: folder.into(), index, page, number: 0, last: String::new(), failed: None, trace })
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// A file of the tree could not be written.
    pub fn finish(mut self) -> Result<(), CompileError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// The text that the trace reports to the user; empty without a trace.
    pub(super) fn report(&self) -> &str {
        self.trace.as_ref().map_or("", |trace| &trace.report)
    }

    /// Writes the remarks of the pass that has just run.
    pub(super) fn remarks(&mut self, step: &PassInfo<'_>, remarks: &[remarks::Remark]) {
        let number = self.number;
        let done = self.trace.as_mut().map_or(Ok(()), |trace| {
            remarks.iter().try_for_each(|r| {
                let location = r.location.as_ref().map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column));
                let line = format!("{location}{}", r.message(), location = location.unwrap_or_default());
                writeln!(self.page, "<p>{number:02} {}</p>", escaped(&line))?;
                writeln!(trace.remarks, "{number:02} {:12} {:24} {line}", step.phase, step.pass)
            })
        });
        self.keep(done);
    }

    fn keep(&mut self, done: std::io::Result<()>) {
        if let Err(error) = done {
            self.failed.get_or_insert_with(|| cannot(&self.folder, &error));
        }
    }

    fn write_start(&mut self, step: &PassInfo<'_>, text: String) -> std::io::Result<()> {
        let file = self.module(step, &text)?;
        writeln!(self.index, "00 {:12} {:32} {} lines {file}", "parse", "parse", text.lines().count())?;
        self.last = text;
        Ok(())
    }

    fn write_after(&mut self, step: &PassInfo<'_>, text: String) -> std::io::Result<()> {
        let (phase, pass) = (step.phase, step.pass);
        if text == self.last {
            writeln!(self.page, "<p class=s>{:02} {phase} {pass}: no change</p>", self.number)?;
            return writeln!(self.index, "same");
        }
        let diff = TextDiff::from_lines(&self.last, &text);
        let count = |tag| diff.iter_all_changes().filter(|c| c.tag() == tag).count();
        let (plus, minus) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let unified = diff.unified_diff().context_radius(3).header("before", "after").to_string();
        let file = self.module(step, &text)?;
        self.file(phase, pass, "diff", &unified)?;
        writeln!(self.index, "+{plus} -{minus} {file}")?;
        let title = format!("{:02} {phase} {pass}: +{plus} -{minus}", self.number);
        write!(self.page, "<details open><summary><a href=\"{file}\">{}</a></summary><pre>", escaped(&title))?;
        for line in unified.lines() {
            let class = if line.starts_with('+') {
                "a"
            } else if line.starts_with('-') {
                "d"
            } else {
                ""
            };
            writeln!(self.page, "<span class=\"{class}\">{}</span>", escaped(line))?;
        }
        writeln!(self.page, "</pre></details>")?;
        self.last = text;
        Ok(())
    }

    fn write_failure(&mut self, pass: &str, error: &SessionError) -> std::io::Result<()> {
        let messages: Vec<&str> = error.diagnostics.iter().map(|d| d.message.as_str()).collect();
        writeln!(self.index, "failed: {}", messages.join("; "))?;
        writeln!(
            self.page,
            "<p class=d>{:02} {} failed: {}</p>",
            self.number,
            escaped(pass),
            escaped(&messages.join("; "))
        )
    }

    fn name(&self, phase: &str, pass: &str, extension: &str) -> String {
        let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "_");
        format!("{}/{:02}-{}.{extension}", plain(phase), self.number, plain(pass))
    }

    // Writes a file of the current pass; returns its name relative to the folder.
    fn file(&self, phase: &str, pass: &str, extension: &str, text: &str) -> std::io::Result<String> {
        let name = self.name(phase, pass, extension);
        let file = self.folder.join(&name);
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(file, text)?;
        Ok(name)
    }

    // Writes the module after the current pass, unless a user has edited the file.
    fn module(&self, step: &PassInfo<'_>, text: &str) -> std::io::Result<String> {
        let name = self.name(step.phase, step.pass, "mlir");
        if self.trace.as_ref().is_some_and(|trace| trace.edited.contains_key(&name)) {
            return Ok(name);
        }
        self.file(step.phase, step.pass, "mlir", &format!("{}{TEXT}{}\n{text}", step.header, hash(text)))
    }

    fn write_code(&mut self, form: OutputForm, file: &str, emit: Emit<'_>) -> std::io::Result<()> {
        write!(self.index, "-- emit         {file:32} ")?;
        match emit(form) {
            Ok(bytes) => {
                std::fs::write(self.folder.join(file), &bytes)?;
                writeln!(self.index, "{} bytes", bytes.len())
            }
            Err(error) => self.write_failure(file, &error),
        }
    }
}

impl PassInstrumentation for Tree {
    fn start(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        let done = self.write_start(step, module.print());
        self.keep(done);
        ControlFlow::Continue(())
    }

    fn before(&mut self, step: &PassInfo<'_>) {
        self.number += 1;
        let done = write!(self.index, "{:02} {:12} {:32} ", self.number, step.phase, step.pass)
            .and_then(|()| self.index.flush());
        self.keep(done);
    }

    fn failed(&mut self, step: &PassInfo<'_>, _: &OwnedModule<'_>, error: &SessionError) {
        let done = self.write_failure(step.pass, error);
        self.keep(done);
    }

    fn after(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        let done = self.write_after(step, module.print());
        self.keep(done);
        ControlFlow::Continue(())
    }

    fn replacement(&mut self, step: &PassInfo<'_>) -> Option<Replacement> {
        let name = self.name(step.phase, step.pass, "mlir");
        let text = self.trace.as_mut()?.edited.remove(&name)?;
        Some(Replacement { file: self.folder.join(name).display().to_string(), text })
    }

    fn replaced(&mut self, step: &PassInfo<'_>, module: &OwnedModule<'_>) {
        let name = self.name(step.phase, step.pass, "mlir");
        self.last = module.print();
        if let Some(trace) = &mut self.trace {
            let file = self.folder.join(&name);
            trace.report += &format!(
                "the compilation continues from {}, which was edited; remove the file to use the output of the pass again\n",
                file.display()
            );
        }
        let done = writeln!(self.index, "   the compilation continues from the edited {name}");
        self.keep(done);
    }

    fn emitting(&mut self, emit: Emit<'_>) {
        if self.trace.is_some() {
            for (form, file) in [(OutputForm::Llvm, "code.ll"), (OutputForm::Assembly, "code.s")] {
                let done = self.write_code(form, file, emit);
                self.keep(done);
            }
        }
    }

    fn done(&mut self, artifact: &Artifact) {
        let Some(trace) = &mut self.trace else { return };
        for name in trace.edited.keys() {
            let file = self.folder.join(name);
            trace.report += &format!(
                "the edited file {} has no effect, because no pass of this compilation produces the file\n",
                file.display()
            );
        }
        // The names of the two text forms are reserved.
        let file = match artifact.format.extension() {
            taken @ ("ll" | "s") => format!("code.{}.{taken}", artifact.target.backend),
            extension => format!("code.{extension}"),
        };
        let done = std::fs::write(self.folder.join(&file), &artifact.code)
            .and_then(|()| writeln!(self.index, "-- emit         {file:32} {} bytes", artifact.code.len()));
        self.keep(done);
    }
}

fn cannot(folder: &Path, error: &std::io::Error) -> CompileError {
    CompileError::from(cube_ir::diagnostic!(CUBE0603.folder { folder: folder.display(), error }))
}

// Removes only the files that an earlier index names. With `keep_edited`, edited files remain, and their contents are
// returned.
fn remove_old(folder: &Path, index: &str, keep_edited: bool) -> BTreeMap<String, String> {
    let plain =
        |name: &&str| name.ends_with(".mlir") && name.contains('/') && !name.contains("..") && !name.starts_with('/');
    let mut edited = BTreeMap::new();
    for name in index.lines().skip(1).flat_map(|line| line.split(' ')).filter(plain) {
        let file = folder.join(name);
        let _ = std::fs::remove_file(file.with_extension("diff"));
        let text = std::fs::read_to_string(&file).ok().filter(|text| keep_edited && is_edited(text));
        match text {
            Some(text) => drop(edited.insert(name.to_string(), text)),
            // A missing file counts as removed.
            None => drop(std::fs::remove_file(&file)),
        }
        // A folder with other files remains.
        let _ = file.parent().map(std::fs::remove_dir);
    }
    edited
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

// Whether a file has been edited. The header of an unedited file has the hash of its text.
fn is_edited(text: &str) -> bool {
    let mut rest = text;
    while let Some((line, below)) = rest.split_once('\n').filter(|(line, _)| line.starts_with("// cube-")) {
        if let Some(was) = line.strip_prefix(TEXT) {
            return was != hash(below);
        }
        rest = below;
    }
    true
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unrelated_folder_is_not_modified() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("precious"), "x").unwrap();
        let error = Tree::new(folder.path(), "k").err().unwrap().to_string();
        assert!(error.contains("contains other files"), "{error}");
        assert!(folder.path().join("precious").exists());
    }

    #[test]
    fn files_of_an_earlier_tree_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut tree = Tree::new(folder.path(), "k").unwrap();
        let (start, step) = (PassInfo::new("parse", "parse", ""), PassInfo::new("p", "q", ""));
        tree.write_start(&start, "a\n".into()).unwrap();
        tree.before(&step);
        tree.write_after(&step, "b\n".into()).unwrap();
        tree.finish().unwrap();
        assert!(folder.path().join("p/01-q.diff").exists());
        std::fs::write(folder.path().join("p/mine"), "x").unwrap();
        Tree::new(folder.path(), "k").unwrap();
        assert!(!folder.path().join("p/01-q.diff").exists() && !folder.path().join("p/01-q.mlir").exists());
        assert!(folder.path().join("p/mine").exists());
    }

    #[test]
    fn trace_keeps_edited_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let (start, step) = (PassInfo::new("parse", "parse", ""), PassInfo::new("p", "q", ""));
        let run = || {
            let mut tree = Tree::trace(folder.path(), "k").unwrap();
            tree.write_start(&start, "a\n".into()).unwrap();
            let first = tree.replacement(&start);
            tree.before(&step);
            tree.write_after(&step, "b\n".into()).unwrap();
            (first, tree.replacement(&step))
        };
        assert!(matches!(run(), (None, None)));
        assert!(matches!(run(), (None, None)), "unchanged files are not edits");
        let file = folder.path().join("p/01-q.mlir");
        let text = std::fs::read_to_string(&file).unwrap().replace('b', "c");
        std::fs::write(&file, &text).unwrap();
        for _ in 0..2 {
            let (None, Some(instead)) = run() else { panic!("the edit is taken back each time") };
            assert_eq!(instead.text, text);
        }
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(run(), (None, None)));
        assert!(std::fs::read_to_string(&file).unwrap().ends_with("\nb\n"));
        // A file of another tool has no header.
        std::fs::write(&file, "d\n").unwrap();
        assert!(matches!(run(), (None, Some(Replacement { text, .. })) if text == "d\n"));
    }
}
