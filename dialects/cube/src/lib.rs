//! The `cube` dialect in Rust: typed views generated from `td/`, verifiers, folders, and what passes ask of kernels.
mod access;
mod fold;
mod kernel;
mod target;
mod types;
mod verify;

/// Views of the operations, generated from `td/CubeOps.td`.
pub mod ops {
    use super::{OpDecl, PartDecl};
    use cube_ir::{Attribute, Op, Val};
    include!(concat!(env!("OUT_DIR"), "/ops.rs"));

    impl<'p> Topology<'p> {
        /// Which value it is.
        pub fn kind(self) -> TopologyKind {
            // A wrong guess here would give every unit the same place.
            TopologyKind::of(self.value()).unwrap_or_else(|| panic!("{:?} is no topology value", self.value()))
        }
    }
}

pub use access::{Access, AccessKind, Bounds, access_of, bounds_of, set_bounds};
pub use fold::total_op;
pub use kernel::{BufferArg, KernelArg, KernelFacts, ScalarArg, kernels_of};
pub use ops::{Combine, Rounding, Scan, Scope, Shuffle, TopologyKind, Vote};
pub use target::{TARGET, set_target, target_of, widest_plane};
pub use types::{BufferKind, BufferType, is_number, param_name, substitute_params};

/// One operation of the dialect, for docs and tables.
#[derive(Clone, Copy, Debug)]
pub struct OpDecl {
    /// Full name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The longer text of the reference page.
    pub description: &'static str,
    /// Declarative assembly format; empty where it is written by hand.
    pub assembly: &'static str,
    /// Operands: name, and what may stand there.
    pub operands: &'static [(&'static str, &'static str)],
    /// Attributes: name, and what may stand there.
    pub attributes: &'static [(&'static str, &'static str)],
    /// Results: name, and what they are.
    pub results: &'static [(&'static str, &'static str)],
}

/// One type or attribute of the dialect, for docs and tables.
#[derive(Clone, Copy, Debug)]
pub struct PartDecl {
    /// Full name with its mark: `!cube.array`, `#cube.bounds`.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The longer text of the reference page.
    pub description: &'static str,
    /// Declarative assembly format of what follows the name.
    pub assembly: &'static str,
    /// The words of an enum; empty for others.
    pub words: &'static [&'static str],
}

/// Verifiers and folders, for [`cube_ir::set_dialects`].
pub const RULES: cube_ir::DialectRules = cube_ir::DialectRules {
    prefix: "cube.",
    verify: verify::verify,
    fold: fold::fold,
    verify_attribute: target::verify,
};
