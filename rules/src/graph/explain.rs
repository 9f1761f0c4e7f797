//! The chain of rule applications that proves a value equal to its replacement.
use super::{Chosen, Graph, Kind, Node, compile::Compiled};
use crate::Op;
use egg::{EGraph, FlatTerm, Id, Language, Subst, Var};
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

    // The term that a rule matched.
    pub(super) fn matched(&mut self, rule: &Compiled, subst: &Subst) -> Option<Id> {
        let count = rule.instance.variables.len() as u32;
        let ids: Option<Vec<Id>> = (0..count).map(|v| subst.get(Var::from_u32(v)).copied()).collect();
        let ids = ids?;
        let constants: Vec<u64> = ids.iter().map(|id| self.inner[*id].data.domain.range.low).collect();
        self.build(rule, &rule.order, &ids, &constants)
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
        Kind::Leaf(number) => format!("%{number}"),
        Kind::Constant(bits) => match term.node.head.to.number() {
            ty if ty.is_float() => format!("{:?}", ty.to_double(bits)),
            _ => bits.to_string(),
        },
        Kind::Apply(Op::View, _) => args.join(" "),
        Kind::Apply(op, _) => format!("({} {})", op.name(), args.join(" ")),
    }
}
