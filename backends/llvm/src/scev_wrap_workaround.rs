//! Works around a miscompilation in LLVM's loop vectoriser (`SCEVWrapPredicate`). The vectoriser treats an index that
//! wraps as consecutive.
//!
//! `x[i % 8]` in a loop over `i` is consecutive until the index wraps. LLVM 22 vectorises an access with a wrapping
//! index as consecutive elements, under a run-time check that the index does not wrap. LLVM omits the run-time check
//! if the check of another index in the loop seems to imply the omitted check. `SCEVWrapPredicate::implies` compares
//! the starts and steps of two indices, but not their widths. An `i3` wraps long before an `i32`, so
//! `out[i] = x[i % 8]` reads past the eighth element. The workaround applies an `xor` with a zero that is opaque to
//! LLVM to each index with fewer bits than its address. With the opaque zero, an access with a wrapping index becomes a
//! gather, which is correct.
use inkwell::{
    builder::{Builder, BuilderError},
    context::Context,
    module::Module,
    types::IntType,
    values::{AsValueRef, BasicValue, FunctionValue, InstructionOpcode as Opcode, InstructionValue, IntValue},
};
use std::collections::{HashMap, HashSet};

/// The LLVM passes that run before this workaround. The passes replace an expanded remainder, `i - i / 8 * 8`, by a
/// remainder instruction, which the workaround recognises.
pub(crate) const BEFORE: &str = "function(early-cse,instcombine<no-verify-fixpoint>)";

/// Bits of the counter of a launch's units in LLVM IR. A 32-bit counter does not wrap before the last unit.
const WIDE: u32 = 32;

/// Applies the opaque zero to each index of the module that has fewer bits than its address.
pub(crate) fn hide<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), BuilderError> {
    let builder = context.create_builder();
    module.get_functions().try_for_each(|function| hide_in(context, &builder, function))
}

fn hide_in<'c>(context: &'c Context, builder: &Builder<'c>, function: FunctionValue<'c>) -> Result<(), BuilderError> {
    let Some(first) = function.get_first_basic_block().and_then(|block| block.get_first_instruction()) else {
        return Ok(());
    };
    let mut zeros: HashMap<u32, IntValue<'c>> = HashMap::new();
    for (value, instruction) in wrapping_indices(function) {
        let Some(next) = instruction.get_next_instruction() else { continue };
        let ty = value.get_type();
        let zero = match zeros.get(&ty.get_bit_width()) {
            Some(zero) => *zero,
            None => {
                builder.position_before(&first);
                let zero = unseen_zero(context, builder, ty)?;
                *zeros.entry(ty.get_bit_width()).or_insert(zero)
            }
        };
        builder.position_before(&next);
        // The new `xor` also uses the value. Its operand is set after all other uses have been replaced.
        let hidden = builder.build_xor(zero, zero, "index")?;
        if let Some(hidden) = hidden.as_instruction() {
            instruction.replace_all_uses_with(&hidden);
            hidden.set_operand(0, value);
        }
    }
    Ok(())
}

/// A zero that LLVM cannot fold, because it is the result of empty inline assembly.
fn unseen_zero<'c>(context: &'c Context, builder: &Builder<'c>, ty: IntType<'c>) -> Result<IntValue<'c>, BuilderError> {
    let function = ty.fn_type(&[ty.into()], false);
    let text = context.create_inline_asm(function, String::new(), "=r,0".into(), false, false, None, false);
    let call = builder.build_indirect_call(function, text, &[ty.const_zero().into()], "zero")?;
    let value = call.try_as_basic_value().basic().filter(|value| value.is_int_value());
    Ok(value.map_or(ty.const_zero(), |value| value.into_int_value()))
}

/// The operands of address computations that require fewer bits than their types have.
fn wrapping_indices<'c>(function: FunctionValue<'c>) -> Vec<(IntValue<'c>, InstructionValue<'c>)> {
    let instructions = function.get_basic_blocks().into_iter().flat_map(|block| block.get_instructions());
    let mut open: Vec<_> = instructions.filter(|one| one.get_opcode() == Opcode::GetElementPtr).collect();
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    while let Some(one) = open.pop() {
        for value in operands(one).filter(|value| value.is_int_value()) {
            let Some(instruction) = value.as_instruction_value() else { continue };
            if instruction.get_opcode() == Opcode::Load || !seen.insert(instruction.as_value_ref() as usize) {
                continue;
            }
            if wraps(instruction) {
                found.push((value.into_int_value(), instruction));
            }
            open.push(instruction);
        }
    }
    found
}

fn operands<'c>(one: InstructionValue<'c>) -> impl Iterator<Item = inkwell::values::BasicValueEnum<'c>> {
    (0..one.get_num_operands()).filter_map(move |i| one.get_operand(i)?.value())
}

/// Whether a value requires fewer bits than its type: a remainder by a power of two, a mask of low bits, or an extended
/// narrow value.
fn wraps(one: InstructionValue<'_>) -> bool {
    let integers = || operands(one).filter(|value| value.is_int_value()).map(|value| value.into_int_value());
    let constants: Vec<u64> = integers().filter_map(|value| value.get_zero_extended_constant()).collect();
    match one.get_opcode() {
        Opcode::URem => constants.iter().any(|divisor| divisor.is_power_of_two()),
        Opcode::And => constants.iter().any(|mask| {
            // LLVM treats a mask that starts above bit 0 as a shifted narrow value.
            let from = mask.checked_shr(mask.trailing_zeros()).unwrap_or(0);
            from < u64::from(u32::MAX) && (from + 1).is_power_of_two()
        }),
        Opcode::ZExt | Opcode::SExt => integers().any(|narrow| {
            let bits = narrow.get_type().get_bit_width();
            bits > 1 && bits < WIDE
        }),
        _ => false,
    }
}
