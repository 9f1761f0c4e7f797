//! The e-graph: classes of equal expressions, which rules extend within fixed bounds. The crate egg stores the
//! classes. The loop that applies the rules is in this file and not in egg, because it checks bounds before each
//! application and uses no clock.
mod analysis;
mod compile;
mod exact;
mod explain;
mod extract;
mod matches;
mod model;
mod node;

pub use analysis::GraphState;
pub use compile::{Entry, OwnRules, Pattern, largest_application, patterns_of, prepare};
pub use extract::{Choice, Chosen};
pub use model::ChoiceCost;
pub use node::{Head, Node, NodeKind, Ty};

use crate::{Domain, Flags, Op, Term};
use analysis::ClassFacts;
use compile::Table;
use cube_semantics::Number;
use egg::{EGraph, Id, Language};
use matches::Match;
use std::collections::{BTreeMap, BTreeSet};

/// Limits on the growth of one graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of nodes in the graph. A rule is applied only if all nodes that it can add stay within
    /// this limit.
    pub nodes: usize,
    /// Maximum number of rule applications.
    pub applications: usize,
    /// Maximum number of rounds. One round searches for all patterns and applies the rules to all matches.
    pub rounds: usize,
    /// Maximum number of matches of one pattern in one round.
    pub matches: usize,
}

impl Limits {
    /// The limits for an input that has `operations` operations. The work is linear in the number of
    /// operations.
    pub fn of(operations: usize) -> Limits {
        let nodes = (512 + 8 * operations).min(8192);
        Limits { nodes, applications: 4 * nodes, rounds: 6, matches: 512 }
    }
}

/// Statistics of one call of [`Graph::grow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// For each rule, the number of times that it joined two classes.
    pub applied: BTreeMap<&'static str, u32>,
    /// The number of rounds that were executed.
    pub rounds: usize,
    /// The number of nodes of the e-graph after the last round.
    pub nodes: usize,
    /// Whether the graph reached a fixed point of the rules.
    pub saturated: bool,
}

/// The fast-math flags that the graph stores for an operation of the input. A fused multiply-add has no stored
/// flags, because the program requires its single rounding.
pub fn flags_of_input(op: Op, flags: Flags) -> Flags {
    let is_fma = op == Op::Float(cube_semantics::FloatOp::Fma);
    if op.has_fast_math_flags() && !is_fma { flags } else { Flags::NONE }
}

/// An e-graph: expressions in classes of equal expressions.
pub struct Graph {
    inner: EGraph<Node, GraphState>,
    inputs: Vec<(Node, Id)>,
    /// Leaves and constants.
    values: Vec<(Node, Id)>,
    explains: bool,
    own: OwnRules,
    /// The nodes that rules created.
    made: Vec<(Node, &'static str)>,
    /// The classes in which a rule joined two existing nodes.
    joined: Vec<(Id, &'static str)>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            inner: EGraph::new(GraphState::default()),
            inputs: Vec::new(),
            values: Vec::new(),
            explains: false,
            own: OwnRules::default(),
            made: Vec::new(),
            joined: Vec::new(),
        }
    }
}

impl Graph {
    /// Adds the rules of a program to the built-in rules.
    pub fn with_rules(mut self, own: OwnRules) -> Graph {
        self.own = own;
        self
    }

    /// Adds an opaque value with `lanes` lanes; `lanes` is 0 for a scalar. `domain` contains the unsigned
    /// value of each element.
    pub fn leaf(&mut self, ty: Number, lanes: u32, domain: impl Into<Domain>) -> Id {
        let number = self.inner.analysis.leaves.len() as u32;
        self.inner.analysis.leaves.push(domain.into());
        self.value(Node::leaf(number, ty, lanes))
    }

    fn value(&mut self, node: Node) -> Id {
        let id = self.inner.add(node.clone());
        self.values.push((node, id));
        id
    }

    /// Adds a constant: a scalar if `lanes` is 0, otherwise a vector of equal elements.
    pub fn constant(&mut self, bits: u64, ty: Number, lanes: u32) -> Id {
        self.value(Node::constant(bits, ty, lanes))
    }

