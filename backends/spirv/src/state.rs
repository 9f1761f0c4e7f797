//! The SPIR-V module of one kernel during its construction, and the values in the module.
use crate::assembly::{Assembly, id, label, number};
use cube_dialect::ops;
use cube_ir::{Op, SessionError, Val};
use cube_passes::analysis::decisions::Decisions;
use cube_structured::{Emit, Layout, Scalar, Units, WORD, Written};
use cube_target::Target;
use rspirv::dr::Operand;
use rspirv::spirv::{self, BuiltIn, Capability, StorageClass, Word};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

/// The value of a lane: an id, or a variable of the function that is loaded at each use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub id: Word,
    pub ty: Scalar,
    pub is_variable: bool,
}

impl Value {
    /// An id that is not a variable.
    pub fn of(id: Word, ty: Scalar) -> Value {
        Value { id, ty, is_variable: false }
    }
}

/// An array of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Array {
    pub variable: Word,
    pub class: StorageClass,
    pub layout: Layout,
    /// The type of a lane in memory: an integer for the bits of floats that the kernel accesses atomically.
    pub scalar: Scalar,
}

impl Array {
    /// Whether the array is a buffer of the host.
    pub fn is_buffer(&self) -> bool {
        matches!(self.class, StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer)
    }

    /// The type of an index in the array. A buffer that is accessed by its address can have more than 2^32 elements.
    pub fn index_type(&self) -> Scalar {
        if self.class == StorageClass::PhysicalStorageBuffer { Scalar::Int(64) } else { WORD }
    }
}

/// The uniform block of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments {
    /// The variable of the uniform block.
    pub block: Word,
    /// Number of uniform words before the words of the grid.
    pub words: u32,
}

/// A branch or switch whose end is not emitted yet.
pub struct Selection {
    /// The first blocks of the cases that are not emitted yet, the next one last.
    pub cases: Vec<Word>,
    pub merge: Word,
}

/// The SPIR-V module of one kernel under construction.
pub struct Spirv<'p> {
    /// The module.
    pub asm: Assembly,
    pub lanes: HashMap<Val<'p>, Vec<Value>>,
    /// The arrays of arguments and allocations.
    pub arrays: HashMap<Val<'p>, Array>,
    /// Buffers with lines of one lane as arrays of vectors, for aligned accesses to several lines.
    pub views: HashMap<Val<'p>, Array>,
    /// The shape of the kernel's cubes and planes.
    pub units: Units,
    /// The uniform block of arguments.
    pub arguments: Arguments,
    /// Variables of built-in values.
    pub inputs: BTreeMap<BuiltIn, Word>,
    /// The conditions that decide whether units reach a barrier or plane operation.
    pub decisions: Decisions,
    /// The branches and switches around the current block.
    pub open: Vec<Selection>,
}

