//! Algorithms on control flow graphs: dominators, joins of the paths from a branch, and control dependence.
use std::collections::{HashMap, HashSet};

/// A control flow graph.
pub(crate) struct Graph {
    /// The successors of each block.
    pub(crate) next: Vec<Vec<usize>>,
    /// The immediate postdominator of each block that reaches an exit. The index `next.len()` denotes the exit
    /// itself.
    postdominator: Vec<Option<usize>>,
}

/// A block that joins disjoint paths from a branch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Join {
    /// The block.
    pub(crate) at: usize,
    /// The predecessors through which the branch first reaches the join.
    pub(crate) from: HashSet<usize>,
}

impl Graph {
    pub(crate) fn new(next: Vec<Vec<usize>>) -> Self {
        let end = next.len();
        let mut backwards = vec![Vec::new(); end + 1];
        for (at, after) in next.iter().enumerate() {
            after.iter().for_each(|to| backwards[*to].push(at));
            if after.is_empty() {
                backwards[end].push(at);
            }
        }
        let postdominator = dominators(&backwards, end);
        Graph { next, postdominator }
    }

    /// The blocks at which paths from the branch `branch` join. All units reconverge in the postdominator, so the
    /// search ends at the postdominator. Cost: linear in the blocks between the branch and its postdominator.
    pub(crate) fn joins(&self, branch: usize) -> Vec<Join> {
        let stop = self.postdominator[branch];
        let blocks = self.until_postdominator(branch);
        let number: HashMap<usize, usize> = blocks.iter().enumerate().map(|(i, at)| (*at, i + 1)).collect();
        // Node 0 of the local graph is the branch, where the paths begin. Node `n` is `blocks[n - 1]`.
        let mut local = vec![self.next[branch].iter().map(|to| number[to]).collect::<Vec<_>>()];
        for at in &blocks {
            let ends = Some(*at) == stop;
            local.push(if ends { vec![] } else { self.next[*at].iter().map(|to| number[to]).collect() });
        }
        let dominated = dominators(&local, 0);
        let mut before: Vec<HashSet<usize>> = vec![HashSet::new(); local.len()];
        for (from, after) in local.iter().enumerate() {
            after.iter().filter(|to| dominated[**to] == Some(0)).for_each(|to| {
                before[*to].insert(from);
            });
        }
        let head = heads(&dominated);
        let mut joins = Vec::new();
        for (at, from) in before.into_iter().enumerate().skip(1) {
            // If the join dominates a predecessor, the edge is a back edge. A path that first reaches the join does
            // not contain this edge.
            let first = from.into_iter().filter(|from| *from == 0 || head[*from] != at);
            let from: HashSet<usize> = first.map(|from| if from == 0 { branch } else { blocks[from - 1] }).collect();
            if from.len() > 1 {
                joins.push(Join { at: blocks[at - 1], from });
            }
        }
        joins
    }

    /// The blocks on paths from `branch` to its postdominator, without both. The set is empty if a path leads back to the
    /// branch: a value from before the branch can then differ between the iterations.
    pub(crate) fn between(&self, branch: usize) -> HashSet<usize> {
        let stop = self.postdominator[branch];
        let blocks: HashSet<usize> =
            self.until_postdominator(branch).into_iter().filter(|at| Some(*at) != stop).collect();
        if blocks.contains(&branch) { HashSet::new() } else { blocks }
    }

    /// The blocks on paths from `branch` back to `branch` that do not contain its postdominator. If the branch is
    /// divergent, units can leave these blocks in different iterations. The set is empty if the branch is not in a loop,
    /// or if all units reconverge in each iteration. Cost: linear in the blocks between the branch and its
    /// postdominator.
    pub(crate) fn repeated(&self, branch: usize) -> HashSet<usize> {
        let stop = self.postdominator[branch];
        let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
        for from in self.until_postdominator(branch).into_iter().filter(|at| Some(*at) != stop) {
            self.next[from].iter().for_each(|to| before.entry(*to).or_default().push(from));
        }
        let (mut found, mut open) = (HashSet::new(), vec![branch]);
        while let Some(at) = open.pop() {
            open.extend(before.get(&at).into_iter().flatten().filter(|from| found.insert(**from)));
        }
        found
    }

