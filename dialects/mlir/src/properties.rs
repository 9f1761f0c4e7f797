//! Properties of an operation: purity, speculatability, convergence and memory effects.
//!
//! The queries use MLIR's interfaces and traits. For an unknown operation the queries assume all effects,
//! convergence, and no speculation, so a new operation is safe before a pass supports it.
use crate::{
    AttrExt,
    op::{Op, Val, str_of},
    ops::{Dialect, OpKind, arith, builtin, func, gpu, llvm, nvvm, rocdl},
};
use cube_bridge::{cubeOpAsk, cubeOpEffects};
use mlir_sys::{MlirStringRef, MlirValue};
use std::ffi::c_void;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectKind {
    Read,
    Write,
    /// Allocates memory.
    Alloc,
    /// Frees memory.
    Free,
}

/// One effect of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'p> {
    pub kind: EffectKind,
    /// The operand or result that names the memory; `None` if the effect concerns the whole resource.
    pub value: Option<Val<'p>>,
    /// Name of the resource; [`MEMORY`] for memory accessed through an operand.
    pub resource: &'p str,
}

/// The name of the resource that represents memory in general.
pub const MEMORY: &str = "<Default>";

/// The resources of the dialect `cube` that do not overlap buffers: the printed output, and the lanes of a plane.
const OTHER_RESOURCES: [&str; 2] = ["output", "plane"];

impl Effect<'_> {
    /// Whether the resource can be the memory of a buffer. The result is true for an unknown resource.
    pub fn is_of_memory(&self) -> bool {
        !OTHER_RESOURCES.contains(&self.resource)
    }
}

/// The effects of an operation.
#[derive(Clone, Debug)]
pub enum Effects<'p> {
    /// A complete list of effects.
    Known(Vec<Effect<'p>>),
    /// Any effect is possible.
    Unknown,
}

impl Effects<'_> {
    /// Whether the operation has an effect of this kind, or its effects are unknown.
    pub fn may(&self, kind: EffectKind) -> bool {
        match self {
            Effects::Known(effects) => effects.iter().any(|effect| effect.kind == kind),
            Effects::Unknown => true,
        }
    }
}

// The numbers are defined by `cubeOpAsk`.
#[derive(Clone, Copy)]
enum TraitQuery {
    Terminator,
    Convergent,
    Speculatable,
    EffectFree,
    EffectsInside,
}

fn query_trait(op: Op<'_>, question: TraitQuery) -> bool {
    // SAFETY: a live operation.
    unsafe { cubeOpAsk(op.to_raw(), question as i32) }
}

/// Whether the operation is a terminator.
pub fn is_terminator(op: Op<'_>) -> bool {
    query_trait(op, TraitQuery::Terminator)
}

/// Whether the operation, with its regions, neither reads nor writes memory and has no other effect.
pub fn has_no_effects(op: Op<'_>) -> bool {
    query_trait(op, TraitQuery::EffectFree)
}

/// Whether the operation, with its regions, can be executed speculatively: its behaviour is defined for all operands.
/// The effects of the operation do not influence the result of this query. Upstream declares `arith.remui` and
/// `arith.remsi` total, which is wrong. Like divisions, integer remainders require a constant divisor other than 0,
/// and other than -1 for signed operands.
pub fn is_speculatable(op: Op<'_>) -> bool {
    let remainder = |op: Op<'_>| matches!(op.kind(), arith::REMUI | arith::REMSI);
    let undefined = |op: Op<'_>| remainder(op) && !divides_by_a_safe_constant(op);
    let inside = || op.regions().len() > 0 && op.walk().into_iter().any(undefined);
    query_trait(op, TraitQuery::Speculatable) && !undefined(op) && !inside() && !holds_convergent(op)
}

fn divides_by_a_safe_constant(op: Op<'_>) -> bool {
    let divisor = op.operand(1).def().filter(|def| def.is(arith::CONSTANT)).and_then(|def| def.attr("value"));
    divisor.and_then(|value| value.as_int()).is_some_and(|n| n != 0 && n != -1)
}

