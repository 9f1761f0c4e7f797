//! Legalisation for chips that lack operations and types: the same results, and nothing left that the description does not list.
#![forbid(unsafe_code)]
use cube_fuzz::chips::{differences_on, legal};
use cube_fuzz::judge::Data;
use cube_fuzz::table::{Group, Operation, groups};
use cube_fuzz::values::elem;
use cube_target::{Element, MathFunction, Support, Target};

/// A chip that has numbers of all types, fused products and roots, and nothing else.
fn bare() -> Target {
    let mut chip = Target::minimal("bare", "generic");
    chip.elements = Element::ALL.iter().map(|e| (*e, Support::Native)).collect();
    chip.integers.clear();
    chip.math.retain(|function, _| [MathFunction::Fma, MathFunction::Sqrt].contains(function));
    chip
}

/// The same without f64.
fn single() -> Target {
    let mut chip = bare();
    chip.elements.remove(&Element::F64);
    chip.math.values_mut().for_each(|forms| _ = forms.remove(&Element::F64));
    chip
}

fn known(backend: &str, chip: &str) -> Target {
    Target::known(backend, chip).expect("a chip of the table")
}

/// The rows of a group that a chip has the types of and that `wanted` asks for.
fn rows(group: &Group, chip: &Target, wanted: impl Fn(&Operation) -> bool) -> Option<Group> {
    let has = |ty: &str| Element::from_ir(ty).is_some_and(|element| chip.arithmetic(element).is_some());
    let mut group = group.clone();
    group.operations.retain(|row| has(&row.result) && wanted(row));
    (has(&group.ty) && !group.operations.is_empty()).then_some(group)
}

