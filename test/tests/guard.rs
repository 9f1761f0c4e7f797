//! Tests checked kernels with hostile indices on the CPU, with buffers between guard pages. An access outside a
//! buffer would end the program. Each kernel must have the same result as in the interpreter, for indices of all
//! widths and for every operation that accesses memory.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// For each width of an index: the type in memory, the name in a kernel, and the conversion to the index.
const WIDTHS: [(&str, &str, &str); 6] = [
    ("i8", "i8s", "%i = arith.extsi %raw : i8 to i32"),
    ("i8", "i8u", "%i = arith.extui %raw : i8 to i32"),
    ("i16", "i16s", "%i = arith.extsi %raw : i16 to i32"),
    ("i16", "i16u", "%i = arith.extui %raw : i16 to i32"),
    ("i32", "i32", "%zero32 = arith.constant 0 : i32\n  %i = arith.addi %raw, %zero32 : i32"),
    ("i64", "i64", "%i = arith.trunci %raw : i64 to i32"),
];

/// The element type and the line size of the tested buffers. A buffer has 128 bytes, or 128 bytes and one
/// additional line, and ends at a guard page.
const BUFFERS: [(&str, u32); 8] =
    [("i8", 1), ("i16", 4), ("i32", 1), ("f32", 4), ("f32", 16), ("i64", 2), ("bf16", 1), ("f64", 1)];

/// The memory accesses at index `%i`. Units that write the same element write the same value.
const ACCESSES: [(&str, &str); 9] = [
    (
        "slice_load",
        "%part = cube.slice %x[%i to %j] : !cube.array<i32> -> !cube.slice<i32>\n  %v = cube.load %part[%u] : !cube.slice<i32> -> i32\n  cube.store %v, %y[%u] : i32, !cube.array<i32>",
    ),
    (
        "slice_store",
        "%part = cube.slice %x[%two to %i] : !cube.array<i32> -> !cube.slice<i32>\n  cube.store %seven, %part[%j] : i32, !cube.slice<i32>",
    ),
    (
        "atomic_load",
        "%v = cube.atomic_load %x[%i] : !cube.array<i32> -> i32\n  cube.store %v, %y[%u] : i32, !cube.array<i32>",
    ),
    ("atomic_store", "cube.atomic_store %seven, %x[%i] : i32, !cube.array<i32>"),
    ("atomic_rmw", "%v = cube.atomic_rmw addi %seven, %x[%i] : i32, !cube.array<i32>"),
    ("atomic_cas", "%v = cube.atomic_cas %two, %seven, %x[%i] : i32, !cube.array<i32>"),
    (
        "shared",
        "%s = cube.alloc : !cube.shared<64 x i32>\n  cube.store %u, %s[%u] : i32, !cube.shared<64 x i32>\n  cube.sync cube\n  %v = cube.load %s[%i] : !cube.shared<64 x i32> -> i32\n  cube.sync cube\n  cube.store %seven, %s[%j] : i32, !cube.shared<64 x i32>\n  cube.sync cube\n  %w = cube.load %s[%u] : !cube.shared<64 x i32> -> i32\n  %both = arith.addi %v, %w : i32\n  cube.store %both, %y[%u] : i32, !cube.array<i32>",
    ),
    (
        "local",
        "%s = cube.alloc : !cube.local<8 x i32>\n  scf.for %k = %zero to %eight step %one : i32 {\n    cube.store %k, %s[%k] : i32, !cube.local<8 x i32>\n  }\n  cube.store %seven, %s[%i] : i32, !cube.local<8 x i32>\n  %v = cube.load %s[%j] : !cube.local<8 x i32> -> i32\n  cube.store %v, %y[%u] : i32, !cube.array<i32>",
    ),
    (
        "in_loop",
        "%sum = scf.for unsigned %k = %zero to %eight step %one iter_args(%so_far = %zero) -> (i32) : i32 {\n    %at_k = arith.addi %i, %k : i32\n    %v = cube.load %x[%at_k] : !cube.array<i32> -> i32\n    %next = arith.addi %so_far, %v : i32\n    scf.yield %next : i32\n  }\n  cube.store %sum, %y[%u] : i32, !cube.array<i32>",
    ),
];

