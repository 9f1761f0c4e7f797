//! Plane operations for the backends that use the walk over structured control flow.
use crate::{Emit, Scalar, Written};
use cube_dialect::{Combine, Scan, Shuffle, Vote, ops};
use cube_ir::ops::vector::CombiningKind;
use cube_ir::{Op, Val};

/// The distances between lanes in a reduction or scan of planes with up to `lanes` units, a power of two: 1, 2, 4, and so
/// on.
pub fn distances(lanes: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..lanes.max(1).ilog2()).map(|bit| 1 << bit)
}

/// Whether a combination of lanes is a reduction, an inclusive scan or an exclusive scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// One result for all lanes.
    Reduce,
    /// An inclusive scan: the lanes up to and including the current lane.
    Inclusive,
    /// An exclusive scan: the lanes before the current lane.
    Exclusive,
}

/// The lane from which a unit gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLane {
    /// The lane with this number.
    Lane,
    /// The number of the unit's lane, xor a mask.
    XOr,
    /// The lane whose number is lower by this distance.
    Below,
    /// The lane whose number is higher by this distance.
    Above,
}

/// A plane operation, with its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneOp<'p> {
    /// Whether the unit has the lowest active lane.
    Elect,
    /// Whether a condition holds in all lanes, or in any lane.
    Vote(Vote, Val<'p>),
    /// The lanes in which a condition holds, as four words.
    Ballot(Val<'p>),
    /// A combination of the values of lanes.
    Combine(Collective, Combine, Val<'p>),
    /// The value of another lane, or the unit's value if that lane is absent.
    Move(SourceLane, Val<'p>, Val<'p>),
}

impl<'p> PlaneOp<'p> {
    /// Decodes a plane operation.
    ///
    /// # Errors
    /// The backends of the walk do not support the operation.
    pub fn of<E: Emit<'p>>(e: &E, op: Op<'p>) -> Written<PlaneOp<'p>> {
        let decoded = match op.kind() {
            ops::PlaneElect::KIND => Some(PlaneOp::Elect),
            ops::PlaneVote::KIND => {
                ops::PlaneVote::of(op).and_then(|vote| vote.vote()).map(|vote| PlaneOp::Vote(vote, op.operand(0)))
            }
            ops::PlaneBallot::KIND => Some(PlaneOp::Ballot(op.operand(0))),
            ops::PlaneReduce::KIND | ops::PlaneScan::KIND => {
                let form = match ops::PlaneScan::of(op).map(|scan| scan.scan()) {
                    None => Collective::Reduce,
                    Some(Some(Scan::Exclusive)) => Collective::Exclusive,
                    Some(_) => Collective::Inclusive,
                };
                Combine::on(op).map(|kind| PlaneOp::Combine(form, kind, op.operand(0)))
            }
            ops::PlaneBroadcast::KIND => Some(PlaneOp::Move(SourceLane::Lane, op.operand(0), op.operand(1))),
            ops::PlaneShuffle::KIND => {
                let from =
                    ops::PlaneShuffle::of(op).and_then(|shuffle| shuffle.shuffle()).map(|shuffle| match shuffle {
                        Shuffle::Idx => SourceLane::Lane,
                        Shuffle::XOr => SourceLane::XOr,
                        Shuffle::Up => SourceLane::Below,
                        Shuffle::Down => SourceLane::Above,
                    });
                from.map(|from| PlaneOp::Move(from, op.operand(0), op.operand(1)))
            }
            _ => None,
        };
        decoded.ok_or_else(|| e.refuse(op, "the backend does not support it"))
    }
}

/// The combination of a `vector.reduction` of lanes of a type; `None` for minima and maxima that keep NaN.
pub fn combine_of(kind: CombiningKind, ty: Scalar) -> Option<Combine> {
    Some(match kind {
        CombiningKind::Add if ty.is_float() => Combine::AddF,
        CombiningKind::Mul if ty.is_float() => Combine::MulF,
        CombiningKind::Add => Combine::AddI,
        CombiningKind::Mul => Combine::MulI,
        CombiningKind::And => Combine::AndI,
        CombiningKind::Or => Combine::OrI,
        CombiningKind::Xor => Combine::XOrI,
        CombiningKind::Minui => Combine::MinUI,
        CombiningKind::Maxui => Combine::MaxUI,
        CombiningKind::Minsi => Combine::MinSI,
        CombiningKind::Maxsi => Combine::MaxSI,
        CombiningKind::Minnumf => Combine::MinF,
        CombiningKind::Maxnumf => Combine::MaxF,
        CombiningKind::Minimumf | CombiningKind::Maximumf => return None,
    })
}

/// The combination of bools that has the same results as the combination `kind` of one-bit integers.
pub fn of_bools(kind: Combine) -> Option<Combine> {
    match kind {
        Combine::AddI | Combine::SubI | Combine::XOrI => Some(Combine::XOrI),
        Combine::MulI | Combine::AndI | Combine::MinUI | Combine::MaxSI => Some(Combine::AndI),
        Combine::OrI | Combine::MaxUI | Combine::MinSI => Some(Combine::OrI),
        _ => None,
    }
}

/// The bits of the result of an exclusive scan in the first lane. `None` for a combination that the type lacks.
pub fn scan_start(kind: Combine, ty: Scalar) -> Option<u64> {
    let all = u64::MAX >> (64 - ty.bits());
    let kind = if ty == Scalar::Bool { of_bools(kind)? } else { kind };
    Some(match kind {
        Combine::MulF => ty.float_bits(1.0)?,
        Combine::MinF => ty.float_bits(f64::INFINITY)?,
        Combine::MaxF => ty.float_bits(f64::NEG_INFINITY)?,
        Combine::MulI => 1,
        Combine::AndI | Combine::MinUI => all,
        Combine::MinSI => all >> 1,
        Combine::MaxSI => 1 << (ty.bits() - 1),
        _ => 0,
    })
}
