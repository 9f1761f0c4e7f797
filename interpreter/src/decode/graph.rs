//! Control flow between blocks. A branch copies values to the arguments of its target, and jumps.
use super::decoder::{Decoder, Slot, error};
use crate::program::Code;
use cube_ir::{AttrExt, Block, Diagnostic, Op, Region, diagnostic};

type DecodeResult = Result<(), Diagnostic>;

impl<'p> Decoder<'p> {
    /// Decodes a region of any number of blocks. Blocks are decoded in their order in the region. In this
    /// order, definitions must precede uses.
    pub fn graph(&mut self, op: Op<'p>, region: Region<'p>) -> DecodeResult {
        let blocks = region.blocks();
        for block in blocks.iter().skip(1) {
            self.define_all(op, block.args())?;
        }
        let outer = std::mem::take(&mut self.jumps);
        let mut starts = Vec::new();
        for block in blocks {
            starts.push((block, self.here()));
            self.block(block)?;
        }
        for (jump, target) in std::mem::replace(&mut self.jumps, outer) {
            let start = starts.iter().find(|(block, _)| *block == target);
            let (_, start) = start.ok_or_else(|| error(op, diagnostic!(CUBE0700.out_of_region)))?;
            self.program().code[jump].imm = *start;
        }
        Ok(())
    }

    // Copies values to the arguments of a block and continues there.
    fn go(&mut self, op: Op<'p>, values: &[Slot], target: Block<'p>) -> DecodeResult {
        let arguments: Option<Vec<Slot>> = target.args().map(|arg| self.values.get(&arg).cloned()).collect();
        let arguments = arguments.ok_or_else(|| error(op, diagnostic!(CUBE0700.to_entry)))?;
        self.copy_all(op, values, &arguments)?;
        let jump = self.emit(Code::Jump, 0, [0; 3], 0, 0)?;
        self.jumps.push((jump, target));
        Ok(())
    }
}

/// Decodes `cf.br` and `llvm.br`.
pub fn branch<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let values = d.operands(op)?;
    let target = op.successors().next().ok_or_else(|| error(op, diagnostic!(CUBE0700.nowhere)))?;
    d.go(op, &values, target)
}

/// Decodes `cf.cond_br` and `llvm.cond_br`.
pub fn choose<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let values = d.operands(op)?;
    let targets: Vec<Block<'p>> = op.successors().collect();
    let ([yes, no], [condition, values @ ..]) = (targets.as_slice(), values.as_slice()) else {
        return Err(error(op, diagnostic!(CUBE0700.nowhere)));
    };
    let (of_yes, of_no) = values.split_at(yes.args().len().min(values.len()));
    let skip = d.emit(Code::JumpUnless, 0, [condition.at, 0, 0], 0, 0)?;
    d.go(op, of_yes, *yes)?;
    d.bind_jump(skip);
    d.go(op, of_no, *no)
}

/// Decodes `cf.switch` and `llvm.switch`, whose first target is the default.
pub fn switch<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let values = d.operands(op)?;
    let targets: Vec<Block<'p>> = op.successors().collect();
    let ([otherwise, targets @ ..], [flag, values @ ..]) = (targets.as_slice(), values.as_slice()) else {
        return Err(error(op, diagnostic!(CUBE0700.nowhere)));
    };
    let cases = op.attr("case_values").and_then(|a| a.as_elements()).unwrap_or_default();
    let (of_default, mut rest) = values.split_at(otherwise.args().len().min(values.len()));
    for (case, target) in cases.iter().zip(targets) {
        let (of_case, after) = rest.split_at(target.args().len().min(rest.len()));
        rest = after;
        let case = case.as_int().ok_or_else(|| error(op, diagnostic!(CUBE0700.case)))?;
        let case = d.constant(op, case as u64 & cube_semantics::ints::mask(flag.shape.kind.bits()))?;
        let skip = d.emit(Code::JumpOther, 0, [flag.at, case, 0], 0, 0)?;
        d.go(op, of_case, *target)?;
        d.bind_jump(skip);
    }
    d.go(op, of_default, *otherwise)
}
