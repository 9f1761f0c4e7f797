//! Parses the lines of a test file that control the test runner: `// RUN: ...`, `// REQUIRES: ...`, `// RUN-ARGS:
//! ...`, `// SKIP: backend reason`, `// SKIP: backend@WORD,WORD reason`. In a file whose comments start with `#`
//! or `;`, the control lines start with the same mark.

/// The control lines of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Commands of the RUN lines, in order; a line that ends in `\` is joined with the next line.
    pub runs: Vec<Line>,
    /// Argument lists of `cube-run`, one for each run.
    pub run_arguments: Vec<Line>,
    /// Features that the test requires.
    pub requires: Vec<String>,
    /// Backends that cannot run the test.
    pub skips: Vec<Skip>,
}

/// A backend that cannot run a file or some of its argument lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    pub backend: String,
    /// The runner skips argument lists that contain one of these words, for example the name of a kernel. If `words`
    /// is empty, the runner skips all argument lists.
    pub words: Vec<String>,
    pub reason: String,
}

impl Skip {
    fn applies_to(&self, line: &Line) -> bool {
        self.words.is_empty() || line.text.split_whitespace().any(|word| self.words.iter().any(|own| own == word))
    }
}

/// A text of a control line, with the number of its first line in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Line number, counted from 1.
    pub number: usize,
    /// The text without the comment mark and the keyword.
    pub text: String,
}

impl Header {
    /// Parses the control lines of a file.
    ///
    /// # Errors
    /// A control line is empty, or no line follows a final `\`.
    pub fn parse(source: &str) -> Result<Header, String> {
        let mut header = Header::default();
        // The keyword whose last line ended in `\`, and must continue in the next keyword line.
        let mut open: Option<&str> = None;
        for (index, line) in source.lines().enumerate() {
            let Some((keyword, text)) = keyword_line(line) else { continue };
            let number = index + 1;
            if let Some(expected) = open.filter(|expected| *expected != keyword) {
                return Err(format!("line {number}: `{expected}` ends in `\\`, and `{keyword}` comes next"));
            }
            let (text, more) = match text.strip_suffix('\\') {
                Some(text) => (text.trim_end(), true),
                None => (text, false),
            };
            if text.is_empty() && !more {
                return Err(format!("line {number}: `{keyword}` has no text"));
            }
            header.take(keyword, Line { number, text: text.to_string() }, open.is_some())?;
            open = more.then_some(keyword);
        }
        if let Some(word) = header.unknown_skip_word() {
            return Err(format!("a `SKIP` line names `{word}`, which is a word of no `RUN-ARGS` line"));
        }
        match open {
            Some(keyword) => Err(format!("the last `{keyword}` line ends in `\\`")),
            None => Ok(header),
        }
    }

    /// The argument lists that a backend runs.
    ///
    /// # Errors
    /// The error is the reason why the backend skips all argument lists.
    pub fn arguments_for(&self, backend: &str) -> Result<Vec<Line>, String> {
        let skips: Vec<&Skip> = self.skips.iter().filter(|skip| skip.backend == backend).collect();
        let runs = |line: &&Line| !skips.iter().any(|skip| skip.applies_to(line));
        let lines: Vec<Line> = self.run_arguments.iter().filter(runs).cloned().collect();
        match skips.first().filter(|_| lines.is_empty()) {
            Some(skip) => Err(skip.reason.clone()),
            None => Ok(lines),
        }
    }

    /// The first word of a `SKIP` line that does not occur in any argument list. A word that occurs in no
    /// argument list would skip nothing.
    fn unknown_skip_word(&self) -> Option<&str> {
        let has =
            |word: &&String| self.run_arguments.iter().any(|line| line.text.split_whitespace().any(|own| own == *word));
        self.skips.iter().flat_map(|skip| &skip.words).find(|word| !has(word)).map(String::as_str)
    }

