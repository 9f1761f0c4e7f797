//! Structured control flow of `scf`, decoded to jumps.
use super::decoder::{Decoder, Slot, error};
use crate::program::{Code, ExecutionForm};
use cube_dialect::{Scope, TopologyKind, UnitLoop, unit_loop_count};
use cube_ir::{AttrExt, Block, Diagnostic, Op, Val, diagnostic};
use cube_semantics::IntPredicate;

type DecodeResult = Result<(), Diagnostic>;

/// Terminators do not emit an instruction. The code that decodes the region reads their operands.
pub fn no_code<'p>(_: &mut Decoder<'p>, _: Op<'p>) -> DecodeResult {
    Ok(())
}

impl<'p> Decoder<'p> {
    /// New slots for several values.
    pub fn define_all(&mut self, op: Op<'p>, values: impl Iterator<Item = Val<'p>>) -> Result<Vec<Slot>, Diagnostic> {
        values.map(|value| self.define(op, value)).collect()
    }

    /// Parallel copies: if a target is also a source, all copies go through temporary slots.
    pub fn copy_all(&mut self, op: Op<'p>, from: &[Slot], to: &[Slot]) -> DecodeResult {
        let overlap = |a: &Slot, b: &Slot| a.at < b.at + b.shape.lanes() && b.at < a.at + a.shape.lanes();
        let clash = from.iter().enumerate().any(|(i, f)| to[..i].iter().any(|t| overlap(f, t)));
        let mut sources: Vec<u32> = from.iter().map(|s| s.at).collect();
        if clash {
            for (at, slot) in sources.iter_mut().zip(from) {
                let lanes = slot.shape.lanes();
                let spare = self.slots(op, lanes)?;
                self.emit(Code::Copy, spare, [*at, 0, 0], lanes, 0)?;
                *at = spare;
            }
        }
        for (at, target) in sources.into_iter().zip(to).filter(|(at, t)| *at != t.at) {
            self.emit(Code::Copy, target.at, [at, 0, 0], target.shape.lanes(), 0)?;
        }
        Ok(())
    }

    // Decodes a region of one block, and copies the yielded values to `to`.
    fn region(&mut self, op: Op<'p>, block: Option<Block<'p>>, to: &[Slot]) -> DecodeResult {
        let Some(block) = block else { return Ok(()) };
        self.block(block)?;
        let Some(end) = block.terminator() else { return Ok(()) };
        let from = self.operands(end)?;
        self.copy_all(op, &from, to)
    }

    /// The only block of a region; `None` for an empty region.
    pub fn single(&self, op: Op<'p>, number: usize) -> Result<Option<Block<'p>>, Diagnostic> {
        let Some(region) = op.regions().nth(number) else { return Ok(None) };
        match region.blocks().as_slice() {
            [] => Ok(None),
            [block] => Ok(Some(*block)),
            _ => Err(error(op, diagnostic!(CUBE0700.blocks))),
        }
    }
}

/// `scf.if`
pub fn if_else<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let condition = d.operand(op, 0)?;
    let results = d.define_all(op, op.results())?;
    let skip = d.emit(Code::JumpUnless, 0, [condition.at, 0, 0], 0, 0)?;
    let (yes, no) = (d.single(op, 0)?, d.single(op, 1)?);
    d.region(op, yes, &results)?;
    if no.is_none() {
        d.bind_jump(skip);
        return Ok(());
    }
    let end = d.emit(Code::Jump, 0, [0; 3], 0, 0)?;
    d.bind_jump(skip);
    d.region(op, no, &results)?;
    d.bind_jump(end);
    Ok(())
}

/// `scf.for`: the counter takes the values `lower + k * step` below `upper`, and does not wrap around.
pub fn for_loop<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let operands = d.operands(op)?;
    let body = d.single(op, 0)?.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop_body)))?;
    let carried = d.define_all(op, body.args())?;
    let (position, carried) = carried.split_first().ok_or_else(|| error(op, diagnostic!(CUBE0700.no_counter)))?;
    let bits = position.shape.kind.bits();
    let signed = if op.attr("unsignedCmp").is_some() { 0 } else { bits };
    d.copy_all(op, &operands[3..], carried)?;
    let [lower, upper, step] = [0, 1, 2].map(|i: usize| operands[i].at);
    let start = d.emit(Code::LoopStart { signed }, 0, [lower, upper, step], 0, 0)?;
    d.emit(Code::Copy, position.at, [lower, 0, 0], 1, 0)?;
    let iterations = d.before_iterations(op)?;
    let head = d.next_iteration(&iterations)?;
    d.region(op, Some(body), carried)?;
    d.after_iterations(iterations);
    d.emit(Code::LoopNext { signed }, 0, [position.at, upper, step], bits, head)?;
    d.bind_jump(start);
    // The results of the loop are its carried values.
    for (result, slot) in op.results().zip(carried) {
        d.values.insert(result, slot.clone());
    }
    Ok(())
}

