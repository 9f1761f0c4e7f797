//! A SPIR-V module under construction: types, constants and instructions with ids.
use cube_structured::{Phi, Phis, Scalar, WORD};
use cube_target::{Target, spirv};
use rspirv::binary::Assemble;
use rspirv::dr::{Block, Function, Instruction, Module, ModuleHeader, Operand};
use rspirv::grammar::{BaseInstruction, INSTRUCTION_TABLE};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op,
    StorageClass, Word,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// A module with one function. Each type, each constant and the import of the GLSL functions exists once, in the order
/// of first use.
#[derive(Default)]
pub struct Assembly {
    module: Module,
    next: Word,
    interned: HashMap<Vec<u32>, Word>,
    chip: BTreeSet<String>,
    /// The SPIR-V version: 10 times the major number plus the minor number.
    pub version: u32,
    used: BTreeSet<Capability>,
    missing_capability: Option<String>,
    variables: Vec<Instruction>,
    early: Vec<Instruction>,
    pub phis: Phis,
    pub blocks: Vec<Block>,
    interface: Vec<Word>,
    inputs: Vec<Word>,
    float_widths: BTreeSet<u32>,
    line: Option<(Word, u32)>,
    next_line: Option<(Word, u32)>,
}

pub fn id(word: Word) -> Operand {
    Operand::IdRef(word)
}

pub fn number(word: u32) -> Operand {
    Operand::LiteralBit32(word)
}

// The words that identify a global instruction.
fn key(op: Op, ty: Option<Word>, operands: &[Operand]) -> Vec<u32> {
    let mut words = vec![op as u32, ty.unwrap_or_default()];
    operands.iter().for_each(|operand| operand.assemble_into(&mut words));
    words
}

// `Instruction::new` searches a table of all instructions, which takes longer than the other work on an instruction.
fn instruction(op: Op, result_type: Option<Word>, result_id: Option<Word>, operands: Vec<Operand>) -> Instruction {
    static CLASSES: LazyLock<HashMap<Op, &'static BaseInstruction<'static, Op>>> =
        LazyLock::new(|| INSTRUCTION_TABLE.iter().map(|class| (class.opcode, class)).collect());
    let class = CLASSES.get(&op).copied().unwrap_or_else(|| INSTRUCTION_TABLE.get(op));
    Instruction { class, result_type, result_id, operands }
}

/// The id of a block.
pub fn label(block: &Block) -> Word {
    block.label.as_ref().and_then(|label| label.result_id).unwrap_or_default()
}

impl Assembly {
    /// An empty module for a chip.
    pub fn new(target: &Target) -> Assembly {
        let chip: BTreeSet<String> = target.capabilities.iter().cloned().collect();
        let model = chip.contains("VulkanMemoryModel").then_some(Capability::VulkanMemoryModel);
        let used = [Capability::Shader].into_iter().chain(model).collect();
        Assembly { next: 1, chip, version: target.language.unwrap_or(13), used, ..Assembly::default() }
    }

    /// A fresh id.
    pub fn fresh(&mut self) -> Word {
        self.next += 1;
        self.next - 1
    }

    /// Whether the chip has a capability.
    pub fn has(&self, capability: Capability) -> bool {
        self.chip.contains(&format!("{capability:?}"))
    }

    /// Records that the code uses a capability. A capability that the chip lacks is only recorded for
    /// [`Assembly::take_missing_capability`]. The module does not declare a capability that the chip lacks.
    pub fn require_capability(&mut self, capability: Capability) {
        if self.has(capability) {
            self.used.insert(capability);
        } else {
            self.missing_capability.get_or_insert(format!("{capability:?}"));
        }
    }

    /// The first capability that the chip lacks, among the capabilities used since the last call of this
    /// function.
    pub fn take_missing_capability(&mut self) -> Option<String> {
        self.missing_capability.take()
    }

    /// Whether the code uses a capability.
    pub fn uses(&self, capability: Capability) -> bool {
        self.used.contains(&capability)
    }

    /// The names of the capabilities that the code uses.
    pub fn used(&self) -> impl Iterator<Item = String> {
        self.used.iter().map(|capability| format!("{capability:?}"))
    }

    // Emits a global instruction, unless an equal instruction exists.
    fn intern(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>) -> (Word, bool) {
        self.once(op, ty, operands, false)
    }

    /// Emits an instruction at the start of the function, unless an equal instruction exists there.
    pub fn early(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        self.once(op, Some(ty), operands, true).0
    }

