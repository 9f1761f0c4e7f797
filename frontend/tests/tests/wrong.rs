//! Invalid kernels: one message for each error, at its location. `TRYBUILD=overwrite` writes the messages anew.

#[test]
fn each_error_is_reported_once() {
    trybuild::TestCases::new().compile_fail("wrong/*.rs");
}

/// Names that exist in the expansion only.
const INTERNAL: [&str; 25] = [
    "KernelValue",
    "StandIn",
    "__expand",
    "ExpandType",
    "Mem<",
    "Slot<",
    "Operand",
    "__private::",
    "__check_",
    "__CHECK",
    "__CHECKED",
    "AtomicExpand",
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

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong")
}

/// The program of a file of messages.
fn source_of(messages: &str) -> String {
    std::fs::read_to_string(folder().join(messages.replace(".stderr", ".rs"))).unwrap()
}

fn messages() -> Vec<(String, String)> {
    let mut found: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "stderr"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn no_message_names_items_of_the_expansion() {
    let messages = messages();
    assert!(messages.len() >= 110, "{} messages", messages.len());
    let mut spoken = Vec::new();
    for (file, text) in &messages {
        // Headlines and labels. rustc shows the sources of other crates after a `-->` with their path.
        let own = text.split("\n\n").flat_map(str::lines).filter(|line| !line.contains("-->"));
        for line in own {
            if let Some(name) = INTERNAL.iter().find(|name| line.contains(**name)) {
                spoken.push(format!("{file}: `{name}` in: {line}"));
            }
        }
    }
    assert!(spoken.is_empty(), "{}", spoken.join("\n"));
}

/// Names of Rust and of crates that occur in rustc's messages.
const OF_RUST: &str = "Add AddAssign Cargo Copy Debug DeflateBackend Div Duration Eq F32 FloatConst From Hash Index IndexMut InflateBackend
    Into IntoIterator Iterator MAX Mul Neg NonZero None O Option Ord PI PartialEq Range Rem Rhs Shl Shr SliceIndex Step U32 Vec ByteStr
    add add_assign_impl all as bf16 bool byteorder c cargo char crate dead_code deny derive else end f16 f32 f64 f128 false ffi filter flate2
    float float_const_impl floor i8 i16 i32 i64 i128 if impl instrument integer into isize let log loop match mut non_snake_case ops
    overflowing_literals panic path_statements self sin slice sqrt start static std str this toml u8 u16 u32 u64 u128 unreachable_code unused
    unused_assignments unused_imports unused_must_use unused_mut unused_parens unused_variables upper_case usize warn zerocopy bad_name";

/// Names of the language: those that programs use, and those in the errors for unresolved calls
/// (`core/src/diagnostic_traits.rs`).
const OF_THE_LANGUAGE: &str = "path Name NameExpand ABSOLUTE_POS Array Atomic Cast ComptimeField ComptimeParameter ComputeClient CpuServer CubeLaunch CubePrimitive
    CubeType CudaRuntime Element FastFlags FastMath Float Handle Int LaunchArg Numeric Runtime Sequence Slice Tensor TensorArg UNIT_POS_X
    cast_from comptime condition containers debug_print fma from_int host lang plane_all powi reinterpret saturating_add saturating_sub
    terminate new CUBE_CLUSTER_DIM d f F R T
    ComputedByTheKernel FieldsOf FunctionOf KernelFunction KernelMethod KernelType KnownWhenCompiled MethodOf TheHost TheKernel
    PUT_CUBE_BEFORE_THIS_IMPL floats of_all";

/// Names in the quoted parts of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let names = quoted.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    names.filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.trim_matches('_').is_empty())
}

/// Whether a line of a message is rustc's own, and not a line of the source.
fn is_rustc_text(line: &str) -> bool {
    let source = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let shown = source.len() < line.trim_start().len() && source.trim_start().starts_with(['|', '+', '-', '~']);
    // Marks under a line of the source are replaced. The source of another crate has no line numbers.
    let foreign = source.starts_with('|') && !source.contains(['^']) && !source.contains("--");
    !shown && !foreign && !line.contains("-->") && !line.contains(":::")
}

#[test]
fn each_name_in_a_message_is_of_the_program_the_language_or_rust() {
    let (mut strange, mut seen) = (Vec::new(), 0);
    for (file, text) in messages() {
        let source = source_of(&file);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let own: std::collections::HashSet<&str> = source.split(|c| !is_word(c)).collect();
        let is_of = |list: &str, name: &str| list.split_whitespace().any(|word| word == name);
        for line in text.lines().filter(|line| is_rustc_text(line)) {
            for name in quoted(line) {
                seen += 1;
                // rustc suggests an underscore for an unused name, and a function is named by the kernel that calls it.
                // A trait of the expansion has the kernel's name and its line.
                let of_kernel = name.strip_prefix("CallableIn_").or(name.strip_prefix("MatchedIn_"));
                let of_kernel = of_kernel.and_then(|name| name.rsplit_once('_')).map(|(name, _)| name);
                let plain = of_kernel.or(name.strip_prefix('_')).unwrap_or(name);
                let known = own.contains(plain) || file.strip_suffix(".stderr") == Some(name) || plain == "unused";
                if !known && !is_of(OF_RUST, plain) && !is_of(OF_THE_LANGUAGE, name) && plain != "name" {
                    strange.push(format!("{file}: `{name}` in: {line}"));
                }
            }
        }
    }
    assert!(seen > 2000, "{seen} names");
    assert!(strange.is_empty(), "{}", strange.join("\n"));
}

/// Lines of a source that end in `//~`: each mark is one expected message.
fn marked(source: &str) -> Vec<usize> {
    let lines = source.lines().enumerate();
    lines.flat_map(|(i, line)| std::iter::repeat_n(i + 1, line.matches("//~").count())).collect()
}

/// The lines of the messages in a text.
fn reported_lines(text: &str) -> Vec<usize> {
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
fn each_message_is_at_its_line() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    for (file, text) in messages() {
        let source = source_of(&file);
        let marked = marked(&source);
        files += usize::from(!marked.is_empty());
        let reported = reported_lines(&text);
        if !marked.is_empty() && marked != reported {
            wrong.push(format!("{file}: marked {marked:?}, reported {reported:?}"));
        }
    }
    assert!(files >= 20, "{files} files have marks");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_number_of_messages_is_that_of_the_mistakes() {
    let mut wrong = Vec::new();
    for (file, text) in messages() {
        let reported = text.lines().filter(|line| line.starts_with("error")).count();
        let source = source_of(&file);
        // A case with several errors states their number in its first line.
        let first = source.lines().next().unwrap_or_default();
        let mistakes = first.strip_prefix("// mistakes: ").map_or(1, |n| n.parse().unwrap());
        if reported != mistakes {
            wrong.push(format!("{file}: {mistakes} mistakes, {reported} messages"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
