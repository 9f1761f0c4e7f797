//! Upper bounds of 32-bit numbers, as expressions that the launcher computes.
//!
//! ```text
//! %row = cube.divui %i, %w         i < n around the access: at most (n - 1) / w
//! %at = arith.muli %row, %pitch    at most (n - 1) / w * pitch
//! ```
//!
//! The launcher computes with 64 bits. The exact result of a sum or product of unsigned numbers is at least the result
//! modulo 2^32, so it is a bound also if the operation of the kernel wraps. Each expression has a largest value, and an
//! operand is limited to 2^32 - 1 before a result could exceed 64 bits. An index with a bound below the number of lines
//! of its buffer is therefore inside the buffer. The bounds use the conditions around an operation. If a condition
//! is false, the operation does not run, and its bound has no meaning. Cost: linear in `FUEL`.
use super::carried::{self, Carried};
use super::constants::int_of;
use super::guards::Guards;
use super::launch::{argument, argument_number, as_number, expression_of};
use super::ranges::largest;
use cube_dialect::{Access, BufferType, ops, topology::Group};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Op, TypeExt, Val};
use std::collections::HashMap;

/// Maximum number of operations that the bounds of one operation visit.
const FUEL: u32 = 256;

/// Maximum number of operations between an index and the launch values.
const DEEPEST: u32 = 24;

/// Maximum length of an expression.
const LONGEST: usize = 600;

/// Maximum nesting depth of calls in an expression. The launcher refuses expressions above 32, and the expressions of
/// several accesses become one.
const MAX_CALLS: u32 = 20;

const MAX: u64 = u32::MAX as u64;

/// An expression of the launcher that is at least as large as each value of a number of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The expression, in the language of `cube_artifact::derived`.
    pub text: String,
    /// The largest value of the expression.
    most: u64,
    /// The nesting depth of calls in the expression.
    calls: u32,
}

impl Bound {
    fn number(n: u64) -> Self {
        Bound { text: n.to_string(), most: n, calls: 0 }
    }

    // An expression for a number of 32 bits.
    fn word(text: String) -> Self {
        if let Ok(number) = text.parse() {
            return Bound::number(number);
        }
        let (mut calls, mut deepest) = (0u32, 0);
        for c in text.chars() {
            match c {
                '(' => calls += 1,
                ')' => calls -= 1,
                _ => {}
            }
            deepest = deepest.max(calls);
        }
        Bound { text, most: MAX, calls: deepest }
    }

    fn call(function: &str, x: &Self, y: &Self, most: u64) -> Self {
        let text = format!("{function}({}, {})", x.text, y.text);
        Bound { text, most, calls: x.calls.max(y.calls) + 1 }
    }

    /// The number, if the bound is constant.
    pub fn constant(&self) -> Option<u64> {
        self.text.parse().ok()
    }

    // The smaller of the bound and 2^32 - 1, which is a bound of the same number of 32 bits.
    fn limited(&self) -> Self {
        match (self.constant(), self.most <= MAX) {
            (_, true) => self.clone(),
            (Some(_), _) => Bound::number(MAX),
            _ => Bound::call("min", self, &Bound::number(MAX), MAX),
        }
    }

    fn sum(&self, other: &Self) -> Self {
        match (self.constant(), other.constant(), self.most.checked_add(other.most)) {
            (Some(0), _, _) => other.clone(),
            (_, Some(0), _) => self.clone(),
            (Some(_), Some(_), Some(sum)) => Bound::number(sum),
            (_, _, Some(most)) => Bound::call("add", self, other, most),
            // The sum of two limited numbers is below 2^33.
            _ => self.limited().sum(&other.limited()),
        }
    }

