//! Tests the code object of each kernel of test/run, of the examples and of the benchmarks. Every field of the metadata
//! and of the kernel descriptor must match the artifact, and LLVM's tools must accept the code object.
//! `docs/reference/amdgpu-code.md` lists the registers and instructions of the examples and benches, beside clang's.
//! `BLESS=1` writes the page again.
#![forbid(unsafe_code)]
#[path = "code_objects/fields.rs"]
mod fields;

use cube_amdgpu_test::metadata::{Kernel, Notes, clang, instructions, notes, tool};
use cube_artifact::{Artifact, CompileOptions, Compiler, Target};
use cube_driver::Driver;
use cube_target::{AtomicOperation, Element, SpaceKind};
use cube_test::header::Header;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The chips of the page.
const CHIPS: [&str; 2] = ["gfx942", "gfx1100"];

/// The chips and plane widths for which the metadata is checked: one for each form of the kernel descriptor.
const DESCRIBED: [&str; 10] = [
    "gfx942",
    "gfx1100",
    "gfx90a",
    "gfx950",
    "gfx1030",
    "gfx1030-wave64",
    "gfx1100-wave64",
    "gfx1151",
    "gfx1200",
    "gfx1201-wave64",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries =
        root().join(folder).read_dir().expect("a folder of the tree").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "mlir")).collect();
    files.sort();
    files
}

fn compile(text: &str, kernel: Option<&str>, params: &[(String, String)], chip: &str) -> Result<Artifact, String> {
    let target = Target { backend: "amdgpu".into(), chip: Some(chip.into()) };
    let options =
        CompileOptions { kernel: kernel.map(Into::into), params: params.to_vec(), ..CompileOptions::default() };
    Driver.compile(text.as_bytes(), &target, &options).map_err(|error| error.to_string())
}

/// The names of the kernels in an MLIR text.
fn kernels(text: &str) -> Vec<&str> {
    let named = text.lines().filter_map(|line| line.trim_start().strip_prefix("cube.kernel @"));
    named.filter_map(|rest| rest.split(['(', ' ']).next()).collect()
}

/// The values of the comptime parameters in the first RUN-ARGS line that launches the kernel.
fn params(text: &str, kernel: &str) -> Vec<(String, String)> {
    let lines = Header::parse(text).map(|header| header.run_arguments).unwrap_or_default();
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    let of_kernel = |words: &[String]| match words.iter().position(|word| word == "--kernel") {
        Some(at) => words.get(at + 1).is_some_and(|name| name == kernel),
        None => true,
    };
    let all = lines.iter().map(|line| words(&line.text)).find(|words| of_kernel(words)).unwrap_or_default();
    let given = all.windows(2).filter(|pair| pair[0] == "--param");
    given.filter_map(|pair| pair[1].split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

/// A compiled kernel.
struct Compiled {
    file: PathBuf,
    kernel: String,
    chip: &'static str,
    artifact: Artifact,
    /// Whether docs/reference/amdgpu-code.md has a row for this kernel.
    in_page: bool,
}

/// The folders with kernels. A kernel of test/run is compiled for one chip of [`DESCRIBED`] in turn, and every other kernel
/// is compiled for the chips of the page.
const FOLDERS: [&str; 3] = ["examples/kernels", "benches/kernels", "test/run"];

/// All kernels that compile for their chip.
static COMPILED: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let (mut all, mut number) = (Vec::new(), 0);
    for (folder, file) in
        FOLDERS.into_iter().flat_map(|folder| files(folder).into_iter().map(move |file| (folder, file)))
    {
        let text = std::fs::read_to_string(&file).expect("a kernel");
        for kernel in kernels(&text) {
            let in_page = folder != "test/run" || kernel == "saxpy";
            number += usize::from(!in_page);
            let own = if in_page { &CHIPS[..] } else { &DESCRIBED[number % DESCRIBED.len()..][..1] };
            for chip in own {
                let compiled = compile(&text, Some(kernel), &params(&text, kernel), chip);
                if let Err(why) = &compiled {
                    println!("{} @{kernel} is refused on {chip}: {why}", file.display());
                }
                let kernel = kernel.to_string();
                all.extend(compiled.ok().map(|artifact| Compiled {
                    file: file.clone(),
                    kernel,
                    chip,
                    artifact,
                    in_page,
                }));
            }
        }
    }
    all
});

