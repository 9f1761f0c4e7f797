//! Plane operations.
//!
//! Plane operations occur only in uniform control flow, so all units of a plane are active, beginning with lane zero.
//! Sums of floats equal the interpreter's sums to the last bit. A reduction combines the upper half of the lanes with
//! the lower half, and a scan adds the lanes at distances 1, 2, 4, ... below each lane. `OpGroupNonUniformFAdd` adds in
//! a different order, which rounds differently.
use crate::assembly::{id, number};
use crate::formulas::{combined, float_bits};
use crate::scalar::{Scalar, WORD};
use crate::state::{Spirv, Value};
use cube_dialect::{Combine, Scan, Shuffle, Vote, ops};
use cube_ir::Op;
use cube_ir::ops::vector::CombiningKind;
use cube_structured::{Emit, Written};
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, GroupOperation, Op as S, Scope, Word};

/// Maximum lanes of a plane.
const WIDEST: u32 = 128;

/// The combination of two lanes as a combining kind of MLIR's dialect `vector`.
pub fn kind_of(combine: Combine, is_bool: bool) -> Option<CombiningKind> {
    Some(match combine {
        Combine::AddI | Combine::XOrI if is_bool => CombiningKind::Xor,
        Combine::MulI | Combine::AndI | Combine::MinUI | Combine::MaxSI if is_bool => CombiningKind::And,
        Combine::OrI | Combine::MaxUI | Combine::MinSI if is_bool => CombiningKind::Or,
        Combine::AddI | Combine::AddF => CombiningKind::Add,
        Combine::MulI | Combine::MulF => CombiningKind::Mul,
        Combine::AndI => CombiningKind::And,
        Combine::OrI => CombiningKind::Or,
        Combine::XOrI => CombiningKind::Xor,
        Combine::MinUI => CombiningKind::Minui,
        Combine::MaxUI => CombiningKind::Maxui,
        Combine::MinSI => CombiningKind::Minsi,
        Combine::MaxSI => CombiningKind::Maxsi,
        Combine::MinF => CombiningKind::Minnumf,
        Combine::MaxF => CombiningKind::Maxnumf,
        _ => return None,
    })
}

// The result of an exclusive scan in the first lane, as bits.
fn identity(kind: CombiningKind, ty: Scalar) -> Option<u64> {
    let all = u64::MAX >> (64 - ty.bits());
    Some(match (kind, ty.is_float()) {
        (CombiningKind::Mul, true) => float_bits(ty, 1.0)?,
        (CombiningKind::Minnumf, _) => float_bits(ty, f64::INFINITY)?,
        (CombiningKind::Maxnumf, _) => float_bits(ty, f64::NEG_INFINITY)?,
        (CombiningKind::Mul, false) => 1,
        (CombiningKind::And | CombiningKind::Minui, _) => all,
        (CombiningKind::Minsi, _) => all >> 1,
        (CombiningKind::Maxsi, _) => 1 << (ty.bits() - 1),
        _ => 0,
    })
}

