//! Implements the walk's interface for source text: [`Writer`] emits the statements.
use crate::{Emit, Split, Writer, Written, lanes_of};
use cube_ir::access::access_of;
use cube_ir::ops::{arith, memref, vector};
use cube_ir::{AttrExt, Attribute, MemRef, Op, SessionError, Type, TypeExt, Val};
use std::fmt::Display;

/// A loop in the text. The field `advance` is the statement at the end of the body that advances the counter;
/// `None` if the head advances the counter.
#[derive(Debug, Default)]
pub struct TextLoop {
    advance: Option<String>,
}

impl<'p> Emit<'p> for Writer<'p, '_> {
    type Value = String;
    type Loop = TextLoop;

    fn refuse(&self, op: Op<'_>, why: impl Display) -> SessionError {
        Writer::refuse(self, op, why)
    }

    fn lanes(&self, op: Op<'p>, value: Val<'p>) -> Written<Vec<String>> {
        self.names(op, value)
    }

    fn bind(&mut self, value: Val<'p>, lanes: Vec<String>) {
        self.name(value, lanes);
    }

    fn locate(&mut self, op: Op<'p>) {
        Writer::locate(self, op);
    }

    fn split(&self) -> Option<(Split<'p>, bool)> {
        self.split
    }

    fn special(&mut self, op: Op<'p>) -> Written<bool> {
        if self.language.statement(self, op)? {
            return Ok(true);
        }
        let is_access = matches!(op.kind(), memref::LOAD | vector::LOAD | memref::STORE | vector::STORE);
        if is_access {
            accessed(self, op)?;
        }
        Ok(is_access)
    }