/// The code objects of a chip, with their metadata and instructions from LLVM's tools.
fn read(chip: &str, folder: &Path) -> Vec<(&'static Compiled, Notes, Vec<String>)> {
    let made: Vec<&Compiled> = COMPILED.iter().filter(|one| one.chip == chip).collect();
    let paths: Vec<PathBuf> = (0..made.len()).map(|number| folder.join(format!("{chip}.{number}.hsaco"))).collect();
    for (one, path) in made.iter().zip(&paths) {
        std::fs::write(path, &one.artifact.code).expect("a file");
    }
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let notes = notes(&paths).expect("llvm-readelf");
    // One chip at a time: the tool decodes all files as code of the first one's chip.
    let code = instructions(&paths).expect("llvm-objdump");
    assert!(notes.len() == made.len() && code.len() == made.len(), "LLVM's tools read each code object");
    made.into_iter().zip(notes).zip(code).map(|((one, notes), code)| (one, notes, code)).collect()
}

/// LLVM's tools read each code object, and the metadata matches the artifact.
#[test]
fn metadata_of_every_kernel() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut all, mut count, mut chips) = (Vec::new(), 0, BTreeMap::new());
    for (one, notes, code) in DESCRIBED.into_iter().flat_map(|chip| read(chip, folder.path())) {
        let chips: &mut BTreeMap<_, usize> = &mut chips;
        *chips.entry(one.chip).or_default() += 1;
        let mut found = match notes.kernels.as_slice() {
            [kernel] => {
                let kernel = kernel.clone().with_descriptor(&one.artifact.code, &one.artifact.entry);
                fields::wrong(&one.artifact, &notes, &kernel, &code)
            }
            others => vec![format!("{} kernels", others.len())],
        };
        let unread = |op: &String| op.contains("unknown") || op.starts_with('.');
        if code.is_empty() || code.iter().any(unread) {
            found.push("llvm-objdump does not read the code".into());
        }
        all.extend(
            found.into_iter().map(|why| format!("{} @{} on {}: {why}", one.file.display(), one.kernel, one.chip)),
        );
        count += 1;
    }
    assert!(all.is_empty(), "{} fields are wrong:\n{}", all.len(), all.join("\n"));
    println!("{count} code objects: {chips:?}");
    assert!(chips.len() == DESCRIBED.len() && chips.values().all(|count| *count >= 5), "{chips:?}");
    assert!(count >= 150, "only {count} code objects");
}

/// The flags in the header of a code object name the processor, for each chip and plane width.
#[test]
fn the_header_names_the_processor() {
    let text = std::fs::read_to_string(root().join("examples/kernels/scale.mlir")).expect("a kernel");
    let chips = cube_target::Target::chips("amdgpu");
    for chip in chips.iter().copied().chain(["gfx1100-wave64"]) {
        let artifact = compile(&text, None, &[], chip).expect("a code object");
        let processor = chip.split('-').next().and_then(cube_target::amdgpu_machine);
        assert_eq!(artifact.code.get(48).copied(), processor, "{chip}");
        assert!(processor.and_then(cube_target::amdgpu_processor).is_some_and(|own| chip.starts_with(own)), "{chip}");
    }
    assert!(chips.len() >= 15, "{chips:?}");
}

