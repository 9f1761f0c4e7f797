//! `CUBE_DUMP`, `CUBE_TRACE` and `CUBE_EXPLAIN`: each test restarts this program with the variable, as a user would.
#![cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
use crate::common::{R, array, client, one, outputs};
use cubecl::prelude::*;
use cubecl::std::{FastDivmod, FastDivmodArgs};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Halves each element, reverses the elements of each cube, and adds one to each element. The kernel uses
/// shared memory and a barrier, so that each phase of the compiler changes the kernel.
#[cube(launch)]
fn reported(x: &Array<f32>, out: &mut Array<f32>) {
    let mut tile = SharedMemory::<f32>::new(16u32);
    tile[UNIT_POS] = x[ABSOLUTE_POS] / 2.0;
    sync_cube();
    out[ABSOLUTE_POS] = tile[15 - UNIT_POS] + 1.0;
}

fn data() -> Vec<f32> {
    (0..32).map(|i| i as f32).collect()
}

/// The test that the child processes of other tests run.
#[test]
fn run_reported() {
    let client = client();
    let (x, out) = (client.create(f32::as_bytes(&data())), client.empty(32 * 4));
    let dim = CubeDim::new_1d(16);
    let (a, b) = (array::<f32>(&x, 32), array::<f32>(&out, 32));
    let outcome = reported::try_launch::<R>(&client, CubeCount::Static(2, 1, 1), dim, a, b);
    // Only the children write their results.
    let Some(file) = std::env::var_os("TEST_RESULT") else {
        let x = data();
        let host: Vec<f32> = (0..32).map(|i| x[i / 16 * 16 + 15 - i % 16] / 2.0 + 1.0).collect();
        return assert_eq!(f32::from_bytes(&client.read_one(out)), host);
    };
    match outcome {
        Ok(()) => fs::write(file, &client.read_one(out)[..]).unwrap(),
        Err(error) => fs::write(file, error.to_string()).unwrap(),
    }
}

/// The folder in which the child processes of a test run.
struct Case {
    folder: PathBuf,
}

impl Case {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("cube-{name}-test-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Case { folder }
    }

