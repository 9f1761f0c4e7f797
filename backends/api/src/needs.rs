//! The capability of a chip that each operation of the dialect requires. Backends refuse operations with this table.
use cube_dialect::{BufferType, Combine, Memory, Scope, access_of, memory_of, ops};
use cube_ir::{Op, OpKind, TypeExt};
use cube_passes::native::element_of;
use cube_target::{AtomicOperation, PlaneOperation, SpaceKind, Target};

/// A capability that an operation requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A group of plane operations.
    Plane(PlaneOperation),
    /// Barriers of the cube.
    Barriers,
    /// Atomic operations of any element type.
    Atomics,
}

/// The operations that some chips do not support, except plane operations.
const NEEDS: &[(OpKind, Need)] = &[
    (ops::Sync::KIND, Need::Barriers),
    (ops::AtomicLoad::KIND, Need::Atomics),
    (ops::AtomicStore::KIND, Need::Atomics),
    (ops::AtomicRmw::KIND, Need::Atomics),
    (ops::AtomicCas::KIND, Need::Atomics),
];

/// The operations that some chips do not support. The entries of plane operations are derived from the
/// declarations of these operations.
pub fn needs() -> impl Iterator<Item = (OpKind, Need)> {
    let planes = ops::PLANE_OPERATIONS.iter().map(|(kind, _, group)| (*kind, Need::Plane(*group)));
    planes.chain(NEEDS.iter().copied())
}

/// The plane operations that a backend does not emit, each with the reason. The parameter `written` lists the plane
/// operations that the backend emits.
pub fn unwritten(written: &[OpKind]) -> impl Iterator<Item = (OpKind, &'static str)> {
    let kinds = ops::PLANE_OPERATIONS.iter().map(|(kind, ..)| *kind).filter(|kind| !written.contains(kind));
    kinds.map(|kind| (kind, "the backend does not write this operation of planes"))
}

impl Need {
    /// The reason why a chip lacks the capability; `None` if the chip has it.
    pub fn missing(self, target: &Target) -> Option<&'static str> {
        let has = match self {
            Need::Plane(operation) => target.has_plane(operation),
            Need::Barriers => target.barriers,
            Need::Atomics => target.atomics.values().any(|operations| !operations.is_empty()),
        };
        let why = match self {
            Need::Plane(PlaneOperation::Elect) => "the description of the chip lists no election of a lane",
            Need::Plane(PlaneOperation::Vote) => "the description of the chip lists no votes of planes",
            Need::Plane(PlaneOperation::Ballot) => "the description of the chip lists no ballots of planes",
            Need::Plane(PlaneOperation::Reduce) => "the description of the chip lists no reductions of planes",
            Need::Plane(PlaneOperation::Scan) => "the description of the chip lists no scans of planes",
            Need::Plane(PlaneOperation::Broadcast) => "the description of the chip lists no broadcasts of planes",
            Need::Plane(PlaneOperation::Shuffle) => "the description of the chip lists no shuffles of planes",
            Need::Plane(PlaneOperation::Barrier) => "the description of the chip lists no barriers of planes",
            Need::Barriers => "the description of the chip has no barriers",
            Need::Atomics => "the description of the chip lists no atomics",
        };
        (!has).then_some(why)
    }
}

/// The operations that a chip lacks, each with the reason.
pub fn lacking(target: &Target) -> Vec<(OpKind, &'static str)> {
    needs().filter_map(|(kind, need)| Some((kind, need.missing(target)?))).collect()
}

/// The reason why a chip lacks one variant of an operation. A barrier has a variant for each scope, and an
/// atomic has a variant for each element type and memory space.
pub fn lacks_form(op: Op<'_>, target: &Target) -> Option<String> {
    if let Some(sync) = ops::Sync::of(op) {
        let missing = Need::Plane(PlaneOperation::Barrier).missing(target);
        return missing.filter(|_| sync.scope() == Some(Scope::Plane)).map(String::from);
    }
    lacks_atomic(op, target)
}

