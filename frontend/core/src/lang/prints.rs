//! The text of `debug_print!`, which a constant of the expansion checks and the build of the kernel converts.
use super::flow::print;
use crate::ir::Raw;

/// Largest number of values of one print.
const MOST_VALUES: usize = 64;

/// A part of a text.
#[derive(Clone, Copy)]
enum Part {
    /// A byte of the output: the last byte of the part.
    Byte,
    /// `{}` or `%d`.
    Next,
    /// `{0}`.
    At(usize),
    /// `{name}`, with the positions of the first byte of the name and after its last byte.
    Named(usize, usize),
}

const fn contains(bytes: &[u8], byte: u8) -> bool {
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether `text` has `word` at position `at`.
const fn has(text: &[u8], at: usize, word: &[u8]) -> bool {
    let mut i = 0;
    while i < word.len() {
        if at + i >= text.len() || text[at + i] != word[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The first position from `at` whose byte is not in `bytes`.
const fn after(text: &[u8], mut at: usize, bytes: &[u8]) -> usize {
    while at < text.len() && contains(bytes, text[at]) {
        at += 1;
    }
    at
}

/// The part of a text that begins at a position, and the position after the part.
#[track_caller]
const fn part(text: &[u8], at: usize) -> (Part, usize) {
    let first = text[at];
    if has(text, at, &[first, first]) && contains(b"{}%", first) {
        if has(text, at, b"{{}}") || has(text, at, b"{{:u}}") {
            panic!("`{{}}` cannot be printed literally, because it is a placeholder; print other brackets");
        }
        return (Part::Byte, at + 2);
    }
    match first {
        b'{' => {
            let mut end = at + 1;
            while end < text.len() && text[end] != b'}' {
                end += 1;
            }
            if end == text.len() {
                panic!("a `{{` in the text is not closed; write `{{{{` for the character");
            }
            (placeholder(text, at + 1, end), end + 1)
        }
        b'}' => panic!("a `}}` in the text was not opened; write `}}}}` for the character"),
        b'%' => {
            // The flags, the width, the precision and the length of a C conversion are ignored.
            let letter = after(text, at + 1, b"-+#0123456789.hlLqjzt");
            match letter < text.len() && contains(b"diouxXeEfFgGaAcsp", text[letter]) {
                true => (Part::Next, letter + 1),
                false => (Part::Byte, at + 1),
            }
        }
        _ => (Part::Byte, at + 1),
    }
}

/// The placeholder with the text between two positions.
#[track_caller]
const fn placeholder(text: &[u8], begin: usize, end: usize) -> Part {
    let begin = after(text, begin, b" ");
    let (mut colon, mut number) = (begin, 0);
    while colon < end && text[colon] != b':' {
        colon += 1;
    }
    if after(text, colon + 1, b" ") < end {
        panic!("a placeholder has a format, but kernel values have a fixed format; write `{{}}` or `{{name}}`");
    }
    let mut last = colon;
    while last > begin && text[last - 1] == b' ' {
        last -= 1;
    }
    if last == begin {
        return Part::Next;
    }
    let mut i = begin;
    while i < last && text[i].is_ascii_digit() && number < 1 << 20 {
        number = 10 * number + (text[i] - b'0') as usize;
        i += 1;
    }
    if i == last { Part::At(number) } else { Part::Named(begin, last) }
}

/// The index of a placeholder's value. `next` is the number of earlier placeholders without a name and an index.
#[track_caller]
const fn value_of(text: &[u8], part: Part, next: usize, names: &[&str]) -> usize {
    let (begin, end) = match part {
        Part::At(index) => return index,
        Part::Named(begin, end) => (begin, end),
        _ => return next,
    };
    let mut i = 0;
    while i < names.len() {
        let name = names[i].as_bytes();
        if name.len() == end - begin && has(text, begin, name) {
            return i;
        }
        i += 1;
    }
    panic!("a placeholder is not the name of a variable; pass the value after the text, and write `{{}}` for it");
}

/// Checks the text of a print. `given` is the number of values after the text. The names are those of these values, or empty
/// texts, and those of the variables in the text.
///
/// # Panics
/// The text is invalid, or its placeholders do not match the values. The expansion calls this function in a constant, so that
/// rustc reports the panic.
#[track_caller]
pub const fn check_print(text: &str, given: usize, names: &[&str]) {
    let text = text.as_bytes();
    if names.len() > MOST_VALUES {
        panic!("a print has at most 64 values; divide it into several prints");
    }
    let (mut at, mut next, mut used) = (0, 0, [false; MOST_VALUES]);
    while at < text.len() {
        let (found, end) = part(text, at);
        at = end;
        if matches!(found, Part::Byte) {
            continue;
        }
        let value = value_of(text, found, next, names);
        if value >= given && !matches!(found, Part::Named(..)) {
            panic!("the text has more placeholders than values; write one `{{}}`, `%d` or `%f` for each value");
        }
        if matches!(found, Part::Next) {
            next += 1;
        }
        used[value] = true;
    }
    let mut i = 0;
    while i < given {
        if !used[i] {
            panic!("the text has no placeholder for a value; write one `{{}}`, `%d` or `%f` for each value");
        }
        i += 1;
    }
}

/// Emits a print with the arguments of [`check_print`].
pub fn print_text(text: &str, names: &[&str], values: &[Raw], position: u32) {
    let (text, places) = converted(text, names);
    let values: Vec<Raw> = places.into_iter().map(|value| values[value]).collect();
    print(&text, &values, position);
}

/// The text with `{}` for each placeholder, and the index of the value of each placeholder.
fn converted(text: &str, names: &[&str]) -> (String, Vec<usize>) {
    let bytes = text.as_bytes();
    let (mut at, mut next, mut out, mut places) = (0, 0, Vec::new(), Vec::new());
    while at < bytes.len() {
        let (found, end) = part(bytes, at);
        at = end;
        match found {
            Part::Byte => out.push(bytes[end - 1]),
            _ => {
                places.push(value_of(bytes, found, next, names));
                out.extend(b"{}");
            }
        }
        next += usize::from(matches!(found, Part::Next));
    }
    (String::from_utf8_lossy(&out).into_owned(), places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_rust_and_c() {
        let text = "{} {0} { x } {y:} %d %5.2f";
        check_print(text, 3, &["", "x", "", "y"]);
        assert_eq!(converted(text, &["", "x", "", "y"]), ("{} {} {} {} {} {}".into(), vec![0, 0, 1, 3, 1, 2]));
        assert_eq!(converted("{{x}} 100%% {}% done, 5 % ä", &[""]), ("{x} 100% {}% done, 5 % ä".into(), vec![0]));
    }

    #[test]
    fn invalid_texts_are_refused() {
        for (text, given, word) in [
            ("{:?}", 1, "has a format"),
            ("{x:.2}", 0, "has a format"),
            ("{0:>8}", 1, "has a format"),
            ("{x", 0, "not closed"),
            ("x}", 0, "not opened"),
            ("{{}}", 0, "cannot be printed"),
            ("{{:u}}", 0, "cannot be printed"),
            ("{} {1}", 1, "more placeholders"),
            ("%d", 0, "more placeholders"),
            ("{0}", 2, "no placeholder for a value"),
            ("{y}", 0, "not the name"),
        ] {
            let panic = std::panic::catch_unwind(|| check_print(text, given, &["", "x"][..given.max(2)]));
            let message = *panic.expect_err(text).downcast::<&str>().expect("the text is constant");
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}
