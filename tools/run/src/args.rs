//! The command line of `cube-run`, parsed without information about the kernel.
use crate::failure::Failure;
use clap::{Parser, ValueEnum};
use cube_runtime::hostdata::Fill;
use std::path::{Path, PathBuf};

/// Run a kernel of a .mlir file and print its results.
#[derive(Clone, Parser)]
#[command(
    name = "cube-run",
    version,
    after_help = "\
values of --arg:
  a number, true, false     for a scalar
  FILE.npy                  for a buffer, of the buffer's element type
  FILE.png                  for a buffer of u8, or of f32 from 0 to 1; its shape is height, width, channels
  zeros:LEN ones:LEN iota:LEN random:LEN[:SEED]
                            LEN counts elements; 480x640x3 gives a shape too, a buffer's NAME its length and shape

examples:
  cube-run scale.mlir --describe
  cube-run scale.mlir --arg x=iota:8 --arg y=zeros:8 --arg factor=2 --print y
  cube-run scale.mlir --arg x=x.npy --arg y=zeros:x --arg factor=2 --check y=expected.npy --ulp 1 --time
  cube-run blur.mlir --arg src=in.png --arg dst=zeros:src --arg width=256 --arg height=256 --out dst=out.png"
)]
pub struct Args {
    /// The kernel: a .mlir file, bytecode, - for standard input, or an artifact of cubec --emit artifact
    pub input: Option<String>,
    /// Name of the kernel, if the file contains several kernels
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Backend that runs the kernel; --list-backends lists them
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub backend: String,
    /// Target of the compilation: the backend with a chip other than its default chip
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Value of a comptime parameter; can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Value of a kernel parameter; required once for each parameter
    #[arg(long, value_name = "NAME=VALUE")]
    pub arg: Vec<String>,
    /// Cubes along x, y, z; default: enough to cover the largest written buffer
    #[arg(long, value_name = "X[,Y[,Z]]", allow_hyphen_values = true)]
    pub cube_count: Option<String>,
    /// Write a buffer to a .npy or .png file, completely or not at all
    #[arg(long, value_name = "NAME=FILE")]
    pub out: Vec<String>,
    /// Print a buffer
    #[arg(long, value_name = "NAME")]
    pub print: Vec<String>,
    /// Compare a buffer with a file; exit code 1 if an element differs by more than --ulp. A value without a
    /// file name selects kinds of findings, as --find does
    #[arg(long, value_name = "NAME=FILE.npy|KINDS")]
    pub check: Vec<String>,
    /// Units in the last place that --check and --against allow floats; integers must be equal [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub ulp: Option<u64>,
    /// Run the kernel on a second backend and compare all buffers. The exit code is 1 if a difference exceeds --ulp.
    /// With interp and without --ulp, semantics/tables/tolerance.toml contains the limit
    #[arg(long, value_name = "NAME")]
    pub against: Option<String>,
    /// Print the time of each step, and launch the kernel repeatedly to measure the best time
    #[arg(long)]
    pub time: bool,
    /// Print the parameters of the kernel, and do not run it
    #[arg(long)]
    pub describe: bool,
    /// Process in which the compiler runs: this process, or a child process as in programs without a linked
    /// compiler
    #[arg(long, value_enum, default_value_t = CompilerMode::InProcess)]
    pub compiler: CompilerMode,
    /// With interp as --backend or --against: the pipeline level at which the kernel is interpreted
    #[arg(long, value_enum, default_value_t = InterpretLevel::Source)]
    pub level: InterpretLevel,
    /// With --backend interp or --bisect: the kinds of findings to detect: a list of bounds, races, uninit, ub and
    /// barriers, or `all`, or `nothing`, with which the interpreter is fastest
    #[arg(long, value_name = "KINDS", default_value = "races,uninit,ub,barriers")]
    pub find: String,
    /// With --backend interp: a buffer whose initial content the kernel must not read
    #[arg(long, value_name = "NAME")]
    pub uninit: Vec<String>,
    /// With interp or --bisect: maximum number of interpreted steps of all units together
    #[arg(long, value_name = "N", default_value_t = 1 << 36, allow_negative_numbers = true, value_parser = whole)]
    pub max_steps: u64,
    /// With interp or --bisect: run the units in a random order with this seed. Without this option, units run in
    /// ascending order; if atomics can make the order visible, they also run in descending order
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub seed: Option<u64>,
    /// With --backend interp: number of units of a plane (1 to 128) for a kernel that does not fix the plane
    /// size
    #[arg(long, value_name = "N", default_value_t = 32, allow_negative_numbers = true, value_parser = units_of_plane)]
    pub plane_dim: u32,
    /// With --backend interp and --bisect: interpret floats as elements of a field, in which the order of sums and
    /// products does not change a result. Results are 64-bit integers
    #[arg(long)]
    pub ring: bool,
    /// Find the pass that changes the result. The kernel is interpreted after each of Cube's passes, and runs on the
    /// CPU after each of LLVM's passes. semantics/tables/tolerance.toml contains the tolerance of each pass
    #[arg(long)]
    pub bisect: bool,
    /// Folder to which --bisect writes the kernel before and after the pass that changes the result
    #[arg(long, value_name = "FOLDER", default_value = "cube-bisect")]
    pub bisect_folder: std::path::PathBuf,
    /// If the command fails, write a self-contained .mlir file that reproduces the failure
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,
    /// Run a reproducer again
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// List the backends that can run kernels on this machine
    #[arg(long)]
    pub list_backends: bool,
    /// Explain an error code
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
}

