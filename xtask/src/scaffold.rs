//! `cargo xtask new-pass`, `new-op`, `new-rule` and `new-backend`: create the first files of a change from
//! `xtask/templates/`. A skeleton compiles. The test of the skeleton fails until the author writes the one line that no
//! tool can write.

use crate::{Outcome, workspace};
use std::collections::BTreeMap;
use std::path::Path;

/// The destination of the text of a template.
enum Destination {
    /// A new file, which must not exist before.
    File(&'static str),
    /// New lines in a file that must exist.
    Lines(&'static str, Insertion),
}
use Destination::{File, Lines};

/// The position of new lines in a file, given by the beginning of existing lines.
#[derive(Clone, Copy)]
enum Insertion {
    /// The new lines are inserted before the last line that begins with this text.
    BeforeLast(&'static str),
    AfterFirst(&'static str),
    AfterLast(&'static str),
    /// The new lines are inserted in alphabetical order among the lines that begin with this text, as rustfmt
    /// requires for modules.
    Sorted(&'static str),
}
use Insertion::{AfterFirst, AfterLast, BeforeLast, Sorted};

/// A kind of skeleton: its templates with their destinations, and the remaining steps for the author. In a template,
/// `<<name>>` is replaced by the name in snake_case. `<<kebab>>` and `<<Camel>>` are its other forms, and `<<phase>>`
/// is the phase or backend of a pass.
struct Skeleton {
    places: &'static [(Destination, &'static str)],
    next: &'static str,
}

const PASS: Skeleton = Skeleton {
    places: &[
        (File("passes/src/<<phase>>/<<name>>.rs"), include_str!("../templates/pass.rs.tmpl")),
        (File("test/<<phase>>/<<name>>.mlir"), include_str!("../templates/pass.mlir.tmpl")),
        (Lines("passes/src/<<phase>>.rs", Sorted("pub mod ")), "pub mod <<name>>;\n"),
        (Lines("passes/src/lib.rs", AfterLast("    &<<phase>>::")), "    &<<phase>>::<<name>>::PASS,\n"),
    ],
    next: "its test runs already:\n  \
           cargo build -p cube-tools && cargo test -p cube-test --test filecheck <<phase>>/<<name>>\n\
           then, as docs/add-a-pass.md shows:\n  \
           1. passes/src/<<phase>>/<<name>>.rs and test/<<phase>>/<<name>>.mlir: write the pass and its test\n  \
           2. passes/src/phases.rs: a line with the reason for its position\n  \
           3. fuzz/tests/mutations.rs: a line of PLANTED, and a kernel of fuzz/tests/mutations/ that the pass changes;\n     \
           CUBE_FUZZ_ONLY=<<kebab>> cargo test -p cube-fuzz --test mutations -- --ignored --nocapture which_breaks_show\n  \
           4. cargo run -p cube-tools -- docs: writes docs/reference/passes.md",
};

const BACKEND_PASS: Skeleton = Skeleton {
    places: &[
        (File("backends/<<phase>>/src/<<name>>.rs"), include_str!("../templates/pass.rs.tmpl")),
        (File("test/lower/<<name>>.mlir"), include_str!("../templates/pass.mlir.tmpl")),
        (Lines("backends/<<phase>>/src/lib.rs", Sorted("mod ")), "mod <<name>>;\n"),
        (Lines("backends/<<phase>>/src/lib.rs", AfterLast("    &")), "    &<<name>>::PASS,\n"),
    ],
    next: "its test runs already:\n  \
           cargo build -p cube-tools && cargo test -p cube-test --test filecheck lower/<<name>>\n\
           then, as docs/add-a-pass.md shows:\n  \
           1. backends/<<phase>>/src/<<name>>.rs and test/lower/<<name>>.mlir: write the pass and its test\n  \
           2. backends/<<phase>>/src/lib.rs: a line of its steps with the reason for its position\n  \
           3. fuzz/tests/mutations.rs: a line of PLANTED, and a kernel of fuzz/tests/mutations/ that the pass changes\n  \
           4. cargo run -p cube-tools -- docs: writes docs/reference/passes.md",
};

const OP: Skeleton = Skeleton {
    places: &[
        (Lines("dialects/cube/td/CubeOps.td", BeforeLast("#endif")), include_str!("../templates/op.td.tmpl")),
        (File("dialects/cube/examples/<<name>>.mlir"), include_str!("../templates/op.example.mlir.tmpl")),
        (File("test/dialect/<<name>>.mlir"), include_str!("../templates/op.mlir.tmpl")),
        (File("test/dialect/<<name>>.errors.mlir"), include_str!("../templates/op.errors.mlir.tmpl")),
    ],
    next: "as docs/add-an-op.md shows:\n  \
           1. dialects/cube/td/CubeOps.td: what `cube.<<name>>` means\n  \
           2. dialects/cube/src/verify: a function of its rules, if it has some, and RustVerify with its name in the .td\n  \
           3. semantics/src/ints.rs: its value, which folders and the interpreter read, with RustFold in the .td\n  \
           4. dialects/cube/td/CubeOps.td: `lastLevel`, the last level at which it is allowed\n  \
           5. interpreter/src/rules.rs: its rule in the interpreter, unless it is a function of integers\n  \
           6. passes/src/legalize: what it becomes; or, where targets differ, the passes of backends/* and `unsupported`\n  \
           7. fuzz/src/table.rs: its row, if it works on elements\n  \
           8. dialects/cube/examples/<<name>>.mlir: a kernel that uses it\n  \
           9. cargo build -p cube-tools && cargo run -p cube-tools -- docs && BLESS=1 cargo test -p cube-fuzz --test operations\n\
           its tests:\n  \
           cargo test -p cube-test --test filecheck dialect/<<name>> && cargo test -p cube-test --test support\n  \
           cargo test -p cube-backend-interp",
};

const RULE: Skeleton = Skeleton {
    places: &[
        (Lines("rules/families/<<phase>>.rules", AfterLast("")), include_str!("../templates/rule.rules.tmpl")),
        (File("test/optimize/egraph.<<name>>.mlir"), include_str!("../templates/rule.mlir.tmpl")),
    ],
    next: "as docs/add-a-rule.md shows:\n  \
           1. rules/families/<<phase>>.rules: the rule, under the line `types` of its types\n  \
           2. cargo run -p cube-prove <<kebab>>: its proof, or values for which it is wrong\n  \
           3. test/optimize/egraph.<<name>>.mlir: a kernel in which it has an effect\n  \
           4. cargo build -p cube-tools && cargo run -p cube-tools -- docs: writes docs/reference/rules.md\n\
           its tests:\n  \
           cargo test -p cube-prove && cargo test -p cube-test --test filecheck optimize/egraph.<<name>>",
};

const BACKEND: Skeleton = Skeleton {
    places: &[
        (File("backends/<<name>>/Cargo.toml"), include_str!("../templates/backend.toml.tmpl")),
        (File("backends/<<name>>/src/lib.rs"), include_str!("../templates/backend.rs.tmpl")),
        (Lines("Cargo.toml", AfterFirst("members = [")), "    \"backends/<<name>>\",\n"),
        (
            Lines("Cargo.toml", AfterFirst("cube-backend = ")),
            "cube-backend-<<kebab>> = { path = \"backends/<<name>>\" }\n",
        ),
    ],
    next: "as docs/add-a-backend.md shows:\n  \
           1. backends/<<name>>/src: `emit` and `lower`; cube-structured walks for text, cube-backend-llvm for LLVM\n  \
           2. driver/Cargo.toml: the crate; driver/src/lib.rs: a line of BACKENDS; `cubec --list-targets` then shows it\n  \
           3. xtask/src/check/layers_table.rs: its room, if it uses more than plain backends do\n  \
           4. tools/run/src/backends.rs: the device that runs it, once there is one\n  \
           5. cargo run -p cube-tools -- docs: writes docs/reference/targets.md and levels.md",
};

/// `cargo xtask new-pass PHASE NAME`. For a pass of the phase `lower`, the argument PHASE is the name of a
/// backend.
pub fn new_pass(arguments: &[String]) -> Outcome {
    let [phase, name] = arguments else { return Err("usage: cargo xtask new-pass PHASE|BACKEND NAME".into()) };
    let root = workspace::root();
    let skeleton = if is_backend(&root, phase) { &BACKEND_PASS } else { &PASS };
    if !is_backend(&root, phase) {
        known_phase(&root, phase)?;
    }
    write(&root, skeleton, &Names::of(name, phase)?)
}

/// `cargo xtask new-op NAME`.
pub fn new_op(arguments: &[String]) -> Outcome {
    let [name] = arguments else { return Err("usage: cargo xtask new-op NAME".into()) };
    write(&workspace::root(), &OP, &Names::of(name, "")?)
}

/// `cargo xtask new-rule FAMILY NAME`.
pub fn new_rule(arguments: &[String]) -> Outcome {
    let [family, name] = arguments else { return Err("usage: cargo xtask new-rule FAMILY NAME".into()) };
    let root = workspace::root();
    let families = names_in(&root.join("rules/families"), "rules");
    if !families.contains(family) {
        return Err(format!("no family is called `{family}`; the families are {}", families.join(", ")));
    }
    write(&root, &RULE, &Names::of(name, family)?)
}

/// The sorted names of the files in a folder that have the given extension.
fn names_in(folder: &Path, extension: &str) -> Vec<String> {
    let paths = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let own = paths.filter(|path| path.extension().is_some_and(|own| own == extension));
    let mut names: Vec<String> =
        own.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// `cargo xtask new-backend NAME`.
pub fn new_backend(arguments: &[String]) -> Outcome {
    let [name] = arguments else { return Err("usage: cargo xtask new-backend NAME".into()) };
    let root = workspace::root();
    if !root.join("backends/api").is_dir() {
        // The new crate depends on backends/api. A workspace with a missing path builds nothing.
        return Err("no backends/api in this checkout yet".into());
    }
    write(&root, &BACKEND, &Names::of(name, "")?)
}

/// Whether the folder `name` of `backends` contains passes.
fn is_backend(root: &Path, name: &str) -> bool {
    std::fs::read_to_string(root.join("backends").join(name).join("src/lib.rs"))
        .is_ok_and(|text| text.lines().any(|line| line.ends_with("::PASS,")))
}

/// Refuses an unknown phase, because the pass would be in a folder that no pipeline uses.
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
    Err(format!(
        "no phase is called `{phase}`; the phases are {}; a pass of a backend is made with its name, such as cpu",
        phases.join(", ")
    ))
}

/// The replacements of the placeholders in templates, among them the name in several spellings.
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

/// Rust keywords, which are not valid names for a module.
const RUST_WORDS: [&str; 14] =
    ["as", "async", "await", "const", "crate", "fn", "for", "if", "in", "loop", "match", "mod", "move", "use"];

/// Writes either all files of a skeleton or none. The function checks all conditions before it writes the
/// first file.
fn write(root: &Path, skeleton: &Skeleton, names: &Names) -> Outcome {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (place, template) in skeleton.places {
        let text = names.fill(template);
        let (File(path) | Lines(path, _)) = place;
        let path = names.fill(path);
        let new = match place {
            File(_) if root.join(&path).exists() => {
                return Err(format!("{path} is there already; nothing was written"));
            }
            File(_) => text,
            Lines(_, at) => {
                // An earlier part can have changed the same file.
                let old = texts.get(&path).cloned().or_else(|| std::fs::read_to_string(root.join(&path)).ok());
                insert(&old.ok_or(format!("no {path} in this checkout yet"))?, *at, &text, names)
                    .map_err(|message| format!("{path} {message}; nothing was written"))?
            }
        };
        texts.insert(path, new);
    }
    for (path, text) in &texts {
        let full = root.join(path);
        let written = full.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&full, text));
        written.map_err(|error| format!("cannot write {path}: {error}"))?;
        println!("wrote {path}");
    }
    println!("next: {}", names.fill(skeleton.next));
    Ok(())
}

/// Inserts a text at a position in the lines of a file.
fn insert(old: &str, at: Insertion, text: &str, names: &Names) -> Result<String, String> {
    let (BeforeLast(start) | AfterFirst(start) | AfterLast(start) | Sorted(start)) = at;
    let start = names.fill(start);
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    // The first line of the inserted text contains the name, so that a second insertion is detected.
    let first = text.lines().next().unwrap_or_default();
    if lines.iter().any(|line| line.trim_end() == first) {
        return Err(format!("has `{}` already", first.trim()));
    }
    let fits: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].starts_with(&start)).collect();
    let (Some(first), Some(last)) = (fits.first(), fits.last()) else {
        return Err(format!("has no line that starts with `{}`", start.trim()));
    };
    let line = match at {
        BeforeLast(_) => *last,
        AfterFirst(_) => first + 1,
        AfterLast(_) => last + 1,
        Sorted(_) => fits.iter().copied().find(|line| lines[*line] > text).unwrap_or(last + 1),
    };
    Ok(lines[..line].concat() + text + &lines[line..].concat())
}

#[cfg(test)]
#[path = "scaffold_tests.rs"]
mod tests;
