//! Common lowering of all LLVM targets: from structured control flow and memrefs to the LLVM dialect.
//!
//! [`STEPS`] ends the `lower` phase of every LLVM backend. The other modules are parts of the backends' own passes:
//! functions and memref descriptors ([`kernel_parts`]), static allocations ([`memory`]), saturating sums, and atomic
//! operations.
#![forbid(unsafe_code)]
pub mod atomics_to_llvm;
pub mod attach_debug_info;
pub mod compare_loop;
pub mod fast_math;
pub mod intrinsics;
pub mod kernel_parts;
pub mod lower_loop_cancellation;
pub mod memory;
pub mod saturating_sums;

use cube_ir::{
    Dialect, Level, Pass,
    ops::{builtin, cube},
};
use cube_passes::{
    levels::{
        Allowed::{self, All, One},
        Contract, NOT_LLVM, Types,
    },
    phases::{RequestValue, Step, step, upstream, upstream_with},
};

/// The passes of this crate. The driver registers the passes of this crate with the passes of the backends.
pub const PASSES: [&Pass; 3] = [&atomics_to_llvm::PASS, &lower_loop_cancellation::PASS, &attach_debug_info::PASS];

/// The steps from structured control flow and memrefs to the LLVM dialect. The steps of this list are the last
/// steps of phase `lower` in every LLVM backend.
pub const STEPS: [Step; 12] = [
    upstream(
        "canonicalize",
        builtin::MODULE.name(),
        "removes dead and constant operations while control flow is structured",
    ),
    upstream("convert-vector-to-scf", builtin::MODULE.name(), "replaces vector transfers by loops"),
    // To support rollback, the pass records every operation behind a branch, for every branch. The memory of the
    // pass therefore grows with the square of the kernel's size.
    upstream_with(
        "convert-scf-to-cf",
        "allow-pattern-rollback=false",
        builtin::MODULE.name(),
        "LLVM has branches between blocks, and no regions",
    ),
    step(
        &lower_loop_cancellation::PASS,
        "",
        "after the lowering to blocks, a cancelled loop can return from the kernel",
    ),
    upstream("convert-vector-to-llvm", builtin::MODULE.name(), "lines become LLVM vectors"),
    upstream(
        "convert-math-to-llvm",
        builtin::MODULE.name(),
        "the remaining math operations map to instructions: fma, sqrt, abs, rounding",
    ),
    upstream("finalize-memref-to-llvm", builtin::MODULE.name(), "memrefs become pointers and lengths"),
    upstream(
        "convert-arith-to-llvm",
        builtin::MODULE.name(),
        "lowers arithmetic, including the index arithmetic of the preceding lowering of memrefs",
    ),
    upstream(
        "convert-cf-to-llvm",
        builtin::MODULE.name(),
        "lowers branches, whose operands have LLVM's types after the preceding passes",
    ),
    upstream(
        "reconcile-unrealized-casts",
        builtin::MODULE.name(),
        "removes pairs of casts between pointers and memref descriptors",
    )
    .producing(Level::Llvm),
    step(&attach_debug_info::PASS, "", "last, on the code that LLVM receives").takes(RequestValue::Folder).only_debug(),
    step(&attach_debug_info::PASS, "lines=true", "last, on the code that LLVM receives")
        .takes(RequestValue::Folder)
        .only_lines(),
];

/// The operations that level device allows for LLVM targets. Functions contain structured control flow or basic
/// blocks, and access memory through memrefs and pointers.
pub const DEVICE: &[Allowed] = &[
    One(builtin::MODULE),
    One(builtin::UNREALIZED_CONVERSION_CAST),
    All(Dialect::Llvm),
    All(Dialect::Arith),
    All(Dialect::Math),
    All(Dialect::Scf),
    All(Dialect::Cf),
    All(Dialect::Memref),
    All(Dialect::Vector),
    One(cube::MAY_NOT_TERMINATE),
    // A later pass lowers atomics, after the addresses of memrefs are available.
    One(cube::ATOMIC_LOAD),
    One(cube::ATOMIC_STORE),
    One(cube::ATOMIC_RMW),
    One(cube::ATOMIC_CAS),
];

/// The contract of level device of a backend that uses LLVM; `ops` are [`DEVICE`] and the target's operations.
pub const fn device(ops: &'static [&'static [Allowed]]) -> Contract {
    Contract {
        level: Level::Device,
        ops,
        no_types: &[Types::Of(Dialect::Cube)],
        meaning: "functions of the target, with its operations for positions, barriers and planes",
    }
}

/// The contract of level llvm for modules with target operations; `ops` are [`cube_passes::levels::LLVM`] and the
/// target's operations.
pub const fn llvm(ops: &'static [&'static [Allowed]]) -> Contract {
    Contract {
        level: Level::Llvm,
        ops,
        no_types: NOT_LLVM,
        meaning: "functions of the LLVM dialect, with operations of the target",
    }
}

/// The contract of level mixed of a backend that uses LLVM; `ops` are [`cube_passes::levels::LEGAL`] and the
/// operations that the backend's passes add.
pub const fn mixed(ops: &'static [&'static [Allowed]], meaning: &'static str) -> Contract {
    Contract { level: Level::Mixed, ops, no_types: &[Types::Of(Dialect::Cube)], meaning }
}

/// A backend's own steps, followed by [`STEPS`]; `N` is the number of all steps.
pub const fn before_llvm<const N: usize>(own: &[Step]) -> [Step; N] {
    assert!(N == own.len() + STEPS.len());
    let mut all = [STEPS[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < own.len() { own[i] } else { STEPS[i - own.len()] };
        i += 1;
    }
    all
}
