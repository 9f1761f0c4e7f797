//! Conditions of branches and loops that contain barriers or plane operations. WGSL accepts barriers and plane
//! operations only in uniform control flow, and WGSL's uniformity analysis is weaker than the analysis of this
//! compiler. For WGSL a variable, an element of memory that the kernel writes, and the result of a branch are not
//! uniform. If the compiler proves a condition uniform in the cube, the generated WGSL passes the condition
//! through `workgroupUniformLoad`. The result of `workgroupUniformLoad` is uniform for WGSL:
//!
//! ```text
//! if (unit_index == 0u) { uniform_word = v7; }
//! let v8 = workgroupUniformLoad(&uniform_word);
//! ```
//!
//! A condition that differs between units of a cube is refused. Cost: two barriers for each evaluation of a condition
//! that passes through `workgroupUniformLoad`.
use crate::memory::key;
use crate::scalar::{Scalar, is_literal};
use crate::state::Wgsl;
use cube_dialect::{Memory, memory_of, ops, topology::Group};
use cube_ir::access::{AccessKind, access_of};
use cube_ir::ops::{arith, memref};
use cube_ir::{Op, Val, properties::is_pure};
use cube_structured::{Writer, Written};
use std::collections::HashSet;

impl Wgsl {
    /// The name of a value that controls `op`. If units synchronise inside of `op`, the named value is uniform
    /// for WGSL.
    ///
    /// # Errors
    /// The condition of `op` differs between units of a cube.
    pub(crate) fn decided<'p>(
        &self,
        w: &mut Writer<'p, '_>,
        op: Op<'p>,
        value: Val<'p>,
        name: String,
    ) -> Written<String> {
        if !self.decisions.synchronises(op) || is_literal(&name) || self.is_uniform(value) {
            return Ok(name);
        }
        if !self.decisions.is_uniform(value) {
            let why = "WGSL accepts barriers and plane operations only in uniform control flow, but the control flow here differs between units of a cube";
            return Err(w.refuse(op, why));
        }
        self.use_uniform_word();
        let is_bool = Scalar::of(value.ty()) == Some(Scalar::Bool);
        let (index, word) = (self.builtin("unit_index"), w.fresh('v'));
        let stored = if is_bool { format!("select(0u, 1u, {name})") } else { name };
        w.open(format_args!("if ({index} == 0u)"));
        w.line(format_args!("uniform_word = {stored};"));
        w.close();
        w.line(format_args!("let {word} = workgroupUniformLoad(&uniform_word);"));
        Ok(if is_bool { format!("({word} != 0u)") } else { word })
    }

    // Whether the expression of a value is uniform by WGSL's rules.
    fn is_uniform(&self, value: Val<'_>) -> bool {
        let mut open = vec![value];
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            if !seen.insert(key(value)) {
                continue;
            }
            let Some(op) = value.def() else {
                // Scalar arguments of the kernel are uniform.
                let kernel = value.block_arg().and_then(|(block, _)| block.parent());
                if kernel.is_some_and(|op| op.is(ops::Kernel::KIND)) {
                    continue;
                }
                return false;
            };
            if op.regions().len() > 0 {
                return false;
            }
            let uniform = match op.kind() {
                arith::CONSTANT | memref::DIM => continue,
                ops::Topology::KIND => {
                    let group = ops::Topology::of(op).and_then(|it| it.value()).map(|kind| kind.topology().group);
                    matches!(group, Some(Group::CubePos | Group::CubeCount | Group::CubeDim))
                }
                _ => match access_of(op) {
                    Some(access) => {
                        access.kind == AccessKind::Load
                            && memory_of(access.buffer) == Memory::Global
                            && self.read_only.contains(&key(access.buffer))
                    }
                    None => is_pure(op),
                },
            };
            if !uniform {
                return false;
            }
            open.extend(op.operands().filter(|operand| cube_ir::MemRef::of(operand.ty()).is_none()));
        }
        true
    }
}
