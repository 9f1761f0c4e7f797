//! Runs the kernels of test/run and of the examples, and random kernels, as code objects in an emulator. The results
//! must equal the results of the interpreter.
//!
//! `CUBE_FUZZ_COUNT` sets the number of random kernels, and `CUBE_FUZZ_SEED` sets the first seed. If the number of
//! random kernels is 1, the test prints the kernel. `CUBE_FUZZ_CHIPS=gfx1200:32,gfx1100-wave64:64` selects other chips
//! with their plane widths. `CUBE_AMDGPU_FILES=planes,scale` selects the kernels of these two
//! files. `CUBE_AMDGPU_FOLDER=FOLDER` also runs the kernels of all files in this folder, on the same chips as the
//! random kernels. Files in this folder have RUN-ARGS lines, like the files of test/run. `CUBE_AMDGPU_ALL=1` also tests
//! all rows of the fuzzer's table, and a kernel that spills lanes. Without the emulator each test is skipped with the
//! reason.
#![forbid(unsafe_code)]
#[path = "kernels/files.rs"]
mod files;
#[path = "kernels/rows.rs"]
mod rows;
#[path = "kernels/spills.rs"]
mod spills;

use cube_amdgpu_test::metadata::clang;
use cube_amdgpu_test::{Argument, Emulator, Job, Outcome};
use cube_artifact::{Artifact, CompileOptions, Compiler, ParamKind, Target};
use cube_backend_interp::{Arg, Find, Options, Program, Tolerance, difference, run};
use cube_driver::{Driver, stages};
use cube_fuzz::kernels::{Scope, generate_in};
use cube_fuzz::settings::seeds;
use cube_runtime::launch::Dims;
use cube_runtime::{Device, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

/// One chip for each plane width.
const CHIPS: [(&str, u32); 2] = [("gfx1100", 32), ("gfx942", 64)];

/// Chips with instructions for conversions of 8-bit floats.
const WITH_CONVERSIONS: [(&str, u32); 2] = [("gfx950", 64), ("gfx1200", 32)];

/// Maximum percentage of random kernels that the emulator does not support. Of 4,800 kernels, 3 were not supported.
const MAX_UNSUPPORTED: usize = 5;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("amdgpu-emulator");
    let emulator = Emulator::find(&cache);
    let trial = |name: String, test: fn(&Emulator, &str, u32) -> Result<(), Failed>, (chip, lanes)| {
        let emulator = emulator.clone();
        Trial::ignorable_test(name, move || match &emulator {
            Ok(emulator) => test(emulator, chip, lanes).map(|()| Completion::Completed),
            Err(why) => Ok(Completion::ignored_with(why.clone())),
        })
    };
    let files = CHIPS.map(|chip| trial(format!("files on {}", chip.0), files::every_file, chip));
    let random: Vec<_> = random_chips()
        .into_iter()
        .map(|chip| trial(format!("random kernels on {}", chip.0), random_kernels, chip))
        .collect();
    let division = trial("a wrong step of a division shows".into(), divisions, CHIPS[0]);
    let narrow = trial("narrow floats on chips with conversions".into(), rows::narrow, CHIPS[0]);
    let planes = trial("planes on other chips".into(), files::planes, CHIPS[0]);
    let far = trial("elements beyond 4 GiB".into(), far, CHIPS[0]);
    let branches = trial("values of three branches".into(), branches, CHIPS[0]);
    let rows = CHIPS.map(|chip| trial(format!("every row on {}", chip.0), rows::every_row, chip));
    let spills = trial("spilled lanes in waves of 64".into(), spills::lanes, CHIPS[0]);
    let rows = rows.into_iter().chain([spills]).filter(|_| asks_for_all());
    let chips = if std::env::var_os("CUBE_AMDGPU_FOLDER").is_some() { random_chips() } else { vec![] };
    let folder = chips.into_iter().map(|chip| trial(format!("files of the folder on {}", chip.0), files::folder, chip));
    let all = files
        .into_iter()
        .chain(files::skipped())
        .chain(random)
        .chain(rows)
        .chain(folder.collect::<Vec<_>>())
        .chain([narrow, division, planes, branches, far]);
    libtest_mimic::run(&arguments, all.collect()).exit_code()
}

/// Whether the run tests all rows.
fn asks_for_all() -> bool {
    std::env::var("CUBE_AMDGPU_ALL").as_deref() == Ok("1")
}

fn left_out(chip: &str, label: &str, why: &str) {
    println!("{label} is left out on {chip}: {why}");
}

