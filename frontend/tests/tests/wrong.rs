//! Wrong kernels: one message a mistake, at its place, in the words of the language. `TRYBUILD=overwrite` writes the messages anew.

#[test]
fn each_mistake_is_told_once() {
    trybuild::TestCases::new().compile_fail("wrong/*.rs");
}

/// Names that only the expansion knows.
const INTERNAL: [&str; 25] = [
    "KernelValue",
    "StandIn",
    "__expand",
    "ExpandType",
    "Mem<",
    "Slot<",
    "Operand",
    "__private::",
    "__probe",
    "__CHECK",
    "__PROBED",
    "AtomicPlace",
    "SequenceExpand",
    "IntoVariable",
    "Compared<",
    "CompileArg",
    "Staged",
    "__Open",
    "RunTime<",
    "__self",
    "::expand",
    "__cube",
    "__R",
    "__Known",
    "Checked<",
];

fn messages() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "stderr"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn no_message_speaks_of_the_expansion() {
    let messages = messages();
    assert!(messages.len() >= 110, "{} messages", messages.len());
    let mut spoken = Vec::new();
    for (file, text) in &messages {
        // Headlines and labels; what rustc shows of other crates' sources follows a `-->` with their path.
        let own = text.split("\n\n").flat_map(str::lines).filter(|line| !line.contains("-->"));
        for line in own {
            if let Some(name) = INTERNAL.iter().find(|name| line.contains(**name)) {
                spoken.push(format!("{file}: `{name}` in: {line}"));
            }
        }
    }
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
}

/// Lines of a source that end in `//~`: each mark is a message at that line.
fn marked(source: &str) -> Vec<usize> {
    let lines = source.lines().enumerate();
    lines.flat_map(|(i, line)| std::iter::repeat_n(i + 1, line.matches("//~").count())).collect()
}

/// The lines of the messages in a text.
fn told_at(text: &str) -> Vec<usize> {
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("error") {
            let place = lines.find(|line| line.trim_start().starts_with("-->")).unwrap_or_default();
            let line = place.rsplit(':').nth(1).and_then(|n| n.parse().ok());
            found.push(line.unwrap_or_else(|| panic!("no place: {place}")));
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn each_message_stands_at_its_line() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong");
    let (mut wrong, mut files) = (Vec::new(), 0);
    for (file, text) in messages() {
        let source = std::fs::read_to_string(folder.join(file.replace(".stderr", ".rs"))).unwrap();
        let marked = marked(&source);
        files += usize::from(!marked.is_empty());
        let told = told_at(&text);
        if !marked.is_empty() && marked != told {
            wrong.push(format!("{file}: marked {marked:?}, told {told:?}"));
        }
    }
    assert!(files >= 20, "{files} files have marks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_messages_is_that_of_the_mistakes() {
    let mut wrong = Vec::new();
    for (file, text) in messages() {
        let told = text.lines().filter(|line| line.starts_with("error")).count();
        let source = std::fs::read_to_string(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong").join(file.replace(".stderr", ".rs")),
        )
        .unwrap();
        // A case with several mistakes says so in its first line.
        let first = source.lines().next().unwrap_or_default();
        let mistakes = first.strip_prefix("// mistakes: ").map_or(1, |n| n.parse().unwrap());
        if told != mistakes {
            wrong.push(format!("{file}: {mistakes} mistakes, {told} messages"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
