//! Expected diagnostics that name a diagnostic code and arguments, for `--verify-diagnostics`:
//!
//! ```mlir
//! // expected-error@+1 CUBE0143.step {step = "-1"}
//! ```
//!
//! The rule (`step` in the example) can be omitted if only one rule of the code has the given arguments. Each argument
//! can be omitted. `op` is the name of the operation. MLIR compares the texts of messages, so the tool translates
//! each expectation to the text of its rule. In the translated text, each omitted argument is a wildcard. A test
//! therefore does not depend on the wording of a message.
use cube_artifact::{
    ArgumentKind,
    messages::{Rule, rules},
};

/// Replaces each expectation that names a diagnostic code by an expectation that contains the message text; `None` if
/// `source` has no such expectation. The line numbers of the source do not change.
///
/// # Errors
/// An expectation is invalid. The error contains the line number of the expectation, counted from 1.
pub fn as_text(source: &str) -> Result<Option<String>, String> {
    let mut text = String::new();
    let mut found = false;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let end = line.len() - line.trim_end().len();
        let (body, end) = line.split_at(line.len() - end);
        match of_line(body).map_err(|why| format!("line {}: {why}", number + 1))? {
            Some(other) => {
                found = true;
                text.push_str(&other);
            }
            None => text.push_str(body),
        }
        text.push_str(end);
    }
    Ok(found.then_some(text))
}

// Translates a line `// expected-SEVERITY@WHERE CODE.rule {name = "value", ...}`; `None` for other lines.
fn of_line(line: &str) -> Result<Option<String>, String> {
    let Some((before, rest)) = line.split_once("expected-") else { return Ok(None) };
    let Some((head, expected)) = rest.find(" CUBE").map(|at| rest.split_at(at)) else { return Ok(None) };
    // MLIR also accepts a space before the location.
    let severity = head.replace(' ', "");
    if !["error", "warning", "remark", "note"].contains(&severity.split('@').next().unwrap_or_default()) {
        return Ok(None);
    }
    let (severity, expected) = (severity.as_str(), expected.trim());
    let (name, arguments) = expected.split_once(' ').unwrap_or((expected, ""));
    let arguments = pairs(arguments.trim())?;
    let rule = rule_of(name, &arguments)?;
    if let Some((wrong, _)) = arguments.iter().find(|(name, _)| !has(rule, name)) {
        let holes: Vec<&str> = rule.placeholders.iter().map(|(hole, _)| *hole).chain(["op"]).collect();
        return Err(format!("{} has no argument {wrong}; it has {}", rule.name, holes.join(", ")));
    }
    let (where_, severity) = match severity.split_once('@') {
        Some((severity, place)) => (format!("@{place}"), severity),
        None => (String::new(), severity),
    };
    let code = rule.name.split('.').next().unwrap_or_default();
    // Notes are printed without the code.
    let code = if severity == "note" { String::new() } else { format!(" [{code}]") };
    Ok(Some(format!("{before}expected-{severity}-re{where_} {{{{{}{code}}}}}", pattern(rule, &arguments))))
}

fn has(rule: &Rule, argument: &str) -> bool {
    argument == "op" || rule.placeholders.iter().any(|(hole, _)| *hole == argument)
}

// The rule with this name, or the only rule of a code that has the arguments.
fn rule_of(name: &str, arguments: &[(String, String)]) -> Result<&'static Rule, String> {
    let mut named: Vec<&Rule> = match name.contains('.') {
        true => rules().filter(|rule| rule.name == name).collect(),
        false => rules().filter(|rule| rule.name.split('.').next() == Some(name)).collect(),
    };
    if named.len() > 1 {
        named.retain(|rule| arguments.iter().all(|(argument, _)| has(rule, argument)));
    }
    match named[..] {
        [rule] => Ok(rule),
        _ => {
            let code = name.split('.').next().unwrap_or_default();
            let all: Vec<&str> = rules().map(|rule| rule.name).filter(|rule| rule.starts_with(code)).collect();
            Err(format!("no single rule is called {name}; rules of {code} are {}", all.join(", ")))
        }
    }
}

