//! Legalisation for chips that lack operations and types. Source kernel and legal kernel must have equal
//! results, and the legal kernel must contain only operations that the chip's description lists.
#![forbid(unsafe_code)]
use cube_fuzz::chips::{differences_on, kept, legal};
use cube_fuzz::judge::Data;
use cube_fuzz::table::{Group, Operation, groups};
use cube_fuzz::values::{elem, random};
use cube_passes::native;
use cube_target::{Class, CostClass, Element, IntegerFunction, MathAccuracy, MathFunction, Support, Target};

#[path = "chips/narrow.rs"]
mod narrow;

/// A chip that has all number types, fused products and roots, division below 64 bits, and no other capability.
fn bare() -> Target {
    let mut chip = Target::minimal("bare", "generic");
    chip.elements = Element::ALL.iter().map(|e| (*e, Support::Native)).collect();
    chip.integers = [(IntegerFunction::Division, vec![Element::I8, Element::I16, Element::I32])].into();
    chip.math.retain(|function, _| [MathFunction::Fma, MathFunction::Sqrt].contains(function));
    divides(&mut chip);
    chip
}

/// Lists a correctly rounded division for each float type.
fn divides(chip: &mut Target) {
    let floats = chip.elements.keys().filter(|element| element.class() == Class::Float);
    let all = floats.map(|element| (*element, MathAccuracy::Exact)).collect();
    chip.math.insert(MathFunction::Div, all);
}

/// The chip of [`bare`], without f64.
fn single() -> Target {
    let mut chip = bare();
    chip.elements.remove(&Element::F64);
    chip.math.values_mut().for_each(|forms| _ = forms.remove(&Element::F64));
    chip
}

fn known(backend: &str, chip: &str) -> Target {
    Target::known(backend, chip).expect("a chip of the table")
}

/// A group reduced to the rows for which `selects` is true and that use only types of the chip.
fn rows(group: &Group, chip: &Target, selects: impl Fn(&Operation) -> bool) -> Option<Group> {
    let has = |ty: &str| Element::from_ir(ty).is_some_and(|element| chip.arithmetic(element).is_some());
    let mut group = group.clone();
    group.operations.retain(|row| has(&row.result) && selects(row));
    (has(&group.ty) && !group.operations.is_empty()).then_some(group)
}

