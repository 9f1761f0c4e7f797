//! The table of docs/reference/fast-math.md: for each target and function, the instruction that fast-math flags
//! enable, and the required flags. Each function is compiled with all flags, with all flags except one, with only the
//! required flags, and without flags. Each day, the test compiles only some rows, which the date selects. `BLESS=1`
//! compiles all rows and writes the page.
#[path = "functions.rs"]
mod functions;

use cube_artifact::{CompileOptions, Target};
use cube_backend::OutputForm;
use cube_driver::{Driver, NoInstrumentation};
use functions::{COLUMNS, FUNCTIONS, Function, NONE};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The fast-math flags, with their names in the kernel language.
const FLAGS: [(&str, &str); 7] = [
    ("reassoc", "AllowReassociation"),
    ("nnan", "NotNaN"),
    ("ninf", "NotInf"),
    ("nsz", "UnsignedZero"),
    ("arcp", "AllowReciprocal"),
    ("contract", "AllowContraction"),
    ("afn", "ReducedPrecision"),
];

fn code(function: &Function, flags: &[&str], (backend, chip, ty): (&str, &str, &str)) -> String {
    let list = if flags.is_empty() { "none".to_owned() } else { flags.join(",") };
    let body = function.body.replace("FL", &format!("fastmath<{list}>"));
    let text = super::element_wise(&body).replace("f32", ty);
    let form = if backend == "wgsl" { OutputForm::Code } else { OutputForm::Assembly };
    let target = Target { backend: backend.into(), chip: Some(chip.into()) };
    let options = CompileOptions::default();
    let emitted = Driver.emit_text(text.as_bytes(), &target, &options, form, &mut NoInstrumentation);
    match emitted {
        Ok(code) => String::from_utf8(code).expect("assembly is text"),
        Err(error) => panic!("{} with {list}: {error:?}", function.name),
    }
}

/// The sorted instructions of a code text, without operands. Two texts with equal lists differ in operands only.
fn instructions(code: &str) -> Vec<String> {
    let numbered = |line: &str| line.replace(|c: char| c.is_ascii_digit(), "");
    let one = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let spirv = words.iter().position(|word| word.starts_with("Op") && word.len() > 3);
        match (words.first()?, spirv) {
            (first, _) if first.starts_with(['.', '/', ';', '#']) || first.ends_with(':') => None,
            (_, Some(place)) => match words[place] {
                "OpLine" | "OpName" | "OpConstant" | "OpDecorate" => None,
                "OpExtInst" => Some(words[place + 3].to_owned()),
                word => Some(word.to_owned()),
            },
            // A statement of WGSL.
            _ if line.trim_end().ends_with([';', '{', '}']) && line.contains([' ']) && code.contains("@compute") => {
                Some(numbered(line.trim()))
            }
            (first, _) => Some((*first).to_owned()),
        }
    };
    let mut all: Vec<String> = code.lines().filter_map(one).collect();
    all.sort();
    all
}

fn is_fast(code: &str, (has, lacks): (&[&str], &[&str])) -> bool {
    has.iter().all(|word| code.contains(word)) && !lacks.iter().any(|word| code.contains(word))
}

