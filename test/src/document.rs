//! Fenced blocks of a Markdown page: commands, and their expected output.

use std::fmt::Write;

/// One fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Line of the block's opening fence, counted from 1.
    pub line: usize,
    /// First word after the opening fence, for example `sh`.
    pub language: String,
    /// The other words after the opening fence, for example `no-run`, `fails` or `file=PATH`.
    pub words: Vec<String>,
    /// The content, including line ends.
    pub text: String,
}

impl Block {
    /// Whether `word` is one of the words after the language.
    pub fn says(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }

    /// The path of `file=PATH`.
    pub fn file(&self) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix("file="))
    }
}

/// The fenced blocks of a page, in order. A fence can be longer than three backticks. A block ends at a fence that
/// is at least as long as its opening fence.
///
/// # Errors
/// A block has no closing fence.
pub fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(String, Block)> = None;
    for (index, line) in page.lines().enumerate() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &mut open {
            Some((fence, _)) if ticks.len() >= fence.len() && line.trim_end() == ticks => {
                found.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => {
                let _ = writeln!(block.text, "{line}");
            }
            None if ticks.len() >= 3 => {
                let mut words = line[ticks.len()..].split_whitespace().map(str::to_string);
                let language = words.next().unwrap_or_default();
                let block = Block { line: index + 1, language, words: words.collect(), text: String::new() };
                open = Some((ticks, block));
            }
            None => {}
        }
    }
    match open {
        Some((_, block)) => Err(format!("the block that begins in line {} is not closed", block.line)),
        None => Ok(found),
    }
}

/// Compares the output of a command with the expected text of a page. In the expected text, a line `...` matches any
/// number of lines, and `...` inside a line matches any text.
///
/// # Errors
/// The error contains the first line of the expected text that the output lacks, and the actual line.
pub fn compare(shown: &str, printed: &str) -> Result<(), String> {
    let trim = |text: &str| -> Vec<String> { text.lines().map(|l| l.trim_end().to_string()).collect() };
    let (mut shown, mut printed) = (trim(shown), trim(printed));
    for lines in [&mut shown, &mut printed] {
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
    }
    // After the last `...` line, a later start can still match.
    let (mut at, mut next, mut again) = (0, 0, None);
    while next < printed.len() || at < shown.len() {
        if shown.get(at).is_some_and(|line| line == "...") {
            again = Some((at, next));
            at += 1;
        } else if at < shown.len() && next < printed.len() && fits(&shown[at], &printed[next]) {
            at += 1;
            next += 1;
        } else if let Some((elision, start)) = again.filter(|(_, start)| *start < printed.len()) {
            again = Some((elision, start + 1));
            (at, next) = (elision + 1, start + 1);
        } else {
            let expected = shown.get(at).map_or("the end".into(), |l| format!("`{l}`"));
            let there = printed.get(next).map_or("the end".into(), |l| format!("`{l}`"));
            return Err(format!("the page shows {expected}, but the command printed {there}:\n{}", printed.join("\n")));
        }
    }
    Ok(())
}

fn fits(shown: &str, printed: &str) -> bool {
    let parts: Vec<&str> = shown.split("...").collect();
    let [first, middle @ .., last] = parts.as_slice() else { return shown == printed };
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_language_words_and_text() {
        let page = "a\n```sh fails\ncubec x\n```\n\n````text\n```\n````\n```rust file=a/b.rs\nx\n```\n";
        let found = blocks(page).unwrap();
        assert_eq!((found[0].line, found[0].language.as_str(), found[0].says("fails")), (2, "sh", true));
        assert_eq!(found[0].text, "cubec x\n");
        assert_eq!(found[1].text, "```\n");
        assert_eq!(found[2].file(), Some("a/b.rs"));
        assert!(blocks("```sh\nx\n").unwrap_err().contains("line 1"));
    }

    #[test]
    fn ellipsis_matches_omitted_lines_and_words() {
        assert_eq!(compare("a\n...\nd\n", "a\nb\nc\nd\n\n"), Ok(()));
        assert_eq!(compare("...\nb\n...\n", "a\nb\nb\nc\n"), Ok(()));
        assert_eq!(compare("...\nb\nc\n", "b\nx\nb\nc\n"), Ok(()));
        assert_eq!(compare("took ... ms at ...", "took 3.5 ms at noon"), Ok(()));
        assert_eq!(compare("a  ", "a"), Ok(()));
        assert!(compare("a\nb", "a").unwrap_err().contains("shows `b`, but the command printed the end"));
        assert!(compare("a", "a\nb").is_err());
        assert!(compare("a\n...\nz\n", "a\nb\n").is_err());
        assert!(compare("took ... ms", "took 3 s").is_err());
    }
}