/// A changed bit of a kernel descriptor is reported, with two exceptions: a bit that requests another position of the
/// cube, and a bit that changes the size of the prefetch.
#[test]
fn every_bit_of_a_descriptor_is_checked() {
    let text = std::fs::read_to_string(root().join("examples/kernels/scale.mlir")).expect("a kernel");
    let folder = tempfile::tempdir().expect("a folder");
    for chip in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201-wave64"] {
        let artifact = compile(&text, None, &[], chip).expect("a code object");
        let (path, named) = (folder.path().join(chip), chip.split('-').next().expect("a name"));
        std::fs::write(&path, &artifact.code).expect("a file");
        let found = notes(&[&path]).expect("llvm-readelf").remove(0).kernels.remove(0);
        let kernel = found.with_descriptor(&artifact.code, &artifact.entry);
        assert_eq!(kernel.descriptor_differs(named, artifact.cube_dim), [""; 0], "on {chip}");
        let other = |bit: &usize| kernel.with_flipped_bit(*bit).descriptor_differs(named, artifact.cube_dim).is_empty();
        let silent: Vec<usize> = (0..512).filter(other).collect();
        let cubes = |bit: &usize| [8 * 52 + 8, 8 * 52 + 9].contains(bit);
        let prefetch = |bit: &usize| (8 * 44 + 4..8 * 44 + 12).contains(bit);
        assert!(silent.iter().all(|bit| cubes(bit) || prefetch(bit)) && silent.len() <= 3, "on {chip}: {silent:?}");
    }
}

/// Every chip of the table, with every plane width, has code for a kernel, in a code object for that chip.
#[test]
fn every_chip_has_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(root().join("examples/kernels/row_sum.mlir")).expect("a kernel");
    let chips = cube_target::Target::chips("amdgpu");
    assert!(chips.len() >= 15, "{chips:?}");
    for chip in chips {
        let widths = cube_target::Target::known("amdgpu", chip).expect("a chip of the table").planes.widths;
        for width in widths {
            let name = if chip.starts_with("gfx9") { chip.to_string() } else { format!("{chip}-wave{width}") };
            let artifact = compile(&text, None, &[], &name).expect("a code object");
            let path = folder.path().join(&name);
            std::fs::write(&path, &artifact.code).expect("a file");
            let found = notes(&[&path]).expect("llvm-readelf").remove(0);
            assert_eq!(found.target, format!("amdgcn-amd-amdhsa--{chip}"), "{name}");
            assert_eq!(found.kernels[0].text("wavefront_size"), width.to_string(), "{name}");
        }
    }
}

/// Every operation on numbers compiles for the chip, with every type that the operation supports. The tested operations
/// are the rows of the fuzzer's table, which has one row for each operation and type
/// (`cargo test -p cube-fuzz --test operations`). All other operations are tested in `test/tests/support.rs`.
fn has_every_operation(chip: &str) {
    let (mut seen, mut rows, mut wrong) = (BTreeSet::new(), 0, Vec::new());
    for mut group in cube_fuzz::table::groups() {
        // The compiler handles an operation with other keywords in the same way.
        group.operations.retain(|row| seen.insert((row.names().join(" "), group.ty.clone(), row.result.clone())));
        if group.operations.is_empty() {
            continue;
        }
        rows += group.operations.len();
        let (text, ..) = group.kernel(group.lines()[0]);
        wrong.extend(compile(&text, None, &[], chip).err().map(|why| format!("{}: {why}", group.name)));
    }
    println!("{rows} operations with types on {chip}");
    assert!(wrong.is_empty(), "no code on {chip}:\n{}", wrong.join("\n"));
    assert!(rows >= 500, "only {rows} rows");
}

#[test]
fn gfx950_has_every_operation() {
    has_every_operation("gfx950");
}

#[test]
fn gfx1200_has_every_operation() {
    has_every_operation("gfx1200");
}

