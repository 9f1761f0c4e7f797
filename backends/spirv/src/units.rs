//! Positions and barriers.
use crate::assembly::{id, number};
use crate::state::{Spirv, Value};
use cube_dialect::{Scope, ops};
use cube_ir::Op;
use cube_structured::{Emit, Input, Operator, Position, Scalar, WORD, Written};
use rspirv::dr::Operand;
use rspirv::spirv::{self, BuiltIn, Capability, Decoration, MemorySemantics, Op as S, StorageClass, Word};

impl<'p> Spirv<'p> {
    /// Emits a position.
    ///
    /// # Errors
    /// The topology value that `op` reads is not defined on this target.
    pub(crate) fn position(&mut self, op: Op<'p>) -> Written {
        let Some(position) = self.units.position(op) else { return Err(self.refuse(op, "it has no value")) };
        let value = self.word_of(&position);
        self.bind(op.result(0), vec![Value::of(value, WORD)]);
        Ok(())
    }

    fn word_of(&mut self, position: &Position) -> Word {
        let input = match position {
            Position::Number(word) => return self.asm.word(*word),
            Position::Of(operator, x, y) => {
                let op = match operator {
                    Operator::Add => S::IAdd,
                    Operator::Mul => S::IMul,
                    Operator::Div => S::UDiv,
                    Operator::Rem => S::UMod,
                };
                let (x, y, word) = (self.word_of(x), self.word_of(y), self.asm.scalar(WORD));
                return self.asm.early(op, word, vec![id(x), id(y)]);
            }
            Position::Input(input) => *input,
        };
        match input {
            Input::CubePos(_) | Input::CubeIndex | Input::CubeCount(_) | Input::CubeTotal => {
                self.word_of(&input.in_dispatch())
            }
            Input::Workgroup(axis) => self.input(BuiltIn::WorkgroupId, Some(axis as u32)),
            Input::Grid(at) => self.argument(self.arguments.words + at),
            Input::UnitIndex => self.input(BuiltIn::LocalInvocationIndex, None),
            Input::UnitPos(axis) => self.input(BuiltIn::LocalInvocationId, Some(axis as u32)),
            Input::PlaneDim => self.input(BuiltIn::SubgroupSize, None),
            Input::UnitPosPlane => self.input(BuiltIn::SubgroupLocalInvocationId, None),
        }
    }

    /// A word of the uniform block, which is an array of vectors of four words. Each load is of one word: with loads of whole
    /// vectors, GELU takes 1.5 times as long on lavapipe.
    pub(crate) fn argument(&mut self, at: u32) -> Word {
        let word = self.asm.scalar(WORD);
        let pointer = self.asm.pointer(StorageClass::Uniform, word);
        let indices = [0, at / 4, at % 4].map(|index| id(self.asm.word(index)));
        let operands = [id(self.arguments.block)].into_iter().chain(indices).collect();
        let member = self.asm.early(S::AccessChain, pointer, operands);
        self.asm.early(S::Load, word, vec![id(member)])
    }

    /// A built-in value of SPIR-V, or a component of a built-in value.
    pub(crate) fn input(&mut self, builtin: BuiltIn, part: Option<u32>) -> Word {
        let lanes = if part.is_some() { 3 } else { 1 };
        let ty = self.asm.vector(WORD, lanes);
        let variable = match self.inputs.get(&builtin) {
            Some(known) => *known,
            None => {
                let name = format!("{builtin:?}");
                if name.contains("Subgroup") {
                    self.asm.require_capability(Capability::GroupNonUniform);
                }
                let variable = self.asm.global(StorageClass::Input, ty);
                self.asm.decorate(variable, Decoration::BuiltIn, vec![Operand::BuiltIn(builtin)]);
                self.asm.name(variable, &name);
                self.inputs.insert(builtin, variable);
                variable
            }
        };
        let (word, whole) = (self.asm.scalar(WORD), self.asm.early(S::Load, ty, vec![id(variable)]));
        part.map_or(whole, |part| self.asm.early(S::CompositeExtract, word, vec![id(whole), number(part)]))
    }

    /// Emits a barrier. A barrier of scope `storage` orders accesses to storage buffers. Every other barrier
    /// also orders accesses to shared memory.
    ///
    /// # Errors
    /// The barrier has no scope.
    pub(crate) fn barrier(&mut self, op: Op<'p>) -> Written {
        let (scope, memory) = match ops::Sync::of(op).and_then(|sync| sync.scope()) {
            Some(Scope::Cube) => (spirv::Scope::Workgroup, MemorySemantics::WORKGROUP_MEMORY),
            Some(Scope::Plane) => (spirv::Scope::Subgroup, MemorySemantics::WORKGROUP_MEMORY),
            Some(Scope::Storage) => (spirv::Scope::Workgroup, MemorySemantics::empty()),
            None => return Err(self.refuse(op, "it has no scope")),
        };
        if scope == spirv::Scope::Subgroup {
            self.asm.require_capability(Capability::GroupNonUniform);
        }
        let moves = match self.asm.uses(Capability::VulkanMemoryModel) {
            true => MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE,
            false => MemorySemantics::empty(),
        };
        let order = (MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::UNIFORM_MEMORY | memory | moves).bits();
        let (scope, order) = (self.asm.word(scope as u32), self.asm.word(order));
        self.asm.emit(S::ControlBarrier, [scope, scope, order].map(id).to_vec());
        Ok(())
    }

    /// Emits a comparison of two words.
    pub(crate) fn compared(&mut self, op: S, a: Word, b: Word) -> Word {
        self.emit(op, Scalar::Bool, &[a, b]).id
    }
}