fn check(chip: &Target, selects: impl Fn(&Group, &Operation) -> bool) -> usize {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for group in groups() {
        let Some(group) = rows(&group, chip, |row| selects(&group, row)) else { continue };
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
    for (backend, chip) in [("wgsl", "core"), ("wgsl", "core-f16"), ("spirv", "vulkan1.1")] {
        let count = check(&known(backend, chip), |_, _| true);
        assert!(count > 100, "only {count} rows on {chip}");
    }
}

/// Products of 8-bit and 16-bit integers: all 8-bit operands, and every 251st 16-bit operand.
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

/// Quotients of 64-bit integers on a chip that divides 32-bit integers only. The operands are near the powers of two and near
/// multiples of the divisors, where an estimate is too large by 1 or 2.
#[test]
fn words_divide_every_pair_of_64_bit_integers() {
    let mut state = 7;
    let mut divisors: Vec<u64> =
        vec![3, 7, 10, 100, 641, 0xffff_0000_ffff_ffff, 0x8000_0000_ffff_ffff, 0x8000_ffff, 0x1_8000_ffff];
    divisors.extend((0..64).flat_map(|bit| [1 << bit, (1 << bit) - 1, (1 << bit) + 1]));
    divisors.extend((0..40).map(|_| random(&mut state) >> (random(&mut state) % 64)));
    let mut operands = Vec::new();
    for divisor in &divisors {
        let quotients = [0, 1, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000, u64::MAX].into_iter();
        for quotient in quotients.chain((0..8).map(|_| random(&mut state) >> (random(&mut state) % 64))) {
            let multiple = quotient.wrapping_mul(*divisor);
            let near = [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(divisor.wrapping_sub(1)), quotient];
            operands.extend(near.map(|dividend| vec![dividend, *divisor, 0]));
        }
    }
    let row = |text: &str| Operation { text: text.into(), result: "i64".into(), ulp: 0 };
    let operations = ["divui", "remui", "divsi", "remsi"].map(|name| row(&format!("cube.{name} %a, %b : T"))).into();
    let group = Group { name: "divisions of i64".into(), ty: "i64".into(), operands, operations };
    for line in [1, 2] {
        let (text, buffers, cubes) = group.kernel(line);
        assert_eq!(differences_on(&text, &buffers, cubes, &bare()), Ok(vec![]), "lines of {line}");
    }
}

/// Conversions of integers through f32 on chips without f64. The test covers all i16 numbers, and the i32 and i64
/// numbers near each power of two, where f32 loses bits.
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
            // Only casts between floats can have a rounding mode.
            for words in ["", "from_unsigned ", "from_unsigned saturate "] {
                let text = format!("cube.cast %a {words}: T to R");
                operations.push(Operation { text, result: to.into(), ulp: 0 });
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
    let wide = |(name, types): &&(String, String)| types.contains("64") || name.contains("extended");
    let count = |left: &[(String, String)], selects: &str| left.iter().filter(|(name, _)| name == selects).count();
    // Each unit has one element.
    let core = Target { coarsens: None, ..known("wgsl", "core") };
    let mut slow = core.clone();
    slow.costs.insert(CostClass::DivInt, 100 * CostClass::UNIT);
    let left = legal(&text, &slow).expect("it is legal");
    assert_eq!(left.iter().find(wide), None);
    assert_eq!((count(&left, "arith.muli"), count(&left, "cube.divui")), (4, 0), "four products of halves");
    // The products cost more than a division of about 20 instructions.
    let left = legal(&text, &core).expect("it is legal");
    assert_eq!(left.iter().find(wide), None);
    assert_eq!((count(&left, "arith.muli"), count(&left, "cube.divui")), (0, 1), "the chip's own division");
    let native = legal(&text, &known("spirv", "vulkan1.1")).expect("it is legal");
    assert!(native.iter().any(|(name, _)| name == "arith.mului_extended"));
}

/// Conversion of an i64 to bf16 on chips with fast f64, with slow f64, and with an instruction for the
/// conversion.
#[test]
fn conversion_sequence_follows_the_costs() {
    let body = |to: &str| {
        format!(
            "  %v = cube.load %x[%i] checked : !cube.array<i64> -> i64\n  %w = cube.cast %v : i64 to {to}\n  \
             cube.store %w, %y[%i] checked : {to}, !cube.array<{to}>"
        )
    };
    let made = |to: &str, chip: &str| {
        // Each unit has one element, because `coarsen` does not change a kernel in which all cubes access the same elements.
        let text = launch(&format!("%x: !cube.array<i64>, %y: !cube.array<{to}>"), &body(to));
        let text = text.replace("absolute_pos", "unit_pos");
        // The code between the two accesses has one version.
        let target = Target { launch_guards: false, ..known("nvptx", chip) };
        let left = legal(&text, &target).expect("it is legal");
        let conversions = left.into_iter().filter(|(name, _)| name.starts_with("arith.sitofp"));
        conversions.map(|(_, ty)| ty).collect::<Vec<_>>()
    };
    // The number is rounded to odd from f64. Upstream folds the first conversion and the next rounding.
    assert_eq!(made("bf16", "sm_80"), ["f64", "f32"]);
    // One conversion is for numbers of 24 bits, and one for numbers with discarded bits.
    assert_eq!(made("bf16", "sm_86"), ["f32", "f32"]);
    assert_eq!(made("bf16", "sm_90"), ["bf16"]);
    // The conversion through f32 is exact or out of range, so upstream folds it.
    assert_eq!(made("f16", "sm_80"), ["f16"]);
}

/// A chip that has all number types but rounds neither fused products nor roots correctly.
fn inexact() -> Target {
    let mut chip = bare();
    chip.math.clear();
    divides(&mut chip);
    chip
}

/// The chip of [`inexact`], without f64.
fn inexact_single() -> Target {
    let mut chip = inexact();
    chip.elements.remove(&Element::F64);
    divides(&mut chip);
    chip
}

/// Inputs of roots: every f16 and bf16 number. Inputs of all types: random bits, numbers with close exponents,
/// and numbers whose products and sums are near the smallest normal number. The leading bits of numbers with
/// close exponents can cancel in sums.
#[test]
fn fused_products_and_roots_are_written_out_with_integers_or_f64() {
    let mut state = 0x5eed_0018u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 20
    };
    for (ty, width, mantissa, bias) in
        [("f16", 16, 10, 15), ("bf16", 16, 7, 127), ("f32", 32, 23, 127), ("f64", 64, 52, 1023)]
    {
        let near = |bits: u64, exponent: u64| {
            bits & ((1 << mantissa) - 1) | exponent << mantissa | (bits >> 40 & 1) << (width - 1)
        };
        let mut operands = Vec::new();
        for _ in 0..4000 {
            let spread = mantissa + 2;
            let [x, y, z] = [random(), random(), random()];
            let [a, b] = [x, y].map(|v| near(v << 24 ^ v, bias - spread / 2 + (v >> 8) % spread));
            operands.push(vec![a, b, near(z << 24 ^ z, bias - spread / 2 + (z >> 8) % spread)]);
        }
        for _ in 0..1000 {
            let [x, y, z] = [random(), random(), random()].map(|bits| bits << 24 ^ bits);
            operands.push([x, y, z].map(|bits| bits & u64::MAX >> (64 - width)).to_vec());
            let small = |bits: u64, most: u64| near(bits, (bits >> 8) % most);
            operands.push(vec![small(x, bias), near(y, bias - 1 - (y >> 8) % (bias / 2)), small(z, 3)]);
        }
        let row = |text: &str| Operation { text: text.into(), result: ty.into(), ulp: 0 };
        let fma = Group {
            name: format!("fma of {ty}"),
            ty: ty.into(),
            operands,
            operations: vec![row("math.fma %a, %b, %c : T")],
        };
        let all = if width == 16 {
            (0..1 << 16).collect()
        } else {
            fma.operands.iter().flatten().copied().collect::<Vec<u64>>()
        };
        let operands = all.into_iter().map(|x| vec![x; 3]).collect();
        let sqrt =
            Group { name: format!("root of {ty}"), ty: ty.into(), operands, operations: vec![row("math.sqrt %a : T")] };
        let cases = [(&fma, 1, inexact()), (&fma, 4, inexact()), (&sqrt, 1, inexact()), (&fma, 1, inexact_single())];
        for (group, lines, chip) in cases.into_iter().filter(|(_, _, chip)| ty != "f64" || chip == &inexact()) {
            let (text, buffers, cubes) = group.kernel(lines);
            assert_eq!(differences_on(&text, &buffers, cubes, &chip), Ok(vec![]), "{}", group.name);
            let left = legal(&text, &chip).expect("it is legal");
            assert_eq!(left.iter().find(|(name, _)| ["math.fma", "math.sqrt"].contains(&name.as_str())), None);
        }
        if ty == "f32" {
            let (text, ..) = fma.kernel(1);
            let size = |chip: &Target| legal(&text, chip).expect("it is legal").len();
            assert!(3 * size(&inexact()) < size(&inexact_single()), "a third of the operations in f64");
        }
    }
    let mut fused = 0;
    for group in groups() {
        let Some(group) = rows(&group, &inexact(), |row| row.names() == ["vector.fma"]) else { continue };
        fused += 1;
        let (text, buffers, cubes) = group.kernel(4);
        assert_eq!(differences_on(&text, &buffers, cubes, &inexact()), Ok(vec![]), "{}", group.name);
        let left = legal(&text, &inexact()).expect("it is legal");
        assert_eq!(left.iter().find(|(name, _)| name == "vector.fma"), None);
    }
    assert_eq!(fused, 4, "f16, bf16, f32, f64");
}