/// The process in which the compiler runs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompilerMode {
    /// The compiler runs in this process, as a library.
    InProcess,
    /// `cubec serve`.
    Serve,
}

/// The level of the pipeline at which the interpreter runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InterpretLevel {
    /// As written.
    Source,
    /// After phase layout.
    Flat,
    /// After phase legalize.
    Legal,
}

/// A whole number.
fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "write a whole number from 0 to 2^64-1".to_string())
}

fn units_of_plane(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| (1..=128).contains(n)).ok_or_else(|| "write a whole number from 1 to 128".to_string())
}

/// `NAME=VALUE` of an option.
pub fn pair(option: &str, text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.into(), value.into())),
        _ => Err(Failure::Usage(format!("{option} {text} is not NAME=VALUE"))),
    }
}

/// Parses all `NAME=VALUE` arguments of an option.
pub fn pairs(option: &str, texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    texts.iter().map(|text| pair(option, text)).collect()
}

/// `X`, `X,Y` or `X,Y,Z`.
pub fn cube_count(text: &str) -> Result<[u32; 3], Failure> {
    let wrong = || {
        Failure::Usage(format!("--cube-count {text} is not one to three whole numbers below 2^32, as in 16 or 16,8"))
    };
    let mut count = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(wrong());
    }
    for (axis, part) in count.iter_mut().zip(parts) {
        *axis = part.trim().parse().map_err(|_| wrong())?;
    }
    Ok(count)
}

/// The source of a buffer's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file in numpy's format.
    Npy(PathBuf),
    /// A picture.
    Png(PathBuf),
    /// A rule.
    Fill(Fill, FillShape),
}

/// The shape of a generated buffer, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FillShape {
    /// Numbers.
    ArgumentValue(Vec<u64>),
    /// The shape of another buffer.
    Like(String),
}

const FILLS: [&str; 4] = ["zeros", "ones", "iota", "random"];

/// Parses the value of a buffer.
///
/// # Errors
/// The text is neither a file name nor a rule for generated data. The error explains the valid values.
pub fn source(text: &str) -> Result<Source, String> {
    let extension = Path::new(text).extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("npy") => return Ok(Source::Npy(text.into())),
        Some("png") => return Ok(Source::Png(text.into())),
        _ => {}
    }
    let mut parts = text.split(':');
    let word = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let (length, seed) = match (word, rest.as_slice()) {
        ("zeros" | "ones" | "iota" | "random", [length]) => (length, "0"),
        ("random", [length, seed]) => (length, *seed),
        _ => return Err(no_source(text, word)),
    };
    let rule = if word == "random" { format!("random:{seed}") } else { word.to_string() };
    let fill: Fill =
        rule.parse().map_err(|_| format!("'{text}' has a seed that is not a whole number from 0 to 2^64-1"))?;
    Ok(Source::Fill(fill, shape(text, length)?))
}

