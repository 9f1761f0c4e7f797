//! Values that are defined in one segment and used in another.
//!
//! A value that is cheap to compute from uniform values and the unit's position is rematerialised. A value that is
//! not rematerialised is stored at its definition: once if the value is uniform, otherwise in an array with one line
//! per unit.
use super::state::{Segment, Split, ValueStorage, array, is_pure};
use cube_dialect::TopologyKind;
use cube_ir::ops::{arith, cube};
use cube_ir::{Builder, Failed, Op, OpKind, PassResult, TypeExt, Val, ops::Dialect};
use cube_passes::write::topology;
use cube_to_llvm::memory;
use std::collections::HashMap;

/// Maximum number of operations that rematerialise a value.
const AGAIN: usize = 8;

/// Operations of `arith` whose results are reloaded, not rematerialised: float arithmetic and divisions.
const COSTLY: [OpKind; 20] = [
    arith::ADDF,
    arith::SUBF,
    arith::MULF,
    arith::DIVF,
    arith::REMF,
    arith::NEGF,
    arith::MAXIMUMF,
    arith::MAXNUMF,
    arith::MINIMUMF,
    arith::MINNUMF,
    arith::CMPF,
    arith::EXTF,
    arith::TRUNCF,
    arith::DIVUI,
    arith::DIVSI,
    arith::REMUI,
    arith::REMSI,
    arith::CEILDIVUI,
    arith::CEILDIVSI,
    arith::FLOORDIVSI,
];

