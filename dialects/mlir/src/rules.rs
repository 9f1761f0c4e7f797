//! Rewrite rules: small functions from an operation to its replacement, driven until nothing changes.
use crate::{
    builder::Builder,
    op::{Op, Val},
    pass::Run,
};
/// What a rule says about an operation.
pub enum Rewrite<'p> {
    /// It does not match, because of this (shown by `--cube-remarks` as analysis).
    No(&'static str),
    /// The results become these values.
    Replace(Vec<Val<'p>>),
    /// The operation was changed in place.
    Changed,
    /// The operation, without results, is not needed any more.
    Erase,
}

/// A rule: its name, the operation it looks at (full name, or a prefix that ends in `.`), and what it does.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Name, for statistics and remarks.
    pub name: &'static str,
    /// Name of the operation, or its dialect with a dot.
    pub on: &'static str,
    /// The rewrite; builds new operations with the builder, which stands before the operation.
    pub apply: for<'p> fn(Op<'p>, Builder<'p>) -> Rewrite<'p>,
}

impl Rule {
    fn looks_at(&self, op: Op<'_>) -> bool {
        if self.on.ends_with('.') { op.name().starts_with(self.on) } else { op.is(self.on) }
    }
}

/// Applies `rules` to everything inside `run.root()`, innermost first, once for each operation that is there at the
/// start. New operations are not looked at again, so a rule set always ends; returns how often a rule applied.
pub fn apply_once<'p>(run: &mut Run<'p>, rules: &[Rule]) -> u64 {
    let mut applied = 0;
    for op in run.root().walk() {
        if op == run.root() {
            continue;
        }
        for rule in rules.iter().filter(|rule| rule.looks_at(op)) {
            let rewrite = (rule.apply)(op, Builder::before(op));
            match &rewrite {
                Rewrite::No(why) => run.analysis(op, rule.name, format_args!("no match, because {why}")),
                _ => run.passed(op, rule.name, format_args!("'{}' is rewritten", op.name())),
            }
            match rewrite {
                Rewrite::No(_) => continue,
                Rewrite::Replace(values) => run.replace(op, &values),
                Rewrite::Changed => {}
                Rewrite::Erase => run.erase(op),
            }
            applied += 1;
            break;
        }
    }
    applied
}
