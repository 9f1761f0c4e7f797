//! Formats errors in the style of rustc: the statement, a caret below the faulty position, and notes.

use crate::language::Problem;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Formats an error in `source`, which begins at line `line` of `origin` (the path of a file, or `None` for the
/// command line).
pub fn render(problem: &Problem, source: &str, line: usize, origin: Option<&str>) -> String {
    // A caret must be inside the text, even if the statement ended too early.
    let code = source.trim_end();
    let shown = if problem.span.start < code.len() { code.to_string() } else { format!("{code} ") };
    let start = boundary(&shown, problem.span.start.min(shown.len() - 1), -1);
    let end = boundary(&shown, problem.span.end.clamp(start + 1, shown.len()), 1);
    let snippet = Snippet::source(shown.as_str()).line_start(line).annotation(AnnotationKind::Primary.span(start..end));
    let snippet = match origin {
        Some(origin) => snippet.path(origin),
        None => snippet,
    };
    let group = Level::ERROR.primary_title(problem.message.as_str()).element(snippet);
    let notes = problem.notes.iter().map(|note| Level::NOTE.message(note.as_str()));
    let report: &[Group] = &[group.elements(notes)];
    Renderer::plain().render(report)
}

/// The nearest character boundary at or beyond `at`, in the direction of `step`.
fn boundary(text: &str, at: usize, step: isize) -> usize {
    let mut column = at;
    while !text.is_char_boundary(column) {
        column = column.saturating_add_signed(step);
    }
    column
}

/// Formats an error that has no position in a statement.
pub fn plain(message: &str) -> String {
    format!("error: {message}")
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::language::Session;

    fn report(code: &str) -> String {
        render(&Session::default().run(code).unwrap_err(), code, 3, Some("a.lay"))
    }

    #[test]
    fn the_caret_is_under_the_mistake() {
        assert_eq!(
            report("compositon((4,8):(1,4), 8:4)"),
            "error: no function `compositon`; did you mean `composition`?\n\
             \x20--> a.lay:3:1\n  |\n3 | compositon((4,8):(1,4), 8:4)\n  | ^^^^^^^^^^"
        );
        let text = report("(4,8");
        assert!(text.contains("3 | (4,8 \n  |     ^"), "{text}");
        let text = report("size(é)");
        assert!(text.contains("expected a layout, a number or a function, found `é`"), "{text}");
    }

    #[test]
    fn a_refusal_shows_its_witness() {
        let text = report("composition((4,3):(1,10), 6:1)");
        assert!(text.contains("4 does not divide 6"), "{text}");
        assert!(text.contains("= note: index 4 must have the offset 10, but the closest layout 6:1 gives 4"), "{text}");
    }
}
