//! The contract of each level as data, and the check of a kernel against a contract.
//!
//! A level lists the allowed operations and the forbidden types. The list of allowed operations contains whole
//! dialects (`arith.*`) and single operations. In tests and debug builds, the driver checks the level after every
//! pass.
use crate::legalize::expand_math;
use crate::native::{Native, integer_function, math_function};
use cube_dialect::{Bounds, BufferKind, BufferType, access_of, bounds_of, ops, param_name};
use cube_ir::ops::{builtin, cube, func, gpu, math, memref, scf, ub, vector};
use cube_ir::{Dialect, Failed, Level, Op, OpKind, PassResult, Run, Type, TypeExt, TypeLike, pass};
use std::collections::HashMap;

/// An entry in the list of operations that a level allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// An operation.
    One(OpKind),
    /// Every operation of a dialect.
    All(Dialect),
}
use Allowed::{All, One};

impl Allowed {
    fn is(self, kind: OpKind) -> bool {
        match self {
            One(own) => own == kind,
            All(dialect) => kind.dialect() == Some(dialect),
        }
    }
}

impl std::fmt::Display for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            One(kind) => kind.fmt(f),
            All(dialect) => write!(f, "{}.*", dialect.name()),
        }
    }
}

/// Types that a level forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// Every type of a dialect.
    Of(Dialect),
    /// A type parameter, `!cube.param`.
    Param,
    /// A slice of a buffer, `!cube.slice`.
    Slice,
    /// Every `memref`.
    Memref,
    /// The type `index`, whose width depends on the target.
    Index,
}

impl Types {
    /// Whether the forbidden types include `ty` or its element type.
    fn contain(self, ty: Type<'_>) -> bool {
        let buffer = BufferType::of(ty);
        let element = buffer.map(|buffer| buffer.element).or_else(|| ty.view_line()).unwrap_or_else(|| ty.element());
        let own = match self {
            Types::Of(dialect) => ty.dialect() == Some(dialect),
            Types::Param => param_name(None, Some(ty)).is_some(),
            Types::Slice => buffer.is_some_and(|buffer| buffer.kind == BufferKind::Slice),
            Types::Memref => ty.is_memref(),
            Types::Index => ty.is_index(),
        };
        own || element != ty && self.contain(element)
    }
}

impl std::fmt::Display for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Types::Of(dialect) => write!(f, "!{}", dialect.name()),
            Types::Param => f.write_str("!cube.param"),
            Types::Slice => f.write_str("!cube.slice"),
            Types::Memref => f.write_str("memref"),
            Types::Index => f.write_str("index"),
        }
    }
}

/// The contract of one level.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    pub level: Level,
    /// The allowed groups of operations. A group can contain all operations of a dialect.
    pub ops: &'static [&'static [Allowed]],
    /// The forbidden types of values at this level, and of their elements.
    pub no_types: &'static [Types],
    /// The meaning of the level, for docs and messages.
    pub meaning: &'static str,
}

/// Operations of the cube dialect whose declaration names `flat` as their last level.
const CUBE_FLAT: [Allowed; ops::UNTIL_FLAT.len()] = each(ops::UNTIL_FLAT);

/// Operations of the cube dialect whose declaration names `legal` as their last level.
const CUBE_LEGAL: [Allowed; ops::UNTIL_LEGAL.len()] = each(ops::UNTIL_LEGAL);

const fn each<const N: usize>(kinds: &[OpKind]) -> [Allowed; N] {
    let mut all = [One(OpKind::Unknown); N];
    let mut i = 0;
    while i < N {
        all[i] = One(kinds[i]);
        i += 1;
    }
    all
}

const MODULE: &[Allowed] = &[One(builtin::MODULE)];

const UPSTREAM: &[Allowed] = &[
    All(Dialect::Arith),
    All(Dialect::Math),
    One(scf::IF),
    One(scf::FOR),
    One(scf::WHILE),
    One(scf::YIELD),
    One(scf::CONDITION),
    One(scf::INDEX_SWITCH),
];

/// Operations on vectors of one dimension. Each backend either refuses these operations or lowers them in its own
/// crate.
const VECTOR: &[Allowed] = &[
    One(vector::BITCAST),
    One(vector::BROADCAST),
    One(vector::DEINTERLEAVE),
    One(vector::EXTRACT),
    One(vector::EXTRACT_STRIDED_SLICE),
    One(vector::FMA),
    One(vector::FROM_ELEMENTS),
    One(vector::INSERT),
    One(vector::INSERT_STRIDED_SLICE),
    One(vector::INTERLEAVE),
    One(vector::REDUCTION),
    One(vector::SHAPE_CAST),
    One(vector::SHUFFLE),
    One(vector::STEP),
    One(vector::TO_ELEMENTS),
];