impl<'p> Spirv<'p> {
    /// An empty module for a kernel on a chip.
    pub fn new(kernel: ops::Kernel<'p>, target: &Target) -> Spirv<'p> {
        Spirv {
            asm: Assembly::new(target),
            lanes: HashMap::new(),
            arrays: HashMap::new(),
            views: HashMap::new(),
            units: Units::of(kernel, true, &target.planes),
            arguments: Arguments::default(),
            inputs: BTreeMap::new(),
            decisions: Decisions::of(kernel.op()),
            open: Vec::new(),
        }
    }

    /// The storage type of a lane: a word for small integers that the chip lacks.
    pub fn storage_type(&self, ty: Scalar) -> Scalar {
        match ty {
            Scalar::Int(8) if !self.asm.has(Capability::Int8) => Scalar::Int(32),
            Scalar::Int(16) if !self.asm.has(Capability::Int16) => Scalar::Int(32),
            _ => ty,
        }
    }

    /// The id of the storage type of a lane.
    pub fn ty(&mut self, ty: Scalar) -> Word {
        let stored_type = self.storage_type(ty);
        self.asm.scalar(stored_type)
    }

    /// The id of a lane's value. If the lane is a variable, the function emits a load.
    pub fn read(&mut self, value: &Value) -> Word {
        if !value.is_variable {
            return value.id;
        }
        let ty = self.ty(value.ty);
        self.asm.value(spirv::Op::Load, ty, vec![id(value.id)])
    }

    /// The id of the value of a scalar.
    ///
    /// # Errors
    /// The scalar has no lanes.
    pub fn scalar_id(&mut self, op: Op<'p>, value: Val<'p>) -> Written<Word> {
        let value = self.scalar(op, value)?;
        Ok(self.read(&value))
    }

    /// Emits an instruction with one lane as its result.
    pub fn emit(&mut self, op: spirv::Op, ty: Scalar, operands: &[Word]) -> Value {
        let type_id = self.ty(ty);
        Value::of(self.asm.value(op, type_id, operands.iter().copied().map(id).collect()), ty)
    }

    /// Emits a call of a function of the instruction set GLSL.std.450.
    pub fn call(&mut self, function: spirv::GlslStd450Op, ty: Scalar, operands: &[Word]) -> Value {
        let (type_id, set) = (self.ty(ty), self.asm.glsl());
        let head = [id(set), Operand::LiteralExtInstInteger(function as u32)];
        let operands = head.into_iter().chain(operands.iter().copied().map(id)).collect();
        Value::of(self.asm.value(spirv::Op::ExtInst, type_id, operands), ty)
    }

    /// A lane of a vector, or a part of a pair.
    pub fn part(&mut self, whole: Word, ty: Scalar, at: u32) -> Value {
        let type_id = self.ty(ty);
        Value::of(self.asm.value(spirv::Op::CompositeExtract, type_id, vec![id(whole), number(at)]), ty)
    }

    /// Emits `OpCompositeConstruct` and returns the vector of `lanes`, which have the type `ty`.
    pub fn vector(&mut self, ty: Scalar, lanes: &[Word]) -> Word {
        let stored_type = self.storage_type(ty);
        let type_id = self.asm.vector(stored_type, lanes.len() as u32);
        self.asm.value(spirv::Op::CompositeConstruct, type_id, lanes.iter().copied().map(id).collect())
    }

    /// A constant lane.
    pub fn number(&mut self, ty: Scalar, bits: u64) -> Value {
        let stored_type = self.storage_type(ty);
        Value::of(self.asm.constant(stored_type, bits), ty)
    }

    /// A variable of the function.
    pub fn variable(&mut self, ty: Scalar) -> Value {
        let type_id = self.ty(ty);
        Value { id: self.asm.local(type_id), ty, is_variable: true }
    }

    /// A lane at the start of the next placed block, which [`Spirv::set_phi`] sets in each block before it.
    pub fn phi(&mut self, ty: Scalar) -> Value {
        let (phi, type_id) = (self.asm.fresh(), self.ty(ty));
        self.asm.phis.declare(phi, type_id);
        Value::of(phi, ty)
    }

    /// Sets a lane for units that reach the block of the phi from the current block.
    pub fn set_phi(&mut self, phi: &Value, value: &Value) {
        let (value, block) = (self.read(value), self.asm.blocks.last().map(label).unwrap_or_default());
        self.asm.phis.set(phi.id, value, block);
    }

    /// The type of the lanes of a value.
    ///
    /// # Errors
    /// SPIR-V or the chip does not have the type of `value`.
    pub fn type_of(&mut self, op: Op<'p>, value: Val<'p>) -> Written<Scalar> {
        let ty = Scalar::of(value.ty()).ok_or_else(|| refuse(op, format!("SPIR-V has no type {}", value.ty())))?;
        self.ty(ty);
        self.checked(op)?;
        Ok(ty)
    }

    /// Refuses `op` if the code since the last check uses a capability that the chip lacks.
    ///
    /// # Errors
    /// Refuses `op` with the name of the capability.
    pub fn checked(&mut self, op: Op<'p>) -> Written {
        match self.asm.take_missing_capability() {
            Some(lacks) => Err(refuse(op, format!("the chip lacks the capability {lacks}"))),
            None => Ok(()),
        }
    }
}

/// Creates the error for an operation that is refused, with the operation's location.
pub fn refuse(op: Op<'_>, why: impl Display) -> SessionError {
    cube_structured::refusal("spirv", op, why)
}
