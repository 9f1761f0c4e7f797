//! Text on which MLIR's own parser or printer would run out of stack, memory or time.
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
    ]
}

#[test]
fn deep_text_is_refused_with_its_place() {
    let bench = Bench::new();
    for (name, text, code) in cases() {
        println!("{name}");
        bench.write("in.mlir", text);
        bench.refused("in.mlir", code);
    }
}

#[test]
fn brackets_in_strings_and_comments_are_no_nesting() {
    let bench = Bench::new();
    let noise = format!(
        "// {b}\n// \" {b}\ncube.kernel @k() attributes {{a = \"{b} \\\" // {b}\"}} {{ cube.return }} // {b}\n",
        b = "([{<".repeat(N)
    );
    bench.write("in.mlir", noise);
    for words in [["opt", "in.mlir", "-o", "out"], ["c", "in.mlir", "-o", "out"]] {
        assert_eq!(bench.settled(&words).code, 0);
    }
}

/// Large, but not deep: these are done, in time that grows with their size.
#[test]
fn long_text_is_compiled() {
    let bench = Bench::new();
    let n = 5_000;
    let arguments: Vec<String> = (0..n).map(|i| format!("%a{i}: i32 {{cube.host = \"u32\"}}")).collect();
    bench.write("arguments.mlir", format!("cube.kernel @k({}) {{ cube.return }}", arguments.join(", ")));
    assert_eq!(bench.settled(&["opt", "arguments.mlir", "-o", "out"]).code, 0);

    let calls: String = (1..n)
        .map(|i| format!("cube.func private @f{i}() {{ cube.call @f{}() : () -> ()\n cube.return }}\n", i - 1))
        .collect();
    let text = format!(
        "cube.func private @f0() {{ cube.return }}\n{calls}cube.kernel @k() {{ cube.call @f{}() : () -> ()\n cube.return }}\n",
        n - 1
    );
    bench.write("calls.mlir", text);
    assert_eq!(bench.settled(&["opt", "calls.mlir", "--compile-to=specialize", "-o", "out"]).code, 0);

    let sums: String = (1..n).map(|i| format!("%a{i} = arith.addi %a{p}, %a{p} : i32\n", p = i - 1)).collect();
    bench.write("sums.mlir", format!("cube.kernel @k(%x: !cube.array<i32>, %a0: i32) {{\n{sums} cube.store %a{}, %x[%a0] : i32, !cube.array<i32>\n cube.return }}", n - 1));
    assert_eq!(bench.settled(&["c", "sums.mlir", "-o", "out"]).code, 0);
}