    fn once(&mut self, op: Op, ty: Option<Word>, operands: Vec<Operand>, is_early: bool) -> (Word, bool) {
        let key = key(op, ty, &operands);
        if let Some(known) = self.interned.get(&key) {
            return (*known, false);
        }
        let result = self.fresh();
        self.interned.insert(key, result);
        let list = if is_early { &mut self.early } else { &mut self.module.types_global_values };
        list.push(instruction(op, ty, Some(result), operands));
        (result, true)
    }

    /// Id of the `OpType*` of a scalar.
    pub fn scalar(&mut self, ty: Scalar) -> Word {
        let capability = match ty {
            Scalar::Int(8) => Some(Capability::Int8),
            Scalar::Int(16) => Some(Capability::Int16),
            Scalar::Int(64) => Some(Capability::Int64),
            Scalar::Float(16) => Some(Capability::Float16),
            Scalar::Float(64) => Some(Capability::Float64),
            _ => None,
        };
        capability.into_iter().for_each(|capability| self.require_capability(capability));
        match ty {
            Scalar::Bool => self.intern(Op::TypeBool, None, vec![]).0,
            Scalar::Int(bits) => self.intern(Op::TypeInt, None, vec![number(bits), number(0)]).0,
            Scalar::Float(bits) => {
                self.float_widths.insert(bits);
                self.intern(Op::TypeFloat, None, vec![number(bits)]).0
            }
        }
    }

    /// The type of a vector with `lanes` lanes; the scalar type for one lane.
    pub fn vector(&mut self, ty: Scalar, lanes: u32) -> Word {
        let scalar = self.scalar(ty);
        match lanes {
            1 => scalar,
            _ => self.intern(Op::TypeVector, None, vec![id(scalar), number(lanes)]).0,
        }
    }

    /// The type of a pointer.
    pub fn pointer(&mut self, class: StorageClass, to: Word) -> Word {
        self.intern(Op::TypePointer, None, vec![Operand::StorageClass(class), id(to)]).0
    }

    /// The type of an array, with the stride in bytes if the host accesses the array.
    pub fn array(&mut self, element: Word, length: Option<u32>, stride: Option<u32>) -> Word {
        let (array, made) = match length {
            Some(length) => {
                let length = self.word(length);
                self.intern(Op::TypeArray, None, vec![id(element), id(length)])
            }
            None => self.intern(Op::TypeRuntimeArray, None, vec![id(element)]),
        };
        if let Some(stride) = stride.filter(|_| made) {
            self.decorate(array, Decoration::ArrayStride, vec![number(stride)]);
        }
        array
    }

    /// A new type of an interface block, with the offsets of its members. Each variable has a separate block type, because NVIDIA's
    /// driver treats all variables with the type of a `NonWritable` variable as constant.
    pub fn block(&mut self, members: &[Word], offsets: &[u32]) -> Word {
        let block = self.fresh();
        let members = members.iter().copied().map(id).collect();
        self.module.types_global_values.push(instruction(Op::TypeStruct, None, Some(block), members));
        self.decorate(block, Decoration::Block, vec![]);
        for (member, offset) in offsets.iter().enumerate() {
            let operands = [id(block), number(member as u32), Operand::Decoration(Decoration::Offset), number(*offset)];
            self.annotate(Op::MemberDecorate, operands.to_vec());
        }
        block
    }

    /// A struct of two numbers, the result of operations with a carry.
    pub fn pair(&mut self, type_id: Word) -> Word {
        self.intern(Op::TypeStruct, None, vec![id(type_id), id(type_id)]).0
    }

    /// Whether an id is the constant 0 of a float type.
    pub fn is_zero(&mut self, ty: Scalar, value: Word) -> bool {
        let type_id = self.scalar(ty);
        let zero = if ty.bits() == 64 { Operand::LiteralBit64(0) } else { number(0) };
        self.interned.get(&key(Op::Constant, Some(type_id), &[zero])) == Some(&value)
    }

    pub fn constant(&mut self, ty: Scalar, bits: u64) -> Word {
        let type_id = self.scalar(ty);
        match ty {
            Scalar::Bool if bits != 0 => self.intern(Op::ConstantTrue, Some(type_id), vec![]).0,
            Scalar::Bool => self.intern(Op::ConstantFalse, Some(type_id), vec![]).0,
            Scalar::Int(64) | Scalar::Float(64) => {
                self.intern(Op::Constant, Some(type_id), vec![Operand::LiteralBit64(bits)]).0
            }
            _ => self.intern(Op::Constant, Some(type_id), vec![number(bits as u32)]).0,
        }
    }

