//! Computes with 32 bits what fits, on chips without integers of 64 bits.
//!
//! ```mlir
//! %w = arith.extui %i : i32 to i64
//! %m = arith.minui %w, %c4294967295 : i64      %m32 = arith.minui %i, %c-1 : i32
//! %n = arith.trunci %m : i64 to i32       ->   %n = %m32
//! ```
//!
//! Wide integers come from the types of the source: the index of `array[i as usize]` has 64 bits. The pass uses MLIR's
//! patterns of `arith-int-range-narrowing` with the bounded analysis of `fold-ranges`. A sum or product that can exceed
//! 32 bits is not narrowed, and the check of the target refuses it by name. The pass does nothing if the chip computes with
//! 64 bits. Cost: linear, with the bound on visits as factor.
use super::fold_ranges::VISITS;
use cube_dialect::target_of;
use cube_ir::{PassResult, Run, narrow_to_ranges, pass};
use cube_target::Element;

pass! {
    name: "narrow-integers",
    summary: "computes with 32 bits what fits, on chips without integers of 64 bits",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    statistics: ["kernels narrowed"],
    run: run,
}

fn run(run: &mut Run<'_>) -> PassResult {
    let target = target_of(run.root());
    if target.arithmetic(Element::I64).is_none()
        && target.arithmetic(Element::I32).is_some()
        && narrow_to_ranges(run.root(), VISITS, 32)
    {
        run.count("kernels narrowed", 1);
    }
    Ok(())
}
