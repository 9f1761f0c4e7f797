//! Tests debugging with scripts for gdb. gdb stops at a line of a kernel that the running program loads, and prints the
//! values of variables at this line. If the system forbids debuggers to access other processes, the tests are ignored
//! with the reason.
#![forbid(unsafe_code)]

use cube_test::nested::Cargo;
use cube_test::toolbox::Toolbox;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let reason = refusal();
    let trial = |name: &str, test: fn() -> Result<(), Failed>| match &reason {
        None => Trial::test(name, test),
        Some(reason) => Trial::test(format!("{name} ({reason})"), || Ok(())).with_ignored_flag(true),
    };
    let trials = vec![
        trial("gdb: a line and a local of a kernel in text", text),
        trial("gdb: units on both sides of a barrier", barrier),
        trial("gdb: the units of a plane side by side", plane),
        trial("gdb: a line of an inlined function in another file", inlined),
        trial("gdb: a line and a local of a kernel in Rust", rust),
        trial("gdb: without the request no debug information", without),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The reason why debugging is not possible on this machine; `None` if debugging is possible. A missing gdb is not
/// accepted as a reason, because `cargo xtask setup` installs gdb.
fn refusal() -> Option<String> {
    let output = Command::new("gdb").args(["--batch", "-ex", "run", "--args", "true"]).output().ok()?;
    let printed = [output.stdout, output.stderr].concat();
    let denied = String::from_utf8_lossy(&printed).contains("ptrace: Operation not permitted");
    denied.then(|| "this system does not let gdb trace processes".to_string())
}

/// Runs a program under gdb, and returns the output of the program and of gdb.
fn gdb(name: &str, script: &[&str], program: &mut Command) -> Result<String, String> {
    let folder = scratch()?;
    let file = folder.join(format!("{name}.gdb"));
    // The scripts need symbols of the program and the kernel only. The libraries of LLVM have a million others, which take a
    // second to read.
    let head =
        ["set pagination off", "set confirm off", "set breakpoint pending on", "set width 0", "set auto-solib-add off"];
    std::fs::write(&file, [&head[..], script].concat().join("\n")).map_err(|e| e.to_string())?;
    let mut command = Command::new("gdb");
    command.args(["--batch", "-nx", "-x"]).arg(&file).arg("--args").arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        value.map(|value| command.env(name, value));
    }
    let output = command.env("CUBE_CPU_THREADS", "1").output();
    let output = output.map_err(|e| format!("gdb did not start ({e}): cargo xtask setup installs it"))?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn holds(printed: &str, lines: &[&str]) -> Result<(), Failed> {
    let mut rest = printed;
    for line in lines {
        let Some(at) = rest.find(line) else {
            return Err(format!("no `{line}` where it belongs in:\n{printed}").into());
        };
        rest = &rest[at + line.len()..];
    }
    Ok(())
}

fn scratch() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gdb");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// `cube run` of a kernel that is written to a file named `name`.
fn kernel(name: &str, source: &str, arguments: &[&str]) -> Result<Command, String> {
    let tools = Toolbox::find();
    tools.check()?;
    let file = scratch()?.join(name);
    std::fs::write(&file, source).map_err(|e| e.to_string())?;
    let mut command = Command::new(&tools.cube);
    command.arg("run").arg(&file).args(arguments).env("CUBE_DEBUG", "1");
    Ok(command)
}

const SCALE: &str = "\
cube.kernel @scale(%x: !cube.array<f32>, %y: !cube.array<f32>, %factor: f32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %x[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %factor : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
";
const SCALED: [&str; 6] = ["--arg", "x=iota:100", "--arg", "y=zeros:100", "--arg", "factor=2.5"];

fn text() -> Result<(), Failed> {
    let script = [
        "break gdb_scale.mlir:5 if i == 7",
        "run",
        "info locals",
        "print r * 2",
        "print x[9]",
        "print *y@2",
        "backtrace 1",
        "continue",
    ];
    let printed = gdb("text", &script, &mut kernel("gdb_scale.mlir", SCALE, &SCALED)?)?;
    let breakpoint = ["hit Breakpoint 1", "gdb_scale.mlir:5", "cube.store %r, %y[%i]"];
    // 7 * 2.5
    let locals = [
        "factor = 2.5",
        "i = 7",
        "r = 17.5",
        "v = 7",
        "$1 = 35",
        "$2 = 9",
        "$3 = {0, 2.5}",
        "#0  scale",
        "exited normally",
    ];
    holds(&printed, &[&breakpoint[1..], &locals[..]].concat())
}

fn without() -> Result<(), Failed> {
    let mut program = kernel("gdb_plain.mlir", SCALE, &SCALED)?;
    program.env("CUBE_DEBUG", "0");
    let printed = gdb("without", &["break gdb_plain.mlir:5", "run"], &mut program)?;
    if printed.contains("gdb_plain.mlir:5\n5") {
        return Err(format!("gdb stops in code without debug information:\n{printed}").into());
    }
    holds(&printed, &["exited normally"])
}

fn barrier() -> Result<(), Failed> {
    // Each unit writes, and after the barrier reads the value of its neighbour. `own` is the unit's value before and after the
    // barrier.
    let source = "\
cube.kernel @turn(%y: !cube.array<i32> {cube.host = \"u32\"}) cube_dim(64) {
  %one = arith.constant 1 : i32
  %last = arith.constant 63 : i32
  %own = cube.topology unit_pos
  %shared = cube.alloc : !cube.shared<64 x i32>
  %square = arith.muli %own, %own : i32
  cube.store %square, %shared[%own] : i32, !cube.shared<64 x i32>
  cube.sync cube
  %next = arith.addi %own, %one : i32
  %at = arith.andi %next, %last : i32
  %theirs = cube.load %shared[%at] : !cube.shared<64 x i32> -> i32
  cube.store %theirs, %y[%own] : i32, !cube.array<i32>
  cube.return
}
";
    let script = [
        "break gdb_turn.mlir:7 if own == 20",
        "run",
        "print square",
        "break gdb_turn.mlir:12 if own == 20",
        "continue",
        "print square",
        "print theirs",
    ];
    let printed = gdb("barrier", &script, &mut kernel("gdb_turn.mlir", source, &["--arg", "y=zeros:64"])?)?;
    holds(&printed, &["gdb_turn.mlir:7", "$1 = 400", "gdb_turn.mlir:12", "$2 = 400", "$3 = 441"])
}

