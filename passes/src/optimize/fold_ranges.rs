//! Replaces values whose ranges contain one number by constants, by MLIR's analysis of integer ranges.
//!
//! ```mlir
//! %u = cube.topology unit_pos_x        // cube_dim(8, 1, 1)
//! %c = arith.cmpi ult, %u, %c8 : i32
//! ->
//! %c = arith.constant true
//! ```
//!
//! MLIR's pass `int-range-optimizations` uses the same analysis without a bound on its steps. The analysis computes
//! ranges until none of them changes, and gives a value the full range of its type if a loop carries it to the next
//! iteration and its range changes. The analysis does not find such a value if an operation computes it and an inner
//! loop carries it, unchanged, to the end of the outer loop. The range then grows by one number in each step, so the
//! analysis needs 2^32 steps, or 2^64. The bound on visits of an operation ends these steps, and can only make ranges
//! larger. Cost: linear, with the bound as factor.
use cube_ir::{PassResult, Run, fold_ranges, pass};

pass! {
    name: "fold-ranges",
    summary: "replaces values and comparisons by constants if their ranges allow only one value",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    options: { visits: Int(64) = "visits of one operation after which the analysis assumes the full range of its results" },
    statistics: ["ranges widened"],
    run: run,
}

fn run(run: &mut Run<'_>) -> PassResult {
    let widened = fold_ranges(run.root(), run.int("visits").max(1));
    run.count("ranges widened", widened);
    Ok(())
}
