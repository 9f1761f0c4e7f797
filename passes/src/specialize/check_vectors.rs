//! Refuses vectors and vector operations that no target supports, and reports their location.
//!
//! ```mlir
//! %m = vector.shape_cast %v : vector<16xi32> to vector<4x4xi32>     // refused: CUBE0416
//! vector.print %v : vector<16xi32>                                  // refused: CUBE0415
//! ```
//!
//! Invariant: every vector has one dimension of a fixed size. Every remaining operation of `vector` is allowed at level
//! source (`levels.rs`). The pass also checks the operation names in `cube.generic`. The pass is the first step of the
//! phase, because locations and names then still correspond to the source text. Cost: linear.
use crate::levels::{is_kernel_type, is_vector_op};
use cube_dialect::ops;
use cube_ir::ops::vector;
use cube_ir::{AttrExt, Failed, Op, PassResult, Run, Type, TypeLike, pass};
use cube_ir::{Dialect, OpKind};
use std::collections::HashSet;

pass! {
    name: "check-vectors",
    summary: "refuses vectors of several dimensions, and operations on such vectors",
    on: builtin::MODULE,
    level: Source => Source,
    run: run,
}

const MANY_DIMS: &str = "it is for vectors of several dimensions; write it with vectors of one dimension: vector.shuffle, \
    vector.reduction, vector.fma and arith";
const MASKS: &str = "vector masks are unsupported; compare lanes with arith.cmpi and choose with arith.select";
const MEMORY: &str = "it does not support buffers; use cube.load and cube.store";
const SCALABLE: &str = "the number of lanes must be known at compile time; use vectors of a fixed size";

/// Operations of the dialect `vector` that are not allowed in kernels, with their replacements.
const REFUSED: &[(&str, &[OpKind])] = &[
    (MANY_DIMS, &[vector::CONTRACT, vector::MULTI_REDUCTION, vector::OUTERPRODUCT, vector::SCAN, vector::TRANSPOSE]),
    (MASKS, &[vector::CONSTANT_MASK, vector::CREATE_MASK, vector::MASK]),
    (SCALABLE, &[vector::SCALABLE_EXTRACT, vector::SCALABLE_INSERT, vector::VSCALE]),
    ("it calls a library of the host; print with cube.print", &[vector::PRINT]),
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    run.unchanged();
    let mut known: HashSet<usize> = HashSet::new();
    for op in run.root().walk() {
        let chosen = ["float_op", "int_op"].into_iter().filter_map(|word| op.attr(word)?.as_str());
        let chosen = chosen.filter(|_| op.is(ops::Generic::KIND));
        let chosen = chosen.map(OpKind::from_name);
        if let Some(kind) = [op.kind()].into_iter().chain(chosen).find(|kind| is_refused(*kind)) {
            return Err(refuse(op, kind));
        }
        let arguments =
            op.regions().flat_map(|region| region.blocks()).flat_map(|block| block.args().collect::<Vec<_>>());
        for value in op.results().chain(arguments) {
            let ty = value.ty();
            if known.insert(ty.to_raw().ptr as usize) && !is_kernel_type(ty) {
                return Err(refuse_type(op, ty));
            }
        }
    }
    Ok(())
}

// The terminator of the region of `vector.mask` is not reported separately: `vector.mask` itself is refused.
fn is_refused(kind: OpKind) -> bool {
    kind.dialect() == Some(Dialect::Vector) && kind != vector::YIELD && !is_vector_op(kind)
}

fn refuse(op: Op<'_>, kind: OpKind) -> Failed {
    let why = REFUSED.iter().find(|(_, kinds)| kinds.contains(&kind)).map_or(MEMORY, |(why, _)| why);
    op.error(cube_ir::diagnostic!(CUBE0415.operation { other: kind, why }));
    Failed
}

fn refuse_type(op: Op<'_>, ty: Type<'_>) -> Failed {
    op.error(cube_ir::diagnostic!(CUBE0416.shape { ty }));
    Failed
}
