//! Flags never make the code of a target longer: the pass `egraph` uses the costs of the operations that `legalize`
//! emits. A target without a correctly rounded fused multiply-add computes it with up to 190 integer operations.
use cube_fuzz::chips::legal;
use cube_rules::cost::price;
use cube_rules::graph::Node;
use cube_rules::{Flags, Op};
use cube_semantics::Number;
use cube_target::{CostClass, Target};

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

// The modelled time in operations is close to the number of operations that `legalize` emits.
#[test]
fn modelled_costs_are_those_of_the_legal_code() {
    let functions = ["fma", "sqrt", "exp", "log2", "sin", "tanh", "powf", "maximumf", "floor", "copysign"];
    for known in [("spirv", "vulkan1.2"), ("wgsl", "core"), ("cpu", "x86-64")] {
        let target = target(known);
        for name in functions {
            let op = Op::named(name).unwrap_or_else(|| panic!("no operation {name}"));
            let operands = ["%v", "%w", "%v"][..op.operands()].join(", ");
            let dialect = if name == "maximumf" { "arith" } else { "math" };
            // The kernel around the function has a sum instead.
            let base = operations("%r = arith.addf %v, %w : f32", &target) - 1;
            let emitted = operations(&format!("%r = {dialect}.{name} {operands} : f32"), &target) - base;
            let node = Node::apply(op, [Number::F32; 2], 0, Flags::NONE, &[]);
            let modelled = price(&target, node.head, [false; 3]).time as usize / CostClass::UNIT as usize;
            // One emitted root is an instruction of several units of time.
            let is_close = modelled <= 3 * emitted + 16 && emitted <= 3 * modelled + 16;
            assert!(is_close, "{name} on {known:?}: {emitted} operations, {modelled} in the model");
        }
    }
}
