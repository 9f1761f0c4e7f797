//! The contract of each level as data, and the pass that checks it.
//!
//! A level lists what may appear: whole dialects (`arith.*`) or single operations, and words that no type may contain.
//! `check-level` runs after every pass in tests and debug builds.
use cube_dialect::{Bounds, access_of, bounds_of};
use cube_ir::{Failed, Level, Op, PassResult, Run, Type, TypeExt, TypeLike, pass};
use std::collections::HashMap;

/// What one level allows.
pub struct Contract {
    /// The level.
    pub level: Level,
    /// Groups of operations, or `dialect.*`.
    pub ops: &'static [&'static [&'static str]],
    /// Parts of types that have no place here.
    pub no_types: &'static [&'static str],
    /// What the level means, for docs and messages.
    pub meaning: &'static str,
}

const CUBE_FLAT: &[&str] = &[
    "cube.kernel",
    "cube.return",
    "cube.topology",
    "cube.len",
    "cube.buffer_len",
    "cube.rank",
    "cube.shape",
    "cube.stride",
    "cube.coordinate",
    "cube.alloc",
    "cube.load",
    "cube.store",
    "cube.divui",
    "cube.divsi",
    "cube.remui",
    "cube.remsi",
    "cube.shl",
    "cube.shrui",
    "cube.shrsi",
    "cube.addsi_sat",
    "cube.addui_sat",
    "cube.subsi_sat",
    "cube.subui_sat",
    "cube.reverse_bits",
    "cube.cast",
    "cube.extract",
    "cube.insert",
    "cube.print",
    "builtin.module",
];

/// What stays a cube operation until each target lowers it in its own way.
const CUBE_TOGETHER: &[&str] = &[
    "cube.atomic_load",
    "cube.atomic_store",
    "cube.atomic_rmw",
    "cube.atomic_cas",
    "cube.sync",
    "cube.turn",
    "cube.plane_elect",
    "cube.plane_vote",
    "cube.plane_ballot",
    "cube.plane_reduce",
    "cube.plane_scan",
    "cube.plane_broadcast",
    "cube.plane_shuffle",
];

const UPSTREAM: &[&str] =
    &["arith.*", "math.*", "scf.if", "scf.for", "scf.while", "scf.yield", "scf.condition", "scf.index_switch"];

/// Operations on vectors of one dimension, each of which all targets and the interpreter have.
const VECTOR: &[&str] = &[
    "vector.bitcast",
    "vector.broadcast",
    "vector.deinterleave",
    "vector.extract",
    "vector.extract_strided_slice",
    "vector.fma",
    "vector.from_elements",
    "vector.insert",
    "vector.insert_strided_slice",
    "vector.interleave",
    "vector.reduction",
    "vector.shape_cast",
    "vector.shuffle",
    "vector.step",
    "vector.to_elements",
];

/// Accesses to memory that lowerings write once buffers are memrefs.
const VECTOR_MEMORY: &[&str] =
    &["vector.gather", "vector.load", "vector.maskedload", "vector.maskedstore", "vector.scatter", "vector.store"];

/// Whether an operation of `vector` may stand in a kernel as it is written.
pub(crate) fn is_vector_op(name: &str) -> bool {
    VECTOR.contains(&name)
}

/// Whether a kernel may have values of the type: of shaped types only vectors of one dimension of a fixed size.
pub(crate) fn is_kernel_type(ty: Type<'_>) -> bool {
    !ty.is_shaped() || ty.lanes().is_some()
}

/// The levels in order.
pub const CONTRACTS: &[Contract] = &[
    Contract {
        level: Level::Source,
        ops: &[&["cube.*", "layout.*", "builtin.module", "arith.*", "math.*", "scf.*", "ub.poison"], VECTOR],
        no_types: &["memref", "!llvm"],
        meaning: "as written: functions, comptime parameters, buffers",
    },
    Contract {
        level: Level::Flat,
        ops: &[CUBE_FLAT, CUBE_TOGETHER, UPSTREAM, VECTOR],
        no_types: &["!cube.param", "!cube.slice", "!layout", "memref", "!llvm"],
        meaning: "one concrete kernel: no call and no parameter is left",
    },
    Contract {
        level: Level::Legal,
        ops: &[
            &[
                "builtin.module",
                "cube.kernel",
                "cube.return",
                "cube.topology",
                "memref.load",
                "memref.store",
                "memref.dim",
                "memref.alloca",
            ],
            CUBE_TOGETHER,
            UPSTREAM,
            VECTOR,
            VECTOR_MEMORY,
        ],
        no_types: &["!cube", "!llvm"],
        meaning: "buffers are memrefs, every access is in bounds, integer operations are bare",
    },
    Contract {
        level: Level::Lowered,
        ops: &[&["builtin.module", "builtin.unrealized_conversion_cast", "llvm.*", "nvvm.*", "rocdl.*"]],
        no_types: &["!cube"],
        meaning: "functions of the LLVM dialect",
    },
];

pass! {
    name: "check-level",
    summary: "checks that everything in the module belongs to a level",
    on: "builtin.module",
    level: Any => Any,
    options: { level: Text("flat") = "source, flat, legal or lowered" },
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    run.unchanged();
    let name = run.text("level");
    let Some(contract) = CONTRACTS.iter().find(|c| c.level.name() == name) else {
        let known: Vec<&str> = CONTRACTS.iter().map(|c| c.level.name()).collect();
        run.root().error(format!("there is no level '{name}'; levels are {} [CUBE0330]", known.join(", ")));
        return Err(Failed);
    };
    check(run.root(), contract)
}