fn no_source(text: &str, word: &str) -> String {
    let hint = match cube_artifact::suggestion(word, FILLS) {
        Some(near) if near == word => format!("; {near} needs a length, as in {near}:1024"),
        Some(near) if !text.contains('.') => format!("; did you mean {near}?"),
        _ => String::new(),
    };
    format!(
        "'{text}' is not a content for a buffer; pass FILE.npy, FILE.png, zeros:LEN, ones:LEN, iota:LEN or random:LEN:SEED{hint}"
    )
}

// `1024`, `480x640`, or the name of a parameter.
fn shape(text: &str, length: &str) -> Result<FillShape, String> {
    let name = |c: char| c.is_alphanumeric() || "_.$-".contains(c);
    if length.starts_with(|c: char| c.is_alphabetic() || "_.$".contains(c)) && length.chars().all(name) {
        return Ok(FillShape::Like(length.into()));
    }
    let sides: Option<Vec<u64>> = length.split('x').map(|side| side.parse().ok()).collect();
    sides.map(FillShape::ArgumentValue).ok_or_else(|| {
        format!("'{text}' has a length that is not a number of elements; write it as 1024, as 480x640, or as the name of a buffer")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_definition_is_valid_for_clap() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn cube_counts_have_one_to_three_numbers() {
        assert_eq!(cube_count("7").unwrap(), [7, 1, 1]);
        assert_eq!(cube_count("7,0, 9").unwrap(), [7, 0, 9]);
        for text in ["", "1,2,3,4", "-1", "1.5", "4294967296", "1,,2"] {
            let Failure::Usage(message) = cube_count(text).unwrap_err() else { panic!("{text}") };
            assert!(message.starts_with(&format!("--cube-count {text} is not one to three")), "{message}");
        }
    }

    #[test]
    fn pairs_need_both_sides_and_split_at_the_first_sign() {
        assert_eq!(pair("--out", "y=a=b.npy").unwrap(), ("y".into(), "a=b.npy".into()));
        for text in ["y", "=v", "y=", ""] {
            assert_eq!(pair("--arg", text).unwrap_err().to_string(), format!("--arg {text} is not NAME=VALUE"));
        }
    }

    #[test]
    fn buffer_sources_are_files_and_fill_rules() {
        let given = |shape: &[u64]| FillShape::ArgumentValue(shape.to_vec());
        assert_eq!(source("a/b.npy"), Ok(Source::Npy("a/b.npy".into())));
        assert_eq!(source("zeros:x.PNG"), Ok(Source::Png("zeros:x.PNG".into())));
        assert_eq!(source("zeros:8"), Ok(Source::Fill(Fill::Zeros, given(&[8]))));
        assert_eq!(source("iota:2x3x4"), Ok(Source::Fill(Fill::Iota, given(&[2, 3, 4]))));
        assert_eq!(source("random:8"), Ok(Source::Fill(Fill::Random { seed: 0 }, given(&[8]))));
        assert_eq!(source("random:8:7"), Ok(Source::Fill(Fill::Random { seed: 7 }, given(&[8]))));
        assert_eq!(source("ones:x"), Ok(Source::Fill(Fill::Ones, FillShape::Like("x".into()))));
    }

    #[test]
    fn invalid_buffer_sources_are_rejected_with_a_fix() {
        let message_of = |text: &str| source(text).unwrap_err();
        assert!(message_of("2.0").starts_with("'2.0' is not a content for a buffer; pass FILE.npy"));
        assert!(message_of("zeros").ends_with("; zeros needs a length, as in zeros:1024"));
        assert!(message_of("zeroes:4").ends_with("; did you mean zeros?"));
        assert!(message_of("zeros:4:1").contains("is not a content"));
        assert!(message_of("zeros:").contains("has a length that is not a number"));
        for text in ["zeros:4y4", "zeros:4x", "zeros:99999999999999999999", "iota:-1x2"] {
            assert!(message_of(text).contains("has a length that is not a number"), "{text}: {}", message_of(text));
        }
        assert!(message_of("random:4:x").contains("has a seed that is not a whole number"));
        assert!(message_of("random:4:-1").contains("has a seed"));
    }
}
