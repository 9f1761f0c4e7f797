//! Arrays of buffers and allocations, and the accesses to them.
//!
//! A line of 2 lanes, or of a multiple of 4 lanes, is stored as vectors. A load or store of the line moves whole
//! vectors. If one operation accesses an array atomically, all operations access the array atomically. The host stores
//! a bool as a byte. If the chip has no integers of 8 bits, a word contains 4 bools. A store of a bool changes one byte
//! of the word with two atomic operations. Concurrent stores to the other bytes are therefore preserved.
use crate::assembly::{id, number};
use crate::formulas::{combined, of_integers};
use crate::state::{Array, Spirv, Value};
use cube_dialect::{Combine, Memory, access_of as atomic_access_of, memory_of, ops};
use cube_ir::access::{Access, AccessKind, access_of};
use cube_ir::{Op, TypeExt, Val};
use cube_structured::{Emit, Layout, Scalar, WORD, Written, accesses_to};
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, MemoryAccess, MemorySemantics, Op as S, Scope, StorageClass, Word};

// Whether `AtomicFloat32AddEXT` suffices for an access: sums, differences, loads and stores.
fn is_native_sum(access: &Access<'_>) -> bool {
    let kind = ops::AtomicRmw::of(access.op).and_then(|rmw| rmw.kind());
    kind.is_none_or(|kind| [Combine::AddF, Combine::SubF].contains(&kind)) && access.kind != AccessKind::AtomicCas
}

impl<'p> Spirv<'p> {
    /// Declares the array of a memref. `address` is the address of a buffer that has no binding. The result is `None` if
    /// the backend cannot declare the array, for example for 16-bit integers on a chip without them.
    pub fn declared(&mut self, memory: Val<'p>, name: &str, address: Option<Word>) -> Option<Array> {
        let (layout, all) = Layout::of(memory, |ty| self.storage_type(ty) != ty)?;
        let is_added = memory_of(memory) == Memory::Global
            && layout.scalar == Scalar::Float(32)
            && self.asm.has(Capability::AtomicFloat32AddEXT)
            && all.iter().all(is_native_sum);
        let scalar = match layout.scalar {
            Scalar::Float(bits) if layout.has_atomics && !is_added => Scalar::Int(bits),
            Scalar::Int(16) if self.storage_type(layout.scalar) != layout.scalar => return None,
            other => other,
        };
        let (stored_type, lanes) = (self.storage_type(scalar), layout.lanes as u32);
        let element = self.asm.vector(stored_type, lanes);
        let class = match memory_of(memory) {
            Memory::Global if address.is_some() => StorageClass::PhysicalStorageBuffer,
            Memory::Global => StorageClass::StorageBuffer,
            Memory::Shared => StorageClass::Workgroup,
            _ => StorageClass::Function,
        };
        let variable = if memory_of(memory) == Memory::Global {
            match scalar {
                Scalar::Int(8) if !layout.has_bytes => self.asm.require_capability(Capability::StorageBuffer8BitAccess),
                Scalar::Int(16) | Scalar::Float(16) => {
                    self.asm.require_capability(Capability::StorageBuffer16BitAccess)
                }
                _ => {}
            }
            self.buffer(element, lanes * stored_type.bits() / 8, address)
        } else {
            let array = self.asm.array(element, Some(u32::try_from(layout.elements()?).ok()?), None);
            if class == StorageClass::Workgroup { self.asm.global(class, array) } else { self.asm.local(array) }
        };
        self.asm.name(variable, name);
        let array = Array { variable, class, layout, scalar };
        self.arrays.insert(memory, array);
        Some(array)
    }