// Parses `{a = "x", b = "y"}`. In a value, `\"` is a quote and `\\` is a backslash.
fn pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("{text} is not {{name = \"value\", ...}}");
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut rest = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(wrong)?.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or_else(wrong)?;
        let quoted = after.trim_start().strip_prefix('"').ok_or_else(wrong)?;
        let (mut value, mut escaped, mut end) = (String::new(), false, None);
        for (at, c) in quoted.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    end = Some(at);
                    break;
                }
                _ => {
                    value.push(c);
                    escaped = false;
                }
            }
        }
        let behind = quoted[end.ok_or_else(wrong)? + 1..].trim_start();
        all.push((name.trim().to_string(), value));
        rest = match behind.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if behind.is_empty() => behind,
            None => return Err(wrong()),
        };
    }
    Ok(all)
}

// The text of the rule as MLIR's pattern, in which `{{...}}` is a regular expression.
fn pattern(rule: &Rule, arguments: &[(String, String)]) -> String {
    let value = |name: &str| {
        let given = arguments.iter().find(|(given, _)| given == name).map(|(_, value)| value);
        let quoted = name == "op"
            || rule.placeholders.iter().any(|h| h.0 == name && matches!(h.1, ArgumentKind::Op | ArgumentKind::Noun));
        match given {
            Some(value) if quoted => literal(&format!("'{value}'")),
            Some(value) => literal(value),
            None => "{{.*}}".to_string(),
        }
    };
    cube_artifact::messages::filled(rule.mlir, value, literal)
}

// Two opening braces would begin a regular expression.
fn literal(text: &str) -> String {
    text.replace("{{", "{{[{][{]}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_by_code_become_the_text_of_the_rule() {
        let text = as_text("  // expected-error@+1 CUBE0143.step {step = \"-1\"}\nx\n").unwrap().unwrap();
        assert_eq!(
            text,
            "  // expected-error-re@+1 {{{{.*}} has the step -1; use a positive step, and compute descending values in the loop [CUBE0143]}}\nx\n"
        );
        let spaced = as_text("  // expected-error @+1 CUBE0143.step {step = \"-1\"}\nx\n").unwrap();
        assert_eq!(spaced.as_deref(), Some(text.as_str()));
        let by_argument = as_text("// expected-error CUBE0143 {step = \"-1\"}").unwrap().unwrap();
        assert!(by_argument.contains(" has the step -1; "), "{by_argument}");
        let text = as_text("// expected-error CUBE0123 {op = \"cube.kernel\"}").unwrap().unwrap();
        assert_eq!(
            text,
            "// expected-error-re {{'cube.kernel' returns values; write the results of the kernel to buffers [CUBE0123]}}"
        );
        assert_eq!(
            as_text("// expected-error@+1 {{words [CUBE0143]}}\n// CUBE0143 is expected- here\n").unwrap(),
            None
        );
    }

    #[test]
    fn expectations_that_cannot_match_are_refused() {
        let refused = |line: &str| as_text(&format!("\n// expected-error {line}")).unwrap_err();
        assert!(
            refused("CUBE0143")
                .contains("line 2: no single rule is called CUBE0143; rules of CUBE0143 are CUBE0143.step")
        );
        assert!(refused("CUBE0143.stop").contains("no single rule is called CUBE0143.stop"));
        assert!(refused("CUBE0143.step {stop = \"1\"}").contains("has no argument stop; it has step, op"));
        for pairs in ["{step = -1}", "{step}", "{step = \"1}", "step = \"1\"", "{step = \"1\" op = \"x\"}"] {
            assert!(refused(&format!("CUBE0143.step {pairs}")).contains("is not {name = \"value\", ...}"), "{pairs}");
        }
    }
}
