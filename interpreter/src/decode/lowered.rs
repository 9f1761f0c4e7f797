//! Decodes the code that the CPU's lowering produces from a kernel. The code consists of functions of the LLVM dialect
//! that access memory by address. In the first stages of the lowering, the code contains work-item loops.
//!
//! The low [`ADDRESS_BITS`] bits of a pointer are the offset, and the higher bits are the number of the buffer plus
//! one. A memref is the descriptor that `finalize-memref-to-llvm` creates. The descriptor has five slots: the second is
//! the pointer, the third the offset, and the fourth the length.
use super::decoder::{Decoder, Slot, error};
use super::operands::AccessOperands;
use crate::aggregates::Tree;
use crate::program::{ADDRESS_BITS, AtomicKind, BufferDecl, Code, ExecutionForm, LaunchBuffers, Program};
use crate::rules::{atomics::combine_of, combine};
use crate::shape::{BufferContents, LaneKind, Space};
use cube_dialect::{TopologyKind, UnitLoop, attributes::SCRATCH_BYTES};
use cube_ir::ops::llvm::{self, AtomicBinOp};
use cube_ir::{AttrExt, DYNAMIC_INDEX, Diagnostic, Op, Type, diagnostic};
use cube_semantics::{IntPredicate, ints};

type DecodeResult = Result<(), Diagnostic>;

const DESCRIPTOR_SLOTS: u32 = 5;
/// `struct Launch` of the calling convention.
const LAUNCH_BYTES: u64 = 40;

impl Program {
    /// Decodes the function that the CPU's lowering produces from a kernel. `kernel` is the same kernel, decoded at an
    /// earlier level with its parameters.
    ///
    /// # Errors
    /// An operation or type has no rule, or no function has the kernel's name.
    pub fn decode_lowered(module: Op<'_>, kernel: &Program) -> Result<Program, Diagnostic> {
        let entry = function(module, &kernel.name)
            .ok_or_else(|| error(module, diagnostic!(CUBE0700.no_kernel { kernel: kernel.name })))?;
        let mut decoder = Decoder::new(entry, &kernel.name, kernel.cube_dim, true, false);
        let program = decoder.program();
        program.form = ExecutionForm::Launch;
        program.params = kernel.params.clone();
        program.derived = kernel.derived.clone();
        program.cube_count = kernel.cube_count.clone();
        program.records = kernel.records.clone();
        program.scalar_kinds = kernel.scalar_kinds.clone();
        program.buffers = kernel.buffers[..kernel.params.len()].to_vec();
        decoder.entry(entry)?;
        decoder.finish()
    }
}

fn function<'p>(module: Op<'p>, name: &str) -> Option<Op<'p>> {
    let named = |op: &Op<'p>| op.attr("sym_name").and_then(|a| a.as_str()) == Some(name);
    module.body()?.ops().into_iter().find(|op| op.is(llvm::FUNC) && named(op))
}

fn pointer(buffer: usize) -> u64 {
    (buffer as u64 + 1) << ADDRESS_BITS
}

impl<'p> Decoder<'p> {
    // The arguments of a call for all cubes: the launch, the first cube, the cube after the last one, and scratch
    // memory.
    fn entry(&mut self, entry: Op<'p>) -> DecodeResult {
        let body = entry.body().ok_or_else(|| error(entry, diagnostic!(CUBE0700.no_entry)))?;
        let params = self.program().params.len() as u64;
        let [launch, pointers, info, scalars] =
            [LAUNCH_BYTES, 8 * params, 8 * params, 8 * params].map(|bytes| self.stack(bytes));
        self.program().launch = Some(LaunchBuffers { launch, pointers, info, scalars });
        // If the attribute is missing, the size of the scratch memory is unknown.
        let scratch = entry.attr(SCRATCH_BYTES).and_then(|a| a.as_int()).and_then(|bytes| u64::try_from(bytes).ok());
        let scratch = scratch.ok_or_else(|| error(entry, diagnostic!(CUBE0156.lost { name: SCRATCH_BYTES })))?;
        let scratch = self.stack(scratch);
        let cubes = self.slots(entry, 1)?;
        self.program().topology.push((TopologyKind::CubeCount, cubes));
        let values = [
            self.constant(entry, pointer(launch))?,
            self.constant(entry, 0)?,
            cubes,
            self.constant(entry, pointer(scratch))?,
        ];
        for (argument, at) in body.args().zip(values) {
            self.alias(entry, argument, at)?;
        }
        let region = entry.regions().next().ok_or_else(|| error(entry, diagnostic!(CUBE0700.no_entry)))?;
        self.graph(entry, region)
    }

