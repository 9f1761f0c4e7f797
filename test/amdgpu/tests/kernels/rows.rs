//! Tests the operations on numbers in the fuzzer's table (`fuzz/src/table.rs`), which has a row for every operation and
//! keyword. docs/reference/levels.md lists all other operations, which `cargo test -p cube-test --test support` tests.
use super::{Case, Prepared, WITH_CONVERSIONS, judged};
use cube_amdgpu_test::Emulator;
use cube_artifact::CompileOptions;
use cube_backend_interp::Arg;
use cube_fuzz::settings::number;
use cube_fuzz::table::{Group, Operation, groups};
use libtest_mimic::Failed;

fn case(group: &Group, line: usize, chip: &str) -> Case {
    let (text, buffers, cubes) = group.kernel(line);
    let args = buffers.into_iter().map(|data| Arg::Buffer { bytes: data.bytes, initialised: true }).collect();
    let (name, options) = (format!("{} in lines of {line} on {chip}", group.name), CompileOptions::default());
    Case { name, text, options, args, cubes: [cubes, 1, 1] }
}

/// Maximum percentage of launches that the emulator does not support. Examples are `v_add_co_u32`
/// with DPP and `v_div_fixup_f16` of some scalars.
const MAX_UNSUPPORTED: usize = 5;

/// Runs the rows for which `selects` is true in the emulator, for each chip. Returns their number.
fn compared(
    emulator: &Emulator,
    chips: &[(&str, u32)],
    selects: impl Fn(&Group, &Operation) -> bool,
) -> Result<usize, Failed> {
    let (mut cases, mut wrong, mut rows) = (Vec::<Prepared>::new(), Vec::new(), 0);
    for mut group in groups() {
        let own = group.clone();
        group.operations.retain(|row| selects(&own, row));
        if group.operands.is_empty() || group.operations.is_empty() {
            continue;
        }
        rows += group.operations.len();
        // The sign of a NaN is not part of a result, and a bitcast to an integer shows it.
        let largest =
            [("f16", 0xFC00), ("bf16", 0xFF80)].into_iter().find(|(ty, _)| *ty == group.ty).map(|(_, bits)| bits);
        group.operands.retain(|operands| largest.is_none_or(|most| operands[0] <= most));
        for ((chip, lanes), line) in chips.iter().flat_map(|chip| group.lines().iter().map(move |line| (chip, *line))) {
            let case = case(&group, line, chip);
            match case.compile(chip).and_then(|artifact| case.prepare(&artifact, *lanes)) {
                Ok(case) => cases.push(case),
                Err(why) => wrong.push(why),
            }
        }
    }
    let names: Vec<&str> = chips.iter().map(|(chip, _)| *chip).collect();
    let names = names.join(" and ");
    let unsupported = judged(emulator, &names, &cases, wrong, MAX_UNSUPPORTED)?.len();
    println!("{rows} rows in {} launches on {names}, {unsupported} unsupported by the emulator", cases.len());
    Ok(rows)
}

/// Tests three groups of rows on chips with conversion instructions (gfx950 and gfx12). The first two groups are
/// conversions between f32 and narrower floats, and conversions of other numbers to 8-bit floats. The third group is
/// minima and maxima of bf16 with all zeros and NaN.
pub fn narrow(emulator: &Emulator, _: &str, _: u32) -> Result<(), Failed> {
    let narrow = ["f8E4M3FN", "f8E5M2", "bf16", "f16"];
    let extremes = ["arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"];
    let rows = compared(emulator, &WITH_CONVERSIONS, |group, row| {
        let (from, to) = (group.ty.as_str(), row.result.as_str());
        let cast = row.text == "cube.cast %a : T to R" || row.text == "cube.cast %a saturate : T to R";
        let converts = narrow.contains(&from) && to == "f32" || from == "f32" && narrow.contains(&to);
        // Unsigned integers have another operation.
        let unsigned = row.text == "cube.cast %a from_unsigned : T to R";
        let to_bytes =
            to.starts_with("f8") && (cast || unsigned) && ["f16", "bf16", "i8", "i32", "i64"].contains(&from);
        let extreme = from == "bf16" && extremes.iter().any(|name| row.text.starts_with(name));
        cast && converts || to_bytes || extreme
    })?;
    if rows >= 44 { Ok(()) } else { Err(format!("only {rows} rows").into()) }
}

/// Tests all rows with lines of every size; `CUBE_FUZZ_SEED` and `CUBE_FUZZ_PARTS` select a part of the rows.
/// The test `code_objects.rs` checks that each operation compiles.
pub fn every_row(emulator: &Emulator, chip: &str, lanes: u32) -> Result<(), Failed> {
    let (part, parts) = (number("CUBE_FUZZ_SEED", 0), number("CUBE_FUZZ_PARTS", 1));
    let own = |group: &Group| group.name.bytes().map(u64::from).sum::<u64>() % parts == part;
    compared(emulator, &[(chip, lanes)], |group, _| own(group)).map(drop)
}
