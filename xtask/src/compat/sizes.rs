//! `cargo xtask compat sizes`: the sizes of SPIR-V modules, compared with modules that rust-gpu compiled.
//!
//! rust-gpu needs a part of rustc that no package registry has. The crates `krnl` and `autograph` contain modules of rust-gpu
//! 0.9, which `krnlc` has optimised with the passes of `spirv-opt -O`. `benches/rust_gpu` has kernels with the same
//! algorithms. The task fails if a module of Cube is larger without names and lines, and [`LARGER`] has no reason.
//!
//! The file `krnl-cache.rs` of such a crate contains text in base 85, whose bytes are a gzip stream. The stream has the fields of
//! each kernel one after the other: numbers of 64 bits for lengths, strings, and words.

use super::downloaded;
use crate::Outcome;
use crate::phase::phase;
use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The crates with modules of rust-gpu, and their versions.
const PEERS: [(&str, &str); 2] = [("autograph", "0.2.1"), ("krnl", "0.1.1")];

/// The kernels: the start of the name of Cube's module, the chip, and the peer's kernel.
const ROWS: &[(&str, &str, &str)] = &[
    ("gemm-T-f32-", "vulkan1.2", "autograph::tensor::linalg::kernels::gemm_f32"),
    ("gemm-T-i32-", "vulkan1.2", "autograph::tensor::linalg::kernels::gemm_i32"),
    ("im2col-T-f32-", "vulkan1.2", "autograph::tensor::ops::neural_network_kernels::im2col_conv2_f32"),
    ("max_pool-T-f32-", "vulkan1.2", "autograph::tensor::ops::neural_network_kernels::max_pool2_f32"),
    // Plane operations are not in the chip `vulkan1.2`.
    ("sum-T-u32-", "vulkan1.2-full", "autograph::tensor::reduce::kernels::sum_u32"),
    ("sum-T-f32-", "vulkan1.2-full", "autograph::tensor::reduce::kernels::sum_f32"),
    ("one_hot-X-u32-Y-f32-", "vulkan1.2", "autograph::tensor::ops::kernels::one_hot_u32_f32"),
    (
        "sgd_update_with_momentum-T-f32-",
        "vulkan1.2",
        "autograph::learn::neural_network::optimizer::kernels::device::sgd_update_with_momentum_f32",
    ),
    ("relu-T-f32-", "vulkan1.2", "autograph::learn::neural_network::layer::kernels::relu_f32"),
    ("relu_mut-T-f32-", "vulkan1.2", "autograph::learn::neural_network::layer::kernels::relu_mut_f32"),
    ("relu_backward-T-f32-", "vulkan1.2", "autograph::learn::neural_network::layer::kernels::relu_backward_f32"),
    (
        "relu_backward_mut-T-f32-",
        "vulkan1.2",
        "autograph::learn::neural_network::layer::kernels::relu_backward_mut_f32",
    ),
    ("fill-T-u32-", "vulkan1.2", "krnl::buffer::kernels::fill_u32"),
    ("cast-X-u32-Y-f32-", "vulkan1.2", "krnl::buffer::kernels::cast_u32_f32"),
];

/// The kernels that are larger than rust-gpu's, with the reasons.
const LARGER: &[(&str, &str)] = &[
    (
        "im2col-T-f32-",
        "loads 40 words of arguments, which are specialisation constants in the peer, and divides by products",
    ),
    ("sum-T-f32-", "adds the lanes of a plane in a fixed order, by shuffles"),
];

/// The kernels of rust-gpu's article. Their modules by rust-gpu are not published.
const ARTICLE: [&str; 4] = ["article_naive-", "article_planar-", "article_one_by_four-", "article_tile-"];

/// The opcodes of names and source lines: `OpSourceContinued` to `OpLine`, `OpNoLine` and `OpModuleProcessed`.
const DEBUG: [u32; 9] = [2, 3, 4, 5, 6, 7, 8, 317, 330];

