//! `--dump-tree`: the module after every pass that changed it, as files in the order of the pipeline, with what changed.
//!
//! ```text
//! index.txt                        a line a pass; written as passes run, so the last line names one that never ended
//! index.html                       all differences on one page
//! parse/00-parse.mlir              the start
//! specialize/03-specialize.mlir    after a pass that changed something
//! specialize/03-specialize.diff    what it changed
//! ```
use cube_artifact::CompileError;
use cube_driver::{Watch, Watched};
use cube_ir::{SessionError, TextModule};
use similar::{ChangeTag, TextDiff};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The first word of an index, by which a folder is known to be one of these.
const MARK: &str = "cube-tree";

const STYLE: &str = "<!doctype html><meta charset=\"utf-8\"><title>cube tree</title><style>body{font:14px sans-serif;margin:2em}pre{font:12px monospace;background:#f6f6f6;padding:.5em;overflow-x:auto}.a{background:#d8f5d8}.d{background:#fbdcdc}.s{color:#888}</style>";

/// A folder that is being written.
pub struct Tree {
    folder: PathBuf,
    index: File,
    page: File,
    number: usize,
    last: String,
    failed: Option<CompileError>,
}

impl Tree {
    /// Begins a folder; files of an earlier tree in it are removed, and no others.
    ///
    /// # Errors
    /// A folder that cannot be written, or that holds something else.
    pub fn new(folder: &Path, title: &str) -> Result<Tree, CompileError> {
        let fail = |e: std::io::Error| cannot(folder, &e);
        std::fs::create_dir_all(folder).map_err(fail)?;
        let index = folder.join("index.txt");
        match std::fs::read_to_string(&index) {
            Ok(old) if old.starts_with(MARK) => remove_old(folder, &old),
            _ if folder.read_dir().map_err(fail)?.next().is_none() => {}
            _ => {
                let message = format!("{} holds something else than a tree; name a new folder", folder.display());
                return Err(CompileError::new("CUBE0603", message));
            }
        }
        let mut index = File::create(index).map_err(fail)?;
        let mut page = File::create(folder.join("index.html")).map_err(fail)?;
        writeln!(index, "{MARK} {title}").map_err(fail)?;
        writeln!(page, "{STYLE}<h1>{}</h1>", escaped(title)).map_err(fail)?;
        Ok(Tree { folder: folder.into(), index, page, number: 0, last: String::new(), failed: None })
    }

    /// What went wrong with the files, if something did.
    ///
    /// # Errors
    /// The first file that could not be written.
    pub fn finish(mut self) -> Result<(), CompileError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn keep(&mut self, done: std::io::Result<()>) {
        if let Err(error) = done {
            self.failed.get_or_insert_with(|| cannot(&self.folder, &error));
        }
    }

    fn write_start(&mut self, text: String) -> std::io::Result<()> {
        let file = self.file("parse", "parse", "mlir", &text)?;
        writeln!(self.index, "00 {:12} {:32} {} lines {file}", "parse", "parse", text.lines().count())?;
        self.last = text;
        Ok(())
    }

    fn write_after(&mut self, phase: &str, pass: &str, text: String) -> std::io::Result<()> {
        if text == self.last {
            writeln!(self.page, "<p class=s>{:02} {phase} {pass}: no change</p>", self.number)?;
            return writeln!(self.index, "same");
        }
        let diff = TextDiff::from_lines(&self.last, &text);
        let count = |tag| diff.iter_all_changes().filter(|c| c.tag() == tag).count();
        let (plus, minus) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let unified = diff.unified_diff().context_radius(3).header("before", "after").to_string();
        let file = self.file(phase, pass, "mlir", &text)?;
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
        let said: Vec<&str> = error.diagnostics.iter().map(|d| d.message.as_str()).collect();
        writeln!(self.index, "failed: {}", said.join("; "))?;
        writeln!(self.page, "<p class=d>{:02} {} failed: {}</p>", self.number, escaped(pass), escaped(&said.join("; ")))
    }

    // Writes a file of the current pass; gives its name below the folder.
    fn file(&self, phase: &str, pass: &str, ending: &str, text: &str) -> std::io::Result<String> {
        let plain = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "_");
        std::fs::create_dir_all(self.folder.join(plain(phase)))?;
        let name = format!("{}/{:02}-{}.{ending}", plain(phase), self.number, plain(pass));
        std::fs::write(self.folder.join(&name), text)?;
        Ok(name)
    }
}

impl Watch for Tree {
    fn start(&mut self, module: &TextModule<'_>) {
        let done = self.write_start(module.print());
        self.keep(done);
    }

    fn before(&mut self, step: &Watched<'_>) {
        self.number += 1;
        let done = write!(self.index, "{:02} {:12} {:32} ", self.number, step.phase, step.pass)
            .and_then(|()| self.index.flush());
        self.keep(done);
    }

    fn after(&mut self, step: &Watched<'_>, module: &TextModule<'_>, error: Option<&SessionError>) {
        let done = match error {
            Some(error) => self.write_failure(step.pass, error),
            None => self.write_after(step.phase, step.pass, module.print()),
        };
        self.keep(done);
    }
}

fn cannot(folder: &Path, error: &std::io::Error) -> CompileError {
    CompileError::new("CUBE0603", format!("cannot write to {}: {error}", folder.display()))
}

// The files that an earlier index names, and nothing else.
fn remove_old(folder: &Path, index: &str) {
    let plain =
        |name: &&str| name.ends_with(".mlir") && name.contains('/') && !name.contains("..") && !name.starts_with('/');
    for name in index.lines().filter_map(|line| line.rsplit(' ').next()).filter(plain) {
        let file = folder.join(name);
        // One that is gone already is as good as removed.
        let _ = std::fs::remove_file(&file);
        let _ = std::fs::remove_file(file.with_extension("diff"));
        // A folder that holds something stays.
        let _ = file.parent().map(std::fs::remove_dir);
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("precious"), "x").unwrap();
        let error = Tree::new(folder.path(), "k").err().unwrap().to_string();
        assert!(error.contains("holds something else than a tree"), "{error}");
        assert!(folder.path().join("precious").exists());
    }

    #[test]
    fn what_an_earlier_tree_left_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut tree = Tree::new(folder.path(), "k").unwrap();
        tree.write_start("a\n".into()).unwrap();
        tree.before(&Watched { phase: "p", pass: "q", pipeline: "" });
        tree.write_after("p", "q", "b\n".into()).unwrap();
        tree.finish().unwrap();
        assert!(folder.path().join("p/01-q.diff").exists());
        std::fs::write(folder.path().join("p/mine"), "x").unwrap();
        Tree::new(folder.path(), "k").unwrap();
        assert!(!folder.path().join("p/01-q.diff").exists() && !folder.path().join("p/01-q.mlir").exists());
        assert!(folder.path().join("p/mine").exists());
    }
}
