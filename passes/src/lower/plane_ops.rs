//! What becomes of each plane operation once the lanes of a plane run in a loop.
//!
//! What the lanes bring lies side by side in an array of the plane. A reduction and a scan of numbers work on it as one
//! vector, in as many steps as the lanes have bits; on lines of several numbers the same steps are loops. Lanes without a unit
//! bring what changes nothing. The order is that of the interpreter and of the GPUs, so that sums of floats agree.
use super::combine::{combine, neutral, scan_start};
use super::memory;
use super::split::{Segment, Split, array, present_lanes, topology};
use cube_dialect::{Combine, Scan, Shuffle, TopologyKind, Vote, ops};
use cube_ir::{Builder, Op, PassResult, Type, TypeExt, Val, upstream::IntCmp};

/// Lowers one operation; what its result becomes stands at the level of the plane, or in the next loop over lanes.
pub(super) fn lower<'r, 'p>(split: &mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) -> PassResult {
    match op.name() {
        "cube.sync" => {
            *open = None;
            split.run.erase(op);
        }
        "cube.plane_elect" => {
            // All lanes are here, so the lowest is the first.
            let segment = split.ensure(open, op);
            let b = Builder::before(segment.end).with_location(op.location());
            let lane = topology(b, TopologyKind::UnitPosPlane);
            let first = b.cmpi(IntCmp::Eq, lane, b.int(lane.ty(), 0));
            split.belongs(first, segment);
            split.run.replace(op, &[first]);
        }
        _ => with_values(split, op, open),
    }
    Ok(())
}

fn with_values<'r, 'p>(split: &mut Split<'r, 'p>, op: Op<'p>, open: &mut Option<Segment<'p>>) {
    let value = op.operand(0);
    let values = array(split, value.ty());
    let segment = split.ensure(open, op);
    split.store_member(Builder::before(segment.end).with_location(op.location()), value, values);
    *open = None;
    let plane = Plane { b: Builder::before(op), values, lanes: u64::from(split.scope.shape.plane) };
    let ty = value.ty();
    let result = match op.name() {
        "cube.plane_vote" => vote(split, op, plane),
        "cube.plane_ballot" => ballot(split, plane),
        "cube.plane_reduce" => reduce(split, plane, combine_of(ops::PlaneReduce::of(op).and_then(|o| o.kind())), ty),
        "cube.plane_broadcast" if split.uniformity.is_present(op.operand(1)) => {
            let at = plane.b.cast("arith.index_castui", op.operand(1), plane.b.cx().index());
            memory::load(plane.b, ty, values, at)
        }
        "cube.plane_scan" => {
            scan(split, op, plane);
            split.run.erase(op);
            return;
        }
        _ => {
            let segment = split.ensure(open, op);
            let value = shuffled(split, op, values, Builder::before(segment.end).with_location(op.location()));
            split.belongs(value, segment);
            value
        }
    };
    split.run.replace(op, &[result]);
}

fn combine_of(kind: Option<cube_ir::Attribute<'_>>) -> Combine {
    Combine::of(kind).expect("verified")
}

/// The values of a plane in memory.
#[derive(Clone, Copy)]
struct Plane<'p> {
    b: Builder<'p>,
    values: Val<'p>,
    lanes: u64,
}