#[test]
fn math_functions_are_expanded_on_inaccurate_chips_only() {
    let of = |name: &str, ty: &str, chip: &Target| {
        let body = format!(
            "  %v = cube.load %y[%i] checked : !cube.array<{ty}> -> {ty}\n  %w = {name} %v : {ty}\n  \
             cube.store %w, %y[%i] checked : {ty}, !cube.array<{ty}>"
        );
        legal(&launch(&format!("%y: !cube.array<{ty}>"), &body), chip)
    };
    let core = known("wgsl", "core");
    let stays = |name: &str| of(name, "f32", &core).map(|left| left.iter().any(|(own, _)| own == name));
    assert_eq!((stays("math.rsqrt"), stays("math.floor")), (Ok(true), Ok(true)));
    // WGSL has no rounding of halves away from zero; its exponential and its root are not accurate.
    assert_eq!((stays("math.round"), stays("math.exp"), stays("math.sqrt")), (Ok(false), Ok(false), Ok(false)));
    let left = of("math.exp", "f32", &core).expect("it is written out");
    assert_eq!(left.iter().find(|(name, types)| name == "math.fma" || types.contains("64")), None);

    // The expansion requires integers of the float's width.
    let mut narrow = inexact();
    narrow.elements.remove(&Element::I64);
    for name in ["math.sqrt", "math.exp"] {
        let refused = of(name, "f64", &narrow).expect_err("neither a root nor an i64");
        assert!(refused.contains("CUBE0411") && refused.contains("and no i64 for an expansion"), "{refused}");
    }
}

