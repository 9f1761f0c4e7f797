//! Messages about kernels in Rust: where the place is in a Rust file, they speak of what stands there, not of the operation that
//! became of it. Messages at places in `.mlir` files, and at those of other front ends, stay as the passes write them.
use cube_artifact::Diagnostic;
use cube_target::{Element, Number};

/// What an operation is called in Rust: by its whole name, or by the beginning of it where the row ends in `*`. The first row that
/// fits counts.
const OPERATIONS: &[(&str, &str)] = &[
    ("cube.kernel", "this kernel"),
    ("cube.alloc", "this memory"),
    ("cube.load", "this read"),
    ("cube.store", "this write"),
    ("cube.slice", "this slice"),
    ("cube.cast", "this conversion"),
    ("cube.print", "this `debug_print!`"),
    ("cube.sync", "this barrier"),
    ("cube.atomic*", "this atomic operation"),
    ("cube.plane*", "this plane operation"),
    ("arith.cmp*", "this comparison"),
    ("arith.*", "this operation"),
    ("math.ctpop", "`count_ones`"),
    ("math.ctlz", "`leading_zeros`"),
    ("math.cttz", "`trailing_zeros`"),
    ("math.rsqrt", "`inverse_sqrt`"),
    ("math.roundeven", "`round`"),
    ("math.absf", "`abs`"),
    ("math.absi", "`abs`"),
    ("math.*", "`*`"),
    ("scf.if", "`if`"),
    ("scf.index_switch", "`match`"),
    ("scf.for", "`for`"),
    ("scf.while", "loop"),
    ("cube.if", "`if`"),
    ("cube.for", "`for`"),
    ("cube.loop", "loop"),
    ("layout.*", "this layout"),
];

/// Types and words of the dialect that are called something else in Rust.
const WORDS: &[(&str, &str)] = &[
    ("exchange", "`swap`"),
    ("addi", "`add`"),
    ("addf", "`add`"),
    ("subi", "`sub`"),
    ("subf", "`sub`"),
    ("muli", "`mul`"),
    ("mulf", "`mul`"),
    ("andi", "`and`"),
    ("ori", "`or`"),
    ("xori", "`xor`"),
    ("minf", "`min`"),
    ("minsi", "`min`"),
    ("minui", "`min`"),
    ("maxf", "`max`"),
    ("maxsi", "`max`"),
    ("maxui", "`max`"),
];

/// Parts of messages that say how something is written in the dialect, and how it is in Rust. A test looks each up in the sources.
const PARTS: &[(&str, &str)] = &[
    ("as in cube_dim(64, 2)", "as in `CubeDim::new_2d(64, 2)`"),
    ("has cube_dim ", "has the cube dim "),
    ("convert it with cube.cast first", "convert it first, as with `f32::cast_from`"),
];

/// A message in the words of Rust where its place is in a Rust file: for messages that a tool makes itself.
pub fn in_words_of_rust(mut diagnostic: Diagnostic) -> Diagnostic {
    speak(&mut diagnostic, false);
    diagnostic
}

/// Makes a message speak of Rust where its place, or that of the message around it, is in a Rust file.
pub(crate) fn speak(diagnostic: &mut Diagnostic, around: bool) {
    let in_rust = diagnostic.place.as_ref().map_or(around, |place| place.file.ends_with(".rs"));
    if in_rust {
        diagnostic.message = in_words(&diagnostic.message);
    }
    diagnostic.notes.iter_mut().for_each(|note| speak(note, in_rust));
}

fn in_words(message: &str) -> String {
    let mut text = message.to_string();
    for (part, rust) in PARTS {
        text = text.replace(part, rust);
    }
    let text = operations(&text);
    let mut out = String::new();
    let mut rest = text.as_str();
    // Word by word; what stands in backticks is Rust already.
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
            _ if is_of_word(first) => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        let rust = WORDS.iter().find(|(of, _)| *of == word).map(|(_, rust)| *rust);
        out.push_str(rust.or_else(|| number(word)).unwrap_or(word));
        rest = after;
    }
    out
}

