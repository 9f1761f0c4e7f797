//! Finds the matches of rules in a graph. The float operations of a match can have different fast-math flags. Each of
//! these operations has the flags that the rule requires.
use super::compile::{Entry, Pattern, RulePatterns, Table};
use super::{GraphState, Head, Node, NodeKind};
use crate::{Flags, Op, Term};
use egg::{EGraph, Id, Language};
use std::collections::{BTreeMap, BTreeSet};

/// The fast-math flags of the float operations that a pattern matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedFlags {
    /// The flags of the outermost operation; the common flags if this operation does not take flags.
    pub root: Flags,
    /// The flags that all operations have.
    pub common: Flags,
    /// The flags that at least one operation has.
    pub any: Flags,
}

/// An operation or a constant of a match.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The flags of the operation; `None` if the operation does not take flags, and for a constant.
    pub flags: Option<Flags>,
    /// The flags of the view ([`Op::View`]) through which the pattern matched the operation.
    pub view: Option<Flags>,
}

/// A match of a rule.
pub struct Match {
    pub entry: &'static Entry,
    /// The pattern, with the operand order that matched.
    pub order: &'static Term,
    pub class: Id,
    pub lanes: u32,
    /// The e-graph classes that match the variables of the rule.
    pub ids: Vec<Id>,
    pub flags: MatchedFlags,
    /// The operations and constants of the pattern, outer operations first.
    pub steps: Vec<Step>,
}

/// Finds at most `most` matches for each pattern and each operation, in the order of the rules.
pub fn search(graph: &EGraph<Node, GraphState>, tables: &[&'static Table], most: usize) -> Vec<Match> {
    let mut heads: BTreeMap<Head, Vec<Id>> = BTreeMap::new();
    let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
    classes.sort_unstable();
    let mut has_views = false;
    for id in classes {
        for node in graph[id].iter() {
            let Some(op) = op_of(&node.head) else { continue };
            if op == Op::View {
                has_views = true;
                continue;
            }
            let classes = heads.entry(node.head).or_default();
            if classes.last() != Some(&id) {
                classes.push(id);
            }
        }
    }
    let ops: BTreeSet<Op> = heads.keys().filter_map(op_of).flat_map(|op| [Some(op), op.swapped()]).flatten().collect();
    let names: BTreeSet<String> = ops.into_iter().map(Op::name).collect();
    let mut found = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        for (head, classes) in &heads {
            let Some(op) = op_of(head) else { continue };
            let flags = head_flags(head);
            let can_match = |rule: &RulePatterns| rule.can_match(|name| names.contains(name));
            for pattern in table.patterns((op, head.from, head.to), can_match) {
                if flags.is_some_and(|flags| !flags.has(pattern.entry.instance.flags)) {
                    continue;
                }
                let mut walk = Walk::new(graph, has_views, pattern, head.lanes, most);
                for class in classes {
                    walk.root(*class, head);
                }
                found.extend(walk.found.into_iter().map(|one| ((number, pattern.place), one)));
            }
        }
    }
    found.sort_by_key(|(key, _)| *key);
    found.into_iter().map(|(_, one)| one).collect()
}

fn op_of(head: &Head) -> Option<Op> {
    match head.kind {
        NodeKind::Apply(op, _) => Some(op),
        NodeKind::Leaf(_) | NodeKind::Constant(_) => None,
    }
}

// The fast-math flags of an operation; `None` for an operation that does not take flags.
fn head_flags(head: &Head) -> Option<Flags> {
    match head.kind {
        NodeKind::Apply(op, flags) if op.has_fast_math_flags() => Some(flags),
        _ => None,
    }
}

// A part of the pattern that a class must match, and the parts that follow it.
struct Goal<'g> {
    term: &'static Term,
    class: Id,
    lanes: u32,
    next: Option<&'g Goal<'g>>,
}

struct Walk<'g> {
    graph: &'g EGraph<Node, GraphState>,
    /// Whether the graph has a view.
    has_views: bool,
    entry: &'static Entry,
    order: &'static Term,
    lanes: u32,
    most: usize,
    class: Id,
    ids: Vec<Option<Id>>,
    steps: Vec<Step>,
    found: Vec<Match>,
}

