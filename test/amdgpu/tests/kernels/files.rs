//! Tests the launches of test/run and of the examples, one for each RUN-ARGS line.
use super::{CHIPS, Case, Prepared, asks_for_all, judged, left_out, tensor};
use clap::Parser;
use cube_amdgpu_test::Emulator;
use cube_artifact::{Artifact, CompileOptions};
use cube_backend_interp::Arg;
use cube_run_cli::failure::Failure;
use cube_run_cli::values::{Value, load};
use cube_run_cli::{args, backends, bind};
use cube_test::header::Header;
use libtest_mimic::{Completion, Failed, Trial};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Launches that cannot run on a chip. Each entry is a file, the kernel (`""` selects all launches of the file), the
/// chip, and a part of the reason. The reason is a diagnostic code, or the emulator's answer.
const SKIPPED: &[(&str, &str, &str, &str)] = &[
    ("plane_widths", "f16_16", "gfx1100", "CUBE0353"),
    ("plane_widths", "f16_8", "gfx1100", "CUBE0353"),
    ("plane_widths", "f64_16", "gfx1100", "CUBE0353"),
    ("plane_widths", "f64_8", "gfx1100", "CUBE0353"),
    ("plane_widths", "i8_16", "gfx1100", "CUBE0353"),
    ("plane_widths", "i8_8", "gfx1100", "CUBE0353"),
    ("planes", "", "gfx1100", "CUBE0353"),
    ("swap", "", "gfx1100", "CUBE0321"),
];

/// Files that run on another chip of the same plane width, which has the shared memory that the file requires.
const OTHER_CHIPS: &[(&str, &str, &str)] = &[("swap", "gfx942", "gfx950")];

/// The reasons in [`SKIPPED`] in words.
const REASONS: &[(&str, &str)] = &[
    ("CUBE0321", "the chip has less shared memory than the kernel uses"),
    ("CUBE0353", "the chip does not have the plane width of the kernel"),
];

/// Maximum number of units of a launch; the emulator runs about 10^5 units per second.
const MAX_UNITS: u64 = 1 << 15;

/// A skipped trial for each entry of [`SKIPPED`], so that the totals of a run contain the name and the reason. The test
/// [`every_file`] checks that the entries are right.
pub fn skipped() -> impl Iterator<Item = Trial> {
    SKIPPED.iter().map(|(file, kernel, chip, reason)| {
        let words = REASONS.iter().find(|(own, _)| own == reason).map_or(*reason, |(_, words)| *words);
        let name = [file, *kernel, "on", chip].iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>();
        Trial::ignorable_test(name.join(" "), move || Ok(Completion::ignored_with(words)))
    })
}

/// The files of kernels in a folder of the source tree.
fn files(folder: &str) -> Result<Vec<PathBuf>, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<PathBuf> = root.read_dir()?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|end| end == "mlir"));
    files.sort();
    Ok(files)
}

/// The skipped launches that were found, and the found launches that are not in [`SKIPPED`].
#[derive(Default)]
struct Skips {
    chip: &'static str,
    found: BTreeSet<usize>,
    wrong: Vec<String>,
}

impl Skips {
    fn find(&mut self, file: &str, kernel: &str, why: &str) {
        let entry = SKIPPED.iter().position(|(own, own_kernel, chip, reason)| {
            let same = (*own, *chip) == (file, self.chip) && (own_kernel.is_empty() || *own_kernel == kernel);
            same && why.contains(reason)
        });
        match entry {
            Some(entry) => drop(self.found.insert(entry)),
            None => {
                self.wrong.push(format!("{file} {kernel}: skipped, but not in the list of skipped launches: {why}"))
            }
        }
    }

    /// The entries of the selected files that were not skipped.
    fn missing(&self, selected: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
        let own = SKIPPED.iter().enumerate().filter(move |(number, (file, _, chip, _))| {
            *chip == self.chip && selected(file) && !self.found.contains(number)
        });
        own.map(|(_, (file, kernel, _, _))| {
            format!("{file} {kernel}: in the list of skipped launches, but not skipped")
        })
    }
}

/// The name of a launch in reports, its file and its kernel.
struct Launch {
    label: String,
    file: String,
    kernel: String,
}

