//! Random kernels with fast-math flags: the interpreter compares the results of the source kernel with the results
//! after the pass `egraph`, and with the results after `legalize` for the CPU. If all values of an expression are in
//! the middle range of their format, the results differ by at most a few tolerances of `cube_prove::condition`.
//! `CUBE_FUZZ_COUNT` sets the number of kernels.
use cube_backend_interp::Arg;
use cube_fuzz::alone::{Launch, results_of};
use cube_fuzz::settings::seeds;
use cube_fuzz::values::random;
use cube_prove::condition::{of_term, tolerance};
use cube_rules::parse::Variable;
use cube_rules::{Flags, Op, Term};
use cube_semantics::{Number, convert::of_double};
use std::fmt::Write;

/// Each use of a rule and each function can add an error.
const RULES: f64 = 8.0;

const FORMATS: [(&str, Number); 4] =
    [("f32", Number::F32), ("f16", Number::F16), ("f64", Number::F64), ("bf16", Number::BF16)];

const OPS: [&str; 16] = [
    "addf", "addf", "subf", "mulf", "mulf", "divf", "divf", "negf", "absf", "sqrt", "exp", "log", "rsqrt", "tanh",
    "sin", "maximumf",
];

const CONSTANTS: [f64; 14] = [0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -7.0, 1e-5, 5e4, 1e30, 1e-30, 3e38, 1e-40, 1e-310];

const VALUES: [f64; 14] = [0.0, 1.0, -1.5, 0.1, 3.0, -20.0, 17.25, 200.0, 1e-3, 1e5, 1e-10, 1e20, -1e-25, 1e30];

// A number in the syntax of MLIR, which requires a decimal point.
fn literal(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}e{power}")
}

struct Kernel {
    text: String,
    ty: Number,
    flags: Flags,
    outputs: Vec<Term>,
}

fn kernel(seed: u64) -> Kernel {
    let mut state = seed ^ 0xf1a9;
    let mut draw = |n: usize| (random(&mut state) % n as u64) as usize;
    let (name, ty) = FORMATS[(seed % 4) as usize];
    let flags = match draw(3) {
        0 => Flags(127),
        _ => Flags(draw(128) as u8),
    };
    // In a third of the kernels, each operation has its own flags: most flags of the kernel, as in nested scopes.
    let is_mixed = draw(3) == 0;
    let mut text =
        format!("cube.kernel @k(%y: !cube.array<{name}>, %a: {name}, %b: {name}, %c: {name}) cube_dim(1) {{\n");
    let mut values: Vec<(String, Term)> =
        ["a", "b", "c"].iter().enumerate().map(|(n, name)| ((*name).to_owned(), Term::Variable(n))).collect();
    for n in 0..4 {
        let bits = of_double(CONSTANTS[draw(CONSTANTS.len())], ty);
        // A constant of a narrow format is rounded to this format.
        let number = ty.to_double(bits);
        if number.is_finite() {
            let _ = writeln!(text, "%k{n} = arith.constant {} : {name}", literal(number));
            values.push((format!("k{n}"), Term::Constant(bits, ty)));
        }
    }
    for n in 0..8 + draw(10) {
        let op = Op::named(OPS[draw(OPS.len())]).expect("an operation");
        let mut of = || {
            let last = draw(values.len().min(5));
            if draw(2) == 0 { values[values.len() - 1 - last].clone() } else { values[draw(values.len())].clone() }
        };
        let operands: Vec<(String, Term)> = (0..op.operands()).map(|_| of()).collect();
        let args: Vec<Term> = operands.iter().map(|(_, term)| term.clone()).collect();
        let mut size = 0;
        args.iter().for_each(|arg| arg.each_op(&mut |_| size += 1));
        if size > 40 {
            continue;
        }
        let dialect = if ["sqrt", "exp", "log", "rsqrt", "tanh", "sin", "absf"].contains(&op.name().as_str()) {
            "math"
        } else {
            "arith"
        };
        let flags = if is_mixed { flags.without(Flags(1 << draw(7))).without(Flags(1 << draw(7))) } else { flags };
        let names: Vec<String> = operands.iter().map(|(name, _)| format!("%{name}")).collect();
        let _ = writeln!(text, "%v{n} = {dialect}.{} {} fastmath<{flags}> : {name}", op.name(), names.join(", "));
        values.push((format!("v{n}"), Term::Apply { op, from: ty, to: ty, args }));
    }
    let outputs: Vec<(String, Term)> = values.iter().rev().take(5).cloned().collect();
    for (n, (value, _)) in outputs.iter().enumerate() {
        let _ = writeln!(
            text,
            "%o{n} = arith.constant {n} : i32\ncube.store %{value}, %y[%o{n}] : {name}, !cube.array<{name}>"
        );
    }
    Kernel { text: text + "cube.return\n}\n", ty, flags, outputs: outputs.into_iter().map(|(_, term)| term).collect() }
}

fn elements(bytes: &[u8], ty: Number) -> Vec<f64> {
    let size = ty.bits() as usize / 8;
    let element = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    bytes.chunks(size).map(|chunk| ty.to_double(element(chunk))).collect()
}

#[test]
fn random_arithmetic_with_flags_stays_within_its_bound() {
    let (first, count) = seeds(60);
    let (mut changed, mut checked, mut all) = (0, 0, 0);
    for seed in first..first + count {
        let kernel = kernel(seed);
        let ty = kernel.ty;
        let variables: Vec<Variable> =
            ["a", "b", "c"].iter().map(|name| Variable { name: (*name).into(), ty, constant: false }).collect();
        let mut state = seed;
        let mut draw = || of_double(VALUES[(random(&mut state) % VALUES.len() as u64) as usize], ty);
        let inputs: Vec<[u64; 3]> = (0..8).map(|_| [draw(), draw(), draw()]).collect();
        let buffer = || Arg::Buffer { bytes: vec![0; 5 * ty.bits() as usize / 8], initialised: true };
        let launches: Vec<Launch> =
            inputs.iter().map(|values| ([buffer()].into_iter().chain(values.map(Arg::Scalar)).collect(), 1)).collect();
        let stages = results_of(&kernel.text, &launches, &|stage| {
            stage.pass == "egraph" || stage.phase == "legalize" && stage.ends_phase
        });
        let [(_, before), rest @ ..] = stages.as_slice() else { panic!("no stage of\n{}", kernel.text) };
        changed += u64::from(rest.iter().any(|(_, after)| after != before));
        for (launch, values) in inputs.iter().enumerate() {
            let expected = elements(&before[launch][0], ty);
            for (place, term) in kernel.outputs.iter().enumerate() {
                let condition = of_term(term, &variables, values);
                let left = expected[place];
                all += 1;
                let error = condition.error * tolerance(ty) * RULES;
                if !condition.in_middle || !left.is_finite() || !error.is_finite() {
                    continue;
                }
                checked += 1;
                for (module, after) in rest {
                    let right = elements(&after[launch][0], ty)[place];
                    assert!(
                        (left - right).abs() <= error,
                        "seed {seed}, flags {}: output {place} is {right:e} instead of {left:e} (within {error:e}) for \
                         {:?}\n{}\n{module}",
                        kernel.flags,
                        values.map(|bits| ty.to_double(bits)),
                        kernel.text
                    );
                }
            }
        }
    }
    eprintln!("{changed} of {count} kernels changed a result, {checked} of {all} results were compared");
    assert!(checked * 4 >= all, "only {checked} of {all} results were compared");
}