    /// Adds an operation of the input program. The term of the operation gets the flags that
    /// [`flags_of_input`] returns.
    pub fn apply(&mut self, op: Op, [from, to]: [Number; 2], lanes: u32, flags: Flags, args: &[Id]) -> Id {
        let flags = flags_of_input(op, flags);
        let node = Node::apply(op, [from, to], lanes, flags, args);
        let id = self.inner.add(node.clone());
        self.inputs.push((node, id));
        id
    }

    /// Declares that an operation outside the optimised window of operations computes the value of a leaf.
    /// Rules can match the operation. The extraction can select the operation at no cost. The operation's
    /// term has no fast-math flags, because only the value of the operation is known to equal the leaf.
    pub fn context(&mut self, leaf: Id, op: Op, [from, to]: [Number; 2], lanes: u32, args: &[Id]) {
        let id = self.inner.add(Node::apply(op, [from, to], lanes, Flags::NONE, args));
        self.inner.union_trusted(leaf, id, "context");
    }

    /// The class to which a value currently belongs.
    pub fn class(&self, id: Id) -> Id {
        self.inner.find(id)
    }

    /// The number of nodes in all classes of the graph.
    pub fn nodes(&self) -> usize {
        self.inner.total_number_of_nodes()
    }

    /// The constant value of a class; `None` if the class has no constant.
    pub fn constant_of(&self, id: Id) -> Option<u64> {
        self.inner[id].data.domain.constant()
    }

    /// Whether the rules found two different constants equal, which is impossible in a program with a defined
    /// result. A graph in which two different constants are equal is not usable.
    pub fn is_contradictory(&self) -> bool {
        self.inner.analysis.contradiction
    }

    // Restores the invariants of the graph. egg measures the time for a log message, and the first clock of a process
    // measures the frequency of the processor for several milliseconds. A clock that stands still needs no measurement.
    fn rebuild(&mut self) {
        let (clock, _) = quanta::Clock::mock();
        quanta::with_clock(&clock, || self.inner.rebuild());
    }