/// Runs every launch of every file in one batch, and compares the skipped launches with [`SKIPPED`].
pub fn every_file(emulator: &Emulator, chip: &str, lanes: u32) -> Result<(), Failed> {
    let requested = std::env::var("CUBE_AMDGPU_FILES").unwrap_or_default();
    let selected = |name: &str| requested.is_empty() || requested.split(',').any(|own| own == name);
    let chip = CHIPS.iter().find(|(own, _)| *own == chip).ok_or("not a chip of the tests")?.0;
    let mut skips = Skips { chip, ..Skips::default() };
    let (mut launches, mut cases, mut wrong) = (Vec::new(), Vec::<Prepared>::new(), Vec::new());
    for path in files("test/run")?.into_iter().chain(files("examples/kernels")?) {
        let file = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !selected(&file) {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let folder = path.parent().unwrap_or(Path::new(".")).display().to_string();
        let mut compiled = Compiled::new();
        for line in Header::parse(&text)?.run_arguments {
            let words = line.text.replace("%S", &folder);
            let words = ["cube-run", "kernel"].into_iter().chain(words.split_whitespace());
            let args = args::Args::try_parse_from(words).map_err(|e| format!("{file}:{}: {e}", line.number))?;
            let kernel = args.kernel.clone().unwrap_or_default();
            let label = format!("{file}:{}", line.number);
            let other = OTHER_CHIPS.iter().find(|(own, from, _)| (*own, *from) == (file.as_str(), chip));
            let chip = other.map_or(chip, |(_, _, to)| to);
            let prepared = case_of(&label, &text, &args, chip, &mut compiled).and_then(|(case, artifact)| {
                let units = case.cubes.iter().chain(&artifact.cube_dim).map(|n| u64::from(*n)).product::<u64>();
                if units > MAX_UNITS {
                    return Err(format!("{label}: {units} units, too many for the emulator"));
                }
                case.prepare(&artifact, lanes)
            });
            match prepared {
                Ok(case) => {
                    cases.push(case);
                    launches.push(Launch { label, file: file.clone(), kernel });
                }
                // The kernel requires a plane width or an amount of shared memory that the chip does not have.
                Err(why) if why.contains("CUBE0353") || why.contains("CUBE0321") => {
                    left_out(chip, &label, &why);
                    skips.find(&file, &kernel, &why);
                }
                Err(why) => wrong.push(why),
            }
        }
    }
    let unsupported = judged(emulator, chip, &cases, wrong, 100)?;
    for (number, why) in &unsupported {
        let Launch { label, file, kernel } = &launches[*number];
        skips.find(file, kernel, &format!("{label}: {why}"));
    }
    let wrong: Vec<String> = skips.wrong.iter().cloned().chain(skips.missing(selected)).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let ran = cases.len() - unsupported.len();
    println!("{ran} launches on {chip}, {} kernels skipped", skips.found.len());
    if ran == 0 { Err("no launch ran".into()) } else { Ok(()) }
}

/// Chips with planes of 64 lanes on RDNA, and RDNA 4. Their operations on planes differ from those of [`CHIPS`].
const OTHERS: [(&str, u32); 3] = [("gfx1200", 32), ("gfx1100-wave64", 64), ("gfx1200-wave64", 64)];

/// The files with operations on planes. The test runs the first two files, or all files if `CUBE_AMDGPU_ALL` is 1.
const OF_PLANES: &[&str] =
    &["plane_shuffle_far", "cube_scan", "plane_parts", "plane_widths", "plane_zeros", "row_sum", "barriers"];

/// Runs the launches with operations on planes on the chips [`OTHERS`]. A launch whose kernel requires another width of planes is left
/// out.
pub fn planes(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    let (mut cases, mut wrong, mut counts) = (Vec::<Prepared>::new(), Vec::new(), Vec::new());
    let expected = if asks_for_all() { OF_PLANES } else { &OF_PLANES[..2] };
    for (chip, lanes) in OTHERS {
        let before = cases.len();
        for path in files("test/run")? {
            if path.file_stem().is_some_and(|name| expected.iter().any(|own| name == *own)) {
                cases.extend(launches(&path, chip, lanes, &mut wrong)?);
            }
        }
        counts.push(cases.len() - before);
    }
    let unsupported = judged(emulator, "the other chips", &cases, wrong, 0)?;
    println!("{counts:?} launches on {OTHERS:?}, {} unsupported by the emulator", unsupported.len());
    if counts.iter().all(|count| *count >= expected.len()) {
        Ok(())
    } else {
        Err(format!("only {counts:?} launches").into())
    }
}

/// Runs the launches of all files in the folder of `CUBE_AMDGPU_FOLDER` on a chip. The path is absolute, or relative to the root of
/// the tree.
pub fn folder(emulator: &Emulator, chip: &str, lanes: u32) -> Result<(), Failed> {
    let (mut cases, mut wrong) = (Vec::new(), Vec::new());
    for path in files(&std::env::var("CUBE_AMDGPU_FOLDER")?)? {
        cases.extend(launches(&path, chip, lanes, &mut wrong)?);
    }
    let unsupported = judged(emulator, chip, &cases, wrong, 100)?.len();
    println!("{} launches on {chip}, {unsupported} unsupported by the emulator", cases.len());
    if cases.len() > unsupported { Ok(()) } else { Err("no launch ran".into()) }
}

/// The test cases of the RUN-ARGS lines of a file. A launch whose kernel requires another width of planes is left out. `wrong`
/// receives the other errors.
fn launches(path: &Path, chip: &str, lanes: u32, wrong: &mut Vec<String>) -> Result<Vec<Prepared>, Failed> {
    let file = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = std::fs::read_to_string(path)?;
    let folder = path.parent().unwrap_or(Path::new(".")).display().to_string();
    let (mut cases, mut compiled) = (Vec::new(), Compiled::new());
    for line in Header::parse(&text)?.run_arguments {
        let words = line.text.replace("%S", &folder);
        let words = ["cube-run", "kernel"].into_iter().chain(words.split_whitespace());
        let args = args::Args::try_parse_from(words).map_err(|e| format!("{file}:{}: {e}", line.number))?;
        let label = format!("{file}:{} on {chip}", line.number);
        let prepared = case_of(&label, &text, &args, chip, &mut compiled);
        match prepared.and_then(|(case, artifact)| case.prepare(&artifact, lanes)) {
            Ok(case) => cases.push(case),
            Err(why) if why.contains("CUBE0353") => left_out(chip, &label, &why),
            Err(why) => wrong.push(why),
        }
    }
    Ok(cases)
}

/// The results of the compiler for a file, by the kernel and the compile-time parameters.
type Compiled = HashMap<(Option<String>, Vec<String>), Result<Artifact, String>>;

/// The test case of one RUN-ARGS line of a file.
fn case_of(
    name: &str,
    text: &str,
    args: &args::Args,
    chip: &str,
    compiled: &mut Compiled,
) -> Result<(Case, Artifact), String> {
    let params = args.param.iter().filter_map(|pair| pair.split_once('=')).map(|(n, v)| (n.into(), v.into()));
    let options = CompileOptions { kernel: args.kernel.clone(), params: params.collect(), ..CompileOptions::default() };
    let mut case = Case { name: name.into(), text: text.into(), options, args: vec![], cubes: [1; 3] };
    let key = (args.kernel.clone(), args.param.clone());
    let artifact = compiled.entry(key).or_insert_with(|| case.compile(chip)).clone()?;
    let say = |failure: Failure| format!("{name}: {failure:?}");
    let given = bind::bind(&artifact, &args::pairs("--arg", &args.arg).map_err(say)?).map_err(say)?;
    let given = bind::complete(&artifact, given).map_err(say)?;
    let (host, _) = backends::open("cpu").map_err(say)?;
    let values = load(&artifact, &given, host.properties()).map_err(say)?;
    case.cubes = match &args.cube_count {
        Some(count) => args::cube_count(count).map_err(say)?,
        None => {
            let shapes: Vec<_> = values.iter().map(Value::shape).collect();
            bind::default_cube_count(&artifact, &shapes).map_err(say)?.0
        }
    };
    let arg = |value: &Value| match value {
        Value::Scalar(scalar) => Arg::Scalar(scalar.slot()),
        Value::Buffer(array) => tensor(array.bytes().to_vec(), array.shape().to_vec()),
    };
    case.args = values.iter().map(arg).collect();
    Ok((case, artifact))
}
