//! Plane operations.
//!
//! Plane operations are only accepted in uniform control flow. All units of a plane are therefore active, and lane 0 is
//! the first active lane. Sums of floats have the same bits as in the interpreter. A reduction combines the upper half
//! of the lanes with the lower half. A scan adds the lanes at distances 1, 2, 4 and so on below each lane.
//! `OpGroupNonUniformFAdd` can add the lanes in a different order than the interpreter, and the sum is then rounded
//! differently.
use crate::assembly::id;
use crate::formulas::{combined, of_integers};
use crate::state::{Spirv, Value};
use cube_dialect::{Combine, Vote};
use cube_ir::Op;
use cube_structured::planes::{Collective, PlaneOp, SourceLane, distances, scan_start};
use cube_structured::{Emit, Scalar, WORD, Written};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Capability, GroupOperation, Op as S, Scope, Word};

impl<'p> Spirv<'p> {
    /// Emits a plane operation.
    ///
    /// # Errors
    /// The backend does not support the plane operation, or cannot combine or move lanes of this type.
    pub(crate) fn plane(&mut self, op: Op<'p>) -> Written {
        let lane = self.input(BuiltIn::SubgroupLocalInvocationId, None);
        let results = match PlaneOp::of(self, op)? {
            // All units of a plane are active, so the first active unit is lane 0.
            PlaneOp::Elect => {
                let zero = self.asm.word(0);
                vec![self.emit(S::IEqual, Scalar::Bool, &[lane, zero])]
            }
            PlaneOp::Vote(vote, value) => {
                let vote = if vote == Vote::All { S::GroupNonUniformAll } else { S::GroupNonUniformAny };
                self.asm.require_capability(Capability::GroupNonUniformVote);
                let (value, scope) = (self.scalar_id(op, value)?, self.asm.word(Scope::Subgroup as u32));
                vec![self.emit(vote, Scalar::Bool, &[scope, value])]
            }
            PlaneOp::Ballot(value) => {
                let value = self.scalar_id(op, value)?;
                let words = self.ballot(value);
                (0..4).map(|at| self.part(words, WORD, at)).collect()
            }
            PlaneOp::Combine(form, kind, value) => {
                let lanes = self.lanes(op, value)?;
                let all: Option<Vec<Value>> =
                    lanes.iter().map(|value| self.over_plane(lane, form, kind, value)).collect();
                all.ok_or_else(|| self.refuse(op, "the backend does not support this combination of lanes"))?
            }
            PlaneOp::Move(from, value, by) => {
                let (lanes, by) = (self.lanes(op, value)?, self.scalar_id(op, by)?);
                let from = match from {
                    SourceLane::Lane => by,
                    SourceLane::XOr => self.emit(S::BitwiseXor, WORD, &[lane, by]).id,
                    SourceLane::Below => {
                        let lower = self.emit(S::ISub, WORD, &[lane, by]).id;
                        let inside = self.compared(S::ULessThanEqual, by, lane);
                        self.or_none(inside, lower)
                    }
                    SourceLane::Above => {
                        let (upper, widest) =
                            (self.emit(S::IAdd, WORD, &[lane, by]).id, self.asm.word(self.units.widest_plane));
                        let inside = self.compared(S::ULessThan, by, widest);
                        self.or_none(inside, upper)
                    }
                };
                let count = self.plane_count();
                let present = self.compared(S::ULessThan, from, count);
                let moved = lanes.iter().map(|value| {
                    let own = self.read(value);
                    let other = self.shuffled(own, value.ty, from)?;
                    Some(self.emit(S::Select, value.ty, &[present, other, own]))
                });
                let moved: Option<Vec<Value>> = moved.collect();
                moved.ok_or_else(|| self.refuse(op, "the backend does not support this shuffle of lanes"))?
            }
        };
        self.bind(op.result(0), results);
        Ok(())
    }

    // The lane if `inside` is true, otherwise a number above all lane numbers.
    fn or_none(&mut self, inside: Word, lane: Word) -> Word {
        let none = self.asm.word(self.units.widest_plane);
        self.emit(S::Select, WORD, &[inside, lane, none]).id
    }

    fn ballot(&mut self, value: Word) -> Word {
        self.asm.require_capability(Capability::GroupNonUniformBallot);
        let (words, scope) = (self.asm.vector(WORD, 4), self.asm.word(Scope::Subgroup as u32));
        self.asm.value(S::GroupNonUniformBallot, words, vec![Operand::IdScope(scope), id(value)])
    }

    // The number of units of the plane.
    fn plane_count(&mut self) -> Word {
        let yes = self.number(Scalar::Bool, 1).id;
        let (present, word, scope) = (self.ballot(yes), self.ty(WORD), self.asm.word(Scope::Subgroup as u32));
        let operands = vec![Operand::IdScope(scope), Operand::GroupOperation(GroupOperation::Reduce), id(present)];
        self.asm.value(S::GroupNonUniformBallotBitCount, word, operands)
    }

