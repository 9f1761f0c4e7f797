//! The module around a kernel: bindings, shared memory and the entry point.
//!
//! The convention is documented at `CodeFormat::SPIRV` in `runtime/artifact`.
use crate::assembly::{id, number};
use crate::state::{Arguments, Spirv, Value, refuse};
use cube_backend::{BufferAccess, GRID_WORDS};
use cube_dialect::{Memory, kernels_of, memory_of, ops};
use cube_ir::ops::memref;
use cube_ir::{Op, Val};
use cube_structured::{Buffer, Emit, MemorySizes, ModuleInfo, Scalar, WORD, Written, region, uses_grid};
use cube_target::{Target, spirv};
use rspirv::dr::{self, Operand};
use rspirv::spirv::{Capability, Decoration, GlslStd450Op, Op as S, StorageClass, Word};
use std::collections::BTreeSet;

/// Writes the module's kernel for a chip.
///
/// # Errors
/// SPIR-V or the chip lacks an operation of the kernel; the error locates the first such operation.
pub fn write(module: Op<'_>, target: &Target) -> Written<(dr::Module, ModuleInfo)> {
    let [kernel] = kernels_of(module)[..] else { return Err(refuse(module, "the module must have one kernel")) };
    let mut s = Spirv::new(kernel, target);
    let begin = s.asm.fresh();
    s.asm.begin(begin);
    let accesses = arguments(&mut s, kernel)?;
    let shared_bytes = allocations(&mut s, kernel, target)?;
    region(&mut s, kernel.op(), 0)?;
    s.asm.end(None, S::Return, vec![]);
    s.checked(kernel.op())?;
    let entry: String =
        kernel.name().chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let features: BTreeSet<&str> = s.asm.used().filter_map(|name| spirv::feature(&name)).collect();
    let features = features.into_iter().map(String::from).collect();
    let module = s.asm.finish(&entry, s.units.in_code());
    let plane_dim = s.units.needed_plane_dim();
    Ok((module, ModuleInfo { entry, first_cubes: None, accesses, features, shared_bytes, plane_dim }))
}

fn arguments<'p>(s: &mut Spirv<'p>, kernel: ops::Kernel<'p>) -> Written<Vec<BufferAccess>> {
    let lacks = |value: Val<'p>| refuse(kernel.op(), format!("SPIR-V or the chip has no type {}", value.ty()));
    let bound = cube_structured::Arguments::of(kernel);
    let (mut words, accesses) = (bound.words(), bound.accesses());
    let cube_structured::Arguments { buffers, scalars } = bound;
    // The addresses of the buffers follow the scalars.
    let first_address = s.asm.has(Capability::PhysicalStorageBufferAddresses).then_some(words);
    words += first_address.map_or(0, |_| 2 * buffers.len() as u32);
    let bindings = if first_address.is_some() { 0 } else { buffers.len() as u32 };
    words = words.next_multiple_of(4);
    let of_grid = if kernel.op().walk().into_iter().any(uses_grid) { GRID_WORDS as u32 } else { 0 };
    if words + of_grid == 0 {
        return Ok(accesses);
    }
    let four_words = s.asm.vector(WORD, 4);
    let lines = s.asm.array(four_words, Some((words + of_grid) / 4), Some(16));
    let block = s.asm.block(&[lines], &[0]);
    let uniform = s.asm.global(StorageClass::Uniform, block);
    s.arguments = Arguments { block: uniform, words };
    s.asm.name(uniform, "arguments");
    s.asm.decorate(uniform, Decoration::DescriptorSet, vec![number(0)]);
    s.asm.decorate(uniform, Decoration::Binding, vec![number(bindings)]);
    for (binding, Buffer { name, value, access }) in (0..).zip(&buffers) {
        let address = first_address.map(|first| s.two_words(first + 2 * binding));
        let array = s.declared(*value, name, address).ok_or_else(|| lacks(*value))?;
        let view = s.view(*value, &array, name, address);
        s.checked(kernel.op())?;
        for variable in [Some(array.variable), view].into_iter().flatten().take_while(|_| address.is_none()) {
            s.asm.decorate(variable, Decoration::DescriptorSet, vec![number(0)]);
            s.asm.decorate(variable, Decoration::Binding, vec![number(binding)]);
            if access.is_some_and(|access| !access.writes()) {
                s.asm.decorate(variable, Decoration::NonWritable, vec![]);
            } else if view.is_some() {
                s.asm.decorate(variable, Decoration::Aliased, vec![]);
            }
        }
    }
    for (at, Buffer { value, .. }) in buffers.iter().enumerate() {
        let length = Value::of(s.argument(at as u32), WORD);
        s.bind(*value, vec![length, length]);
    }
    let mut at = buffers.len() as u32;
    for (_, value) in scalars {
        let ty = Scalar::of(value.ty()).ok_or_else(|| lacks(value))?;
        let lane = if ty.bits() == 64 {
            let both = s.two_words(at);
            s.emit(S::Bitcast, ty, &[both])
        } else {
            let word = s.argument(at);
            scalar(s, ty, word)
        };
        at += if ty.bits() == 64 { 2 } else { 1 };
        s.checked(kernel.op())?;
        s.bind(value, vec![lane]);
    }
    Ok(accesses)
}

// Converts a word of the uniform block to a scalar of at most 32 bits.
fn scalar(s: &mut Spirv<'_>, ty: Scalar, word: Word) -> Value {
    match ty {
        Scalar::Bool => {
            let zero = s.asm.word(0);
            s.emit(S::INotEqual, ty, &[word, zero])
        }
        Scalar::Float(16) => {
            let (pair, set) = (s.asm.vector(Scalar::Float(32), 2), s.asm.glsl());
            let unpack = Operand::LiteralExtInstInteger(GlslStd450Op::UnpackHalf2x16 as u32);
            let pair = s.asm.value(S::ExtInst, pair, vec![id(set), unpack, id(word)]);
            let first = s.part(pair, Scalar::Float(32), 0).id;
            s.emit(S::FConvert, ty, &[first])
        }
        Scalar::Int(8 | 16) if s.storage_type(ty) == ty => s.emit(S::UConvert, ty, &[word]),
        Scalar::Float(_) => s.emit(S::Bitcast, ty, &[word]),
        _ => Value::of(word, ty),
    }
}

// Declares all allocations, and returns the bytes of shared memory. An allocation inside a loop is one variable, so all
// allocations are declared outside of the control flow.
fn allocations<'p>(s: &mut Spirv<'p>, kernel: ops::Kernel<'p>, target: &Target) -> Written<u64> {
    let mut sizes = MemorySizes::default();
    for op in kernel.op().walk().into_iter().filter(|op| op.is(memref::ALLOCA)) {
        let value = op.result(0);
        let name = if memory_of(value) == Memory::Shared { "shared" } else { "local" };
        let array = s
            .declared(value, name, None)
            .ok_or_else(|| refuse(op, format!("SPIR-V has no memory of {}", value.ty())))?;
        s.checked(op)?;
        sizes.add(value, array.layout.bytes(u64::from(s.storage_type(array.scalar).bits().max(8) / 8)));
        let lines = array.layout.lines.and_then(|lines| u32::try_from(lines).ok());
        let lines = lines.ok_or_else(|| refuse(op, "its length has more than 32 bits"))?;
        let length = s.number(WORD, lines.into());
        s.bind(value, vec![length, length]);
    }
    if let Some(why) = sizes.beyond_limit(target) {
        return Err(refuse(kernel.op(), why));
    }
    Ok(sizes.shared)
}
