//! The decoder's state: slots, constants, and the instructions emitted so far.
use crate::program::{BufferDecl, Code, ExecutionForm, Flaw, Inst, Program, ProgramParam, ProgramParamKind, Site};
use crate::rules::ring;
use crate::shape::{LaneKind, ValueType};
use cube_artifact::derived::Derived;
use cube_dialect::attributes::ACCESS;
use cube_dialect::{CUBE_COUNT, KernelArg, KernelFacts, PLANE_DIM, ops};
use cube_ir::{AttrExt, Attribute, Block, Diagnostic, Message, Op, Severity, Type, Val, diagnostic, location_of};
use std::collections::HashMap;

/// Limit on the number of instructions and slots of a program. Without a limit, nested calls could multiply
/// instructions and slots without bound.
pub(super) const MAX_PROGRAM_SIZE: usize = 1 << 20;

/// The slots of a value: the first slot and the type.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Number of the first slot in the registers of a unit.
    pub at: u32,
    /// The type, which determines the number of slots.
    pub shape: ValueType,
}

/// The jumps out of one loop, whose targets are not yet known.
#[derive(Default)]
pub struct LoopExits {
    pub(super) breaks: Vec<usize>,
    pub(super) continues: Vec<usize>,
}

/// The result slots of a function, and the jumps to the end of the function.
pub struct Returns {
    pub(super) results: Vec<Slot>,
    pub(super) jumps: Vec<usize>,
}

/// Jumps to blocks that are not decoded yet.
pub type Jumps<'p> = Vec<(usize, Block<'p>)>;

/// The state of a decoder.
pub struct Decoder<'p> {
    pub(super) program: Program,
    pub(super) values: HashMap<Val<'p>, Slot>,
    pub(super) constants: HashMap<u64, u32>,
    pub(super) params: Vec<(String, Attribute<'p>)>,
    /// Functions that are currently decoded, outermost first. A call of a function that is currently decoded
    /// is recursion.
    pub(super) open: Vec<&'p str>,
    pub(super) kernel: Op<'p>,
    pub(super) checked: bool,
    pub(super) site: u32,
    /// Enclosing loops, innermost last, within the current function.
    pub(super) loops: Vec<LoopExits>,
    /// Slots with the iteration counters of the enclosing loops that contain plane operations.
    pub(super) iterations: Vec<u32>,
    /// Enclosing functions.
    pub(super) returns: Vec<Returns>,
    /// Jumps to blocks that are not decoded yet.
    pub(super) jumps: Jumps<'p>,
    /// The first slot and the buffer number of each local memory. The key is the slot of the value that
    /// represents the memory.
    pub(super) locals: HashMap<u32, (u32, u32)>,
    pub(super) has_atomics: bool,
    /// Values of layouts and views.
    pub(super) layouts: cube_layout_dialect::Layouts<'p>,
}

/// An error at an operation.
pub fn error(op: Op<'_>, message: Message) -> Diagnostic {
    Diagnostic::new(Severity::Error, message.at_op(op.name()), location_of(op.location()))
}

pub(super) type DecodeResult = Result<(), Diagnostic>;

// The number of the parameter with the number of cubes.
fn cubes_of(kernel: Op<'_>) -> Option<u32> {
    let (_, number) = ops::Kernel::of(kernel)?.cubes()?.block_arg()?;
    u32::try_from(number).ok()
}