    // The value in another lane. Only words are shuffled: other widths require a Vulkan feature without a SPIR-V
    // capability.
    fn shuffled(&mut self, value: Word, ty: Scalar, from: Word) -> Option<Word> {
        self.asm.require_capability(Capability::GroupNonUniformShuffle);
        let scope = self.asm.word(Scope::Subgroup as u32);
        let moved = |s: &mut Self, ty: Scalar, value: Word| {
            let type_id = s.ty(ty);
            let operands = vec![Operand::IdScope(scope), id(value), id(from)];
            s.asm.value(S::GroupNonUniformShuffle, type_id, operands)
        };
        Some(match ty {
            Scalar::Int(32) | Scalar::Float(32) => moved(self, ty, value),
            Scalar::Bool => {
                let (one, zero) = (self.asm.word(1), self.asm.word(0));
                let word = self.emit(S::Select, WORD, &[value, one, zero]).id;
                let word = moved(self, WORD, word);
                self.compared(S::INotEqual, word, zero)
            }
            Scalar::Int(8 | 16) if self.storage_type(ty) != ty => moved(self, WORD, value),
            Scalar::Int(8 | 16) => {
                let word = self.emit(S::UConvert, WORD, &[value]).id;
                let word = moved(self, WORD, word);
                self.emit(S::UConvert, ty, &[word]).id
            }
            // The conversion of f16 to f32 is exact.
            Scalar::Float(16) => {
                let single = self.emit(S::FConvert, Scalar::Float(32), &[value]).id;
                let single = moved(self, Scalar::Float(32), single);
                self.emit(S::FConvert, ty, &[single]).id
            }
            Scalar::Int(64) | Scalar::Float(64) => {
                let pair = self.asm.vector(WORD, 2);
                let both = self.asm.value(S::Bitcast, pair, vec![id(value)]);
                let halves = [0, 1].map(|at| {
                    let half = self.part(both, WORD, at).id;
                    moved(self, WORD, half)
                });
                let both = self.vector(WORD, &halves);
                self.emit(S::Bitcast, ty, &[both]).id
            }
            _ => return None,
        })
    }

    fn over_plane(&mut self, lane: Word, form: Collective, kind: Combine, value: &Value) -> Option<Value> {
        let ty = value.ty;
        let mut all = Value::of(self.read(value), ty);
        // The order of a combination of integers does not matter.
        if let (Collective::Reduce, WORD, Some(own)) = (form, ty, of_integers(kind, 1)) {
            self.asm.require_capability(Capability::GroupNonUniformArithmetic);
            let (word, scope) = (self.ty(WORD), self.asm.word(Scope::Subgroup as u32));
            let operands = vec![Operand::IdScope(scope), Operand::GroupOperation(GroupOperation::Reduce), id(all.id)];
            return Some(Value { id: self.asm.value(own, word, operands), ..all });
        }
        if form == Collective::Reduce {
            let count = self.plane_count();
            for half in distances(self.units.widest_plane).rev() {
                let half = self.asm.word(half);
                let from = self.emit(S::IAdd, WORD, &[lane, half]).id;
                let other = Value { id: self.shuffled(all.id, ty, from)?, ..all };
                let both = combined(self, kind, &all, &other)?;
                let (lower, present) =
                    (self.compared(S::ULessThan, lane, half), self.compared(S::ULessThan, from, count));
                let takes = self.emit(S::LogicalAnd, Scalar::Bool, &[lower, present]).id;
                all = self.emit(S::Select, ty, &[takes, both.id, all.id]);
            }
            let zero = self.asm.word(0);
            return Some(Value { id: self.shuffled(all.id, ty, zero)?, ..all });
        }
        for step in distances(self.units.widest_plane) {
            let step = self.asm.word(step);
            let (lower, takes) =
                (self.emit(S::ISub, WORD, &[lane, step]).id, self.compared(S::ULessThanEqual, step, lane));
            let from = self.emit(S::Select, WORD, &[takes, lower, lane]).id;
            let other = Value { id: self.shuffled(all.id, ty, from)?, ..all };
            let both = combined(self, kind, &other, &all)?;
            all = self.emit(S::Select, ty, &[takes, both.id, all.id]);
        }
        if form == Collective::Inclusive {
            return Some(all);
        }
        let (zero, one) = (self.asm.word(0), self.asm.word(1));
        let is_first = self.compared(S::IEqual, lane, zero);
        let lower = self.emit(S::ISub, WORD, &[lane, one]).id;
        let from = self.emit(S::Select, WORD, &[is_first, lane, lower]).id;
        let before = self.shuffled(all.id, ty, from)?;
        let first = self.number(ty, scan_start(kind, ty)?);
        Some(self.emit(S::Select, ty, &[is_first, first.id, before]))
    }
}
