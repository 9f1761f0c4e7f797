//! Works around a miscompilation in LLVM's instruction selection for AMD GPUs (`SelectVOP3ModsImpl`). The selection
//! replaces `+0 - x` by `-x`, so the result for `x = +0` is -0.
//!
//! An instruction of these GPUs can negate an operand. LLVM 22 selects this negation for an operand that is a
//! subtraction from a constant zero, and does not compare the sign of the zero. `-0 - x` is `-x` for each `x`, but
//! `+0 - x` is +0 for `x = +0`. The workaround passes such a constant through `llvm.arithmetic.fence`, after LLVM's
//! passes. The fence has no instruction, and hides the constant from the selection.
//!
//! The code generator also converts `-x + 0`, `-1 * x + 0` and `fma(x, -1, 0)` to a subtraction from zero. The
//! workaround also handles the constant zero in these expressions. A subtraction that ignores the signs of zeros keeps
//! its constant.
use super::{converge::callee_name, reasons::failed};
use cube_ir::SessionError;
use inkwell::{
    builder::Builder,
    context::Context,
    intrinsics::Intrinsic,
    module::Module,
    values::{BasicValue, BasicValueEnum, FastMathFlags, InstructionOpcode as Opcode, InstructionValue},
};

/// The intrinsic that returns its operand. The code generator does not look through it.
const FENCE: &str = "llvm.arithmetic.fence";

/// Hides each constant zero from which the code generator subtracts a value.
pub(crate) fn hide<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), SessionError> {
    let builder = context.create_builder();
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    let instructions: Vec<_> = blocks.flat_map(|block| block.get_instructions()).collect();
    for instruction in instructions {
        let Some((number, zero)) = minuend(instruction) else { continue };
        builder.position_before(&instruction);
        instruction.set_operand(number, fenced(&builder, module, zero)?);
    }
    Ok(())
}

/// The zero in an instruction that computes `0 - x`, and the number of this operand; `None` for other instructions.
fn minuend<'c>(one: InstructionValue<'c>) -> Option<(u32, BasicValueEnum<'c>)> {
    let flags = one.get_fast_math_flags().ok()?;
    if flags.contains(FastMathFlags::NoSignedZeros) {
        return None;
    }
    let operand = |number| one.get_operand(number)?.value();
    let number = match one.get_opcode() {
        Opcode::FSub => 0,
        // -x + 0 and 0 + -x.
        Opcode::FAdd => (0..2).find(|number| operand(1 - number).is_some_and(is_negation))?,
        Opcode::Call => {
            let name = callee_name(one)?;
            let fused = name.starts_with("llvm.fma.") || name.starts_with("llvm.fmuladd.");
            let negates = (0..2).any(|number| operand(number).is_some_and(is_minus_one));
            (fused && negates).then_some(2)?
        }
        _ => return None,
    };
    operand(number).filter(|value| is_zero(*value)).map(|zero| (number, zero))
}

/// Whether a value is the negation of another value, or its product with -1.
fn is_negation(value: BasicValueEnum<'_>) -> bool {
    value.as_instruction_value().is_some_and(|one| match one.get_opcode() {
        Opcode::FNeg => true,
        Opcode::FMul => (0..2).filter_map(|number| one.get_operand(number)?.value()).any(is_minus_one),
        _ => false,
    })
}

/// Whether a value is the constant -1 or any constant vector, because an element of the vector can be -1.
fn is_minus_one(value: BasicValueEnum<'_>) -> bool {
    match value {
        BasicValueEnum::FloatValue(value) => value == value.get_type().const_float(-1.0),
        BasicValueEnum::VectorValue(value) => value.is_const(),
        _ => false,
    }
}

/// Whether a value is the constant +0 or any constant vector, because an element of the vector can be +0.
fn is_zero(value: BasicValueEnum<'_>) -> bool {
    match value {
        BasicValueEnum::FloatValue(value) => value.is_null(),
        BasicValueEnum::VectorValue(value) => value.is_const(),
        _ => false,
    }
}

/// The value, behind a fence at the position of the builder.
fn fenced<'c>(
    builder: &Builder<'c>,
    module: &Module<'c>,
    value: BasicValueEnum<'c>,
) -> Result<BasicValueEnum<'c>, SessionError> {
    let function = Intrinsic::find(FENCE).and_then(|fence| fence.get_declaration(module, &[value.get_type()]));
    let function = function.ok_or_else(|| failed(format!("LLVM does not know {FENCE}")))?;
    let call = builder.build_call(function, &[value.into()], "zero").map_err(failed)?;
    call.try_as_basic_value().basic().ok_or_else(|| failed(format!("{FENCE} has no result")))
}

#[cfg(test)]
#[path = "tests/zero_minus.rs"]
mod tests;