pub fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(format!("unknown arguments {}", arguments.join(" ")));
    }
    let folder = target_folder(&root()).join("compat");
    let mut theirs = BTreeMap::new();
    for (name, version) in PEERS {
        let sources = downloaded(&folder.join(format!("download-{name}")), name, version)?;
        let cache = sources.join("krnl-cache.rs");
        let text = std::fs::read_to_string(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
        let kernels = kernels_of(&inflated(&bytes_of(&text).ok_or("the text of krnl-cache.rs is not base 85")?)?);
        theirs.extend(kernels.ok_or_else(|| format!("the cache of {name} has another format"))?);
    }
    let dump = folder.join("sizes");
    phase("compiling the kernels of benches/rust_gpu", || dumped(&dump))?;
    println!(
        "| bytes of a module | Cube | rust-gpu | without names and lines | rust-gpu | ratio | instructions | rust-gpu |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut larger = Vec::new();
    for (own, chip, other) in ROWS {
        let peer = theirs.get(*other).and_then(|words| Size::of(words));
        let peer = peer.ok_or_else(|| format!("the peer has no kernel {other}"))?;
        let size = compiled(&dump, own, chip)?;
        println!(
            "| {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            shown(own),
            size.whole,
            peer.whole,
            size.stripped,
            peer.stripped,
            size.stripped as f64 / peer.stripped as f64,
            size.instructions,
            peer.instructions
        );
        if size.stripped > peer.stripped && !LARGER.iter().any(|(kernel, _)| kernel == own) {
            larger.push(shown(own));
        }
    }
    LARGER.iter().for_each(|(own, reason)| println!("{}: {reason}", shown(own)));
    println!("\n| bytes of the article's kernels | Cube | without names and lines | instructions |\n|---|---|---|---|");
    for own in ARTICLE {
        for chip in ["vulkan1.2", "vulkan1.2-full"] {
            let Size { whole, stripped, instructions } = compiled(&dump, own, chip)?;
            println!("| {} for {chip} | {whole} | {stripped} | {instructions} |", shown(own));
        }
    }
    if larger.is_empty() { Ok(()) } else { Err(format!("larger than rust-gpu's: {}", larger.join(", "))) }
}

/// The name of a kernel in the table.
fn shown(start: &str) -> String {
    start.trim_end_matches('-').replace('-', " ")
}

/// The sizes of a module in bytes, and its number of instructions without those for debugging.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size {
    whole: usize,
    stripped: usize,
    instructions: usize,
}

impl Size {
    /// `None` for words that are not a module.
    fn of(words: &[u32]) -> Option<Size> {
        let mut size = Size { whole: 4 * words.len(), stripped: 20, instructions: 0 };
        let mut rest = words.get(5..).filter(|_| words[0] == 0x0723_0203)?;
        while let Some(first) = rest.first() {
            let length = (first >> 16) as usize;
            if !DEBUG.contains(&(first & 0xffff)) {
                size.stripped += 4 * length;
                size.instructions += 1;
            }
            rest = rest.get(length.max(1)..)?;
        }
        Some(size)
    }
}

/// Runs the program with Cube's kernels, which writes each kernel into the folder.
fn dumped(folder: &Path) -> Outcome {
    _ = std::fs::remove_dir_all(folder);
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "-p", "cube-tools", "-p", "cube-mlir", "--bin", "cube", "--example", "rust_gpu_sizes"]);
    finished(cargo.current_dir(root()))?;
    finished(Command::new(built("examples/rust_gpu_sizes")).env("CUBE_DUMP", folder).current_dir(root()))
}

fn built(program: &str) -> PathBuf {
    target_folder(&root()).join("debug").join(program)
}

fn finished(command: &mut Command) -> Outcome {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Compiles the kernel whose file begins with `start`. The rest of the name is a hash.
fn compiled(folder: &Path, start: &str, chip: &str) -> Result<Size, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(".mlir"));
        hash.is_some_and(|hash| hash.len() == 8)
    };
    let kernel = files.filter_map(|file| Some(file.ok()?.path())).find(is_own);
    let kernel = kernel.ok_or_else(|| format!("the program has no kernel {start}"))?;
    let module = folder.join("module.spv");
    let target = format!("spirv:{chip}");
    finished(Command::new(built("cube")).args(["c", "--target", &target, "-o"]).args([&module, &kernel]))?;
    let bytes = std::fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))?;
    words_of(&bytes).and_then(|words| Size::of(&words)).ok_or_else(|| format!("{start} is not a module"))
}

