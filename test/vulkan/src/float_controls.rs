//! Creates SPIR-V modules in which the device must not change float arithmetic. WGSL has no way to
//! forbid such changes.
use crate::{Code, Error};
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use rspirv::binary::Assemble;
use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass, Word};
use std::collections::BTreeMap;

const ARITHMETIC: [Op; 5] = [Op::FNegate, Op::FAdd, Op::FSub, Op::FMul, Op::FDiv];

/// Translates a WGSL text to SPIR-V with naga, and applies [`with_exact_floats`] to the module.
///
/// # Errors
/// [`Error::Invalid`] for text that naga refuses.
pub fn float_controls(text: &str, entry: &str) -> Result<Code, Error> {
    let invalid = |why: String| Error::Invalid(why);
    let text = text.replacen("enable subgroups;", "", 1);
    let module = naga::front::wgsl::parse_str(&text).map_err(|e| invalid(e.emit_to_string(&text)))?;
    let has = Capabilities::SHADER_FLOAT16 | Capabilities::SHADER_FLOAT16_IN_FLOAT32 | Capabilities::SUBGROUP;
    let info = Validator::new(ValidationFlags::all(), has)
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(&module)
        .map_err(|e| invalid(e.emit_to_string(&text)))?;
    let entry_point = entry.to_string();
    let one = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point };
    let words = spv::write_vec(&module, &info, &spv::Options::default(), Some(&one));
    let words = words.map_err(|e| invalid(e.to_string()))?;
    with_exact_floats(&words)
}

/// Adds `SignedZeroInfNanPreserve` for each float width in the module, and `NoContraction` to each sum and product.
/// The function also replaces constants in arithmetic by values that are computed at run time: float constants, and
/// integer constants, from which a driver can compute a float constant. The original module can
/// have a result that differs from the interpreter's result, although the changed module has the interpreter's
/// result. The reason for this difference is that WGSL does not define the result, or that the driver computes
/// wrongly with a constant. For example, lavapipe of Mesa 22.3 folds `0 / x` to 0, `x / 0` to any number and
/// `x + 0` to `x` in all modes. lavapipe also computes -0 for `c ? -1 : 0` if `c` is false.
///
/// # Errors
/// [`Error::Invalid`] for words that are not a module.
pub fn with_exact_floats(words: &[u32]) -> Result<Code, Error> {
    let mut module = rspirv::dr::load_words(words).map_err(|e| Error::Invalid(e.to_string()))?;
    preserve(&mut module);
    compute_constants_at_run_time(&mut module);
    Ok(Code::Spirv(module.assemble()))
}

/// Operations whose integer operands do not have to be constants. The index of a member of a block, a scope and the
/// order of memory must be constants.
const INTEGER_ARITHMETIC: [Op; 18] = [
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::UDiv,
    Op::SDiv,
    Op::UMod,
    Op::ShiftLeftLogical,
    Op::ShiftRightLogical,
    Op::ShiftRightArithmetic,
    Op::BitwiseAnd,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::Select,
    Op::Store,
    Op::ConvertUToF,
    Op::ConvertSToF,
    Op::UConvert,
    Op::SConvert,
];

fn operation(op: Op, ty: Option<Word>, result: Option<Word>, operands: &[Operand]) -> Instruction {
    Instruction::new(op, ty, result, operands.to_vec())
}