fn head(width: (&str, &str, &str), name: &str, x: &str, y: &str) -> String {
    let (ty, short, conversion) = width;
    format!(
        "cube.kernel @{name}_{short}(%at: !cube.array<{ty}>, %x: {x}, %y: {y}) cube_dim(64) {{\n  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n  %two = arith.constant 2 : i32\n  %seven = arith.constant 7 : i32\n  %eight = arith.constant 8 : i32\n  %u = cube.topology unit_pos\n  %raw = cube.load %at[%u] : !cube.array<{ty}> -> {ty}\n  {conversion}\n  %j = arith.xori %i, %two : i32\n"
    )
}

fn kernels() -> String {
    let mut text = String::new();
    for width in WIDTHS {
        for (name, access) in ACCESSES {
            let head = head(width, name, "!cube.array<i32>", "!cube.array<i32>");
            let _ = write!(text, "{head}  {access}\n  cube.return\n}}\n");
        }
    }
    // Each size of elements and lines occurs once.
    for (elem, line) in BUFFERS {
        let (buffer, value) = match line {
            1 => (format!("!cube.array<{elem}>"), elem.to_string()),
            n => (format!("!cube.array<{elem}, {n}>"), format!("vector<{n}x{elem}>")),
        };
        let head = head(WIDTHS[4], &format!("line_{elem}_{line}"), &buffer, &buffer);
        let _ = write!(
            text,
            "{head}  %v = cube.load %x[%i] : {buffer} -> {value}\n  cube.store %v, %y[%u] : {value}, {buffer}\n  %first = cube.load %x[%zero] : {buffer} -> {value}\n  cube.sync cube\n  cube.store %first, %x[%j] : {value}, {buffer}\n  cube.return\n}}\n"
        );
    }
    text
}

/// Indices at, before and after every boundary, and some arbitrary indices.
fn indices() -> Vec<i64> {
    let mut all = vec![];
    for edge in [0, 8, 32, 64, 128, 1 << 15, 1 << 16, 1 << 28, 1 << 29, 1 << 30, 1 << 31, 1 << 32, 1 << 62] {
        all.extend([edge - 1, edge, edge + 1, -edge]);
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    while all.len() < 64 {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        all.push(state as i64);
    }
    all
}

fn npy(folder: &Path, bytes: usize) -> PathBuf {
    let kind = ["", "|i1", "<i2", "", "<i4", "", "", "", "<i8"][bytes];
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (64,), }}");
    while (10 + head.len() + 1) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((head.len() as u16).to_le_bytes());
    file.extend(head.as_bytes());
    indices().iter().for_each(|i| file.extend(&i.to_le_bytes()[..bytes]));
    let path = folder.join(format!("at{bytes}.npy"));
    std::fs::write(&path, file).unwrap();
    path
}

fn run(tools: &Toolbox, file: &Path, arguments: &[String]) -> Output {
    let mut command = Command::new(tools.start());
    command.arg("run").arg(file).args(arguments).env("CUBE_CPU_GUARD", "1").env("CUBE_CACHE", "off");
    command.output().expect("the tool starts")
}