fn words_of(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// The bytes of the text between the first two quotes after the version, in base 85 (ZeroMQ's alphabet).
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    let encoded: Vec<u8> = text.split('"').nth(3)?.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let mut bytes = Vec::with_capacity(encoded.len() / 5 * 4);
    for group in encoded.chunks(5) {
        let digit = |byte: &u8| DIGITS.bytes().position(|digit| digit == *byte);
        let word = group.iter().try_fold(0, |word: u64, byte| Some(word * 85 + digit(byte)? as u64))?;
        bytes.extend(u32::try_from(word).ok()?.to_be_bytes());
    }
    Some(bytes)
}

/// Decompresses a stream with `gzip`. The stream can be followed by zeros, about which `gzip` warns.
fn inflated(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut gzip = Command::new("gzip");
    gzip.arg("-dcq").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = gzip.spawn().map_err(|error| format!("cannot start gzip: {error}"))?;
    let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or("a process without pipes")?;
    let mut inflated = Vec::new();
    let ended = std::thread::scope(|scope| {
        let written = scope.spawn(move || { input }.write_all(bytes));
        { output }.read_to_end(&mut inflated)?;
        written.join().unwrap_or(Ok(()))
    });
    ended.map_err(|error: std::io::Error| format!("gzip: {error}"))?;
    child.wait().map_err(|error| format!("gzip: {error}"))?;
    Ok(inflated)
}

/// The name and the words of each kernel in a decompressed cache.
fn kernels_of(bytes: &[u8]) -> Option<BTreeMap<String, Vec<u32>>> {
    let mut fields = Fields(bytes);
    fields.string()?;
    let mut kernels = BTreeMap::new();
    for _ in 0..fields.number()? {
        let name = fields.string()?;
        let words = 4 * fields.number()?;
        kernels.insert(name, words_of(fields.take(words)?)?);
        // The features, and whether the kernel is safe.
        fields.take(5)?;
        // Specialisation constants, slices with two flags each, and scalars: a name and a type.
        for flags in [0, 2, 0] {
            for _ in 0..fields.number()? {
                fields.string()?;
                fields.string()?;
                fields.take(flags)?;
            }
        }
    }
    Some(kernels)
}

/// The rest of the bytes.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok().filter(|number| *number <= usize::MAX / 8)
    }

    fn string(&mut self) -> Option<String> {
        let length = self.number()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_85_has_four_bytes_in_five_digits() {
        // The example of ZeroMQ's specification.
        let bytes = [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b];
        assert_eq!(bytes_of("__krnl_cache!(\"0.1.1\", \"\nHello\nWorld\n\");").as_deref(), Some(&bytes[..]));
        assert_eq!(bytes_of("__krnl_cache!(\"0.1.1\", \"\nHel~o\n\");"), None);
        assert_eq!(bytes_of("__krnl_cache!(\"0.1.1\", \"\n#####\n\");"), None);
    }

    #[test]
    fn names_and_lines_are_not_counted() {
        // OpName of three words, OpNoLine, and OpReturn.
        let words = [0x0723_0203, 0x10500, 0, 9, 0, 3 << 16 | 5, 1, 0x61, 1 << 16 | 317, 1 << 16 | 253];
        assert_eq!(Size::of(&words), Some(Size { whole: 40, stripped: 24, instructions: 1 }));
        assert_eq!(Size::of(&words[..7]), None);
        assert_eq!(Size::of(&[0; 8]), None);
    }

    #[test]
    fn a_cache_has_the_words_of_each_kernel() {
        let string = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
        let number = |number: u64| number.to_le_bytes().to_vec();
        let slice = [number(1), string("x"), string("F32"), vec![1, 0]].concat();
        let kernel = [string("k"), number(1), vec![1, 2, 0, 0], vec![0; 5], number(0), slice, number(0)].concat();
        let cache = [string("0.1.1"), number(2), kernel.clone(), kernel].concat();
        assert_eq!(kernels_of(&cache), Some([("k".to_string(), vec![0x201])].into()));
        assert_eq!(kernels_of(&cache[..cache.len() - 1]), None);
    }
}