    /// Runs `test` of this program with environment variables; returns the test's result and output.
    fn run(&self, test: &str, variables: &[(&str, &str)]) -> (Vec<u8>, String) {
        let result = self.folder.join("result");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("reports::{test}"), "--nocapture"])
            .current_dir(&self.folder)
            .env("TEST_RESULT", &result);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        (fs::read(result).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// The folder of the kernel in a trace of exactly one kernel.
    fn kernel(&self, trace: &str) -> PathBuf {
        let mut found = fs::read_dir(self.folder.join(trace)).unwrap().map(|e| e.unwrap().path());
        let kernel = found.next().unwrap();
        assert!(found.next().is_none());
        kernel
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Runs the program `cube`, which contains both the compiler and `cube-run`.
fn cube(args: &[&str]) -> Output {
    let exe = std::env::current_exe().unwrap();
    let cube = exe.parent().and_then(Path::parent).unwrap().join("cube");
    let compiler = std::env::var_os("CUBE_COMPILER").map_or(cube, PathBuf::from);
    Command::new(compiler).args(args).output().unwrap()
}

fn text(file: impl AsRef<Path>) -> String {
    fs::read_to_string(file.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", file.as_ref().display()))
}

/// The only file in a folder whose name ends with `end`.
fn ending(folder: &Path, end: &str) -> PathBuf {
    let all = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut found = all.filter(|f| f.file_name().unwrap().to_string_lossy().ends_with(end));
    let file = found.next().unwrap_or_else(|| panic!("nothing ends with {end} in {}", folder.display()));
    assert!(found.next().is_none());
    file
}

#[test]
fn a_dump_has_every_phase_and_each_runs_to_the_same_bytes() {
    let case = Case::new("dump");
    let (result, output) = case.run("run_reported", &[("CUBE_DUMP", "dump")]);
    assert!(!output.contains("kernel reported"), "{output}");
    let folder = case.folder.join("dump");
    let got = case.folder.join("out.npy");
    let out = format!("out={}", got.display());
    let phases = [".1-specialize.mlir", ".2-layout.mlir", ".3-optimize.mlir", ".4-legalize.mlir", ".5-lower.mlir"];
    let mut files: Vec<PathBuf> = phases.iter().map(|end| ending(&folder, end)).collect();
    let source = files[0].to_string_lossy().replace(phases[0], ".mlir");
    files.push(source.into());
    for file in &files {
        let args = ["run", &file.to_string_lossy(), "--arg", "x=iota:32", "--arg", "out=zeros:32", "--out", &out];
        let output = cube(&args);
        assert!(output.status.success(), "{}: {output:?}", file.display());
        assert!(fs::read(&got).unwrap().ends_with(&result), "{} computes a different result", file.display());
    }
    // Each file has the Rust locations of its operations.
    assert!(
        files.iter().all(|file| text(file).contains("tests/programs/reports.rs\":")),
        "a file has no Rust locations"
    );
    assert_eq!(fs::read_dir(folder).unwrap().count(), files.len());
}

#[test]
fn a_trace_has_every_pass_its_changes_remarks_and_the_code() {
    let case = Case::new("trace");
    let (result, _) = case.run("run_reported", &[("CUBE_TRACE", "trace")]);
    let folder = case.kernel("trace");
    let index = text(folder.join("index.txt"));
    let line =
        |pass: &str| index.lines().find(|l| l.contains(&format!(" {pass} "))).unwrap_or_else(|| panic!("{index}"));
    assert!(line("split-barrier-regions").contains("lower/"), "{index}");
    assert!(line("inline").ends_with("same"), "{index}");
    let last = index.lines().last().unwrap();
    assert!(last.starts_with("-- emit         code.o") && last.ends_with(" bytes"), "{index}");
    assert!(text(ending(&folder.join("lower"), "-split-barrier-regions.diff")).contains("\n-"));
    assert!(text(folder.join("remarks.txt")).contains("reports.rs:"));
    assert!(text(folder.join("code.ll")).contains("@reported") && text(folder.join("code.s")).contains("reported:"));
    assert!(fs::read(folder.join("code.o")).unwrap().starts_with(b"\x7fELF"));
    // Runs again without a trace. A run with a trace does not use the cache on disk.
    let cache = [("CUBE_CACHE", "cache"), ("CUBE_TRACE", "trace")];
    for variables in [&cache[..1], &cache, &cache] {
        assert_eq!(case.run("run_reported", variables).0, result);
    }
}

#[cube(launch)]
fn by_fast_divmod(x: &Array<u32>, out: &mut Array<u32>, by: FastDivmod) {
    let (q, r) = by.div_mod(x[ABSOLUTE_POS]);
    out[ABSOLUTE_POS] = q * 3 + r;
}

#[cube(launch)]
fn by_operators(x: &Array<u32>, out: &mut Array<u32>, n: u32) {
    let v = x[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = v / n * 3 + v % n;
}

/// The child process of `fast_divmod_has_the_code_of_the_operators`.
#[test]
fn run_divided() {
    let client = client();
    let x = client.create(u32::as_bytes(&[100, 7, 0xC000_0001, u32::MAX]));
    let results = [0, 1].map(|way| {
        outputs::<u32>(4, |c, out| {
            let (x, dim) = (array::<u32>(&x, 4), CubeDim::new_1d(4));
            match way {
                0 => by_fast_divmod::launch::<R>(c, one(), dim, x, out, FastDivmodArgs::new(c, 7)),
                _ => by_operators::launch::<R>(c, one(), dim, x, out, ScalarArg::new(7)),
            }
        })
    });
    let host = [100u32, 7, 0xC000_0001, u32::MAX].map(|v| (v / 7).wrapping_mul(3) + v % 7);
    assert_eq!(results, [host, host]);
    if let Some(file) = std::env::var_os("TEST_RESULT") {
        fs::write(file, "").unwrap();
    }
}

#[test]
fn fast_divmod_has_the_code_of_the_operators() {
    let case = Case::new("divmod");
    case.run("run_divided", &[("CUBE_TRACE", "trace")]);
    // The instructions, without labels and lines of the source.
    let code = |name: &str| -> Vec<String> {
        let mut all = fs::read_dir(case.folder.join("trace")).unwrap().map(|entry| entry.unwrap().path());
        let folder = all.find(|path| path.file_name().unwrap().to_string_lossy().contains(name)).unwrap();
        let text = text(folder.join("code.s"));
        let lines = text.lines().filter(|line| line.starts_with('\t') && !line.trim_start().starts_with('.'));
        lines.map(|line| line.split('#').next().unwrap_or_default().trim().to_owned()).collect()
    };
    let [fast, plain] = ["by_fast_divmod", "by_operators"].map(code);
    assert!(plain.len() > 10 && plain.iter().any(|line| line.contains("mul")), "{plain:#?}");
    assert!(
        !plain.iter().any(|line| line.starts_with("div")),
        "a division by a number of the launch is a product: {plain:#?}"
    );
    assert_eq!(fast, plain);
}

#[test]
fn edited_stage_is_reused_until_its_removal() {
    let case = Case::new("edit");
    let traced = || case.run("run_reported", &[("CUBE_TRACE", "trace")]);
    let as_floats =
        |bytes: &[u8]| bytes.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<_>>();
    let (first, output) = traced();
    assert!(!output.contains("continues from"), "{output}");
    let folder = case.kernel("trace");
    let file = ending(&folder.join("layout"), "-cse.mlir");
    let was = text(&file);
    assert!(was.contains("1.000000e+00"), "{was}");
    fs::write(&file, was.replace("1.000000e+00", "5.000000e+00")).unwrap();
    for _ in 0..2 {
        let (edited, output) = traced();
        assert!(
            output.contains(&format!("the compilation continues from {}, which was edited", file.display())),
            "{output}"
        );
        let moved: Vec<f32> = as_floats(&first).iter().map(|v| v + 4.0).collect();
        assert_eq!(as_floats(&edited), moved);
        assert!(text(folder.join("index.txt")).contains("continues from the edited layout/"));
        assert!(text(ending(&folder.join("lower"), "-emit-unit-loops.mlir")).contains("5.000000e+00"));
    }
    // Invalid text is an error at its line of the edited file, and affects no other kernel.
    fs::write(&file, was.replace("arith.addf", "arith.adf")).unwrap();
    let (error, _) = traced();
    let error = String::from_utf8(error).unwrap();
    assert!(error.contains(&*file.to_string_lossy()) && error.contains("arith.adf"), "{error}");
    assert!(text(&file).contains("arith.adf"), "an edit is never overwritten");
    fs::remove_file(&file).unwrap();
    assert_eq!(traced().0, first);
    assert_eq!(text(&file), was);
}

/// A kernel with so many iterations that unrolling exceeds the time limit.
#[cube(launch)]
fn endless(out: &mut Array<f32>) {
    let mut sum = out[ABSOLUTE_POS];
    #[unroll]
    for i in 0..4 {
        for j in 0..out.len() {
            sum = sum * 1.5 + f32::cast_from(i * j);
        }
    }
    out[ABSOLUTE_POS] = sum;
}

/// A child process that compiles an endless kernel until the parent test kills the process.
#[test]
fn run_endless() {
    let Some(file) = std::env::var_os("TEST_RESULT") else { return };
    let client = client();
    let out = client.empty(4);
    let outcome = endless::try_launch::<R>(&client, one(), CubeDim::new_1d(1), array::<f32>(&out, 1));
    fs::write(file, outcome.map_or_else(|e| e.to_string(), |()| "it went well".into())).unwrap();
}

#[test]
fn an_abort_in_the_middle_leaves_the_trace_up_to_there() {
    let case = Case::new("abort");
    let (output, _) = case.run("run_endless", &[("CUBE_TRACE", "trace"), ("CUBE_TEST_ABORT", "remove-checks")]);
    let output = String::from_utf8(output).unwrap();
    let folder = case.kernel("trace");
    assert!(output.contains("CUBE0904") && output.contains("ended (signal: 6"), "{output}");
    assert!(output.contains(&format!("{}/index.txt: its last line names the pass", folder.display())), "{output}");
    assert!(output.contains("in the kernel 'endless'"), "{output}");
    let index = text(folder.join("index.txt"));
    assert!(index.lines().last().unwrap().trim_end().ends_with("remove-checks"), "{index}");
    assert!(text(ending(&folder.join("layout"), "-cse.mlir")).contains("cube.kernel @endless"));
    assert!(!folder.join("lower").exists());
    // The same kernel compiles when nothing kills its compiler.
    let (output, _) = case.run("run_endless", &[("CUBE_TRACE", "trace")]);
    assert_eq!(String::from_utf8(output).unwrap(), "it went well");
    assert!(folder.join("lower").exists());
}

#[test]
fn a_screen_explains_a_kernel() {
    let case = Case::new("explain");
    let (_, output) = case.run("run_reported", &[("CUBE_EXPLAIN", "1")]);
    let has = |part: &str| assert!(output.contains(part), "{part} is missing in\n{output}");
    has("kernel reported for cpu");
    has("tests/programs/reports.rs\n  cubes of 16 x 1 x 1 units");
    has("64 bytes of shared memory, checked launch");
    has("load x of f32                checked because");
    has("store out of f32             checked because");
    has("store tile of f32 ");
    has("load tile of f32 ");
    has("in the code, elements at a time");
    assert!(output.lines().count() <= 60, "{output}");
    assert!(!case.run("run_reported", &[("CUBE_EXPLAIN", "0")]).1.contains("kernel reported"));
}

/// A loop whose load is not hoisted because the loop writes another argument. The kernel uses atomics on global and
/// on shared memory.
#[cube(launch)]
fn slow(x: &Array<f32>, out: &mut Array<f32>, total: &mut Array<Atomic<f32>>) {
    let part = SharedMemory::<Atomic<f32>>::new(1u32);
    if UNIT_POS == 0 {
        Atomic::store(&part[0], 0.0);
    }
    sync_cube();
    for i in 0..out.len() / 4 {
        out[i * 4 + UNIT_POS] = x[UNIT_POS];
    }
    Atomic::add(&part[0], 1.0);
    Atomic::add(&total[0], 1.0);
    sync_cube();
    if UNIT_POS == 0 {
        Atomic::add(&total[1], Atomic::load(&part[0]));
    }
}

/// The child process of `explanation_lists_the_slow_operations`.
#[test]
fn run_slow() {
    let client = client();
    let x = client.create(f32::as_bytes(&[3.0, 4.0, 5.0, 6.0]));
    let (out, total) = (client.empty(8 * 4), client.create(f32::as_bytes(&[0.0; 2])));
    let (a, b, c) = (array::<f32>(&x, 4), array::<f32>(&out, 8), array::<f32>(&total, 2));
    slow::launch::<R>(&client, one(), CubeDim::new_1d(4), a, b, c);
    assert_eq!(f32::from_bytes(&client.read_one(out)), [3.0, 4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(f32::from_bytes(&client.read_one(total)), [4.0, 4.0]);
    if let Some(file) = std::env::var_os("TEST_RESULT") {
        fs::write(file, "").unwrap();
    }
}

#[test]
fn explanation_lists_the_slow_operations() {
    let (_, output) = Case::new("slow").run("run_slow", &[("CUBE_EXPLAIN", "1")]);
    let source = include_str!("reports.rs");
    let at = |code: &str| {
        let (line, text) = source.lines().enumerate().find(|(_, text)| text.contains(code)).unwrap();
        (line + 1, text)
    };
    let (line, text) = at("out[i * 4 + UNIT_POS] = x[UNIT_POS];");
    let has = |part: &str| assert!(output.contains(part), "{part} is missing in\n{output}");
    has(&format!("{line}:{} ", text.find("x[").unwrap() + 1));
    has("hoist-loads: the load stays in the loop, because the loop writes another argument, which may alias it");
    has("; load the element into a variable before the loop");
    let atomics: Vec<&str> = output.lines().filter(|line| line.contains(" expand-atomics: ")).collect();
    let lines =
        ["Atomic::add(&total[0], 1.0);", "Atomic::add(&total[1], Atomic::load(&part[0]));"].map(|code| at(code).0);
    assert_eq!(atomics.len(), 2, "the atomics of the cube's own memory cost nothing: {output}");
    for (line, atomic) in lines.iter().zip(atomics) {
        assert!(
            atomic.contains(&format!("{line}:")) && atomic.contains("; accumulate in a variable or in shared memory"),
            "{output}"
        );
    }
}

/// If the argument is greater than 8, the loop terminates. If the argument is 2, the value of `guess` reaches
/// a fixed point below 8, and the loop never ends.
#[cube]
fn settles(x: u32) -> u32 {
    let mut guess = x;
    while guess != 8 {
        guess = (guess + 16) / 3;
    }
    guess
}

#[cube(launch)]
fn roots(x: &Array<u32>, out: &mut Array<u32>) {
    if ABSOLUTE_POS < x.len() {
        let _unused = settles(x[ABSOLUTE_POS]);
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS];
    }
}

/// A child process with a terminating and a non-terminating launch on one device.
#[test]
fn run_roots() {
    let Some(file) = std::env::var_os("TEST_RESULT") else { return };
    let client = client();
    let mut output = Vec::new();
    for last in [8u32, 2] {
        let x = client.create(u32::as_bytes(&[8, 8, 8, last]));
        let out = client.empty(16);
        let outcome =
            roots::try_launch::<R>(&client, one(), CubeDim::new_1d(4), array::<u32>(&x, 4), array::<u32>(&out, 4));
        output
            .push(outcome.map_or_else(|e| e.to_string(), |()| format!("{:?}", u32::from_bytes(&client.read_one(out)))));
        // An input that the kernel cannot write is unchanged.
        output.push(client.try_read_one(x).map_or_else(|e| e.to_string(), |x| format!("{:?}", u32::from_bytes(&x))));
    }
    fs::write(file, output.join("\n")).unwrap();
}

#[test]
fn time_limit_stops_an_infinite_loop_and_reports_its_line() {
    let case = Case::new("limit");
    let (output, _) = case.run("run_roots", &[("CUBE_CPU_TIME_LIMIT", "0.3")]);
    let output = String::from_utf8(output).unwrap();
    let line = |code: &str| include_str!("reports.rs").lines().position(|l| l.trim() == code).unwrap() + 1;
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(&lines[..2], ["[8, 8, 8, 8]", "[8, 8, 8, 8]"]);
    let ended = format!(
        "it was terminated in the loop at line {} of its source, after the limit of 0.3 s",
        line("while guess != 8 {")
    );
    assert!(lines[2].contains("CUBE0944") && lines[2].contains("roots") && lines[2].contains(&ended), "{output}");
    assert!(lines[3].starts_with("  in the kernel 'roots' at "), "{output}");
    assert_eq!(lines.last(), Some(&"[8, 8, 8, 2]"));
}

/// A kernel with many instances. The fast-math flags of the kernel's exponential function are valid and have
/// no effect.
#[cube(launch, fast_math = FastMath::ReducedPrecision)]
fn scaled<F: Float>(out: &mut Array<F>, #[comptime] by: u32, #[comptime] name: &str) {
    let _ = comptime!(name.len());
    out[UNIT_POS] = F::exp(out[UNIT_POS]) * F::cast_from(by);
}

/// The code of this kernel has debug information; the code of `reported` does not.
#[cube(launch, debug)]
fn followed(out: &mut Array<f32>) {
    let twice = out[UNIT_POS] * 2.0;
    out[UNIT_POS] = twice;
}

/// The child process of `reports_name_the_kernel_instance`.
#[test]
fn run_instances() {
    let client = client();
    let out = client.create(f32::as_bytes(&[0.0; 4]));
    let dim = CubeDim::new_1d(4);
    for by in [3, 4] {
        scaled::launch::<f32, R>(&client, one(), dim, array::<f32>(&out, 4), by, "a\n/b");
    }
    let got = f32::from_bytes(&client.read_one(out)).to_vec();
    assert!((got[0] / (4.0 * 3f32.exp()) - 1.0).abs() < 1e-6, "{got:?}");
    let wide = client.create(f64::as_bytes(&[0.0; 4]));
    scaled::launch::<f64, R>(&client, one(), dim, array::<f64>(&wide, 4), 3, "");
    if let Some(file) = std::env::var_os("TEST_RESULT") {
        fs::write(file, "done").unwrap();
    }
}

/// The child process of `a_kernel_with_the_word_debug_is_compiled_for_a_debugger`.
#[test]
fn run_followed() {
    let client = client();
    let out = client.create(f32::as_bytes(&[1.5; 4]));
    followed::launch::<R>(&client, one(), CubeDim::new_1d(4), array::<f32>(&out, 4));
    assert_eq!(f32::from_bytes(&client.read_one(out))[..], [3.0; 4]);
    if let Some(file) = std::env::var_os("TEST_RESULT") {
        fs::write(file, "done").unwrap();
    }
}

#[test]
fn reports_name_the_kernel_instance() {
    let case = Case::new("instances");
    let (_, output) =
        case.run("run_instances", &[("CUBE_EXPLAIN", "1"), ("CUBE_DUMP", "dump"), ("CUBE_TRACE", "trace")]);
    let instances = [
        ("scaled<F = f32>(by = 3, name = \"a\\n/b\")", "scaled-F-f32-by-3-name-a-n-b-"),
        ("scaled<F = f32>(by = 4, name = \"a\\n/b\")", "scaled-F-f32-by-4-name-a-n-b-"),
        ("scaled<F = f64>(by = 3, name = \"\")", "scaled-F-f64-by-3-name-"),
    ];
    let folders = |of: &str| {
        let all = fs::read_dir(case.folder.join(of)).unwrap().map(|entry| entry.unwrap().path());
        all.collect::<Vec<_>>()
    };
    for (instance, name) in instances {
        assert!(output.contains(&format!("kernel {instance} for cpu")), "{output}");
        let of_it = |path: &PathBuf| {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            // A hash of eight digits follows the kernel's name.
            file.strip_prefix(name).is_some_and(|rest| rest.split('.').next().unwrap().len() == 8)
        };
        let dumps: Vec<_> = folders("dump").into_iter().filter(of_it).collect();
        assert_eq!(dumps.len(), 6, "{:?}", folders("dump"));
        assert!(dumps.iter().all(|file| text(file).contains(&format!("// kernel {instance}\n"))));
        let trace = folders("trace").into_iter().find(of_it).unwrap();
        assert!(text(trace.join("index.txt")).lines().next().unwrap().contains(instance));
    }
    assert_eq!((folders("dump").len(), folders("trace").len()), (18, 3));
    assert!(
        output.contains("the expansion of math.exp2 is accurate, and fast-math flags do not change it"),
        "{output}"
    );
}

#[test]
fn a_kernel_with_the_word_debug_is_compiled_for_a_debugger() {
    let case = Case::new("followed");
    case.run("run_followed", &[("CUBE_TRACE", "trace")]);
    let code = text(case.kernel("trace").join("code.ll"));
    assert!(code.contains("!DILocalVariable(name: \"twice\""), "{code}");
    case.run("run_reported", &[("CUBE_TRACE", "other")]);
    assert!(!text(case.kernel("other").join("code.ll")).contains("DILocalVariable"));
}