    fn product(&self, other: &Self) -> Self {
        match (self.constant(), other.constant(), self.most.checked_mul(other.most)) {
            (Some(0), _, _) | (_, Some(1), _) => self.clone(),
            (_, Some(0), _) | (Some(1), _, _) => other.clone(),
            (Some(_), Some(_), Some(product)) => Bound::number(product),
            (_, _, Some(most)) => Bound::call("mul", self, other, most),
            // The product of two limited numbers is below 2^64.
            _ => self.limited().product(&other.limited()),
        }
    }

    // The bound of the numbers below a number with this bound, which is not 0.
    fn below(&self) -> Self {
        match self.constant() {
            Some(n) => Bound::number(n.saturating_sub(1)),
            None => Bound::call("sub", self, &Bound::number(1), self.most),
        }
    }

    fn quotient(&self, divisor: &Self) -> Self {
        match (self.constant(), divisor.constant()) {
            (_, Some(0 | 1)) | (Some(0), _) => self.clone(),
            (Some(x), Some(y)) => Bound::number(x / y),
            (_, y) => Bound::call("div", self, divisor, self.most / y.unwrap_or(1)),
        }
    }

    /// The smaller of two bounds.
    pub fn min(self, other: Self) -> Self {
        match (self.constant(), other.constant()) {
            (Some(x), Some(y)) => Bound::number(x.min(y)),
            (_, Some(y)) if self.most <= y => self,
            (Some(x), _) if other.most <= x => other,
            _ if self == other => self,
            _ => Bound::call("min", &self, &other, self.most.min(other.most)),
        }
    }

    fn max(self, other: Self) -> Self {
        match (self.constant(), other.constant()) {
            (Some(x), Some(y)) => Bound::number(x.max(y)),
            (Some(0), _) => other,
            (_, Some(0)) => self,
            _ if self == other => self,
            _ => Bound::call("max", &self, &other, self.most.max(other.most)),
        }
    }
}

/// The condition under which an access is inside its buffer in all units of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inside {
    /// The access is inside the buffer in each launch.
    Always,
    /// The access is inside the buffer if this expression of the launcher is 1.
    If(String),
}

/// Bounds of the numbers that an operation uses.
pub struct LaunchBounds<'p> {
    kernel: ops::Kernel<'p>,
    guards: Guards<'p>,
    known: HashMap<Val<'p>, Bound>,
    unbounded: Option<Val<'p>>,
    fuel: u32,
}

impl<'p> LaunchBounds<'p> {
    /// The bounds of the numbers that `op` uses. The bounds hold under the conditions around `op`.
    pub fn at(kernel: ops::Kernel<'p>, op: Op<'p>) -> Self {
        LaunchBounds { kernel, guards: Guards::at(op), known: HashMap::new(), unbounded: None, fuel: FUEL }
    }

    /// An upper bound of a 32-bit number, read as unsigned. `None` if no launch value bounds the number.
    pub fn bound(&mut self, value: Val<'p>) -> Option<Bound> {
        self.within(value, DEEPEST)
    }

