//! Memory as arrays.
//!
//! A line is stored as vectors if its number of lanes is 2 or a multiple of 4. A load or store of the line moves whole
//! vectors. If one operation accesses an array atomically, all operations access the array atomically. The host stores
//! a bool as a byte. If the chip has no integers of 8 bits, a word contains 4 bools. A store of a bool changes one
//! byte of the word by two atomic operations, so the bytes of other units do not change.
use crate::assembly::id;
use crate::formulas::combined;
use crate::planes::kind_of;
use crate::scalar::{Scalar, WORD};
use crate::state::{Array, Spirv, Value};
use cube_dialect::{Combine, Memory, access_of as atomic_access_of, memory_of, ops};
use cube_ir::access::{AccessKind, access_of};
use cube_ir::ops::vector::CombiningKind;
use cube_ir::{MemRef, Op, TypeExt, Val};
use cube_structured::{Emit, Written, accesses_to};
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, MemorySemantics, Op as S, Scope, StorageClass, Word};

/// An array with its size.
pub struct Made {
    pub array: Array,
    /// Size in bytes, for shared or local memory.
    pub bytes: u64,
    /// Number of lines, if the memref type is static.
    pub lines: Option<u64>,
}

impl<'p> Spirv<'p> {
    /// Declares the array of a memref; `None` for an element that SPIR-V lacks.
    pub fn declared(&mut self, memory: Val<'p>, name: &str) -> Option<Made> {
        let memref = MemRef::of(memory.ty())?;
        let scalar = Scalar::of(memref.line).filter(|ty| *ty != Scalar::Int(16) || self.held(*ty) == *ty)?;
        let line = memref.line.element_count();
        let all = accesses_to(memory);
        let (is_global, is_narrow) = (memory_of(memory) == Memory::Global, self.held(scalar) != scalar);
        let has_bytes = is_global && is_narrow;
        let writes = all.iter().any(|access| access.kind.writes());
        let is_atomic = all.iter().any(|access| access.kind.is_atomic()) || has_bytes && writes;
        let lanes = match line {
            _ if is_atomic || has_bytes => 1,
            2 => 2,
            line if line.is_multiple_of(4) => 4,
            _ => 1,
        };
        let has_float_bits = all.iter().any(|access| access.kind.is_atomic()) && matches!(scalar, Scalar::Float(_));
        let scalar = if has_float_bits { Scalar::Int(scalar.bits()) } else { scalar };
        let held = self.held(scalar);
        let element = self.asm.vector(held, lanes);
        let class = match memory_of(memory) {
            Memory::Global => StorageClass::StorageBuffer,
            Memory::Shared => StorageClass::Workgroup,
            _ => StorageClass::Function,
        };
        let elements = memref.length.map(|lines| (lines.saturating_mul(line) / u64::from(lanes)).max(1));
        let bytes = elements.unwrap_or(0).saturating_mul(u64::from(lanes * held.bits().max(8) / 8));
        let variable = if is_global {
            match scalar {
                Scalar::Int(8) if !has_bytes => self.asm.need(Capability::StorageBuffer8BitAccess),
                Scalar::Int(16) | Scalar::Float(16) => self.asm.need(Capability::StorageBuffer16BitAccess),
                _ => {}
            }
            let array = self.asm.array(element, None, Some(lanes * held.bits() / 8));
            let block = self.asm.block(&[array], &[0]);
            self.asm.global(class, block)
        } else {
            let array = self.asm.array(element, Some(u32::try_from(elements?).ok()?), None);
            if class == StorageClass::Workgroup { self.asm.global(class, array) } else { self.asm.local(array) }
        };
        self.asm.name(variable, name);
        let array = Array { variable, class, scalar, line, lanes, has_bytes, is_atomic, has_float_bits };
        self.arrays.insert(memory, array);
        Some(Made { array, bytes, lines: memref.length })
    }

    /// The variable of an array, for decorations.
    pub fn variable_of(array: &Array) -> Word {
        array.variable
    }

    // The index of the element that contains a lane. Lanes are counted from the line at `index`.
    fn position_of(&mut self, array: &Array, index: Word, lane: u64) -> Word {
        let lanes = u64::from(array.lanes);
        let (stride, offset) = (array.line / lanes, lane / lanes);
        let mut place = index;
        if stride != 1 {
            let stride = self.asm.word(stride as u32);
            place = self.emit(S::IMul, WORD, &[place, stride]).id;
        }
        if offset != 0 {
            let offset = self.asm.word(offset as u32);
            place = self.emit(S::IAdd, WORD, &[place, offset]).id;
        }
        place
    }