// The computation of an atomic; `None` for atomic loads and stores.
fn atomic_operation(op: Op<'_>) -> Option<AtomicOperation> {
    if ops::AtomicCas::of(op).is_some() {
        return Some(AtomicOperation::CompareExchange);
    }
    Some(match ops::AtomicRmw::of(op)?.kind()? {
        Combine::Exchange => AtomicOperation::Exchange,
        Combine::AddI | Combine::AddF | Combine::SubI | Combine::SubF => AtomicOperation::Add,
        Combine::MinSI | Combine::MinUI | Combine::MinF | Combine::MaxSI | Combine::MaxUI | Combine::MaxF => {
            AtomicOperation::MinMax
        }
        Combine::AndI | Combine::OrI | Combine::XOrI => AtomicOperation::Bits,
        // The verifier refuses atomic products.
        Combine::MulI | Combine::MulF => return None,
    })
}

fn lacks_atomic(op: Op<'_>, target: &Target) -> Option<String> {
    let access = access_of(op).filter(|access| access.kind.is_atomic())?;
    let ty = access.buffer.ty();
    let element = element_of(BufferType::of(ty).map_or(ty.element(), |buffer| buffer.element))?;
    let (space, word) = match memory_of(access.buffer) {
        Memory::Shared => (SpaceKind::Shared, "shared"),
        Memory::Local(_) => (SpaceKind::Local, "local"),
        // An address of unknown memory is treated as device memory, which supports the fewest operations.
        Memory::Global | Memory::Unknown => (SpaceKind::Global, "global"),
    };
    let operation = atomic_operation(op);
    let name = match operation {
        None => "atomic accesses",
        Some(AtomicOperation::Add) => "atomic sums",
        Some(AtomicOperation::MinMax) => "atomic minima and maxima",
        Some(AtomicOperation::Bits) => "atomic operations on bits",
        Some(AtomicOperation::Exchange) => "atomic exchanges",
        Some(AtomicOperation::CompareExchange) => "atomic compare and exchange",
    };
    let has = target.has_atomic(space, element, operation);
    (!has).then(|| format!("the description of the chip lists no {name} of {} in {word} memory", element.ir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(backend: &str, chip: &str) -> Vec<&'static str> {
        let target = Target::known(backend, chip).expect("a chip of the table");
        lacking(&target).into_iter().map(|(kind, _)| kind.name()).collect()
    }

    #[test]
    fn refusals_follow_the_description() {
        let all: Vec<&str> = needs().map(|(kind, _)| kind.name()).collect();
        assert!(of("cpu", "native").is_empty() && of("nvptx", "sm_70").is_empty());
        assert!(of("amdgpu", "gfx942").is_empty() && of("amdgpu", "gfx1100-wave64").is_empty());
        assert_eq!(of("wgsl", "core"), all[..7]);
        assert!(of("wgsl", "core-subgroups").is_empty() && of("spirv", "vulkan1.2-full").is_empty());
        // BASIC has an election and barriers, and no other plane operations.
        let planes = all[..7].iter().filter(|name| **name != ops::PlaneElect::NAME).copied();
        assert_eq!(of("spirv", "vulkan1.2"), planes.collect::<Vec<_>>());
        assert_eq!(lacking(&Target::minimal("toy", "generic")).len(), all.len());
    }

    #[test]
    fn each_plane_operation_of_the_dialect_can_be_refused() {
        let kinds = ops::OPS.iter().map(|op| OpKind::from_name(op.name));
        let planes: Vec<OpKind> = kinds.filter(|kind| kind.name().starts_with("cube.plane_")).collect();
        assert_eq!(needs().filter(|(_, need)| matches!(need, Need::Plane(_))).count(), planes.len());
        // A backend that cannot emit a plane operation refuses it for any chip.
        let written: Vec<OpKind> = planes.iter().copied().filter(|kind| *kind != ops::PlaneScan::KIND).collect();
        assert_eq!(unwritten(&written).map(|(kind, _)| kind).collect::<Vec<_>>(), [ops::PlaneScan::KIND]);
        assert_eq!(unwritten(&[]).count(), planes.len());
    }
}
