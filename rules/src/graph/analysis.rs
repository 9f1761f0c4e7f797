//! Facts about classes: unsigned intervals, and the flags of a new class.
use super::{Kind, Node};
use crate::{Flags, Interval, Op};
use egg::{Analysis, DidMerge, EGraph, Id, Language};

/// The state of the analysis.
#[derive(Clone, Debug, Default)]
pub struct GraphState {
    /// The intervals of leaves, by number.
    pub(super) ranges: Vec<Interval>,
    /// Whether two different constants were found equal.
    pub(super) contradiction: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFacts {
    /// Bounds of each element.
    pub range: Interval,
    /// The flags of all operations of the class; `None` for other values, and for a class with several sets of flags.
    pub flags: Option<Flags>,
    is_float: bool,
    /// Number of times that the interval was narrowed. A cycle of classes could narrow one step at a time without end.
    narrowed: u8,
}

// Narrower intervals of one class that are taken note of.
const MAX_NARROWED: u8 = 16;

impl Analysis<Node> for GraphState {
    type Data = ClassFacts;

    fn make(graph: &mut EGraph<Node, Self>, node: &Node, _id: Id) -> ClassFacts {
        let (from, to) = (node.head.from.number(), node.head.to.number());
        let arg = |n: usize| graph[node.children()[n]].data.range;
        let range = match node.head.kind {
            Kind::Leaf(number) => graph.analysis.ranges.get(number as usize).copied(),
            Kind::Constant(bits) => Some(Interval::of(bits)),
            Kind::Apply(Op::View, _) => Some(arg(0)),
            // Floats are folded by rules alone: a folded constant would join classes of different flags.
            Kind::Apply(..) if to.is_float() => None,
            Kind::Apply(op, _) => {
                let args: Vec<Interval> = (0..node.children().len()).map(arg).collect();
                Some(Interval::of_op(op, from, to, &args))
            }
        };
        let flags = match node.head.kind {
            Kind::Apply(op, flags) if op.takes_flags() || op == Op::View => Some(flags),
            _ => None,
        };
        let range = range.unwrap_or(Interval::of_type(to));
        ClassFacts { range, flags, is_float: to.is_float(), narrowed: 0 }
    }

    fn merge(&mut self, a: &mut ClassFacts, b: ClassFacts) -> DidMerge {
        let before = a.clone();
        if a.flags != b.flags {
            a.flags = None;
        }
        a.narrowed = a.narrowed.max(b.narrowed);
        if a.is_float {
            // Zeros of both signs are equal under a flag: one of them is as good.
            if a.range.constant().is_none() && b.range.constant().is_some() {
                a.range = b.range;
            }
        } else {
            match a.range.meet(b.range) {
                Some(both) if both != a.range && a.narrowed < MAX_NARROWED => {
                    a.range = both;
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
        if known.is_float || graph.analysis.contradiction {
            return;
        }
        let Some(bits) = known.range.constant() else { return };
        let is_view = |node: &Node| matches!(node.head.kind, Kind::Apply(Op::View, _));
        let class = &graph[id];
        if class.iter().any(is_view) {
            return;
        }
        let Some(head) = class.iter().next().map(|node| node.head) else { return };
        let constant = graph.add(Node::constant(bits, head.to.number(), head.lanes));
        graph.union_trusted(id, constant, "constant");
    }
}
