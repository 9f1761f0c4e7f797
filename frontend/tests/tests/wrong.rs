#![doc = include_str!("../wrong/README.md")]

#[path = "wrong/two_crates.rs"]
mod two_crates;

use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Largest permitted number of lines with an error that names an item of the macro expansion.
const MAX_INTERNAL: usize = 0;

/// Smallest permitted share, in percent, of mistakes that cause exactly one error.
const MIN_EXACT: usize = 89;

/// Number of source files that rustc compiles as one crate.
const FILES_OF_A_CRATE: usize = 8;

/// An error in a source file.
struct Found {
    line: usize,
    /// The message of the error, with its labels, notes and suggestions. The texts omit rustc's lists of
    /// types from other crates.
    texts: Vec<String>,
}

/// A source file, and the errors that rustc finds in the file.
struct Case {
    name: String,
    source: String,
    errors: Vec<Found>,
}

/// The compiler itself. The search path can contain rustup's program `rustc`, which starts the compiler.
fn rustc() -> PathBuf {
    let found = option_env!("RUSTC").unwrap_or("rustc");
    let output = Command::new(found).args(["--print", "sysroot"]).output().unwrap();
    let own = Path::new(String::from_utf8_lossy(&output.stdout).trim()).join("bin/rustc");
    if own.is_file() { own } else { found.into() }
}

/// The compiler, the folder of the libraries, and the libraries that the sources name.
struct Tools {
    rustc: PathBuf,
    folder: PathBuf,
    libraries: Vec<(&'static str, PathBuf)>,
}

impl Tools {
    /// The tools for sources that name the library `cubecl`.
    fn new() -> Self {
        let (folder, library) = cube_frontend_tests::library();
        Tools { rustc: rustc(), folder, libraries: vec![("cubecl", library)] }
    }

    /// A call of rustc for the crate with the given root.
    fn rustc(&self, root: &Path, kind: &str, out: &Path) -> Command {
        let mut rustc = Command::new(&self.rustc);
        rustc.args(["--edition=2024", "--crate-type", kind, "-o"]).arg(out).arg(root);
        rustc.arg("-L").arg(format!("dependency={}", self.folder.display()));
        for (name, path) in &self.libraries {
            rustc.arg("--extern").arg(format!("{name}={}", path.display()));
        }
        rustc.env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")).env("CARGO_CRATE_NAME", name_of(root));
        rustc
    }

    /// The cases of source files. rustc first compiles the files as modules of one crate, because most of the time of a short
    /// file is the start of rustc. In a crate, errors of one file can hide errors of another file. A file whose errors differ
    /// from its marks, or name another file, is therefore compiled alone.
    fn cases(&self, files: &[PathBuf]) -> Vec<Case> {
        let module = |file: &PathBuf| format!("#[path = {file:?}]\nmod {};\n", name_of(file));
        let root = format!("{}fn main() {{}}\n", files.iter().map(module).collect::<String>());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("with_{}.rs", name_of(&files[0])));
        std::fs::write(&path, root).unwrap();
        let together = self.compiled(&path, files);
        let names: Vec<String> = files.iter().map(|file| format!("crate::{}::", name_of(file))).collect();
        let alone = |(file, case): (&PathBuf, Case)| {
            // rustc lists names of the other files, for example as the candidates for an unknown name.
            let texts = case.errors.iter().flat_map(|error| &error.texts);
            let lists_names = texts.into_iter().any(|text| names.iter().any(|name| text.contains(name)));
            match lists_names || !case.unmarked().is_empty() {
                true => self.compiled(file, std::slice::from_ref(file)).remove(0),
                false => case,
            }
        };
        files.iter().zip(together).map(alone).collect()
    }

