//! Debug compilation: gives values their names from the source text. Each pipeline step declares whether a debug
//! compilation omits the step.
use cube_ir::{Location, Op, OwnedModule, Val};

/// Adds the names of values in a module's text as named locations. MLIR discards the names of values, but keeps the
/// locations of operations and block arguments.
pub(crate) fn name_values(module: &OwnedModule<'_>, source: &[u8], file: &str) {
    let Ok(text) = std::str::from_utf8(source) else { return };
    let text = Text { text, lines: lines(text), file };
    for op in module.op().walk() {
        if let Some(names) = text.results(op) {
            op.set_location(op.cx().named_location(&names.join(","), op.location()));
        }
        for value in op.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>().iter().flat_map(|b| b.args()) {
            if let Some(name) = text.argument(value) {
                value.set_argument_location(op.cx().named_location(&name, value.location()));
            }
        }
    }
}

struct Text<'t> {
    text: &'t str,
    lines: Vec<usize>,
    file: &'t str,
}

// Start of each line.
fn lines(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

impl Text<'_> {
    // The byte offset of a location in this file.
    fn offset(&self, at: Location<'_>) -> Option<usize> {
        if !at.is_file_line_col_range() || at.file_line_col_range_filename().as_string_ref().as_str() != Ok(self.file) {
            return None;
        }
        let line = at.file_line_col_range_start_line().checked_sub(1)?;
        Some(self.lines.get(line)? + at.file_line_col_range_start_column().checked_sub(1)?)
    }

    // Parses the names of an operation's results: `%name =`, `%name:2 =` or `%a, %b =` before the operation.
    fn results(&self, op: Op<'_>) -> Option<Vec<String>> {
        let count = op.results().len();
        let before = self.text.get(..self.offset(op.location())?)?.trim_end().strip_suffix('=')?;
        let start = before.rfind(|c: char| !(is_of_name(c) || "%:, \t".contains(c))).map_or(0, |at| at + 1);
        let names: Vec<&str> = before[start..].split(',').map(str::trim).collect();
        let mut all = Vec::new();
        for name in names.iter().filter_map(|name| name.strip_prefix('%')) {
            match name.split_once(':') {
                Some((name, many)) => {
                    (0..many.trim().parse().ok().filter(|n| *n <= count)?)
                        .for_each(|i| all.push(format!("{}_{i}", spelt(name))));
                }
                None => all.push(spelt(name)),
            }
        }
        (count > 0 && all.len() == count && all.iter().any(|name| !name.is_empty())).then_some(all)
    }

    // Parses the name of a block argument, which begins at the location of the argument.
    fn argument(&self, value: Val<'_>) -> Option<String> {
        let rest = self.text.get(self.offset(value.location())?..)?.strip_prefix('%')?;
        let name = spelt(&rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())]);
        (!name.is_empty()).then_some(name)
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$.-".contains(c)
}

// A name that a debugger can read. A value whose name is only a number gets no name.
fn spelt(name: &str) -> String {
    let name = name.trim();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return String::new();
    }
    name.replace(['.', '-', '$'], "_")
}
