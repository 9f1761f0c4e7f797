//! `cubec new NAME`: a starter crate with a kernel, a program, a test and a bench.
use crate::say;
use clap::Parser;
use cube_artifact::CompileError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Create a starter crate: a kernel, a program that runs it, a test and a bench.
#[derive(Parser)]
#[command(
    name = "cubec new",
    after_help = "examples:\n  cubec new shiny\n  cubec new shiny --path ../cube     against a checkout of Cube"
)]
struct Args {
    /// The folder of the new crate; the last part of the path is the name of the crate
    name: PathBuf,
    /// Depend on a checkout of Cube instead of a published version
    #[arg(long, value_name = "CHECKOUT")]
    path: Option<PathBuf>,
    /// Depend on a git repository of Cube
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    git: Option<String>,
}

/// The files of the new crate, each with its text.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("new/Cargo.toml.txt")),
    ("README.md", include_str!("new/README.md.txt")),
    (".gitignore", "/target\n"),
    ("src/lib.rs", include_str!("new/lib.rs.txt")),
    ("src/main.rs", include_str!("new/main.rs.txt")),
    ("tests/saxpy.rs", include_str!("new/test.rs.txt")),
    ("benches/saxpy.rs", include_str!("new/bench.rs.txt")),
];

/// Names that a new crate must not have.
const TAKEN: &str = "abstract as async await become box break const continue core crate do dyn else enum extern false final fn for gen if impl in let loop macro match mod move mut override priv proc_macro pub ref return self static std struct super test trait true try type typeof unsafe unsized use virtual where while yield alloc build deps examples incremental cube";

/// Runs the command `cubec new`; `words` is the whole command line.
pub fn main(words: &[String]) -> ExitCode {
    let own = std::iter::once("cubec new".to_string()).chain(words.iter().skip(2).cloned());
    let args = match Args::try_parse_from(own) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    match make(&args) {
        Ok(text) => {
            say::print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => say::compile_error(&error),
    }
}

fn make(args: &Args) -> Result<String, CompileError> {
    let folder = &args.name;
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !first || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_') {
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0960.name { name })));
    }
    if TAKEN.split(' ').any(|word| word == name) {
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0960.word { name })));
    }
    let taken = |folder: &Path| folder.read_dir().map_or(folder.exists(), |mut all| all.next().is_some());
    if taken(folder) {
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0960.taken { folder: folder.display() })));
    }
    let dependency = dependency(args)?;
    let alone = if is_below_a_workspace(folder) { ALONE } else { "" };
    let fail = |e: std::io::Error| {
        CompileError::from(cube_artifact::diagnostic!(CUBE0603.folder { folder: folder.display(), error: e }))
    };
    for (file, text) in FILES {
        let text = text.replace("{{name}}", &name).replace("{{crate}}", &name.replace('-', "_"));
        let path = folder.join(file);
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(fail)?;
        let text = text.replace("{{dependency}}", &dependency).replace("{{workspace}}", alone);
        std::fs::write(&path, text).map_err(fail)?;
    }
    let published = match (&args.path, &args.git) {
        (None, None) => {
            "; the project builds only after cube-mlir is published: until then, pass --path CHECKOUT or --git URL"
        }
        _ => "",
    };
    Ok(format!("made {name}: cd {} && cargo test{published}\n", folder.display()))
}

/// The text that is added to the manifest of a crate in a folder below a workspace. Without this text, cargo
/// expects the crate to be a member of the workspace.
const ALONE: &str = "\n# A separate workspace, because a folder above has one. To join that one, remove these lines and list this crate there.\n[workspace]\n";

/// Whether a folder above `folder` contains a workspace.
fn is_below_a_workspace(folder: &Path) -> bool {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let says =
        |above: &Path| std::fs::read_to_string(above.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace"));
    whole.ancestors().skip(1).any(says)
}

fn dependency(args: &Args) -> Result<String, CompileError> {
    let quoted = |text: &str| format!("{:?}", text);
    if let Some(checkout) = &args.path {
        let cube = checkout.join("cube");
        let cube = cube.canonicalize().ok().filter(|folder| folder.join("Cargo.toml").is_file());
        let cube = cube.ok_or_else(|| {
            CompileError::from(cube_artifact::diagnostic!(CUBE0960.checkout { folder: checkout.display() }))
        })?;
        return Ok(format!("cube-mlir = {{ path = {} }}", quoted(&cube.to_string_lossy())));
    }
    Ok(match &args.git {
        Some(url) => format!("cube-mlir = {{ git = {} }}", quoted(url)),
        None => format!("cube-mlir = {}", quoted(env!("CARGO_PKG_VERSION"))),
    })
}
