//! Tests that the table of rules is complete, and that the interpreter reports the faults of faulty kernels.
mod collectives;
mod examples;
mod faults;
mod limits;
mod overlaps;
mod planted;
mod speed;
mod table;

use crate::{Arg, Fault, Options, Outcome, Program, run};
use cube_dialect::kernels_of;
use cube_ir::{Diagnostic, Session};

/// Decodes the first kernel of a text.
fn decode(text: &str) -> Result<Program, Diagnostic> {
    cube_passes::register();
    let session = Session::new();
    let module = session.parse(text.as_bytes(), "k.mlir").unwrap_or_else(|e| panic!("{e:?}"));
    let kernel = kernels_of(module.op())[0];
    Program::decode(kernel, &[])
}

/// Buffers of i32.
fn ints(values: &[i32]) -> Arg {
    Arg::Buffer { bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(), initialised: true }
}

/// The elements of a buffer of i32.
fn values(arg: &Arg) -> Vec<i32> {
    let Arg::Buffer { bytes, .. } = arg else { panic!("a scalar") };
    bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn launch(text: &str, args: &mut [Arg], cubes: u32, options: &Options) -> Result<Outcome, Fault> {
    run(&decode(text).unwrap_or_else(|d| panic!("{d:?}")), args, [cubes, 1, 1], options)
}

/// The findings of a run as text.
fn found(text: &str, args: &mut [Arg], cubes: u32, options: &Options) -> Vec<String> {
    launch(text, args, cubes, options)
        .unwrap_or_else(|f| panic!("{f}"))
        .findings
        .iter()
        .map(|f| f.to_string())
        .collect()
}

/// The kernels of a folder of this crate, with their names, in order.
fn kernel_files(folder: &str) -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .map(|path| {
            let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            (name, std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        })
        .collect();
    all.sort();
    all
}