impl<'p> Plane<'p> {
    fn zero(self) -> Val<'p> {
        self.b.int(self.b.cx().index(), 0)
    }

    // Gives lanes without a unit the value `absent`.
    fn fill(self, split: &Split<'_, 'p>, absent: Val<'p>) {
        if !split.scope.shape.is_partial() {
            return;
        }
        let (b, i64t) = (self.b, self.b.cx().int(64));
        let present = present_lanes(b, split.scope.shape);
        b.for_range(present, b.int(i64t, self.lanes as i64), b.int(i64t, 1), |b, lane| {
            let at = b.cast("arith.index_castui", lane, b.cx().index());
            memory::store(b, absent, self.values, at);
        });
    }

    // All values as one vector, with `absent` where a lane has no unit.
    fn vector(self, split: &Split<'_, 'p>, absent: Val<'p>) -> Val<'p> {
        let b = self.b;
        self.fill(split, absent);
        let ty = b.cx().vector(self.lanes, absent.ty());
        let memory = memory::stored(b.cx(), ty);
        let all = b.op("vector.load").operands(&[self.values, self.zero()]).result(memory).value();
        if memory == ty { all } else { b.cast("arith.trunci", all, ty) }
    }

    // Runs `body` for the numbers from 0 to `count`.
    fn each(self, count: u64, body: impl FnOnce(Builder<'p>, Val<'p>)) {
        let index = |n: u64| self.b.int(self.b.cx().index(), n as i64);
        self.b.for_range(index(0), index(count), index(1), body);
    }

    fn load(self, b: Builder<'p>, ty: Type<'p>, at: Val<'p>) -> Val<'p> {
        memory::load(b, ty, self.values, at)
    }

    // Combines the values at `first` and `second` there, into the one at `into`.
    fn merge(self, b: Builder<'p>, kind: Combine, ty: Type<'p>, [first, second, into]: [Val<'p>; 3]) {
        let both = combine(b, kind, self.load(b, ty, first), self.load(b, ty, second));
        memory::store(b, both, self.values, into);
    }
}

// The upper half of the lanes onto the lower half, until one is left.
fn reduce<'p>(split: &Split<'_, 'p>, plane: Plane<'p>, kind: Combine, ty: Type<'p>) -> Val<'p> {
    let b = plane.b;
    let none = neutral(b, kind, ty);
    if ty.lanes().is_some() {
        plane.fill(split, none);
        let mut lanes = plane.lanes;
        while lanes > 1 {
            lanes /= 2;
            plane.each(lanes, |b, at| {
                let upper = b.addi(at, b.int(at.ty(), lanes as i64));
                plane.merge(b, kind, ty, [at, upper, at]);
            });
        }
        return plane.load(b, ty, plane.zero());
    }
    let mut all = plane.vector(split, none);
    let mut lanes = plane.lanes;
    while lanes > 1 {
        lanes /= 2;
        all = combine(b, kind, part(b, all, 0, lanes), part(b, all, lanes, lanes));
    }
    extract(b, all)
}

// `size` lanes of a vector from `from` on.
fn part<'p>(b: Builder<'p>, vector: Val<'p>, from: u64, size: u64) -> Val<'p> {
    let numbers: Vec<i64> = (from..from + size).map(|lane| lane as i64).collect();
    shuffle(b, vector, vector, &numbers)
}

fn shuffle<'p>(b: Builder<'p>, first: Val<'p>, second: Val<'p>, numbers: &[i64]) -> Val<'p> {
    let ty = b.cx().vector(numbers.len() as u64, first.ty().element());
    b.op("vector.shuffle").operands(&[first, second]).attr("mask", b.cx().i64_array(numbers)).result(ty).value()
}

fn extract<'p>(b: Builder<'p>, vector: Val<'p>) -> Val<'p> {
    let position = b.cx().i64_array(&[0]);
    b.op("vector.extract").operands(&[vector]).attr("static_position", position).result(vector.ty().element()).value()
}

// After step k each lane has combined the 2^k lanes up to its own (Hillis and Steele, 1986).
fn scan<'p>(split: &mut Split<'_, 'p>, op: Op<'p>, plane: Plane<'p>) {
    let view = ops::PlaneScan::of(op).expect("a scan");
    let kind = combine_of(view.kind());
    let inclusive = Scan::of(view.scan()) == Some(Scan::Inclusive);
    let home = split.give_home(op.result(0));
    let (b, ty) = (plane.b, op.result(0).ty());
    let (none, first) = (neutral(b, kind, ty), scan_start(b, kind, ty));
    if ty.lanes().is_some() {
        plane.fill(split, none);
        scan_lines(plane, kind, ty);
        give_lines(plane, ty, home, if inclusive { None } else { Some(first) });
        return;
    }
    let mut all = plane.vector(split, none);
    let shifted = |all: Val<'p>, by: u64, start: Val<'p>| {
        let none = b.cast("vector.broadcast", start, all.ty());
        let from = |lane: u64| if lane < by { lane as i64 } else { (plane.lanes + lane - by) as i64 };
        shuffle(b, none, all, &(0..plane.lanes).map(from).collect::<Vec<_>>())
    };
    let mut distance = 1;
    while distance < plane.lanes {
        all = combine(b, kind, shifted(all, distance, none), all);
        distance *= 2;
    }
    let result = if inclusive { all } else { shifted(all, 1, first) };
    let memory = memory::stored(b.cx(), result.ty());
    let result = if memory == result.ty() { result } else { b.cast("arith.extui", result, memory) };
    b.op("vector.store").operands(&[result, home, plane.zero()]).build();
}