    fn declare(&mut self, op: Op<'p>, values: &[Val<'p>]) -> Written {
        Writer::declare(self, op, values)
    }

    fn assign(&mut self, op: Op<'p>, to: &[Val<'p>], from: &[Val<'p>]) -> Written {
        Writer::assign(self, op, to, from)
    }

    fn decide(&mut self, op: Op<'p>, value: Val<'p>) -> Written<String> {
        let name = Writer::scalar(self, op, value)?;
        self.language.condition_name(self, op, value, name)
    }

    fn literal(&mut self, ty: Type<'p>, number: Attribute<'p>) -> Option<String> {
        self.language.literal(ty, number)
    }

    fn constant(&mut self, op: Op<'p>, lanes: Vec<String>) -> Written {
        if self.language.inlines_constants() {
            self.name(op.result(0), lanes);
            return Ok(());
        }
        Writer::define(self, op, op.result(0), lanes)
    }

    fn lane(&mut self, op: Op<'p>, operands: &[String]) -> Option<String> {
        self.language.lane(op, operands)
    }

    fn define(&mut self, op: Op<'p>, value: Val<'p>, lanes: Vec<String>) -> Written {
        Writer::define(self, op, value, lanes)
    }

    fn combine(&mut self, op: Op<'p>, a: &String, b: &String) -> Written<String> {
        let ty = self.type_of(op, op.result(0))?;
        let both = self.language.combined(op, a, b);
        let both =
            both.ok_or_else(|| Writer::refuse(self, op, "the language does not support this combination of lanes"))?;
        let sum = self.fresh('v');
        self.line(self.language.constant(&ty, &sum, &both));
        Ok(sum)
    }

    fn choose(&mut self, index: &String, number: usize, result: &String, value: &String) {
        self.open(format_args!("if ({index} == {number})"));
        self.set(result, value);
        self.close();
    }

    fn set(&mut self, variable: &String, value: &String) {
        self.line(format_args!("{variable} = {value};"));
    }

    fn begin_branch(&mut self, condition: &String, _: bool) {
        self.open(format_args!("if ({condition})"));
    }

    fn begin_otherwise(&mut self) {
        self.close();
        self.open("else");
    }

    fn end_branch(&mut self) {
        self.close();
    }

    fn begin_switch(&mut self, _: &String, _: &[i64]) {}

    fn begin_case(&mut self, op: Op<'p>, selector: &String, position: usize, case: i64) -> Written {
        let case = self.language.literal(op.operand(0).ty(), op.cx().int_attr(op.cx().index(), case));
        let case = case.ok_or_else(|| Writer::refuse(self, op, "the language cannot write the value of a case"))?;
        let word = if position == 0 { "if" } else { "else if" };
        self.open(format_args!("{word} ({selector} == {case})"));
        Ok(())
    }

    fn begin_default(&mut self, cases: usize) {
        self.open(if cases == 0 { "if (true)" } else { "else" });
    }

    fn end_case(&mut self) {
        self.close();
    }

    fn end_switch(&mut self) {}

    // Iterations are counted before the first one, because the counter can wrap in the last iteration.
    fn begin_for(&mut self, op: Op<'p>, counter: Val<'p>, [from, to, step]: [Val<'p>; 3]) -> Written<TextLoop> {
        let is_one = step.def_of(arith::CONSTANT).and_then(|one| one.attr("value")).and_then(|one| one.as_int());
        let (from, to, by) = (self.decide(op, from)?, self.decide(op, to)?, self.decide(op, step)?);
        let at = Writer::scalar(self, op, counter)?;
        self.set(&at, &from);
        if let Some(more) = self.language.continue_condition(op, &at, &to).filter(|_| is_one == Some(1)) {
            self.open(format_args!("for (; {more}; {at} = {at} + {by})"));
            return Ok(TextLoop::default());
        }
        let iterations = self.language.trip_count(op, &from, &to, &by);
        let iterations = iterations
            .ok_or_else(|| Writer::refuse(self, op, "the language does not support the type of the counter"))?;
        let (left, ty) = (self.fresh('r'), self.type_of(op, counter)?);
        self.line(self.language.variable(&ty, &left));
        self.set(&left, &iterations);
        self.open(format_args!("for (; {left} != 0; {left} = {left} - 1)"));
        Ok(TextLoop { advance: Some(format!("{at} = {at} + {by};")) })
    }

    fn end_for(&mut self, begun: TextLoop) {
        if let Some(advance) = begun.advance {
            self.line(advance);
        }
        self.close();
    }

    fn begin_while(&mut self) -> TextLoop {
        self.open(self.language.infinite_loop());
        TextLoop::default()
    }

    fn leave_unless(&mut self, _: &TextLoop, condition: &String) {
        self.open(format_args!("if (!{condition})"));
        self.line("break;");
        self.close();
    }

    fn end_while(&mut self, _: TextLoop) {
        self.close();
    }
}

fn accessed<'p>(w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
    let access = access_of(op).and_then(|access| Some((access.buffer, access.index()?, access.value)));
    let Some((buffer, index, value)) = access else { return Err(w.refuse(op, "its memory has several dimensions")) };
    match value {
        None => {
            let addresses = addresses(w, op, [buffer, index, op.result(0)])?;
            w.define(op, op.result(0), addresses)
        }
        Some(value) => {
            let addresses = addresses(w, op, [buffer, index, value])?;
            let values = w.names(op, value)?;
            addresses.iter().zip(&values).for_each(|(address, value)| w.set(address, value));
            Ok(())
        }
    }
}

// The array elements for the lanes of a value, from the line at `index` of a buffer.
fn addresses<'p>(w: &Writer<'p, '_>, op: Op<'p>, [buffer, index, value]: [Val<'p>; 3]) -> Written<Vec<String>> {
    let line = MemRef::of(buffer.ty()).map_or(1, |memref| memref.line.element_count());
    let (names, index) = (w.names(op, buffer)?, Writer::scalar(w, op, index)?);
    let array = names.first().ok_or_else(|| w.refuse(op, "its buffer has no name"))?;
    Ok((0..lanes_of(value)).map(|lane| format!("{array}[{index} * {line} + {lane}]")).collect())
}
