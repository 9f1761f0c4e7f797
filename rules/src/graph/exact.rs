//! Finds the cheapest choice of e-graph nodes by branch and bound over the required classes.
//!
//! A required class costs at least as much as its cheapest node. The sum of the minimum costs of the required
//! classes is the lower bound of a partial choice. The search drops a node if another node of the same class costs
//! no more and requires no additional class. Each step of the search chooses a node. The search limits the number
//! of steps and not the time, so that the choice is the same on every machine. At the limit, the search returns the
//! best choice so far.
use super::Node;
use egg::{Id, Language};
use std::collections::{BTreeMap, BTreeSet};

/// The nodes of each class, each with its own cost (without the cost of its operands).
pub(super) type Options = BTreeMap<Id, Vec<(u64, Node)>>;

/// The result of the search for the cheapest choice.
pub(super) struct SearchResult {
    pub nodes: BTreeMap<Id, Node>,
    /// Whether the search proved that no choice costs less.
    pub optimal: bool,
}

struct Search {
    options: Options,
    least: BTreeMap<Id, u64>,
    limit: u64,
    steps: usize,
    best: Option<BTreeMap<Id, Node>>,
}

/// Searches for a choice of nodes for the roots that costs less than `limit`. If `steps` is sufficient, the
/// result is the cheapest choice. The nodes of a class are tried in the order of `options`.
pub(super) fn search(roots: &[Id], mut options: Options, limit: u64, steps: usize) -> SearchResult {
    options.values_mut().for_each(drop_dominated);
    let least = options.iter().map(|(id, nodes)| (*id, nodes.iter().map(|node| node.0).min().unwrap_or(0))).collect();
    let mut search = Search { options, least, limit, steps, best: None };
    let open: BTreeSet<Id> = roots.iter().copied().collect();
    let rest = open.iter().map(|id| search.least.get(id).copied().unwrap_or(0)).sum();
    search.choose(&mut BTreeMap::new(), open, 0, rest);
    SearchResult { nodes: search.best.unwrap_or_default(), optimal: search.steps > 0 }
}

fn drop_dominated(nodes: &mut Vec<(u64, Node)>) {
    let needs = |node: &Node| node.children().iter().copied().collect::<BTreeSet<Id>>();
    let mut kept: Vec<(u64, Node)> = Vec::new();
    for (place, (cost, node)) in nodes.iter().enumerate() {
        let own = needs(node);
        let is_dominated = nodes.iter().enumerate().any(|(other, (price, by))| {
            let by = needs(by);
            let dominates = *price <= *cost && by.is_subset(&own);
            // The first of two equivalent nodes is kept.
            other != place && dominates && ((*price < *cost || by.len() < own.len()) || other < place)
        });
        if !is_dominated {
            kept.push((*cost, node.clone()));
        }
    }
    *nodes = kept;
}

impl Search {
    fn choose(&mut self, chosen: &mut BTreeMap<Id, Node>, mut open: BTreeSet<Id>, cost: u64, rest: u64) {
        if cost + rest >= self.limit || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let count = |id: &Id| self.options.get(id).map_or(0, Vec::len);
        let Some(class) = open.iter().copied().min_by_key(|id| (count(id), *id)) else {
            self.limit = cost;
            self.best = Some(chosen.clone());
            return;
        };
        open.remove(&class);
        let rest = rest - self.least.get(&class).copied().unwrap_or(0);
        for place in 0..count(&class) {
            let (price, node) = self.options[&class][place].clone();
            if node.children().iter().any(|child| reaches(*child, class, chosen)) {
                continue;
            }
            let (mut next, mut more) = (open.clone(), rest);
            for child in node.children() {
                if !chosen.contains_key(child) && next.insert(*child) {
                    more += self.least.get(child).copied().unwrap_or(0);
                }
            }
            chosen.insert(class, node);
            self.choose(chosen, next, cost + price, more);
            chosen.remove(&class);
        }
    }
}

// Whether the chosen nodes below the class `from` require the class `to`.
fn reaches(from: Id, to: Id, chosen: &BTreeMap<Id, Node>) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(chosen.get(&id).into_iter().flat_map(|node| node.children().iter().copied()));
        }
    }
    false
}
