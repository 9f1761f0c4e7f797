//! Extraction: selects one node of each needed class, so that the total cost is low. The cost of a term that
//! several other terms share is counted once.
//!
//! The choice is greedy, like "greedy-dag" of the extraction gym, and therefore not always optimal. The cost of a
//! class is the cost of its cheapest node and of all classes that this node needs. A search with a bounded number
//! of steps then looks for a cheaper choice (`exact.rs`). If the chosen nodes do not cost less than the input,
//! the input is kept. The comparison with the input also considers latency and registers (`model.rs`).
use super::exact::{self, Options};
use super::model::{self, ChoiceCost};
use super::{Graph, Head, Node, NodeKind};
use crate::Op;
use crate::cost::cost;
use cube_target::Target;
use egg::{Id, Language};
use std::collections::{BTreeMap, BTreeSet};

/// The nodes that extraction chose, with the cost of the input and of the choice.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The chosen node of each class that the roots require; the operands of a node are classes.
    pub nodes: BTreeMap<Id, Node>,
    /// The cost of the input, in which each distinct operation is counted once.
    pub before: u64,
    /// The cost of the chosen nodes.
    pub after: u64,
    /// The costs of the input and of the choice, with latency and registers.
    pub costs: [ChoiceCost; 2],
}

/// One node of a class, as [`Graph::choices`] returns it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The cost of the node without the cost of its operands.
    pub cost: u64,
    /// The classes of the operands.
    pub operands: Vec<Id>,
}

// The additional cost of a node that the input does not have. At equal cost, the input's node is therefore chosen.
// Costs are multiplied by `SCALE` first.
const NEW_NODE_COST: u64 = 1;
const SCALE: u64 = 1024;

/// Maximum number of steps of the search for a cheaper choice.
const MAX_STEPS: usize = 2000;

/// Maximum number of classes of a graph in which extraction searches for a cheaper choice.
const MAX_SEARCHED_CLASSES: usize = 512;

struct Best {
    cost: u64,
    /// The class and all classes that it needs, each with its cost, in the order of their numbers.
    below: Vec<(Id, u64)>,
    node: Node,
}

impl Graph {
    /// Selects nodes that compute the roots. `None` if the choice does not cost less than the input by
    /// [`ChoiceCost::is_below`], or if the graph is contradictory.
    pub fn extract(&self, roots: &[Id], target: &Target) -> Option<Chosen> {
        if self.is_contradictory() {
            return None;
        }
        let cost = |head: Head, constants: [bool; 3]| cost(target, head, constants);
        let own: BTreeSet<Node> = self.inputs.iter().map(|(node, _)| self.canonical(node)).collect();
        let price = |node: &Node| {
            let price = self.price(node, &cost) * SCALE;
            let is_new = matches!(node.head.kind, NodeKind::Apply(op, _) if op != Op::View) && !own.contains(node);
            price + if is_new { NEW_NODE_COST } else { 0 }
        };
        let best = self.best(&price);
        let (mut greedy, mut open) = (BTreeMap::new(), BTreeSet::new());
        for root in roots {
            if !choose(self.class(*root), &best, &mut greedy, &mut open) {
                return None;
            }
        }
        let classes: Vec<Id> = roots.iter().map(|root| self.class(*root)).collect();
        let limit = greedy.values().map(&price).sum();
        let options = self.options(&classes, &best, &price);
        let found = options.map(|options| exact::search(&classes, options, limit, MAX_STEPS).nodes);
        let is_constant = |id: Id| self.constant_of(id).is_some();
        // The identifiers of the input are those before any rule was applied. Equal operations have the same
        // identifier.
        let input: BTreeMap<Id, &Node> = self.values.iter().chain(&self.inputs).map(|(node, id)| (*id, node)).collect();
        let before =
            model::cost_of_choice(target, roots, &|id| input.get(&id).map(|node| (*node).clone()), &is_constant);
        // The cheapest choice can require more registers than the input.
        let choices = found.into_iter().filter(|nodes| !nodes.is_empty()).chain([greedy]);
        let mut choices = choices.map(|nodes| {
            let after = model::cost_of_choice(target, &classes, &|id| nodes.get(&id).cloned(), &is_constant);
            Chosen { nodes, before: before.time, after: after.time, costs: [before, after] }
        });
        choices.find(|chosen| chosen.costs[1].is_below(before, target))
    }