    /// A constant of 32 bits.
    pub fn word(&mut self, bits: u32) -> Word {
        self.constant(WORD, bits.into())
    }

    fn annotate(&mut self, op: Op, operands: Vec<Operand>) {
        self.module.annotations.push(instruction(op, None, None, operands));
    }

    /// Adds a decoration to an id.
    pub fn decorate(&mut self, target: Word, decoration: Decoration, more: Vec<Operand>) {
        let operands = [id(target), Operand::Decoration(decoration)].into_iter().chain(more).collect();
        self.annotate(Op::Decorate, operands);
    }

    /// Gives an id a debug name.
    pub fn name(&mut self, type_id: Word, name: &str) {
        let operands = vec![id(type_id), Operand::LiteralString(name.into())];
        self.module.debug_names.push(instruction(Op::Name, None, None, operands));
    }

    /// A variable of the module.
    pub fn global(&mut self, class: StorageClass, ty: Word) -> Word {
        let (pointer, variable) = (self.pointer(class, ty), self.fresh());
        let operands = vec![Operand::StorageClass(class)];
        let instruction = instruction(Op::Variable, Some(pointer), Some(variable), operands);
        self.module.types_global_values.push(instruction);
        if class == StorageClass::Input {
            self.inputs.push(variable);
        }
        self.interface.push(variable);
        variable
    }

    /// A variable of the function. All variables are at the start of the function.
    pub fn local(&mut self, ty: Word) -> Word {
        let (pointer, variable) = (self.pointer(StorageClass::Function, ty), self.fresh());
        let operands = vec![Operand::StorageClass(StorageClass::Function)];
        self.variables.push(instruction(Op::Variable, Some(pointer), Some(variable), operands));
        variable
    }

    /// The imported set of GLSL functions.
    pub fn glsl(&mut self) -> Word {
        if let Some(import) = self.module.ext_inst_imports.first().and_then(|import| import.result_id) {
            return import;
        }
        let import = self.fresh();
        let operands = vec![Operand::LiteralString("GLSL.std.450".into())];
        self.module.ext_inst_imports.push(instruction(Op::ExtInstImport, None, Some(import), operands));
        import
    }

    /// Begins a block.
    pub fn begin(&mut self, label: Word) {
        self.line = None;
        let label = Some(instruction(Op::Label, None, Some(label), vec![]));
        self.blocks.push(Block { label, instructions: Vec::new() });
    }

    /// Assigns the following instructions to a line of a file.
    pub fn locate(&mut self, file: &str, line: u32) {
        let operands = vec![Operand::LiteralString(file.into())];
        let key = key(Op::String, None, &operands);
        let file = match self.interned.get(&key) {
            Some(known) => *known,
            None => {
                let string = self.fresh();
                self.interned.insert(key, string);
                self.module.debug_string_source.push(instruction(Op::String, None, Some(string), operands));
                string
            }
        };
        self.next_line = Some((file, line));
    }

    fn push(&mut self, added: Instruction) {
        let Some(block) = self.blocks.last_mut() else { return };
        if let Some((file, line)) = self.next_line.filter(|next| self.line != Some(*next)) {
            let operands = vec![id(file), number(line), number(0)];
            block.instructions.push(instruction(Op::Line, None, None, operands));
            self.line = self.next_line;
        }
        block.instructions.push(added);
    }

    /// Emits an instruction without a result.
    pub fn emit(&mut self, op: Op, operands: Vec<Operand>) {
        self.push(instruction(op, None, None, operands));
    }

    /// Ends the block. SPIR-V forbids a line number between a merge instruction and its branch, so neither
    /// instruction has a line number.
    pub fn end(&mut self, merge: Option<(Op, Vec<Operand>)>, op: Op, operands: Vec<Operand>) {
        let Some(block) = self.blocks.last_mut() else { return };
        if let Some((op, operands)) = merge {
            block.instructions.push(instruction(op, None, None, operands));
        }
        block.instructions.push(instruction(op, None, None, operands));
    }

    /// Joins the header of a loop with the last block, if no other block is between them. Returns the merge instruction of
    /// the loop.
    pub fn joined(&mut self, header: Word) -> Option<(Op, Vec<Operand>)> {
        let before = self.blocks.len().checked_sub(2)?;
        let body = (label(&self.blocks[before]) == header).then(|| self.blocks.pop())??;
        let header = &mut self.blocks[before].instructions;
        header.pop();
        let merge = header.pop()?;
        header.extend(body.instructions);
        Some((merge.class.opcode, merge.operands))
    }