/// The contents of a kernel's buffers after the launch. The interpreter reports units that write the same address,
/// but in these kernels such units always write equal values.
fn results(
    tools: &Toolbox,
    file: &Path,
    kernel: &str,
    backend: &str,
    bytes: usize,
    lines: usize,
) -> Result<[Vec<u8>; 2], String> {
    let folder = file.parent().unwrap();
    let at = npy(folder, bytes).display().to_string();
    let outs = ["x", "y"].map(|name| folder.join(format!("{name}.{backend}.npy")));
    let per_line = if kernel.starts_with("line_") { lines_of(kernel) } else { 1 };
    let mut arguments: Vec<String> =
        ["--kernel", kernel, "--backend", backend, "--cube-count", "1"].map(String::from).into();
    for (name, value) in [("at", at), ("x", format!("iota:{lines}")), ("y", format!("zeros:{}", 64 * per_line))] {
        arguments.extend(["--arg".into(), format!("{name}={value}")]);
    }
    for (name, out) in ["x", "y"].iter().zip(&outs) {
        let _ = std::fs::remove_file(out);
        arguments.extend(["--out".into(), format!("{name}={}", out.display())]);
    }
    let output = run(tools, file, &arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let others = stderr.lines().filter(|line| line.contains("error[")).any(|line| !line.contains("CUBE0711"));
    let fine = output.status.success() || backend == "interp" && output.status.code() == Some(1) && !others;
    if !fine {
        return Err(format!("{kernel} on {backend}: {}\n{stderr}", output.status));
    }
    let read = |out: &PathBuf| std::fs::read(out).map_err(|e| format!("{}: {e}", out.display()));
    Ok([read(&outs[0])?, read(&outs[1])?])
}

#[test]
fn no_index_leads_out_of_a_buffer() {
    let tools = Toolbox::find();
    tools.check().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.mlir");
    std::fs::write(&file, kernels()).unwrap();
    let mut wrong = Vec::new();
    let mut check = |kernel: &str, bytes: usize, lines: usize| {
        let (cpu, interp) = (
            results(&tools, &file, kernel, "cpu", bytes, lines),
            results(&tools, &file, kernel, "interp", bytes, lines),
        );
        match (cpu, interp) {
            (Ok(cpu), Ok(interp)) if cpu == interp => {}
            (Ok(_), Ok(_)) => wrong.push(format!("{kernel}: another result than the interpreter's")),
            (cpu, interp) => wrong.extend([cpu, interp].into_iter().filter_map(Result::err)),
        }
    };
    for (ty, short, _) in WIDTHS {
        let bytes = ty[1..].parse::<usize>().unwrap() / 8;
        for (access, _) in ACCESSES {
            check(&format!("{access}_{short}"), bytes, 32);
            check(&format!("{access}_{short}"), bytes, 33);
        }
    }
    for (elem, line) in BUFFERS {
        let bits: usize = elem.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        let lines = 1024 / bits;
        check(&format!("line_{elem}_{line}_i32"), 4, lines);
        check(&format!("line_{elem}_{line}_i32"), 4, lines + line as usize);
    }
    assert!(wrong.is_empty(), "{} kernels are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

// The elements of a line of `line_f32_4_i32`.
fn lines_of(kernel: &str) -> usize {
    kernel.split('_').nth(2).and_then(|n| n.parse().ok()).unwrap()
}

#[test]
fn unchecked_access_out_of_bounds_is_reported_by_the_guard() {
    let tools = Toolbox::find();
    tools.check().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("promise.mlir");
    let kernel = "cube.kernel @k(%x: !cube.array<i32>, %by: i32) cube_dim(1) unchecked {\n  %i = cube.topology absolute_pos\n  %at = arith.addi %i, %by : i32\n  cube.store %by, %x[%at] : i32, !cube.array<i32>\n  cube.return\n}\n";
    std::fs::write(&file, kernel).unwrap();
    let with = |by: &str| {
        let by = format!("by={by}");
        run(&tools, &file, &["--cube-count", "1", "--arg", "x=zeros:32", "--arg", &by].map(String::from))
    };
    assert!(with("31").status.success());
    for by in ["32", "40", "1000"] {
        let output = with(by);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let named = format!(
            "error[CUBE0941]: kernel 'k': it accessed byte {} of argument 'x', which has 128 bytes",
            4 * by.parse::<u32>().unwrap()
        );
        assert!(output.status.code() == Some(1) && stderr.starts_with(&named), "{by}: {stderr}");
    }
    let refused =
        Command::new(tools.start()).args(["run", "--list-backends"]).env("CUBE_CPU_GUARD", "2").output().unwrap();
    assert!(
        String::from_utf8_lossy(&refused.stdout).contains("cpu absent CUBE_CPU_GUARD is '2'; set the variable to 1")
    );
}