    // The pointer to a buffer: a variable with a binding, or the address.
    fn buffer(&mut self, element: Word, stride: u32, address: Option<Word>) -> Word {
        let array = self.asm.array(element, None, Some(stride));
        let block = self.asm.block(&[array], &[0]);
        let Some(address) = address else { return self.asm.global(StorageClass::StorageBuffer, block) };
        self.asm.require_capability(Capability::PhysicalStorageBufferAddresses);
        let pointer = self.asm.pointer(StorageClass::PhysicalStorageBuffer, block);
        self.asm.value(S::Bitcast, pointer, vec![id(address)])
    }

    /// The vector of two words of the uniform block, from the word `at`.
    pub fn two_words(&mut self, at: u32) -> Word {
        let words = [self.argument(at), self.argument(at + 1)];
        self.vector(WORD, &words)
    }

    /// Declares the buffer of `array` a second time, as an array of vectors, if the kernel has aligned accesses to
    /// several of its lines. Returns the second variable.
    pub fn view(&mut self, memory: Val<'p>, array: &Array, name: &str, address: Option<Word>) -> Option<Word> {
        let lanes = accesses_to(memory).iter().filter_map(|access| array.layout.vector_lanes(access)).max()?;
        let element = self.asm.vector(array.scalar, lanes as u32);
        let variable = self.buffer(element, lanes as u32 * array.scalar.bits() / 8, address);
        self.asm.name(variable, &format!("{name}_vectors"));
        let layout = array.layout.of_vectors(lanes);
        self.views.insert(memory, Array { variable, layout, ..*array });
        Some(variable)
    }

    // The array for an access, and the index in this array. An aligned access to several lines of one lane uses an array
    // of vectors.
    fn array_for(&mut self, array: Array, access: &Access<'p>, mut index: Word) -> (Array, Word) {
        let lanes = array.layout.vector_lanes(access);
        let view = self.views.get(&access.buffer).copied().filter(|view| lanes == Some(view.layout.lanes));
        if let Some(view) = view {
            let shift = self.asm.word(view.layout.shift);
            index = self.emit(S::ShiftRightLogical, WORD, &[index, shift]).id;
        }
        (view.unwrap_or(array), index)
    }

    // The index of the element that contains a lane. Lanes are counted from the line at `index`.
    fn position_of(&mut self, array: &Array, index: Word, lane: u64) -> Word {
        let ((stride, offset), ty) = (array.layout.stride(lane), array.index_type());
        let mut element_index = if ty == WORD { index } else { self.emit(S::UConvert, ty, &[index]).id };
        for (op, number, neutral) in [(S::IMul, stride, 1), (S::IAdd, offset, 0)] {
            if number != neutral {
                let number = self.asm.constant(ty, number);
                element_index = self.emit(op, ty, &[element_index, number]).id;
            }
        }
        element_index
    }

    fn pointer_to(&mut self, array: &Array, element_index: Word) -> Word {
        let stored_type = self.storage_type(array.scalar);
        let element = self.asm.vector(stored_type, array.layout.lanes as u32);
        let pointer = self.asm.pointer(array.class, element);
        let block = array.is_buffer().then(|| self.asm.word(0));
        let operands = [array.variable].into_iter().chain(block).chain([element_index]).map(id).collect();
        self.asm.value(S::AccessChain, pointer, operands)
    }

    // Scope and order of an atomic operation, which orders no other memory.
    fn relaxed(&mut self, array: &Array) -> [Word; 2] {
        let is_vulkan = self.asm.uses(Capability::VulkanMemoryModel);
        let scope = match array.is_buffer() {
            false => Scope::Workgroup,
            true if is_vulkan && !self.asm.has(Capability::VulkanMemoryModelDeviceScope) => Scope::QueueFamily,
            true => Scope::Device,
        };
        if is_vulkan && scope == Scope::Device {
            self.asm.require_capability(Capability::VulkanMemoryModelDeviceScope);
        }
        [self.asm.word(scope as u32), self.asm.word(MemorySemantics::RELAXED.bits())]
    }