impl<'g> Walk<'g> {
    fn new(
        graph: &'g EGraph<Node, GraphState>,
        has_views: bool,
        pattern: &'static Pattern,
        lanes: u32,
        most: usize,
    ) -> Walk<'g> {
        let Pattern { entry, term: order, .. } = pattern;
        let ids = vec![None; entry.instance.variables.len()];
        Walk {
            graph,
            has_views,
            entry,
            order,
            lanes,
            most,
            class: Id::from(0),
            ids,
            steps: Vec::new(),
            found: Vec::new(),
        }
    }

    fn root(&mut self, class: Id, head: &Head) {
        let Term::Apply { args, .. } = self.order else { return };
        self.class = class;
        for node in self.graph[class].iter().filter(|node| node.head == *head) {
            self.operation(node, args, None, None);
        }
    }

    // The operands of a node must match `args`, and the rest of the pattern must match `next`.
    fn operation(&mut self, node: &Node, args: &'static [Term], view: Option<Flags>, next: Option<&Goal<'_>>) {
        let flags = head_flags(&node.head);
        if flags.is_some_and(|flags| !flags.has(self.entry.instance.flags)) {
            return;
        }
        let lanes = match node.head.kind {
            NodeKind::Apply(op, _) => op.operand_lanes(node.head.lanes),
            _ => node.head.lanes,
        };
        self.steps.push(Step { flags, view });
        match (args, node.children()) {
            ([a], [x]) => self.solve(Some(&Goal { term: a, class: *x, lanes, next })),
            ([a, b], [x, y]) => {
                let second = Goal { term: b, class: *y, lanes, next };
                self.solve(Some(&Goal { term: a, class: *x, lanes, next: Some(&second) }));
            }
            ([a, b, c], [x, y, z]) => {
                let third = Goal { term: c, class: *z, lanes, next };
                let second = Goal { term: b, class: *y, lanes, next: Some(&third) };
                self.solve(Some(&Goal { term: a, class: *x, lanes, next: Some(&second) }));
            }
            _ => {}
        }
        self.steps.pop();
    }

    fn solve(&mut self, goal: Option<&Goal<'_>>) {
        if self.found.len() >= self.most {
            return;
        }
        let Some(goal) = goal else { return self.record() };
        let class = self.graph.find(goal.class);
        match goal.term {
            Term::Variable(index) => match self.ids[*index] {
                Some(known) if known == class => self.solve(goal.next),
                Some(_) => {}
                None => {
                    self.ids[*index] = Some(class);
                    self.solve(goal.next);
                    self.ids[*index] = None;
                }
            },
            Term::Constant(bits, ty) => {
                let constant_node = Node::constant(*bits, *ty, goal.lanes);
                let found = self.nodes(class).find(|(node, _)| **node == constant_node);
                if let Some((_, view)) = found {
                    self.steps.push(Step { flags: None, view });
                    self.solve(goal.next);
                    self.steps.pop();
                }
            }
            Term::Computed(_) => {}
            Term::Apply { op, from, to, args } => {
                let [from, to] = [(*from).into(), (*to).into()];
                let lanes = goal.lanes;
                let fits = move |head: &Head| {
                    let is_op = matches!(head.kind, NodeKind::Apply(own, _) if own == *op);
                    is_op && head.from == from && head.to == to && head.lanes == lanes
                };
                for (node, view) in self.nodes(class).filter(|(node, _)| fits(&node.head)) {
                    self.operation(node, args, view, goal.next);
                }
            }
        }
    }

    // The nodes of a class, and the nodes that it presents by a view, with the flags of the view.
    fn nodes(&self, class: Id) -> impl Iterator<Item = (&'g Node, Option<Flags>)> + use<'g> {
        let graph = self.graph;
        let own = graph[class].iter().map(|node| (node, None));
        let nodes = self.has_views.then(|| graph[class].iter()).into_iter().flatten();
        let views = nodes.filter_map(|node| match (node.head.kind, node.children()) {
            (NodeKind::Apply(Op::View, flags), [inner]) => Some((*inner, flags)),
            _ => None,
        });
        let is_other = move |inner: Id| graph.find(inner) != class;
        let inside = views.filter(move |(inner, _)| is_other(*inner));
        own.chain(inside.flat_map(move |(inner, flags)| graph[inner].iter().map(move |node| (node, Some(flags)))))
    }

    fn record(&mut self) {
        let Some(ids) = self.ids.iter().copied().collect::<Option<Vec<Id>>>() else { return };
        let mut all = self.steps.iter().filter_map(|step| step.flags);
        let flags = match all.next() {
            Some(first) => all.fold(MatchedFlags { root: first, common: first, any: first }, |seen, own| {
                MatchedFlags { common: Flags(seen.common.0 & own.0), any: seen.any | own, ..seen }
            }),
            None => MatchedFlags { root: Flags::NONE, common: Flags::NONE, any: Flags::NONE },
        };
        let has_root = self.steps.first().is_some_and(|step| step.flags.is_some());
        let flags = if has_root { flags } else { MatchedFlags { root: flags.common, ..flags } };
        self.found.push(Match {
            entry: self.entry,
            order: self.order,
            class: self.class,
            lanes: self.lanes,
            ids,
            flags,
            steps: self.steps.clone(),
        });
    }
}