    // Declares a buffer of `bytes` bytes, which exists during the launch; returns the number of the buffer.
    fn stack(&mut self, bytes: u64) -> usize {
        let held = BufferContents {
            element: LaneKind::Int(8),
            line: 1,
            lines: Some(bytes),
            space: Space::Stack,
            tensor: false,
        };
        let number = self.program().buffers.len();
        self.program().buffers.push(Some(BufferDecl { name: format!("stack{number}"), held, base: 0, offset: None }));
        number
    }

    /// Whether the program accesses memory by address.
    pub fn by_address(&self) -> bool {
        self.form() == ExecutionForm::Launch
    }

    /// The slot of the address of a line of a memref.
    pub fn address(&mut self, op: Op<'p>, memref: &Slot, index: u32) -> Result<u32, Diagnostic> {
        let held = memref.shape.held.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_memref)))?;
        let at = self.slots(op, 1)?;
        let bytes = held.element.bytes() * held.line.max(1);
        self.emit(Code::Address, at, [index, memref.at + 1, memref.at + 2], 1, bytes)?;
        Ok(at)
    }

    /// Reads a value.
    pub fn read(&mut self, at: u32, to: &Slot) -> DecodeResult {
        let bool = to.shape.kind == LaneKind::Int(1);
        self.emit(Code::Read { bool }, to.at, [at, 0, 0], to.shape.lanes(), to.shape.kind.bytes()).map(|_| ())
    }

    pub fn write(&mut self, at: u32, value: &Slot) -> DecodeResult {
        self.emit(Code::Write, 0, [at, 0, value.at], value.shape.lanes(), value.shape.kind.bytes()).map(|_| ())
    }
}

/// `cube.topology` in code that runs units in loops: the enclosing loops define the position.
pub fn unit_position<'p>(d: &mut Decoder<'p>, op: Op<'p>, kind: TopologyKind) -> DecodeResult {
    let zero = d.constant(op, 0)?;
    let mut unit = [zero; 3];
    for around in op.ancestors() {
        let (Some(own), Some(body)) = (UnitLoop::of(around), around.body()) else { continue };
        let counter = d.values.get(&body.arg(0)).map(|slot| slot.at);
        // In a loop over planes, code reads only the position of the cube, not the position of the unit.
        if let UnitLoop::Unit(axis) = own {
            unit[axis] = counter.unwrap_or(zero);
        }
    }
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Place { kind }, slot.at, unit, 1, 0).map(|_| ())
}

/// `llvm.call`: inlines the callee.
pub fn call<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let name = op.attr("callee").and_then(|a| a.as_symbol()).unwrap_or_default();
    let callee = d.kernel.parent().and_then(|module| function(module, name));
    let region = callee.and_then(|f| f.regions().next()).filter(|r| r.first_block().is_some());
    let region = region.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_function { name })))?;
    if op.results().len() > 0 || d.open.contains(&name) {
        return Err(error(op, diagnostic!(CUBE0700.call { name })));
    }
    let arguments = d.operands(op)?;
    for (argument, slot) in region.first_block().into_iter().flat_map(|b| b.args()).zip(arguments) {
        d.values.insert(argument, slot);
    }
    d.open.push(name);
    d.enter_function();
    d.graph(op, region)?;
    d.leave_function();
    d.open.pop();
    Ok(())
}

