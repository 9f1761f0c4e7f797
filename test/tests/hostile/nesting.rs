//! Inputs on which MLIR's parser or printer would need too much stack, memory or time.
use crate::Bench;

const N: usize = 20_000;

fn around(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(N), close.repeat(N))
}

fn chain(first: &str, link: impl Fn(usize) -> String, n: usize, user: &str) -> String {
    format!("{first}{}{user}", (1..n).map(link).collect::<String>())
}

/// Name, text, code.
fn cases() -> Vec<(&'static str, String, &'static str)> {
    let attribute = |text: String| format!("func.func private @f() attributes {{a = {text}}}\n");
    let ty = |text: String| format!("func.func private @f({text})\n");
    let load = |text: String| {
        format!(
            "func.func @f(%m: memref<?xf32>, %i: index) {{\n %v = affine.load %m[{text}] : memref<?xf32>\n return\n}}\n"
        )
    };
    let terms = |word: &str| vec!["d0"; N].join(word);
    let last = N - 1;
    vec![
        ("tuples", ty(around("tuple<", "i32", ">")), "CUBE0102"),
        ("vectors", ty(around("vector<4x", "f32", ">")), "CUBE0102"),
        ("functions", ty(around("(", "i32", ") -> ()")), "CUBE0102"),
        ("results", ty(around("() -> (", "i32", ")")), "CUBE0102"),
        ("arrays of ours", ty(around("!cube.array<", "f32", ">")), "CUBE0102"),
        ("structs", ty(around("!llvm.struct<(", "i32", ")>")), "CUBE0102"),
        ("modules", around("module {\n", "", "}\n"), "CUBE0102"),
        (
            "regions",
            format!("func.func @f() {{\n{}return }}", around("scf.execute_region {\n", "", "scf.yield }\n")),
            "CUBE0102",
        ),
        ("attributes", attribute(around("[", "1", "]")), "CUBE0102"),
        ("dictionaries", attribute(around("{a = ", "1", "}")), "CUBE0102"),
        ("elements", attribute(format!("dense<{}> : tensor<1xi32>", around("[", "1", "]"))), "CUBE0102"),
        ("locations", format!("module {{}} loc({})", around("fused[", "\"a\"", "]")), "CUBE0102"),
        ("call sites", format!("module {{}} loc({})", around("callsite(\"a\" at ", "\"b\"", ")")), "CUBE0102"),
        ("parentheses", attribute(format!("affine_map<(d0) -> ({})>", around("(", "d0", ")"))), "CUBE0102"),
        ("sums", attribute(format!("affine_map<(d0) -> ({})>", terms(" + "))), "CUBE0102"),
        ("remainders", attribute(format!("affine_map<(d0) -> (d0{})>", " mod 7 mod 5".repeat(N))), "CUBE0102"),
        ("sums with blanks", attribute(format!("affine_map // c\n <(d0) -> ({})>", terms(" + "))), "CUBE0102"),
        ("sums in an operation", load(format!("%i{}", " + 1".repeat(N))), "CUBE0102"),
        ("signs", attribute(format!("affine_map<(d0) -> ({}d0)>", "-".repeat(N))), "CUBE0102"),
        ("signs with comments", load(format!("{}%i", "- // c\n".repeat(N))), "CUBE0102"),
        ("behind a carriage return", format!("// c\r{}", ty(around("tuple<", "i32", ">"))), "CUBE0102"),
        ("open only", "module {\n".repeat(N), "CUBE0102"),
        ("open only, types", ty("tuple<".repeat(N)), "CUBE0102"),
        (
            "aliases",
            chain("#a0 = 1\n", |i| format!("#a{i} = [#a{}]\n", i - 1), N, &attribute(format!("#a{last}"))),
            "CUBE0102",
        ),
        (
            "aliases over lines",
            chain("#a0 = 1\n", |i| format!("#a{i}\n= // c\n[#a{}]\n", i - 1), N, &attribute(format!("#a{last}"))),
            "CUBE0102",
        ),
        (
            "type aliases",
            chain("!a0 = i32\n", |i| format!("!a{i} = tuple<!a{}>\n", i - 1), N, &ty(format!("!a{last}"))),
            "CUBE0102",
        ),
        (
            "doubling aliases",
            chain("#a0 = 1\n", |i| format!("#a{i} = [#a{p}, #a{p}]\n", p = i - 1), 60, &attribute("#a59".into())),
            "CUBE0103",
        ),
        (
            "doubling types",
            chain("!a0 = i32\n", |i| format!("!a{i} = tuple<!a{p}, !a{p}>\n", p = i - 1), 60, &ty("!a59".into())),
            "CUBE0103",
        ),
        (
            "parameters",
            format!(
                "cube.kernel @k comptime({})() {{ cube.return }}",
                (0..N).map(|i| format!("@N{i} : i32")).collect::<Vec<_>>().join(", ")
            ),
            "CUBE0136",
        ),
        (
            "arguments",
            format!(
                "cube.kernel @k({}) {{ cube.return }}",
                (0..1025).map(|i| format!("%a{i}: i32")).collect::<Vec<_>>().join(", ")
            ),
            "CUBE0155",
        ),
    ]
}

