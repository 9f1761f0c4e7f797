//! Checks the results of a backend that generates C for the CPU's calling convention. The command is
//! `c_numbers TARGET`.
//!
//! The system's `cc` compiles the generated C code of each kernel of `test/run` and of [`EXAMPLES`], and the CPU
//! runtime runs the object file. The results of a kernel of `test/run` are compared with the numbers of its RUN-ARGS
//! lines. The results of an example must equal the interpreter's results at level `legal` in every bit. The
//! program prints one line per file with the number of correct runs, or with the operation that the target
//! refuses. The exit code is 1 if a number is wrong, or if the refusal of an operation lacks an error code or a
//! location.
#![forbid(unsafe_code)]

use cube_artifact::{Artifact, CodeFormat, Target};
use cube_test::files::tests_under;
use cube_test::header::Header;
use cube_test::toolbox::{Toolbox, quoted};
use std::cell::RefCell;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Examples without expected numbers: the file, the arguments, and the buffer that the kernel writes.
const EXAMPLES: [(&str, &str, &str); 4] = [
    ("examples/kernels/scale.mlir", "--arg x=random:1000 --arg y=zeros:1000 --arg factor=2.5", "y"),
    ("examples/kernels/gelu.mlir", "--arg x=random:1000 --arg y=zeros:1000", "y"),
    (
        "examples/kernels/row_sum.mlir",
        "--arg matrix=random:60x7 --arg sums=zeros:60 --arg rows=60 --arg cols=7",
        "sums",
    ),
    (
        "examples/kernels/blur.mlir",
        "--arg src=random:20x30x3 --arg dst=zeros:src --arg width=30 --arg height=20 --arg channels=3 --cube-count 2,2",
        "dst",
    ),
];

/// Compiler flags with which C arithmetic has the results of the IR. The compiler flags forbid contraction
/// and optimisations based on strict aliasing, and select instructions instead of library calls.
const FLAGS: &str = "-x c -O1 -w -march=native -ffp-contract=off -fno-math-errno -fno-strict-aliasing -c";

fn main() -> ExitCode {
    let Some(target) = std::env::args().nth(1) else { return cube_test::refuse("usage: c_numbers TARGET") };
    match check_all(&target) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => cube_test::refuse(&message),
    }
}

/// The outcome of one run of a kernel.
enum Outcome {
    Passed,
    /// The target refuses the operation with this name.
    Refused(String),
}

fn check_all(target: &str) -> Result<(), String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("no folder for files: {error}"))?;
    let cube = quoted(&Toolbox::find().start());
    let folders = Scratch { cube, target, scratch: scratch.path(), last: RefCell::default() };
    let expected = quoted(&scratch.path().join("expected.npy"));
    for (file, arguments, written) in EXAMPLES {
        let interpreter = "--backend interp --level legal --find nothing";
        folders.shell(&format!("{} run {file} {interpreter} {arguments} --out {written}={expected}", folders.cube))?;
        let arguments = format!("{arguments} --check {written}={expected}");
        report(file, 1, folders.numbers(file, &arguments)?);
    }
    for file in tests_under(Path::new("test/run")) {
        let file = file.display().to_string();
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let lines = Header::parse(&text).map_err(|message| format!("{file}: {message}"))?.run_arguments;
        // One kernel of a file can be refused while another is not.
        let (mut right, mut refused) = (0, None);
        // A line that expects no number shows only that the kernel ends.
        for line in lines.iter().filter(|line| line.text.contains("--check ")) {
            match folders.numbers(&file, &line.text.replace("%S", "test/run"))? {
                Outcome::Passed => right += 1,
                Outcome::Refused(op) => refused = refused.or(Some(op)),
            }
        }
        report(&file, right, refused.map_or(Outcome::Passed, Outcome::Refused));
    }
    Ok(())
}

fn report(file: &str, right: usize, outcome: Outcome) {
    match outcome {
        Outcome::Passed => println!("{file}: {right} right"),
        Outcome::Refused(op) if right > 0 => println!("{file}: {right} right, {op} refused"),
        Outcome::Refused(op) => println!("{file}: {op} refused"),
    }
}

struct Scratch<'a> {
    cube: String,
    target: &'a str,
    scratch: &'a Path,
    /// The last compiled kernel with its compile options, and the operation that the target refuses. Several runs of a file in
    /// sequence use one kernel.
    last: RefCell<Option<(String, Option<String>)>>,
}

impl Scratch<'_> {
    /// Runs a kernel once with the given arguments of `cube-run`.
    fn numbers(&self, file: &str, arguments: &str) -> Result<Outcome, String> {
        let (compile, run) = split_arguments(arguments);
        let kernel = format!("{file}{compile}");
        let known = self.last.borrow().as_ref().filter(|(last, _)| *last == kernel).map(|(_, refused)| refused.clone());
        let refused = match known {
            Some(refused) => refused,
            None => self.compile(file, &compile)?,
        };
        *self.last.borrow_mut() = Some((kernel, refused.clone()));
        match refused {
            Some(op) => Ok(Outcome::Refused(op)),
            None => {
                self.shell(&format!("{} run {} {run}", self.cube, self.path("k.artifact"))).map(|()| Outcome::Passed)
            }
        }
    }

    fn path(&self, name: &str) -> String {
        quoted(&self.scratch.join(name))
    }

    /// Compiles a kernel to an artifact with machine code. Returns the operation that the target refuses.
    fn compile(&self, file: &str, compile: &str) -> Result<Option<String>, String> {
        let (artifact, code, object) = (self.path("k.artifact"), self.path("k.c"), self.path("k.o"));
        let Scratch { cube, target, .. } = self;
        if let Err(stderr_text) =
            self.shell(&format!("{cube} c {file} --target {target} --emit artifact {compile} -o {artifact}"))
        {
            let refused = stderr_text.contains("CUBE0410") || stderr_text.contains("CUBE0412");
            return match stderr_text.split('\'').nth(1) {
                Some(op) if refused && stderr_text.contains(&format!("{file}:")) => Ok(Some(op.into())),
                _ => Err(stderr_text),
            };
        }
        let read = |name: &str| std::fs::read(self.scratch.join(name)).map_err(|error| format!("{name}: {error}"));
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(self.scratch.join(name), bytes).map_err(|error| format!("{name}: {error}"))
        };
        let mut kernel = Artifact::from_bytes(&read("k.artifact")?).map_err(|error| error.to_string())?;
        write("k.c", &kernel.code)?;
        self.shell(&format!("cc {FLAGS} {code} -o {object}"))?;
        kernel.code = read("k.o")?;
        kernel.format = CodeFormat::ELF_OBJECT;
        kernel.target = Target { backend: "cpu".into(), chip: None };
        write("k.artifact", &kernel.to_bytes())?;
        Ok(None)
    }

    fn shell(&self, text: &str) -> Result<(), String> {
        let output = Command::new("bash").args(["-c", text]).output().map_err(|error| format!("bash: {error}"))?;
        let stderr_text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(format!("{text}\n{stderr_text}")) }
    }
}

/// Splits the arguments into compile options and arguments of the launch.
fn split_arguments(arguments: &str) -> (String, String) {
    let (mut compile, mut run) = (String::new(), String::new());
    let mut words = arguments.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let chooses = word == "--kernel" || word == "--param";
        let part = if chooses { &mut compile } else { &mut run };
        *part += &format!(" {word}");
        if let Some(value) = words.next_if(|value| !value.starts_with("--")) {
            *part += &format!(" {value}");
        }
    }
    (compile, run)
}
