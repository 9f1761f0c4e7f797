//! Implements the walk's interface `Emit` for SPIR-V: variables, branches and loops.
use crate::assembly::{id, number};
use crate::formulas;
use crate::state::{Selection, Spirv, Value};
use cube_dialect::{ops, properties::is_plane_op};
use cube_ir::ops::{arith, memref, scf, vector, vector::CombiningKind};
use cube_ir::{AttrExt, Attribute, Op, SessionError, Type, Val, location_of};
use cube_structured::planes::combine_of;
use cube_structured::{Emit, Scalar, Written, lanes_of};
use rspirv::dr::Operand;
use rspirv::spirv::{self, LoopControl, SelectionControl, Word};
use std::fmt::Display;

/// A loop whose end is not emitted yet.
pub struct Loop {
    header: Word,
    next: Word,
    merge: Word,
    /// The counter, the step, and the remaining iterations of an `scf.for`.
    counter: Option<(Value, Value, Option<Value>)>,
}

impl<'p> Spirv<'p> {
    /// Ends the current block with a branch.
    pub(crate) fn jump(&mut self, to: Word) {
        self.asm.end(None, spirv::Op::Branch, vec![id(to)]);
    }

    // Ends the current block with a branch to one of several blocks.
    fn select(&mut self, op: spirv::Op, operands: Vec<Operand>, cases: Vec<Word>, merge: Word) {
        self.asm.phis.place(merge, None);
        let merged = (spirv::Op::SelectionMerge, vec![id(merge), Operand::SelectionControl(SelectionControl::NONE)]);
        self.asm.end(Some(merged), op, operands);
        self.open.push(Selection { cases, merge });
    }
}