fn preserve(module: &mut Module) {
    let capability =
        operation(Op::Capability, None, None, &[Operand::Capability(Capability::SignedZeroInfNanPreserve)]);
    if !module.capabilities.contains(&capability) {
        let floats = module.types_global_values.iter().filter(|one| one.class.opcode == Op::TypeFloat);
        let widths: Vec<Operand> = floats.filter_map(|one| one.operands.first().cloned()).collect();
        let entry = module.entry_points.first().and_then(|one| one.operands.get(1)).cloned();
        let mode = Operand::ExecutionMode(ExecutionMode::SignedZeroInfNanPreserve);
        let modes = widths.into_iter().zip(entry.into_iter().cycle());
        let modes = modes.map(|(width, entry)| operation(Op::ExecutionMode, None, None, &[entry, mode.clone(), width]));
        module.execution_modes.extend(modes.collect::<Vec<_>>());
        module.capabilities.push(capability);
        let name = Operand::LiteralString("SPV_KHR_float_controls".into());
        module.extensions.push(operation(Op::Extension, None, None, &[name]));
    }
    let all = module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    let exact = all.filter(|one| ARITHMETIC.contains(&one.class.opcode)).filter_map(|one| one.result_id);
    let decorated = |id| [Operand::IdRef(id), Operand::Decoration(Decoration::NoContraction)];
    let exact: Vec<_> = exact.map(|id| operation(Op::Decorate, None, None, &decorated(id))).collect();
    module.annotations.retain(|one| !exact.contains(one));
    module.annotations.extend(exact);
}

/// The SPIR-V ids from which run-time code computes the constants.
struct RuntimeConstants {
    /// An input of the module, the type of the input's value, and whether the type is a vector.
    input: (Word, Word, bool),
    word: Word,
    single: Word,
    top: Word,
    /// The float constants. Each constant has an id, a type, and the id of a word that contains its bits as
    /// an f32.
    constants: Vec<(Word, Word, Word)>,
    /// The ids and types of the integer constants.
    integers: Vec<(Word, Word)>,
    next: Word,
}

/// The value of an operand of an instruction, if the operand is an id or one word.
fn at(of: &Instruction, number: usize) -> Option<Word> {
    match of.operands.get(number)? {
        Operand::IdRef(word) | Operand::LiteralBit32(word) => Some(*word),
        _ => None,
    }
}

impl RuntimeConstants {
    fn of(module: &mut Module) -> Option<RuntimeConstants> {
        let all = &mut module.types_global_values;
        let is_input = |one: &&Instruction| {
            one.class.opcode == Op::Variable
                && one.operands.first() == Some(&Operand::StorageClass(StorageClass::Input))
        };
        let input = all.iter().find(is_input)?.clone();
        let by_id = |id: Word| all.iter().find(|one| one.result_id == Some(id));
        let value = at(by_id(input.result_type?)?, 1)?;
        let is_vector = by_id(value)?.class.opcode == Op::TypeVector;
        let word = if is_vector { at(by_id(value)?, 0)? } else { value };
        let is_float = |one: &&Instruction| one.class.opcode == Op::TypeFloat;
        let widths: BTreeMap<Word, Word> =
            all.iter().filter(is_float).filter_map(|one| Some((one.result_id?, at(one, 0)?))).collect();
        let floats: Vec<(Word, Word, f32)> = all
            .iter()
            .filter(|one| one.class.opcode == Op::Constant)
            .filter_map(|one| {
                let (id, ty) = (one.result_id?, one.result_type?);
                let number = match (widths.get(&ty)?, one.operands.first()?) {
                    (16, Operand::LiteralBit32(bits)) => half(*bits),
                    (32, Operand::LiteralBit32(bits)) => f32::from_bits(*bits),
                    (64, Operand::LiteralBit64(bits)) => {
                        let number = f64::from_bits(*bits) as f32;
                        (f64::from(number).to_bits() == *bits).then_some(number)?
                    }
                    _ => return None,
                };
                Some((id, ty, number))
            })
            .collect();
        let is_int = |one: &&Instruction| one.class.opcode == Op::TypeInt;
        let ints: Vec<Word> = all.iter().filter(is_int).filter_map(|one| one.result_id).collect();
        let integers = all.iter().filter(|one| one.class.opcode == Op::Constant);
        let integers = integers.filter_map(|one| Some((one.result_id?, one.result_type?)));
        let integers: Vec<(Word, Word)> = integers.filter(|(_, ty)| ints.contains(ty)).collect();
        let mut next = module.header.as_ref()?.bound;
        let mut fresh = || {
            next += 1;
            next - 1
        };
        let single = widths.iter().find(|(_, width)| **width == 32).map(|(id, _)| *id);
        let single = single.unwrap_or_else(|| {
            let id = fresh();
            all.push(operation(Op::TypeFloat, None, Some(id), &[Operand::LiteralBit32(32)]));
            id
        });
        let mut constant = |bits: u32| {
            let id = fresh();
            all.push(operation(Op::Constant, Some(word), Some(id), &[Operand::LiteralBit32(bits)]));
            id
        };
        let top = constant(31);
        let constants = floats.into_iter().map(|(id, ty, number)| (id, ty, constant(number.to_bits()))).collect();
        let input = (input.result_id?, value, is_vector);
        Some(RuntimeConstants { input, word, single, top, constants, integers, next })
    }