/// `scf.forall` over the units or planes of a cube.
///
/// If the execution form is [`ExecutionForm::SharedLoops`], each unit executes its own iteration of the loop. The units
/// wait for each other at the end of the outermost loop over units, because code after the loop runs when all
/// iterations have ended. The units also wait for each other at the start of the outermost loop over units. At
/// this point, all units have read the values that code before the loop stored in the cube's memory. The
/// loop's body can therefore overwrite these values.
pub fn unit_loop<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (Some(own), Some(count)) = (UnitLoop::of(op), unit_loop_count(op)) else {
        return Err(error(op, diagnostic!(CUBE0700.unit_loop { rule: "it has no mapping to units" })));
    };
    if d.form() == ExecutionForm::SharedLoops {
        return own_iteration(d, op, own, count);
    }
    let body = d.single(op, 0)?.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop_body)))?;
    let counter = d.define(op, body.arg(0))?;
    let [lower, upper, step] = [d.constant(op, 0)?, d.constant(op, count.into())?, d.constant(op, 1)?];
    let start = d.emit(Code::LoopStart { signed: 0 }, 0, [lower, upper, step], 0, 0)?;
    d.emit(Code::Copy, counter.at, [lower, 0, 0], 1, 0)?;
    let iterations = d.before_iterations(op)?;
    let head = d.next_iteration(&iterations)?;
    d.block(body)?;
    d.after_iterations(iterations);
    let bits = counter.shape.kind.bits();
    d.emit(Code::LoopNext { signed: 0 }, counter.at, [counter.at, upper, step], bits, head)?;
    d.bind_jump(start);
    Ok(())
}

fn own_iteration<'p>(d: &mut Decoder<'p>, op: Op<'p>, own: UnitLoop, count: u32) -> DecodeResult {
    let kind = match own {
        UnitLoop::Unit(axis) => [TopologyKind::UnitPosX, TopologyKind::UnitPosY, TopologyKind::UnitPosZ][axis],
        UnitLoop::Plane => return Err(error(op, diagnostic!(CUBE0700.planes_in_loop))),
    };
    let body = d.single(op, 0)?.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_loop_body)))?;
    let counter = d.define(op, body.arg(0))?;
    d.program().topology.push((kind, counter.at));
    let outermost = !op.ancestors().any(|around| UnitLoop::of(around).is_some());
    if outermost {
        d.program().collective = true;
        d.emit(Code::Barrier(Scope::Cube), 0, [0; 3], 0, 0)?;
    }
    let (upper, there) = (d.constant(op, count.into())?, d.slots(op, 1)?);
    d.emit(Code::Map2(IntPredicate::Ult.function()), there, [counter.at, upper, 0], 1, 64)?;
    let skip = d.emit(Code::JumpUnless, 0, [there, 0, 0], 0, 0)?;
    d.block(body)?;
    d.bind_jump(skip);
    if outermost {
        d.emit(Code::Barrier(Scope::Cube), 0, [0; 3], 0, 0)?;
    }
    Ok(())
}

/// `scf.while`
pub fn while_loop<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (before, after) = (d.single(op, 0)?, d.single(op, 1)?);
    let (Some(before), Some(after)) = (before, after) else {
        return Err(error(op, diagnostic!(CUBE0700.no_loop_body)));
    };
    let carried = d.define_all(op, before.args())?;
    let inside = d.define_all(op, after.args())?;
    let results = d.define_all(op, op.results())?;
    let initial = d.operands(op)?;
    d.copy_all(op, &initial, &carried)?;
    let iterations = d.before_iterations(op)?;
    let head = d.next_iteration(&iterations)?;
    d.block(before)?;
    let end = before.terminator().ok_or_else(|| error(op, diagnostic!(CUBE0700.loop_condition)))?;
    let tested = d.operands(end)?;
    let (condition, passed) = tested.split_first().ok_or_else(|| error(end, diagnostic!(CUBE0700.no_condition)))?;
    let exit = d.emit(Code::JumpUnless, 0, [condition.at, 0, 0], 0, 0)?;
    d.copy_all(op, passed, &inside)?;
    d.region(op, Some(after), &carried)?;
    d.after_iterations(iterations);
    d.emit(Code::Jump, 0, [0; 3], 0, head)?;
    d.bind_jump(exit);
    d.copy_all(op, passed, &results)
}

/// `scf.index_switch`: region 0 is the default.
pub fn index_switch<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let value = d.operand(op, 0)?;
    let results = d.define_all(op, op.results())?;
    let cases = op.attr("cases").and_then(|a| a.as_i64_array()).unwrap_or_default();
    let mut ends = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let constant = d.constant(op, *case as u64)?;
        let skip = d.emit(Code::JumpOther, 0, [value.at, constant, 0], 0, 0)?;
        let block = d.single(op, number + 1)?;
        d.region(op, block, &results)?;
        ends.push(d.emit(Code::Jump, 0, [0; 3], 0, 0)?);
        d.bind_jump(skip);
    }
    let block = d.single(op, 0)?;
    d.region(op, block, &results)?;
    for end in ends {
        d.bind_jump(end);
    }
    Ok(())
}

/// `scf.execute_region` of one block.
pub fn execute_region<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let results = d.define_all(op, op.results())?;
    let block = d.single(op, 0)?;
    d.region(op, block, &results)
}
