//! Collective operations: barriers, plane operations, and printing.
use super::decoder::{Decoder, error};
use crate::program::{Code, PlaneKind, PrintText};
use crate::rules::combine;
use cube_dialect::{Combine, Scan, Shuffle, Vote, ops};
use cube_ir::{AttrExt, Diagnostic, Op, diagnostic};

type DecodeResult = Result<(), Diagnostic>;

/// `cube.sync`
pub fn sync<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let scope =
        ops::Sync::of(op).and_then(|sync| sync.scope()).ok_or_else(|| error(op, diagnostic!(CUBE0700.scope)))?;
    d.program().collective = true;
    d.emit(Code::Barrier(scope), 0, [0; 3], 0, 0).map(|_| ())
}

/// `cube.plane_reduce` and the other plane operations. `planes.rs` runs most of them by class. A shuffle is represented
/// by a function from the lane of a unit to the lane whose value the unit receives.
pub fn plane<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let unknown = || error(op, diagnostic!(CUBE0700.word));
    let operands = d.operands(op)?;
    let element = operands.first().map(|v| v.shape.kind);
    let word = Combine::on(op);
    let function = || {
        let f = word.zip(element).and_then(|(word, element)| combine::function(word, element, d.ring()));
        f.ok_or_else(unknown)
    };
    let kind = if ops::PlaneElect::of(op).is_some() {
        PlaneKind::Elect
    } else if let Some(vote) = ops::PlaneVote::of(op) {
        match vote.vote().ok_or_else(unknown)? {
            Vote::All => PlaneKind::All,
            Vote::Any => PlaneKind::Any,
        }
    } else if ops::PlaneBallot::of(op).is_some() {
        PlaneKind::Ballot
    } else if ops::PlaneReduce::of(op).is_some() {
        PlaneKind::Reduce(function()?)
    } else if let Some(scan) = ops::PlaneScan::of(op) {
        match scan.scan().ok_or_else(unknown)? {
            Scan::Inclusive => PlaneKind::Inclusive(function()?),
            Scan::Exclusive => PlaneKind::Exclusive(function()?),
        }
    } else if ops::PlaneBroadcast::of(op).is_some() {
        PlaneKind::Broadcast
    } else if let Some(shuffle) = ops::PlaneShuffle::of(op) {
        PlaneKind::Move(match shuffle.shuffle().ok_or_else(unknown)? {
            Shuffle::Idx => |_, lane, _| Some(lane),
            Shuffle::XOr => |own, mask, _| Some(own ^ mask),
            Shuffle::Up => |own, by, _| own.checked_sub(by),
            Shuffle::Down => |own, by, _| own.checked_add(by),
        })
    } else {
        return Err(unknown());
    };
    let identity = match word.zip(element) {
        Some((word, element)) => {
            let identity = combine::identity(word, element, d.ring());
            d.constant(op, identity)?
        }
        None => 0,
    };
    let result = d.define(op, op.result(0))?;
    let at = |i: usize| operands.get(i).map_or(0, |o| o.at);
    let lanes = operands.first().map_or(1, |o| o.shape.lanes());
    let bits = element.map_or(1, |e| e.bits());
    d.program().collective = true;
    d.emit(Code::Plane(kind), result.at, [at(0), at(1), identity], lanes, bits).map(|_| ())
}

/// `cube.print`
pub fn print<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let text = op.attr("text").and_then(|a| a.as_str()).unwrap_or_default().to_string();
    let values = d.operands(op)?.iter().map(|s| (s.at, s.shape.lanes(), s.shape.kind)).collect();
    let number = d.program().prints.len() as u32;
    let fails = op.attr("fails").is_some();
    d.program().prints.push(PrintText { text, values, fails });
    d.emit(Code::Print, 0, [0; 3], 0, number).map(|_| ())
}