    /// The first number that no launch value bounds, after a query without a result.
    pub fn unbounded(&self) -> Option<Val<'p>> {
        self.unbounded
    }

    /// The condition under which the index of an access is below the number of lines of its buffer. `None` if the
    /// launcher cannot compute such a condition.
    pub fn inside(&mut self, access: &Access<'p>) -> Option<Inside> {
        let index = self.bound(access.index)?;
        let lines = BufferType::of(access.buffer.ty()).and_then(BufferType::lines);
        let length = match lines {
            Some(lines) if index.most < lines => return Some(Inside::Always),
            Some(_) if index.constant().is_some() => return None,
            Some(lines) => lines.to_string(),
            None => {
                let number = argument(self.kernel, access.buffer)?;
                format!("buffer_len({})", self.kernel.arg_name(number))
            }
        };
        Some(Inside::If(format!("lt({}, {length})", index.text)))
    }

    fn within(&mut self, value: Val<'p>, depth: u32) -> Option<Bound> {
        if let Some(bound) = self.known.get(&value) {
            return Some(bound.clone());
        }
        let found = self.compute(value, depth).filter(|bound| bound.text.len() <= LONGEST && bound.calls <= MAX_CALLS);
        match &found {
            Some(bound) => {
                self.known.insert(value, bound.clone());
                self.unbounded = None;
            }
            None => _ = self.unbounded.get_or_insert(value),
        }
        found
    }

    fn compute(&mut self, value: Val<'p>, depth: u32) -> Option<Bound> {
        self.fuel = self.fuel.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        if value.ty().bits() != Some(32) || !value.ty().is_scalar() {
            return None;
        }
        let constant = Some(largest(value)).filter(|most| *most < MAX).map(Bound::number);
        if constant.is_some() && int_of(value).is_some() {
            return constant;
        }
        // The first of these bounds is usually the smallest. A minimum of all would be a long expression.
        let found = match (self.exact(value), self.by_condition(value, depth)) {
            (Some(exact), Some(below)) if below.constant().is_some() => Some(exact.min(below)),
            (exact, below) => exact.or(below),
        };
        let found = found.or_else(|| self.of_operation(value, depth)).or_else(|| self.of_region(value, depth));
        match (found, constant) {
            // A large constant would make the expression longer, and seldom smaller.
            (Some(found), Some(constant)) if constant.most < 1 << 24 => Some(found.min(constant)),
            (found, constant) => found.or(constant),
        }
    }

    fn exact(&self, value: Val<'p>) -> Option<Bound> {
        exact(self.kernel, value)
    }

    // The bound by a comparison around the operation, or by the loop that counts.
    fn by_condition(&mut self, value: Val<'p>, depth: u32) -> Option<Bound> {
        let limits: Vec<Val<'p>> = self.guards.limits_of(value).collect();
        let maxima: Vec<Val<'p>> = self.guards.maxima_of(value).collect();
        let below = limits.into_iter().find_map(|limit| Some(self.within(limit, depth)?.below()));
        below.or_else(|| maxima.into_iter().find_map(|most| self.within(most, depth)))
    }

    fn operand(&mut self, op: Op<'p>, number: usize, depth: u32) -> Option<Bound> {
        self.within(op.operand(number), depth)
    }

    fn of_operation(&mut self, value: Val<'p>, depth: u32) -> Option<Bound> {
        let op = value.def()?;
        match op.kind() {
            ops::Topology::KIND => self.of_topology(op),
            arith::ADDI => match self.strided(op, depth).or_else(|| self.rounded_up(op, depth)) {
                Some(bound) => Some(bound),
                None => Some(self.operand(op, 0, depth)?.sum(&self.operand(op, 1, depth)?)),
            },
            arith::MULI => Some(self.operand(op, 0, depth)?.product(&self.operand(op, 1, depth)?)),
            arith::SUBI => self.difference(op, depth),
            // The bits of the larger number that the smaller number does not have add at most the smaller number.
            arith::ORI | arith::XORI => Some(self.operand(op, 0, depth)?.sum(&self.operand(op, 1, depth)?)),
            arith::MINUI | arith::ANDI => match (self.operand(op, 0, depth), self.operand(op, 1, depth)) {
                (Some(x), Some(y)) => Some(x.min(y)),
                (x, y) => x.or(y),
            },
            arith::MAXUI => Some(self.operand(op, 0, depth)?.max(self.operand(op, 1, depth)?)),
            arith::SELECT => Some(self.operand(op, 1, depth)?.max(self.operand(op, 2, depth)?)),
            cube::SUBUI_SAT => self.operand(op, 0, depth),
            // A quotient by zero is the dividend, and all quotients are at most the dividend.
            arith::DIVUI | cube::DIVUI => {
                let dividend = self.operand(op, 0, depth)?;
                let divisor = self.exact(op.operand(1));
                Some(divisor.map_or(dividend.clone(), |divisor| dividend.quotient(&divisor)))
            }
            // A remainder is at most the dividend and below the divisor, or 0.
            arith::REMUI | cube::REMUI => match self.exact(op.operand(1)) {
                Some(divisor) => Some(divisor.max(Bound::number(1)).below()),
                None => self.operand(op, 0, depth),
            },
            cube::SHRUI => {
                let dividend = self.operand(op, 0, depth)?;
                Some(power(op).map_or(dividend.clone(), |divisor| dividend.quotient(&divisor)))
            }
            cube::SHL => Some(self.operand(op, 0, depth)?.product(&power(op)?)),
            _ => None,
        }
    }

    fn of_topology(&mut self, op: Op<'p>) -> Option<Bound> {
        let topology = ops::Topology::of(op)?.value()?.topology();
        let facts = self.kernel.facts();
        let dim = facts.cube_dim.map(u64::from);
        let axes = topology.axis.map_or(0..3, |axis| axis..axis + 1);
        // All cubes of the launch can be along one axis.
        let moved = facts.cube_count.is_some_and(|[_, y, z]| [y, z] != ["cubes(1)", "cubes(2)"]);
        let counted = if moved { 0..3 } else { axes.clone() };
        let units = match topology.group {
            Group::AbsolutePos => dim[axes].iter().product(),
            Group::CubePos | Group::CubeCount => 1,
            _ => return None,
        };
        // The launcher can execute fewer cubes than the program requests. A count above 2^32 counts as 2^32, because the
        // largest position of 32 bits is 2^32 - 1.
        let count = counted.fold(Bound::number(units), |count, axis| {
            let cubes = Bound::word(format!("cubes({axis})"));
            let overflows = count.most.checked_mul(cubes.most).is_none();
            let count = if overflows { count.min(Bound::number(MAX + 1)) } else { count };
            count.product(&cubes)
        });
        Some(if topology.group == Group::CubeCount { count } else { count.below() })
    }

    // The position `first + i * step` of a loop over `first, first + step, ..` below a limit: `i` counts up to
    // `first < limit ? (limit - first - 1) / step + 1 : 0`.
    fn strided(&mut self, sum: Op<'p>, depth: u32) -> Option<Bound> {
        let (first, product) = (0..2).find_map(|n| Some((sum.operand(n), sum.operand(1 - n).def_of(arith::MULI)?)))?;
        let limit = (0..2).find_map(|n| limit_of_steps(product.operand(n), first, product.operand(1 - n)))?;
        Some(self.within(limit, depth)?.below())
    }

    // The quotient `x / y + (x % y != 0 ? 1 : 0)`, which is at most `x`.
    fn rounded_up(&mut self, sum: Op<'p>, depth: u32) -> Option<Bound> {
        let quotient = |n: usize| sum.operand(n).def_of(cube::DIVUI);
        let (division, rest) = (0..2).find_map(|n| Some((quotient(n)?, sum.operand(1 - n).def_of(arith::EXTUI)?)))?;
        let compared = rest.operand(0).def_of(arith::CMPI).filter(|compare| int_of(compare.operand(1)) == Some(0))?;
        let remainder = compared.operand(0).def_of(cube::REMUI)?;
        let is_rest = arith::Cmpi::of(compared)?.predicate() == Some(IntCmp::Ne);
        (is_rest && remainder.operands().eq(division.operands())).then_some(())?;
        let dividend = self.operand(division, 0, depth)?;
        Some(match self.exact(division.operand(1)).filter(|_| dividend.constant().is_none()) {
            Some(divisor) => Bound::call("ceildiv", &dividend, &divisor, dividend.most),
            None => dividend,
        })
    }

    // A difference is at most the first number, if the second number does not exceed it.
    fn difference(&mut self, op: Op<'p>, depth: u32) -> Option<Bound> {
        let (x, y) = (op.operand(0), op.operand(1));
        let from = self.within(x, depth)?;
        let most = self.within(y, depth).and_then(|most| most.constant());
        let by_constant = matches!((int_of(x), most), (Some(x), Some(most)) if most <= u64::from(x as u32));
        // A sum that does not wrap is at least each of its summands.
        let mut least = vec![x];
        if let Some(sum) = x.def_of(arith::ADDI)
            && let [Some(a), Some(b)] = [0, 1].map(|n| self.operand(sum, n, depth))
            && a.sum(&b).most <= MAX
        {
            least.extend(sum.operands());
        }
        let by_condition = self.guards.maxima_of(y).chain(self.guards.limits_of(y)).any(|n| least.contains(&n))
            || int_of(y) == Some(1) && least.iter().any(|n| self.guards.is_nonzero(*n));
        (by_constant || by_condition).then_some(from)
    }

    // The bound of a number that a loop carries, or that a loop or a branch returns.
    fn of_region(&mut self, value: Val<'p>, depth: u32) -> Option<Bound> {
        if let Some(returned) = carried::returned(value) {
            let bounds: Option<Vec<Bound>> = returned.into_iter().map(|value| self.within(value, depth)).collect();
            return bounds?.into_iter().reduce(Bound::max);
        }
        let carried = Carried::of(value)?;
        if carried.never_increases() {
            return self.within(carried.first, depth);
        }
        let most = carried.mirror()?;
        let first = self.within(carried.first, depth)?.constant()?;
        (first <= most).then(|| Bound::number(most))
    }
}