/// The flags that the fast sequence of a function requires, as `A; or B` if either of two sets suffices. `None`
/// if the target has no fast sequence.
fn needed(function: &Function, place: usize) -> Result<Option<String>, String> {
    let (target, form) = (COLUMNS[place], *function.forms().nth(place).expect("each column has a form"));
    let all: Vec<&str> = FLAGS.iter().map(|(flag, _)| *flag).collect();
    let (with, without) = (code(function, &all, target), code(function, &[], target));
    let wrong = |what: &str| Err(format!("{} on {} {}: {what}", function.name, target.0, target.2));
    if form.0.is_empty() && form.1.is_empty() {
        let (with, without) = (instructions(&with), instructions(&without));
        if with != without {
            let new: Vec<&String> = with.iter().filter(|word| !without.contains(word)).collect();
            let old: Vec<&String> = without.iter().filter(|word| !with.contains(word)).collect();
            return wrong(&format!("flags change the code: {new:?} instead of {old:?}"));
        }
        return Ok(None);
    }
    if !is_fast(&with, form) {
        return wrong("all flags do not lead to the form");
    }
    if is_fast(&without, form) {
        return wrong("the form appears without a flag");
    }
    let has_form = |flags: &[&str]| is_fast(&code(function, flags, target), form);
    // Each iteration finds a minimal set of flags that enables the form, and then removes one flag of this set from the flags of the next iteration. The loop ends if the remaining flags do not enable the form.
    let (mut left, mut sets): (Vec<&str>, Vec<Vec<&str>>) = (all.clone(), Vec::new());
    while sets.len() < 4 && (sets.is_empty() || has_form(&left)) {
        let mut set = left.clone();
        for flag in &left {
            let less: Vec<&str> = set.iter().copied().filter(|own| own != flag).collect();
            if has_form(&less) {
                set = less;
            }
        }
        left.retain(|flag| Some(flag) != set.first());
        sets.push(set);
    }
    if has_form(&left) {
        return wrong("the form appears with many sets of flags");
    }
    // If only one set exists, each flag of this set is necessary, even if all other flags are set.
    if let [set] = sets.as_slice() {
        for flag in set {
            let others: Vec<&str> = all.iter().copied().filter(|own| own != flag).collect();
            if has_form(&others) {
                return wrong(&format!("{flag} is not needed"));
            }
        }
    }
    let words: Vec<String> = sets.iter().map(|set| set.join(", ")).collect();
    Ok(Some(words.join("; or ")))
}

/// Store instructions of the targets, which locate a function whose output contains no other instruction.
const STORES: [&str; 3] = ["st.global", "global_store", "OpStore"];

fn row(function: &Function) -> Result<String, String> {
    let mut row = format!("| `{}` |", function.name);
    let mut wrong = Vec::new();
    for (place, (has, _)) in function.forms().enumerate() {
        let word = |word: &&str| match STORES.contains(word) {
            true => "no instruction".into(),
            false => format!("`{}`", word.trim_matches([' ', '(', '.'])),
        };
        match needed(function, place) {
            Err(why) => wrong.push(why),
            Ok(None) => row += " no form |",
            Ok(Some(flags)) => {
                let words: Vec<String> = has.iter().map(word).collect();
                let words = if words.is_empty() { "no instruction".into() } else { words.join(", ") };
                let _ = write!(row, " {words} with {flags} |");
            }
        }
    }
    if wrong.is_empty() { Ok(row) } else { Err(wrong.join("\n")) }
}

fn head() -> String {
    let mut page = String::from(
        "# Fast math\n\n\
         After reading this page you know the instructions that fast-math flags enable on each target.\n\n\
         The table lists the instructions that fast-math flags enable for each function and target, and the required flags. If one of the required flags is missing, the compiler uses the accurate code, even with all other flags. If a cell has two sets of flags, each of the two sets enables the instruction. \
         *No form* means that the target uses the accurate code under all flags. The tests compile some rows each day, and all rows within ten days. The command \
         `BLESS=1 cargo test -p cube-fuzz --test egraph fast_math` compiles all rows and writes this page.\n\n\
         | flag of MLIR | flag of the kernel language |\n|---|---|\n",
    );
    for (own, name) in FLAGS {
        let _ = writeln!(page, "| `{own}` | `FastMath::{name}` |");
    }
    page += "\n`FastMath::AllowTransform` is `reassoc`, `arcp` and `contract`. Flags apply to the operations of the function that sets them. The flags of a caller do not apply to the operations of a called function. On the CPU, a loop over units has a part with vector instructions and a scalar remainder. The table has the instruction of one of the two parts. `vrcpps`, `vrsqrtps` and `vrsqrtss` are followed by one Newton step. The CPU computes f16 and bf16 in f32. On the CPU, `nnan` removes the comparison with NaN when a result is rounded to bf16. The approximate instructions of GPUs exist for f32 only, so the table has only columns of f32 for GPUs. For f16, bf16 and f64, `afn` does not change functions on GPUs. The other flags lead to equal rewrites in all formats.";
    for sentence in COLUMNS.iter().filter_map(|(target, _, _)| cube_target::Target::evidence(target)) {
        let _ = write!(page, " {sentence}");
    }
    page += "\n\n| function |";
    for (target, chip, ty) in COLUMNS {
        let _ = write!(page, " {target} ({chip}) {ty} |");
    }
    let _ = writeln!(page, "\n|---|{}", "---|".repeat(COLUMNS.len()));
    page
}

