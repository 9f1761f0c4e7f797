//! Replaces the comments and strings of a Rust source by spaces, so that a search finds only code. The positions and
//! line numbers of the code do not change.

/// The code of a source, with spaces instead of comments and strings.
pub fn code_of(source: &str) -> String {
    let mut scanner = Scanner { bytes: source.as_bytes(), at: 0, code: source.as_bytes().to_vec() };
    while scanner.at < scanner.bytes.len() {
        scanner.step();
    }
    // Only whole characters were blanked, so the remaining bytes are valid text.
    String::from_utf8(scanner.code).unwrap_or_default()
}

/// All occurrences of a word in code. For each occurrence, the result contains the line number, counted from
/// 1, and the text after the word.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    code.match_indices(word).filter_map(move |(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let part_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
        if before.ends_with(part_of_a_name) || after.starts_with(part_of_a_name) {
            return None;
        }
        Some((before.matches('\n').count() + 1, after))
    })
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    code: Vec<u8>,
}

impl Scanner<'_> {
    fn step(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = match rest {
            [b'/', b'/', ..] => line_comment(rest),
            [b'/', b'*', ..] => block_comment(rest),
            [b'"', ..] => plain_text(rest),
            [b'r', b'"' | b'#', ..] if !self.inside_a_name() => raw_text(rest).unwrap_or(0),
            [b'b' | b'c', b'r', b'"' | b'#', ..] if !self.inside_a_name() => {
                raw_text(&rest[1..]).map_or(0, |length| length + 1)
            }
            [b'\'', ..] => character(rest),
            _ => 0,
        };
        if end == 0 {
            self.at += 1;
        } else {
            self.blank(end);
        }
    }

    /// Whether the byte before the current position belongs to a name, as in `for"` or `bar#`.
    fn inside_a_name(&self) -> bool {
        self.at > 0 && matches!(self.bytes[self.at - 1], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')
    }

    fn blank(&mut self, length: usize) {
        let end = (self.at + length).min(self.bytes.len());
        self.code[self.at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        self.at = end;
    }
}

fn line_comment(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// The length of a block comment; block comments can be nested in Rust.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn plain_text(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string `r"..."` or `r#"..."#`; `None` for a raw name such as `r#type`.
fn raw_text(rest: &[u8]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let body = &rest[2 + hashes..];
    let end = body.windows(close.len()).position(|window| window == close);
    Some(end.map_or(rest.len(), |end| 2 + hashes + end + close.len()))
}

/// The length of a character literal; 0 for a lifetime.
fn character(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).position(|byte| *byte == b'\'');
        return end.map_or(0, |end| end + 4);
    }
    // One character of up to four bytes, then the closing quote. A lifetime `'a` has no closing quote.
    let end = rest.iter().skip(2).take(4).position(|byte| *byte == b'\'');
    match end {
        Some(0) => 3,
        Some(more) if rest[1] >= 0x80 => more + 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of_unsafe(source: &str) -> Vec<usize> {
        words(&code_of(source), "unsafe").map(|(line, _)| line).collect()
    }

    #[test]
    fn only_code_counts() {
        let source = "// unsafe\n/* unsafe /* unsafe */ unsafe */ \"unsafe \\\" unsafe\"\nr#\"unsafe \" unsafe\"# br\"unsafe\"\n\
                      unsafe {}\n#![forbid(unsafe_code)]\nlet not_unsafe = b'\"'; unsafe {} // \"\n'\"' unsafe";
        assert_eq!(lines_of_unsafe(source), [4, 6, 7]);
    }

    #[test]
    fn lifetimes_and_characters_are_distinguished() {
        assert_eq!(lines_of_unsafe("fn f<'a>(x: &'a str, y: char) { if y == '\\'' || y == 'ü' { unsafe {} } }"), [1]);
        assert_eq!(lines_of_unsafe("let r#unsafe_ = '\\u{41}'; unsafe"), [1]);
    }

    #[test]
    fn code_filter_preserves_lines_and_length() {
        let source = "a /* ü\n b */ c \"d\ne\" f";
        let code = code_of(source);
        assert_eq!(code.len(), source.len());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "c", "f"]);
        assert_eq!(code.matches('\n').count(), 2);
    }

    #[test]
    fn a_source_cut_short_does_not_hang_or_panic() {
        for source in ["\"abc", "/* abc", "r#\"abc", "'\\", "'", "r#", "\"\\"] {
            assert_eq!(code_of(source).len(), source.len());
        }
    }
}