/// The number itself, if the launcher can compute it.
pub fn exact<'p>(kernel: ops::Kernel<'p>, value: Val<'p>) -> Option<Bound> {
    let length = value.def().filter(|op| op.is(ops::BufferLen::KIND) || op.is(ops::Len::KIND));
    if let Some(op) = length {
        let memory = op.is(ops::BufferLen::KIND) || ops::Kernel::len_is_buffer_len(op.operand(0));
        let number = argument(kernel, op.operand(0)).filter(|_| memory)?;
        return Some(Bound::word(format!("buffer_len({})", kernel.arg_name(number))));
    }
    let number = argument_number(kernel, value);
    number.or_else(|| Some(as_number(&expression_of(kernel, value)?, false))).map(Bound::word)
}

// The power of two by which a shift with a constant amount multiplies or divides. Amounts are modulo the width.
fn power(shift: Op<'_>) -> Option<Bound> {
    int_of(shift.operand(1)).map(|amount| Bound::number(1 << (amount as u64 % 32)))
}

// The limit of a loop whose counter is `counter`, if the loop has as many iterations as `first + i * step` is below it.
fn limit_of_steps<'p>(counter: Val<'p>, first: Val<'p>, step: Val<'p>) -> Option<Val<'p>> {
    let (block, 0) = counter.block_arg()? else { return None };
    let looped = block.parent().filter(|op| op.is(scf::FOR) && op.attr("unsignedCmp").is_some())?;
    let is = |value: Val<'p>, number| int_of(value) == Some(number);
    if !is(looped.operand(0), 0) || !is(looped.operand(2), 1) {
        return None;
    }
    let count = looped.operand(1).def_of(arith::SELECT).filter(|select| is(select.operand(2), 0))?;
    let some = count.operand(0).def_of(arith::CMPI)?;
    let compared = arith::Cmpi::of(some).and_then(|compare| compare.predicate()) == Some(IntCmp::Ult);
    let limit = some.operand(1);
    let last = count.operand(1).def_of(arith::ADDI).filter(|sum| is(sum.operand(1), 1))?;
    let quotient = last.operand(0).def_of(cube::DIVUI).filter(|quotient| quotient.operand(1) == step)?;
    let distance = quotient.operand(0).def_of(arith::SUBI).filter(|less| is(less.operand(1), 1))?;
    let span = distance.operand(0).def_of(arith::SUBI)?;
    let fits = compared && some.operand(0) == first && span.operand(0) == limit && span.operand(1) == first;
    fits.then_some(limit)
}