impl<'p> Spirv<'p> {
    /// Emits a plane operation.
    ///
    /// # Errors
    /// SPIR-V lacks the combination of the lanes, or the kernel fixes the plane width.
    pub(crate) fn plane(&mut self, op: Op<'p>) -> Written {
        let lane = self.input("unit_pos_plane", None);
        let values = op.operands().next().map(|value| self.lanes(op, value)).transpose()?.unwrap_or_default();
        let scope = self.asm.word(Scope::Subgroup as u32);
        let bool_type = self.ty(Scalar::Bool);
        let results = match op.kind() {
            // All units of a plane are active, so the first active unit is lane 0.
            ops::PlaneElect::KIND => {
                let zero = self.asm.word(0);
                vec![self.emit(S::IEqual, Scalar::Bool, &[lane, zero])]
            }
            ops::PlaneVote::KIND => {
                let vote = match ops::PlaneVote::of(op).and_then(|vote| vote.vote()) {
                    Some(Vote::All) => S::GroupNonUniformAll,
                    Some(Vote::Any) => S::GroupNonUniformAny,
                    None => return Err(self.refuse(op, "it has no word")),
                };
                self.asm.need(Capability::GroupNonUniformVote);
                let value = values.first().map(|value| self.read(value)).unwrap_or_default();
                let operands = vec![Operand::IdScope(scope), id(value)];
                let voted = self.asm.value(vote, bool_type, operands);
                vec![Value { id: voted, ty: Scalar::Bool, is_variable: false }]
            }
            ops::PlaneBallot::KIND => {
                let value = values.first().map(|value| self.read(value)).unwrap_or_default();
                let (words, word) = (self.ballot(value), self.ty(WORD));
                let part = |at: u32| self.asm.value(S::CompositeExtract, word, vec![id(words), number(at)]);
                let parts: Vec<Word> = (0..4).map(part).collect();
                parts.into_iter().map(|id| Value { id, ty: WORD, is_variable: false }).collect()
            }
            ops::PlaneReduce::KIND | ops::PlaneScan::KIND => {
                let scan = ops::PlaneScan::of(op).map(|scan| scan.scan() == Some(Scan::Exclusive));
                let combine = Combine::on(op);
                let all = values.iter().map(|value| self.over_plane(lane, scan, combine?, value)).collect();
                let all: Option<Vec<Value>> = all;
                all.ok_or_else(|| self.refuse(op, "the backend does not combine lanes so"))?
            }
            ops::PlaneBroadcast::KIND | ops::PlaneShuffle::KIND => {
                let by = self.scalar(op, op.operand(1))?;
                let by = self.read(&by);
                let from = match ops::PlaneShuffle::of(op).map(|shuffle| shuffle.shuffle()) {
                    None | Some(Some(Shuffle::Idx)) => by,
                    Some(Some(Shuffle::XOr)) => self.emit(S::BitwiseXor, WORD, &[lane, by]).id,
                    Some(Some(Shuffle::Up)) => {
                        let lower = self.emit(S::ISub, WORD, &[lane, by]).id;
                        let inside = self.compared(S::ULessThanEqual, by, lane);
                        self.or_none(inside, lower)
                    }
                    Some(Some(Shuffle::Down)) => {
                        let (upper, widest) = (self.emit(S::IAdd, WORD, &[lane, by]).id, self.asm.word(WIDEST));
                        let inside = self.compared(S::ULessThan, by, widest);
                        self.or_none(inside, upper)
                    }
                    Some(None) => return Err(self.refuse(op, "it has no word")),
                };
                let count = self.plane_count();
                let present = self.compared(S::ULessThan, from, count);
                let moved = values.iter().map(|value| {
                    let own = self.read(value);
                    let other = self.shuffled(own, value.ty, from)?;
                    Some(self.emit(S::Select, value.ty, &[present, other, own]))
                });
                let moved: Option<Vec<Value>> = moved.collect();
                moved.ok_or_else(|| self.refuse(op, "the backend does not move such a lane"))?
            }
            _ => return Err(self.refuse(op, "the backend does not support it")),
        };
        self.bind(op.result(0), results);
        Ok(())
    }

    // The lane if `inside` holds, otherwise a number that no lane has.
    fn or_none(&mut self, inside: Word, lane: Word) -> Word {
        let none = self.asm.word(WIDEST);
        self.emit(S::Select, WORD, &[inside, lane, none]).id
    }

