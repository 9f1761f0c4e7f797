//! The language WGSL: the spellings that the walk of `backends/structured` requires.
use crate::names::one_line;
use crate::scalar::{Scalar, as_word, word};
use crate::state::Wgsl;
use crate::{formulas, scalar};
use cube_dialect::{ops, properties::is_plane_op};
use cube_ir::ops::{arith, memref, scf, vector};
use cube_ir::{Attribute, Op, SourceLocation, Type, TypeExt, Val};
use cube_structured::{Language, Writer, Written};

impl Language for Wgsl {
    fn target(&self) -> &'static str {
        "wgsl"
    }

    fn scalar(&self, ty: Type<'_>) -> Option<String> {
        Scalar::of(ty).map(|ty| ty.wgsl().into())
    }

    fn constant(&self, ty: &str, name: &str, value: &str) -> String {
        // The type is written if the value does not determine it.
        match scalar::is_literal(value) {
            true => format!("let {name}: {ty} = {value};"),
            false => format!("let {name} = {value};"),
        }
    }

    fn variable(&self, ty: &str, name: &str) -> String {
        format!("var {name}: {ty};")
    }

    fn infinite_loop(&self) -> &'static str {
        "loop"
    }

    fn inlines_constants(&self) -> bool {
        true
    }

    fn comment(&self, location: &SourceLocation) -> Option<String> {
        let file = location.file.rsplit(['/', '\\']).next().unwrap_or_default();
        Some(format!("// {}:{}", one_line(file), location.line))
    }

    fn condition_name<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>, value: Val<'p>, name: String) -> Written<String> {
        self.decided(w, op, value, name)
    }

    fn continue_condition(&self, op: Op<'_>, at: &str, to: &str) -> Option<String> {
        Some(match scf::For::of(op)?.unsigned_cmp() {
            Some(_) => format!("{at} < {to}"),
            None => format!("{} < {}", scalar::signed(at), scalar::signed(to)),
        })
    }

    fn literal(&self, ty: Type<'_>, number: Attribute<'_>) -> Option<String> {
        Scalar::of(ty)?.literal(number)
    }

    fn trip_count(&self, op: Op<'_>, from: &str, to: &str, step: &str) -> Option<String> {
        let unsigned = scf::For::of(op)?.unsigned_cmp().is_some();
        if let (Some(from), Some(to), Some(step)) = (as_word(from), as_word(to), as_word(step)) {
            let runs = if unsigned { from < to } else { (from as i32) < to as i32 };
            let iterations = to.wrapping_sub(from).wrapping_sub(1).checked_div(step).unwrap_or(0).wrapping_add(1);
            return Some(word(if runs { iterations } else { 0 }));
        }
        // A loop never runs with a step of 0, but WGSL refuses a division by the constant 0.
        let step = if as_word(step) == Some(0) { "1u" } else { step };
        let runs = match unsigned {
            true => format!("{from} < {to}"),
            false => format!("{} < {}", scalar::signed(from), scalar::signed(to)),
        };
        Some(format!("select(0u, ({to} - {from} - 1u) / {step} + 1u, {runs})"))
    }

    fn lane(&self, op: Op<'_>, operands: &[String]) -> Option<String> {
        let mut operands = operands.to_vec();
        if matches!(op.kind(), arith::ADDF | arith::SUBF | arith::MULF | arith::DIVF) {
            operands.iter_mut().for_each(|operand| self.hide_zero(operand));
        }
        formulas::lane(op, &operands)
    }

    fn combined(&self, op: Op<'_>, a: &str, b: &str) -> Option<String> {
        formulas::combined(op, a, b)
    }

    fn statement<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written<bool> {
        match op.kind() {
            memref::LOAD | vector::LOAD | memref::STORE | vector::STORE => self.accessed(w, op)?,
            // Allocations are declared before the walk. `MayNotTerminate` is a marker without code.
            memref::ALLOCA | ops::MayNotTerminate::KIND => {}
            ops::AtomicLoad::KIND | ops::AtomicStore::KIND | ops::AtomicRmw::KIND | ops::AtomicCas::KIND => {
                self.atomic(w, op)?;
            }
            ops::Topology::KIND => self.position(w, op)?,
            ops::Sync::KIND => self.barrier(w, op)?,
            _ if is_plane_op(op) => self.plane(w, op)?,
            arith::INDEX_CAST | arith::INDEX_CASTUI if of_words(op) => {
                let names = w.names(op, op.operand(0))?;
                w.name(op.result(0), names);
            }
            vector::BITCAST => return regrouped(w, op),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn of_words(op: Op<'_>) -> bool {
    [op.operand(0), op.result(0)].iter().all(|value| Scalar::of(value.ty()) == Some(Scalar::Word))
}

// Reinterprets the bits of lanes as lanes of another width: two f16 numbers are one word. Returns false if the
// function does not support the pair of types.
fn regrouped<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written<bool> {
    let (from, to) = (Scalar::of(op.operand(0).ty()), Scalar::of(op.result(0).ty()));
    let lanes = w.names(op, op.operand(0))?;
    match (from, to) {
        (Some(from), Some(to)) if op.operand(0).ty().element_count() == op.result(0).ty().element_count() => {
            let kind = |ty| matches!(ty, Scalar::Word | Scalar::Float);
            if from != to && !(kind(from) && kind(to)) {
                return Ok(false);
            }
            let cast = |lane: &String| match from == to {
                true => lane.clone(),
                false if scalar::is_literal(lane) => format!("bitcast<{}>({})", to.wgsl(), from.at_run_time(lane)),
                false => format!("bitcast<{}>({lane})", to.wgsl()),
            };
            w.define(op, op.result(0), lanes.iter().map(cast).collect())?;
        }
        (Some(Scalar::Half), Some(to @ (Scalar::Word | Scalar::Float))) => {
            // naga 30 has no bit casts between vectors of f16 and words; the conversion of f16 to f32 is exact.
            let single = |lane: &String| match scalar::is_literal(lane) {
                true => format!("f32({})", Scalar::Half.at_run_time(lane)),
                false => format!("f32({lane})"),
            };
            let pair = |pair: &[String]| {
                let pair: Vec<String> = pair.iter().map(single).collect();
                let word = format!("pack2x16float(vec2<f32>({}))", pair.join(", "));
                if to == Scalar::Word { word } else { format!("bitcast<f32>({word})") }
            };
            w.define(op, op.result(0), lanes.chunks(2).map(pair).collect())?;
        }
        (Some(from @ (Scalar::Word | Scalar::Float)), Some(Scalar::Half)) => {
            let hidden = |lane: &String| if scalar::is_literal(lane) { from.at_run_time(lane) } else { lane.clone() };
            let word = |lane: &String| match from {
                Scalar::Float => format!("bitcast<u32>({})", hidden(lane)),
                _ => hidden(lane),
            };
            let halves = |lane: &String| ["x", "y"].map(|part| format!("f16(unpack2x16float({}).{part})", word(lane)));
            w.define(op, op.result(0), lanes.iter().flat_map(halves).collect())?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
