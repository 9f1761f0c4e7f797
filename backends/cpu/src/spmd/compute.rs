//! Vectorises operations that only compute and do not access memory.
use super::form::*;
use super::state::{EmitContext, Sharing, SpmdEmitter};
use crate::split;
use cube_dialect::is_atomic;
use cube_ir::ops::{arith, scf, vector};
use cube_ir::{
    AttrExt, Builder, Op, Type, TypeExt, Val,
    ops::Dialect,
    properties::{divides_integers, is_speculatable},
    upstream::IntCmp,
};
use cube_passes::analysis::{constants::int_of, ranges};
use cube_to_llvm::saturating_sums;

/// Whether the behaviour of an operation is defined even if no lane is active.
pub(crate) fn is_safe_without_active_lanes(op: Op<'_>) -> bool {
    let safe = |divisor: Val<'_>| int_of(divisor).is_some_and(|n| n != 0 && n != -1);
    split::is_pure(op) && if divides_integers(op) { safe(op.operand(1)) } else { is_speculatable(op) }
}

impl<'p> SpmdEmitter<'_, 'p> {
    pub(super) fn compute(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        if !split::is_pure(op) {
            if is_atomic(op) {
                return self
                    .each(at, op, Sharing::Never, |me, _, forms, mask| me.for_each_active_lane(at, op, forms, mask));
            }
            return self.refuse(op);
        }
        let share = if divides_integers(op) { Sharing::SameMask } else { Sharing::Always };
        self.each(at, op, share, |me, _, forms, mask| {
            if forms.iter().all(|f| matches!(f, ValueForm::Uniform(_))) {
                return me.once(at.b, op, forms);
            }
            match op.results().len() {
                1 => vec![me.lanes(at, op, forms, mask)],
                _ => me.several(at.b, op, forms),
            }
        });
    }

    // One copy of the operation, on uniform operands.
    fn once(&mut self, b: Builder<'p>, op: Op<'p>, forms: &[ValueForm<'p>]) -> Vec<ValueForm<'p>> {
        let copy = b.insert_copy(op);
        for (i, form) in forms.iter().enumerate() {
            if let ValueForm::Uniform(value) = form {
                copy.set_operand(i, *value);
            }
        }
        copy.results().map(ValueForm::Uniform).collect()
    }

    // Operations with several results, such as `arith.mului_extended`, which accept vectors of any length.
    fn several(&mut self, b: Builder<'p>, op: Op<'p>, forms: &[ValueForm<'p>]) -> Vec<ValueForm<'p>> {
        let operands: Vec<Val<'p>> =
            forms.iter().zip(op.operands()).map(|(form, value)| self.group.broadcast(b, *form, value.ty())).collect();
        let types: Vec<Type<'p>> = op.results().map(|r| self.group.vector(b, r.ty())).collect();
        if op.kind().dialect() != Some(Dialect::Arith) {
            return self.lane_by_lane(b, op, forms);
        }
        let mut spec = b.op(op.kind()).operands(&operands).results(&types);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        spec.build().results().map(ValueForm::Varying).collect()
    }

    fn lanes(
        &mut self,
        at: &EmitContext<'p>,
        op: Op<'p>,
        forms: &[ValueForm<'p>],
        mask: Option<Val<'p>>,
    ) -> ValueForm<'p> {
        let b = at.b;
        if let Some(form) = self.affine_result(at, op, forms) {
            return form;
        }
        let ty = op.result(0).ty();
        let name = op.kind();
        let vector = self.group.vector(b, ty);
        let operand = |i: usize| self.group.broadcast(b, forms[i], op.operand(i).ty());
        if name == arith::SELECT {
            let condition = match forms[0] {
                ValueForm::Uniform(condition) => condition,
                _ if op.operand(0).ty().lanes().is_some() => operand(0),
                _ => self.group.of_lines(b, operand(0), ty),
            };
            return ValueForm::Varying(b.select(condition, operand(1), operand(2)));
        }
        if matches!(name.dialect(), Some(Dialect::Arith | Dialect::Math))
            || name == vector::FMA
            || name == vector::BITCAST
            || saturating_sums::intrinsic(name).is_some()
        {
            let mut operands: Vec<Val<'p>> = (0..forms.len()).map(operand).collect();
            if let Some(mask) = mask.filter(|_| divides_integers(op)) {
                // Inactive lanes divide by 1.
                let mask = self.group.of_lines(b, mask, ty);
                operands[1] = b.select(mask, operands[1], b.int(operands[1].ty(), 1));
            }
            let mut spec = b.op(name).operands(&operands).result(vector);
            for (name, value) in op.attrs() {
                spec = spec.attr(name, value);
            }
            return ValueForm::Varying(spec.value());
        }
        let constant = |name: &str| op.attr(name).and_then(|a| a.as_i64_array()).filter(|p| p.len() == 1).map(|p| p[0]);
        let lanes = i64::from(self.group.lanes);
        match (name, constant("static_position")) {
            (vector::BROADCAST, _) if op.operand(0).ty().is_scalar() && ty.lanes().is_some() => {
                let n = ty.element_count() as i64;
                let numbers: Vec<i64> = (0..lanes * n).map(|i| i / n).collect();
                ValueForm::Varying(shuffle(b, operand(0), operand(0), &numbers))
            }
            (vector::EXTRACT, Some(at)) if at >= 0 && ty.is_scalar() => {
                let n = op.operand(0).ty().element_count() as i64;
                let numbers: Vec<i64> = (0..lanes).map(|i| i * n + at).collect();
                ValueForm::Varying(shuffle(b, operand(0), operand(0), &numbers))
            }
            (vector::INSERT, Some(at)) if at >= 0 && op.operand(0).ty().is_scalar() => {
                let n = ty.element_count() as i64;
                // A shuffle combines two vectors of any length.
                let pick = |i: i64| if i % n == at { lanes * n + i / n } else { i };
                ValueForm::Varying(shuffle(b, operand(1), operand(0), &(0..lanes * n).map(pick).collect::<Vec<_>>()))
            }
            (vector::FROM_ELEMENTS, _) if op.operands().all(|v| v.ty().is_scalar()) => {
                let n = forms.len() as i64;
                let first = operand(0);
                let start: Vec<i64> = (0..lanes * n).map(|i| i / n).collect();
                let mut all = shuffle(b, first, first, &start);
                for k in 1..n {
                    let pick = |i: i64| if i % n == k { lanes * n + i / n } else { i };
                    all = shuffle(b, all, operand(k as usize), &(0..lanes * n).map(pick).collect::<Vec<_>>());
                }
                ValueForm::Varying(all)
            }
            _ => self.lane_by_lane(b, op, forms)[0],
        }
    }

    // One copy per lane, for operations without a vector form.
    fn lane_by_lane(&mut self, b: Builder<'p>, op: Op<'p>, forms: &[ValueForm<'p>]) -> Vec<ValueForm<'p>> {
        let spread: Vec<Val<'p>> =
            forms.iter().zip(op.operands()).map(|(f, v)| self.group.broadcast(b, *f, v.ty())).collect();
        let mut all: Vec<Val<'p>> = op.results().map(|r| b.zero(self.group.vector(b, r.ty()))).collect();
        for lane in 0..i64::from(self.group.lanes) {
            let operands: Vec<Val<'p>> =
                op.operands().zip(&spread).map(|(v, all)| self.group.lane(b, *all, lane, v.ty())).collect();
            let copy = b.insert_copy(op);
            copy.set_operands(&operands);
            let at = b.int(b.cx().index(), lane);
            for (all, own) in all.iter_mut().zip(copy.results()) {
                *all = self.group.with_lane_at(b, *all, at, own);
            }
        }
        all.into_iter().map(ValueForm::Varying).collect()
    }

    // Runs the operation for each active lane in sequence, because it changes memory and returns a different value per
    // lane.
    pub(super) fn for_each_active_lane(
        &mut self,
        at: &EmitContext<'p>,
        op: Op<'p>,
        forms: &[ValueForm<'p>],
        mask: Option<Val<'p>>,
    ) -> Vec<ValueForm<'p>> {
        let (b, group) = (at.b, self.group);
        let result = op.results().next().map(|r| (r.ty(), group.vector(b, r.ty())));
        let index = |n: u32| b.int(b.cx().index(), i64::from(n));
        let operands: Vec<(ValueForm<'p>, Type<'p>)> = forms
            .iter()
            .zip(op.operands())
            .map(|(form, value)| match form {
                ValueForm::Uniform(_) => (*form, value.ty()),
                _ => (ValueForm::Varying(group.broadcast(b, *form, value.ty())), value.ty()),
            })
            .collect();
        let start: Vec<Val<'p>> = result.iter().map(|(_, vector)| b.zero(*vector)).collect();
        let types: Vec<Type<'p>> = start.iter().map(|v| v.ty()).collect();
        let mut arguments = vec![b.cx().index()];
        arguments.extend(&types);
        let scalar = |b: Builder<'p>, lane: Val<'p>| {
            let own = |(form, ty): &(ValueForm<'p>, Type<'p>)| match form {
                ValueForm::Uniform(value) => *value,
                form => group.lane_at(b, group.broadcast(b, *form, *ty), lane, *ty),
            };
            let operands: Vec<Val<'p>> = operands.iter().map(own).collect();
            let copy = b.insert_copy(op);
            copy.set_operands(&operands);
            copy.results().collect::<Vec<_>>()
        };
        let loop_op = b
            .op(scf::FOR)
            .operands(&[index(0), index(self.group.lanes), index(1)])
            .operands(&start)
            .results(&types)
            .body(&arguments, |b, args| {
                let results = match mask {
                    None => scalar(b, args[0]),
                    Some(mask) => {
                        let is_active = group.lane_at(b, mask, args[0], b.cx().int(1));
                        let types: Vec<Type<'p>> = result.iter().map(|(ty, _)| *ty).collect();
                        let zeros = |b: Builder<'p>| types.iter().map(|ty| b.zero(*ty)).collect();
                        b.if_else(is_active, &types, |b| scalar(b, args[0]), zeros).results().collect()
                    }
                };
                let all: Vec<Val<'p>> =
                    results.iter().map(|value| group.with_lane_at(b, args[1], args[0], *value)).collect();
                b.op(scf::YIELD).operands(&all).build();
            })
            .build();
        loop_op.results().map(ValueForm::Varying).collect()
    }

    // Sums, products with constants, and conversions of affine values are affine.
    fn affine_result(&mut self, at: &EmitContext<'p>, op: Op<'p>, forms: &[ValueForm<'p>]) -> Option<ValueForm<'p>> {
        let b = at.b;
        let ty = op.result(0).ty();
        if !(ty.is_int() || ty.is_index()) || ty.lanes().is_some() {
            return None;
        }
        let plain = |form: &ValueForm<'p>| match form {
            ValueForm::Uniform(base) => Some((*base, 0)),
            ValueForm::Affine(Affine { base, step, narrow: None }) => Some((*base, *step)),
            _ => None,
        };
        let (base, step) = plain(&forms[0])?;
        let second = forms.get(1).map(plain);
        let constant = || op.operands().nth(1).and_then(int_of);
        match (op.kind(), second) {
            (arith::ADDI, Some(Some((other, more)))) => Some(ValueForm::affine(b.addi(base, other), step + more)),
            (arith::SUBI, Some(Some((other, more)))) => Some(ValueForm::affine(b.subi(base, other), step - more)),
            (arith::MULI, Some(Some((other, more)))) => {
                let factor = |i: usize| int_of(op.operand(i)).filter(|n| (-4096..=4096).contains(n));
                let step = match (step, more) {
                    (step, 0) => step.checked_mul(factor(1)?)?,
                    (0, more) => more.checked_mul(factor(0)?)?,
                    _ => return None,
                };
                Some(ValueForm::affine(b.muli(base, other), step)).filter(|_| step.abs() <= 1 << 20)
            }
            (arith::TRUNCI, None) => Some(ValueForm::affine(b.cast(arith::TRUNCI, base, ty), step)),
            (arith::DIVUI, Some(Some((other, 0)))) if self.divides(base, step, constant()) => {
                Some(ValueForm::Uniform(b.divui(base, other)))
            }
            (arith::REMUI, Some(Some((other, 0)))) if self.divides(base, step, constant()) => {
                Some(ValueForm::affine(b.remui(base, other), 1))
            }
            (arith::INDEX_CASTUI | arith::EXTUI, None) if step >= 0 => self.widened(at, op, base, step),
            _ => None,
        }
    }

    // Whether `base + lane` has the same quotient by the divisor `by` in all lanes.
    fn divides(&self, base: Val<'p>, step: i64, by: Option<i64>) -> bool {
        let lanes = i64::from(self.group.lanes);
        step == 1 && divisor(base) >= lanes as u64 && by.is_some_and(|by| by > 0 && by % lanes == 0)
    }

    fn widened(&mut self, at: &EmitContext<'p>, op: Op<'p>, base: Val<'p>, step: i64) -> Option<ValueForm<'p>> {
        let b = at.b;
        let (value, ty) = (op.operand(0), op.result(0).ty());
        let wide = b.cast(op.kind(), base, ty);
        let last = step.checked_mul(i64::from(self.group.lanes) - 1)?;
        // If no lane has the largest number of the type, the step from one lane to the next does not wrap.
        let bounded = step == 1 && value.ty().bits() == Some(32) && ranges::largest(value) < u64::from(u32::MAX);
        let aligned = step == 1 && divisor(base) >= u64::from(self.group.lanes);
        if bounded || aligned || last == 0 || at.no_wrap.contains(&base) {
            return Some(ValueForm::affine(wide, step));
        }
        if value.ty().bits() != Some(32) || !ty.is_index() || at.cold {
            return None;
        }
        let limit = b.int(base.ty(), i64::from((u32::MAX - last as u32) as i32));
        let no_wrap = b.cmpi(IntCmp::Ule, base, limit);
        Some(ValueForm::Affine(Affine { base: wide, step, narrow: Some(NarrowIndex { base, no_wrap }) }))
    }

    /// Sum of two numbers in any representation.
    pub(super) fn sum(
        &self,
        b: Builder<'p>,
        first: ValueForm<'p>,
        second: ValueForm<'p>,
        ty: Type<'p>,
    ) -> ValueForm<'p> {
        match (first, second) {
            (ValueForm::Uniform(x), ValueForm::Uniform(y)) => ValueForm::Uniform(b.addi(x, y)),
            (ValueForm::Uniform(x), ValueForm::Affine(s)) | (ValueForm::Affine(s), ValueForm::Uniform(x))
                if s.narrow.is_none() =>
            {
                ValueForm::affine(b.addi(s.base, x), s.step)
            }
            _ => ValueForm::Varying(b.addi(self.group.broadcast(b, first, ty), self.group.broadcast(b, second, ty))),
        }
    }

    /// Product of a number in any representation and a uniform number.
    pub(super) fn times(&self, b: Builder<'p>, first: ValueForm<'p>, by: Val<'p>, ty: Type<'p>) -> ValueForm<'p> {
        match first {
            ValueForm::Uniform(x) => ValueForm::Uniform(b.muli(x, by)),
            _ => ValueForm::Varying(
                b.muli(self.group.broadcast(b, first, ty), self.group.broadcast(b, ValueForm::Uniform(by), ty)),
            ),
        }
    }
}
