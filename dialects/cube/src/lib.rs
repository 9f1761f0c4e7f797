//! The `cube` dialect in Rust: typed views generated from `td/`, verifiers, folders, and queries about kernels.
mod access;
pub mod attributes;
mod fold;
mod kernel;
mod meaning;
mod predicates;
pub mod properties;
mod target;
pub mod topology;
mod types;
mod unit_loops;
mod verify;

/// Views of the operations, generated from `td/CubeOps.td`.
#[allow(missing_docs, clippy::all)]
pub mod ops {
    use crate::properties::PlaneResult;
    pub use cube_ir::ops::cube::*;
    use cube_ir::ops::generated::*;
    include!(env!("CUBE_OPS"));

    impl<'p> Topology<'p> {
        /// The topology value. Panics if the operation's attribute is invalid, because a default value would
        /// give every unit the same position.
        pub fn kind(self) -> TopologyKind {
            self.value().unwrap_or_else(|| panic!("{} has no topology value", self.op()))
        }
    }
}

pub use cube_ir::ops::{OpDecl, PartDecl};

pub use access::{
    ALIGNMENT, Access, AccessKind, Memory, access_of, alignment_of, bounds_of, is_atomic, memory_of, proof_of,
    set_bounds, set_proof, shared_offset,
};
pub use attributes::{CUBE_COUNT, PLANE_DIM, TARGET};
pub use kernel::{BufferArg, KernelArg, KernelFacts, ScalarArg, kernels_of};
pub use meaning::{meaning_of, operation_with};
pub use ops::{Bounds, Combine, Proof, Rounding, Scan, Scope, Shuffle, TopologyKind, Vote};
pub use predicates::{arith_float_predicate, arith_int_predicate, float_predicate, int_predicate};
pub use target::{attached_target, set_target, target_of, widest_plane};
pub use types::{
    BufferKind, BufferType, element_bytes, element_of, in_memory, is_number, is_same_in_memory, param_name,
    substitute_params, type_of,
};
pub use unit_loops::{UnitLoop, check_unit_loops, unit_loop_count};

/// Verifiers and folders, for [`cube_ir::set_dialects`].
pub const RULES: cube_ir::DialectRules = cube_ir::DialectRules {
    dialect: cube_ir::Dialect::Cube,
    verify: verify::verify,
    fold: fold::fold,
    bounds: topology::of_result,
    verify_attribute: target::verify,
    parse_numbers: |_, _| Vec::new(),
    print_numbers: |_, _| String::new(),
    moved: access::drop_proof,
    rewired: access::drop_alignment,
};