    /// Compiles the crate with the given root, and returns the errors in each of its files.
    fn compiled(&self, root: &Path, files: &[PathBuf]) -> Vec<Case> {
        let name = name_of(root);
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.rmeta"));
        let mut rustc = self.rustc(root, "bin", &out);
        let output = rustc.args(["--emit=metadata", "--error-format=json"]).output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        let case = |file: &PathBuf| Case {
            name: name_of(file),
            source: std::fs::read_to_string(file).unwrap(),
            errors: Vec::new(),
        };
        let mut cases: Vec<Case> = files.iter().map(case).collect();
        for line in messages.lines() {
            let error = serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{name}: {line}"));
            if error["level"] == "error" && !error["spans"].as_array().unwrap().is_empty() {
                // An error outside of the files has line 0 of the first file.
                let (file, line) = location_of(&error, files).unwrap_or((0, 0));
                cases[file].errors.push(Found { line, texts: texts_of(&error) });
            }
        }
        cases
    }
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The source file and the line of an error. For a location in a macro's definition, the result is the line of the macro
/// call.
fn location_of(error: &Value, files: &[PathBuf]) -> Option<(usize, usize)> {
    let spans = error["spans"].as_array().unwrap();
    let mut span = spans.iter().find(|span| span["is_primary"] == true)?;
    loop {
        let path = Path::new(span["file_name"].as_str()?);
        if let Some(file) = files.iter().position(|file| file == path) {
            return Some((file, span["line_start"].as_u64()? as usize));
        }
        span = &span["expansion"]["span"];
    }
}

fn texts_of(error: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let message = error["message"].as_str().unwrap_or_default();
    let of_other_crates = ["the following other types implement trait", "the following trait"];
    if of_other_crates.iter().any(|list| message.starts_with(list)) {
        return texts;
    }
    texts.push(message.to_string());
    for span in error["spans"].as_array().into_iter().flatten() {
        texts.extend(["label", "suggested_replacement"].iter().filter_map(|key| span[key].as_str()).map(String::from));
    }
    texts.extend(error["children"].as_array().into_iter().flatten().flat_map(texts_of));
    texts
}

/// All source files with invalid kernels, compiled once for all tests of this program.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("wrong");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let name_part = std::env::var("CUBE_WRONG").unwrap_or_default();
        let is_case =
            |path: &PathBuf| path.extension().is_some_and(|e| e == "rs") && path.to_string_lossy().contains(&name_part);
        let mut files: Vec<PathBuf> = files.filter(is_case).collect();
        files.sort();
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let tools = Tools::new();
        let groups: Vec<&[PathBuf]> = files.chunks(FILES_OF_A_CRATE).collect();
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(|| {
                    while let Some(files) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let cases = tools.cases(files);
                        found.lock().unwrap().extend(cases);
                    }
                });
            }
        });
        let mut cases = found.into_inner().unwrap();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        if !name_part.is_empty() {
            for (case, error) in cases.iter().flat_map(|case| case.errors.iter().map(move |error| (case, error))) {
                println!("{}:{}: {}", case.name, error.line, error.texts.join("\n    "));
            }
        }
        cases
    })
}

/// The marks at the end of a source line. `wrong/README.md` defines them.
#[derive(Default)]
struct Marks {
    /// Number of mistakes with one error.
    exact: usize,
    /// Number of mistakes with several errors.
    several: usize,
    /// Whether mistakes in other lines cause additional errors in the line.
    more: bool,
    /// Whether an error names an item of the macro expansion.
    internal: bool,
}

fn marks(line: &str) -> Marks {
    let mut marks = Marks::default();
    for mark in line.split("//~").skip(1) {
        marks.internal |= mark.trim_start_matches(['~', '-']).starts_with('!');
        match mark.chars().next() {
            Some('~') => marks.several += 1,
            Some('-') => marks.more = true,
            _ => marks.exact += 1,
        }
    }
    marks
}

impl Case {
    /// The lines whose errors differ from their marks.
    fn unmarked(&self) -> Vec<String> {
        let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
        self.errors.iter().for_each(|error| *lines.entry(error.line).or_default() += 1);
        let mut wrong = Vec::new();
        for (i, line) in self.source.lines().enumerate() {
            let (marks, found) = (marks(line), lines.remove(&(i + 1)).unwrap_or_default());
            let right = match (marks.several, marks.more) {
                (0, false) => found == marks.exact,
                (0, true) => found > marks.exact,
                (several, _) => found > marks.exact + several,
            };
            if !right {
                wrong.push(format!("{}.rs:{}: {found} errors: {}", self.name, i + 1, line.trim()));
            }
        }
        wrong.extend(lines.keys().map(|line| format!("{}.rs:{line}: an error outside of the file", self.name)));
        wrong
    }
}

