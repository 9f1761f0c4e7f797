//! Replaces remainders in sums of products by quotients.
//!
//! ```mlir
//! %q = cube.divui %i, %n               %q = cube.divui %i, %n
//! %r = cube.remui %i, %n               %0 = arith.muli %i, %s
//! %0 = arith.muli %q, %t               %1 = arith.muli %q, %factor      // factor = t - n s
//! %1 = arith.muli %r, %s               %2 = arith.addi %0, %1
//! %2 = arith.addi %0, %1
//! ```
//!
//! A remainder is `i - q n`, so `q t + r s = i s + q (t - n s)` modulo 2^bits. The runtime computes the new factor once
//! per launch, and the kernel has one product less. The offset of an element in a permuted tensor has such a sum: each
//! quotient of its coordinates is the dividend of the next remainder.
//!
//! A sum changes only if it has fewer instructions afterwards. The replaced operations have no other use
//! and are in the block of the sum, so no operation moves into a loop. For a divisor of 0, the factor has the number
//! that `Divisor::negated` has: the quotient is x, and the remainder is `x - x = 0`.
use super::divisor::Divisor;
use super::forms::{Division, form_of};
use crate::analysis::launch::{as_number, expression_of};
use crate::native::Native;
use cube_dialect::ops;
use cube_ir::ops::{arith, cube};
use cube_ir::{Failed, Op, OpKind, Run, Type, TypeExt, Val};
use std::collections::{HashMap, HashSet};

/// Maximum number of operations of a sum.
const MOST: usize = 64;

/// Maximum length of the expression of a factor.
const LONGEST: usize = 400;

/// Maximum nesting depth of calls in the expression of a factor. The runtime reads 32.
const DEEPEST: usize = 28;

/// The factor of a value that a sum subtracts.
const MINUS_ONE: &str = "sub(0, 1)";

/// A product of a sum.
struct Product<'p> {
    term: Term<'p>,
    /// The value of the term; `None` if the sum reads only the remainder.
    value: Option<Val<'p>>,
    factor: Factor<'p>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Term<'p> {
    Value(Val<'p>),
    /// The quotient of two values, by this operation.
    Quotient(OpKind, Val<'p>, Val<'p>),
}

/// A factor that the runtime can compute.
#[derive(Clone)]
struct Factor<'p> {
    /// The expression, modulo 2^bits.
    text: String,
    /// The value in the kernel; `None` if no value has the factor.
    value: Option<Val<'p>>,
}

impl Factor<'_> {
    fn is_small(&self) -> bool {
        let mut depth = 0usize;
        let is_flat = self.text.bytes().all(|byte| {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth <= DEEPEST
        });
        is_flat && self.text.len() <= LONGEST
    }
}

/// A sum of products, with remainders replaced by quotients.
struct Sum<'p, 'n, 'i> {
    kernel: ops::Kernel<'p>,
    native: &'n Native<'i>,
    root: Op<'p>,
    /// The products of the new sum.
    products: Vec<Product<'p>>,
    /// The operations that the new sum replaces, without the root.
    replaced: Vec<Op<'p>>,
    /// Number of replaced sums and differences, with the root.
    sums: usize,
    /// Number of replaced products.
    old_products: usize,
    /// The sums that have a replaced product as an operand.
    fused: HashSet<Op<'p>>,
    /// Number of replaced remainders.
    remainders: usize,
}

