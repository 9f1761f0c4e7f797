//! The cost of a choice of nodes: time, latency of the longest chain, and number of live registers.
use super::{Node, NodeKind};
use crate::Op;
use crate::cost::{OperationCost, time_and_latency, words};
use cube_semantics::Number;
use cube_target::{CostClass, Target};
use egg::{Id, Language};
use std::collections::{HashMap, HashSet};

/// The cost of one choice of terms for all results of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChoiceCost {
    /// The time on a processor with full occupancy.
    pub time: u64,
    /// The latency of the longest chain of operations, in cycles.
    pub latency: u64,
    /// Maximum number of 32-bit registers that are live at the same time, including the operands.
    pub registers: u64,
}

impl ChoiceCost {
    /// Whether this choice costs less than the choice `other` on a chip. The time of this choice must be less than
    /// the time of `other`, both with and without the latency that other planes do not hide. If this choice
    /// requires more registers than `Target::registers`, this choice must not require more registers than `other`.
    pub fn is_below(self, other: ChoiceCost, target: &Target) -> bool {
        let planes = u64::from(target.resident_planes.unwrap_or(1));
        let whole = |cost: ChoiceCost| cost.time * planes + cost.latency * u64::from(CostClass::UNIT);
        let limit = target.registers.map_or(u64::MAX, u64::from).max(other.registers);
        self.time < other.time && whole(self) < whole(other) && self.registers <= limit
    }
}

fn registers(node: &Node) -> u64 {
    let own = match node.head.kind {
        NodeKind::Constant(_) | NodeKind::Apply(Op::View, _) => 0,
        _ if node.head.to.number() == Number::Int(1) => 0,
        _ => words(node.head.to.number()),
    };
    own * u64::from(node.head.lanes.max(1))
}

/// Computes the time, latency and registers of the nodes that the roots require. The model assumes that each node
/// is computed directly before its first use. `node_of` returns the node of a class, and `is_constant` returns
/// whether a class has one value.
pub fn cost_of_choice(
    target: &Target,
    roots: &[Id],
    node_of: &dyn Fn(Id) -> Option<Node>,
    is_constant: &dyn Fn(Id) -> bool,
) -> ChoiceCost {
    let order = in_order(roots, node_of);
    let mut last: HashMap<Id, usize> = HashMap::new();
    for (place, (_, node)) in order.iter().enumerate() {
        node.children().iter().for_each(|child| _ = last.insert(*child, place));
    }
    roots.iter().for_each(|root| _ = last.insert(*root, usize::MAX));
    let (mut cost, mut alive) = (ChoiceCost::default(), 0);
    let mut ends: HashMap<Id, u64> = HashMap::new();
    let mut own: HashMap<Id, u64> = HashMap::new();
    for (place, (id, node)) in order.iter().enumerate() {
        let mut constants = [false; 3];
        for (constant, child) in constants.iter_mut().zip(node.children()) {
            *constant = is_constant(*child);
        }
        let OperationCost { time, latency } = time_and_latency(target, node.head, constants);
        let begin = node.children().iter().filter_map(|child| ends.get(child)).max().copied().unwrap_or(0);
        ends.insert(*id, begin + latency);
        cost.time += time;
        cost.latency = cost.latency.max(begin + latency);
        // A result can use the register of an operand that has no later use.
        let mut children = node.children().to_vec();
        children.sort_unstable();
        children.dedup();
        let dead = children.iter().filter(|child| last.get(child) == Some(&place));
        alive -= dead.filter_map(|child| own.get(child)).sum::<u64>();
        own.insert(*id, registers(node));
        alive += registers(node);
        cost.registers = cost.registers.max(alive);
    }
    cost
}

// The nodes below the roots, operands first.
fn in_order(roots: &[Id], node_of: &dyn Fn(Id) -> Option<Node>) -> Vec<(Id, Node)> {
    let (mut order, mut entered, mut done) = (Vec::new(), HashSet::new(), HashSet::new());
    for root in roots {
        let mut open = vec![(*root, false)];
        while let Some((id, is_ready)) = open.pop() {
            let Some(node) = node_of(id) else { continue };
            if is_ready {
                if done.insert(id) {
                    order.push((id, node));
                }
            } else if entered.insert(id) {
                open.push((id, true));
                open.extend(node.children().iter().rev().map(|child| (*child, false)));
            }
        }
    }
    order
}
