//! Flags never make the code of a target longer: the pass `egraph` uses the costs of the operations that `legalize`
//! emits. A target without a correctly rounded fused multiply-add computes it with up to 190 integer operations.
use cube_fuzz::chips::legal;
use cube_rules::cost::time_and_latency;
use cube_rules::graph::Node;
use cube_rules::{Flags, Op};
use cube_semantics::Number;
use cube_target::{CostClass, Element, Support, Target};

const TARGETS: [(&str, &str); 6] = [
    ("nvptx", "sm_90a"),
    ("amdgpu", "gfx942"),
    ("spirv", "vulkan1.2"),
    ("wgsl", "core"),
    ("cpu", "x86-64"),
    ("cpu", "x86-64-v3"),
];

const BODIES: [(&str, &str); 6] = [
    ("a b + c", "%m = arith.mulf %v, %w FL : f32\n  %r = arith.addf %m, %v FL : f32"),
    (
        "a polynomial",
        "%a = arith.mulf %v, %w FL : f32\n  %b = arith.addf %a, %w FL : f32\n  %c = arith.mulf %b, %w FL : f32\n  \
         %d = arith.addf %c, %v FL : f32\n  %e = arith.mulf %d, %w FL : f32\n  %r = arith.subf %e, %v FL : f32",
    ),
    ("a scaled sum", "%s = arith.addf %v, %one FL : f32\n  %r = arith.mulf %s, %w FL : f32"),
    ("an inverse root", "%s = math.sqrt %v FL : f32\n  %r = arith.divf %one, %s FL : f32"),
    (
        "a sigmoid",
        "%n = arith.negf %v FL : f32\n  %e = math.exp %n FL : f32\n  %s = arith.addf %e, %one FL : f32\n  \
         %r = arith.divf %one, %s FL : f32",
    ),
    ("a power", "%three = arith.constant 3.0 : f32\n  %r = math.powf %v, %three FL : f32"),
];

fn operations(body: &str, target: &Target) -> usize {
    let text = super::element_wise(&format!("%one = arith.constant 1.0 : f32\n  {body}"));
    let names = legal(&text, target).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let is_counted = |name: &str| (name.starts_with("arith.") || name.starts_with("math.")) && name != "arith.constant";
    names.iter().filter(|(name, _)| is_counted(name)).count()
}

fn target((backend, chip): (&str, &str)) -> Target {
    Target::known(backend, chip).expect("a chip of the tables")
}

#[test]
fn flags_do_not_make_code_longer() {
    let mut shorter = 0;
    for known in TARGETS {
        let target = target(known);
        for (name, body) in BODIES {
            let with = |flags: &str| operations(&body.replace("FL", &format!("fastmath<{flags}>")), &target);
            let plain = with("none");
            for flags in ["contract", "fast"] {
                let fast = with(flags);
                assert!(fast <= plain, "{name} on {known:?}: {fast} operations with {flags}, {plain} without flags");
                shorter += usize::from(fast < plain);
            }
        }
    }
    assert!(shorter >= 20, "only {shorter} forms are shorter");
}