/// Rewrites the sums of the kernel; returns the number of replaced remainders.
pub(super) fn without_remainders<'p>(
    run: &mut Run<'p>,
    kernel: ops::Kernel<'p>,
    native: &Native<'_>,
) -> Result<u64, Failed> {
    let mut factors: HashMap<(String, Type<'p>), Val<'p>> = HashMap::new();
    let mut replaced = 0;
    let has_remainder = |op: &Op<'p>| Division::of(*op).is_some_and(|division| division.remainder);
    if !run.root().walk().iter().any(has_remainder) {
        return Ok(0);
    }
    let roots: Vec<Op<'p>> = run.root().walk().into_iter().filter(|op| is_root(*op)).collect();
    for root in roots {
        let mut sum = Sum::new(kernel, native, root);
        let is_shorter = sum.read() && sum.remainders > 0 && sum.cost_after() < sum.cost_before();
        if is_shorter && sum.products.iter().all(|one| one.factor.is_small()) {
            sum.write(run, &mut factors)?;
            replaced += sum.remainders as u64;
        }
    }
    Ok(replaced)
}

// A sum that is not a summand of another sum.
fn is_root(op: Op<'_>) -> bool {
    let ty = op.results().next().map(|result| result.ty());
    let is_integer = ty.is_some_and(|ty| ty.is_scalar() && matches!(ty.bits(), Some(32 | 64)));
    if !is_integer || !matches!(op.kind(), arith::ADDI | arith::SUBI) {
        return false;
    }
    match &op.result(0).uses()[..] {
        [(user, _)] => !matches!(user.kind(), arith::ADDI | arith::SUBI) || user.block() != op.block(),
        _ => true,
    }
}

impl<'p, 'n, 'i> Sum<'p, 'n, 'i> {
    fn new(kernel: ops::Kernel<'p>, native: &'n Native<'i>, root: Op<'p>) -> Self {
        let (products, replaced, fused) = Default::default();
        Sum { kernel, native, root, products, replaced, sums: 1, old_products: 0, fused, remainders: 0 }
    }

    // The number of instructions, if a product and a sum are one instruction. A remainder is one product and one sum.
    fn cost_before(&self) -> usize {
        self.sums + self.old_products - self.fused.len() + self.remainders
    }

    fn cost_after(&self) -> usize {
        let has_plain = self.products.iter().any(|one| one.factor.text == "1");
        self.products.len() - usize::from(has_plain)
    }

    /// Reads the sum; `false` for a sum that is too large.
    fn read(&mut self) -> bool {
        let Some(Parts::Summands(mut open)) = self.parts(self.root, &Factor { text: "1".into(), value: None }) else {
            return false;
        };
        while let Some((value, factor)) = open.pop() {
            let single = value.def().filter(|op| op.block() == self.root.block() && value.uses().len() == 1);
            let inner = single.and_then(|op| Some((op, self.parts(op, &factor)?)));
            let Some((op, parts)) = inner else {
                self.add_value(value, factor);
                continue;
            };
            self.replaced.push(op);
            if self.replaced.len() > MOST {
                return false;
            }
            match parts {
                Parts::Summands(summands) => {
                    let is_product = op.kind() == arith::MULI;
                    self.sums += usize::from(!is_product);
                    self.old_products += usize::from(is_product);
                    let user = value.uses()[0].0;
                    if is_product && user.kind() != arith::MULI {
                        self.fused.insert(user);
                    }
                    open.extend(summands);
                }
                Parts::Remainder(quotient, negated) => {
                    self.remainders += 1;
                    self.add_value(op.operand(0), factor.clone());
                    self.add(quotient, None, times(&factor, &Factor { text: negated, value: None }));
                }
            }
        }
        true
    }

    // The summands or the quotient of an operation; `None` if the operation is a term.
    fn parts(&self, op: Op<'p>, factor: &Factor<'p>) -> Option<Parts<'p>> {
        let [a, b] = [op.operands().next()?, op.operands().nth(1)?];
        Some(match op.kind() {
            arith::ADDI => Parts::Summands(vec![(a, factor.clone()), (b, factor.clone())]),
            arith::SUBI => {
                let negated = Factor { text: format!("sub(0, {})", factor.text), value: None };
                Parts::Summands(vec![(a, factor.clone()), (b, negated)])
            }
            arith::MULI => {
                let known = [a, b].map(|value| expression_of(self.kernel, value));
                let (value, text, by) = match known {
                    [None, Some(text)] => (a, text, b),
                    [Some(text), None] => (b, text, a),
                    _ => return None,
                };
                Parts::Summands(vec![(value, times(factor, &Factor { text, value: Some(by) }))])
            }
            _ => {
                let division = Division::of(op).filter(|division| division.remainder)?;
                let known = Divisor::of(self.kernel, op, b).filter(|known| known.quotient.is_none())?;
                form_of(division, a, b.ty(), self.native)?;
                Parts::Remainder(Term::Quotient(quotient_of(op.kind())?, a, b), known.negated_number(b))
            }
        })
    }

    // Equal quotients of different operations are one term.
    fn add_value(&mut self, value: Val<'p>, factor: Factor<'p>) {
        let quotient = value.def().filter(|op| Division::of(*op).is_some_and(|division| !division.remainder));
        let term = quotient.map_or(Term::Value(value), |op| Term::Quotient(op.kind(), op.operand(0), op.operand(1)));
        self.add(term, Some(value), factor);
    }

    fn add(&mut self, term: Term<'p>, value: Option<Val<'p>>, factor: Factor<'p>) {
        match self.products.iter_mut().find(|one| one.term == term) {
            Some(one) => {
                one.factor = Factor { text: format!("add({}, {})", one.factor.text, factor.text), value: None };
                one.value = one.value.or(value);
            }
            None => self.products.push(Product { term, value, factor }),
        }
    }

    fn write(&self, run: &mut Run<'p>, factors: &mut HashMap<(String, Type<'p>), Val<'p>>) -> Result<(), Failed> {
        let (b, ty) = (run.before(self.root), self.root.result(0).ty());
        let mut products: Vec<&Product<'p>> = self.products.iter().collect();
        // A difference needs a number to subtract from.
        products.sort_by_key(|one| one.factor.text == MINUS_ONE);
        let mut sum = None;
        for Product { term, value, factor } in products {
            let value = match (*value, *term) {
                (Some(value), _) | (None, Term::Value(value)) => value,
                (None, Term::Quotient(kind, x, n)) => b.op(kind).operands(&[x, n]).result(ty).build().result(0),
            };
            sum = Some(match (factor.text.as_str(), sum) {
                (MINUS_ONE, Some(sum)) => b.subi(sum, value),
                ("1", None) => value,
                ("1", Some(sum)) => b.addi(sum, value),
                (_, None) => b.muli(value, self.value_of(factor, ty, factors)?),
                (_, Some(sum)) => b.addi(sum, b.muli(value, self.value_of(factor, ty, factors)?)),
            });
        }
        run.replace(self.root, &[sum.ok_or(Failed)?]);
        self.replaced.iter().for_each(|op| run.erase(*op));
        Ok(())
    }

    fn value_of(
        &self,
        factor: &Factor<'p>,
        ty: Type<'p>,
        factors: &mut HashMap<(String, Type<'p>), Val<'p>>,
    ) -> Result<Val<'p>, Failed> {
        if let Some(value) = factor.value {
            return Ok(value);
        }
        let text = as_number(&factor.text, ty.bits() == Some(64));
        if let Some(known) = factors.get(&(text.clone(), ty)) {
            return Ok(*known);
        }
        let argument = self.kernel.add_derived("factor", &text, ty).ok_or(Failed)?;
        factors.insert((text, ty), argument);
        Ok(argument)
    }
}

enum Parts<'p> {
    Summands(Vec<(Val<'p>, Factor<'p>)>),
    /// The quotient, and the expression of the negated divisor.
    Remainder(Term<'p>, String),
}

fn times<'p>(a: &Factor<'p>, b: &Factor<'p>) -> Factor<'p> {
    match (a.text.as_str(), b.text.as_str()) {
        ("1", _) => b.clone(),
        (_, "1") => a.clone(),
        (a, b) => Factor { text: format!("mul({a}, {b})"), value: None },
    }
}

fn quotient_of(remainder: OpKind) -> Option<OpKind> {
    Some(match remainder {
        cube::REMUI => cube::DIVUI,
        cube::REMSI => cube::DIVSI,
        arith::REMUI => arith::DIVUI,
        arith::REMSI => arith::DIVSI,
        _ => return None,
    })
}