/// Whether everything inside `root` belongs to the level; the first thing that does not is reported.
pub fn check(root: Op<'_>, contract: &Contract) -> PassResult {
    let mut known: HashMap<usize, Option<&str>> = HashMap::new();
    for op in root.walk() {
        if !allows(contract, op.name()) {
            return Err(misplaced(op, contract));
        }
        let operands = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
        for value in op.results().chain(operands) {
            let ty = value.ty();
            let wrong = known.entry(ty.to_raw().ptr as usize).or_insert_with(|| {
                let text = ty.to_string();
                contract.no_types.iter().copied().find(|w| text.contains(w))
            });
            if let Some(word) = wrong {
                return Err(mistyped(op, &ty.to_string(), contract, word));
            }
        }
    }
    Ok(())
}

/// What a lowering asks before it starts: whether `kernel` is at the level it needs.
pub fn require(kernel: Op<'_>, level: Level) -> PassResult {
    CONTRACTS.iter().find(|c| c.level == level).map_or(Ok(()), |contract| check(kernel, contract))
}

/// The same in the middle of a lowering: operations of `started` may be there already, with types of theirs.
pub fn require_with(kernel: Op<'_>, level: Level, started: &[&'static str]) -> PassResult {
    let Some(contract) = CONTRACTS.iter().find(|c| c.level == level) else { return Ok(()) };
    for op in kernel.walk() {
        let known = started.iter().any(|allowed| is_of(allowed, op.name()));
        if !known && !allows(contract, op.name()) {
            return Err(misplaced(op, contract));
        }
    }
    // The kernel's arguments are of the level still.
    for arg in kernel.body().into_iter().flat_map(|b| b.args().collect::<Vec<_>>()) {
        let text = arg.ty().to_string();
        if let Some(word) = contract.no_types.iter().find(|w| text.contains(**w)) {
            return Err(mistyped(kernel, &text, contract, word));
        }
    }
    Ok(())
}

/// The bounds of an access, which `specialize` has decided; `None` for other operations.
pub(crate) fn decided_bounds(run: &Run<'_>, op: Op<'_>) -> Result<Option<Bounds>, Failed> {
    match (access_of(op), bounds_of(op)) {
        (Some(_), None) => {
            let pass = run.name();
            op.error(format!("an access of undecided bounds reached {pass}; run specialize before it [CUBE0310]"));
            Err(Failed)
        }
        (access, bounds) => Ok(access.and(bounds)),
    }
}

fn mistyped(op: Op<'_>, ty: &str, contract: &Contract, word: &str) -> Failed {
    op.error(format!("type {ty} has no place at level {}: {word} ends before it [CUBE0332]", contract.level.name()));
    Failed
}

fn misplaced(op: Op<'_>, contract: &Contract) -> Failed {
    let way = match (INSTEAD.iter().find(|(foreign, _)| *foreign == op.name()), contract.level) {
        (Some((_, instead)), Level::Source | Level::Flat) => format!("write {instead} instead"),
        // Nothing runs before it that could replace an operation.
        (None, Level::Source) => "write it with operations of that level, which docs/reference/levels.md lists".into(),
        _ => "an earlier pass should have replaced it".into(),
    };
    op.error(format!(
        "'{}' does not belong to level {} ({}); {way} [CUBE0331]",
        op.name(),
        contract.level.name(),
        contract.meaning
    ));
    Failed
}

/// Operations that kernels use elsewhere in MLIR, and what a kernel of the cube dialect has in their place.
const INSTEAD: &[(&str, &str)] = &[
    ("gpu.barrier", "cube.sync cube"),
    ("gpu.thread_id", "cube.topology unit_pos_x (or _y, _z)"),
    ("gpu.block_id", "cube.topology cube_pos_x (or _y, _z)"),
    ("gpu.global_id", "cube.topology absolute_pos_x (or _y, _z)"),
    ("gpu.block_dim", "cube.topology cube_dim_x (or _y, _z)"),
    ("gpu.grid_dim", "cube.topology cube_count_x (or _y, _z)"),
    ("gpu.lane_id", "cube.topology unit_pos_plane"),
    ("gpu.subgroup_id", "cube.topology plane_pos"),
    ("gpu.subgroup_size", "cube.topology plane_dim"),
    ("gpu.shuffle", "cube.plane_shuffle"),
    ("gpu.subgroup_reduce", "cube.plane_reduce"),
    ("gpu.printf", "cube.print"),
    ("gpu.func", "cube.kernel"),
    ("gpu.return", "cube.return"),
    ("func.func", "cube.func"),
    ("func.call", "cube.call"),
    ("func.return", "cube.return"),
    ("memref.load", "cube.load"),
    ("memref.store", "cube.store"),
    ("memref.alloc", "cube.alloc"),
    ("memref.alloca", "cube.alloc"),
    ("memref.atomic_rmw", "cube.atomic_rmw"),
    ("memref.dim", "cube.shape, or cube.len"),
];

impl Contract {
    /// Whether an operation may stand at this level.
    pub fn allows(&self, name: &str) -> bool {
        allows(self, name)
    }
}

fn allows(contract: &Contract, name: &str) -> bool {
    contract.ops.iter().copied().flatten().any(|allowed| is_of(allowed, name))
}

fn is_of(allowed: &str, name: &str) -> bool {
    allowed.strip_suffix('*').map_or(name == allowed, |dialect| name.starts_with(dialect))
}
