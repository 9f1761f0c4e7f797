//! Extraction: selects one node of each needed class, with a low total cost. A term that several others share counts
//! once.
//!
//! The choice is greedy, as in "greedy-dag" of the extraction gym, and therefore not always optimal. The cost of a class is that of
//! its cheapest node plus that of all classes below that node, each counted once. If the choice does not cost less than the input,
//! the input is kept.
use super::{Graph, Head, Kind, Node};
use crate::Op;
use egg::{Id, Language};
use std::collections::{BTreeMap, BTreeSet};

/// The chosen nodes, and the cost of the input and of the choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The node of each class that the roots need; its operands are classes.
    pub nodes: BTreeMap<Id, Node>,
    /// The cost of the input: each distinct operation once.
    pub before: u64,
    /// The cost of the chosen nodes.
    pub after: u64,
}

// A node that the input does not have costs this much more, so that of two equal costs the input's is chosen. Costs are
// multiplied by `SCALE` first.
const NEW: u64 = 1;
const SCALE: u64 = 1024;

struct Best {
    cost: u64,
    /// This class and the classes below it, in order, with the cost of each.
    below: Vec<(Id, u64)>,
    node: Node,
}

impl Graph {
    /// Selects nodes for the roots. `cost` gives the cost of an operation; `constant` of its argument tells which
    /// operands are constants. `None` if the choice costs as much as the input or more, or the graph has no meaning.
    pub fn extract(&self, roots: &[Id], cost: &dyn Fn(Head, [bool; 3]) -> u64) -> Option<Chosen> {
        if self.is_contradictory() {
            return None;
        }
        let own: BTreeSet<Node> = self.inputs.iter().map(|(node, _)| self.canonical(node)).collect();
        let price = |node: &Node| {
            let price = self.price(node, cost) * SCALE;
            let is_new = matches!(node.head.kind, Kind::Apply(op, _) if op != Op::View) && !own.contains(node);
            price + if is_new { NEW } else { 0 }
        };
        let best = self.best(&price);
        let mut chosen = Chosen { before: self.input_cost(roots, cost), ..Chosen::default() };
        let mut open = BTreeSet::new();
        for root in roots {
            if !choose(self.class(*root), &best, &mut chosen.nodes, &mut open) {
                return None;
            }
        }
        chosen.after = chosen.nodes.values().map(|node| self.price(node, cost)).sum();
        (chosen.after < chosen.before).then_some(chosen)
    }

    fn price(&self, node: &Node, cost: &dyn Fn(Head, [bool; 3]) -> u64) -> u64 {
        if !matches!(node.head.kind, Kind::Apply(op, _) if op != Op::View) {
            return 0;
        }
        let mut constants = [false; 3];
        for (constant, id) in constants.iter_mut().zip(node.children()) {
            *constant = self.constant_of(*id).is_some();
        }
        cost(node.head, constants)
    }

    /// The cost of the operations of the input that the roots need; equal operations count once.
    fn input_cost(&self, roots: &[Id], cost: &dyn Fn(Head, [bool; 3]) -> u64) -> u64 {
        // Identifiers of the input are not joined yet: equal operations have the same one.
        let by_id: BTreeMap<Id, &Node> = self.inputs.iter().map(|(node, id)| (*id, node)).collect();
        let (mut seen, mut open, mut sum) = (BTreeSet::new(), roots.to_vec(), 0);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(node) = by_id.get(&id) {
                sum += self.price(&self.canonical(node), cost);
                open.extend(node.children());
            }
        }
        sum
    }

    fn best(&self, price: &dyn Fn(&Node) -> u64) -> BTreeMap<Id, Best> {
        let mut best: BTreeMap<Id, Best> = BTreeMap::new();
        // Classes whose nodes are to be looked at again, in the order of their numbers.
        let mut parents: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
        for class in self.inner.classes() {
            for node in class.iter() {
                for child in node.children() {
                    parents.entry(self.inner.find(*child)).or_default().insert(class.id);
                }
            }
        }
        let mut open: BTreeSet<Id> = self.inner.classes().map(|class| class.id).collect();
        // Each look makes a class cheaper or is the last; the limit is for graphs that no kernel has.
        let mut looks = 64 * open.len();
        while let Some(id) = open.pop_first() {
            looks -= 1;
            if looks == 0 {
                break;
            }
            let mut better = false;
            for node in self.inner[id].iter() {
                let limit = best.get(&id).map_or(u64::MAX, |known| known.cost);
                if let Some(candidate) = candidate(id, node, price(node), limit, &best, &|id| self.inner.find(id)) {
                    best.insert(id, candidate);
                    better = true;
                }
            }
            if better {
                open.extend(parents.get(&id).into_iter().flatten());
            }
        }
        best
    }
}

// The choice of a node for a class; `None` if a child has none, if the class would need itself, or if the cost is not below
// `limit`.
fn candidate(
    id: Id,
    node: &Node,
    price: u64,
    limit: u64,
    best: &BTreeMap<Id, Best>,
    find: &dyn Fn(Id) -> Id,
) -> Option<Best> {
    let node = node.clone().map_children(find);
    let mut below = vec![(id, price)];
    for child in node.children() {
        let child = best.get(child)?;
        // The whole costs at least as much as each part.
        if child.cost + price >= limit || child.below.binary_search_by_key(&id, |(class, _)| *class).is_ok() {
            return None;
        }
        below = merged(&below, &child.below);
    }
    let cost = below.iter().map(|(_, cost)| cost).sum();
    (cost < limit).then_some(Best { cost, below, node })
}

// Both lists in order, equal classes once.
fn merged(a: &[(Id, u64)], b: &[(Id, u64)]) -> Vec<(Id, u64)> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        all.push(if x.0 <= y.0 { x } else { y });
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

// Takes the nodes of a class and of all below it; `false` for a cycle, or for a class without a node.
fn choose(id: Id, best: &BTreeMap<Id, Best>, nodes: &mut BTreeMap<Id, Node>, open: &mut BTreeSet<Id>) -> bool {
    if nodes.contains_key(&id) {
        return true;
    }
    let Some(found) = best.get(&id) else { return false };
    if !open.insert(id) {
        return false;
    }
    let complete = found.node.children().iter().all(|child| choose(*child, best, nodes, open));
    open.remove(&id);
    nodes.insert(id, found.node.clone());
    complete
}