/// `llvm.alloca`: one allocation, even if the operation executes several times.
pub fn alloca<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let count = op.operand(0).def().and_then(|c| c.attr("value")).and_then(|a| a.as_int()).filter(|n| *n >= 0);
    let count = count.ok_or_else(|| error(op, diagnostic!(CUBE0700.constant_size)))?;
    let bytes = element_bytes(d, op)?.saturating_mul(count as u64);
    let number = d.stack(bytes);
    let at = d.constant(op, pointer(number))?;
    d.alias(op, op.result(0), at)
}

// Bytes of the element type of an operation.
fn element_bytes<'p>(d: &Decoder<'p>, op: Op<'p>) -> Result<u64, Diagnostic> {
    let ty = op.attr("elem_type").and_then(|a| a.as_type());
    let shape = ty.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_element))).and_then(|ty| d.shape(op, ty))?;
    if shape.kind == LaneKind::Aggregate {
        return Err(error(op, diagnostic!(CUBE0700.structure)));
    }
    Ok(u64::from(shape.kind.bytes() * shape.lanes()))
}

/// `llvm.getelementptr` with one index.
pub fn element<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let indices = op.attr("rawConstantIndices").and_then(|a| a.as_i32_array()).unwrap_or_default();
    let base = d.operand(op, 0)?;
    let zero = d.constant(op, 0)?;
    let index = match indices.as_slice() {
        [DYNAMIC_INDEX] => {
            let index = d.operand(op, 1)?;
            if index.shape.kind.bits() != 64 {
                return Err(error(op, diagnostic!(CUBE0700.index_bits)));
            }
            index.at
        }
        [constant] => d.constant(op, i64::from(*constant) as u64)?,
        _ => return Err(error(op, diagnostic!(CUBE0700.one_index))),
    };
    let bytes = element_bytes(d, op)? as u32;
    let slot = d.define(op, op.result(0))?;
    // A vector of indices gives a vector of addresses.
    for lane in 0..slot.shape.lanes() {
        d.emit(Code::Address, slot.at + lane, [index + lane, base.at, zero], 1, bytes)?;
    }
    Ok(())
}

/// `llvm.ptrtoint` to 64 bits. The numbers of different buffers are at least 2^[`ADDRESS_BITS`] apart.
pub fn pointer_bits<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    if d.shape(op, op.result(0).ty())?.kind.bits() != 64 {
        return Err(error(op, diagnostic!(CUBE0700.index_bits)));
    }
    let at = d.operand(op, 0)?.at;
    d.alias(op, op.result(0), at)
}

/// `llvm.load`
pub fn load<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let at = d.operand(op, parts.memory)?.at;
    let slot = d.define(op, op.result(0))?;
    d.read(at, &slot)
}

/// `llvm.store`
pub fn store<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (value, at) = (d.operand(op, parts.need(parts.value)?)?, d.operand(op, parts.memory)?.at);
    d.write(at, &value)
}

/// `llvm.atomicrmw`
pub fn modify<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (at, value) = (d.operand(op, parts.memory)?.at, d.operand(op, parts.need(parts.value)?)?);
    let operation = llvm::Atomicrmw::of(op).and_then(|op| op.bin_op());
    let f = operation.and_then(combine_of).and_then(|word| combine::function(word, value.shape.kind, false));
    let name = operation.map_or("of an unknown operation", AtomicBinOp::word);
    let f = f.ok_or_else(|| error(op, diagnostic!(CUBE0700.atomic { name })))?;
    let slot = d.define(op, op.result(0))?;
    d.atomic_at(AtomicKind::Rmw(f), [at, value.at, slot.at], value.shape.kind, value.shape.kind.bits())
}

/// `llvm.cmpxchg`: returns the old value, and whether the old value equalled the expected value.
pub fn compare_exchange<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (at, value) = (d.operand(op, parts.memory)?.at, d.operand(op, parts.need(parts.value)?)?);
    let expected = d.operand(op, parts.need(parts.other)?)?;
    let slot = d.define(op, op.result(0))?;
    d.atomic_at(AtomicKind::Cas, [at, value.at, slot.at], value.shape.kind, expected.at)?;
    let bits = value.shape.kind.bits();
    d.emit(Code::Map2(IntPredicate::Eq.function()), slot.at + 1, [slot.at, expected.at, 0], 1, bits).map(|_| ())
}