// Each step from the last lane down, so that none reads what the step has written.
fn scan_lines<'p>(plane: Plane<'p>, kind: Combine, ty: Type<'p>) {
    let mut distance = 1;
    while distance < plane.lanes {
        plane.each(plane.lanes - distance, |b, turn| {
            let own = b.subi(b.int(turn.ty(), plane.lanes as i64 - 1), turn);
            let before = b.subi(own, b.int(turn.ty(), distance as i64));
            plane.merge(b, kind, ty, [before, own, own]);
        });
        distance *= 2;
    }
}

// Hands each lane its own line, or `first` and the line before.
fn give_lines<'p>(plane: Plane<'p>, ty: Type<'p>, home: Val<'p>, first: Option<Val<'p>>) {
    let shift = u64::from(first.is_some());
    plane.each(plane.lanes - shift, |b, from| {
        let to = b.addi(from, b.int(from.ty(), shift as i64));
        memory::store(b, plane.load(b, ty, from), home, to);
    });
    if let Some(first) = first {
        memory::store(plane.b, first, home, plane.zero());
    }
}

fn vote<'p>(split: &Split<'_, 'p>, op: Op<'p>, plane: Plane<'p>) -> Val<'p> {
    let all = Vote::of(ops::PlaneVote::of(op).and_then(|o| o.vote())) == Some(Vote::All);
    // Bools are bytes of 0 and 1 in memory.
    let byte = plane.b.cx().int(8);
    let (kind, identity) = if all { (Combine::AndI, 1) } else { (Combine::OrI, 0) };
    let mut votes = plane.vector(split, plane.b.int(byte, identity));
    let mut lanes = plane.lanes;
    while lanes > 1 {
        lanes /= 2;
        votes = combine(plane.b, kind, part(plane.b, votes, 0, lanes), part(plane.b, votes, lanes, lanes));
    }
    plane.b.cmpi(IntCmp::Ne, extract(plane.b, votes), plane.b.int(byte, 0))
}

fn ballot<'p>(split: &Split<'_, 'p>, plane: Plane<'p>) -> Val<'p> {
    let b = plane.b;
    let votes = plane.vector(split, b.int(b.cx().int(8), 0));
    let flags = b.cmpi(IntCmp::Ne, votes, b.int(votes.ty(), 0));
    let (word, whole) = (b.cx().int(32), b.cx().int(plane.lanes as u32));
    let bits = extract(b, b.cast("vector.bitcast", flags, b.cx().vector(1, whole)));
    let zero = b.int(word, 0);
    let words = match plane.lanes {
        64 => {
            let high = b.shrui(bits, b.int(whole, 32));
            [b.cast("arith.trunci", bits, word), b.cast("arith.trunci", high, word), zero, zero]
        }
        32 => [bits, zero, zero, zero],
        _ => [b.cast("arith.extui", bits, word), zero, zero, zero],
    };
    b.op("vector.from_elements").operands(&words).result(b.cx().vector(4, word)).value()
}

// The value of another lane, in a loop over lanes; of an absent one, the own.
fn shuffled<'p>(split: &Split<'_, 'p>, op: Op<'p>, values: Val<'p>, b: Builder<'p>) -> Val<'p> {
    let i32t = b.cx().int(32);
    let lane = topology(b, TopologyKind::UnitPosPlane);
    let shape = split.scope.shape;
    let present = match shape.is_partial() {
        true => b.cast("arith.trunci", present_lanes(b, shape), i32t),
        false => b.int(i32t, i64::from(shape.plane)),
    };
    let n = op.operand(1);
    let (from, is_there) = match ops::PlaneShuffle::of(op).and_then(|o| Shuffle::of(o.shuffle())) {
        Some(Shuffle::XOr) => {
            let from = b.xori(lane, n);
            (from, b.cmpi(IntCmp::Ult, from, present))
        }
        Some(Shuffle::Up) => (b.subi(lane, n), b.cmpi(IntCmp::Ule, n, lane)),
        Some(Shuffle::Down) => (b.addi(lane, n), b.cmpi(IntCmp::Ult, n, b.subi(present, lane))),
        // A broadcast of a lane that may be absent reads it in the same way.
        Some(Shuffle::Idx) | None => (n, b.cmpi(IntCmp::Ult, n, present)),
    };
    let at = b.cast("arith.index_castui", b.select(is_there, from, lane), b.cx().index());
    memory::load(b, op.result(0).ty(), values, at)
}