    fn take(&mut self, keyword: &str, line: Line, continues: bool) -> Result<(), String> {
        match keyword {
            "RUN:" => join(&mut self.runs, line, continues),
            "RUN-ARGS:" => join(&mut self.run_arguments, line, continues),
            "REQUIRES:" => {
                let words = line.text.split([',', ' ']).filter(|word| !word.is_empty());
                self.requires.extend(words.map(str::to_string));
            }
            _ => {
                let Some((backend, reason)) = line.text.split_once(char::is_whitespace) else {
                    return Err(format!("line {}: `SKIP: backend reason` needs a reason", line.number));
                };
                let (backend, words) = backend.split_once('@').unwrap_or((backend, ""));
                let words = words.split(',').filter(|word| !word.is_empty()).map(str::to_string).collect();
                self.skips.push(Skip { backend: backend.into(), words, reason: reason.trim().into() });
            }
        }
        Ok(())
    }
}

const KEYWORDS: [&str; 4] = ["RUN:", "RUN-ARGS:", "REQUIRES:", "SKIP:"];

/// The keyword of a control line, and the text after the keyword.
fn keyword_line(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let text = ["//", "#", ";"].iter().find_map(|mark| line.strip_prefix(mark))?.trim_start();
    KEYWORDS.iter().find_map(|keyword| Some((*keyword, text.strip_prefix(keyword)?.trim())))
}

fn join(lines: &mut Vec<Line>, line: Line, continues: bool) {
    match lines.last_mut().filter(|_| continues) {
        Some(last) => last.text = format!("{} {}", last.text, line.text),
        None => lines.push(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_are_one_command() {
        let header = Header::parse("// RUN: cube-opt %s \\\n// RUN:   | FileCheck %s\n// RUN: second\nmodule {}\n");
        let runs = header.unwrap().runs;
        assert_eq!(runs[0], Line { number: 1, text: "cube-opt %s | FileCheck %s".into() });
        assert_eq!(runs[1], Line { number: 3, text: "second".into() });
        assert_eq!(runs.len(), 2);
    }

    #[test]
    fn an_unfinished_line_is_an_error() {
        assert!(Header::parse("// RUN: a \\\n").unwrap_err().contains("ends in `\\`"));
        assert!(Header::parse("// RUN: a \\\n// REQUIRES: b\n").unwrap_err().contains("`REQUIRES:` comes next"));
        assert!(Header::parse("// RUN:\n").unwrap_err().contains("has no text"));
    }

    #[test]
    fn check_lines_and_prose_are_not_commands() {
        let header = Header::parse("// CHECK: RUN: x\n// to RUN: it\n%0 = \"RUN: y\"\n").unwrap();
        assert_eq!(header, Header::default());
    }

    #[test]
    fn requirements_and_skips_are_read() {
        let header = Header::parse("# REQUIRES: cuda, tool:spirv-val\n// SKIP: wgsl has no f64\n").unwrap();
        assert_eq!(header.requires, ["cuda", "tool:spirv-val"]);
        assert_eq!(header.skips[0].reason, "has no f64");
        assert_eq!(header.arguments_for("wgsl"), Err("has no f64".to_string()));
        assert!(Header::parse("// SKIP: wgsl\n").unwrap_err().contains("needs a reason"));
    }

    #[test]
    fn a_skip_of_one_kernel_leaves_the_others() {
        let lines = "// RUN-ARGS: --kernel i8 --n 1\n// RUN-ARGS: --kernel i32\n// RUN-ARGS: --kernel f64\n";
        let header = Header::parse(&format!("{lines}// SKIP: wgsl@i8 no i8\n// SKIP: wgsl@f64 no f64\n")).unwrap();
        let texts =
            |backend| header.arguments_for(backend).map(|all| all.into_iter().map(|l| l.text).collect::<Vec<_>>());
        assert_eq!(texts("wgsl"), Ok(vec!["--kernel i32".into()]));
        assert_eq!(texts("cpu").map(|all| all.len()), Ok(3));
        let header = Header::parse(&format!("{lines}// SKIP: wgsl@i8,i32,f64 no numbers\n")).unwrap();
        assert_eq!(header.arguments_for("wgsl"), Err("no numbers".to_string()));
        let misspelt = Header::parse(&format!("{lines}// SKIP: wgsl@i9 no i9\n")).unwrap_err();
        assert!(misspelt.contains("`i9`"), "{misspelt}");
    }
}