/// Vector accesses to memory. Lowerings create vector accesses after buffers have become memrefs.
const VECTOR_MEMORY: &[Allowed] = &[
    One(vector::GATHER),
    One(vector::LOAD),
    One(vector::MASKEDLOAD),
    One(vector::MASKEDSTORE),
    One(vector::SCATTER),
    One(vector::STORE),
];

/// Whether an operation of `vector` is allowed in a kernel's source.
pub(crate) fn is_vector_op(kind: OpKind) -> bool {
    VECTOR.contains(&One(kind))
}

/// Whether kernels can have values of the type `ty`. The only shaped types of kernels are vectors with one dimension of
/// a fixed size.
pub(crate) fn is_kernel_type(ty: Type<'_>) -> bool {
    !ty.is_shaped() || ty.lanes().is_some()
}

/// Groups of operations that the level `legal` allows on every target.
pub const LEGAL: &[&[Allowed]] = &[
    MODULE,
    &[One(memref::LOAD), One(memref::STORE), One(memref::DIM), One(memref::ALLOCA)],
    &CUBE_LEGAL,
    UPSTREAM,
    VECTOR,
    VECTOR_MEMORY,
];

/// Returns `groups` with one more group, for the contract of a target. `N` is the resulting number of groups.
pub const fn and<const N: usize>(groups: &[&'static [Allowed]], more: &'static [Allowed]) -> [&'static [Allowed]; N] {
    assert!(N == groups.len() + 1);
    let mut all = [more; N];
    let mut i = 0;
    while i < groups.len() {
        all[i] = groups[i];
        i += 1;
    }
    all
}

/// The contract of level legal, which is the same for all backends.
pub const LEGAL_LEVEL: Contract = Contract {
    level: Level::Legal,
    ops: LEGAL,
    no_types: &[Types::Of(Dialect::Cube), Types::Of(Dialect::Llvm)],
    meaning: "a kernel with memrefs for buffers, with all accesses in bounds, and with integer operations of arith",
};

/// The operations that level `llvm` allows on every target.
pub const LLVM: &[Allowed] = &[One(builtin::MODULE), All(Dialect::Llvm)];

/// The types that level `llvm` forbids on every target: the types that the last lowerings replace.
pub const NOT_LLVM: &[Types] = &[Types::Of(Dialect::Cube), Types::Memref, Types::Index];

/// The levels whose contract each backend defines.
pub const OF_BACKENDS: [Level; 2] = [Level::Mixed, Level::Device];

/// The contracts that all targets share, in the order of the levels. The levels in [`OF_BACKENDS`] have one contract
/// for each backend.
pub const CONTRACTS: &[Contract] = &[
    Contract {
        level: Level::Source,
        ops: &[
            &[
                All(Dialect::Cube),
                All(Dialect::Layout),
                One(builtin::MODULE),
                All(Dialect::Arith),
                All(Dialect::Math),
                All(Dialect::Scf),
                One(ub::POISON),
            ],
            VECTOR,
        ],
        no_types: &[Types::Memref, Types::Of(Dialect::Llvm)],
        meaning: "the kernel as written, with functions, comptime parameters and buffers",
    },
    Contract {
        level: Level::Flat,
        ops: &[MODULE, &CUBE_FLAT, &CUBE_LEGAL, UPSTREAM, VECTOR],
        no_types: &[Types::Param, Types::Slice, Types::Of(Dialect::Layout), Types::Memref, Types::Of(Dialect::Llvm)],
        meaning: "one concrete kernel, without calls and comptime parameters",
    },
    LEGAL_LEVEL,
    Contract { level: Level::Llvm, ops: &[LLVM], no_types: NOT_LLVM, meaning: "functions of the LLVM dialect" },
];

pass! {
    name: "check-level",
    summary: "checks that all operations of the module belong to a level",
    on: builtin::MODULE,
    level: Any => Any,
    options: { level: Text("flat") = "source, flat, legal or llvm; the levels mixed and device have a contract for each backend" },
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    run.unchanged();
    let name = run.text("level");
    if let Some(level) = OF_BACKENDS.map(Level::name).into_iter().find(|level| *level == name) {
        run.root().error(cube_ir::diagnostic!(CUBE0365.of_backends { level }));
        return Err(Failed);
    }
    let Some(contract) = CONTRACTS.iter().find(|c| c.level.name() == name) else {
        let known: Vec<&str> = CONTRACTS.iter().map(|c| c.level.name()).collect();
        run.root().error(cube_ir::diagnostic!(CUBE0330.unknown { name, known: known.join(", ") }));
        return Err(Failed);
    };
    check(run.root(), contract)
}

/// Checks that all operations inside `root` belong to the level, and reports the first violation.
pub fn check(root: Op<'_>, contract: &Contract) -> PassResult {
    let mut known: HashMap<usize, Option<Forbidden>> = HashMap::new();
    for op in root.walk() {
        if !allows(contract, op.kind()) && !is_native(contract, op) || lacks_function(contract, op) {
            return Err(misplaced(op, contract));
        }
        let operands = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
        for value in op.results().chain(operands) {
            let ty = value.ty();
            let wrong = known.entry(ty.to_raw().ptr as usize).or_insert_with(|| {
                let rank = contract.level > Level::Source && !is_of_lines(ty);
                forbidden(ty, contract).or(rank.then_some(Forbidden::Rank))
            });
            if let Some(wrong) = *wrong {
                return Err(mistyped(op, ty, contract, wrong));
            }
        }
    }
    Ok(())
}

/// The reason why a level forbids a type.
#[derive(Clone, Copy)]
enum Forbidden {
    Type(Types),
    /// The type is neither a scalar nor a vector with one dimension ([`is_of_lines`]).
    Rank,
}

fn forbidden(ty: Type<'_>, contract: &Contract) -> Option<Forbidden> {
    contract.no_types.iter().copied().find(|types| types.contain(ty)).map(Forbidden::Type)
}

// Whether a value, or an element of memory, is a scalar or a line. Passes and targets support no other types.
fn is_of_lines(ty: Type<'_>) -> bool {
    let is_line = |ty: Type<'_>| ty.is_scalar() || ty.lanes().is_some();
    is_line(ty) || is_line(ty.element()) && ty.element() != ty && !ty.is_vector()
}

/// Checks the precondition of a lowering: `kernel` is at the required level.
pub fn require(kernel: Op<'_>, level: Level) -> PassResult {
    CONTRACTS.iter().find(|c| c.level == level).map_or(Ok(()), |contract| check(kernel, contract))
}

/// Checks that all results inside `kernel` are numbers or lines, for a lowering that supports only these types.
pub fn require_lines(kernel: Op<'_>, level: Level) -> PassResult {
    let mut known: HashMap<usize, bool> = HashMap::new();
    let Some(contract) = CONTRACTS.iter().find(|c| c.level == level) else { return Ok(()) };
    for op in kernel.walk() {
        for ty in op.results().map(|value| value.ty()) {
            if !*known.entry(ty.to_raw().ptr as usize).or_insert_with(|| is_of_lines(ty)) {
                return Err(mistyped(op, ty, contract, Forbidden::Rank));
            }
        }
    }
    Ok(())
}

/// Checks the precondition of a partial lowering. Operations and types of the dialects in `started` are also allowed,
/// because an earlier lowering has emitted them.
pub fn require_with(kernel: Op<'_>, level: Level, started: &[Dialect]) -> PassResult {
    let Some(contract) = CONTRACTS.iter().find(|c| c.level == level) else { return Ok(()) };
    for op in kernel.walk() {
        let known = started.iter().any(|dialect| op.is_of(*dialect));
        if !known && !allows(contract, op.kind()) && !is_native(contract, op) {
            return Err(misplaced(op, contract));
        }
    }
    // The kernel's arguments have types of the level until the lowering of the kernel.
    for arg in kernel.body().into_iter().flat_map(|b| b.args().collect::<Vec<_>>()) {
        if let Some(wrong) = forbidden(arg.ty(), contract) {
            return Err(mistyped(kernel, arg.ty(), contract, wrong));
        }
    }
    Ok(())
}

/// The bounds mode of an access, which the phase `specialize` has decided. `None` for other operations.
pub(crate) fn decided_bounds(run: &Run<'_>, op: Op<'_>) -> Result<Option<Bounds>, Failed> {
    match (access_of(op), bounds_of(op)) {
        (Some(_), None) => {
            let pass = run.name();
            op.error(cube_ir::diagnostic!(CUBE0310.undecided { pass }));
            Err(Failed)
        }
        (access, bounds) => Ok(access.and(bounds)),
    }
}

fn mistyped(op: Op<'_>, ty: Type<'_>, contract: &Contract, wrong: Forbidden) -> Failed {
    let level = contract.level.name();
    op.error(match wrong {
        Forbidden::Rank => cube_ir::diagnostic!(CUBE0332.rank { ty, level }),
        Forbidden::Type(types) => cube_ir::diagnostic!(CUBE0332.ends { ty, level, word: types }),
    });
    Failed
}

fn misplaced(op: Op<'_>, contract: &Contract) -> Failed {
    let advice = match (INSTEAD.iter().find(|(foreign, _)| *foreign == op.kind()), contract.level) {
        (Some((_, instead)), Level::Source | Level::Flat) => format!("write {instead} instead"),
        // At level source no pass has run, so the fix is in the source.
        (None, Level::Source) => "write it with operations of that level, which docs/reference/levels.md lists".into(),
        _ => "an earlier pass should have replaced it".into(),
    };
    op.error(
        cube_ir::diagnostic!(CUBE0331.misplaced { level: contract.level.name(), meaning: contract.meaning, advice }),
    );
    Failed
}

/// Operations of other MLIR dialects that kernels cannot use, and their replacements in the cube dialect.
const INSTEAD: &[(OpKind, &str)] = &[
    (gpu::BARRIER, "cube.sync cube"),
    (gpu::THREAD_ID, "cube.topology unit_pos_x (or _y, _z)"),
    (gpu::BLOCK_ID, "cube.topology cube_pos_x (or _y, _z)"),
    (gpu::GLOBAL_ID, "cube.topology absolute_pos_x (or _y, _z)"),
    (gpu::BLOCK_DIM, "cube.topology cube_dim_x (or _y, _z)"),
    (gpu::GRID_DIM, "cube.topology cube_count_x (or _y, _z)"),
    (gpu::LANE_ID, "cube.topology unit_pos_plane"),
    (gpu::SUBGROUP_ID, "cube.topology plane_pos"),
    (gpu::SUBGROUP_SIZE, "cube.topology plane_dim"),
    (gpu::SHUFFLE, cube::PLANE_SHUFFLE.name()),
    (gpu::SUBGROUP_REDUCE, cube::PLANE_REDUCE.name()),
    (gpu::PRINTF, cube::PRINT.name()),
    (gpu::FUNC, cube::KERNEL.name()),
    (gpu::RETURN, cube::RETURN.name()),
    (func::FUNC, cube::FUNC.name()),
    (func::CALL, cube::CALL.name()),
    (func::RETURN, cube::RETURN.name()),
    (memref::LOAD, cube::LOAD.name()),
    (memref::STORE, cube::STORE.name()),
    (memref::ALLOC, cube::ALLOC.name()),
    (memref::ALLOCA, cube::ALLOC.name()),
    (memref::ATOMIC_RMW, cube::ATOMIC_RMW.name()),
    (memref::DIM, "cube.shape, or cube.len"),
];

impl Contract {
    /// Whether an operation is allowed at the level of the contract.
    pub fn allows(&self, kind: OpKind) -> bool {
        allows(self, kind)
    }
}

fn allows(contract: &Contract, kind: OpKind) -> bool {
    contract.ops.iter().copied().flatten().any(|allowed| allowed.is(kind))
}

// An operation of `math` remains at level legal only if the chip computes it. Legalisation has expanded all others.
fn lacks_function(contract: &Contract, op: Op<'_>) -> bool {
    if contract.level != Level::Legal || !op.is_of(Dialect::Math) {
        return false;
    }
    let is_described = math_function(op.kind()).is_some() || integer_function(op.kind()).is_some();
    let native = Native::of(op);
    let has = if is_described { native.has(op) } else { op.is(math::ABSI) };
    !has && !expand_math::is_approximated(op, &native)
}

// A total operation remains at level legal if the chip has the operation. The chip description is read only for
// operations that the contract does not list.
fn is_native(contract: &Contract, op: Op<'_>) -> bool {
    matches!(contract.level, Level::Legal | Level::Mixed)
        && integer_function(op.kind()).is_some()
        && Native::of(op).has(op)
}