#[test]
fn each_mistake_has_an_error_at_its_line() {
    let (mut wrong, mut mistakes, mut exact) = (Vec::new(), 0, 0);
    for case in cases() {
        wrong.extend(case.unmarked());
        let all: Vec<Marks> = case.source.lines().map(marks).collect();
        let of_case: usize = all.iter().map(|marks| marks.exact + marks.several).sum();
        exact += all.iter().map(|marks| marks.exact).sum::<usize>();
        exact = exact.saturating_sub(all.iter().filter(|marks| marks.more).count());
        if of_case == 0 {
            wrong.push(format!("{}.rs: no marks", case.name));
        }
        mistakes += of_case;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if std::env::var_os("CUBE_WRONG").is_none() {
        assert!(mistakes >= 960, "{mistakes} mistakes");
        assert!(exact * 100 >= mistakes * MIN_EXACT, "{exact} of {mistakes} mistakes have exactly one error");
    }
}

/// Names that exist only in the macro expansion.
const INTERNAL: [&str; 25] = [
    "KernelValue",
    "StandIn",
    "__expand",
    "ExpandType",
    "Mem<",
    "Slot<",
    "Operand",
    "__private",
    "__check_",
    "__CHECK",
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
    "__init",
    "Checked<",
    "FirstImpl",
];

/// Names of Rust and of other crates that rustc's messages can contain.
const OF_RUST: &str = "async await eprint io fmt write_fmt Fn FromResidual Result Try Write Accent Grave Quote Single Sub Type but clone const for it iter like looks todo Add AddAssign Cargo Copy Debug Div Duration Eq F32 From Hash Index IndexMut 
    Into IntoIterator Iterator MAX Mul Neg NonZero None O Option Ord PI PartialEq Range Rem Rhs Shl Shr SliceIndex Step U32 Vec ByteStr
    add add_assign_impl all as bf16 bool byteorder c cargo char crate dead_code deny derive else end f16 f32 f64 f128 false ffi filter
    float floor i8 i16 i32 i64 i128 if impl instrument integer into isize let log loop match mut non_snake_case ops
    overflowing_literals panic path_statements self sin slice sqrt start static std str this toml u8 u16 u32 u64 u128 unreachable_code unused
    unused_assignments unused_imports unused_must_use unused_mut unused_parens unused_variables rs upper_case usize warn bad_name";

/// Names of the kernel language that occur in programs or in the errors for unresolved calls
/// (`core/src/diagnostic_traits.rs`).
const OF_THE_LANGUAGE: &str = "path Name NameExpand ABSOLUTE_POS Array Atomic Cast ComptimeField ComptimeParameter ComputeClient CpuServer WgpuRuntime CubeLaunch CubePrimitive
    CubeType AnyRuntime CudaRuntime Element FastFlags FastMath Float Handle Int LaunchArg Numeric Runtime Sequence Slice Tensor TensorArg UNIT_POS_X
    cast_from comptime condition containers debug_print fma from_int host lang plane_all powi reinterpret saturating_add saturating_sub
    terminate new CUBE_CLUSTER_DIM d f F R T
    ComputedByTheKernel FieldsOf FunctionOf KernelFunction KernelMethod KernelNumber KernelType KnownWhenCompiled MethodOf ArithmeticOn TheHost TheKernel
    PUT_CUBE_BEFORE_THIS_IMPL exp min base anchor Exp FloatConst Sqrt floats of_all Set";

/// The names between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    let names = quoted.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    names.filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.trim_matches('_').is_empty())
}

#[test]
fn each_name_in_an_error_is_of_the_program_the_language_or_rust() {
    let (mut unexpected, mut seen, mut known_lines) = (Vec::new(), 0, 0);
    for case in cases() {
        let own: HashSet<&str> = case.source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let is_of = |list: &str, name: &str| list.split_whitespace().any(|word| word == name);
        let lines: Vec<Marks> = case.source.lines().map(marks).collect();
        let mut internal = HashSet::new();
        for (error, text) in case.errors.iter().flat_map(|error| error.texts.iter().map(move |text| (error, text))) {
            let mut add = |name: &str| {
                internal.insert(error.line);
                if !lines[error.line - 1].internal {
                    unexpected.push(format!("{}.rs:{}: `{name}` in: {text}", case.name, error.line));
                }
            };
            INTERNAL.iter().filter(|name| text.contains(**name)).for_each(|name| add(name));
            for name in quoted(text) {
                seen += 1;
                // rustc suggests an underscore for an unused name, and a function is named by the kernel that calls it.
                // A trait of the expansion has the kernel's name and its line.
                let of_kernel = name.strip_prefix("CallableIn_").or(name.strip_prefix("MatchedIn_"));
                let of_kernel = of_kernel.and_then(|name| name.rsplit_once('_')).map(|(name, _)| name);
                // A trait's function in a kernel has the name of the function in its name.
                let of_kernel = of_kernel.or(name.strip_suffix("_in_a_kernel"));
                let plain = of_kernel.or(name.strip_prefix('_')).unwrap_or(name);
                let known = own.contains(plain) || case.name == name || plain == "unused";
                if !known && !is_of(OF_RUST, plain) && !is_of(OF_THE_LANGUAGE, name) && plain != "name" {
                    add(name);
                }
            }
        }
        for (i, _) in lines.iter().enumerate().filter(|(_, marks)| marks.internal) {
            known_lines += 1;
            if !internal.contains(&(i + 1)) {
                unexpected.push(format!(
                    "{}.rs:{}: no error names an item of the expansion; remove the mark",
                    case.name,
                    i + 1
                ));
            }
        }
    }
    assert_eq!(known_lines, MAX_INTERNAL, "lines with errors that name items of the expansion");
    assert!(seen > 2000 || std::env::var_os("CUBE_WRONG").is_some(), "{seen} names");
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
}