    /// The minimum cost of a choice for the roots, in the unit of `cost`; `None` if the search requires more than
    /// `steps` steps.
    pub fn optimum(&self, roots: &[Id], cost: &dyn Fn(Head, [bool; 3]) -> u64, steps: usize) -> Option<u64> {
        let price = |node: &Node| self.price(node, cost);
        let best = self.best(&price);
        let classes: Vec<Id> = roots.iter().map(|root| self.class(*root)).collect();
        let found = exact::search(&classes, self.options(&classes, &best, &price)?, u64::MAX, steps);
        found.optimal.then(|| found.nodes.values().map(price).sum())
    }

    /// All nodes that a choice for the roots can select, by class. Each entry is the cost of a node, in the unit of
    /// `cost`, and the classes of its operands. `None` for a large graph.
    pub fn choices(&self, roots: &[Id], cost: &dyn Fn(Head, [bool; 3]) -> u64) -> Option<BTreeMap<Id, Vec<Choice>>> {
        let price = |node: &Node| self.price(node, cost);
        let best = self.best(&price);
        let classes: Vec<Id> = roots.iter().map(|root| self.class(*root)).collect();
        let options = self.options(&classes, &best, &price)?;
        let choice = |(cost, node): (u64, Node)| Choice { cost, operands: node.children().to_vec() };
        Some(options.into_iter().map(|(id, nodes)| (id, nodes.into_iter().map(choice).collect())).collect())
    }

    // The nodes of the classes below the roots. The cheapest node by the greedy choice is first. `None` for a large
    // graph.
    fn options(&self, roots: &[Id], best: &BTreeMap<Id, Best>, price: &dyn Fn(&Node) -> u64) -> Option<Options> {
        let (mut options, mut open) = (Options::new(), roots.to_vec());
        while let Some(id) = open.pop() {
            if options.contains_key(&id) {
                continue;
            }
            if options.len() == MAX_SEARCHED_CLASSES {
                return None;
            }
            let all = self.inner[id].iter().map(|node| self.canonical(node));
            let mut nodes: Vec<(u64, Node)> = all
                .filter(|node| node.children().iter().all(|child| best.contains_key(child)))
                .map(|node| (price(&node), node))
                .collect();
            nodes.sort_by_cached_key(|(own, node)| {
                let below: u64 = node.children().iter().filter_map(|child| best.get(child)).map(|best| best.cost).sum();
                (own + below, node.clone())
            });
            nodes.dedup();
            open.extend(nodes.iter().flat_map(|(_, node)| node.children().iter().copied()));
            options.insert(id, nodes);
        }
        Some(options)
    }

    fn price(&self, node: &Node, cost: &dyn Fn(Head, [bool; 3]) -> u64) -> u64 {
        if !matches!(node.head.kind, NodeKind::Apply(op, _) if op != Op::View) {
            return 0;
        }
        let mut constants = [false; 3];
        for (constant, id) in constants.iter_mut().zip(node.children()) {
            *constant = self.constant_of(*id).is_some();
        }
        cost(node.head, constants)
    }

    fn best(&self, price: &dyn Fn(&Node) -> u64) -> BTreeMap<Id, Best> {
        let mut best: BTreeMap<Id, Best> = BTreeMap::new();
        // For each class, the classes with a node that has this class as an operand. A cheaper choice for a
        // class can lower the costs of these classes.
        let mut parents: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
        for class in self.inner.classes() {
            for node in class.iter() {
                for child in node.children() {
                    parents.entry(self.inner.find(*child)).or_default().insert(class.id);
                }
            }
        }
        let mut open: BTreeSet<Id> = self.inner.classes().map(|class| class.id).collect();
        // A class is visited again only after the cost of an operand's class became lower. No kernel's graph
        // reaches the limit.
        let mut visits_left = 64 * open.len();
        while let Some(id) = open.pop_first() {
            visits_left -= 1;
            if visits_left == 0 {
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

// The cost of choosing a node for a class. `None` if a child has no choice, if the class would require itself, or if
// the cost is not below `limit`.
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
        // The total cost is at least the cost of each part.
        if child.cost + price >= limit || child.below.binary_search_by_key(&id, |(class, _)| *class).is_ok() {
            return None;
        }
        below = merged(&below, &child.below);
    }
    let cost = below.iter().map(|(_, cost)| cost).sum();
    (cost < limit).then_some(Best { cost, below, node })
}

// Merges two ordered lists. A class in both lists occurs once.
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

// Chooses the nodes of a class and of all classes below it. Returns `false` for a cycle, or for a class without a node.
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
