//! For an input that is ten times as large, the work of the compiler is about ten times as large. The measures of work
//! are the number of operations after each phase, the bytes of code, the memory, and the number of operations that
//! Cube's passes process. The number of processed operations does not depend on the machine.
use crate::Bench;
use std::collections::BTreeMap;

/// Generates a kernel with `n` repetitions of a construct.
type Make = fn(usize) -> String;

const HEAD: &str = "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<f32, 4>, %i: i32) cube_dim(64) {\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%u = cube.topology unit_pos\n";

fn kernel(n: usize, part: impl Fn(usize) -> String, end: impl AsRef<str>) -> String {
    format!("{HEAD}{}{}\ncube.return\n}}\n", (0..n).map(part).collect::<String>(), end.as_ref())
}

fn arguments(n: usize) -> String {
    let all: Vec<String> = (0..n).map(|i| format!("%a{i}: !cube.array<i32>")).collect();
    let stores = |i: usize| format!("cube.store %u, %a{i}[%u] : i32, !cube.array<i32>\n");
    format!(
        "cube.kernel @k({}) cube_dim(64) {{\n%u = cube.topology unit_pos\n{}cube.return\n}}\n",
        all.join(", "),
        (0..n).map(stores).collect::<String>()
    )
}

fn parameters(n: usize) -> String {
    let all: Vec<String> = (0..n).map(|i| format!("@P{i} : i32 = {i}")).collect();
    let uses =
        |i: usize| format!("%p{i} = cube.constant <@P{i}> : i32\ncube.store %p{i}, %x[%u] : i32, !cube.array<i32>\n");
    format!(
        "cube.kernel @k comptime({})(%x: !cube.array<i32>) cube_dim(64) {{\n%u = cube.topology unit_pos\n{}cube.return\n}}\n",
        all.join(", "),
        (0..n).map(uses).collect::<String>()
    )
}

fn functions(n: usize) -> String {
    let function = |i: usize| {
        format!("cube.func @f{i}(%a: i32) -> i32 {{\n%b = arith.xori %a, %a : i32\ncube.return %b : i32\n}}\n")
    };
    let call = |i: usize| {
        format!("%r{i} = cube.call @f{i}(%u) : (i32) -> i32\ncube.store %r{i}, %x[%u] : i32, !cube.array<i32>\n")
    };
    format!("{}{}", (0..n).map(function).collect::<String>(), kernel(n, call, ""))
}

fn call_chain(n: usize) -> String {
    let function = |i: usize| {
        format!(
            "cube.func @f{i}(%a: i32) -> i32 {{\n%b = cube.call @f{}(%a) : (i32) -> i32\ncube.return %b : i32\n}}\n",
            i + 1
        )
    };
    let last = format!("cube.func @f{n}(%a: i32) -> i32 {{ cube.return %a : i32 }}\n");
    let call = "%r = cube.call @f0(%u) : (i32) -> i32\ncube.store %r, %x[%u] : i32, !cube.array<i32>";
    format!("{}{last}{}", (0..n).map(function).collect::<String>(), kernel(0, |_| String::new(), call))
}

fn checked_accesses(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%a{i} = cube.load %x[%i] : !cube.array<i32> -> i32\ncube.store %a{i}, %x[%a{i}] : i32, !cube.array<i32>\n"
            )
        },
        "",
    )
}

fn checked_stores(n: usize) -> String {
    kernel(n, |i| format!("%a{i} = arith.constant {i} : i32\ncube.store %c0, %x[%a{i}] : i32, !cube.array<i32>\n"), "")
}

fn allocations(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%s{i} = cube.alloc : !cube.shared<64 x i32>\ncube.store %u, %s{i}[%u] : i32, !cube.shared<64 x i32>\n%v{i} = cube.load %s{i}[%u] : !cube.shared<64 x i32> -> i32\ncube.store %v{i}, %x[%u] : i32, !cube.array<i32>\n"
            )
        },
        "",
    )
}

fn barriers(n: usize) -> String {
    let tile = |i: usize| {
        format!(
            "cube.store %u, %s[%u] : i32, !cube.shared<64 x i32>\ncube.sync cube\n%v{i} = cube.load %s[%i] : !cube.shared<64 x i32> -> i32\ncube.store %v{i}, %x[%u] : i32, !cube.array<i32>\ncube.sync cube\n"
        )
    };
    kernel(n, tile, "").replace(HEAD, &format!("{HEAD}%s = cube.alloc : !cube.shared<64 x i32>\n"))
}

fn nested_branches(n: usize) -> String {
    let open = |i: usize| {
        format!("%k{i} = arith.constant {i} : i32\n%n{i} = arith.cmpi ne, %i, %k{i} : i32\ncube.if %n{i} {{\n")
    };
    kernel(n, open, format!("cube.store %c0, %x[%u] : i32, !cube.array<i32>\n{}", "cube.yield\n}\n".repeat(n)))
}

fn branches(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%k{i} = arith.constant {i} : i32\n%n{i} = arith.cmpi eq, %u, %k{i} : i32\ncube.if %n{i} {{\ncube.store %u, %x[%i] : i32, !cube.array<i32>\ncube.yield\n}}\n"
            )
        },
        "",
    )
}

