//! The promises of operations: the flags `nuw` and `nsw`, and exactness.
//!
//! An operation with a broken promise has the value poison. A term that the e-graph found can use a value where the input
//! does not use it. A promise is therefore kept only if poison reaches the same operations as in the input: each operation
//! of the class computes the same term of the same classes with the same promise, and the same is true for each term
//! that uses the class, directly or through other terms.

use super::ingest::{Id, Window, term_of};
use crate::write::remove_promise;
use cube_ir::{Attribute, Op, Val};
use cube_rules::graph::{Chosen, Node, NodeKind};
use egg::Language;
use std::collections::{HashMap, HashSet};

/// The attributes of promises.
const NAMES: [&str; 2] = ["overflowFlags", "isExact"];

/// The promises that stay, by class.
pub struct Promises<'p> {
    kept: HashMap<Id, Vec<(&'static str, Attribute<'p>)>>,
}

impl<'p> Promises<'p> {
    pub fn of(window: &Window<'p>, chosen: &Chosen) -> Promises<'p> {
        let inside: HashSet<Op<'p>> = window.ops.iter().map(|(op, _)| *op).collect();
        let mut members: HashMap<Id, Vec<Val<'p>>> = HashMap::new();
        for (value, id) in &window.known {
            members.entry(window.graph.class(*id)).or_default().push(*value);
        }
        let computes = |value: &Val<'p>, node: &Node| {
            let Some(op) = value.def().filter(|op| inside.contains(op)) else { return false };
            let NodeKind::Apply(term, flags) = node.head.kind else { return false };
            let class = |value| window.known.get(&value).map(|id| window.graph.class(*id));
            let children = node.children().iter().map(|child| Some(window.graph.class(*child)));
            term_of(op) == Some((term, flags)) && op.operands().map(class).eq(children)
        };
        let is_unchanged = |id: &Id, node: &Node| {
            let values = members.get(id).map_or(&[][..], Vec::as_slice);
            !values.is_empty() && values.iter().all(|value| computes(value, node))
        };
        let (mut kept, mut changed) = (HashSet::new(), Vec::new());
        for (id, node) in &chosen.nodes {
            if is_unchanged(id, node) {
                kept.insert(*id);
            } else {
                changed.push(*id);
            }
        }
        while let Some(id) = changed.pop() {
            let children = chosen.nodes.get(&id).map_or(&[][..], Node::children);
            changed.extend(children.iter().map(|child| window.graph.class(*child)).filter(|child| kept.remove(child)));
        }
        let common = |values: &[Val<'p>], name: &str| {
            let mut all = values.iter().map(|value| value.def().and_then(|op| op.attr(name)));
            let first = all.next()??;
            all.all(|other| other == Some(first)).then_some(first)
        };
        let promises = |id: &Id| {
            let values = members.get(id).map_or(&[][..], Vec::as_slice);
            NAMES.into_iter().filter_map(|name| Some((name, common(values, name)?))).collect()
        };
        Promises { kept: kept.iter().map(|id| (*id, promises(id))).collect() }
    }

    /// Sets the promises of a class on its operation, and removes other promises.
    pub fn set(&self, class: Id, op: Op<'p>) {
        let kept = self.kept.get(&class).map_or(&[][..], Vec::as_slice);
        for name in NAMES {
            match kept.iter().find(|(own, _)| *own == name) {
                Some((_, value)) => op.set_attr(name, *value),
                None => remove_promise(op, name),
            }
        }
    }
}
