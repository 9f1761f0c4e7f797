//! Works around a miscompilation in LLVM's pass `StructurizeCFG` (`hoistZeroCostElseBlockPhiValues`), which AMD's code
//! generator runs. The pass assigns the value of one branch to lanes of another branch.
//!
//! The pass hoists an instruction without cost, such as `extractelement`, out of the branch that yields its result.
//! LLVM 22 then also assigns the hoisted value to lanes that took other branches, if more than two branches meet
//! (llvm/llvm-project, pull request 183792). The workaround passes such a value through empty inline assembly, at the
//! end of its branch. The pass does not hoist inline assembly, which LLVM counts as an instruction with a cost.
//!
//! LLVM's code generator merges blocks that contain only a branch, so more than two branches can join later. Therefore
//! the workaround also handles a join of two branches if one of them, or the next block, can be merged.
use inkwell::{
    basic_block::BasicBlock,
    builder::{Builder, BuilderError},
    context::Context,
    module::Module,
    types::{BasicType, BasicTypeEnum},
    values::{
        AnyValue, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode as Opcode, InstructionValue, PhiValue,
    },
};
use std::collections::HashMap;

/// Numbers of bits for which the chip has a class of vector registers.
const REGISTERS: [u32; 14] = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 512, 1024];

/// Prevents the pass from hoisting an instruction without cost out of its branch.
pub(crate) fn keep<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), BuilderError> {
    let builder = context.create_builder();
    module.get_functions().try_for_each(|function| keep_in(context, &builder, function))
}

fn keep_in<'c>(context: &'c Context, builder: &Builder<'c>, function: FunctionValue<'c>) -> Result<(), BuilderError> {
    let blocks = function.get_basic_blocks();
    let mut entries: HashMap<BasicBlock<'c>, usize> = HashMap::new();
    for block in blocks.iter().filter_map(|block| block.get_terminator()).flat_map(successors) {
        *entries.entry(block).or_default() += 1;
    }
    for block in &blocks {
        for instruction in block.get_instructions().take_while(|one| one.get_opcode() == Opcode::Phi) {
            let Ok(phi) = PhiValue::try_from(instruction) else { continue };
            let incoming: Vec<_> = phi.get_incomings().collect();
            let joined = |from: &BasicBlock<'c>| is_empty(*from) && entries.get(from).is_some_and(|count| *count > 1);
            let many = incoming.len() > 2 || is_empty(*block) || incoming.iter().any(|(_, from)| joined(from));
            for (number, (value, from)) in incoming.into_iter().enumerate() {
                let Some(end) = from.get_terminator().filter(|end| successors(*end).len() == 1) else { continue };
                if many && value.as_instruction_value().is_some_and(is_free) {
                    builder.position_before(&end);
                    if let Some(kept) = opaque(context, builder, value)? {
                        instruction.set_operand(number as u32, kept);
                    }
                }
            }
        }
    }
    Ok(())
}

fn successors<'c>(end: InstructionValue<'c>) -> Vec<BasicBlock<'c>> {
    (0..end.get_num_operands()).filter_map(|number| end.get_operand(number)?.block()).collect()
}

/// Whether a block contains only phis and a branch, so that LLVM can merge it with another block.
fn is_empty(block: BasicBlock<'_>) -> bool {
    block.get_instructions().all(|one| matches!(one.get_opcode(), Opcode::Phi | Opcode::Br))
}

/// Whether LLVM can assign zero cost to an instruction.
fn is_free(one: InstructionValue<'_>) -> bool {
    use Opcode::{
        AddrSpaceCast, BitCast, Call, ExtractElement, ExtractValue, FNeg, Freeze, GetElementPtr, InsertElement,
        InsertValue, IntToPtr, PtrToInt, SExt, ShuffleVector, Trunc, ZExt,
    };
    match one.get_opcode() {
        AddrSpaceCast | BitCast | ExtractElement | ExtractValue | FNeg | Freeze | GetElementPtr | InsertElement
        | InsertValue | IntToPtr | PtrToInt | SExt | ShuffleVector | Trunc | ZExt => true,
        // The absolute value is a modifier of an operand.
        Call => one.print_to_string().to_string().contains("@llvm.fabs"),
        _ => false,
    }
}

/// The value, as the result of empty inline assembly; `None` if the value has more bits than registers have.
fn opaque<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    value: BasicValueEnum<'c>,
) -> Result<Option<BasicValueEnum<'c>>, BuilderError> {
    let own = value.get_type();
    if own.is_pointer_type() {
        return unseen(context, builder, value);
    }
    let Some(bits) = bits(own) else { return Ok(None) };
    let Some(size) = REGISTERS.into_iter().find(|size| *size >= bits) else { return Ok(None) };
    let integer = |bits: u32| {
        context
            .custom_width_int_type(std::num::NonZeroU32::new(bits).expect("at least one bit"))
            .expect("at most 1024 bits")
    };
    let words: BasicTypeEnum<'c> =
        if size <= 64 { integer(size).into() } else { context.i32_type().vec_type(size / 32).into() };
    let whole = builder.build_bit_cast(value, integer(bits), "")?.into_int_value();
    let whole = builder.build_int_z_extend_or_bit_cast(whole, integer(size), "")?;
    let whole = builder.build_bit_cast(whole, words, "")?;
    let Some(kept) = unseen(context, builder, whole)? else { return Ok(None) };
    let kept = builder.build_bit_cast(kept, integer(size), "")?.into_int_value();
    let kept = builder.build_int_truncate_or_bit_cast(kept, integer(bits), "")?;
    builder.build_bit_cast(kept, own, "").map(Some)
}

/// The number of bits of an integer, a float, or a vector of them.
fn bits(ty: BasicTypeEnum<'_>) -> Option<u32> {
    match ty {
        BasicTypeEnum::IntType(ty) => Some(ty.get_bit_width()),
        BasicTypeEnum::FloatType(ty) => Some(ty.get_bit_width()),
        BasicTypeEnum::VectorType(ty) => Some(ty.get_size() * bits(ty.get_element_type())?),
        _ => None,
    }
}

fn unseen<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    value: BasicValueEnum<'c>,
) -> Result<Option<BasicValueEnum<'c>>, BuilderError> {
    let function = value.get_type().fn_type(&[value.get_type().into()], false);
    let text = context.create_inline_asm(function, String::new(), "=v,0".into(), false, false, None, false);
    let call = builder.build_indirect_call(function, text, &[value.into()], "kept")?;
    Ok(call.try_as_basic_value().basic())
}
