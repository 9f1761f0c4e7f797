//! Implements the walk's interface `Emit` for SPIR-V: variables, branches and loops.
use crate::assembly::{id, number};
use crate::formulas;
use crate::state::{OpenConstruct, Spirv, Value};
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
    pub(crate) next: Word,
    merge: Word,
    /// The counter, the step, and the variable with the remaining iterations of an `scf.for`.
    counter: Option<(Value, Value, Option<Value>)>,
}

impl<'p> Spirv<'p> {
    /// Ends the current block with a branch.
    pub(crate) fn jump(&mut self, to: Word) {
        self.asm.end(None, spirv::Op::Branch, vec![id(to)]);
    }

    fn branch(&mut self, condition: Word, then: Word, otherwise: Word, merge: Word) {
        let merge = (spirv::Op::SelectionMerge, vec![id(merge), Operand::SelectionControl(SelectionControl::NONE)]);
        self.asm.end(Some(merge), spirv::Op::BranchConditional, vec![id(condition), id(then), id(otherwise)]);
    }

    /// Begins the body of a loop.
    pub(crate) fn begin_loop(&mut self) -> Loop {
        let [header, body, next, merge] = [(); 4].map(|()| self.asm.fresh());
        self.jump(header);
        self.asm.begin(header);
        let operands = vec![id(merge), id(next), Operand::LoopControl(LoopControl::NONE)];
        self.asm.end(Some((spirv::Op::LoopMerge, operands)), spirv::Op::Branch, vec![id(body)]);
        self.asm.begin(body);
        Loop { header, next, merge, counter: None }
    }

    /// Begins the code that runs while the loop's condition holds.
    pub(crate) fn exit_unless(&mut self, begun: &Loop, condition: Word) {
        let stay = self.asm.fresh();
        self.branch(condition, stay, begun.merge, stay);
        self.asm.begin(stay);
    }

    /// Ends a loop in its continue block.
    pub(crate) fn end_loop(&mut self, begun: &Loop) {
        self.jump(begun.header);
        self.asm.begin(begun.merge);
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
        for value in values {
            let ty = self.type_of(op, *value)?;
            let lanes = (0..lanes_of(*value)).map(|_| self.variable(ty)).collect();
            self.bind(*value, lanes);
        }
        Ok(())
    }