    /// Replaces the constants in the arithmetic of a function by values that the first block of the function computes.
    fn apply(&mut self, function: &mut Function) {
        let mut code = Vec::new();
        let mut made = |op: Op, ty: Word, operands: &[Operand]| {
            self.next += 1;
            code.push(operation(op, Some(ty), Some(self.next - 1), operands));
            Operand::IdRef(self.next - 1)
        };
        let (variable, value, is_vector) = self.input;
        let mut input = made(Op::Load, value, &[Operand::IdRef(variable)]);
        if is_vector {
            input = made(Op::CompositeExtract, self.word, &[input, Operand::LiteralBit32(0)]);
        }
        let zero = made(Op::ShiftRightLogical, self.word, &[input, Operand::IdRef(self.top)]);
        let mut constants = BTreeMap::new();
        for (id, ty, bits) in &self.constants {
            let bits = made(Op::BitwiseXor, self.word, &[zero.clone(), Operand::IdRef(*bits)]);
            let single = made(Op::Bitcast, self.single, &[bits]);
            constants.insert(*id, if *ty == self.single { single } else { made(Op::FConvert, *ty, &[single]) });
        }
        let mut zeros = BTreeMap::from([(self.word, zero.clone())]);
        let mut integers = BTreeMap::new();
        for (id, ty) in &self.integers {
            let zero = zeros.entry(*ty).or_insert_with(|| made(Op::UConvert, *ty, std::slice::from_ref(&zero))).clone();
            integers.insert(*id, made(Op::BitwiseXor, *ty, &[Operand::IdRef(*id), zero]));
        }
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            let takes_integers = INTEGER_ARITHMETIC.contains(&instruction.class.opcode);
            for operand in &mut instruction.operands {
                let Operand::IdRef(id) = operand else { continue };
                let number = constants.get(id).or_else(|| integers.get(id).filter(|_| takes_integers));
                if let Some(number) = number {
                    *operand = number.clone();
                }
            }
        }
        if let Some(first) = function.blocks.first_mut() {
            let variables = first.instructions.iter().take_while(|one| one.class.opcode == Op::Variable).count();
            first.instructions.splice(variables..variables, code);
        }
    }
}

fn compute_constants_at_run_time(module: &mut Module) {
    let Some(mut constants) = RuntimeConstants::of(module) else { return };
    module.functions.iter_mut().for_each(|function| constants.apply(function));
    if let Some(header) = &mut module.header {
        header.bound = constants.next;
    }
}

/// The value of an f16 with the given bits.
fn half(bits: u32) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, bits >> 10 & 31, bits & 1023);
    let magnitude = match exponent {
        0 => fraction as f32 * 2f32.powi(-24),
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_numbers() {
        for (bits, number) in [(0x3c00, 1.0), (0xc000, -2.0), (1, 2f32.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(half(bits), number);
        }
        assert!(half(0x7e00).is_nan() && half(0x8000).is_sign_negative());
    }
}