impl<'p> Emit<'p> for Spirv<'p> {
    type Value = Value;
    type Loop = Loop;

    fn refuse(&self, op: Op<'_>, why: impl Display) -> SessionError {
        crate::state::refuse(op, why)
    }

    fn lanes(&self, op: Op<'p>, value: Val<'p>) -> Written<Vec<Value>> {
        self.lanes.get(&value).cloned().ok_or_else(|| self.refuse(op, "one of its operands has no lanes"))
    }

    fn bind(&mut self, value: Val<'p>, lanes: Vec<Value>) {
        self.lanes.insert(value, lanes);
    }

    fn locate(&mut self, op: Op<'p>) {
        if let Some(location) = location_of(op.location()) {
            let file = location.file.rsplit(['/', '\\']).next().unwrap_or_default();
            self.asm.locate(file, location.line);
        }
    }

    fn special(&mut self, op: Op<'p>) -> Written<bool> {
        match op.kind() {
            memref::LOAD | vector::LOAD | memref::STORE | vector::STORE => self.accessed(op)?,
            // Allocations are declared before the walk. `MayNotTerminate` is a marker without code.
            memref::ALLOCA | ops::MayNotTerminate::KIND => {}
            ops::AtomicLoad::KIND | ops::AtomicStore::KIND | ops::AtomicRmw::KIND | ops::AtomicCas::KIND => {
                self.atomic(op)?;
            }
            ops::Topology::KIND => self.position(op)?,
            ops::Sync::KIND => self.barrier(op)?,
            _ if is_plane_op(op) => self.plane(op)?,
            vector::BITCAST => return self.regrouped(op),
            arith::MULUI_EXTENDED | arith::MULSI_EXTENDED | arith::ADDUI_EXTENDED => self.extended(op)?,
            _ => return Ok(false),
        }
        self.checked(op)?;
        Ok(true)
    }

    fn declare(&mut self, op: Op<'p>, values: &[Val<'p>]) -> Written {
        // The results of `scf.while` are the values that its condition forwards.
        for value in values.iter().filter(|value| !op.is(scf::WHILE) || value.def().is_none()) {
            let ty = self.type_of(op, *value)?;
            let lane = |_| if op.regions().len() > 0 { self.phi(ty) } else { self.variable(ty) };
            let lanes = (0..lanes_of(*value)).map(lane).collect();
            self.bind(*value, lanes);
        }
        Ok(())
    }

    fn assign(&mut self, op: Op<'p>, to: &[Val<'p>], from: &[Val<'p>]) -> Written {
        for (to, from) in to.iter().zip(from) {
            let lanes = self.lanes(op, *from)?;
            match self.lanes.get(to).cloned() {
                Some(phis) => phis.iter().zip(&lanes).for_each(|(phi, lane)| self.set_phi(phi, lane)),
                None => self.bind(*to, lanes),
            }
        }
        Ok(())
    }

    fn decide(&mut self, op: Op<'p>, value: Val<'p>) -> Written<Value> {
        if self.decisions.synchronises(op)
            && !self.decisions.is_uniform(value)
            && value.def_of(arith::CONSTANT).is_none()
        {
            let why = "barriers and plane operations require uniform control flow, but the control flow here differs between units of a cube";
            return Err(self.refuse(op, why));
        }
        let value = self.scalar(op, value)?;
        Ok(Value { id: self.read(&value), is_variable: false, ..value })
    }

    fn literal(&mut self, ty: Type<'p>, of: Attribute<'p>) -> Option<Value> {
        let ty = Scalar::of(ty)?;
        Some(self.number(ty, ty.bits_of(of)?))
    }

    fn constant(&mut self, op: Op<'p>, lanes: Vec<Value>) -> Written {
        self.checked(op)?;
        self.bind(op.result(0), lanes);
        Ok(())
    }

    fn lane(&mut self, op: Op<'p>, operands: &[Value]) -> Option<Value> {
        formulas::lane(self, op, operands)
    }

    fn define(&mut self, op: Op<'p>, value: Val<'p>, lanes: Vec<Value>) -> Written {
        self.checked(op)?;
        self.bind(value, lanes);
        Ok(())
    }

    fn combine(&mut self, op: Op<'p>, a: &Value, b: &Value) -> Written<Value> {
        let both = match vector::Reduction::of(op).and_then(|reduction| reduction.kind()) {
            Some(CombiningKind::Minimumf) => formulas::extreme(self, [true, false], a, b),
            Some(CombiningKind::Maximumf) => formulas::extreme(self, [false, false], a, b),
            kind => kind.and_then(|kind| formulas::combined(self, combine_of(kind, a.ty)?, a, b)),
        };
        both.ok_or_else(|| self.refuse(op, "the backend does not support this combination of lanes"))
    }

    fn choose(&mut self, index: &Value, number: usize, result: &Value, value: &Value) {
        let (index, number) = (self.read(index), self.number(index.ty, number as u64).id);
        let (old, new) = (self.read(result), self.read(value));
        let is = self.emit(spirv::Op::IEqual, Scalar::Bool, &[index, number]).id;
        let chosen = self.emit(spirv::Op::Select, result.ty, &[is, new, old]);
        self.set(result, &chosen);
    }

    fn set(&mut self, variable: &Value, value: &Value) {
        let value = self.read(value);
        self.asm.emit(spirv::Op::Store, vec![id(variable.id), id(value)]);
    }

    fn begin_branch(&mut self, condition: &Value, has_otherwise: bool) {
        let [then, merge] = [(); 2].map(|()| self.asm.fresh());
        let otherwise = has_otherwise.then(|| self.asm.fresh());
        let condition = self.read(condition);
        let operands = [condition, then, otherwise.unwrap_or(merge)].map(id).to_vec();
        self.select(spirv::Op::BranchConditional, operands, otherwise.into_iter().chain([then]).collect(), merge);
        self.begin_default(0);
    }

    fn begin_otherwise(&mut self) {
        self.end_case();
        self.begin_default(0);
    }

    fn end_branch(&mut self) {
        self.end_case();
        self.end_switch();
    }

    fn begin_switch(&mut self, selector: &Value, cases: &[i64]) {
        let labels: Vec<Word> = cases.iter().map(|_| self.asm.fresh()).collect();
        let [default, merge] = [(); 2].map(|()| self.asm.fresh());
        let selector = self.read(selector);
        let targets = cases.iter().zip(&labels).flat_map(|(case, label)| [number(*case as u32), id(*label)]);
        let operands = [id(selector), id(default)].into_iter().chain(targets).collect();
        self.select(spirv::Op::Switch, operands, labels.into_iter().chain([default]).rev().collect(), merge);
    }

    fn begin_case(&mut self, op: Op<'p>, _: &Value, _: usize, case: i64) -> Written {
        if i32::try_from(case).is_err() && u32::try_from(case).is_err() {
            return Err(self.refuse(op, "one of its cases has more than 32 bits"));
        }
        self.begin_default(0);
        Ok(())
    }

    fn begin_default(&mut self, _: usize) {
        if let Some(label) = self.open.last_mut().and_then(|open| open.cases.pop()) {
            self.asm.begin(label);
        }
    }

    fn end_case(&mut self) {
        if let Some(merge) = self.open.last().map(|open| open.merge) {
            self.jump(merge);
        }
    }

    fn end_switch(&mut self) {
        if let Some(open) = self.open.pop() {
            self.asm.begin(open.merge);
        }
    }

    // With a step of 1 the counter is compared with its bound. Otherwise the iterations are counted before the loop,
    // because the counter can wrap in the last iteration.
    fn begin_for(&mut self, op: Op<'p>, counter: Val<'p>, [from, to, step]: [Val<'p>; 3]) -> Written<Loop> {
        use spirv::Op as S;
        let is_one = step.def_of(arith::CONSTANT).and_then(|one| one.attr("value")).and_then(|one| one.as_int());
        let (from, to, step) = (self.decide(op, from)?.id, self.decide(op, to)?.id, self.decide(op, step)?.id);
        let at = self.scalar(op, counter)?;
        let unsigned = scf::For::of(op).is_some_and(|it| it.unsigned_cmp().is_some());
        let below = if unsigned { S::ULessThan } else { S::SLessThan };
        self.set_phi(&at, &Value::of(from, at.ty));
        let left = (is_one != Some(1)).then(|| {
            // (to - from - 1) / step + 1, or 0 if the body never runs.
            let (zero, one) = (self.number(at.ty, 0).id, self.number(at.ty, 1).id);
            let span = self.emit(S::ISub, at.ty, &[to, from]).id;
            let span = self.emit(S::ISub, at.ty, &[span, one]).id;
            let times = self.emit(S::UDiv, at.ty, &[span, step]).id;
            let times = self.emit(S::IAdd, at.ty, &[times, one]).id;
            let runs = self.emit(below, Scalar::Bool, &[from, to]).id;
            let times = self.emit(S::Select, at.ty, &[runs, times, zero]);
            let left = self.phi(at.ty);
            self.set_phi(&left, &times);
            left
        });
        let begun = self.begin_while();
        let now = left.as_ref().unwrap_or(&at).id;
        let (compare, bound) = if left.is_some() { (S::INotEqual, self.number(at.ty, 0).id) } else { (below, to) };
        let more = self.emit(compare, Scalar::Bool, &[now, bound]);
        self.leave_unless(&begun, &more);
        Ok(Loop { counter: Some((at, Value::of(step, at.ty), left)), ..begun })
    }

    fn end_for(&mut self, begun: Loop) {
        if let Some((at, by, left)) = &begun.counter {
            let next = self.emit(spirv::Op::IAdd, at.ty, &[at.id, by.id]);
            self.set_phi(at, &next);
            if let Some(left) = left {
                let one = self.number(left.ty, 1).id;
                let next = self.emit(spirv::Op::ISub, left.ty, &[left.id, one]);
                self.set_phi(left, &next);
            }
        }
        self.end_while(begun);
    }

    fn begin_while(&mut self) -> Loop {
        let [header, body, next, merge] = [(); 4].map(|()| self.asm.fresh());
        self.jump(header);
        self.asm.phis.place(header, Some(next));
        self.asm.begin(header);
        let operands = vec![id(merge), id(next), Operand::LoopControl(LoopControl::NONE)];
        self.asm.end(Some((spirv::Op::LoopMerge, operands)), spirv::Op::Branch, vec![id(body)]);
        self.asm.begin(body);
        Loop { header, next, merge, counter: None }
    }

    fn leave_unless(&mut self, begun: &Loop, condition: &Value) {
        let condition = self.read(condition);
        let (stay, merge) = (self.asm.fresh(), self.asm.joined(begun.header));
        self.asm.end(merge, spirv::Op::BranchConditional, [condition, stay, begun.merge].map(id).to_vec());
        self.asm.begin(stay);
    }

    fn end_while(&mut self, begun: Loop) {
        self.jump(begun.next);
        self.asm.begin(begun.next);
        self.jump(begun.header);
        self.asm.begin(begun.merge);
    }
}