/// If a chip's description lists an atomic addition or subtraction of floats, the operation is one instruction,
/// otherwise a compare-exchange loop.
#[test]
fn atomic_sums_are_as_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut native = 0;
    for chip in cube_target::Target::chips("amdgpu") {
        let target = cube_target::Target::known("amdgpu", chip).expect("a chip of the table");
        for (element, shared, kind) in ["f32", "f64"]
            .iter()
            .flat_map(|element| [false, true].map(|shared| (*element, shared)))
            .flat_map(|(element, shared)| ["addf", "subf"].map(|kind| (element, shared, kind)))
        {
            let (space, memory, buffer) = match shared {
                true => (SpaceKind::Shared, format!("%s = cube.alloc : !cube.shared<64 x {element}>"), "%s"),
                false => (SpaceKind::Global, String::new(), "%x"),
            };
            let ty = if shared { format!("!cube.shared<64 x {element}>") } else { format!("!cube.array<{element}>") };
            let text = format!(
                "cube.kernel @k(%x: !cube.array<{element}>, %v: {element}) cube_dim(64) {{\n  %i = cube.topology unit_pos\n  {memory}\n  \
                 %o = cube.atomic_rmw {kind} %v, {buffer}[%i] : {element}, {ty}\n  \
                 cube.store %o, %x[%i] : {element}, !cube.array<{element}>\n  cube.return\n}}\n"
            );
            let artifact = compile(&text, None, &[], chip).expect("a code object");
            let path = folder.path().join("k.hsaco");
            std::fs::write(&path, &artifact.code).expect("a file");
            let code = instructions(&[&path]).expect("llvm-objdump").remove(0);
            let loops = code.iter().any(|op| op.contains("cmpswap") || op.contains("cmpst"));
            let element = Element::from_ir(element).expect("a type");
            let described = target.atomics_in(space, element).contains(&AtomicOperation::Add);
            assert_eq!(!loops, described, "{kind} of {element:?} in {space:?} on {chip}: {code:?}");
            native += usize::from(!loops);
        }
    }
    assert!(native >= 40, "only {native} operations are one instruction");
}

#[test]
fn gfx942_has_every_operation() {
    has_every_operation("gfx942");
}

#[test]
fn gfx1100_has_every_operation() {
    has_every_operation("gfx1100");
}

/// An addition of lines of 16 bytes loads each operand by one instruction, and stores the result by one instruction.
#[test]
fn lines_of_16_bytes_are_one_access() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(root().join("benches/kernels/add.mlir")).expect("a kernel");
    for (chip, load, store) in [
        ("gfx942", "global_load_dwordx4", "global_store_dwordx4"),
        ("gfx1100", "global_load_b128", "global_store_b128"),
    ] {
        let artifact = compile(&text, Some("add_unchecked"), &[], chip).expect("a code object");
        let path = folder.path().join(chip);
        std::fs::write(&path, &artifact.code).expect("a file");
        let code = instructions(&[&path]).expect("llvm-objdump").remove(0);
        let memory: Vec<&str> = code.iter().map(String::as_str).filter(|op| op.starts_with("global_")).collect();
        assert_eq!(memory, [load, load, store], "on {chip}");
    }
}

/// The text of a kernel over lines of four elements. The code `body` computes `%z` from the loaded line `%x`,
/// and the kernel stores `%z`.
fn of_lines(from: &str, to: &str, body: &str) -> String {
    format!(
        "cube.kernel @k(%a: !cube.array<{from}, 4>, %r: !cube.array<{to}, 4>) cube_dim(64) {{\n  %i = cube.topology absolute_pos\n  \
         %x = cube.load %a[%i] : !cube.array<{from}, 4> -> vector<4x{from}>\n  {body}\n  \
         cube.store %z, %r[%i] : vector<4x{to}>, !cube.array<{to}, 4>\n  cube.return\n}}\n"
    )
}