    /// Emits a load or store.
    ///
    /// # Errors
    /// The accessed memory is neither an argument nor an allocation.
    pub(crate) fn accessed(&mut self, op: Op<'p>) -> Written {
        let access = access_of(op).filter(|access| access.mask.is_none() && access.offsets.is_none());
        let known = access.and_then(|access| Some((*self.arrays.get(&access.buffer)?, access.index()?, access)));
        let Some((array, index, access)) = known else { return Err(self.refuse(op, "its buffer is not known")) };
        let index = self.scalar_id(op, index)?;
        let (array, index) = self.array_for(array, &access, index);
        match (access.kind, access.value) {
            (AccessKind::Load, _) => {
                let count = op.result(0).ty().element_count();
                let lanes = (0..count).step_by(array.layout.lanes as usize);
                let lanes = lanes.flat_map(|lane| self.loaded(&array, index, lane)).collect();
                self.bind(op.result(0), lanes);
                Ok(())
            }
            (AccessKind::Store, Some(value)) => {
                let lanes: Vec<Word> = self.lanes(op, value)?.iter().map(|lane| self.read(lane)).collect();
                let width = array.layout.lanes as usize;
                for (lane, lanes) in (0..).step_by(width).zip(lanes.chunks(width)) {
                    self.stored(&array, index, lane, lanes);
                }
                Ok(())
            }
            _ => Err(self.refuse(op, "it is neither a load nor a store")),
        }
    }

    fn loaded(&mut self, array: &Array, index: Word, lane: u64) -> Vec<Value> {
        let element_index = self.position_of(array, index, lane);
        if array.layout.has_bytes {
            let (word, shift) = self.byte_in_word(array, element_index);
            let pointer = self.pointer_to(array, word);
            let word = self.load(array, pointer);
            let (bits, mask) = (self.emit(S::ShiftRightLogical, WORD, &[word, shift]).id, self.asm.word(0xff));
            return vec![Value::of(self.emit(S::BitwiseAnd, WORD, &[bits, mask]).id, array.scalar)];
        }
        let pointer = self.pointer_to(array, element_index);
        let loaded = self.load(array, pointer);
        match array.layout.lanes {
            1 => vec![self.lane_for(array, loaded)],
            lanes => (0..lanes as u32).map(|at| self.part(loaded, array.scalar, at)).collect(),
        }
    }

    fn load(&mut self, array: &Array, pointer: Word) -> Word {
        let stored_type = self.storage_type(array.scalar);
        let ty = self.asm.vector(stored_type, array.layout.lanes as u32);
        let mut operands = vec![id(pointer)];
        if array.layout.is_atomic {
            operands.extend(self.relaxed(array).map(Operand::IdScope));
            return self.asm.value(S::AtomicLoad, ty, operands);
        }
        operands.extend(self.memory_access(array));
        self.asm.value(S::Load, ty, operands)
    }

    // In the Vulkan memory model, barriers order only accesses that are not private to a unit. An access to an address
    // states its alignment.
    fn memory_access(&self, array: &Array) -> Vec<Operand> {
        let is_shared = self.asm.uses(Capability::VulkanMemoryModel) && array.class != StorageClass::Function;
        let shared = is_shared.then_some(MemoryAccess::NON_PRIVATE_POINTER);
        let bytes = array.layout.lanes as u32 * self.storage_type(array.scalar).bits() / 8;
        let alignment = (array.class == StorageClass::PhysicalStorageBuffer).then_some(number(bytes));
        let access = shared.into_iter().chain(alignment.as_ref().map(|_| MemoryAccess::ALIGNED)).reduce(|a, b| a | b);
        access.map(Operand::MemoryAccess).into_iter().chain(alignment).collect()
    }

