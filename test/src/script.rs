//! Converts a RUN line to a bash command. The conversion replaces these words:
//!
//! | in the file | in the command |
//! |---|---|
//! | `%s`, `%S` | the path of the test file, the path of its folder |
//! | `%t` | a path for files that only this test writes |
//! | `%{tools}`, `%{llvm}` | the folders of `cube` and of LLVM's programs |
//! | `%plugin` | the plugin for stock `mlir-opt` |
//! | `%pinned{NAME}` | a comparison of standard input with `pinned/NAME` beside the file |
//! | `%%` | `%` |
//! | a whole word that is a tool's name | the tool's path (see [`crate::toolbox`]) |

use crate::toolbox::{Toolbox, quoted};
use std::path::{Path, PathBuf};

/// The values that replace the `%` words in the commands of a test.
#[derive(Debug)]
pub struct Names<'a> {
    /// The programs that commands run.
    pub tools: &'a Toolbox,
    /// The test file.
    pub file: &'a Path,
    /// A folder for this test only.
    pub scratch: &'a Path,
    /// Whether pinned outputs are rewritten instead of compared.
    pub bless: bool,
}

/// A command with inserted paths, and the pinned files that the command compares or rewrites.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The text of the command for bash, which a user can also run in a terminal.
    pub text: String,
    /// Files under `pinned/`.
    pub pinned: Vec<PathBuf>,
}

impl Names<'_> {
    /// Replaces the `%` words and tool names in a command.
    ///
    /// # Errors
    /// A `%` word is unknown, or a pinned file does not exist yet.
    pub fn fill(&self, text: &str) -> Result<Command, String> {
        let mut pinned = Vec::new();
        // Split at each blank and keep the blanks, so that quoted text is unchanged.
        let words: Result<Vec<_>, _> = text.split(' ').map(|word| self.word(word, &mut pinned)).collect();
        Ok(Command { text: words?.join(" "), pinned })
    }

    fn word(&self, word: &str, pinned: &mut Vec<PathBuf>) -> Result<String, String> {
        if let Some(command) = self.tools.command(word) {
            return Ok(command);
        }
        let mut filled = String::new();
        let mut rest = word;
        while let Some(at) = rest.find('%') {
            filled += &rest[..at];
            rest = self.percent(&rest[at + 1..], &mut filled, pinned)?;
        }
        Ok(filled + rest)
    }

    /// Replaces the word after a `%`, and returns the text that follows the word.
    fn percent<'t>(&self, text: &'t str, filled: &mut String, pinned: &mut Vec<PathBuf>) -> Result<&'t str, String> {
        if let Some(rest) = text.strip_prefix("pinned{") {
            let Some((name, rest)) = rest.split_once('}') else { return Err("`%pinned{` is not closed".into()) };
            *filled += &self.pinned(name, pinned)?;
            return Ok(rest);
        }
        if let Some(rest) = text.strip_prefix("plugin") {
            *filled += &quoted(&self.tools.plugin()?);
            return Ok(rest);
        }
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let own = self.scratch.join(self.file.file_stem().unwrap_or_default()).with_extension("tmp");
        let tools = self.tools.cube.parent().unwrap_or(Path::new("."));
        let known: [(&str, String); 6] = [
            ("{tools}", quoted(tools)),
            ("{llvm}", quoted(&self.tools.llvm)),
            ("%", "%".into()),
            ("s", quoted(self.file)),
            ("S", quoted(folder)),
            ("t", quoted(&own)),
        ];
        let Some((name, value)) = known.iter().find(|(name, _)| text.starts_with(name)) else {
            let word: String = text.chars().take_while(|c| !c.is_whitespace()).collect();
            return Err(format!("`%{word}` is not known here; write `%%` for a percent sign"));
        };
        *filled += value;
        Ok(&text[name.len()..])
    }

    /// A command that compares its standard input with a pinned file, or writes the new pinned file.
    fn pinned(&self, name: &str, pinned: &mut Vec<PathBuf>) -> Result<String, String> {
        if name.is_empty() || name.contains(['/', '%']) || name.starts_with('.') {
            return Err(format!("`%pinned{{{name}}}` must hold a plain file name"));
        }
        let path = self.file.parent().unwrap_or(Path::new(".")).join("pinned").join(name);
        pinned.push(path.clone());
        if self.bless {
            return Ok(format!("cat > {}", quoted(&crate::bless::new_file(&path))));
        }
        if !path.is_file() {
            return Err(format!("no pinned output {}; `cargo xtask bless` writes it", path.display()));
        }
        Ok(format!("diff -u --label pinned --label now {} -", quoted(&path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str) -> Result<Command, String> {
        let tools = Toolbox { cube: "/b/cube".into(), llvm: "/l".into() };
        let file = Path::new("/t/optimize/un roll.mlir");
        Names { tools: &tools, file, scratch: Path::new("/scratch"), bless: false }.fill(text)
    }

    #[test]
    fn words_and_percents_are_replaced() {
        let command = fill("not cube-opt %s --x=%S/y -o %t.ptx 2>&1 | FileCheck %s").unwrap();
        assert_eq!(
            command.text,
            "/l/not /b/cube opt '/t/optimize/un roll.mlir' --x=/t/optimize/y -o '/scratch/un roll.tmp'.ptx 2>&1 | \
             /l/FileCheck '/t/optimize/un roll.mlir'"
        );
    }

    #[test]
    fn tool_name_inside_a_word_is_not_replaced() {
        assert_eq!(fill("echo --prefix=cubec  'a  b' 5%%").unwrap().text, "echo --prefix=cubec  'a  b' 5%");
    }

    #[test]
    fn an_unknown_percent_word_is_an_error() {
        assert!(fill("echo %q").unwrap_err().contains("`%q` is not known"));
        assert!(fill("cubec | %pinned{../x}").unwrap_err().contains("plain file name"));
    }

    #[test]
    fn missing_pinned_file_is_reported_with_bless() {
        assert!(fill("cubec %s | %pinned{x.ptx}").unwrap_err().contains("cargo xtask bless"));
    }
}