    // The pointer to an element.
    fn pointer_to(&mut self, array: &Array, place: Word) -> Word {
        let held = self.held(array.scalar);
        let element = self.asm.vector(held, array.lanes);
        let pointer = self.asm.pointer(array.class, element);
        let block = (array.class == StorageClass::StorageBuffer).then(|| self.asm.word(0));
        let operands = [array.variable].into_iter().chain(block).chain([place]).map(id).collect();
        self.asm.value(S::AccessChain, pointer, operands)
    }

    // Scope and order of an atomic operation, which orders no other memory.
    fn relaxed(&mut self, array: &Array) -> [Word; 2] {
        let scope = if array.class == StorageClass::StorageBuffer { Scope::Device } else { Scope::Workgroup };
        [self.asm.word(scope as u32), self.asm.word(MemorySemantics::RELAXED.bits())]
    }

    /// Emits a load or store.
    ///
    /// # Errors
    /// The accessed memory is neither an argument nor an allocation.
    pub(crate) fn accessed(&mut self, op: Op<'p>) -> Written {
        let access = access_of(op).filter(|access| access.mask.is_none() && access.offsets.is_none());
        let known = access.and_then(|access| Some((*self.arrays.get(&access.buffer)?, access.index()?, access)));
        let Some((array, index, access)) = known else { return Err(self.refuse(op, "its memory is not one buffer")) };
        let index = self.scalar(op, index)?;
        let index = self.read(&index);
        match (access.kind, access.value) {
            (AccessKind::Load, _) => {
                let count = op.result(0).ty().element_count();
                let lanes = (0..count).step_by(array.lanes as usize);
                let lanes = lanes.flat_map(|lane| self.loaded(&array, index, lane)).collect();
                self.bind(op.result(0), lanes);
                Ok(())
            }
            (AccessKind::Store, Some(value)) => {
                let lanes: Vec<Word> = self.lanes(op, value)?.iter().map(|lane| self.read(lane)).collect();
                for (number, lanes) in lanes.chunks(array.lanes as usize).enumerate() {
                    self.stored(&array, index, number as u64 * u64::from(array.lanes), lanes);
                }
                Ok(())
            }
            _ => Err(self.refuse(op, "it is neither a load nor a store")),
        }
    }

    fn loaded(&mut self, array: &Array, index: Word, lane: u64) -> Vec<Value> {
        let place = self.position_of(array, index, lane);
        let value = |id: Word| Value { id, ty: array.scalar, is_variable: false };
        if array.has_bytes {
            let (word, shift) = self.byte_place(place);
            let pointer = self.pointer_to(array, word);
            let word = self.load(array, pointer);
            let (bits, mask) = (self.emit(S::ShiftRightLogical, WORD, &[word, shift]).id, self.asm.word(0xff));
            return vec![value(self.emit(S::BitwiseAnd, WORD, &[bits, mask]).id)];
        }
        let pointer = self.pointer_to(array, place);
        let loaded = self.load(array, pointer);
        if array.has_float_bits {
            return vec![self.emit(S::Bitcast, Scalar::Float(array.scalar.bits()), &[loaded])];
        }
        if array.lanes == 1 {
            return vec![value(loaded)];
        }
        let ty = self.ty(array.scalar);
        let part = |at: u32| {
            let operands = vec![id(loaded), crate::assembly::number(at)];
            value(self.asm.value(S::CompositeExtract, ty, operands))
        };
        (0..array.lanes).map(part).collect()
    }

    fn load(&mut self, array: &Array, pointer: Word) -> Word {
        let held = self.held(array.scalar);
        let ty = self.asm.vector(held, array.lanes);
        let mut operands = vec![id(pointer)];
        if array.is_atomic {
            operands.extend(self.relaxed(array).map(Operand::IdScope));
            return self.asm.value(S::AtomicLoad, ty, operands);
        }
        self.asm.value(S::Load, ty, operands)
    }

    // The word that contains a byte, and the position of the byte's lowest bit in the word.
    fn byte_place(&mut self, place: Word) -> (Word, Word) {
        let [two, three] = [2, 3].map(|number| self.asm.word(number));
        let word = self.emit(S::ShiftRightLogical, WORD, &[place, two]).id;
        let byte = self.emit(S::BitwiseAnd, WORD, &[place, three]).id;
        (word, self.emit(S::ShiftLeftLogical, WORD, &[byte, three]).id)
    }