#[test]
fn a_type_that_the_chip_lacks_is_refused_by_name() {
    let text = launch(
        "%n: i32, %y: !cube.array<i64>",
        "  %v = arith.extui %n : i32 to i64\n  cube.store %v, %y[%i] checked : i64, !cube.array<i64>",
    );
    let refused = legal(&text, &known("wgsl", "core")).expect_err("it has no i64");
    assert!(refused.contains("'cube.kernel' requires type i64, which wgsl:core does not support"), "{refused}");
    assert!(refused.contains("CUBE0412"), "{refused}");
    let data = Data { name: "y".into(), elem: elem("i64"), ty: "i64".into(), bytes: vec![0; 512], ulp: 0 };
    let numbers = Data { name: "n".into(), elem: elem("i32"), ty: "i32".into(), bytes: vec![7, 0, 0, 0], ulp: 0 };
    let text = text.replace("%n: i32", "%m: !cube.array<i32>").replace("arith.extui %n", "arith.extui %i");
    assert_eq!(differences_on(&text, &[numbers, data], 1, &bare()), Ok(vec![]));
}

/// The generated page `docs/reference/native.md` is true: legalisation keeps each operation that the page lists as
/// native, and replaces each operation that the page lists as emulated. Types that a backend emulates itself are not
/// compared.
#[test]
fn native_operations_are_those_that_legalisation_keeps() {
    let chips = [
        ("cpu", "x86-64"),
        ("nvptx", "sm_90"),
        ("amdgpu", "gfx942"),
        ("spirv", "vulkan1.3-full"),
        ("wgsl", "core-f16-subgroups"),
    ];
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for chip in chips.map(|(backend, chip)| known(backend, chip)) {
        for group in groups() {
            let Some(element) = Element::from_ir(&group.ty) else { continue };
            let of = |row: &Operation| {
                let listed = native::listed().find(|(kind, _)| row.names() == [kind.name()]);
                listed.map(|(kind, _)| (kind.name(), native::support(&chip, kind, element)))
            };
            // The table uses one result of a sum with carry, and the optimiser replaces such a sum. A divisor of one bit that is
            // not 0 is 1, so no such division remains.
            let is_division = |row: &Operation| row.text.contains("div") || row.text.contains("rem");
            let is_selected = |row: &Operation| {
                let is_replaced = row.text.contains("addui_extended") || element == Element::I1 && is_division(row);
                row.text.contains(" : T") && !is_replaced && of(row).is_some()
            };
            let Some(group) = rows(&group, &chip, is_selected) else { continue };
            if chip.arithmetic(element) != Some(Support::Native) || !group.lines().contains(&1) {
                continue;
            }
            let kept = match kept(&group.kernel(1).0, &chip) {
                Ok(kept) => kept,
                Err(why) => {
                    wrong.push(format!("{} on {}: {why}", group.name, chip.name()));
                    continue;
                }
            };
            for (name, support) in group.operations.iter().filter_map(of) {
                compared += 1;
                let is_kept = kept.contains(&(name.to_string(), group.ty.clone()));
                if is_kept != (support == Some(Support::Native)) {
                    wrong.push(format!("{name} of {} on {}: {support:?}, kept: {is_kept}", group.ty, chip.name()));
                }
            }
        }
    }
    assert!(wrong.is_empty() && compared > 1200, "{compared} compared:\n{}", wrong.join("\n"));
}