    fn assign(&mut self, op: Op<'p>, to: &[Val<'p>], from: &[Val<'p>]) -> Written {
        let mut pairs = Vec::new();
        for (to, from) in to.iter().zip(from) {
            for (variable, lane) in self.lanes(op, *to)?.into_iter().zip(self.lanes(op, *from)?) {
                if variable != lane {
                    pairs.push((variable.id, self.read(&lane)));
                }
            }
        }
        for (variable, value) in pairs {
            self.asm.emit(spirv::Op::Store, vec![id(variable), id(value)]);
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

    fn begin_branch(&mut self, condition: &Value) {
        let [then, otherwise, merge] = [(); 3].map(|()| self.asm.fresh());
        let condition = self.read(condition);
        self.branch(condition, then, otherwise, merge);
        self.asm.begin(then);
        self.open.push(OpenConstruct::Branch { otherwise, merge, has_otherwise: false });
    }

    fn begin_otherwise(&mut self) {
        if let Some(OpenConstruct::Branch { otherwise, merge, has_otherwise }) = self.open.last_mut() {
            *has_otherwise = true;
            let (otherwise, merge) = (*otherwise, *merge);
            self.jump(merge);
            self.asm.begin(otherwise);
        }
    }

    fn end_branch(&mut self) {
        let Some(OpenConstruct::Branch { otherwise, merge, has_otherwise }) = self.open.pop() else { return };
        self.jump(merge);
        if !has_otherwise {
            self.asm.begin(otherwise);
            self.jump(merge);
        }
        self.asm.begin(merge);
    }

    fn begin_switch(&mut self, selector: &Value, cases: &[i64]) {
        let labels: Vec<Word> = cases.iter().map(|_| self.asm.fresh()).collect();
        let [default, merge] = [(); 2].map(|()| self.asm.fresh());
        let selector = self.read(selector);
        let merged = (spirv::Op::SelectionMerge, vec![id(merge), Operand::SelectionControl(SelectionControl::NONE)]);
        let targets = cases.iter().zip(&labels).flat_map(|(case, label)| [number(*case as u32), id(*label)]);
        let operands = [id(selector), id(default)].into_iter().chain(targets).collect();
        self.asm.end(Some(merged), spirv::Op::Switch, operands);
        let cases = labels.into_iter().chain([default]).rev().collect();
        self.open.push(OpenConstruct::Switch { cases, merge });
    }

    fn begin_case(&mut self, op: Op<'p>, _: &Value, _: usize, case: i64) -> Written {
        if i32::try_from(case).is_err() && u32::try_from(case).is_err() {
            return Err(self.refuse(op, "one of its cases has more than 32 bits"));
        }
        self.begin_default(0);
        Ok(())
    }

    fn begin_default(&mut self, _: usize) {
        if let Some(OpenConstruct::Switch { cases, .. }) = self.open.last_mut()
            && let Some(label) = cases.pop()
        {
            self.asm.begin(label);
        }
    }

    fn end_case(&mut self) {
        if let Some(OpenConstruct::Switch { merge, .. }) = self.open.last() {
            let merge = *merge;
            self.jump(merge);
        }
    }

    fn end_switch(&mut self) {
        if let Some(OpenConstruct::Switch { merge, .. }) = self.open.pop() {
            self.asm.begin(merge);
        }
    }

    // With a step of 1 the counter is compared with its bound. Otherwise the iterations are counted before the loop,
    // because the counter can wrap in the last iteration.
    fn begin_for(&mut self, op: Op<'p>, counter: Val<'p>, bounds: [Val<'p>; 3]) -> Written<Loop> {
        use spirv::Op as S;
        let is_one = bounds[2].def_of(arith::CONSTANT).and_then(|one| one.attr("value")).and_then(|one| one.as_int());
        let mut ids = [0; 3];
        for (id, bound) in ids.iter_mut().zip(bounds) {
            *id = self.decide(op, bound)?.id;
        }
        let [from, to, step] = ids;
        let at = self.scalar(op, counter)?;
        let unsigned = scf::For::of(op).is_some_and(|it| it.unsigned_cmp().is_some());
        let below = if unsigned { S::ULessThan } else { S::SLessThan };
        self.asm.emit(S::Store, vec![id(at.id), id(from)]);
        let left = (is_one != Some(1)).then(|| {
            // (to - from - 1) / step + 1, or 0 if the body never runs.
            let (zero, one) = (self.number(at.ty, 0).id, self.number(at.ty, 1).id);
            let span = self.emit(S::ISub, at.ty, &[to, from]).id;
            let span = self.emit(S::ISub, at.ty, &[span, one]).id;
            let times = self.emit(S::UDiv, at.ty, &[span, step]).id;
            let times = self.emit(S::IAdd, at.ty, &[times, one]).id;
            let runs = self.emit(below, Scalar::Bool, &[from, to]).id;
            let times = self.emit(S::Select, at.ty, &[runs, times, zero]);
            let left = self.variable(at.ty);
            self.set(&left, &times);
            left
        });
        let begun = self.begin_loop();
        let now = self.read(left.as_ref().unwrap_or(&at));
        let (compare, bound) = if left.is_some() { (S::INotEqual, self.number(at.ty, 0).id) } else { (below, to) };
        let more = self.compared(compare, now, bound);
        self.exit_unless(&begun, more);
        Ok(Loop { counter: Some((at, Value::of(step, at.ty), left)), ..begun })
    }

    fn end_for(&mut self, begun: Loop) {
        self.jump(begun.next);
        self.asm.begin(begun.next);
        if let Some((at, by, left)) = begun.counter {
            let now = self.read(&at);
            let next = self.emit(spirv::Op::IAdd, at.ty, &[now, by.id]);
            self.set(&at, &next);
            if let Some(left) = left {
                let (now, one) = (self.read(&left), self.number(left.ty, 1).id);
                let next = self.emit(spirv::Op::ISub, left.ty, &[now, one]);
                self.set(&left, &next);
            }
        }
        self.end_loop(&begun);
    }

    fn begin_while(&mut self) -> Loop {
        self.begin_loop()
    }

    fn leave_unless(&mut self, begun: &Loop, condition: &Value) {
        let condition = self.read(condition);
        self.exit_unless(begun, condition);
    }

    fn end_while(&mut self, begun: Loop) {
        self.jump(begun.next);
        self.asm.begin(begun.next);
        self.end_loop(&begun);
    }
}
