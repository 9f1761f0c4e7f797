//! The conditions that decide whether units reach a barrier or another collective operation.
use super::carried::{Carried, returned};
use super::uniformity::{Uniform, Uniformity};
use cube_ir::ops::scf;
use cube_ir::{Op, Val, properties::is_convergent};
use std::collections::{HashMap, HashSet};

/// The operations that contain synchronisation, and the uniformity of their conditions. An unknown operation counts as
/// synchronisation.
#[derive(Default)]
pub struct Decisions {
    /// The addresses of the operations that contain synchronisation.
    around: HashSet<usize>,
    /// The addresses of the values that control operations with synchronisation, and whether each value is
    /// uniform in the cube.
    same: HashMap<usize, bool>,
}

fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

impl Decisions {
    /// Whether `op` contains synchronisation.
    pub fn synchronises(&self, op: Op<'_>) -> bool {
        self.around.contains(&(op.to_raw().ptr as usize))
    }

    /// Whether `value` is uniform in the cube. The result is `false` for a value that controls no synchronisation.
    pub fn is_uniform(&self, value: Val<'_>) -> bool {
        self.same.get(&key(value)) == Some(&true)
    }

    /// Analyses a kernel.
    pub fn of(kernel: Op<'_>) -> Decisions {
        let mut found = Decisions::default();
        let mut around: Vec<Op<'_>> = Vec::new();
        for op in kernel.walk().into_iter().filter(|op| is_convergent(*op)) {
            let inside = op.ancestors().take_while(|op| *op != kernel);
            around.extend(inside.take_while(|op| found.around.insert(op.to_raw().ptr as usize)));
        }
        if around.is_empty() {
            return found;
        }
        let uniformity = Uniformity::of(kernel);
        for value in around.into_iter().flat_map(deciding) {
            found.same.insert(key(value), uniformity.among_all(value) == Uniform::Cube);
        }
        found
    }
}

// The values that select the regions to execute, and that determine their number of executions.
fn deciding(op: Op<'_>) -> Vec<Val<'_>> {
    match op.kind() {
        scf::IF | scf::INDEX_SWITCH => op.operands().take(1).collect(),
        scf::FOR => op.operands().take(3).collect(),
        scf::WHILE => {
            let end = op.regions().next().and_then(|region| region.first_block()).and_then(|block| block.terminator());
            end.into_iter().flat_map(|end| end.operands().take(1).collect::<Vec<_>>()).collect()
        }
        _ => Vec::new(),
    }
}

/// The values that determine the result `value` of a branch or loop, or the argument `value` of a loop: the values of
/// which one is `value`, and the conditions, bounds and selectors that decide which one. `None` for other values.
pub fn determining(value: Val<'_>) -> Option<Vec<Val<'_>>> {
    let op = value.def().or_else(|| value.block_arg()?.0.parent())?;
    let is_counter = || op.is(scf::FOR) && value.block_arg().is_some_and(|(_, number)| number == 0);
    let given = returned(value).or_else(|| match Carried::of(value) {
        Some(carried) => Some(vec![carried.first, carried.next]),
        None => is_counter().then(Vec::new),
    });
    Some(given?.into_iter().chain(deciding(op)).collect())
}
