//! Typed terms: the two sides and the guard of a rule.
use crate::{Domain, Interval, Op};
use cube_semantics::Number;

/// A term of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A variable by its index in [`Instance::variables`](crate::Instance).
    Variable(usize),
    /// A bit pattern of a type.
    Constant(u64, Number),
    /// An operation. The operands of an operation have type `from` (except for the condition of a select), and
    /// the result has type `to`.
    Apply {
        /// The operation.
        op: Op,
        /// The type of the operands.
        from: Number,
        /// The type of the result.
        to: Number,
        /// The operands.
        args: Vec<Term>,
    },
    /// A term that the compiler evaluates, because its variables are constants.
    Computed(Box<Term>),
}

impl Term {
    /// The value of the term for given values of the variables; `None` if an operation is not defined for its
    /// types.
    pub fn value(&self, variables: &[u64]) -> Option<u64> {
        match self {
            Term::Variable(index) => variables.get(*index).copied(),
            Term::Constant(bits, _) => Some(*bits),
            Term::Computed(term) => term.value(variables),
            Term::Apply { op, from, to, args } => {
                let mut values = [0; 3];
                for (value, arg) in values.iter_mut().zip(args) {
                    *value = arg.value(variables)?;
                }
                op.value(*from, *to, &values[..args.len().min(3)])
            }
        }
    }

    /// A domain that contains the term's value whenever the values of the variables are in their domains.
    pub fn domain(&self, variables: &[Domain]) -> Domain {
        match self {
            Term::Variable(index) => variables.get(*index).copied().unwrap_or(Interval::ALL.into()),
            Term::Constant(bits, _) => Domain::of(*bits),
            Term::Computed(term) => term.domain(variables),
            Term::Apply { op, from, to, args } => {
                let args: Vec<Domain> = args.iter().map(|arg| arg.domain(variables)).collect();
                Domain::of_op(*op, *from, *to, &args)
            }
        }
    }

    /// Calls `visit` for each operation of the term, outer operations first.
    pub fn each_op(&self, visit: &mut dyn FnMut(Op)) {
        match self {
            Term::Apply { op, args, .. } => {
                visit(*op);
                args.iter().for_each(|arg| arg.each_op(visit));
            }
            Term::Computed(term) => term.each_op(visit),
            Term::Variable(_) | Term::Constant(..) => {}
        }
    }

    /// A copy of the term in which another term replaces a variable.
    pub fn with(&self, variable: usize, other: &Term) -> Term {
        match self {
            Term::Variable(index) if *index == variable => other.clone(),
            Term::Variable(_) | Term::Constant(..) => self.clone(),
            Term::Computed(term) => Term::Computed(Box::new(term.with(variable, other))),
            Term::Apply { op, from, to, args } => {
                let args = args.iter().map(|arg| arg.with(variable, other)).collect();
                Term::Apply { op: *op, from: *from, to: *to, args }
            }
        }
    }

    /// Whether the term contains the variable.
    pub fn has(&self, variable: usize) -> bool {
        match self {
            Term::Variable(index) => *index == variable,
            Term::Constant(..) => false,
            Term::Computed(term) => term.has(variable),
            Term::Apply { args, .. } => args.iter().any(|arg| arg.has(variable)),
        }
    }

    /// All distinct terms that result from swapping the operands of commutative operations and of comparisons.
    pub fn orders(&self) -> Vec<Term> {
        let Term::Apply { op, from, to, args } = self else { return vec![self.clone()] };
        let mut forms: Vec<Vec<Term>> = vec![vec![]];
        for arg in args {
            let orders = arg.orders();
            forms = forms
                .into_iter()
                .flat_map(|form| orders.iter().map(move |one| [form.as_slice(), std::slice::from_ref(one)].concat()))
                .collect();
        }
        let mut all = Vec::new();
        for mut args in forms {
            let mut add = |op: Op, args: Vec<Term>| {
                let term = Term::Apply { op, from: *from, to: *to, args };
                if !all.contains(&term) {
                    all.push(term);
                }
            };
            add(*op, args.clone());
            if let (Some(swapped), true) = (op.swapped(), args.len() >= 2) {
                args.swap(0, 1);
                add(swapped, args);
            }
        }
        all
    }
}