fn check(chip: &Target, wanted: impl Fn(&Group, &Operation) -> bool) -> usize {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for group in groups() {
        let Some(group) = rows(&group, chip, |row| wanted(&group, row)) else { continue };
        count += group.operations.len();
        for line in group.lines() {
            let (text, buffers, cubes) = group.kernel(*line);
            match differences_on(&text, &buffers, cubes, chip) {
                Ok(found) => wrong.extend(found),
                Err(why) => wrong.push(format!("{} in lines of {line}: {why}", group.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "on {}:\n{}", chip.name(), wrong.join("\n"));
    count
}

const WRITTEN: &[&str] = &[
    "extended",
    "ctlz",
    "cttz",
    "ctpop",
    "reverse_bits",
    "div",
    "rem",
    "sh",
    "absf",
    "copysign",
    "maximumf",
    "minimumf",
    "maxnumf",
    "minnumf",
    "floor",
    "ceil",
    "trunc",
    "round",
    "clampf",
];

#[test]
fn a_chip_without_these_operations_computes_the_same() {
    let count = check(&bare(), |_, row| WRITTEN.iter().any(|word| row.text.contains(word)));
    assert!(count > 100, "only {count} rows");
}

#[test]
fn integers_become_floats_without_f64() {
    let ints = |group: &Group| group.ty.starts_with('i') && group.name.starts_with("casts");
    let count = check(&single(), |group, row| ints(group) && cube_fuzz::values::is_float(&row.result));
    assert!(count >= 120, "only {count} casts");
}

#[test]
fn every_row_of_its_types_runs_on_a_chip_of_words() {
    // Of functions that are written out with a fused product there is no accurate form: refused, which is tested below.
    let fused = ["math.fma", "math.sqrt", "arith.remf"];
    let plain = |group: &Group, row: &Operation| {
        let is_math = group.name.starts_with("math") || group.name.starts_with("pow");
        // A directed rounding steps to the neighbour by the bits of an f16, which WGSL has no integer for.
        let directed = ["upward", "downward", "toward_zero"].iter().any(|word| row.text.contains(word));
        let by_bits = row.result == "f16" && directed;
        let is_fused = row.names().iter().any(|name| fused.contains(name));
        !(is_math || by_bits || is_fused)
    };
    for (backend, chip) in [("wgsl", "core"), ("wgsl", "core-f16"), ("spirv", "vulkan1.1")] {
        let count = check(&known(backend, chip), plain);
        assert!(count > 100, "only {count} rows on {chip}");
    }
}

/// Products of 8 and 16 bits: all of 8, and of 16 a stride that is no divisor of 65536.
#[test]
fn halves_make_every_whole_product() {
    for (ty, step) in [("i8", 1u32), ("i16", 251)] {
        let values: Vec<u64> =
            (0..1u32 << if ty == "i8" { 8 } else { 16 }).step_by(step as usize).map(u64::from).collect();
        let operands = values.iter().flat_map(|a| values.iter().map(|b| vec![*a, *b, 0])).collect();
        let row = |text: &str| Operation { text: text.into(), result: ty.into(), ulp: 0 };
        let operations = vec![
            row("%s, %r = arith.mului_extended %a, %b : T"),
            row("%s, %r = arith.mulsi_extended %a, %b : T"),
            row("%r, %s = arith.mului_extended %a, %b : T"),
        ];
        let group = Group { name: format!("products of {ty}"), ty: ty.into(), operands, operations };
        let (text, buffers, cubes) = group.kernel(1);
        assert_eq!(differences_on(&text, &buffers, cubes, &bare()), Ok(vec![]));
    }
}

/// All i16, and i32 and i64 around every power of two, where the digits that are lost begin: the way through f32 without f64.
#[test]
fn integers_around_every_power_of_two_are_rounded_once() {
    for (ty, bits) in [("i16", 16u32), ("i32", 32), ("i64", 64)] {
        let mut values: Vec<u64> = if ty == "i16" { (0..1u64 << 16).collect() } else { vec![] };
        for high in 0..bits {
            for low in 0..high.max(1) {
                let base = 1u64 << high | 1u64 << low;
                let near = [base, base.wrapping_sub(1), base + 1, base | base >> 1, (base | base >> 9).wrapping_add(1)];
                values.extend(near.into_iter().flat_map(|v| [v, v.wrapping_neg()]));
            }
        }
        let operands = values.iter().map(|v| vec![*v, 0, 0]).collect();
        let mut operations = Vec::new();
        for to in ["f16", "bf16", "f8E4M3FN", "f8E5M2", "tf32"] {
            for words in ["", "from_unsigned ", "round upward ", "from_unsigned saturate ", "round toward_zero "] {
                // Only casts between floats name a rounding.
                if !words.contains("round") {
                    let text = format!("cube.cast %a {words}: T to R");
                    operations.push(Operation { text, result: to.into(), ulp: 0 });
                }
            }
        }
        let group = Group { name: format!("integers {ty}"), ty: ty.into(), operands, operations };
        let (text, buffers, cubes) = group.kernel(1);
        for chip in [single(), known("nvptx", "sm_86"), known("nvptx", "sm_90"), known("cpu", "native")] {
            assert_eq!(differences_on(&text, &buffers, cubes, &chip), Ok(vec![]), "{}", chip.name());
        }
    }
}

fn launch(arguments: &str, body: &str) -> String {
    format!(
        "cube.kernel @k({arguments}) cube_dim(64) {{\n  %i = cube.topology absolute_pos\n{body}\n  cube.return\n}}\n"
    )
}

const DIVISION: &str = "  %q = cube.divui %i, %n : i32\n  cube.store %q, %y[%i] checked : i32, !cube.array<i32>";

#[test]
fn a_chip_of_words_divides_by_halves_and_never_by_a_wide_product() {
    let text = launch("%n: i32, %y: !cube.array<i32>", DIVISION);
    let left = legal(&text, &known("wgsl", "core")).expect("it is legal");
    let wide = |(name, types): &&(String, String)| types.contains("64") || name.contains("extended");
    assert_eq!(left.iter().find(wide), None);
    assert_eq!(left.iter().filter(|(name, _)| name == "arith.muli").count(), 4, "four products of halves");
    let native = legal(&text, &known("spirv", "vulkan1.1")).expect("it is legal");
    assert!(native.iter().any(|(name, _)| name == "arith.mului_extended"));
}

/// An i64 as a bf16 where f64 is fast, where it is slow, and where there is an instruction.
#[test]
fn the_way_of_a_conversion_follows_the_costs() {
    let body = |to: &str| {
        format!(
            "  %v = cube.load %x[%i] checked : !cube.array<i64> -> i64\n  %w = cube.cast %v : i64 to {to}\n  \
             cube.store %w, %y[%i] checked : {to}, !cube.array<{to}>"
        )
    };
    let made = |to: &str, chip: &str| {
        let text = launch(&format!("%x: !cube.array<i64>, %y: !cube.array<{to}>"), &body(to));
        let left = legal(&text, &known("nvptx", chip)).expect("it is legal");
        let conversions = left.into_iter().filter(|(name, _)| name.starts_with("arith.sitofp"));
        conversions.map(|(_, ty)| ty).collect::<Vec<_>>()
    };
    // Rounded to odd from f64; upstream folds the first conversion and the next rounding.
    assert_eq!(made("bf16", "sm_80"), ["f64", "f32"]);
    // One for numbers of 24 digits, one for those that were cut.
    assert_eq!(made("bf16", "sm_86"), ["f32", "f32"]);
    assert_eq!(made("bf16", "sm_90"), ["bf16"]);
    // Exact or out of range by way of f32, which upstream folds.
    assert_eq!(made("f16", "sm_80"), ["f16"]);
}

#[test]
fn functions_stay_where_the_chip_is_accurate_and_are_refused_where_nothing_is() {
    let of = |name: &str, chip: &str| {
        let body = format!(
            "  %v = cube.load %y[%i] checked : !cube.array<f32> -> f32\n  %w = {name} %v : f32\n  \
             cube.store %w, %y[%i] checked : f32, !cube.array<f32>"
        );
        let text = launch("%y: !cube.array<f32>", &body);
        legal(&text, &known("wgsl", chip)).map(|left| left.iter().any(|(own, _)| own == name))
    };
    assert_eq!((of("math.rsqrt", "core"), of("math.floor", "core")), (Ok(true), Ok(true)));
    // WGSL has no rounding of halves away from zero.
    assert_eq!(of("math.round", "core"), Ok(false));
    let refused = of("math.exp", "core").expect_err("its exponential is not accurate");
    assert!(
        refused.contains("'math.exp' is written out with 'math.fma' of f32, of which wgsl:core has no accurate"),
        "{refused}"
    );
    let refused = of("math.sqrt", "core").expect_err("its root is not rounded correctly");
    assert!(refused.contains("CUBE0411") && refused.contains("'math.sqrt' of f32"), "{refused}");
}

#[test]
fn a_type_that_the_chip_lacks_is_refused_by_name() {
    let text = launch(
        "%n: i32, %y: !cube.array<i64>",
        "  %v = arith.extui %n : i32 to i64\n  cube.store %v, %y[%i] checked : i64, !cube.array<i64>",
    );
    let refused = legal(&text, &known("wgsl", "core")).expect_err("it has no i64");
    assert!(refused.contains("'cube.kernel' has no code on target wgsl:core: it lacks i64"), "{refused}");
    assert!(refused.contains("CUBE0412"), "{refused}");
    let data = Data { name: "y".into(), elem: elem("i64"), ty: "i64".into(), bytes: vec![0; 512], ulp: 0 };
    let numbers = Data { name: "n".into(), elem: elem("i32"), ty: "i32".into(), bytes: vec![7, 0, 0, 0], ulp: 0 };
    let text = text.replace("%n: i32", "%m: !cube.array<i32>").replace("arith.extui %n", "arith.extui %i");
    assert_eq!(differences_on(&text, &[numbers, data], 1, &bare()), Ok(vec![]));
}