#[test]
fn deeply_nested_text_is_rejected_with_its_location() {
    let bench = Bench::new();
    for (name, text, code) in cases() {
        println!("{name}");
        bench.write("in.mlir", text);
        bench.refused("in.mlir", code);
    }
}

#[test]
fn brackets_in_strings_and_comments_do_not_nest() {
    let bench = Bench::new();
    let noise = format!(
        "// {b}\n// \" {b}\ncube.kernel @k() attributes {{a = \"{b} \\\" // {b}\"}} {{ cube.return }} // {b}\n",
        b = "([{<".repeat(N)
    );
    bench.write("in.mlir", noise);
    for words in [["opt", "in.mlir", "-o", "out"], ["c", "in.mlir", "-o", "out"]] {
        assert_eq!(bench.accepted_or_refused(&words).code, 0);
    }
}

/// The tool accepts inputs that are large but not deeply nested, in a time that grows with the size of the
/// input.
#[test]
fn long_text_is_compiled() {
    let bench = Bench::new();
    let n = 5_000;
    let arguments: Vec<String> = (0..1024).map(|i| format!("%a{i}: i32 {{cube.host = \"u32\"}}")).collect();
    bench.write("arguments.mlir", format!("cube.kernel @k({}) {{ cube.return }}", arguments.join(", ")));
    assert_eq!(bench.accepted_or_refused(&["opt", "arguments.mlir", "-o", "out"]).code, 0);

    let calls: String = (1..n)
        .map(|i| format!("cube.func private @f{i}() {{ cube.call @f{}() : () -> ()\n cube.return }}\n", i - 1))
        .collect();
    let text = format!(
        "cube.func private @f0() {{ cube.return }}\n{calls}cube.kernel @k() {{ cube.call @f{}() : () -> ()\n cube.return }}\n",
        n - 1
    );
    bench.write("calls.mlir", text);
    assert_eq!(bench.accepted_or_refused(&["opt", "calls.mlir", "--compile-to=specialize", "-o", "out"]).code, 0);

    let sums: String = (1..n).map(|i| format!("%a{i} = arith.addi %a{p}, %a{p} : i32\n", p = i - 1)).collect();
    bench.write("sums.mlir", format!("cube.kernel @k(%x: !cube.array<i32>, %a0: i32) {{\n{sums} cube.store %a{}, %x[%a0] : i32, !cube.array<i32>\n cube.return }}", n - 1));
    assert_eq!(bench.accepted_or_refused(&["c", "sums.mlir", "-o", "out"]).code, 0);
}

/// LLVM recurses over a long chain of operations. The tool therefore uses a larger stack than the initial stack of
/// the process.
#[test]
fn a_long_chain_compiles_on_a_small_initial_stack() {
    let bench = Bench::new();
    let link = |i: usize| {
        format!(
            "%c{i} = arith.constant {} : i32\n%b{i} = arith.muli %a{i}, %c{i} : i32\n%a{} = arith.xori %b{i}, %a{i} : i32\n",
            77 * i + 5,
            i + 1
        )
    };
    let n = 2500;
    let text = chain(
        "cube.kernel @k(%x: !cube.array<i32>, %a0: i32) {\n%z = arith.constant 0 : i32\n",
        |i| link(i - 1),
        n + 1,
        &format!("cube.store %a{n}, %x[%z] : i32, !cube.array<i32>\ncube.return\n}}\n"),
    );
    bench.write("chain.mlir", text);
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", "ulimit -s 1024; exec \"$0\" c chain.mlir -o out"]).arg(&bench.cube);
    let ended = command.current_dir(bench.folder.path()).output().unwrap();
    assert!(ended.status.success(), "{:?}: {}", ended.status, String::from_utf8_lossy(&ended.stderr));
}

