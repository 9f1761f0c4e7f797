//! Rewrite rules: small functions from an operation to its replacement. Each rule is applied once to each operation.
use crate::{
    builder::Builder,
    op::{Op, Val},
    ops::OpKind,
    pass::Run,
};
/// The result of a rule for one operation.
pub enum Rewrite<'p> {
    /// The rule does not match, for this reason (shown by `--cube-remarks` as analysis).
    No(&'static str),
    /// The contained values replace the results of the operation.
    Replace(Vec<Val<'p>>),
    /// The operation was changed in place.
    Changed,
    /// The operation, which has no results, is erased.
    Erase,
}

/// A rule: its name, the operation that it rewrites, and the rewrite.
///
/// The rewrite receives the run of its pass, for options, statistics and remarks. The framework reports the application
/// of a rule, or the reason against it, as a remark.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Name, for statistics and remarks.
    pub name: &'static str,
    /// The operation.
    pub on: OpKind,
    /// The rewrite. The rewrite creates operations with the builder, whose insertion point is before the rewritten
    /// operation.
    pub apply: for<'p> fn(Op<'p>, Builder<'p>, &mut Run<'p>) -> Rewrite<'p>,
}

/// Applies `rules` to all operations inside `run.root()`, innermost first, once to each operation that exists at the
/// start. The rules are not applied to new operations, so a rule set always terminates. Returns the number of
/// applications.
pub fn apply_once<'p>(run: &mut Run<'p>, rules: &[Rule]) -> u64 {
    apply_where(run, rules, |_| true)
}

/// Applies `rules` only to operations for which `selects` is true, for example operations that the chip lacks.
pub fn apply_where<'p>(run: &mut Run<'p>, rules: &[Rule], selects: impl Fn(Op<'p>) -> bool) -> u64 {
    let mut applied = 0;
    for op in run.root().walk() {
        // A rule can erase a later operation.
        if op == run.root() || op.block().is_none() {
            continue;
        }
        if !rules.iter().any(|rule| op.is(rule.on)) || !selects(op) {
            continue;
        }
        for rule in rules.iter().filter(|rule| op.is(rule.on)) {
            let rewrite = (rule.apply)(op, Builder::before(op), run);
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
