//! Control flow with exits: `cube.if`, `cube.for`, `cube.loop`, their comptime variants, and operations that exit from
//! them. Calls are inlined.
use super::decoder::{Decoder, LoopExits, Returns, error};
use crate::program::Code;
use cube_ir::ops::cube;
use cube_ir::{AttrExt, Diagnostic, Op, diagnostic};

type DecodeResult = Result<(), Diagnostic>;

/// `cube.if`, `cube.comptime_if`
pub fn branch<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let condition = d.operand(op, 0)?;
    let skip = d.emit(Code::JumpUnless, 0, [condition.at, 0, 0], 0, 0)?;
    let (yes, no) = (d.single(op, 0)?, d.single(op, 1)?);
    if let Some(block) = yes {
        d.block(block)?;
    }
    let Some(no) = no else {
        d.bind_jump(skip);
        return Ok(());
    };
    let end = d.emit(Code::Jump, 0, [0; 3], 0, 0)?;
    d.bind_jump(skip);
    d.block(no)?;
    d.bind_jump(end);
    Ok(())
}

/// `cube.for`, `cube.comptime_for`: the counter takes the values `lower + k * step` below `upper`, and does not wrap.
pub fn counted<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let [lower, upper, step] = [d.operand(op, 0)?.at, d.operand(op, 1)?.at, d.operand(op, 2)?.at];
    let body = d.single(op, 0)?.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop_body)))?;
    let counter = body.args().next().ok_or_else(|| error(op, diagnostic!(CUBE0700.no_counter)))?;
    let position = d.define(op, counter)?;
    let bits = position.shape.kind.bits();
    let signed = if op.attr("unsignedCmp").is_some() { 0 } else { bits };
    let start = d.emit(Code::LoopStart { signed }, 0, [lower, upper, step], 0, 0)?;
    d.emit(Code::Copy, position.at, [lower, 0, 0], 1, 0)?;
    let iterations = d.before_iterations(op)?;
    let head = d.next_iteration(&iterations)?;
    d.loops.push(LoopExits::default());
    d.block(body)?;
    d.after_iterations(iterations);
    let exits = d.loops.pop().unwrap_or_default();
    d.bind_jumps(exits.continues);
    d.emit(Code::LoopNext { signed }, 0, [position.at, upper, step], bits, head)?;
    d.bind_jumps(exits.breaks);
    d.bind_jump(start);
    Ok(())
}

/// `cube.loop`
pub fn infinite_loop<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let body = d.single(op, 0)?.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop_body)))?;
    let iterations = d.before_iterations(op)?;
    let head = d.next_iteration(&iterations)?;
    d.loops.push(LoopExits::default());
    d.block(body)?;
    d.after_iterations(iterations);
    let exits = d.loops.pop().unwrap_or_default();
    d.bind_jumps(exits.continues);
    d.emit(Code::Jump, 0, [0; 3], 0, head)?;
    d.bind_jumps(exits.breaks);
    Ok(())
}

/// `cube.break`, `cube.continue`
pub fn break_or_continue<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let jump = d.emit(Code::Jump, 0, [0; 3], 0, 0)?;
    let exits = d.loops.last_mut().ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop)))?;
    if op.is(cube::BREAK) {
        exits.breaks.push(jump)
    } else {
        exits.continues.push(jump)
    }
    Ok(())
}

/// `cube.terminate`
pub fn terminate<'p>(d: &mut Decoder<'p>, _: Op<'p>) -> DecodeResult {
    d.emit(Code::End, 0, [0; 3], 0, 0).map(|_| ())
}

/// `cube.return` of a kernel or a function, at its end or nested.
pub fn return_values<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let direct = op.parent().is_some_and(|p| p.is(cube::KERNEL) || p.is(cube::FUNC));
    if d.returns.is_empty() {
        // A return at the end of a kernel does not emit an instruction, because the end of the program follows.
        return if direct { Ok(()) } else { terminate(d, op) };
    }
    let from = d.operands(op)?;
    let to = d.returns.last().map(|r| r.results.clone()).unwrap_or_default();
    d.copy_all(op, &from, &to)?;
    if !direct {
        let jump = d.emit(Code::Jump, 0, [0; 3], 0, 0)?;
        d.returns.last_mut().into_iter().for_each(|r| r.jumps.push(jump));
    }
    Ok(())
}

/// `llvm.return` without a value: ends its function, also from an inner block.
pub fn end_function<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    if d.returns.is_empty() {
        return terminate(d, op);
    }
    let jump = d.emit(Code::Jump, 0, [0; 3], 0, 0)?;
    d.returns.last_mut().into_iter().for_each(|r| r.jumps.push(jump));
    Ok(())
}

impl Decoder<'_> {
    /// Starts the body of a function without results.
    pub fn enter_function(&mut self) {
        self.returns.push(Returns { results: vec![], jumps: vec![] });
    }

    /// Ends the body of a function without results.
    pub fn leave_function(&mut self) {
        let returns = self.returns.pop();
        self.bind_jumps(returns.into_iter().flat_map(|r| r.jumps).collect());
    }
}

/// `cube.call`: inlines the callee.
pub fn call<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let name = op.attr("callee").and_then(|a| a.as_symbol()).unwrap_or_default();
    if d.open.contains(&name) {
        return Err(error(op, diagnostic!(CUBE0300.calls { name })));
    }
    if op.results().any(|result| cube_layout_dialect::is_layout(result.ty())) {
        return Err(error(op, diagnostic!(CUBE0700.returns_layout)));
    }
    let module = d.kernel.parent();
    let callee = module
        .and_then(|m| m.body())
        .into_iter()
        .flat_map(|b| b.ops())
        .find(|other| other.is(cube::FUNC) && other.attr("sym_name").and_then(|a| a.as_str()) == Some(name));
    let body = callee.and_then(|f| f.body());
    let body = body.ok_or_else(|| error(op, diagnostic!(CUBE0112.no_function { name })))?;
    for (number, argument) in body.args().enumerate() {
        if cube_layout_dialect::is_layout(argument.ty()) {
            d.layouts.bind(argument, op.operand(number));
        } else {
            let slot = d.operand(op, number)?;
            d.values.insert(argument, slot);
        }
    }
    let results = d.define_all(op, op.results())?;
    d.open.push(name);
    d.returns.push(Returns { results, jumps: vec![] });
    // A break inside the callee exits from a loop of the callee, so the loops of the caller are hidden.
    let loops = std::mem::take(&mut d.loops);
    d.block(body)?;
    d.loops = loops;
    d.open.pop();
    let returns = d.returns.pop();
    d.bind_jumps(returns.into_iter().flat_map(|r| r.jumps).collect());
    Ok(())
}