impl<'p> Decoder<'p> {
    pub(super) fn new(kernel: Op<'p>, name: &str, cube_dim: [u32; 3], checked: bool, ring: bool) -> Decoder<'p> {
        let program = Program {
            name: name.into(),
            cube_dim,
            // The launch reports an invalid plane size, like an invalid option.
            plane_dim: kernel.attr(PLANE_DIM).map(|n| n.as_int().and_then(|n| u32::try_from(n).ok()).unwrap_or(0)),
            params: vec![],
            code: vec![],
            iterations: HashMap::new(),
            site_of: vec![],
            sites: vec![],
            flaw_of: vec![],
            flaws: vec![],
            slots: 0,
            constants: vec![],
            poisons: vec![],
            topology: vec![],
            scalars: vec![],
            ring,
            form: ExecutionForm::Units,
            launch: None,
            collective: false,
            buffers: vec![],
            prints: vec![],
            records: vec![],
            derived: vec![],
            cube_count: None,
            cubes: cubes_of(kernel),
            scalar_kinds: vec![],
        };
        Decoder {
            program,
            values: HashMap::new(),
            constants: HashMap::new(),
            params: vec![],
            open: vec![],
            kernel,
            checked,
            site: 0,
            loops: vec![],
            returns: vec![],
            iterations: vec![],
            jumps: vec![],
            locals: HashMap::new(),
            has_atomics: false,
            layouts: cube_layout_dialect::Layouts::default(),
        }
    }

    pub(super) fn finish(mut self) -> Result<Program, Diagnostic> {
        self.enter(self.kernel);
        self.emit(Code::End, 0, [0; 3], 0, 0)?;
        // With atomics and loops, a unit can wait for another unit without a barrier. All units then need time slices.
        let back = |(at, inst): (usize, &Inst)| {
            matches!(inst.code, Code::Jump | Code::LoopNext { .. }) && inst.imm as usize <= at
        };
        let loops = self.program.code.iter().enumerate().any(back);
        self.program.collective |= self.has_atomics && loops;
        Ok(self.program)
    }

    /// The execution form of the program.
    pub fn form(&self) -> ExecutionForm {
        self.program.form
    }

    pub(super) fn read_params(&mut self, kernel: ops::Kernel<'p>, given: &[(String, String)]) -> DecodeResult {
        let cx = kernel.op().cx();
        for param in kernel.comptime_params() {
            let text = given.iter().find(|(name, _)| name == param.name).map(|(_, text)| text.as_str());
            let value = text.map_or(param.default, |text| param.value(cx, text));
            let value =
                value.ok_or_else(|| error(kernel.op(), diagnostic!(CUBE0303.no_value { param: param.name })))?;
            self.params.push((param.name.to_string(), value));
        }
        Ok(())
    }

    /// The value of a comptime parameter.
    pub fn param(&self, name: &str) -> Option<Attribute<'p>> {
        self.params.iter().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    pub fn shape(&self, op: Op<'p>, ty: Type<'p>) -> Result<ValueType, Diagnostic> {
        let params = |name: &str| self.param(name);
        let shape = ValueType::of(ty, &params).ok_or_else(|| error(op, diagnostic!(CUBE0700.of_type { ty })))?;
        // In lowered code, a memref is represented by its descriptor.
        let descriptor = shape.kind == LaneKind::Buffer && self.by_address();
        Ok(if descriptor { ValueType { kind: LaneKind::Aggregate, dims: vec![5], ..shape } } else { shape })
    }

    pub(super) fn cube_count(&mut self, facts: &KernelFacts<'p>) -> DecodeResult {
        let Some(texts) = facts.cube_count else { return Ok(()) };
        let parse = |text: &str| {
            let name = CUBE_COUNT;
            Derived::parse(text).map_err(|why| error(self.kernel, diagnostic!(CUBE0705.derived { name, text, why })))
        };
        self.program.cube_count = Some([parse(texts[0])?, parse(texts[1])?, parse(texts[2])?]);
        Ok(())
    }

    pub(super) fn argument(&mut self, number: u32, arg: &KernelArg<'p>) -> DecodeResult {
        let (name, value, access) = match arg {
            KernelArg::Buffer(b) => (&b.name, b.value, b.access),
            KernelArg::Scalar(s) => (&s.name, s.value, None),
        };
        let derived = match arg {
            KernelArg::Scalar(s) => s.derived,
            KernelArg::Buffer(_) => None,
        };
        let shape = self.shape(self.kernel, value.ty())?;
        let at = self.slots(self.kernel, 1)?;
        let kind = match shape.held {
            Some(held) => {
                self.program.constants.push((at, u64::from(number)));
                self.program.buffers.push(Some(BufferDecl { name: name.clone(), held, base: 0, offset: None }));
                let write_only = access == Some("write");
                match self.is_for_prints(number) {
                    true => ProgramParamKind::Prints,
                    false => ProgramParamKind::Buffer {
                        bytes: held.element.bytes(),
                        line: held.line,
                        write_only,
                        tensor: held.tensor,
                    },
                }
            }
            None => {
                if let Some(text) = derived {
                    let parsed = Derived::parse(text)
                        .map_err(|why| error(self.kernel, diagnostic!(CUBE0705.derived { name, text, why })))?;
                    self.program.derived.push((number, parsed));
                }
                self.program.scalars.push((number, at));
                self.program.buffers.push(None);
                ProgramParamKind::Scalar { bits: shape.kind.bits(), derived: derived.is_some() }
            }
        };
        let scalar = shape.held.is_none().then_some(shape.kind);
        self.program.scalar_kinds.push(scalar);
        self.program.params.push(ProgramParam { name: name.clone(), kind });
        self.values.insert(value, Slot { at, shape });
        Ok(())
    }

    pub(super) fn is_for_prints(&self, number: u32) -> bool {
        let attrs = ops::Kernel::of(self.kernel).and_then(|k| k.arg_attrs()?.item(number as usize));
        attrs.and_then(|a| a.entry(ACCESS)).and_then(|a| a.as_str()) == Some("prints")
    }

    /// New slots.
    pub fn slots(&mut self, op: Op<'p>, count: u32) -> Result<u32, Diagnostic> {
        let at = self.program.slots;
        self.program.slots = at.saturating_add(count.max(1));
        if self.program.slots as usize > MAX_PROGRAM_SIZE || self.program.code.len() > MAX_PROGRAM_SIZE {
            return Err(error(op, diagnostic!(CUBE0701.program { limit: MAX_PROGRAM_SIZE })));
        }
        Ok(at)
    }

    /// The slot of a constant.
    pub fn constant(&mut self, op: Op<'p>, bits: u64) -> Result<u32, Diagnostic> {
        if let Some(at) = self.constants.get(&bits) {
            return Ok(*at);
        }
        let at = self.slots(op, 1)?;
        self.program.constants.push((at, bits));
        self.constants.insert(bits, at);
        Ok(at)
    }

    pub fn operand(&self, op: Op<'p>, index: usize) -> Result<Slot, Diagnostic> {
        let value = op.operand(index);
        self.values.get(&value).cloned().ok_or_else(|| error(op, diagnostic!(CUBE0700.operand { index })))
    }

    /// The slot of a number operand that a layout operation reads through other operations.
    pub fn slot_of(&self, op: Op<'p>, value: Val<'p>) -> Result<u32, Diagnostic> {
        self.slot_of_buffer(op, value).map(|slot| slot.at)
    }

    /// The slot of a buffer operand that a layout operation reads through other operations.
    pub fn slot_of_buffer(&self, op: Op<'p>, value: Val<'p>) -> Result<Slot, Diagnostic> {
        self.values.get(&value).cloned().ok_or_else(|| error(op, diagnostic!(CUBE0700.undefined)))
    }

    pub fn operands(&self, op: Op<'p>) -> Result<Vec<Slot>, Diagnostic> {
        (0..op.operands().len()).map(|i| self.operand(op, i)).collect()
    }

    /// New slots for a value.
    pub fn define(&mut self, op: Op<'p>, value: Val<'p>) -> Result<Slot, Diagnostic> {
        let shape = self.shape(op, value.ty())?;
        let at = self.slots(op, shape.lanes())?;
        let slot = Slot { at, shape };
        self.values.insert(value, slot.clone());
        Ok(slot)
    }

    /// Defines a value as an alias of existing slots.
    pub fn alias(&mut self, op: Op<'p>, value: Val<'p>, at: u32) -> DecodeResult {
        let shape = self.shape(op, value.ty())?;
        self.values.insert(value, Slot { at, shape });
        Ok(())
    }

    /// Assigns the slots of the value `from` to the value `to`, which replaces `from`.
    pub fn rename(&mut self, from: Val<'p>, to: Val<'p>) {
        if let Some(slot) = self.values.remove(&from) {
            self.values.insert(to, slot);
        }
    }

    /// Appends an instruction; returns its number.
    pub fn emit(
        &mut self,
        code: Code,
        dst: u32,
        [a, b, c]: [u32; 3],
        lanes: u32,
        imm: u32,
    ) -> Result<usize, Diagnostic> {
        self.record_iterations(code);
        self.program.code.push(Inst { code, dst, a, b, c, lanes, imm });
        self.program.site_of.push(self.site);
        self.program.flaw_of.push(0);
        // The limit on slots also limits memory.
        if self.program.code.len() > MAX_PROGRAM_SIZE {
            self.slots(self.kernel, 0)?;
        }
        Ok(self.program.code.len() - 1)
    }

    /// Sets the conditions under which the instruction has an undefined result. `widths` is passed to the tests.
    pub fn flaws(&mut self, at: usize, flaws: &[Flaw], widths: u32) {
        if !flaws.is_empty() {
            self.program.flaws.push(flaws.iter().map(|f| (*f, widths)).collect());
            self.program.flaw_of[at] = self.program.flaws.len() as u32;
        }
    }

    /// The number of the next instruction.
    pub fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    /// Sets the target of a jump to the next instruction.
    pub fn bind_jump(&mut self, jump: usize) {
        self.program.code[jump].imm = self.here();
    }

    /// Sets the target of several jumps to the next instruction.
    pub fn bind_jumps(&mut self, jumps: Vec<usize>) {
        jumps.into_iter().for_each(|jump| self.bind_jump(jump));
    }

    /// Whether the program represents floats as elements of a ring.
    pub fn ring(&self) -> bool {
        self.program.ring
    }

    /// The program with the instructions emitted so far.
    pub fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    // Sets the site of the instructions that follow.
    pub(super) fn enter(&mut self, op: Op<'p>) {
        self.site = self.program.sites.len() as u32;
        self.program.sites.push(Site { kind: op.kind(), op: op.name().into(), location: location_of(op.location()) });
    }

    /// The index of the float format of the first operand.
    pub fn format(&self, op: Op<'p>) -> Result<usize, Diagnostic> {
        let kind = self.operand(op, 0)?.shape.kind;
        kind.format().ok_or_else(|| error(op, diagnostic!(CUBE0700.of_kind { kind: format!("{kind:?}") })))
    }

    /// Emits one instruction on elements of the ring. The instruction stores the hash of the operation's
    /// name.
    pub fn in_ring(&mut self, op: Op<'p>, code: Code) -> DecodeResult {
        let at = self.program.code.len();
        self.format(op)?;
        self.lanewise(op, code, &[])?;
        self.program.code[at].imm = ring::name(op.name());
        Ok(())
    }

    /// Emits one instruction over all lanes. `imm` is the width of the first operand.
    pub fn lanewise(&mut self, op: Op<'p>, code: Code, flaws: &[Flaw]) -> DecodeResult {
        let operands = self.operands(op)?;
        let result = self.define(op, op.result(0))?;
        let from = operands.first().map_or(result.shape.kind, |o| o.shape.kind);
        if matches!(from, LaneKind::Buffer | LaneKind::Slice | LaneKind::Aggregate) {
            return Err(error(op, diagnostic!(CUBE0700.of_buffer)));
        }
        let at = |i: usize| operands.get(i).map_or(0, |o| o.at);
        let inst = self.emit(code, result.at, [at(0), at(1), at(2)], result.shape.lanes(), from.bits())?;
        self.flaws(inst, flaws, from.bits() | result.shape.kind.bits() << 8);
        Ok(())
    }
}
