//! Rewords messages of MLIR's parser for the author of a kernel. The parser's messages do not contain the name at the
//! location of the error, and contain names of C++ classes.
use crate::{Diagnostic, Severity, SourceLocation};
use cube_artifact::suggestion;

/// Rewords the diagnostics that `source` helps to explain.
pub fn reworded(diagnostics: Vec<Diagnostic>, source: &str) -> Vec<Diagnostic> {
    let mut better: Vec<Diagnostic> = Vec::new();
    for mut diagnostic in diagnostics {
        let word = diagnostic.location.as_ref().and_then(|location| word_at(source, location)).unwrap_or_default();
        let message = &diagnostic.message;
        if message == "use of undeclared SSA value name" && word.starts_with('%') {
            diagnostic.message = undeclared(word, source);
        } else if let Some((before, words)) = enumeration(message).filter(|_| !word.is_empty()) {
            let known: Vec<&str> = words.split(", ").collect();
            let near = suggestion(word, known).map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
            diagnostic.message = format!("{}{HAS_NO_WORD}{word}{near}; words are {words}", before.trim_end());
        } else if message.contains("failed to parse Cube_") && better.iter().any(|d| d.severity == Severity::Error) {
            // This message is a consequence of the previous message, in the words of C++.
            continue;
        }
        better.push(diagnostic);
    }
    better
}

/// Whether [`reworded`] created `message`, so that `message` differs from the parser's text.
pub fn is_reworded(message: &str) -> bool {
    message.starts_with("use of undeclared SSA value %") || message.contains(HAS_NO_WORD)
}

const HAS_NO_WORD: &str = " has no word ";

// "custom op 'cube.topology' expected ::cube::Topology to be one of: a, b": the text before and after the name.
fn enumeration(message: &str) -> Option<(&str, &str)> {
    let (before, rest) = message.split_once("expected ::cube::")?;
    Some((before, rest.split_once(" to be one of: ")?.1))
}

fn undeclared(name: &str, source: &str) -> String {
    let rule = format!("use of undeclared SSA value {name}");
    if source.contains(&format!("{name} = ")) || source.contains(&format!("{name}: ")) {
        return format!(
            "{rule}: the {name} of this file is defined later or in another region; define it before this line, in the same region or in one around it"
        );
    }
    // Short names are similar to every name.
    let names = source.split('%').skip(1).map(|rest| &rest[..name_end(rest)]).filter(|known| *known != &name[1..]);
    let near = suggestion(&name[1..], names.filter(|known| known.len() > 2 && name.len() > 3));
    match near {
        Some(near) => format!("{rule}; did you mean %{near}?"),
        None => format!("{rule}; define it before this line"),
    }
}

fn name_end(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && !"_$.-".contains(c)).unwrap_or(text.len())
}

// The name or word at a location, with the `%` of a value.
fn word_at<'s>(source: &'s str, location: &SourceLocation) -> Option<&'s str> {
    let line = source.lines().nth(location.line.checked_sub(1)? as usize)?;
    let rest = line.get(location.column.checked_sub(1)? as usize..)?;
    let sigil = usize::from(rest.starts_with('%'));
    Some(&rest[..sigil + name_end(&rest[sigil..])])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(message: &str, line: u32, column: u32) -> Diagnostic {
        Diagnostic::new(Severity::Error, message, Some(SourceLocation { file: "k.mlir".into(), line, column }))
    }

    fn first(message: &str, source: &str, line: u32, column: u32) -> String {
        reworded(vec![error(message, line, column)], source)[0].message.clone()
    }

    #[test]
    fn an_undeclared_value_is_named() {
        let message = |source: &str| first("use of undeclared SSA value name", source, 1, 3);
        assert_eq!(message("f(%v)"), "use of undeclared SSA value %v; define it before this line");
        assert_eq!(message("f(%totl)\n%total = x"), "use of undeclared SSA value %totl; did you mean %total?");
        let later = message("f(%v)\n%v = x");
        assert!(later.contains("%v: the %v of this file is defined later or in another region"), "{later}");
    }

    #[test]
    fn a_word_of_an_enumeration_is_named_once() {
        let source = "%i = cube.topology absolut_pos\n}";
        let message = reworded(
            vec![
                error(
                    "custom op 'cube.topology' expected ::cube::Topology to be one of: absolute_pos, unit_pos",
                    1,
                    20,
                ),
                error("custom op 'cube.topology' failed to parse Cube_TopologyAttr parameter 'value'", 2, 1),
            ],
            source,
        );
        let expected = "custom op 'cube.topology' has no word absolut_pos (did you mean absolute_pos?); words are absolute_pos, unit_pos";
        assert!(is_reworded(expected) && !is_reworded("use of undeclared SSA value name"));
        assert_eq!(message.iter().map(|d| d.message.as_str()).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn location_outside_the_text_leaves_the_message_unchanged() {
        let message = "use of undeclared SSA value name";
        for (line, column) in [(0, 0), (1, 99), (99, 1)] {
            assert_eq!(first(message, "é%v", line, column), message);
        }
        assert_eq!(first(message, "é%v", 1, 2), message);
    }
}