impl<'r, 'p> Split<'r, 'p> {
    /// Allocates memory, one line per unit, for a value that no segment defines, such as a value that a loop
    /// carries.
    pub fn allocate_storage(&mut self, value: Val<'p>) -> Val<'p> {
        let memory = array(self, value.ty());
        self.storage.insert(value, ValueStorage::Array(memory));
        self.defining_segment.insert(value, None);
        memory
    }

    /// Inserts a store of `value` to `memory` after the definition of `value` in a segment.
    pub(super) fn keep_in(&mut self, value: Val<'p>, memory: Val<'p>) {
        let def = value.def().expect("a segment makes it");
        let after = Builder::before(def.next().expect("a segment has an end")).with_location(def.location());
        self.store_unit(after, value, memory);
        self.storage.insert(value, ValueStorage::Array(memory));
    }

    /// The index of the unit that executes the code at insertion point `b`.
    pub fn unit(&self, b: Builder<'p>) -> Val<'p> {
        b.cast(arith::INDEX_CASTUI, topology(b, TopologyKind::UnitPos), b.cx().index())
    }

    /// Stores the value of the unit that executes the code at insertion point `b`.
    pub fn store_unit(&self, b: Builder<'p>, value: Val<'p>, memory: Val<'p>) {
        memory::store(b, value, memory, self.unit(b));
    }

    /// If a segment uses a value that another segment defines, replaces the use by a copy inside the using
    /// segment.
    pub(super) fn connect(&mut self) -> PassResult {
        for segment in self.segments.clone() {
            let body = segment.end.block().expect("attached");
            let start = body.first().expect("it has an end");
            let mut local: HashMap<Val<'p>, Val<'p>> = HashMap::new();
            for top in body.ops() {
                for op in top.walk() {
                    for (i, value) in op.operands().enumerate() {
                        if self.is_foreign(value, segment) {
                            let copy = self.local(value, start, &mut local);
                            op.set_operand(i, copy);
                        }
                    }
                }
            }
        }
        for block in self.blocks.clone() {
            for op in block.ops() {
                for (i, value) in op.operands().enumerate() {
                    if self.defining_segment.contains_key(&value) {
                        let uniform_copy = self.once(value, op)?;
                        op.set_operand(i, uniform_copy);
                    }
                }
            }
        }
        Ok(())
    }

    fn is_foreign(&self, value: Val<'p>, segment: Segment<'p>) -> bool {
        self.defining_segment.get(&value).is_some_and(|made| *made != Some(segment.number))
    }

    fn local(&mut self, value: Val<'p>, start: Op<'p>, local: &mut HashMap<Val<'p>, Val<'p>>) -> Val<'p> {
        if let Some(known) = local.get(&value) {
            return *known;
        }
        let copy = match value.def().filter(|_| self.cost(value, AGAIN).is_some()) {
            Some(def) => {
                let operands: Vec<Val<'p>> = def
                    .operands()
                    .map(|v| {
                        let v = self.original(v);
                        if self.defining_segment.contains_key(&v) { self.local(v, start, local) } else { v }
                    })
                    .collect();
                let rematerialised = Builder::before(start).insert_copy(def);
                rematerialised.set_operands(&operands);
                rematerialised.result(value_number(def, value))
            }
            None => {
                let b = Builder::before(start).with_location(value.location());
                match self.storage_of(value) {
                    ValueStorage::Cell(memory) => memory::load(b, value.ty(), memory, b.int(b.cx().index(), 0)),
                    // The analysis `Uniformity` reads the stores to the array, and derives whether the loaded value is
                    // uniform in a plane.
                    ValueStorage::Array(memory) => memory::load(b, value.ty(), memory, self.unit(b)),
                }
            }
        };
        local.insert(value, copy);
        self.originals.insert(copy, value);
        copy
    }

    // The original value of a copy in a segment. An operand of a rematerialised operation can be a copy.
    fn original(&self, value: Val<'p>) -> Val<'p> {
        self.originals.get(&value).copied().unwrap_or(value)
    }

    // The number of operations that rematerialise the value; `None` if they exceed the budget or have effects.
    fn cost(&self, value: Val<'p>, budget: usize) -> Option<usize> {
        if !self.defining_segment.contains_key(&value) {
            return Some(0);
        }
        // A value with storage is loaded from its storage. Vectors are never rematerialised.
        if self.storage.contains_key(&value) || value.ty().lanes().is_some() {
            return None;
        }
        let def = value.def()?;
        let is_cheap =
            def.is(cube::TOPOLOGY) || def.kind().dialect() == Some(Dialect::Arith) && !COSTLY.contains(&def.kind());
        if !is_cheap || !is_pure(def) {
            return None;
        }
        let mut total = 1;
        for operand in def.operands() {
            total += self.cost(self.original(operand), budget.checked_sub(total)?)?;
        }
        (total <= budget).then_some(total)
    }

    // The storage of a value. A value without storage is first stored directly after its definition.
    fn storage_of(&mut self, value: Val<'p>) -> ValueStorage<'p> {
        if let Some(storage) = self.storage.get(&value) {
            return *storage;
        }
        let def = value.def().expect("a segment makes it");
        let after = Builder::before(def.next().expect("a segment has an end")).with_location(def.location());
        let storage = if self.is_uniform(value) {
            let memory = memory::shared(self.kernel, 1, value.ty());
            memory::store(after, value, memory, after.int(after.cx().index(), 0));
            ValueStorage::Cell(memory)
        } else {
            let memory = array(self, value.ty());
            self.store_unit(after, value, memory);
            ValueStorage::Array(memory)
        };
        self.storage.insert(value, storage);
        storage
    }

    // Loads a value outside of the loops over units. The value must be uniform.
    fn once(&mut self, value: Val<'p>, user: Op<'p>) -> Result<Val<'p>, Failed> {
        match self.storage_of(value) {
            ValueStorage::Cell(memory) => {
                let b = Builder::before(user);
                Ok(memory::load(b, value.ty(), memory, b.int(b.cx().index(), 0)))
            }
            ValueStorage::Array(_) => {
                user.error(cube_ir::diagnostic!(CUBE0398.differs));
                Err(Failed)
            }
        }
    }
}

fn value_number<'p>(def: Op<'p>, value: Val<'p>) -> usize {
    def.results().position(|r| r == value).expect("it is a result")
}
