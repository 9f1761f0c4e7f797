//! Applies entries of the rule families to single operations, without an e-graph. The pass `egraph` and the prover use
//! the same entries. This file can also evaluate guards with the branches and loops around an operation.
use crate::analysis::guards::Guards;
use crate::analysis::ranges;
use crate::optimize::egraph::{emit, ingest};
use cube_ir::rules::Rewrite;
use cube_ir::{Builder, Op, Val};
use cube_rules::graph::patterns_of;
use cube_rules::{Domain, Flags, Instance, Op as Term, Term as Pattern};
use cube_semantics::{IntOp, IntPredicate, Number};

/// The facts with which the guard of an entry is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facts {
    /// Comparisons of the branches and loops around the operation.
    Guards,
    /// Comparisons of the branches and loops, and the ranges and divisors of the values.
    All,
}

/// Applies the entry with the given name to an operation. The entry must have no fast-math flags.
pub(super) fn apply<'p>(name: &str, facts: Facts, op: Op<'p>, b: Builder<'p>) -> Rewrite<'p> {
    let Some((root, types, lanes)) = ingest::refined_parts(op) else {
        return Rewrite::No("the operation is not a term of the rules");
    };
    let mut why = "the operands do not match the pattern";
    for pattern in patterns_of(name, root, types) {
        let instance = &pattern.entry.instance;
        let Pattern::Apply { args, .. } = &pattern.term else { continue };
        if instance.flags != Flags::NONE {
            continue;
        }
        let mut found = PartialMatch { instance, lanes, values: vec![None; instance.variables.len()] };
        if !args.iter().zip(op.operands()).all(|(arg, value)| found.fits(arg, value)) {
            continue;
        }
        let Some(found) = found.complete() else { continue };
        if instance.guard.as_ref().is_some_and(|guard| !found.holds(guard, &Guards::at(op), facts)) {
            why = "the guard of the rule is not provably true";
            continue;
        }
        return match found.build(b, &instance.replacement) {
            Some(value) => Rewrite::Replace(vec![value]),
            None => Rewrite::No("no operation computes the replacement"),
        };
    }
    Rewrite::No(why)
}

/// A partial match.
struct PartialMatch<'e, 'p> {
    instance: &'e Instance,
    lanes: u32,
    values: Vec<Option<Val<'p>>>,
}

impl<'e, 'p> PartialMatch<'e, 'p> {
    fn fits(&mut self, term: &Pattern, value: Val<'p>) -> bool {
        match term {
            Pattern::Variable(index) => {
                let variable = &self.instance.variables[*index];
                let is_constant = ingest::constant_of(value).is_some();
                if ingest::number_of(value.ty()) != Some((variable.ty, self.lanes)) || variable.constant && !is_constant
                {
                    return false;
                }
                let known = *self.values[*index].get_or_insert(value);
                known == value || is_constant && ingest::constant_of(known) == ingest::constant_of(value)
            }
            Pattern::Constant(bits, ty) => ingest::constant_of(value) == Some((*bits, *ty, self.lanes)),
            Pattern::Computed(_) => false,
            Pattern::Apply { op, from, to, args } => value.def().is_some_and(|own| {
                ingest::refined_parts(own) == Some((*op, [*from, *to], self.lanes))
                    && args.iter().zip(own.operands()).all(|(arg, value)| self.fits(arg, value))
            }),
        }
    }

    fn complete(self) -> Option<Match<'e, 'p>> {
        let values = self.values.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Match { instance: self.instance, lanes: self.lanes, values })
    }
}

/// A match, with the value of each variable.
struct Match<'e, 'p> {
    instance: &'e Instance,
    lanes: u32,
    values: Vec<Val<'p>>,
}

impl<'p> Match<'_, 'p> {
    fn holds(&self, guard: &Pattern, guards: &Guards<'p>, facts: Facts) -> bool {
        let value = |term: &Pattern| match term {
            Pattern::Variable(index) => Some(self.values[*index]),
            _ => None,
        };
        if let Pattern::Apply { op, from, args, .. } = guard
            && let [one, other] = args.as_slice()
        {
            match op {
                Term::Int(IntOp::And) if *from == Number::Int(1) => {
                    return self.holds(one, guards, facts) && self.holds(other, guards, facts);
                }
                Term::CompareInts(predicate) => {
                    let is_known = match (predicate, value(one), value(other), other) {
                        (IntPredicate::Ult, Some(x), Some(y), _) => guards.is_less(x, y),
                        (IntPredicate::Ugt, Some(x), Some(y), _) => guards.is_less(y, x),
                        (IntPredicate::Ne, Some(x), _, Pattern::Constant(0, _)) => guards.is_nonzero(x),
                        _ => false,
                    };
                    if is_known {
                        return true;
                    }
                }
                _ => {}
            }
        }
        facts == Facts::All && guard.domain(&self.domains()).constant() == Some(1)
    }

    fn domains(&self) -> Vec<Domain> {
        let variables = self.instance.variables.iter().zip(&self.values);
        let domain = |(variable, value): (&cube_rules::parse::Variable, &Val<'p>)| match ingest::constant_of(*value) {
            Some((bits, ..)) => Domain::of(bits),
            None => ingest::domain_of(*value, variable.ty, self.lanes, &mut ranges::FUEL.clone()),
        };
        variables.map(domain).collect()
    }

    fn build(&self, b: Builder<'p>, term: &Pattern) -> Option<Val<'p>> {
        match term {
            Pattern::Variable(index) => self.values.get(*index).copied(),
            Pattern::Constant(bits, ty) => emit::constant(b, *bits, *ty, self.lanes),
            Pattern::Computed(inner) => {
                let constants: Vec<u64> =
                    self.values.iter().map(|value| ingest::constant_of(*value).map_or(0, |(bits, ..)| bits)).collect();
                let ty = match inner.as_ref() {
                    Pattern::Apply { to, .. } => *to,
                    Pattern::Constant(_, ty) => *ty,
                    _ => self.instance.types[0],
                };
                emit::constant(b, inner.value(&constants)?, ty, self.lanes)
            }
            Pattern::Apply { op, from, to, args } => {
                let args = args.iter().map(|arg| self.build(b, arg)).collect::<Option<Vec<_>>>()?;
                emit::operation(b, *op, [*from, *to], self.lanes, Flags::NONE, &args)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::optimize::simplify_indices::rules::RULES;

    #[test]
    fn each_rule_with_the_name_of_an_entry_has_the_entry() {
        let named: Vec<&str> = RULES.iter().map(|rule| rule.name).filter(|name| name.contains('/')).collect();
        assert!(named.len() >= 12, "{named:?}");
        for name in named {
            assert!(cube_rules::rules().iter().any(|rule| rule.name == name), "no entry {name}");
        }
    }
}