/// A kernel with one launch.
struct Case {
    name: String,
    text: String,
    options: CompileOptions,
    args: Vec<Arg>,
    cubes: [u32; 3],
}

/// A test case that the emulator can run, with the result of the interpreter.
struct Prepared {
    name: String,
    program: Program,
    allowed: Tolerance,
    expected: Vec<Arg>,
    job: Job,
}

impl Case {
    fn compile(&self, chip: &str) -> Result<Artifact, String> {
        let target = Target { backend: "amdgpu".into(), chip: Some(chip.into()) };
        Driver.compile(self.text.as_bytes(), &target, &self.options).map_err(|e| format!("{}: {e}", self.name))
    }

    fn prepare(self, artifact: &Artifact, lanes: u32) -> Result<Prepared, String> {
        let named = |why: String| format!("{}: {why}", self.name);
        let job = self.job(artifact).map_err(named)?;
        let (program, allowed, expected) = self.interpreted(artifact.plane_dim.unwrap_or(lanes)).map_err(named)?;
        Ok(Prepared { name: self.name, program, allowed, expected, job })
    }

    /// The launch as a job, with arguments bound by the same code as in the runtimes.
    fn job(&self, artifact: &Artifact) -> Result<Job, String> {
        let host = CpuDevice::new(&cube_run_cli::variables()).map_err(|e| e.to_string())?;
        let (mut bound_args, mut buffers) = (Vec::new(), Vec::new());
        for (param, arg) in artifact.params.iter().zip(&self.args) {
            bound_args.push(match (&param.kind, arg) {
                (ParamKind::Scalar { elem }, Arg::Scalar(bits)) => {
                    let bytes = &bits.to_le_bytes()[..elem.size()];
                    cube_runtime::Arg::Scalar(Scalar::from_bytes(*elem, bytes)?)
                }
                (ParamKind::Buffer { elem, .. }, buffer) => {
                    let bytes = buffer.bytes().ok_or("a scalar for a buffer")?;
                    let memory = host.alloc(bytes.len() as u64, Init::Zero).map_err(|e| e.to_string())?;
                    buffers.push(bytes.to_vec());
                    let arg = cube_runtime::Arg::buffer(&memory, *elem);
                    match buffer {
                        Arg::Tensor { shape, strides, .. } => arg.with_dims(Dims::tensor(shape, strides)),
                        _ => arg,
                    }
                }
                _ => return Err("a buffer for a scalar".into()),
            });
        }
        let properties = host.properties();
        let bound = cube_runtime::launch::bind(artifact, &bound_args, self.cubes, properties);
        Ok(Job::of(artifact, &bound.map_err(|e| e.to_string())?, buffers))
    }