/// Conversions of narrow floats compile to the chip's instructions for two numbers at once, and sums of f16
/// compile to packed instructions.
#[test]
fn narrow_floats_have_instructions() {
    let folder = tempfile::tempdir().expect("a folder");
    let cast =
        |from: &str, to: &str| of_lines(from, to, &format!("%z = cube.cast %x : vector<4x{from}> to vector<4x{to}>"));
    let sums =
        of_lines("f16", "f16", "%y = arith.addf %x, %x : vector<4xf16>\n  %z = arith.mulf %y, %x : vector<4xf16>");
    for (chip, text, starts, expected) in [
        ("gfx950", cast("f32", "f8E4M3FN"), "v_cvt", vec!["v_cvt_pk_fp8_f32"; 2]),
        ("gfx950", cast("f8E5M2", "f32"), "v_cvt", vec!["v_cvt_pk_f32_bf8_e32"; 2]),
        ("gfx950", cast("f32", "bf16"), "v_cvt", vec!["v_cvt_pk_bf16_f32"; 2]),
        ("gfx1200", cast("f32", "f8E5M2"), "v_cvt", vec!["v_cvt_pk_bf8_f32"; 2]),
        ("gfx1200", cast("f8E4M3FN", "f32"), "v_cvt", vec!["v_cvt_pk_f32_fp8_e32"; 2]),
        // The instructions of gfx942 are for other formats of 8 bits.
        ("gfx942", cast("f32", "f8E4M3FN"), "v_cvt", vec![]),
        ("gfx942", sums.clone(), "v_pk", vec!["v_pk_add_f16", "v_pk_add_f16", "v_pk_mul_f16", "v_pk_mul_f16"]),
        ("gfx1100", sums, "v_pk", vec!["v_pk_add_f16", "v_pk_add_f16", "v_pk_mul_f16", "v_pk_mul_f16"]),
    ] {
        let artifact = compile(&text, None, &[], chip).expect("a code object");
        let path = folder.path().join(chip);
        std::fs::write(&path, &artifact.code).expect("a file");
        let code = instructions(&[&path]).expect("llvm-objdump").remove(0);
        let mut found: Vec<&str> = code.iter().map(String::as_str).filter(|op| op.starts_with(starts)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "on {chip}:\n{text}");
    }
}