/// If the process is not allowed to allocate the tool's larger stack, the tool ends with a message. If the limit
/// of the address space is very small, the system cannot load the program. The test therefore raises the limit
/// until the program starts and prints a message.
#[test]
fn failed_stack_allocation_is_reported() {
    let bench = Bench::new();
    bench.write("in.mlir", "cube.kernel @k() { cube.return }");
    let ended = (2..64).find_map(|step| {
        let limit = format!("ulimit -v {}; exec \"$0\" c in.mlir -o out", step * (32 << 10));
        let mut command = std::process::Command::new("/bin/sh");
        let ended = command.args(["-c", &limit]).arg(&bench.cube).current_dir(bench.folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        (ended.status.success() || text.contains("CUBE")).then_some(text)
    });
    assert!(ended.as_ref().is_some_and(|text| text.contains("CUBE0108")), "{ended:?}");
}

/// A chain of functions in which each function calls the next function twice. If all calls were inlined, the
/// code would not fit in memory.
#[test]
fn calls_that_double_are_refused() {
    let bench = Bench::new();
    let n = 30;
    let functions: String = (0..n)
        .map(|i| {
            format!(
                "cube.func @f{i}(%a: i32) -> i32 {{\n%b = cube.call @f{next}(%a) : (i32) -> i32\n%c = cube.call @f{next}(%b) : (i32) -> i32\ncube.return %c : i32\n}}\n",
                next = i + 1
            )
        })
        .collect();
    let kernel = "cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {\n%z = arith.constant 0 : i32\n%r = cube.call @f0(%z) : (i32) -> i32\ncube.store %r, %x[%z] : i32, !cube.array<i32>\ncube.return\n}\n";
    let last = format!("cube.func @f{n}(%a: i32) -> i32 {{ cube.return %a : i32 }}\n");
    bench.write("bomb.mlir", format!("{functions}{last}{kernel}"));
    let tools: [&[&str]; 4] = [
        &["c", "bomb.mlir", "-o", "out"],
        &["opt", "bomb.mlir", "--compile-to=specialize", "-o", "out"],
        &["run", "bomb.mlir", "--describe"],
        &["run", "bomb.mlir", "--backend", "interp", "--arg", "x=ones:4"],
    ];
    for words in tools {
        let ended = bench.accepted_or_refused(words);
        assert!(ended.code == 1 && ended.stderr.contains("CUBE0317"), "cube {words:?}: {}", ended.stderr);
    }
}

/// A kernel can call only a limited number of math functions, because each call is expanded to several hundred
/// operations.
#[test]
fn excessive_expansion_of_math_functions_is_rejected() {
    let bench = Bench::new();
    let n = 4_000;
    let calls: String = (0..n).map(|i| format!("%a{} = arith.remf %c, %a{i} : f64\n", i + 1)).collect();
    let text = format!(
        "cube.kernel @k(%x: !cube.array<f64>, %c: f64, %a0: f64, %i: i32) {{\n{calls}cube.store %a{n}, %x[%i] : f64, !cube.array<f64>\ncube.return\n}}\n"
    );
    bench.write("remainders.mlir", text);
    let ended = bench.accepted_or_refused(&["c", "remainders.mlir", "-o", "out"]);
    assert!(ended.code == 1 && ended.stderr.contains("CUBE0317"), "{}", ended.stderr);
}

/// MLIR's parser would abort the process on an array attribute with the element type `index`, such as
/// `array<index: 1>`.
#[test]
fn arrays_of_indices_are_refused() {
    let bench = Bench::new();
    for array in ["array<index: 1>", "array<index>", "array // c\n < // c\n index: 1>", "array<!i: 1>"] {
        let text =
            format!("!i = index\nmodule attributes {{cube.a = {array}}} {{ cube.kernel @k() {{ cube.return }} }}\n");
        bench.write("in.mlir", text);
        bench.refused("in.mlir", "CUBE0109");
    }
    bench.write("in.mlir", "module attributes {cube.a = array<i64: 1>, cube.index = [index]} {}\n");
    assert_eq!(bench.accepted_or_refused(&["opt", "in.mlir", "-o", "out"]).code, 0);
}

/// MLIR allocates the memory of a resource with the alignment that the resource declares. An impossible
/// alignment would abort the process.
#[test]
fn resources_with_an_impossible_alignment_are_refused() {
    let bench = Bench::new();
    for bytes in ["0000000000", "0300000000", "0000008000", "ffffffff00"] {
        let text = format!(
            "{{-#\n dialect_resources: {{ builtin: {{ a: \"0x{bytes}\" }} }}\n#-}}\ncube.kernel @k() {{ cube.return }}\n"
        );
        bench.write("in.mlir", text);
        bench.refused("in.mlir", "CUBE0107");
    }
}