    fn stored(&mut self, array: &Array, index: Word, lane: u64, values: &[Word]) {
        let place = self.position_of(array, index, lane);
        let [first, ..] = values else { return };
        if array.has_bytes {
            let (word, shift) = self.byte_place(place);
            let pointer = self.pointer_to(array, word);
            let byte = self.asm.word(0xff);
            let byte = self.emit(S::ShiftLeftLogical, WORD, &[byte, shift]).id;
            let others = self.emit(S::Not, WORD, &[byte]).id;
            let bits = self.emit(S::ShiftLeftLogical, WORD, &[*first, shift]).id;
            let [scope, order] = self.relaxed(array);
            self.emit(S::AtomicAnd, WORD, &[pointer, scope, order, others]);
            self.emit(S::AtomicOr, WORD, &[pointer, scope, order, bits]);
            return;
        }
        let pointer = self.pointer_to(array, place);
        if array.is_atomic {
            let [scope, order] = self.relaxed(array);
            let first = self.bits_for(array, *first);
            return self.asm.act(S::AtomicStore, [pointer, scope, order, first].map(id).to_vec());
        }
        let value = match values {
            [one] => *one,
            values => {
                let held = self.held(array.scalar);
                let ty = self.asm.vector(held, array.lanes);
                self.asm.value(S::CompositeConstruct, ty, values.iter().copied().map(id).collect())
            }
        };
        self.asm.act(S::Store, vec![id(pointer), id(value)]);
    }

    /// Emits an atomic operation.
    ///
    /// # Errors
    /// The memory of the atomic operation is neither an argument nor an allocation.
    pub(crate) fn atomic(&mut self, op: Op<'p>) -> Written {
        let known = atomic_access_of(op).and_then(|access| Some((*self.arrays.get(&access.buffer)?, access)));
        let Some((array, access)) = known else { return Err(self.refuse(op, "its memory is not one buffer")) };
        match array.scalar {
            WORD => {}
            Scalar::Int(64) => self.asm.need(Capability::Int64Atomics),
            _ => return Err(self.refuse(op, "the backend has no atomic operations of this type")),
        }
        let index = self.scalar(op, access.index)?;
        let index = self.read(&index);
        let place = self.position_of(&array, index, 0);
        let pointer = self.pointer_to(&array, place);
        let value = access.value.map(|value| self.scalar(op, value)).transpose()?;
        let value = value.map(|value| self.read(&value)).unwrap_or_default();
        let lane = value;
        let value = self.bits_for(&array, value);
        let [scope, order] = self.relaxed(&array);
        let result = match op.kind() {
            ops::AtomicLoad::KIND => self.emit(S::AtomicLoad, array.scalar, &[pointer, scope, order]),
            ops::AtomicStore::KIND => {
                self.asm.act(S::AtomicStore, [pointer, scope, order, value].map(id).to_vec());
                return Ok(());
            }
            ops::AtomicCas::KIND => {
                let Some(expected) = ops::AtomicCas::of(op).map(|cas| cas.expected()) else {
                    return Err(self.refuse(op, "it expects no value"));
                };
                let expected = self.scalar(op, expected)?;
                let expected = self.read(&expected);
                let expected = self.bits_for(&array, expected);
                let operands = [pointer, scope, order, order, value, expected];
                self.emit(S::AtomicCompareExchange, array.scalar, &operands)
            }
            _ => {
                let kind = ops::AtomicRmw::of(op).and_then(|rmw| rmw.kind());
                let instruction = match kind {
                    Some(Combine::AddI) => S::AtomicIAdd,
                    Some(Combine::SubI) => S::AtomicISub,
                    Some(Combine::AndI) => S::AtomicAnd,
                    Some(Combine::OrI) => S::AtomicOr,
                    Some(Combine::XOrI) => S::AtomicXor,
                    Some(Combine::Exchange) => S::AtomicExchange,
                    Some(Combine::MinUI) => S::AtomicUMin,
                    Some(Combine::MaxUI) => S::AtomicUMax,
                    Some(Combine::MinSI) => S::AtomicSMin,
                    Some(Combine::MaxSI) => S::AtomicSMax,
                    _ => S::Nop,
                };
                // A subtraction is an addition of the negated operand.
                let (kind, lane) = match kind {
                    Some(Combine::SubF) => {
                        let float = Scalar::Float(array.scalar.bits());
                        (Some(Combine::AddF), self.emit(S::FNegate, float, &[lane]).id)
                    }
                    kind => (kind, lane),
                };
                let combine = kind.and_then(|kind| kind_of(kind, false)).filter(|_| array.has_float_bits);
                match (instruction, combine) {
                    (S::Nop, Some(kind)) => self.repeated(op, &array, pointer, kind, lane)?,
                    (S::Nop, None) => return Err(self.refuse(op, "SPIR-V has no such atomic operation")),
                    _ => self.emit(instruction, array.scalar, &[pointer, scope, order, value]),
                }
            }
        };
        let result = match array.has_float_bits {
            true => self.emit(S::Bitcast, Scalar::Float(array.scalar.bits()), &[result.id]),
            false => result,
        };
        self.bind(op.result(0), vec![result]);
        Ok(())
    }