    // The blocks that paths from `branch` reach, up to and including its postdominator.
    fn until_postdominator(&self, branch: usize) -> Vec<usize> {
        let stop = self.postdominator[branch];
        let (mut seen, mut blocks, mut open) = (HashSet::new(), Vec::new(), self.next[branch].clone());
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                blocks.push(at);
                if Some(at) != stop {
                    open.extend(&self.next[at]);
                }
            }
        }
        blocks
    }

    /// The blocks that are control-dependent on one of `branches`, directly or through another branch.
    pub(crate) fn decided_by(&self, branches: &[usize]) -> HashSet<usize> {
        let (mut found, mut open, mut seen) = (HashSet::new(), branches.to_vec(), HashSet::new());
        while let Some(branch) = open.pop() {
            if seen.insert(branch) && self.next[branch].len() > 1 {
                let decided = self.decided(branch);
                open.extend(decided.into_iter().filter(|at| found.insert(*at)));
            }
        }
        found
    }

    // The blocks that all paths from one successor contain, and some path from another successor does not.
    fn decided(&self, branch: usize) -> Vec<usize> {
        let end = self.next.len();
        let (ending, endless): (Vec<usize>, Vec<usize>) =
            self.next[branch].iter().partition(|next| self.postdominator[**next].is_some());
        let Some(common) = self.postdominator[branch] else { return vec![] };
        if !endless.is_empty() {
            // If a successor cannot reach an exit, all its paths count as passing through every block up to the common
            // postdominator.
            let always: HashSet<usize> = self.postdominators(common, end).collect();
            return (0..end).filter(|at| !always.contains(at)).collect();
        }
        ending.into_iter().flat_map(|next| self.postdominators(next, common)).collect()
    }

    // `from` and its postdominators, up to but excluding `to`.
    fn postdominators(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(from), |at| self.postdominator[*at]).take_while(move |at| *at != to)
    }
}

// For each block: the child of the root whose subtree contains the block.
fn heads(dominated: &[Option<usize>]) -> Vec<usize> {
    let mut head = vec![0; dominated.len()];
    for start in 1..dominated.len() {
        let mut path = Vec::new();
        let mut at = start;
        while at != 0 && head[at] == 0 {
            path.push(at);
            match dominated[at] {
                Some(parent) if parent != 0 => at = parent,
                _ => head[at] = at,
            }
        }
        path.into_iter().for_each(|below| head[below] = head[at]);
    }
    head
}

/// The immediate dominator of each node that `root` reaches, by the algorithm of Cooper, Harvey and Kennedy (2001).
/// The immediate dominator is `None` for the root and for unreachable nodes. Cost: linear for graphs whose loops
/// have one entry.
fn dominators(next: &[Vec<usize>], root: usize) -> Vec<Option<usize>> {
    let order = postorder(next, root);
    let mut rank = vec![usize::MAX; next.len()];
    order.iter().enumerate().for_each(|(i, at)| rank[*at] = i);
    let mut before = vec![Vec::new(); next.len()];
    for at in &order {
        next[*at].iter().for_each(|to| before[*to].push(*at));
    }
    let mut found: Vec<Option<usize>> = vec![None; next.len()];
    found[root] = Some(root);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in order.iter().rev().copied().filter(|at| *at != root) {
            let known = before[at].iter().copied().filter(|from| found[*from].is_some());
            let new = known.reduce(|mut a, mut b| {
                while a != b {
                    let low = if rank[a] < rank[b] { &mut a } else { &mut b };
                    *low = found[*low].unwrap_or(root);
                }
                a
            });
            if found[at] != new {
                found[at] = new;
                changed = true;
            }
        }
    }
    found[root] = None;
    found
}

// The nodes that `root` reaches, in post-order of a depth-first search.
fn postorder(next: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let (mut order, mut open) = (Vec::new(), vec![(root, 0)]);
    seen[root] = true;
    while let Some((at, tried)) = open.last_mut() {
        match next[*at].get(*tried) {
            Some(to) => {
                *tried += 1;
                if !std::mem::replace(&mut seen[*to], true) {
                    open.push((*to, 0));
                }
            }
            None => {
                order.push(*at);
                open.pop();
            }
        }
    }
    order
}

#[cfg(test)]
#[path = "tests/graph.rs"]
mod tests;
