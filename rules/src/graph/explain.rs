//! The chain of rule applications that proves a value equal to its replacement.
use super::matches::{Match, Step};
use super::{Chosen, Graph, Node, NodeKind};
use crate::{Flags, Op, Term};
use cube_semantics::Number;
use egg::{EGraph, FlatTerm, Id, Language};
use std::collections::BTreeMap;

// Maximum number of steps of a chain that are shown.
const STEPS: usize = 64;

impl Graph {
    /// Creates a graph that records the reasons why values are equal, for [`Graph::explain`]. A graph that records
    /// the reasons requires several times the memory and time of an ordinary graph.
    pub fn explaining() -> Graph {
        let plain = Graph::default();
        let inner = EGraph::new(plain.inner.analysis.clone()).with_explanations_enabled();
        Graph { inner, explains: true, ..plain }
    }

    /// The chain of terms from a value of the input to the chosen term, with the rule for each step. The prefix `<=`
    /// marks a rule that was applied backwards, from its replacement to its pattern. The chain is empty if the value
    /// is unchanged, or if the graph is not [explaining](Graph::explaining).
    pub fn explain(&mut self, root: Id, chosen: &Chosen) -> Vec<String> {
        if !self.explains {
            return Vec::new();
        }
        let mut known = BTreeMap::new();
        let Some(new) = self.chosen_term(self.class(root), chosen, &mut known) else { return Vec::new() };
        if self.class(new) != self.class(root) {
            return Vec::new();
        }
        let mut explanation = self.inner.explain_id_equivalence(root, new);
        let terms = explanation.make_flat_explanation();
        if terms.len() < 2 {
            return Vec::new();
        }
        let line = |term: &FlatTerm<Node>| match rule_of(term) {
            Some((rule, true)) => format!("=> {} by {rule}", text(term)),
            Some((rule, false)) => format!("<= {} by {rule}", text(term)),
            None => text(term),
        };
        terms.iter().take(STEPS).map(line).collect()
    }

    // The term that a rule matched, with the flags of its operations and with its views.
    pub(super) fn matched(&mut self, found: &Match) -> Option<Id> {
        self.matched_term(found.order, found, found.lanes, &mut found.steps.iter())
    }

    fn matched_term(
        &mut self,
        term: &Term,
        found: &Match,
        lanes: u32,
        steps: &mut std::slice::Iter<'_, Step>,
    ) -> Option<Id> {
        match term {
            Term::Variable(index) => found.ids.get(*index).copied(),
            Term::Constant(bits, ty) => {
                let Step { view, .. } = *steps.next()?;
                let id = self.inner.add_uncanonical(Node::constant(*bits, *ty, lanes));
                Some(self.viewed(id, *ty, lanes, view))
            }
            Term::Computed(_) => None,
            Term::Apply { op, from, to, args } => {
                let Step { flags, view } = *steps.next()?;
                let mut ids = Vec::with_capacity(3);
                for arg in args {
                    ids.push(self.matched_term(arg, found, op.operand_lanes(lanes), steps)?);
                }
                let flags = flags.unwrap_or_default();
                let id = self.inner.add_uncanonical(Node::apply(*op, [*from, *to], lanes, flags, &ids));
                Some(self.viewed(id, *to, lanes, view))
            }
        }
    }

    fn viewed(&mut self, id: Id, ty: Number, lanes: u32, view: Option<Flags>) -> Id {
        match view {
            Some(flags) => self.inner.add_uncanonical(Node::apply(Op::View, [ty, ty], lanes, flags, &[id])),
            None => id,
        }
    }

    fn chosen_term(&mut self, class: Id, chosen: &Chosen, known: &mut BTreeMap<Id, Id>) -> Option<Id> {
        if let Some(id) = known.get(&class) {
            return Some(*id);
        }
        let mut node = chosen.nodes.get(&class)?.clone();
        for child in node.children_mut() {
            *child = self.chosen_term(*child, chosen, known)?;
        }
        let id = self.inner.add_uncanonical(node);
        known.insert(class, id);
        Some(id)
    }
}

// The rule of a step, and whether the rule was applied forwards. The rule can apply to a subterm.
fn rule_of(term: &FlatTerm<Node>) -> Option<(String, bool)> {
    let own = term.forward_rule.map(|rule| (rule.to_string(), true));
    let own = own.or_else(|| term.backward_rule.map(|rule| (rule.to_string(), false)));
    own.or_else(|| term.children.iter().find_map(rule_of))
}

// A term in the syntax of rules, with leaves as numbers.
fn text(term: &FlatTerm<Node>) -> String {
    let args: Vec<String> = term.children.iter().map(text).collect();
    match term.node.head.kind {
        NodeKind::Leaf(number) => format!("%{number}"),
        NodeKind::Constant(bits) => match term.node.head.to.number() {
            ty if ty.is_float() => format!("{:?}", ty.to_double(bits)),
            _ => bits.to_string(),
        },
        NodeKind::Apply(Op::View, _) => args.join(" "),
        NodeKind::Apply(op, _) => format!("({} {})", op.name(), args.join(" ")),
    }
}