    /// The kernel at level `source`, the tolerance of its operations, and the arguments after the interpreter
    /// has run the launch.
    fn interpreted(&self, plane_dim: u32) -> Result<(Program, Tolerance, Vec<Arg>), String> {
        let mut decoded = Err("nothing was parsed".to_string());
        let mut allowed = Tolerance::EXACT;
        let visited = stages(self.text.as_bytes(), &Target::cpu(), &self.options, &mut |stage| {
            if stage.number == 0 {
                let kernel = stage.kernel().ok_or_else(|| "no kernel".to_string());
                decoded = kernel.and_then(|k| Program::decode(k, &self.options.params).map_err(|d| d.message));
            }
            // At this stage, calls are resolved, but functions are not yet expanded.
            if stage.number > 0 && stage.level == cube_ir::Level::Source && stage.ends_phase {
                allowed = Tolerance::of_kernel(stage.module.op());
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        visited.map_err(|e| e.to_string())?;
        let mut program = decoded?;
        // If a chip has one plane width, a kernel cannot choose a different width.
        program.plane_dim = program.plane_dim.map(|_| plane_dim);
        let mut args = self.args.clone();
        let options = Options { find: Find::NOTHING, max_steps: 1 << 32, plane_dim, ..Options::default() };
        run(&program, &mut args, self.cubes, &options).map_err(|f| f.to_string())?;
        Ok((program, allowed, args))
    }
}

impl Prepared {
    /// The difference between the emulator's buffers and the interpreter's buffers after the launch; `None`
    /// if the buffers are equal.
    fn judge(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Unsupported(_) => None,
            Outcome::Wrong(why) => Some(why.clone()),
            Outcome::Ran(buffers) => {
                // The buffer of prints follows the buffers of the parameters.
                let mut buffers = buffers.iter().cloned();
                let actual = self.expected.iter().map(|arg| match arg.bytes() {
                    Some(_) => Arg::Buffer { bytes: buffers.next().unwrap_or_default(), initialised: true },
                    None => Arg::Scalar(0),
                });
                difference(&self.program, &self.expected, &actual.collect::<Vec<_>>(), self.allowed)
            }
        }
    }
}

/// Runs all test cases in one batch of the emulator. Returns the numbers of the test cases that the emulator does not
/// support, with the emulator's reasons. It is an error if the emulator does not support more than `most` percent.
fn judged(
    emulator: &Emulator,
    chip: &str,
    cases: &[Prepared],
    mut wrong: Vec<String>,
    most: usize,
) -> Result<Vec<(usize, String)>, Failed> {
    let jobs: Vec<Job> = cases.iter().map(|case| case.job.clone()).collect();
    let outcomes = emulator.run(&jobs)?;
    let mut unsupported = Vec::new();
    for (number, (case, outcome)) in cases.iter().zip(&outcomes).enumerate() {
        if let Outcome::Unsupported(why) = outcome {
            left_out(chip, &case.name, &format!("the emulator does not support {why}"));
            unsupported.push((number, why.clone()));
        }
        wrong.extend(case.judge(outcome).map(|why| format!("{}: {why}", case.name)));
    }
    let (count, limit) = (cases.len(), cases.len() * most / 100);
    if wrong.is_empty() && unsupported.len() > limit {
        Err(format!("the emulator supports only {} of {count} launches on {chip}", count - unsupported.len()).into())
    } else if wrong.is_empty() {
        Ok(unsupported)
    } else {
        Err(format!("{} differ:\n{}", wrong.len(), wrong.join("\n")).into())
    }
}

/// A buffer argument whose last dimension is contiguous.
fn tensor(bytes: Vec<u8>, shape: Vec<u64>) -> Arg {
    let strides = (0..shape.len()).map(|d| shape[d + 1..].iter().product()).collect();
    Arg::Tensor { bytes, initialised: true, shape, strides }
}

/// `r[i]` is the last step of a division, of the numerator `n[i]`, of the denominator `d[i]` and of a quotient that is too small by a
/// quarter.
const WRONG_DIVISION: &str = "
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void wrong(global const float *n, global const float *d, global float *r) {
  int i = __builtin_amdgcn_workitem_id_x();
  r[i] = __builtin_amdgcn_div_fixupf(0.75f * (n[i] / d[i]), d[i], n[i]);
}
";

/// Tests that an error in a division stays visible, also for very large and very small quotients. The corrections of
/// the emulator (`mend_division` of emulate.py) must not compute the quotient themselves.
fn divisions(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("wrong.cl");
    std::fs::write(&source, WRONG_DIVISION)?;
    let bytes = |of: &dyn Fn(i32) -> f32| (0..64).flat_map(|i| of(i).to_le_bytes()).collect::<Vec<u8>>();
    let n = |i: i32| 2f32.powi(16 * (i % 8) - 60);
    let d = |i: i32| 2f32.powi(3 * i - 65) * if i % 2 == 0 { 1.0 } else { -1.0 };
    let mut jobs = Vec::new();
    for (chip, _) in CHIPS {
        let object = folder.path().join(chip);
        clang(&source, chip, &object)?;
        let buffers = [bytes(&n), bytes(&d), vec![0; 256]];
        jobs.push(Job {
            code: std::fs::read(&object)?,
            kernel: "wrong".into(),
            cubes: [1; 3],
            units: [64, 1, 1],
            arguments: buffers.into_iter().map(Argument::Buffer).collect(),
        });
    }
    let expected = bytes(&|i| 0.75 * (n(i) / d(i)));
    for (outcome, (chip, _)) in emulator.run(&jobs)?.into_iter().zip(CHIPS) {
        let shows = matches!(outcome, Outcome::Ran(after) if after[2] == expected);
        if !shows {
            return Err(format!("the emulator of {chip} computes another quotient than the steps").into());
        }
    }
    Ok(())
}

/// Doubles elements at positions from 3 * 2^28 in a buffer of f64, which are more than 6 GiB from its start.
const FAR: &str = "
cube.kernel @far(%x: !cube.array<f64>) cube_dim(64) {
  %i = cube.topology absolute_pos
  %first = arith.constant 805306368 : i32
  %at = arith.addi %i, %first : i32
  %v = cube.load %x[%at] : !cube.array<f64> -> f64
  %twice = arith.addf %v, %v : f64
  cube.store %twice, %x[%at] : f64, !cube.array<f64>
  cube.return
}
";

/// Tests accesses beyond 4 GiB, inside and outside of a buffer.
fn far(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    const FIRST: u64 = 3 << 28;
    let numbers = |factor: f64| (0..100).flat_map(|i| (factor * f64::from(i)).to_le_bytes()).collect::<Vec<u8>>();
    let chips = ["gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1100-wave64"];
    let mut jobs = Vec::new();
    for chip in chips {
        let options = CompileOptions::default();
        let case = Case { name: "far".into(), text: FAR.into(), options, args: vec![], cubes: [1; 3] };
        let artifact = case.compile(chip)?;
        let length = Argument::Value((FIRST + 100).to_le_bytes().to_vec());
        let arguments = vec![Argument::End { before: 8 * FIRST, bytes: numbers(1.0) }, length];
        // The last units have no element.
        jobs.push(Job { code: artifact.code, kernel: artifact.entry, cubes: [3, 1, 1], units: [64, 1, 1], arguments });
    }
    for (outcome, chip) in emulator.run(&jobs)?.into_iter().zip(chips) {
        if outcome != Outcome::Ran(vec![numbers(2.0)]) {
            return Err(format!("on {chip}: {outcome:?}").into());
        }
    }
    Ok(())
}

/// A merge of three branches, which LLVM miscompiles without a workaround (`zero_cost_hoist_workaround` of `cube-backend-llvm`).
fn branches(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    let text = include_str!("kernels/branches.mlir");
    let numbers = (0u32..159).map(|i| i.wrapping_mul(2_654_435_761) ^ 0x5bd1_e995);
    let x = Arg::Buffer { bytes: numbers.flat_map(u32::to_le_bytes).collect(), initialised: true };
    let r = Arg::Buffer { bytes: vec![0; 4 * 159], initialised: true };
    let mut cases = Vec::new();
    for (chip, lanes) in CHIPS {
        let (name, options) = (format!("branches on {chip}"), CompileOptions::default());
        let args = vec![x.clone(), r.clone()];
        let case = Case { name, text: text.into(), options, args, cubes: [3, 1, 1] };
        let artifact = case.compile(chip)?;
        cases.push(case.prepare(&artifact, lanes)?);
    }
    judged(emulator, "both chips", &cases, vec![], 0).map(drop)
}

/// The chips of the random kernels: those of [`CHIPS`], or of `CUBE_FUZZ_CHIPS=gfx1200:32,gfx1100-wave64:64`.
fn random_chips() -> Vec<(&'static str, u32)> {
    let Ok(requested) = std::env::var("CUBE_FUZZ_CHIPS") else { return CHIPS.to_vec() };
    let requested: &'static str = requested.leak();
    requested
        .split(',')
        .filter_map(|one| one.split_once(':'))
        .filter_map(|(chip, n)| Some((chip, n.parse().ok()?)))
        .collect()
}

fn random_kernels(emulator: &Emulator, chip: &str, lanes: u32) -> Result<(), Failed> {
    let (first, count) = seeds(6);
    let (mut cases, mut wrong) = (Vec::new(), Vec::new());
    for seed in first..first + count {
        let kernel = generate_in(seed, Scope::ALL);
        if count == 1 {
            println!("{}", kernel.text);
        }
        let buffers = kernel.buffers.iter().map(|data| match data.shape {
            Some([rows, columns]) => tensor(data.bytes.clone(), vec![rows, columns]),
            None => Arg::Buffer { bytes: data.bytes.clone(), initialised: true },
        });
        let args = buffers.chain(kernel.scalars.iter().map(|s| Arg::Scalar(u64::from(*s)))).collect();
        let (name, options) = (format!("seed {seed}"), CompileOptions::default());
        let case = Case { name, text: kernel.text, options, args, cubes: [kernel.cubes, 1, 1] };
        match case.compile(chip).and_then(|artifact| case.prepare(&artifact, lanes)) {
            Ok(case) => cases.push(case),
            Err(why) => wrong.push(why),
        }
    }
    let most = if count < 6 { 100 } else { MAX_UNSUPPORTED };
    let unsupported = judged(emulator, chip, &cases, wrong, most)?.len();
    println!("{count} random kernels from seed {first} on {chip}, {unsupported} unsupported by the emulator");
    Ok(())
}