/// The processor time of this process in seconds; the system reports it in hundredths of a second.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Measures the time from the text of `scale` to a code object in milliseconds: the median and the minimum of 101
/// compilations, and their processor time. Other programs on the machine do not change the processor time.
#[test]
#[ignore = "a measurement without checks: prints the time of a compilation on this machine"]
fn time_of_scale() {
    let text = std::fs::read_to_string(root().join("examples/kernels/scale.mlir")).expect("a kernel");
    for chip in CHIPS {
        compile(&text, None, &[], chip).expect("a code object");
        let before = processor_time();
        let mut times: Vec<f64> = (0..101)
            .map(|_| {
                let start = std::time::Instant::now();
                compile(&text, None, &[], chip).expect("a code object");
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let processor = (processor_time() - before) * 1e3 / times.len() as f64;
        times.sort_by(f64::total_cmp);
        let (median, least) = (times[times.len() / 2], times[0]);
        println!("scale for {chip}: {median:.1} ms, the fastest {least:.1} ms, processor time {processor:.1} ms");
    }
}

/// The number of registers, the bytes of shared memory and the number of instructions of a code object.
struct Resources {
    vgprs: u64,
    sgprs: u64,
    lds: u64,
    instructions: u64,
}

impl Resources {
    fn of(kernel: &Kernel, code: &[String]) -> Resources {
        let [vgprs, sgprs, lds] = ["vgpr_count", "sgpr_count", "group_segment_fixed_size"].map(|f| kernel.number(f));
        Resources { vgprs, sgprs, lds, instructions: code.len() as u64 }
    }

    /// The number of resident waves per SIMD, as limited by registers and shared memory. A cube runs on one compute
    /// unit. Source: LLVM, `AMDGPUBaseInfo.cpp`, `getTotalNumVGPRs`, `getVGPRAllocGranule`, `getMaxWavesPerEU` and
    /// `getEUsPerCU`.
    fn occupancy(&self, chip: &str, units: u64) -> u64 {
        let (total, granule, most, simds, lanes) = match chip {
            "gfx942" => (512, 8, 8, 4, 64),
            _ => (1536, 24, 16, 2, 32),
        };
        let by_registers = (total / self.vgprs.max(1).next_multiple_of(granule)).min(most);
        let cubes = (64 << 10) / self.lds.max(1);
        by_registers.min((cubes * units.div_ceil(lanes) / simds).max(1))
    }
}

/// The code that clang generates for each kernel of `benches/amdgpu/kernels.cl`.
fn of_clang(chip: &str, folder: &Path) -> Option<BTreeMap<String, Resources>> {
    let object = folder.join(format!("{chip}.cl.hsaco"));
    clang(&root().join("benches/amdgpu/kernels.cl"), chip, &object).ok()?;
    let kernels = notes(&[&object]).ok()?.into_iter().next()?.kernels;
    let listed = |kernel: &Kernel| {
        let mut command = tool("llvm-objdump");
        command.arg("-d").arg(format!("--disassemble-symbols={}", kernel.text("name"))).arg(&object);
        let text = String::from_utf8(command.output().ok()?.stdout).ok()?;
        Some((kernel.text("name"), Resources::of(kernel, &cube_amdgpu_test::metadata::listed(&text))))
    };
    kernels.iter().map(listed).collect()
}

/// The page docs/reference/amdgpu-code.md equals the output of this compiler. No kernel uses more than 1.05
/// times as many registers or instructions as clang's code.
#[test]
fn page_of_registers_and_instructions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut page, mut beside) = (String::from(HEAD), 0);
    for chip in CHIPS {
        let clang = of_clang(chip, folder.path()).expect("clang compiles benches/amdgpu/kernels.cl");
        for (one, notes, code) in read(chip, folder.path()).into_iter().filter(|(one, ..)| one.in_page) {
            let (own, other) = (Resources::of(&notes.kernels[0], &code), clang.get(&one.kernel));
            let clangs =
                other.map_or_else(|| "| ".into(), |other| format!("{} | {} ", other.vgprs, other.instructions));
            let file = one.file.file_name().unwrap_or_default().to_string_lossy();
            let occupancy = own.occupancy(chip, one.artifact.cube_dim.iter().map(|n| u64::from(*n)).product());
            let Resources { vgprs, sgprs, lds, instructions } = own;
            let kernel = &one.kernel;
            let _ = writeln!(
                page,
                "| {chip} | `{file}` | `{kernel}` | {vgprs} | {sgprs} | {occupancy} | {lds} | {instructions} | {clangs}|"
            );
            let Some(other) = other else { continue };
            beside += 1;
            let most = |clangs: u64| clangs + clangs / 20;
            assert!(
                vgprs <= most(other.vgprs) && instructions <= most(other.instructions),
                "{kernel} on {chip} takes {vgprs} registers and {instructions} instructions, clang's {clangs}"
            );
        }
    }
    assert!(beside >= 16, "{beside} code objects stand beside clang's");
    let path = root().join("docs/reference/amdgpu-code.md");
    if std::env::var("BLESS").as_deref() == Ok("1") {
        std::fs::write(&path, &page).expect("the page");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let blessing = "BLESS=1 cargo test -p cube-amdgpu-test --test code_objects";
    assert!(there == page, "{} is out of date: {blessing}", path.display());
}

const HEAD: &str = "# Code for AMD GPUs: registers and instructions

After reading this page you know the registers, memory and instructions of each example kernel on AMD GPUs.

The table lists the registers, the shared memory (LDS) and the instructions of all kernels in the examples and benches. Each kernel is
compiled for a chip with planes of 64 lanes and for a chip with planes of 32 lanes. The code objects are validated and emulated, but were
**not run on hardware**. The command `BLESS=1 cargo test -p cube-amdgpu-test --test code_objects` writes this page; without `BLESS=1`, the
test fails if a row has changed.

* The occupancy is the number of planes (waves) that a SIMD can execute at the same time, limited by vector registers and shared memory.
* The number of instructions includes the last `s_endpgm`, but no `s_delay_alu`.
* The two columns for clang have the numbers of an equal kernel in OpenCL (`benches/amdgpu/kernels.cl`), which the clang of LLVM 22
  compiles with `-O3`. The test fails if a kernel needs more than 1.05 times the registers or instructions of clang's code. The file
  `benches/results/2026-11-24-amdgpu-assembly.md` has the scalar registers and the LDS of clang's code.

| Chip | File | Kernel | VGPRs | SGPRs | Occupancy | LDS bytes | Instructions | clang: VGPRs | instructions |
|---|---|---|---|---|---|---|---|---|---|
";