// The errors of the instructions that fast-math flags enable.
fn end() -> &'static str {
    "\n## Limits of the approximate forms\n\n\
     * `div.approx.f32` is within 2 units in the last place for divisors from 2^-126 to 2^126. For a larger finite divisor, the quotient is 0, or NaN if the dividend is infinite (PTX ISA, `div`). For larger divisors, scale the operands first, or omit `afn`.\n\
     * `v_rcp_f32`, `v_rsq_f32`, `v_sqrt_f32`, `v_exp_f32` and `v_log_f32` are within 1 unit in the last place for normal operands and results (CDNA 3 ISA and RDNA 3.5 ISA, VOP1 instructions).\n\
     * `ex2.approx`, `rcp.approx`, `v_rcp_f32`, `rsqrt.approx` and `v_rsq_f32` can flush subnormal operands and results to zero.\n\
     * `sin.approx`, `cos.approx`, `v_sin_f32` and `v_cos_f32` have an absolute error, which grows with the argument: 2^-20 from -pi to pi \
     on NVIDIA.\n\
     * `powf` is `exp2(b * log2(|a|))` with the sign of `a` for odd `b`. The relative error of `powf` grows with the exponent of the result, to about 100 units in the last place near 2^100.\n"
}

// Each day, the test checks one part of the rows. After this number of days, all rows are checked.
const PARTS: u64 = 10;

#[test]
fn the_table_of_fast_math_is_that_of_the_code() {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/fast-math.md");
    let day = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86400);
    let all = std::env::var_os("BLESS").is_some();
    let chosen = FUNCTIONS.iter().enumerate().filter(|(number, _)| all || *number as u64 % PARTS == day % PARTS);
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for (_, function) in chosen {
        match row(function) {
            Ok(row) => rows.push(row),
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if all {
        std::fs::write(&path, head() + &rows.join("\n") + "\n" + end()).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored.starts_with(&head()), "docs/reference/fast-math.md has another head: BLESS=1 writes it");
    assert!(stored.ends_with(end()), "docs/reference/fast-math.md has another end: BLESS=1 writes it");
    for row in rows {
        assert!(
            stored.lines().any(|line| line == row),
            "docs/reference/fast-math.md lacks the row, BLESS=1 writes it:\n{row}"
        );
    }
}

/// In one kernel, operations with flags and operations without flags: each has its own instruction.
#[test]
fn flags_of_an_inner_scope_end_with_it() {
    let count = |body: &'static str, target: (&str, &str, &str), word: &str| {
        let function = Function { name: "scopes", body, gpu: [NONE; 4], cpu: [NONE; 4] };
        code(&function, &[], target).lines().filter(|line| line.contains(word)).count()
    };
    let quotients = "%p = arith.divf %v, %w fastmath<afn> : f32\n  %q = arith.divf %u, %w : f32\n  \
                     %r = arith.addf %p, %q : f32";
    // A unit computes several elements, so the code has several of each instruction.
    let approximate = count(quotients, COLUMNS[0], "div.approx.f32");
    assert!(approximate > 0 && count(quotients, COLUMNS[0], "div.rn.f32") == approximate, "{approximate}");
    let sums = "%a = arith.mulf %v, %w fastmath<contract> : f32\n  %p = arith.addf %a, %u fastmath<contract,nnan> : f32\n  \
                %b = arith.mulf %u, %w : f32\n  %r = arith.addf %b, %p : f32";
    let fused = count(sums, COLUMNS[0], "fma.rn.f32");
    let others = ["mul.rn.f32", "add.rn.f32"].map(|word| count(sums, COLUMNS[0], word));
    assert!(fused > 0 && others == [fused; 2], "{fused} fused, {others:?}");
    // Without `contract`, SPIR-V forbids the driver to fuse: the outer product and the outer sum.
    assert_eq!(count(sums, COLUMNS[2], "NoContraction"), 2);
}