// The operations of the table in docs/math.md, and the fused multiply-adds in the code for a target without them. Such a
// fused multiply-add has four conversions from integers.
#[test]
fn modelled_expansions_are_those_of_the_math_library() {
    let page = include_str!("../../../docs/math.md");
    let wgsl = target(("wgsl", "core"));
    for function in cube_rules::Function::ALL {
        let Some((operations, fusions)) = cube_rules::cost::expansion(*function) else { continue };
        let name = if function.name() == "powf" { "pow" } else { function.name() };
        let row = page.lines().find(|line| line.starts_with(&format!("| f32 `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/math.md has no row for {name}"));
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default().trim();
        assert_eq!(cell.split(' ').next(), Some(operations.to_string().as_str()), "{name}: {cell}");
        let operands = ["%v", "%w"][..function.operands()].join(", ");
        let text = super::element_wise(&format!("%r = math.{} {operands} : f32", function.name()));
        cube_driver::register();
        let session = cube_ir::Session::new();
        let mut module = session.parse(text.as_bytes(), "<input>").unwrap_or_else(|_| panic!("{text}"));
        cube_dialect::set_target(module.op(), &wgsl);
        // No pass in this list merges equal operations.
        let passes = "builtin.module(phase-specialize,phase-layout,cube.kernel(expand-math))";
        module.run(passes).unwrap_or_else(|_| panic!("{text}"));
        let operations_of_kernel = module.op().walk();
        let conversions = operations_of_kernel.iter().filter(|op| op.name() == "arith.sitofp").count() as u64;
        assert_eq!(conversions / 4, fusions, "{name}: {conversions} conversions");
    }
}

// Instructions of gfx942 with their issue time: products of integers and special functions take four times as long as
// sums (LLVM, `SISchedule.td`).
#[test]
fn modelled_costs_are_those_of_machine_code() {
    use cube_artifact::{CompileOptions, Target as Chip};
    use cube_backend::OutputForm;
    use cube_driver::{Driver, NoInstrumentation};
    let chip = target(("amdgpu", "gfx942"));
    let time = |body: &str, ty: &str| {
        let text = format!(
            "cube.kernel @k(%x: !cube.array<{ty}>, %y: !cube.array<{ty}>, %z: !cube.array<{ty}>) cube_dim(64) {{
  %i = cube.topology unit_pos_x
  %v = cube.load %x[%i] inbounds : !cube.array<{ty}> -> {ty}
  %w = cube.load %y[%i] inbounds : !cube.array<{ty}> -> {ty}
  {body} : {ty}
  cube.store %r, %z[%i] inbounds : {ty}, !cube.array<{ty}>
  cube.return\n}}"
        );
        let target = Chip { backend: "amdgpu".into(), chip: Some("gfx942".into()) };
        let options = CompileOptions::default();
        let form = OutputForm::Assembly;
        let code = Driver.emit_text(text.as_bytes(), &target, &options, form, &mut NoInstrumentation);
        let code = String::from_utf8(code.unwrap_or_else(|why| panic!("{why:?}\n{text}"))).expect("text");
        let names = code.lines().map(str::trim).filter(|line| line.starts_with("v_"));
        let slow = ["v_mul_lo_", "v_mul_hi_", "v_mad_u64", "v_rcp_", "v_rsq_", "v_sqrt_"];
        names.map(|line| if slow.iter().any(|word| line.starts_with(word)) { 4 } else { 1 }).sum::<u64>()
    };
    let ints = ["muli", "divui", "divsi", "remui", "remsi", "addsi_sat", "addui_sat", "ctlz", "absi", "shl", "maxsi"];
    let all = ints.iter().flat_map(|name| ["i32", "i64"].map(|ty| (*name, ty, false)));
    let by_seven =
        ["divui", "divsi", "remui", "remsi"].iter().flat_map(|name| ["i32", "i64"].map(|ty| (*name, ty, true)));
    let floats = [("divf", "f32", false), ("sqrt", "f32", false), ("divf", "f64", false), ("sqrt", "f64", false)];
    for (name, ty, by_constant) in all.chain(by_seven).chain(floats) {
        let op = Op::named(name).unwrap_or_else(|| panic!("no operation {name}"));
        let (dialect, base) = match name {
            "divui" | "divsi" | "remui" | "remsi" | "addsi_sat" | "addui_sat" | "shl" => ("cube", "xori"),
            "sqrt" => ("math", "addf"),
            "ctlz" | "absi" => ("math", "xori"),
            "divf" => ("arith", "addf"),
            _ => ("arith", "xori"),
        };
        let seven = if by_constant { format!("%c = arith.constant 7 : {ty}\n  ") } else { String::new() };
        let operands = ["%v", if by_constant { "%c" } else { "%w" }][..op.operands()].join(", ");
        let words = if ty.ends_with("64") && ty.starts_with('i') { 2 } else { 1 };
        let found = time(&format!("{seven}%r = {dialect}.{name} {operands}"), ty) + words;
        let found = found.saturating_sub(time(&format!("%r = arith.{base} %v, %w"), ty));
        let number = Number::named(ty).expect("a type");
        let node = Node::apply(op, [number; 2], 0, Flags::NONE, &[]);
        let modelled =
            time_and_latency(&chip, node.head, [false, by_constant, false]).time / u64::from(CostClass::UNIT);
        println!("{name} {ty}: {found} in code, {modelled} in the model");
        assert!(modelled <= 2 * found + 4 && found <= 2 * modelled + 4, "{name} {ty}: {found}, {modelled} modelled");
    }
}

// The modelled time in operations is close to the number of operations that `legalize` emits.
#[test]
fn modelled_costs_are_those_of_the_legal_code() {
    let functions = ["fma", "sqrt", "exp", "log2", "sin", "tanh", "powf", "maximumf", "floor", "copysign"];
    for known in [("spirv", "vulkan1.2"), ("wgsl", "core"), ("cpu", "x86-64")] {
        // Each unit has one element.
        let target = Target { coarsens: None, ..target(known) };
        for name in functions {
            let op = Op::named(name).unwrap_or_else(|| panic!("no operation {name}"));
            let operands = ["%v", "%w", "%v"][..op.operands()].join(", ");
            let dialect = if name == "maximumf" { "arith" } else { "math" };
            // The operations around the function: the operations of a kernel with a sum, without the sum.
            let base = operations("%r = arith.addf %v, %w : f32", &target) - 1;
            let emitted = operations(&format!("%r = {dialect}.{name} {operands} : f32"), &target) - base;
            let node = Node::apply(op, [Number::F32; 2], 0, Flags::NONE, &[]);
            let modelled = time_and_latency(&target, node.head, [false; 3]).time as usize / CostClass::UNIT as usize;
            // The bounds are wide, because for example a root is one emitted instruction that takes several units of time.
            let is_close = modelled <= 3 * emitted + 16 && emitted <= 3 * modelled + 16;
            assert!(is_close, "{name} on {known:?}: {emitted} operations, {modelled} in the model");
        }
    }
}

// With the flag `contract`, the e-graph can choose between a fused multiply-add and its two parts. A target that computes a
// type in a wider type needs many operations for a fused multiply-add, which rounds only once.
#[test]
fn fused_operation_of_an_emulated_type_costs_more_than_its_parts() {
    let mut emulated = 0;
    for known in TARGETS {
        let target = target(known);
        for element in [Element::F16, Element::BF16] {
            if target.arithmetic(element) == Some(Support::Native) {
                continue;
            }
            let number = Number::Float(element);
            let time = |name: &str| {
                let op = Op::named(name).unwrap_or_else(|| panic!("no operation {name}"));
                time_and_latency(&target, Node::apply(op, [number; 2], 0, Flags::NONE, &[]).head, [false; 3]).time
            };
            assert!(time("fma") > time("mulf") + time("addf"), "{element:?} on {known:?}");
            emulated += 1;
        }
    }
    assert!(emulated > 2, "{emulated} emulated types");
}
