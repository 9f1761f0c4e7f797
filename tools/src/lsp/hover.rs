//! Finds the hover text for a word: the reference documentation of an operation, type, attribute, pass or
//! option.
use cube_dialect::{OpDecl, PartDecl, ops};
use cube_ir::{OptionDefault, Pass};
use cube_layout_dialect::ops as layout;
use cube_passes::{PASSES, phases::COMMON};
use std::fmt::Write;

/// The reference documentation of the word at a position, as Markdown. Lines and characters are counted from 0;
/// characters are counted in UTF-16 code units.
pub fn reference(text: &str, line: usize, character: usize) -> Option<String> {
    let line = text.lines().nth(line)?;
    let (start, word) = word_at(line, character)?;
    let before = &line[..start];
    if let Some(op) = ops::OPS.iter().chain(layout::OPS).find(|op| op.name == word) {
        return Some(operation(op));
    }
    let parts = || ops::TYPES.iter().chain(ops::ATTRS).chain(layout::TYPES).chain(layout::ATTRS);
    let marked = word.starts_with(['!', '#']).then(|| parts().find(|p| p.name == word)).flatten();
    // `#cube<topology pos>`, and words of enums after the operation that has them.
    let highlighted = || parts().find(|p| before.ends_with("#cube<") && p.name == format!("#cube.{word}"));
    let of_enum = || {
        let op = ops::OPS.iter().find(|op| before.split([' ', '(']).any(|w| w == op.name))?;
        ops::ATTRS.iter().find(|p| p.words.contains(&word) && (op.assembly.contains("$") || !p.words.is_empty()))
    };
    if let Some(part) = marked.or_else(highlighted).or_else(of_enum) {
        return Some(one_part(part));
    }
    let name = word.trim_start_matches('-');
    if let Some(pass) = PASSES.iter().find(|p| p.name == name) {
        return Some(of_pass(pass));
    }
    if let Some(phase) = name.strip_prefix("phase-").and_then(|n| COMMON.iter().find(|p| p.name == n)) {
        let steps: Vec<String> = phase.steps.iter().map(|s| format!("* `{}`: {}", s.name(), s.why)).collect();
        return Some(format!("**phase {}**: {}\n\n{}", phase.name, phase.summary, steps.join("\n")));
    }
    option_of(before, name)
}

// Options are in the braces after their pass.
fn option_of(before: &str, name: &str) -> Option<String> {
    let open = before.rfind('{').filter(|at| !before[*at..].contains('}'))?;
    let pass = before[..open].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '-').next()?;
    let pass = PASSES.iter().find(|p| p.name == pass)?;
    let option = pass.options.iter().find(|o| o.name == name)?;
    Some(format!(
        "**{}** of pass `{}`: {} (default `{}`)",
        option.name,
        pass.name,
        option.help,
        default(&option.default)
    ))
}

fn operation(op: &OpDecl) -> String {
    let mut text = format!("**{}**: {}\n", op.name, op.summary);
    prose(&mut text, op.description);
    if !op.assembly.is_empty() {
        let _ = write!(text, "\n```text\n{} {}\n```\n", op.name, op.assembly);
    }
    for (title, fields) in [("operands", op.operands), ("attributes", op.attributes), ("results", op.results)] {
        if !fields.is_empty() {
            let all: Vec<String> = fields.iter().map(|(name, what)| format!("`{name}` {what}")).collect();
            let _ = write!(text, "\n{title}: {}\n", all.join("; "));
        }
    }
    text
}

fn one_part(part: &PartDecl) -> String {
    let mut text = format!("**{}**: {}\n", part.name, part.summary);
    prose(&mut text, part.description);
    if !part.words.is_empty() {
        let _ = write!(text, "\none of `{}`\n", part.words.join("`, `"));
    } else if !part.assembly.is_empty() {
        let _ = write!(text, "\n```text\n{}{}\n```\n", part.name, part.assembly);
    }
    text
}

fn of_pass(pass: &Pass) -> String {
    let mut text = format!("**pass {}**: {}\n", pass.name, pass.summary);
    for option in pass.options {
        let _ = write!(text, "\n* `{}`: {} (default `{}`)", option.name, option.help, default(&option.default));
    }
    text
}

fn default(default: &OptionDefault) -> String {
    match default {
        OptionDefault::Bool(flag) => flag.to_string(),
        OptionDefault::Int(number) => number.to_string(),
        OptionDefault::Text(text) => (*text).to_string(),
        OptionDefault::List => String::new(),
    }
}

fn prose(text: &mut String, description: &str) {
    let lines: Vec<&str> = description.trim().lines().map(str::trim).collect();
    if !description.trim().is_empty() {
        let _ = write!(text, "\n{}\n", lines.join("\n"));
    }
}

// The word around a position, and the byte at which the word starts.
fn word_at(line: &str, character: usize) -> Option<(usize, &str)> {
    let mut units = 0;
    let at = line.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > character
    });
    let at = at.map(|(at, _)| at)?;
    let inside = |c: char| c.is_ascii_alphanumeric() || "._-!#".contains(c);
    if !line[at..].starts_with(inside) {
        return None;
    }
    let start =
        line[..at].rfind(|c: char| !inside(c)).map_or(0, |i| i + line[i..].chars().next().map_or(1, char::len_utf8));
    let end = line[at..].find(|c: char| !inside(c)).map_or(line.len(), |i| at + i);
    Some((start, &line[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hover_text(line: &str, word: &str) -> String {
        let before = &line[..line.find(word).unwrap()];
        reference(&format!("// first\n{line}\n"), 1, before.encode_utf16().count()).unwrap_or_default()
    }

    #[test]
    fn operations_types_and_words_are_explained() {
        let line = "  /*ü𝄞*/ %v = cube.load %x[%i] checked : !cube.array<f32, 4> -> vector<4xf32>";
        assert!(hover_text(line, "cube.load").starts_with("**cube.load**: "), "{}", hover_text(line, "cube.load"));
        assert!(hover_text(line, "!cube.array").starts_with("**!cube.array**: "));
        assert!(hover_text(line, "checked").starts_with("**#cube.bounds**: "));
        assert!(hover_text("  %i = cube.topology absolute_pos", "absolute_pos").starts_with("**#cube.topology**: "));
        assert_eq!(hover_text(line, "vector"), "");
        assert_eq!(hover_text(line, "%v"), "");
    }

    #[test]
    fn passes_options_and_phases_are_explained() {
        let line = "// RUN: cube-opt %s --remove-checks --pass-pipeline='builtin.module(cube.kernel(specialize{params=N=8}),phase-optimize)'";
        assert!(hover_text(line, "--remove-checks").starts_with("**pass remove-checks**: "));
        assert!(hover_text(line, "specialize").starts_with("**pass specialize**: "));
        assert!(
            hover_text(line, "params").starts_with("**params** of pass `specialize`: "),
            "{}",
            hover_text(line, "params")
        );
        assert!(hover_text(line, "phase-optimize").starts_with("**phase optimize**: "));
    }
}
