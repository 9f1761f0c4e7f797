//! Atomic operations. WGSL's compare-exchange can fail spuriously, so a loop repeats it. WGSL has atomic integers only.
//! A sum, minimum or maximum of floats is therefore a compare-exchange loop on the bits.
use crate::memory::Array;
use crate::planes;
use crate::state::Wgsl;
use cube_dialect::{Combine, access_of, ops};
use cube_ir::Op;
use cube_structured::{Writer, Written};

impl Wgsl {
    /// Writes an atomic operation.
    ///
    /// # Errors
    /// The memory of the atomic operation is neither an argument nor an allocation.
    pub(crate) fn atomic<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let known = access_of(op).and_then(|access| Some((self.array(access.buffer)?, access)));
        let Some((array, access)) = known else { return Err(w.refuse(op, "its buffer is not known")) };
        let pointer = array.pointer(&w.scalar(op, access.index)?);
        let value = access.value.map(|value| w.scalar(op, value)).transpose()?.unwrap_or_default();
        match op.kind() {
            ops::AtomicLoad::KIND => w.define(op, op.result(0), vec![array.word(&format!("atomicLoad({pointer})"))]),
            ops::AtomicStore::KIND => {
                w.line(format_args!("atomicStore({pointer}, {});", array.number(&value)));
                Ok(())
            }
            ops::AtomicCas::KIND => {
                let expected = ops::AtomicCas::of(op).map(|cas| w.scalar(op, cas.expected())).transpose()?;
                exchanged(w, op, array, [&pointer, &expected.unwrap_or_default(), &value])
            }
            _ => match ops::AtomicRmw::of(op).and_then(|rmw| rmw.kind()) {
                Some(kind) => combined(w, op, array, kind, [&pointer, &value]),
                None => Err(w.refuse(op, "it has no kind")),
            },
        }
    }
}

fn combined<'p>(
    w: &mut Writer<'p, '_>,
    op: Op<'p>,
    array: &Array,
    kind: Combine,
    [pointer, value]: [&str; 2],
) -> Written {
    let (name, sign) = match kind {
        Combine::AddI => ("atomicAdd", None),
        Combine::SubI => ("atomicSub", None),
        Combine::AndI => ("atomicAnd", None),
        Combine::OrI => ("atomicOr", None),
        Combine::XOrI => ("atomicXor", None),
        Combine::Exchange => ("atomicExchange", None),
        Combine::MinUI => ("atomicMin", Some(false)),
        Combine::MaxUI => ("atomicMax", Some(false)),
        Combine::MinSI => ("atomicMin", Some(true)),
        Combine::MaxSI => ("atomicMax", Some(true)),
        _ => {
            let old = w.fresh('r');
            let new = planes::combined(kind, array.scalar, &array.word(&old), value);
            let Some(new) = new else { return Err(w.refuse(op, "WGSL has no such atomic operation")) };
            return repeated(w, op, array, [pointer, &old, &array.number(&new)]);
        }
    };
    if sign.is_none_or(|sign| sign == array.is_signed()) {
        let old = array.word(&format!("{name}({pointer}, {})", array.number(value)));
        return w.define(op, op.result(0), vec![old]);
    }
    // The kernel computes both signed and unsigned minima of the array, so the array's numbers are unsigned.
    let old = w.fresh('r');
    let function = if kind == Combine::MinSI { "min" } else { "max" };
    let new = format!("bitcast<u32>({function}(bitcast<i32>({old}), bitcast<i32>({value})))");
    repeated(w, op, array, [pointer, &old, &new])
}

// Repeats the exchange of `old` by `new` until no other unit has changed the element between the load and the exchange.
fn repeated<'p>(w: &mut Writer<'p, '_>, op: Op<'p>, array: &Array, [pointer, old, new]: [&str; 3]) -> Written {
    let seen = w.fresh('t');
    w.line(format_args!("var {old} = atomicLoad({pointer});"));
    w.open("loop");
    w.line(format_args!("let {seen} = atomicCompareExchangeWeak({pointer}, {old}, {new});"));
    w.line(format_args!("if ({seen}.exchanged) {{ break; }}"));
    w.line(format_args!("{old} = {seen}.old_value;"));
    w.close();
    w.define(op, op.result(0), vec![array.word(old)])
}

fn exchanged<'p>(w: &mut Writer<'p, '_>, op: Op<'p>, array: &Array, operands: [&str; 3]) -> Written {
    let [pointer, expected, value] = operands;
    let (expected, value) = (array.number(expected), array.number(value));
    let (old, seen) = (w.fresh('r'), w.fresh('t'));
    w.line(format_args!("var {old}: {};", if array.is_signed() { "i32" } else { "u32" }));
    w.open("loop");
    w.line(format_args!("let {seen} = atomicCompareExchangeWeak({pointer}, {expected}, {value});"));
    w.line(format_args!("{old} = {seen}.old_value;"));
    w.line(format_args!("if ({seen}.exchanged | ({old} != {expected})) {{ break; }}"));
    w.close();
    let old = array.word(&old);
    w.name(op.result(0), vec![old]);
    Ok(())
}
