//! Units together: barriers, plane operations, and printing.
use super::decoder::{Decoder, error};
use crate::program::{Code, PlaneKind, PrintText};
use crate::rules::combine;
use cube_dialect::{Combine, Scan, Scope, Shuffle, Vote};
use cube_ir::{AttrExt, Diagnostic, Op};

type Done = Result<(), Diagnostic>;

/// `cube.sync`
pub fn sync<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let scope = Scope::of(op.attr("scope")).ok_or_else(|| error(op, "CUBE0700", "a barrier of an unknown scope"))?;
    d.program().collective = true;
    d.emit(Code::Barrier(scope), 0, [0; 3], 0, 0).map(|_| ())
}

/// `cube.plane_reduce` and its siblings.
pub fn plane<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let unknown = || error(op, "CUBE0700", format!("'{}' with an unknown word has no rule", op.name()));
    let operands = d.operands(op)?;
    let element = operands.first().map(|v| v.shape.kind);
    let word = Combine::of(op.attr("kind"));
    let function = || {
        let f = word.zip(element).and_then(|(word, element)| combine::function(word, element, d.ring()));
        f.ok_or_else(unknown)
    };
    let kind = match op.name() {
        "cube.plane_elect" => PlaneKind::Elect,
        "cube.plane_vote" => match Vote::of(op.attr("vote")).ok_or_else(unknown)? {
            Vote::All => PlaneKind::All,
            Vote::Any => PlaneKind::Any,
        },
        "cube.plane_ballot" => PlaneKind::Ballot,
        "cube.plane_reduce" => PlaneKind::Reduce(function()?),
        "cube.plane_scan" => match Scan::of(op.attr("scan")).ok_or_else(unknown)? {
            Scan::Inclusive => PlaneKind::Inclusive(function()?),
            Scan::Exclusive => PlaneKind::Exclusive(function()?),
        },
        "cube.plane_broadcast" => PlaneKind::Broadcast,
        "cube.plane_shuffle" => PlaneKind::Shuffle(Shuffle::of(op.attr("shuffle")).ok_or_else(unknown)?),
        _ => return Err(unknown()),
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
pub fn print<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let text = op.attr("text").and_then(|a| a.as_str()).unwrap_or_default().to_string();
    let values = d.operands(op)?.iter().map(|s| (s.at, s.shape.lanes(), s.shape.kind)).collect();
    let number = d.program().prints.len() as u32;
    let fails = op.attr("fails").is_some();
    d.program().prints.push(PrintText { text, values, fails });
    d.emit(Code::Print, 0, [0; 3], 0, number).map(|_| ())
}