/// A type of the dialect that Rust spells differently: `bool` for `i1`, `e4m3` for `f8E4M3FN`.
fn number(word: &str) -> Option<&'static str> {
    let element = Element::from_ir(word).filter(|_| Number::from_name(word).is_none())?;
    Number::ALL.iter().find(|number| number.element() == element).map(|number| number.name())
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `'cube.alloc'` and, where a message begins with it, `cube.alloc`.
fn operations(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    if let Some((name, after)) = message.split_once(' ')
        && let Some(rust) = called(name)
    {
        out.push_str(&rust);
        out.push(' ');
        rest = after;
    }
    while let Some((before, quoted)) = rest.split_once('\'') {
        out.push_str(before);
        rest = quoted;
        let Some((name, after)) = quoted.split_once('\'') else {
            out.push('\'');
            continue;
        };
        match called(name) {
            // `the 'scf.if' around it`: the article stands there already.
            Some(rust) if before.ends_with("the ") => out.push_str(rust.strip_prefix("this ").unwrap_or(&rust)),
            Some(rust) => out.push_str(&rust),
            None => {
                out.push('\'');
                continue;
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What an operation of that name is called; nothing where it is no name of one.
fn called(name: &str) -> Option<String> {
    let (dialect, op) = name.split_once('.')?;
    if op.is_empty() || !name.chars().all(|c| is_of_word(c) || c == '.') {
        return None;
    }
    let found = OPERATIONS.iter().find(|(of, _)| match of.strip_suffix('*') {
        Some(begin) => name.starts_with(begin),
        None => *of == name,
    });
    let ours = ["cube", "layout", "scf", "arith", "math", "vector", "memref", "llvm", "func", "gpu", "nvvm"];
    match found {
        Some((_, rust)) => Some(rust.replace('*', op)),
        None => ours.contains(&dialect).then(|| "this operation".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::{Place, Severity};
    use std::path::{Path, PathBuf};

    #[test]
    fn messages_speak_of_what_stands_there() {
        let cases = [
            ("'cube.alloc' allocates 9 bytes, the limit", "this memory allocates 9 bytes, the limit"),
            ("'arith.cmpf' computes with f8E4M3FN, and", "this comparison computes with e4m3, and"),
            ("'cube.atomic_rmw' works on i1; no", "this atomic operation works on bool; no"),
            ("cannot combine f64 by xori; choose from addf", "cannot combine f64 by `xor`; choose from `add`"),
            ("cube.sync is not reached: the 'scf.if' around it", "this barrier is not reached: the `if` around it"),
            ("'math.erf' has no expansion", "`erf` has no expansion"),
            ("'vector.contract' is unknown", "this operation is unknown"),
            ("the file 'a.b.mlir' isn't there, nor `i1`", "the file 'a.b.mlir' isn't there, nor `i1`"),
        ];
        for (message, words) in cases {
            assert_eq!(in_words(message), words);
        }
    }

    #[test]
    fn only_messages_at_places_in_rust_are_changed() {
        let at = |file: &str, notes| Diagnostic {
            severity: Severity::Error,
            code: None,
            message: "'cube.load' is wrong".into(),
            place: (!file.is_empty()).then(|| Place { file: file.into(), line: 1, column: 1 }),
            notes,
        };
        let mut in_rust = at("src/k.rs", vec![at("", vec![]), at("x.mlir", vec![])]);
        speak(&mut in_rust, false);
        let said = [&in_rust, &in_rust.notes[0], &in_rust.notes[1]].map(|d| d.message.as_str());
        assert_eq!(said, ["this read is wrong", "this read is wrong", "'cube.load' is wrong"]);
        for file in ["k.mlir", ""] {
            let mut kept = at(file, vec![]);
            speak(&mut kept, false);
            assert_eq!(kept.message, "'cube.load' is wrong");
        }
    }

    #[test]
    fn the_parts_are_those_of_messages() {
        fn text(folder: &Path, out: &mut String) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    text(&path, out);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    out.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        let mut sources = String::new();
        for folder in ["passes/src", "dialects/cube/src", "backends", "interpreter"] {
            text(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut sources);
        }
        for (part, _) in PARTS {
            assert!(sources.contains(part), "no message says `{part}` any more");
        }
    }
}
