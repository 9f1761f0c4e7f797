//! `cargo xtask new-pass | new-op | new-backend`: writes the files a change begins with, from `xtask/templates/`.
//! A skeleton works as it stands, and its test fails until the one line is there that no tool should write.

use crate::{Outcome, workspace};
use std::path::Path;

/// What a template becomes.
enum Place {
    /// A file that must not exist yet.
    File(&'static str),
    /// Lines before the last line that starts so, in a file that must exist.
    Before(&'static str, &'static str),
    /// Lines after the first line that starts so.
    After(&'static str, &'static str),
}
use Place::{After, Before, File};

/// A kind of skeleton: where its templates go, and what is left to do by hand. In all texts `<<name>>` is the name in
/// snake_case, `<<kebab>>` and `<<Camel>>` its other forms, `<<phase>>` the phase of a pass.
struct Skeleton {
    places: &'static [(Place, &'static str)],
    next: &'static str,
}

const PASS: Skeleton = Skeleton {
    places: &[
        (File("passes/src/<<phase>>/<<name>>.rs"), include_str!("../templates/pass.rs.tmpl")),
        (File("test/<<phase>>/<<name>>.mlir"), include_str!("../templates/pass.mlir.tmpl")),
    ],
    next: "add the word `<<name>>` to the phase `<<phase>>` in passes/src/lib.rs, at its place in the order, then\n  \
           cargo build -p cube-tools && cargo test -p cube-test --test filecheck <<phase>>/<<name>>\n\
           the walk is docs/add-a-pass.md",
};

const OP: Skeleton = Skeleton {
    places: &[
        (Before("dialects/cube/td/CubeOps.td", "#endif"), include_str!("../templates/op.td.tmpl")),
        (File("test/dialect/<<name>>.mlir"), include_str!("../templates/op.mlir.tmpl")),
        (File("test/dialect/<<name>>.errors.mlir"), include_str!("../templates/op.errors.mlir.tmpl")),
    ],
    next: "write what `cube.<<name>>` means in dialects/cube/td/CubeOps.td, its rule in dialects/cube/src/verify.rs, and\n\
           a lowering, or `unsupported(op, \"why\")`, in each backend that the test suite names; then\n  \
           cargo build -p cube-tools && cargo test -p cube-test --test filecheck dialect/<<name>>\n\
           the walk is docs/add-an-op.md",
};

const BACKEND: Skeleton = Skeleton {
    places: &[
        (File("backends/<<name>>/Cargo.toml"), include_str!("../templates/backend.toml.tmpl")),
        (File("backends/<<name>>/src/lib.rs"), include_str!("../templates/backend.rs.tmpl")),
        (After("Cargo.toml", "members = ["), "    \"backends/<<name>>\",\n"),
        (After("Cargo.toml", "cube-backend = "), "cube-backend-<<kebab>> = { path = \"backends/<<name>>\" }\n"),
    ],
    next: "implement `cube_backend::Backend` for `<<Camel>>`, and add one line to the list of backends in driver/src/lib.rs;\n\
           the conformance tests then run over it; the walk is docs/add-a-backend.md",
};

/// `cargo xtask new-pass PHASE NAME`.
pub fn new_pass(arguments: &[String]) -> Outcome {
    let [phase, name] = arguments else { return Err("usage: cargo xtask new-pass PHASE NAME".into()) };
    let root = workspace::root();
    known_phase(&root, phase)?;
    write(&root, &PASS, &Names::of(name, phase)?)
}

/// `cargo xtask new-op NAME`.
pub fn new_op(arguments: &[String]) -> Outcome {
    let [name] = arguments else { return Err("usage: cargo xtask new-op NAME".into()) };
    write(&workspace::root(), &OP, &Names::of(name, "")?)
}

/// `cargo xtask new-backend NAME`.
pub fn new_backend(arguments: &[String]) -> Outcome {
    let [name] = arguments else { return Err("usage: cargo xtask new-backend NAME".into()) };
    write(&workspace::root(), &BACKEND, &Names::of(name, "")?)
}