fn plane() -> Result<(), Failed> {
    // Units of a plane run together, so a variable is the row of their values.
    let source = "\
cube.kernel @sums(%y: !cube.array<i32> {cube.host = \"u32\"}) cube_dim(64) {
  %i = cube.topology unit_pos
  %upto = cube.plane_scan inclusive addi %i : i32
  cube.store %upto, %y[%i] : i32, !cube.array<i32>
  cube.return
}
";
    let script =
        ["break gdb_sums.mlir:4 if i[0] == 0", "run", "print i[2]", "print upto[2]", "print upto[3] - upto[2]"];
    let printed = gdb("plane", &script, &mut kernel("gdb_sums.mlir", source, &["--arg", "y=zeros:64"])?)?;
    holds(&printed, &["gdb_sums.mlir:4", "$1 = 2", "$2 = 3", "$3 = 3"])
}

fn inlined() -> Result<(), Failed> {
    // Locations of another front end: names in locations, and a called function from another file.
    let source = "\
cube.func @twice(%a: i32) -> i32 {
  %doubled = arith.addi %a, %a : i32 loc(\"doubled\"(\"other.lang\":3:5))
  cube.return %doubled : i32 loc(\"other.lang\":4:5)
} loc(\"other.lang\":2:1)
cube.kernel @outer(%y: !cube.array<i32>) cube_dim(8) {
  %i = cube.topology absolute_pos loc(\"index\"(\"some.lang\":11:3))
  %r = cube.call @twice(%i) : (i32) -> i32 loc(\"some.lang\":12:3)
  cube.store %r, %y[%i] : i32, !cube.array<i32> loc(\"some.lang\":13:3)
  cube.return loc(\"some.lang\":14:3)
} loc(\"some.lang\":10:1)
";
    let script = [
        "break some.lang:13 if index == 3",
        "run",
        "print doubled + 1",
        "break other.lang:3 if index == 5",
        "continue",
        "info symbol $pc",
    ];
    let printed = gdb("inlined", &script, &mut kernel("gdb_outer.mlir", source, &["--arg", "y=zeros:8"])?)?;
    holds(&printed, &["some.lang:13", "= 7", "other.lang:3", "outer"])
}

fn rust() -> Result<(), Failed> {
    let tools = Toolbox::find();
    tools.check()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("test/ is in the workspace");
    let target = tools.cube.ancestors().nth(2).expect("target/debug/cube").to_path_buf();
    Cargo { tree: root, target: &target }.build(&["-p", "cube-mlir", "--example", "rows"])?;
    let source = std::fs::read_to_string(root.join("examples/rust/rows.rs")).map_err(|e| e.to_string())?;
    let line =
        |text: &str| 1 + source.lines().position(|line| line.contains(text)).expect("the line is in the example");
    let (inside, after) = (line("sum += input["), line("out[row] = sum;"));
    let script = [
        // The host's own version of the kernel does not have these names.
        format!("break rows.rs:{inside} -force-condition if row == 3 && column == 2"),
        "run".into(),
        "print column".into(),
        "print sum".into(),
        "delete".into(),
        format!("break rows.rs:{after}"),
        "continue".into(),
        "print column".into(),
    ];
    let script: Vec<&str> = script.iter().map(String::as_str).collect();
    let mut program = Command::new(target.join("debug/examples/rows"));
    program.env("CUBE_DEBUG", "1").env("CUBE_COMPILER", &tools.cube);
    let printed = gdb("rust", &script, &mut program)?;
    // Elements 111 and 112 of (i % 61) * 0.1 - 3 are 2.0 and 2.1.
    let here = format!("rows.rs:{inside}");
    holds(&printed, &[&here, "$1 = 2", "$2 = 4.09999", &format!("rows.rs:{after}"), "$3 = 36"])
}
