//! Plane operations on vectors. In this file a group is a plane.
//!
//! A reduction combines the upper half of the lanes with the lower half until one lane remains. A scan over `n` lanes
//! has `log2(n)` steps (Hillis and Steele, 1986). A lane is inactive if it has no unit or is on another path of a
//! divergent branch. Inactive lanes contribute the neutral value. The interpreter and the GPUs combine the lanes in the
//! same order as this code, so that sums of floats agree.
use super::form::*;
use super::state::{EmitContext, Sharing, SpmdEmitter};
use cube_dialect::{Combine, Scan, Shuffle, Vote, ops};
use cube_ir::ops::{arith, cube, vector};
use cube_ir::{Builder, Op, Type, TypeExt, Val, upstream::IntCmp};
use cube_passes::analysis::constants::int_of;
use cube_passes::combine::{combine, neutral, scan_start};

impl<'p> SpmdEmitter<'_, 'p> {
    pub(super) fn plane_op(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let b = at.b;
        self.each(at, op, Sharing::SameMask, |emitter, _, forms, mask| {
            vec![match op.kind() {
                cube::PLANE_ELECT => ValueForm::Varying(emitter.first_active_lane(b, mask)),
                cube::PLANE_VOTE => {
                    let all_must = ops::PlaneVote::of(op).and_then(|o| o.vote()).expect("verified") == Vote::All;
                    let votes = emitter.masked_operands(b, op, forms, mask, b.int(b.cx().int(1), i64::from(all_must)));
                    ValueForm::Uniform(if all_must { all(b, votes) } else { any(b, votes) })
                }
                cube::PLANE_BALLOT => {
                    let votes = emitter.masked_operands(b, op, forms, mask, b.int(b.cx().int(1), 0));
                    ValueForm::Uniform(ballot(b, votes))
                }
                cube::PLANE_REDUCE => {
                    let kind = ops::PlaneReduce::of(op).and_then(|o| o.kind()).expect("verified");
                    ValueForm::Uniform(emitter.reduced(b, op, forms, mask, kind))
                }
                cube::PLANE_SCAN => emitter.scanned(b, op, forms, mask),
                cube::PLANE_BROADCAST | cube::PLANE_SHUFFLE => emitter.shuffled(b, op, forms, mask),
                _ => {
                    op.error(cube_ir::diagnostic!(CUBE0331.no_lowering { targets: "CPUs" }));
                    emitter.failed.set(true);
                    ValueForm::Uniform(b.zero(op.result(0).ty()))
                }
            }]
        });
    }

    // Whether the mask is different from the mask of lanes with a unit. Absent lanes are always the last lanes.
    fn is_divergent(&self, mask: Option<Val<'p>>) -> bool {
        mask != self.present
    }

    fn first_active_lane(&self, b: Builder<'p>, mask: Option<Val<'p>>) -> Val<'p> {
        let Some(mask) = mask.filter(|mask| self.is_divergent(Some(*mask))) else {
            return self.group.flags(b, |lane| lane == 0);
        };
        let i32t = b.cx().int(32);
        let first = b.cast(arith::INDEX_CASTUI, self.group.first_of(b, mask), i32t);
        let first = self.group.broadcast(b, ValueForm::Uniform(first), i32t);
        b.cmpi(IntCmp::Eq, self.group.numbers(b, i32t, |lane| lane), first)
    }

    // The operands of the lanes, with `absent` for inactive lanes.
    fn masked_operands(
        &self,
        b: Builder<'p>,
        op: Op<'p>,
        forms: &[ValueForm<'p>],
        mask: Option<Val<'p>>,
        absent: Val<'p>,
    ) -> Val<'p> {
        let ty = op.operand(0).ty();
        let all = self.group.broadcast(b, forms[0], ty);
        match mask {
            None => all,
            Some(mask) => {
                let is_active = self.group.of_lines(b, mask, ty);
                b.select(is_active, all, self.group.broadcast(b, ValueForm::Uniform(absent), ty))
            }
        }
    }

    fn reduced(
        &self,
        b: Builder<'p>,
        op: Op<'p>,
        forms: &[ValueForm<'p>],
        mask: Option<Val<'p>>,
        kind: Combine,
    ) -> Val<'p> {
        let ty = op.operand(0).ty();
        let n = ty.element_count();
        let mut all = self.masked_operands(b, op, forms, mask, neutral(b, kind, ty));
        let mut lanes = u64::from(self.group.lanes);
        while lanes > 1 {
            lanes /= 2;
            all = combine(b, kind, part(b, all, 0, lanes * n), part(b, all, lanes * n, lanes * n));
        }
        if ty.lanes().is_some() { all } else { extract(b, all, 0) }
    }

    fn scanned(&self, b: Builder<'p>, op: Op<'p>, forms: &[ValueForm<'p>], mask: Option<Val<'p>>) -> ValueForm<'p> {
        let view = ops::PlaneScan::of(op).expect("a scan");
        let kind = view.kind().expect("verified");
        let ty = op.operand(0).ty();
        let (n, lanes) = (ty.element_count(), u64::from(self.group.lanes));
        let (none, start) = (neutral(b, kind, ty), scan_start(b, kind, ty));
        let mut all = self.masked_operands(b, op, forms, mask, none);
        let shifted = |all: Val<'p>, by: u64, start: Val<'p>| {
            let before = self.group.broadcast(b, ValueForm::Uniform(start), ty);
            let from = |i: u64| if i < by * n { i as i64 } else { ((lanes - by) * n + i) as i64 };
            shuffle(b, before, all, &(0..lanes * n).map(from).collect::<Vec<_>>())
        };
        let mut distance = 1;
        while distance < lanes {
            all = combine(b, kind, shifted(all, distance, none), all);
            distance *= 2;
        }
        if view.scan() == Some(Scan::Inclusive) {
            return ValueForm::Varying(all);
        }
        let before = shifted(all, 1, start);
        if !self.is_divergent(mask) {
            return ValueForm::Varying(before);
        }
        // Lanes before the first active lane are inactive, so their operands are ignored.
        let is_first = self.group.of_lines(b, self.first_active_lane(b, mask), ty);
        ValueForm::Varying(b.select(is_first, self.group.broadcast(b, ValueForm::Uniform(start), ty), before))
    }

    // For each lane, the value of lane `from`, or the lane's own value if lane `from` is inactive.
    fn value_of_lane(
        &self,
        b: Builder<'p>,
        all: Val<'p>,
        ty: Type<'p>,
        divergent: Option<Val<'p>>,
        from: &dyn Fn(u32) -> u32,
    ) -> ValueForm<'p> {
        let numbers = |width: u32| -> Vec<i64> {
            (0..self.group.lanes * width).map(|i| i64::from(from(i / width) * width + i % width)).collect()
        };
        let given = shuffle(b, all, all, &numbers(ty.element_count() as u32));
        ValueForm::Varying(match divergent {
            None => given,
            Some(mask) => b.select(self.group.of_lines(b, shuffle(b, mask, mask, &numbers(1)), ty), given, all),
        })
    }

    // The number of lanes with a unit.
    fn present_lanes(&self) -> u32 {
        match self.present {
            Some(_) => self.group.shape.units() % self.group.lanes,
            None => self.group.lanes,
        }
    }

    // The value of another lane, or the lane's own value if that lane is inactive.
    fn shuffled(
        &mut self,
        b: Builder<'p>,
        op: Op<'p>,
        forms: &[ValueForm<'p>],
        mask: Option<Val<'p>>,
    ) -> ValueForm<'p> {
        let ty = op.operand(0).ty();
        let divergent = mask.filter(|mask| self.is_divergent(Some(*mask)));
        let present_lanes = self.present_lanes();
        let how = ops::PlaneShuffle::of(op).and_then(|o| o.shuffle());
        let all = self.group.broadcast(b, forms[0], ty);
        if let Some(n) = int_of(op.operand(1)) {
            let n = n as u32;
            if !matches!(how, Some(Shuffle::XOr | Shuffle::Up | Shuffle::Down))
                && n < present_lanes
                && divergent.is_none()
            {
                return ValueForm::Uniform(self.group.lane(b, all, i64::from(n), ty));
            }
            // A sum or difference that does not fit in u32 is not the number of a lane.
            let other = |lane: u32| match how {
                Some(Shuffle::XOr) => Some(lane ^ n),
                Some(Shuffle::Up) => lane.checked_sub(n),
                Some(Shuffle::Down) => lane.checked_add(n),
                Some(Shuffle::Idx) | None => Some(n),
            };
            let from = |lane: u32| other(lane).filter(|from| *from < present_lanes).unwrap_or(lane);
            return self.value_of_lane(b, all, ty, divergent, &from);
        }
        let i32t = b.cx().int(32);
        let own = self.group.numbers(b, i32t, |lane| lane);
        let n = self.group.broadcast(b, forms[1], i32t);
        let present = b.int(own.ty(), i64::from(present_lanes));
        let (from, is_there) = match how {
            Some(Shuffle::XOr) => {
                let from = b.xori(own, n);
                (from, b.cmpi(IntCmp::Ult, from, present))
            }
            Some(Shuffle::Up) => (b.subi(own, n), b.cmpi(IntCmp::Ule, n, own)),
            Some(Shuffle::Down) => {
                // Absent lanes do not need a value, and the difference would wrap for absent lanes.
                let left = b.subi(present, b.op(arith::MINUI).operands(&[own, present]).result(own.ty()).value());
                (b.addi(own, n), b.cmpi(IntCmp::Ult, n, left))
            }
            Some(Shuffle::Idx) | None => (n, b.cmpi(IntCmp::Ult, n, present)),
        };
        let mut from = b.select(is_there, from, own);
        if let Some(mask) = divergent {
            let is_active = self.permuted(b, mask, from, b.cx().int(1));
            from = b.select(is_active, from, own);
        }
        ValueForm::Varying(self.permuted(b, all, from, ty))
    }
}

fn ballot<'p>(b: Builder<'p>, votes: Val<'p>) -> Val<'p> {
    let lanes = votes.ty().element_count();
    let (word, whole) = (b.cx().int(32), b.cx().int(lanes as u32));
    let bits = extract(b, b.cast(vector::BITCAST, votes, b.cx().vector(1, whole)), 0);
    let zero = b.int(word, 0);
    let words = match lanes {
        64 => {
            let high = b.shrui(bits, b.int(whole, 32));
            [b.cast(arith::TRUNCI, bits, word), b.cast(arith::TRUNCI, high, word), zero, zero]
        }
        32 => [bits, zero, zero, zero],
        _ => [b.cast(arith::EXTUI, bits, word), zero, zero, zero],
    };
    let ty: Type<'p> = b.cx().vector(4, word);
    b.op(vector::FROM_ELEMENTS).operands(&words).result(ty).value()
}