    // Converts a lane to an element of the array.
    fn bits_for(&mut self, array: &Array, lane: Word) -> Word {
        // The lane of a load is 0.
        if array.has_float_bits && lane != 0 { self.emit(S::Bitcast, array.scalar, &[lane]).id } else { lane }
    }

    // Combines a float with an element. The loop repeats until no other unit has written in between. Returns the bits
    // before the combination.
    fn repeated(
        &mut self,
        op: Op<'p>,
        array: &Array,
        pointer: Word,
        kind: CombiningKind,
        lane: Word,
    ) -> Written<Value> {
        let float = Scalar::Float(array.scalar.bits());
        let [scope, order] = self.relaxed(array);
        let first = self.emit(S::AtomicLoad, array.scalar, &[pointer, scope, order]);
        let old = self.variable(array.scalar);
        self.asm.act(S::Store, vec![id(old.id), id(first.id)]);
        let begun = self.begin_loop();
        let expected = self.read(&old);
        let before = self.emit(S::Bitcast, float, &[expected]);
        let new = combined(self, kind, &before, &Value { id: lane, ty: float, is_variable: false });
        let Some(new) = new else { return Err(self.refuse(op, "SPIR-V has no such atomic operation")) };
        let new = self.emit(S::Bitcast, array.scalar, &[new.id]).id;
        let operands = [pointer, scope, order, order, new, expected];
        let seen = self.emit(S::AtomicCompareExchange, array.scalar, &operands).id;
        self.asm.act(S::Store, vec![id(old.id), id(seen)]);
        let differs = self.compared(S::INotEqual, seen, expected);
        self.leave(&begun, differs);
        self.jump(begun.next);
        self.asm.begin(begun.next);
        self.end_loop(&begun);
        let before = self.read(&old);
        Ok(Value { id: before, ty: array.scalar, is_variable: false })
    }

    /// Reinterprets the bits of lanes as lanes of another width: two f16 numbers are one word. Returns false, without
    /// effect, if the number of lanes stays equal.
    ///
    /// # Errors
    /// The widths of the lanes differ by more than a factor of 4.
    pub(crate) fn regrouped(&mut self, op: Op<'p>) -> Written<bool> {
        let (from, to) = (self.type_of(op, op.operand(0))?, self.type_of(op, op.result(0))?);
        let lanes: Vec<Word> = self.lanes(op, op.operand(0))?.iter().map(|lane| self.read(lane)).collect();
        if self.held(from) != from || self.held(to) != to {
            return Err(self.refuse(op, "the chip lacks integers of this width"));
        }
        let (wide, narrow) = (from.bits().max(to.bits()), from.bits().min(to.bits()));
        let ratio = wide / narrow;
        let mut result = Vec::new();
        match ratio {
            1 if from == to => result = lanes.iter().map(|id| Value { id: *id, ty: to, is_variable: false }).collect(),
            1 => result.extend(lanes.iter().map(|lane| self.emit(S::Bitcast, to, &[*lane]))),
            2 | 4 if from.bits() < to.bits() => {
                for lanes in lanes.chunks(ratio as usize) {
                    let ty = self.asm.vector(from, ratio);
                    let vector = self.asm.value(S::CompositeConstruct, ty, lanes.iter().copied().map(id).collect());
                    result.push(self.emit(S::Bitcast, to, &[vector]));
                }
            }
            2 | 4 => {
                for lane in lanes {
                    let (ty, of) = (self.asm.vector(to, ratio), self.ty(to));
                    let vector = self.asm.value(S::Bitcast, ty, vec![id(lane)]);
                    for part in 0..ratio {
                        let operands = vec![id(vector), crate::assembly::number(part)];
                        let part = self.asm.value(S::CompositeExtract, of, operands);
                        result.push(Value { id: part, ty: to, is_variable: false });
                    }
                }
            }
            _ => return Err(self.refuse(op, "a vector of SPIR-V has 2 or 4 lanes")),
        }
        self.bind(op.result(0), result);
        Ok(true)
    }
}