impl<'p> Decoder<'p> {
    /// Emits an atomic operation at an address. The array argument contains the slots of the address, the value and
    /// the result. `imm` has the same meaning as in `Code::Atomic`.
    pub fn atomic_at(
        &mut self,
        kind: AtomicKind,
        [at, value, to]: [u32; 3],
        element: LaneKind,
        imm: u32,
    ) -> DecodeResult {
        self.has_atomics = true;
        self.emit(Code::AtomicAt(kind), to, [at, 0, value], element.bytes(), imm).map(|_| ())
    }
}

/// `llvm.intr.uadd.with.overflow`: the sum and the carry.
pub fn carry<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let slot = d.define(op, op.result(0))?;
    let (lanes, bits) = (a.shape.lanes(), a.shape.kind.bits());
    d.emit(Code::Map2(ints::add), slot.at, [a.at, b.at, 0], lanes, bits)?;
    d.emit(Code::Map2(ints::carry), slot.at + lanes, [a.at, b.at, 0], lanes, bits).map(|_| ())
}

fn part<'p>(op: Op<'p>, ty: Type<'p>) -> Result<u32, Diagnostic> {
    let position = op.attr("position").and_then(|a| a.as_i64_array()).unwrap_or_default();
    let at = Tree::parse(&ty.to_string()).and_then(|tree| tree.at(&position));
    at.ok_or_else(|| error(op, diagnostic!(CUBE0700.part { ty })))
}

/// `llvm.extractvalue`
pub fn extract<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let at = d.operand(op, 0)?.at + part(op, op.operand(0).ty())?;
    d.alias(op, op.result(0), at)
}

/// `llvm.insertvalue`
pub fn insert<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (whole, value) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let at = part(op, op.result(0).ty())?;
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Copy, slot.at, [whole.at, 0, 0], slot.shape.lanes(), 0)?;
    d.emit(Code::Copy, slot.at + at, [value.at, 0, 0], value.shape.lanes(), 0).map(|_| ())
}

/// `builtin.unrealized_conversion_cast` between two types with the same slots.
pub fn same<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let to = d.shape(op, op.result(0).ty())?;
    let from = d.operand(op, 0)?;
    if from.shape.kind == LaneKind::Buffer && to.lanes() == DESCRIPTOR_SLOTS {
        return descriptor(d, op, &from);
    }
    if op.operands().len() != 1 || op.results().len() != 1 || from.shape.lanes() != to.lanes() {
        return Err(error(op, diagnostic!(CUBE0700.cast)));
    }
    d.alias(op, op.result(0), from.at)
}

// The descriptor of a buffer in a kernel that is not lowered to a function yet. Its memory already has an address.
fn descriptor<'p>(d: &mut Decoder<'p>, op: Op<'p>, buffer: &Slot) -> DecodeResult {
    let slot = d.define(op, op.result(0))?;
    let (one, bits) = (d.constant(op, 1)?, d.constant(op, ADDRESS_BITS.into())?);
    d.emit(Code::Map2(ints::add), slot.at + 1, [buffer.at, one, 0], 1, 64)?;
    d.emit(Code::Map2(ints::shl), slot.at + 1, [slot.at + 1, bits, 0], 1, 64).map(|_| ())
}

/// `llvm.mlir.poison`, `llvm.mlir.undef`, `llvm.mlir.zero`: the initial values of structures.
pub fn blank<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    d.define(op, op.result(0)).map(|_| ())
}

/// `llvm.extractelement`
pub fn lane<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (vector, index) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Pick { total: false }, slot.at, [index.at, vector.at, 0], 1, vector.shape.lanes()).map(|_| ())
}

/// `llvm.insertelement`
pub fn with_lane<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (vector, value, index) = (d.operand(op, 0)?, d.operand(op, 1)?, d.operand(op, 2)?);
    let slot = d.define(op, op.result(0))?;
    let lanes = slot.shape.lanes();
    d.emit(Code::Copy, slot.at, [vector.at, 0, 0], lanes, 0)?;
    d.emit(Code::Put { total: false }, slot.at, [index.at, value.at, 0], 1, lanes).map(|_| ())
}