/// A misspelt phase would make a folder that no pipeline reads.
fn known_phase(root: &Path, phase: &str) -> Outcome {
    let folder = root.join("passes/src");
    let Ok(entries) = folder.read_dir() else { return Err("no passes/ in this checkout yet".into()) };
    let mut phases: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    phases.sort();
    if phases.iter().any(|known| known == phase) {
        return Ok(());
    }
    Err(format!("no phase is called `{phase}`; the phases are {}", phases.join(", ")))
}

/// A name in the forms that templates ask for.
struct Names(Vec<(&'static str, String)>);

impl Names {
    fn of(name: &str, phase: &str) -> Result<Names, String> {
        let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !well_formed || RUST_WORDS.contains(&name) {
            return Err(format!(
                "`{name}` cannot be a name here; write small letters, digits and `_`, as in `unroll_loops`"
            ));
        }
        let camel = name.split('_').map(|part| part[..part.len().min(1)].to_uppercase() + part.get(1..).unwrap_or(""));
        Ok(Names(vec![
            ("<<name>>", name.into()),
            ("<<kebab>>", name.replace('_', "-")),
            ("<<Camel>>", camel.collect()),
            ("<<phase>>", phase.into()),
        ]))
    }

    fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (form, value)| text.replace(form, value))
    }
}

/// Names that would not be a module's.
const RUST_WORDS: [&str; 14] =
    ["as", "async", "await", "const", "crate", "fn", "for", "if", "in", "loop", "match", "mod", "move", "use"];

/// Writes all parts of a skeleton, or none: everything that can be wrong is looked at first.
fn write(root: &Path, skeleton: &Skeleton, names: &Names) -> Outcome {
    let mut texts: Vec<(String, String)> = Vec::new();
    for (place, template) in skeleton.places {
        let text = names.fill(template);
        match place {
            File(path) => texts.push((names.fill(path), text)),
            Before(path, line) | After(path, line) => {
                // An earlier part may have changed the same file.
                let earlier = texts.iter().position(|(name, _)| name == path).map(|at| texts.remove(at).1);
                let old = match earlier {
                    Some(old) => old,
                    None => std::fs::read_to_string(root.join(path))
                        .map_err(|_| format!("no {path} in this checkout yet"))?,
                };
                let new = insert(&old, line, &text, matches!(place, After(..)));
                texts.push((path.to_string(), new.ok_or(format!("{path} has no line that starts with `{line}`"))?));
            }
        }
    }
    refuse_overwriting(root, skeleton, names)?;
    for (path, text) in &texts {
        let full = root.join(path);
        let written = full.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&full, text));
        written.map_err(|error| format!("cannot write {path}: {error}"))?;
        println!("wrote {path}");
    }
    println!("next: {}", names.fill(skeleton.next));
    Ok(())
}

fn refuse_overwriting(root: &Path, skeleton: &Skeleton, names: &Names) -> Outcome {
    for (place, template) in skeleton.places {
        let taken = match place {
            File(path) => root.join(names.fill(path)).exists().then(|| names.fill(path)),
            Before(path, _) | After(path, _) => {
                // Its first line names it, so that a second definition is seen.
                let first = names.fill(template.lines().next().unwrap_or_default());
                let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
                text.lines().any(|line| line == first).then(|| format!("`{}` in {path}", first.trim()))
            }
        };
        if let Some(taken) = taken {
            return Err(format!("{taken} is there already; nothing was written"));
        }
    }
    Ok(())
}

/// Puts text after the first line that starts so, or before the last one.
fn insert(old: &str, start: &str, text: &str, after: bool) -> Option<String> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut starts = lines.iter().map(|line| line.starts_with(start));
    let at = if after { starts.position(|fits| fits)? + 1 } else { starts.rposition(|fits| fits)? };
    Some(lines[..at].concat() + text + &lines[at..].concat())
}

#[cfg(test)]
#[path = "scaffold_tests.rs"]
mod tests;