/// Whether the operation divides integers, so that it traps for some divisors on some targets. Speculation can rely on
/// a range of the divisor. Code under a mask cannot rely on a range of the divisor, because the divisor can
/// be poison in an inactive lane.
pub fn divides_integers(op: Op<'_>) -> bool {
    use arith::{CEILDIVSI, CEILDIVUI, DIVSI, DIVUI, FLOORDIVSI, REMSI, REMUI};
    matches!(op.kind(), DIVUI | DIVSI | REMUI | REMSI | CEILDIVUI | CEILDIVSI | FLOORDIVSI)
}

/// Whether an operation and its regions have no effects and can be speculated for all operands.
pub fn is_pure(op: Op<'_>) -> bool {
    has_no_effects(op) && is_speculatable(op)
}

/// The effects of the operation itself. Inherited effects of nested operations are omitted; [`effects`] includes the
/// inherited effects.
pub fn own_effects(op: Op<'_>) -> Effects<'_> {
    unsafe extern "C" fn push(to: *mut c_void, kind: i32, value: MlirValue, resource: MlirStringRef) {
        let kind = match kind {
            0 => EffectKind::Read,
            1 => EffectKind::Write,
            2 => EffectKind::Alloc,
            _ => EffectKind::Free,
        };
        // SAFETY: `to` is the list below; the value lives as long as the operation, and names of resources are static.
        unsafe {
            let value = (!value.ptr.is_null()).then(|| Val::from_raw(value));
            (*to.cast::<Vec<Effect<'_>>>()).push(Effect { kind, value, resource: str_of(resource) });
        }
    }
    let mut list: Vec<Effect<'_>> = Vec::new();
    // SAFETY: a live operation; the list outlives the call.
    let known = unsafe { cubeOpEffects(op.to_raw(), push, (&raw mut list).cast()) };
    if known { Effects::Known(list) } else { Effects::Unknown }
}

/// The effects of the operation. If the operation has MLIR's trait for recursive memory effects, the result
/// includes the effects of nested operations.
pub fn effects(op: Op<'_>) -> Effects<'_> {
    let mut all = Vec::new();
    let mut open = vec![op];
    while let Some(op) = open.pop() {
        match own_effects(op) {
            Effects::Known(effects) => all.extend(effects),
            Effects::Unknown => return Effects::Unknown,
        }
        if query_trait(op, TraitQuery::EffectsInside) {
            open.extend(op.regions().flat_map(|r| r.blocks()).flat_map(|block| block.ops()));
        }
    }
    Effects::Known(all)
}

/// Whether the operation is convergent, so that no pass is allowed to change the set of units that reach it. Nested
/// operations are not considered.
pub fn is_convergent(op: Op<'_>) -> bool {
    let kind = op.kind();
    match kind.dialect() {
        Some(Dialect::Cube | Dialect::Layout) => query_trait(op, TraitQuery::Convergent),
        Some(Dialect::Llvm) => !(PLAIN_LLVM.contains(&kind) || !CALLS.contains(&kind) && has_no_effects(op)),
        Some(dialect) => of_upstream(dialect, kind),
        None => true,
    }
}

/// Whether the operation or a nested operation is convergent.
pub fn holds_convergent(op: Op<'_>) -> bool {
    is_convergent(op) || op.regions().len() > 0 && op.walk().into_iter().any(is_convergent)
}

// MLIR has no trait for convergence. This list contains the dialects and operations that are known not to be
// convergent.
fn of_upstream(dialect: Dialect, kind: OpKind) -> bool {
    use Dialect as D;
    match dialect {
        D::Arith | D::Cf | D::Math | D::Memref | D::Scf | D::Ub | D::Vector => false,
        D::Builtin => !matches!(kind, builtin::MODULE | builtin::UNREALIZED_CONVERSION_CAST),
        D::Func => !matches!(kind, func::CONSTANT | func::FUNC | func::RETURN),
        D::Gpu => !matches!(
            kind,
            gpu::BLOCK_DIM
                | gpu::BLOCK_ID
                | gpu::FUNC
                | gpu::GLOBAL_ID
                | gpu::GRID_DIM
                | gpu::LANE_ID
                | gpu::MODULE
                | gpu::NUM_SUBGROUPS
                | gpu::RETURN
                | gpu::SUBGROUP_ID
                | gpu::SUBGROUP_SIZE
                | gpu::THREAD_ID
        ),
        D::Nvvm | D::Rocdl => !REGISTERS.contains(&kind),
        D::Cube | D::Layout | D::Llvm => true,
    }
}

/// Operations of `llvm` that can execute any code, even if MLIR declares that they have no effects.
const CALLS: &[OpKind] = &[llvm::CALL, llvm::CALL_INTRINSIC, llvm::INLINE_ASM, llvm::INVOKE];

/// Operations of `llvm` with effects on memory or control flow that are known not to be convergent. Operations without
/// effects are not convergent either, and any other operation of `llvm` counts as convergent.
const PLAIN_LLVM: &[OpKind] = &[
    llvm::ALLOCA,
    llvm::ATOMICRMW,
    llvm::BR,
    llvm::CMPXCHG,
    llvm::COND_BR,
    llvm::FENCE,
    llvm::FUNC,
    llvm::INTR_ASSUME,
    llvm::INTR_DBG_DECLARE,
    llvm::INTR_DBG_LABEL,
    llvm::INTR_DBG_VALUE,
    llvm::INTR_LIFETIME_END,
    llvm::INTR_LIFETIME_START,
    llvm::INTR_MASKED_COMPRESSSTORE,
    llvm::INTR_MASKED_EXPANDLOAD,
    llvm::INTR_MASKED_GATHER,
    llvm::INTR_MASKED_LOAD,
    llvm::INTR_MASKED_SCATTER,
    llvm::INTR_MASKED_STORE,
    llvm::INTR_MEMCPY,
    llvm::INTR_MEMCPY_INLINE,
    llvm::INTR_MEMMOVE,
    llvm::INTR_MEMSET,
    llvm::INTR_MEMSET_INLINE,
    llvm::INTR_PREFETCH,
    llvm::LOAD,
    llvm::MLIR_GLOBAL,
    llvm::RETURN,
    llvm::STORE,
    llvm::SWITCH,
    llvm::UNREACHABLE,
];

/// Operations that only read a hardware register, and are therefore not convergent. An operation of `nvvm` or
/// `rocdl` that is not in this list counts as convergent.
const REGISTERS: &[OpKind] = &[
    nvvm::READ_PTX_SREG_CTAID_X,
    nvvm::READ_PTX_SREG_CTAID_Y,
    nvvm::READ_PTX_SREG_CTAID_Z,
    nvvm::READ_PTX_SREG_LANEID,
    nvvm::READ_PTX_SREG_NCTAID_X,
    nvvm::READ_PTX_SREG_NCTAID_Y,
    nvvm::READ_PTX_SREG_NCTAID_Z,
    nvvm::READ_PTX_SREG_NTID_X,
    nvvm::READ_PTX_SREG_NTID_Y,
    nvvm::READ_PTX_SREG_NTID_Z,
    nvvm::READ_PTX_SREG_TID_X,
    nvvm::READ_PTX_SREG_TID_Y,
    nvvm::READ_PTX_SREG_TID_Z,
    rocdl::GRID_DIM_X,
    rocdl::GRID_DIM_Y,
    rocdl::GRID_DIM_Z,
    rocdl::WORKGROUP_DIM_X,
    rocdl::WORKGROUP_DIM_Y,
    rocdl::WORKGROUP_DIM_Z,
    rocdl::WORKGROUP_ID_X,
    rocdl::WORKGROUP_ID_Y,
    rocdl::WORKGROUP_ID_Z,
    rocdl::WORKITEM_ID_X,
    rocdl::WORKITEM_ID_Y,
    rocdl::WORKITEM_ID_Z,
];

#[cfg(test)]
mod tests;