fn loops(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "cube.for %j{i} = %c0 to %i step %c1 : i32 {{\ncube.store %j{i}, %x[%j{i}] : i32, !cube.array<i32>\ncube.yield\n}}\n"
            )
        },
        "",
    )
}

fn straight_line(n: usize) -> String {
    let link = |i: usize| {
        let from = if i == 0 { "i".to_string() } else { format!("a{}", i - 1) };
        format!("%b{i} = arith.muli %{from}, %{from} : i32\n%a{i} = arith.xori %b{i}, %u : i32\n")
    };
    kernel(n, link, format!("cube.store %a{}, %x[%u] : i32, !cube.array<i32>", n - 1))
}

fn vector_constants(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%v{i} = arith.constant dense<[{i}.0, 1.0, 2.0, 3.0]> : vector<4xf32>\ncube.store %v{i}, %y[%u] : vector<4xf32>, !cube.array<f32, 4>\n"
            )
        },
        "",
    )
}

fn prints(n: usize) -> String {
    kernel(n, |i| format!("cube.print \"{i}: {{}}\"(%u) : i32\n"), "")
}

fn kernels(n: usize) -> String {
    let other =
        |i: usize| kernel(3, |j| format!("%a{j} = arith.constant {i} : i32\n"), "").replace("@k", &format!("@o{i}"));
    format!("{}{}", (0..n).map(other).collect::<String>(), checked_stores(3))
}

fn layouts(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%l{i} = layout.constant #layout.layout<(8,{}):({},1)>\n%w{i} = layout.view %x, %l{i} : !cube.array<i32> -> !layout.view<i32>\nlayout.store %u, %w{i} at <(1,?)>(%u) : i32, !layout.view<i32>\n",
                i + 1,
                i + 1
            )
        },
        "",
    )
}

fn math(n: usize) -> String {
    kernel(
        n,
        |i| {
            format!(
                "%v{i} = cube.load %y[%u] : !cube.array<f32, 4> -> vector<4xf32>\n%e{i} = math.exp %v{i} : vector<4xf32>\ncube.store %e{i}, %y[%u] : vector<4xf32>, !cube.array<f32, 4>\n"
            )
        },
        "",
    )
}

/// The name of the construct, its generator, and the number of repetitions in the small kernel. The large kernel has
/// ten times as many repetitions.
const CONSTRUCTS: &[(&str, Make, usize)] = &[
    ("arguments", arguments, 20),
    ("comptime parameters", parameters, 30),
    ("functions", functions, 20),
    ("call chain", call_chain, 30),
    ("checked accesses", checked_accesses, 12),
    ("checked stores", checked_stores, 20),
    ("allocations", allocations, 6),
    ("barriers", barriers, 4),
    ("nested branches", nested_branches, 10),
    ("branches", branches, 12),
    ("loops", loops, 6),
    ("straight line", straight_line, 100),
    ("vector constants", vector_constants, 20),
    ("prints", prints, 8),
    ("kernels", kernels, 40),
    ("layouts", layouts, 12),
    ("math functions", math, 3),
];

/// The numbers in the output of `--report`: the size and the work of each phase, and the memory.
fn report(bench: &Bench, text: &str, target: &str) -> BTreeMap<String, u64> {
    bench.write("in.mlir", text);
    let ended = bench.run(&["c", "in.mlir", "--kernel", "k", "--target", target, "--report", "-o", "out"]);
    assert_eq!(ended.code, 0, "{target}: {}\n{text}", ended.stderr);
    let mut counts = BTreeMap::new();
    for line in ended.stderr.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["memory", kib, ..] => drop(counts.insert("memory in KiB".to_string(), kib.parse().unwrap())),
            [phase, size, _, "ms", rest @ ..] => {
                counts.insert(format!("size after {phase}"), size.parse().unwrap());
                if let [views, "views"] = rest {
                    counts.insert(format!("work of {phase}"), views.parse().unwrap());
                }
            }
            _ => panic!("unknown line of a report: {line}"),
        }
    }
    assert!(counts.len() > 7, "{}", ended.stderr);
    counts
}

#[test]
fn compile_work_grows_linearly_with_input_size() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for target in ["cpu", "nvptx"] {
        let empty = report(&bench, &kernel(0, |_| String::new(), ""), target);
        for (name, make, n) in CONSTRUCTS {
            if *name == "prints" && target != "cpu" {
                continue;
            }
            println!("{target}: {name}");
            let [small, large] = [*n, 10 * n].map(|n| report(&bench, &make(n), target));
            for (what, large) in large {
                let base = empty.get(&what).copied().unwrap_or(0);
                let small = small.get(&what).copied().unwrap_or(0);
                // A small kernel needs no memory beyond the initial memory of the process.
                let free = if what.starts_with("memory") { 64 << 10 } else { 1 << 10 };
                let most = base + free + 16 * small.saturating_sub(base);
                if large > most {
                    wrong.push(format!("{target}, {name}, {what}: {small} for {n}, {large} for ten times as many"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}
