//! Which group of a chip's description an operation of the dialect needs: the one table, from which backends refuse operations.
use cube_dialect::{Scope, ops};
use cube_ir::{Op, OpKind};
use cube_target::{PlaneOperation, Target};

/// What an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A group of plane operations.
    Plane(PlaneOperation),
    /// Barriers of the cube.
    Barriers,
    /// Atomic operations of any element.
    Atomics,
}

/// The operations that not every chip has.
pub const NEEDS: &[(OpKind, Need)] = &[
    (ops::PlaneElect::KIND, Need::Plane(PlaneOperation::Elect)),
    (ops::PlaneVote::KIND, Need::Plane(PlaneOperation::Vote)),
    (ops::PlaneBallot::KIND, Need::Plane(PlaneOperation::Ballot)),
    (ops::PlaneReduce::KIND, Need::Plane(PlaneOperation::Reduce)),
    (ops::PlaneScan::KIND, Need::Plane(PlaneOperation::Scan)),
    (ops::PlaneBroadcast::KIND, Need::Plane(PlaneOperation::Broadcast)),
    (ops::PlaneShuffle::KIND, Need::Plane(PlaneOperation::Shuffle)),
    (ops::Sync::KIND, Need::Barriers),
    (ops::AtomicLoad::KIND, Need::Atomics),
    (ops::AtomicStore::KIND, Need::Atomics),
    (ops::AtomicRmw::KIND, Need::Atomics),
    (ops::AtomicCas::KIND, Need::Atomics),
];

impl Need {
    /// Why a chip does not have it; `None` where it does.
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
    NEEDS.iter().filter_map(|(kind, need)| Some((*kind, need.missing(target)?))).collect()
}

/// Why a chip lacks this form of an operation that it has in another form: the barrier of a plane.
pub fn lacks_form(op: Op<'_>, target: &Target) -> Option<&'static str> {
    let sync = ops::Sync::of(op)?;
    let scope = sync.scope();
    Need::Plane(PlaneOperation::Barrier).missing(target).filter(|_| scope == Some(Scope::Plane))
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
        let all: Vec<&str> = NEEDS.iter().map(|(kind, _)| kind.name()).collect();
        assert!(of("cpu", "native").is_empty() && of("nvptx", "sm_70").is_empty());
        // Planes and barriers have no code yet, atomics have.
        assert_eq!(of("amdgpu", "gfx942"), all[..8]);
        assert_eq!(of("wgsl", "core"), all[..7]);
        assert!(of("wgsl", "core-subgroups").is_empty() && of("spirv", "vulkan1.2-full").is_empty());
        // BASIC has an election and barriers, nothing else.
        assert_eq!(of("spirv", "vulkan1.2"), all[1..7]);
        assert_eq!(lacking(&Target::minimal("toy", "generic")).len(), all.len());
    }

    #[test]
    fn each_plane_operation_of_the_dialect_is_in_the_table() {
        let kinds = ops::OPS.iter().map(|op| OpKind::from_name(op.name));
        let planes = kinds.filter(|kind| kind.mnemonic().starts_with("plane_"));
        let missing: Vec<OpKind> = planes.filter(|kind| !NEEDS.iter().any(|(known, _)| known == kind)).collect();
        assert!(missing.is_empty(), "{missing:?} can be refused by no chip");
    }
}
