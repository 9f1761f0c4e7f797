//! Conditions of branches and loops that contain barriers or plane operations. WGSL accepts barriers and plane
//! operations only in uniform control flow, and WGSL's uniformity analysis is weaker than the analysis of this
//! compiler. For WGSL, an element of memory that the kernel writes is not uniform. If only the compiler proves a
//! condition uniform in the cube, the generated WGSL passes the condition through `workgroupUniformLoad`. The result
//! of `workgroupUniformLoad` is uniform for WGSL:
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
use cube_passes::analysis::decisions::determining;
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

    // Whether the expression of a value is uniform by WGSL's rules. A variable of the function is uniform if the text
    // assigns only uniform values to it, under uniform conditions.
    fn is_uniform(&self, value: Val<'_>) -> bool {
        let mut open = vec![value];
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            if seen.insert(key(value)) {
                match determining(value).or_else(|| self.operands(value)) {
                    Some(values) => open.extend(values),
                    None => return false,
                }
            }
        }
        true
    }

    // The values from which a uniform value is computed. `None` if the value is not uniform for WGSL.
    fn operands<'p>(&self, value: Val<'p>) -> Option<Vec<Val<'p>>> {
        let Some(op) = value.def() else {
            // Scalar arguments of the kernel are uniform.
            let kernel = value.block_arg().and_then(|(block, _)| block.parent());
            return kernel.filter(|op| op.is(ops::Kernel::KIND)).map(|_| vec![]);
        };
        let uniform = match op.kind() {
            arith::CONSTANT | memref::DIM => return Some(vec![]),
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
                None => op.regions().len() == 0 && is_pure(op),
            },
        };
        uniform.then(|| op.operands().filter(|operand| cube_ir::MemRef::of(operand.ty()).is_none()).collect())
    }
}
