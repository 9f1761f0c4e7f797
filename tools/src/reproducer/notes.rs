//! The notes at the end of a reproducer, which are comments with one line per property.
use super::{CommandFacts, Outcome, VARIABLES};

const FIRST: &str = "\n// cube-reproducer 1, made by ";

/// The notes that follow the kernel.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Notes {
    pub tool: String,
    /// The words of the command line, one per line; `%s` is the path of the reproducer.
    pub words: Vec<String>,
    /// Environment variables that affect the outcome, and their values.
    pub variables: Vec<(String, String)>,
    /// Data files that the command reads, with the hashes of their contents.
    pub files: Vec<(String, String)>,
    /// The outcome of the command.
    pub outcome: Outcome,
    /// Properties of the command that were known before it ran, such as the target and the launches. A replay
    /// ignores these properties.
    pub known: Vec<(&'static str, String)>,
}

/// The known properties of the command, one per line.
pub fn lines(known: &CommandFacts) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    lines.extend(known.target.iter().map(|t| ("target", t.clone())));
    lines.extend(known.pipeline.iter().map(|p| ("pipeline", p.clone())));
    lines.extend(known.device.iter().map(|l| ("device", l.clone())));
    lines.extend(known.launch.iter().map(|l| ("launch", l.clone())));
    lines
}

impl Notes {
    /// The text of the notes, written as comments.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("{FIRST}{} {}", self.tool, env!("CARGO_PKG_VERSION"))];
        let mut fact = |key: &str, value: &str| lines.push(format!("// {key}: {}", escaped(value)));
        fact("tool", &self.tool);
        self.words.iter().for_each(|word| fact("word", word));
        self.variables.iter().for_each(|(name, value)| fact("variable", &format!("{name}={value}")));
        self.files.iter().for_each(|(name, hash)| fact("file", &format!("{hash} {name}")));
        fact("end", &self.outcome.end);
        self.outcome.codes.iter().for_each(|code| fact("code", code));
        self.known.iter().for_each(|(key, value)| fact(key, value));
        lines.join("\n") + "\n"
    }

    /// Parses the notes of a file.
    ///
    /// # Errors
    /// The error contains the names of missing properties.
    pub fn read(bytes: &[u8]) -> Result<Notes, String> {
        let text = String::from_utf8_lossy(bytes);
        let start = text.rfind(FIRST).ok_or_else(|| format!("it does not end in lines after '{}'", FIRST.trim()))?;
        let mut notes = Notes::default();
        for line in text[start..].lines().skip(2) {
            let fact = line.strip_prefix("// ").and_then(|l| l.split_once(": "));
            let (key, value) = fact.ok_or_else(|| format!("the line '{line}' is not KEY: VALUE"))?;
            let value = unescaped(value);
            match key {
                "tool" => notes.tool = value,
                "word" => notes.words.push(value),
                "variable" => {
                    let (name, value) = value.split_once('=').ok_or("a variable has no value")?;
                    if !VARIABLES.contains(&name) {
                        return Err(format!("it sets {name}, which is not one of {}", VARIABLES.join(", ")));
                    }
                    notes.variables.push((name.into(), value.into()));
                }
                "file" => {
                    let (hash, name) = value.split_once(' ').ok_or("a file has no hash")?;
                    notes.files.push((name.into(), hash.into()));
                }
                "end" => notes.outcome.end = value,
                "code" => notes.outcome.codes.push(value),
                _ => {}
            }
        }
        if !["cube-opt", "cubec", "cube-run"].contains(&notes.tool.as_str()) {
            return Err(format!("it names no tool that can run it, but '{}'", notes.tool));
        }
        // A file must not make the tool start itself repeatedly.
        if notes.words.iter().any(|word| word.starts_with("--replay") || word.starts_with("--reproducer")) {
            return Err("its command makes or runs a reproducer itself".into());
        }
        Ok(notes)
    }
}

/// The kernel in a file, without the notes of an earlier failure.
pub fn strip(bytes: &[u8]) -> &[u8] {
    let mark = FIRST.as_bytes();
    let at = bytes.windows(mark.len()).rposition(|window| window == mark);
    at.map_or(bytes, |at| bytes[..at].trim_ascii_end())
}

/// The distinct error codes in the output of a tool, in order.
pub fn codes_in(message_of: &str) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for line in message_of.lines().filter(|line| !line.starts_with("for more about") && line.contains("error")) {
        for (at, _) in line.match_indices("[CUBE") {
            let code = line[at + 1..].split(']').next().unwrap_or_default();
            let plain = code.len() == 8 && code.as_bytes()[4..].iter().all(u8::is_ascii_digit);
            if plain && !codes.iter().any(|known| known == code) {
                codes.push(code.into());
            }
        }
    }
    codes
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let (mut plain, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some(other) => plain.push(other),
                None => {}
            },
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_written_and_stripped() {
        let notes = Notes {
            tool: "cube-run".into(),
            words: vec!["%s".into(), "--arg".into(), "x=a b\nc\\n".into()],
            variables: vec![("CUBE_CPU_GUARD".into(), "1".into())],
            files: vec![("a b.npy".into(), "00".into())],
            outcome: Outcome { end: "exit 1".into(), codes: vec!["CUBE0609".into()] },
            known: vec![],
        };
        let text = format!("cube.kernel @k() {{ cube.return }}{}", notes.text());
        assert_eq!(Notes::read(text.as_bytes()).unwrap(), notes);
        assert_eq!(strip(text.as_bytes()), b"cube.kernel @k() { cube.return }");
    }

    #[test]
    fn other_files_are_refused() {
        let message_of = |text: &str| Notes::read(text.as_bytes()).unwrap_err();
        assert!(message_of("cube.kernel").contains("does not end in lines"));
        assert!(message_of("\n// cube-reproducer 1, made by x\n// tool: rm\n").contains("names no tool"));
        assert!(
            message_of("\n// cube-reproducer 1, made by x\n// tool: cubec\n// word: --replay=x\n").contains("itself")
        );
        let sets = "\n// cube-reproducer 1, made by x\n// tool: cubec\n// variable: CUBE_COMPILER=/x\n";
        assert!(message_of(sets).contains("it sets CUBE_COMPILER, which is not one of CUBE_CPU_GUARD"));
        assert!(message_of("\n// cube-reproducer 1, made by x\nx\n").contains("is not KEY: VALUE"));
    }

    #[test]
    fn codes_of_errors_are_found_once() {
        let message_of = "k:1:1: error[CUBE0410]: a\nx: error: b [CUBE0331]\nerror[CUBE0410]\nfor more about this error: [CUBE0999]\n";
        assert_eq!(codes_in(message_of), ["CUBE0410", "CUBE0331"]);
    }
}