    // The word that contains a byte, and the position of the byte's lowest bit in the word.
    fn byte_in_word(&mut self, array: &Array, element_index: Word) -> (Word, Word) {
        let ty = array.index_type();
        let [two, three] = [2, 3].map(|number| self.asm.constant(ty, number));
        let word = self.emit(S::ShiftRightLogical, ty, &[element_index, two]).id;
        let byte = self.emit(S::BitwiseAnd, ty, &[element_index, three]).id;
        (word, self.emit(S::ShiftLeftLogical, ty, &[byte, three]).id)
    }

    fn stored(&mut self, array: &Array, index: Word, lane: u64, values: &[Word]) {
        let element_index = self.position_of(array, index, lane);
        let [first, ..] = values else { return };
        if array.layout.has_bytes {
            let (word, shift) = self.byte_in_word(array, element_index);
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
        let pointer = self.pointer_to(array, element_index);
        if array.layout.is_atomic {
            let [scope, order] = self.relaxed(array);
            let first = self.bits_for(array, *first);
            return self.asm.emit(S::AtomicStore, [pointer, scope, order, first].map(id).to_vec());
        }
        let value = match values {
            [one] => *one,
            values => self.vector(array.scalar, values),
        };
        let operands = [id(pointer), id(value)].into_iter().chain(self.memory_access(array)).collect();
        self.asm.emit(S::Store, operands);
    }

    /// Emits an atomic operation.
    ///
    /// # Errors
    /// The memory of the atomic operation is neither an argument nor an allocation.
    pub(crate) fn atomic(&mut self, op: Op<'p>) -> Written {
        let known = atomic_access_of(op).and_then(|access| Some((*self.arrays.get(&access.buffer)?, access)));
        let Some((array, access)) = known else { return Err(self.refuse(op, "its buffer is not known")) };
        match array.scalar {
            WORD => {}
            Scalar::Int(64) => self.asm.require_capability(Capability::Int64Atomics),
            Scalar::Float(32) => self.asm.require_capability(Capability::AtomicFloat32AddEXT),
            _ => return Err(self.refuse(op, "the backend has no atomic operations of this type")),
        }
        let index = self.scalar_id(op, access.index)?;
        let element_index = self.position_of(&array, index, 0);
        let pointer = self.pointer_to(&array, element_index);
        let lane = access.value.map(|value| self.scalar_id(op, value)).transpose()?.unwrap_or_default();
        let value = self.bits_for(&array, lane);
        let [scope, order] = self.relaxed(&array);
        let result = match op.kind() {
            ops::AtomicLoad::KIND => self.emit(S::AtomicLoad, array.scalar, &[pointer, scope, order]),
            ops::AtomicStore::KIND => {
                self.asm.emit(S::AtomicStore, [pointer, scope, order, value].map(id).to_vec());
                return Ok(());
            }
            ops::AtomicCas::KIND => {
                let cas = ops::AtomicCas::of(op).ok_or_else(|| self.refuse(op, "it expects no value"))?;
                let expected = self.scalar_id(op, cas.expected())?;
                let expected = self.bits_for(&array, expected);
                let operands = [pointer, scope, order, order, value, expected];
                self.emit(S::AtomicCompareExchange, array.scalar, &operands)
            }
            _ => {
                let kind = ops::AtomicRmw::of(op).and_then(|rmw| rmw.kind());
                let kind = kind.ok_or_else(|| self.refuse(op, "it has no kind"))?;
                // A subtraction is an addition of the negated operand.
                let (kind, lane) = match kind {
                    Combine::SubF => (Combine::AddF, self.emit(S::FNegate, array.layout.scalar, &[lane]).id),
                    kind => (kind, lane),
                };
                match of_integers(kind, 2) {
                    Some(instruction) => self.emit(instruction, array.scalar, &[pointer, scope, order, value]),
                    None if array.scalar == array.layout.scalar => {
                        self.emit(S::AtomicFAddEXT, array.scalar, &[pointer, scope, order, lane])
                    }
                    None => self.repeated(op, &array, pointer, kind, lane)?,
                }
            }
        };
        let result = self.lane_for(&array, result.id);
        self.bind(op.result(0), vec![result]);
        Ok(())
    }

    // Converts an element of the array to a lane.
    fn lane_for(&mut self, array: &Array, element: Word) -> Value {
        let ty = array.layout.scalar;
        if ty == array.scalar { Value::of(element, ty) } else { self.emit(S::Bitcast, ty, &[element]) }
    }

    // Converts a lane to an element of the array.
    fn bits_for(&mut self, array: &Array, lane: Word) -> Word {
        // The lane of a load is 0.
        if array.layout.scalar != array.scalar && lane != 0 {
            self.emit(S::Bitcast, array.scalar, &[lane]).id
        } else {
            lane
        }
    }

    // Combines a float with an element. The loop repeats until no other unit has changed the element between the load
    // and the exchange. Returns the bits before the combination.
    fn repeated(&mut self, op: Op<'p>, array: &Array, pointer: Word, kind: Combine, lane: Word) -> Written<Value> {
        let float = array.layout.scalar;
        let [scope, order] = self.relaxed(array);
        let first = self.emit(S::AtomicLoad, array.scalar, &[pointer, scope, order]);
        let old = self.phi(array.scalar);
        self.set_phi(&old, &first);
        let (begun, expected) = (self.begin_while(), old.id);
        let before = self.emit(S::Bitcast, float, &[expected]);
        let new = combined(self, kind, &before, &Value::of(lane, float));
        let Some(new) = new else { return Err(self.refuse(op, "SPIR-V has no such atomic operation")) };
        let new = self.emit(S::Bitcast, array.scalar, &[new.id]).id;
        let operands = [pointer, scope, order, order, new, expected];
        let seen = self.emit(S::AtomicCompareExchange, array.scalar, &operands);
        self.set_phi(&old, &seen);
        let differs = self.emit(S::INotEqual, Scalar::Bool, &[seen.id, expected]);
        self.leave_unless(&begun, &differs);
        self.end_while(begun);
        Ok(old)
    }

    /// Reinterprets the bits of lanes as lanes of another width: two f16 numbers are one word. The result is always
    /// true, because the function emits every operation that it does not refuse.
    ///
    /// # Errors
    /// The widths of the lanes differ by more than a factor of 4, or the chip lacks integers of one of the
    /// widths.
    pub(crate) fn regrouped(&mut self, op: Op<'p>) -> Written<bool> {
        let (from, to) = (self.type_of(op, op.operand(0))?, self.type_of(op, op.result(0))?);
        let lanes: Vec<Word> = self.lanes(op, op.operand(0))?.iter().map(|lane| self.read(lane)).collect();
        if self.storage_type(from) != from || self.storage_type(to) != to {
            return Err(self.refuse(op, "the chip lacks integers of this width"));
        }
        let (wide, narrow) = (from.bits().max(to.bits()), from.bits().min(to.bits()));
        let ratio = wide / narrow;
        let mut result = Vec::new();
        match ratio {
            1 if from == to => result = lanes.iter().map(|id| Value::of(*id, to)).collect(),
            1 => result.extend(lanes.iter().map(|lane| self.emit(S::Bitcast, to, &[*lane]))),
            2 | 4 if from.bits() < to.bits() => {
                for lanes in lanes.chunks(ratio as usize) {
                    let vector = self.vector(from, lanes);
                    result.push(self.emit(S::Bitcast, to, &[vector]));
                }
            }
            2 | 4 => {
                for lane in lanes {
                    let ty = self.asm.vector(to, ratio);
                    let vector = self.asm.value(S::Bitcast, ty, vec![id(lane)]);
                    result.extend((0..ratio).map(|at| self.part(vector, to, at)));
                }
            }
            _ => return Err(self.refuse(op, "a vector of SPIR-V has 2 or 4 lanes")),
        }
        self.bind(op.result(0), result);
        Ok(true)
    }
}
