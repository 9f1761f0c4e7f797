//! `cargo xtask sentences SEED`: prints 100 random sentences of documents, messages and doc comments, for a reader who
//! did not write them.

use crate::{Outcome, workspace};
use std::path::Path;
use std::process::Command;

/// Number of sentences of a sample.
const SAMPLE: usize = 100;

/// Minimum number of words of a sentence.
const SHORTEST: usize = 4;

/// The file with the rendered messages of the compiler, one per line.
const MESSAGES: &str = "runtime/artifact/src/messages/rendered.txt";

/// The task `sentences`; its argument is the seed of the random numbers.
pub fn run(arguments: &[String]) -> Outcome {
    let seed: u64 = match arguments {
        [seed] => seed.parse().map_err(|_| format!("'{seed}' is not a seed; pass a whole number"))?,
        _ => return Err("usage: cargo xtask sentences SEED".into()),
    };
    let root = workspace::root();
    let listed = Command::new("git").current_dir(&root).arg("ls-files").output().map_err(|e| format!("git: {e}"))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut all: Vec<String> = listed.lines().flat_map(|file| of_file(&root, file)).collect();
    all.sort_by_cached_key(|sentence| hash(seed, sentence));
    // A reader judges equal sentences of one file once.
    all.dedup();
    let count = all.len();
    println!("{SAMPLE} of {count} sentences, seed {seed}");
    for (number, sentence) in all.iter().take(SAMPLE).enumerate() {
        println!("{:3}. {sentence}", number + 1);
    }
    Ok(())
}

fn of_file(root: &Path, file: &str) -> Vec<String> {
    let read = || std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let found = match file.rsplit_once('.').map(|(_, ending)| ending) {
        Some("md") if file == "README.md" || file.starts_with("docs/") => sentences(&prose(&read())),
        Some("rs") => sentences(&doc_comments(&read())),
        Some("txt") if file == MESSAGES => read().lines().map(|line| line.trim().to_string()).collect(),
        _ => return Vec::new(),
    };
    let is_sentence =
        |text: &String| text.split_whitespace().count() >= SHORTEST && text.starts_with(char::is_alphabetic);
    found.into_iter().filter(is_sentence).map(|text| format!("{file}: {text}")).collect()
}

// The text of a page without code blocks, tables and headings.
fn prose(page: &str) -> String {
    let mut code = false;
    let mut text = String::new();
    for line in page.lines() {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        let is_text = !code && !fence && !line.starts_with(['#', '|', '<']) && !line.starts_with("    ");
        if is_text {
            text += &line.trim_start_matches(['*', '-', ' ']).replace("**", "");
        }
        text.push(if is_text && !line.is_empty() { ' ' } else { '\n' });
    }
    text
}

// The doc comments of a source without code blocks. The end of a comment ends its paragraph. A line that ends in a
// backslash is a string of a code generator.
fn doc_comments(source: &str) -> String {
    let mut text = String::new();
    let mut code = false;
    for line in source.lines().map(str::trim_start) {
        let Some(words) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            code = false;
            text.push('\n');
            continue;
        };
        let fence = words.trim_start().starts_with("```");
        code ^= fence;
        let is_code = words.starts_with("     ") || words.ends_with('\\');
        let is_text = !code && !fence && !words.trim_start().starts_with(['#', '|']) && !is_code;
        text += if is_text { words } else { "" };
        text.push(if is_text && !words.trim().is_empty() { ' ' } else { '\n' });
    }
    text
}

fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in text.lines() {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let ends = |word: &&str| word.ends_with(['.', '?', '!']);
        found.extend(words.split_inclusive(ends).map(|sentence| sentence.join(" ")));
    }
    found
}

// FNV-1a, which gives the same order on every machine.
fn hash(seed: u64, text: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_exclude_code_of_documents_and_comments() {
        let page = "# Title of the page\n\nOne sentence that ends here. Another one\nover two lines.\n\n```sh\nnot a sentence here at all.\n```\n";
        let found = sentences(&prose(page));
        assert_eq!(found, ["One sentence that ends here.", "Another one over two lines."]);
        let source = "/// Returns 0. A word.\n/// Returns the sum of both.\n/// A line.\\n\\\n///\n/// ```\n/// let x = 1 + 2 + 3;\n/// ```\nfn f() {}\n// Not a doc comment at all.\n";
        assert_eq!(sentences(&doc_comments(source)), ["Returns 0.", "A word.", "Returns the sum of both."]);
    }

    #[test]
    fn order_depends_only_on_the_seed() {
        assert_eq!(hash(1, "a"), hash(1, "a"));
        assert_ne!(hash(1, "a"), hash(2, "a"));
    }
}