    /// Emits an instruction with a result of a given type.
    pub fn value(&mut self, op: Op, ty: Word, operands: Vec<Operand>) -> Word {
        let result = self.fresh();
        self.push(instruction(op, Some(ty), Some(result), operands));
        result
    }

    /// Finishes the module, with the name of the entry point and the number of units of a cube along each axis.
    pub fn finish(mut self, entry: &str, cube_dim: [u32; 3]) -> Module {
        let (void, function) = (self.intern(Op::TypeVoid, None, vec![]).0, self.fresh());
        let ty = self.intern(Op::TypeFunction, None, vec![id(void)]).0;
        self.name(function, entry);
        self.float_controls(function);
        let operands = self.blocks.iter().flat_map(|block| &block.instructions).flat_map(|one| &one.operands);
        let phis = self.phis.by_block(operands.filter_map(Operand::id_ref_any));
        for block in &mut self.blocks {
            let here = phis.get(&label(block)).into_iter().flatten().map(|(result, Phi { ty, sources, .. })| {
                let sources = sources.iter().flat_map(|(value, block)| [id(*value), id(*block)]).collect();
                instruction(Op::Phi, Some(*ty), Some(*result), sources)
            });
            block.instructions.splice(0..0, here);
        }
        if let Some(first) = self.blocks.first_mut() {
            first.instructions.splice(0..0, self.variables.drain(..).chain(self.early.drain(..)));
        }
        let mut module = self.module;
        module.header = Some(ModuleHeader::new(self.next));
        if let Some(header) = &mut module.header {
            header.set_version((self.version / 10) as u8, (self.version % 10) as u8);
        }
        let capability = |one: &Capability| instruction(Op::Capability, None, None, vec![Operand::Capability(*one)]);
        module.capabilities = self.used.iter().map(capability).collect();
        let names = self.used.iter().filter_map(|name| spirv::extension(&format!("{name:?}"), self.version));
        let extension = |name: &str| instruction(Op::Extension, None, None, vec![Operand::LiteralString(name.into())]);
        module.extensions = names.map(extension).collect();
        let is_vulkan = self.used.contains(&Capability::VulkanMemoryModel);
        let has_addresses = self.used.contains(&Capability::PhysicalStorageBufferAddresses);
        let addresses = if has_addresses { AddressingModel::PhysicalStorageBuffer64 } else { AddressingModel::Logical };
        let model = if is_vulkan { MemoryModel::Vulkan } else { MemoryModel::GLSL450 };
        let model = vec![Operand::AddressingModel(addresses), Operand::MemoryModel(model)];
        module.memory_model = Some(instruction(Op::MemoryModel, None, None, model));
        // From SPIR-V 1.4, the interface lists the variables of all storage classes.
        let interface = if self.version >= 14 { self.interface } else { self.inputs };
        let head =
            [Operand::ExecutionModel(ExecutionModel::GLCompute), id(function), Operand::LiteralString(entry.into())];
        let operands = head.into_iter().chain(interface.into_iter().map(id)).collect();
        module.entry_points.push(instruction(Op::EntryPoint, None, None, operands));
        let size = [id(function), Operand::ExecutionMode(ExecutionMode::LocalSize)];
        let operands = size.into_iter().chain(cube_dim.map(number)).collect();
        module.execution_modes.insert(0, instruction(Op::ExecutionMode, None, None, operands));
        let operands = vec![Operand::FunctionControl(FunctionControl::NONE), id(ty)];
        module.functions.push(Function {
            def: Some(instruction(Op::Function, Some(void), Some(function), operands)),
            end: Some(instruction(Op::FunctionEnd, None, None, vec![])),
            parameters: Vec::new(),
            blocks: self.blocks,
        });
        module
    }

    // Requests that the device preserves signed zeros, infinities and NaN, as the interpreter does, if the
    // chip supports this mode.
    fn float_controls(&mut self, function: Word) {
        if self.float_widths.is_empty() || !self.has(Capability::SignedZeroInfNanPreserve) {
            return;
        }
        self.require_capability(Capability::SignedZeroInfNanPreserve);
        for width in self.float_widths.clone() {
            let mode = Operand::ExecutionMode(ExecutionMode::SignedZeroInfNanPreserve);
            let operands = vec![id(function), mode, number(width)];
            self.module.execution_modes.push(instruction(Op::ExecutionMode, None, None, operands));
        }
    }
}