    /// Applies the rules until no rule changes the graph or a limit is reached.
    pub fn grow(&mut self, limits: Limits) -> Growth {
        self.rebuild();
        self.inner.analysis.limit = limits.nodes;
        let tables: Vec<&'static Table> = [compile::table()].into_iter().chain(self.own.0).collect();
        let mut growth = Growth::default();
        let mut applications = 0;
        'rounds: while growth.rounds < limits.rounds && !self.is_contradictory() {
            growth.rounds += 1;
            let found = matches::search(&self.inner, &tables, limits.matches);
            let mut changed = false;
            for found in found {
                let (name, size) = (found.entry.name, found.entry.size);
                // The size of egg's index, which also has the old forms of joined nodes.
                if self.inner.total_size() + size > limits.nodes || applications >= limits.applications {
                    self.rebuild();
                    break 'rounds;
                }
                let made = self.made.len();
                if let Some(new) = self.replacement(&found) {
                    applications += 1;
                    let old = if self.explains { self.matched(&found) } else { None }.unwrap_or(found.class);
                    if self.inner.union_trusted(old, new, name) {
                        *growth.applied.entry(name).or_default() += 1;
                        if made == self.made.len() {
                            self.joined.push((new, name));
                        }
                        changed = true;
                    }
                }
            }
            self.rebuild();
            if !changed {
                growth.saturated = true;
                break;
            }
        }
        growth.nodes = self.nodes();
        growth
    }

    // The class of the replacement for a match; `None` if the guard does not hold. The operations of the replacement
    // have the common flags of the matched operations.
    fn replacement(&mut self, found: &Match) -> Option<Id> {
        let instance = &found.entry.instance;
        let known: Vec<&ClassFacts> = found.ids.iter().map(|id| &self.inner[*id].data).collect();
        let fits = |(variable, known): (&crate::parse::Variable, &&ClassFacts)| {
            !variable.constant || known.domain.constant().is_some()
        };
        if !instance.variables.iter().zip(&known).all(fits) {
            return None;
        }
        let domains: Vec<Domain> = known.iter().map(|known| known.domain).collect();
        if let Some(guard) = &instance.guard
            && guard.domain(&domains).constant() != Some(1)
        {
            return None;
        }
        let constants: Vec<u64> = domains.iter().map(|domain| domain.range.low).collect();
        let new = self.build(found, &instance.replacement, found.lanes, &constants)?;
        if !self.is_directed(found, new) {
            return Some(new);
        }
        let ty = match &instance.pattern {
            Term::Apply { to, .. } => *to,
            _ => return None,
        };
        let view = Node::apply(Op::View, [ty, ty], found.lanes, found.flags.root, &[new]);
        Some(self.make(view, found.entry.name))
    }

    // Whether only the pattern can be replaced, but not the replacement by the pattern. Both classes can be joined if
    // all operations of both sides have the same flags.
    fn is_directed(&self, found: &Match, new: Id) -> bool {
        let flags = found.flags;
        if flags.any == Flags::NONE {
            return false;
        }
        let has_flags = match &found.entry.instance.replacement {
            Term::Apply { op, .. } => op.has_fast_math_flags(),
            _ => self.inner[new].data.flags == Some(flags.common),
        };
        flags.any != flags.common || !has_flags
    }

    // Adds a node of a replacement, and records the rule if the node is new.
    fn make(&mut self, node: Node, rule: &'static str) -> Id {
        let is_operation = matches!(node.head.kind, NodeKind::Apply(op, _) if op != Op::View);
        if is_operation && self.inner.lookup(node.clone()).is_none() {
            self.made.push((node.clone(), rule));
        }
        self.insert(node)
    }

    /// The rules that led to the chosen nodes: the rules that created them, and the rules that joined a chosen node's
    /// class with another class.
    pub fn rules_of(&self, chosen: &Chosen) -> BTreeSet<&'static str> {
        let made: BTreeMap<Node, &'static str> =
            self.made.iter().rev().map(|(node, rule)| (self.canonical(node), *rule)).collect();
        let joined = self.joined.iter().map(|(id, rule)| (self.class(*id), *rule));
        let joined = joined.filter(|(class, _)| chosen.nodes.contains_key(class)).map(|(_, rule)| rule);
        chosen.nodes.values().filter_map(|node| made.get(node).copied()).chain(joined).collect()
    }

    // An explanation requires the identifier of the term instead of the identifier of its class.
    fn insert(&mut self, node: Node) -> Id {
        if self.explains { self.inner.add_uncanonical(node) } else { self.inner.add(node) }
    }

    fn build(&mut self, found: &Match, term: &Term, lanes: u32, constants: &[u64]) -> Option<Id> {
        let Entry { name, instance, .. } = found.entry;
        match term {
            Term::Variable(index) => found.ids.get(*index).copied(),
            Term::Constant(bits, ty) => Some(self.insert(Node::constant(*bits, *ty, lanes))),
            Term::Computed(inner) => {
                let ty = match inner.as_ref() {
                    Term::Apply { to, .. } => *to,
                    Term::Constant(_, ty) => *ty,
                    _ => instance.types[0],
                };
                let bits = inner.value(constants)?;
                Some(self.insert(Node::constant(bits, ty, lanes)))
            }
            Term::Apply { op, from, to, args } => {
                let mut built = Vec::with_capacity(3);
                for arg in args {
                    built.push(self.build(found, arg, op.operand_lanes(lanes), constants)?);
                }
                let flags = if op.has_fast_math_flags() { found.flags.common } else { Flags::NONE };
                Some(self.make(Node::apply(*op, [*from, *to], lanes, flags, &built), name))
            }
        }
    }

    /// An input node whose operands are replaced by their current classes.
    fn canonical(&self, node: &Node) -> Node {
        node.clone().map_children(|id| self.inner.find(id))
    }
}