    fn ballot(&mut self, value: Word) -> Word {
        self.asm.need(Capability::GroupNonUniformBallot);
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
        self.asm.need(Capability::GroupNonUniformShuffle);
        let scope = self.asm.word(Scope::Subgroup as u32);
        let moved = |s: &mut Self, ty: Scalar, value: Word| {
            let of = s.ty(ty);
            let operands = vec![Operand::IdScope(scope), id(value), id(from)];
            s.asm.value(S::GroupNonUniformShuffle, of, operands)
        };
        Some(match ty {
            Scalar::Int(32) | Scalar::Float(32) => moved(self, ty, value),
            Scalar::Bool => {
                let (one, zero) = (self.asm.word(1), self.asm.word(0));
                let word = self.emit(S::Select, WORD, &[value, one, zero]).id;
                let word = moved(self, WORD, word);
                self.compared(S::INotEqual, word, zero)
            }
            Scalar::Int(8 | 16) if self.held(ty) != ty => moved(self, WORD, value),
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
                let (pair, word) = (self.asm.vector(WORD, 2), self.ty(WORD));
                let both = self.asm.value(S::Bitcast, pair, vec![id(value)]);
                let halves = [0, 1].map(|at| {
                    let half = self.asm.value(S::CompositeExtract, word, vec![id(both), number(at)]);
                    moved(self, WORD, half)
                });
                let both = self.asm.value(S::CompositeConstruct, pair, halves.map(id).to_vec());
                self.emit(S::Bitcast, ty, &[both]).id
            }
            _ => return None,
        })
    }

    // The combination of lanes: of all lanes without `scan`, otherwise of the lanes before the current lane. An inclusive scan adds the
    // current lane.
    fn over_plane(&mut self, lane: Word, scan: Option<bool>, combine: Combine, value: &Value) -> Option<Value> {
        let ty = value.ty;
        let kind = kind_of(combine, ty == Scalar::Bool)?;
        let mut all = Value { id: self.read(value), ty, is_variable: false };
        if let (None, WORD, Some(own)) = (scan, ty, own_reduction(kind)) {
            self.asm.need(Capability::GroupNonUniformArithmetic);
            let (word, scope) = (self.ty(WORD), self.asm.word(Scope::Subgroup as u32));
            let operands = vec![Operand::IdScope(scope), Operand::GroupOperation(GroupOperation::Reduce), id(all.id)];
            return Some(Value { id: self.asm.value(own, word, operands), ..all });
        }
        let Some(exclusive) = scan else {
            let count = self.plane_count();
            for half in [64, 32, 16, 8, 4, 2, 1].map(|half| self.asm.word(half)) {
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
        };
        for step in [1, 2, 4, 8, 16, 32, 64].map(|step| self.asm.word(step)) {
            let (lower, takes) =
                (self.emit(S::ISub, WORD, &[lane, step]).id, self.compared(S::ULessThanEqual, step, lane));
            let from = self.emit(S::Select, WORD, &[takes, lower, lane]).id;
            let other = Value { id: self.shuffled(all.id, ty, from)?, ..all };
            let both = combined(self, kind, &other, &all)?;
            all = self.emit(S::Select, ty, &[takes, both.id, all.id]);
        }
        if !exclusive {
            return Some(all);
        }
        let (zero, one) = (self.asm.word(0), self.asm.word(1));
        let is_first = self.compared(S::IEqual, lane, zero);
        let lower = self.emit(S::ISub, WORD, &[lane, one]).id;
        let from = self.emit(S::Select, WORD, &[is_first, lane, lower]).id;
        let before = self.shuffled(all.id, ty, from)?;
        let first = match ty {
            Scalar::Bool => self.number(ty, u64::from(kind == CombiningKind::And)),
            _ => self.number(ty, identity(kind, ty)?),
        };
        Some(self.emit(S::Select, ty, &[is_first, first.id, before]))
    }
}

// The order of a combination of integers does not matter.
fn own_reduction(kind: CombiningKind) -> Option<S> {
    Some(match kind {
        CombiningKind::Add => S::GroupNonUniformIAdd,
        CombiningKind::Mul => S::GroupNonUniformIMul,
        CombiningKind::Minui => S::GroupNonUniformUMin,
        CombiningKind::Maxui => S::GroupNonUniformUMax,
        CombiningKind::Minsi => S::GroupNonUniformSMin,
        CombiningKind::Maxsi => S::GroupNonUniformSMax,
        CombiningKind::And => S::GroupNonUniformBitwiseAnd,
        CombiningKind::Or => S::GroupNonUniformBitwiseOr,
        CombiningKind::Xor => S::GroupNonUniformBitwiseXor,
        _ => return None,
    })
}
