//! The e-graph analysis: for each class, a domain of values and the fast-math flags of the input operations.
use super::{Node, NodeKind};
use crate::{Domain, Flags, Op};
use egg::{Analysis, DidMerge, EGraph, Id, Language};

/// The state of the e-graph analysis.
#[derive(Clone, Debug, Default)]
pub struct GraphState {
    /// The domains of the leaves, indexed by leaf number.
    pub(super) leaves: Vec<Domain>,
    /// Whether a rule has joined two classes whose domains have no common value.
    pub(super) contradiction: bool,
    /// The number of nodes above which the analysis adds no constants to classes; 0 for no limit.
    pub(super) limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFacts {
    /// The possible values of each element.
    pub domain: Domain,
    /// The flags of all nodes in the class; `None` if the flags differ, or if a node has no flags, for example a
    /// leaf or a constant.
    pub flags: Option<Flags>,
    is_float: bool,
    /// The number of times that the domain of the class became narrower. The count is limited, because
    /// intervals in a cycle of classes could otherwise become narrower in small steps without an end.
    narrowed: u8,
}

// Maximum number of times that the domain of one class becomes narrower.
const MAX_NARROWED: u8 = 16;

impl Analysis<Node> for GraphState {
    type Data = ClassFacts;

    fn make(graph: &mut EGraph<Node, Self>, node: &Node, _id: Id) -> ClassFacts {
        let (from, to) = (node.head.from.number(), node.head.to.number());
        let arg = |n: usize| graph[node.children()[n]].data.domain;
        let domain = match node.head.kind {
            NodeKind::Leaf(number) => graph.analysis.leaves.get(number as usize).copied(),
            NodeKind::Constant(bits) => Some(Domain::of(bits)),
            NodeKind::Apply(Op::View, _) => Some(arg(0)),
            // The analysis does not fold floats, because a folded constant would join classes with different flags.
            // Rules fold floats.
            NodeKind::Apply(..) if to.is_float() => None,
            NodeKind::Apply(op, _) => {
                let args: Vec<Domain> = (0..node.children().len()).map(arg).collect();
                Some(Domain::of_op(op, from, to, &args))
            }
        };
        let flags = match node.head.kind {
            NodeKind::Apply(op, flags) if op.has_fast_math_flags() || op == Op::View => Some(flags),
            _ => None,
        };
        let domain = domain.unwrap_or(Domain::of_type(to));
        ClassFacts { domain, flags, is_float: to.is_float(), narrowed: 0 }
    }

    fn merge(&mut self, a: &mut ClassFacts, b: ClassFacts) -> DidMerge {
        let before = a.clone();
        if a.flags != b.flags {
            a.flags = None;
        }
        a.narrowed = a.narrowed.max(b.narrowed);
        if a.is_float {
            // If a flag makes zeros of both signs equal, either zero is correct.
            if a.domain.constant().is_none() && b.domain.constant().is_some() {
                a.domain = b.domain;
            }
        } else {
            match a.domain.meet(b.domain) {
                Some(both) if both != a.domain && a.narrowed < MAX_NARROWED => {
                    a.domain = both;
                    a.narrowed += 1;
                }
                Some(_) => {}
                None => self.contradiction = true,
            }
        }
        DidMerge(*a != before, *a != b)
    }

    fn modify(graph: &mut EGraph<Node, Self>, id: Id) {
        let known = &graph[id].data;
        let is_full = graph.analysis.limit != 0 && graph.total_size() >= graph.analysis.limit;
        if known.is_float || graph.analysis.contradiction || is_full {
            return;
        }
        let Some(bits) = known.domain.constant() else { return };
        let is_view = |node: &Node| matches!(node.head.kind, NodeKind::Apply(Op::View, _));
        let class = &graph[id];
        if class.iter().any(is_view) {
            return;
        }
        let Some(head) = class.iter().next().map(|node| node.head) else { return };
        let constant = graph.add(Node::constant(bits, head.to.number(), head.lanes));
        graph.union_trusted(id, constant, "constant");
    }
}
