//! Positions and barriers.
use crate::assembly::{id, number};
use crate::scalar::{Scalar, WORD};
use crate::state::{Spirv, Value};
use cube_dialect::topology::{Group, Measures, evaluate};
use cube_dialect::{Scope, ops};
use cube_ir::Op;
use cube_structured::{Emit, Written};
use rspirv::dr::Operand;
use rspirv::spirv::{self, BuiltIn, Capability, Decoration, MemorySemantics, Op as S, StorageClass, Word};

/// An expression of built-in values.
#[derive(Clone, Debug)]
enum Measure {
    Number(u32),
    /// A component of a built-in vector, or a built-in word.
    Input(&'static str, Option<u32>),
    /// A word of the grid, see [`Spirv::grid`].
    Grid(u32),
    Of(S, Box<Measure>, Box<Measure>),
}

/// Built-in values: the name here, and SPIR-V's name.
const INPUTS: &[(&str, BuiltIn)] = &[
    ("absolute_pos", BuiltIn::GlobalInvocationId),
    ("cube_pos", BuiltIn::WorkgroupId),
    ("unit_index", BuiltIn::LocalInvocationIndex),
    ("unit_pos", BuiltIn::LocalInvocationId),
    ("plane_dim", BuiltIn::SubgroupSize),
    ("unit_pos_plane", BuiltIn::SubgroupLocalInvocationId),
];

struct Units {
    cube_dim: [u32; 3],
    is_linear: bool,
    plane_dim: Option<u32>,
}

impl Units {
    fn index(&self) -> Measure {
        if self.cube_dim == [1; 3] { Measure::Number(0) } else { Measure::Input("unit_index", None) }
    }
}

impl Measures for Units {
    type Value = Measure;

    fn unit(&self, axis: usize) -> Measure {
        let [x, y, _] = self.cube_dim;
        let by = Measure::Number;
        match axis {
            _ if self.cube_dim[axis] == 1 => by(0),
            _ if !self.is_linear => Measure::Input("unit_pos", Some(axis as u32)),
            0 if self.cube_dim[1..] == [1, 1] => self.index(),
            0 => self.rem(self.index(), by(x)),
            1 if self.cube_dim[2] == 1 => self.div(self.index(), by(x)),
            1 => self.rem(self.div(self.index(), by(x)), by(y)),
            _ => self.div(self.index(), by(x.saturating_mul(y))),
        }
    }

    fn cube(&self, axis: usize) -> Measure {
        self.add(Measure::Input("cube_pos", Some(axis as u32)), Measure::Grid(axis as u32))
    }

    fn dim(&self, axis: usize) -> Measure {
        Measure::Number(self.cube_dim[axis])
    }

    fn count(&self, axis: usize) -> Measure {
        Measure::Grid(3 + axis as u32)
    }

    fn cluster(&self, _: usize) -> Measure {
        Measure::Number(1)
    }

    fn plane_dim(&self) -> Measure {
        self.plane_dim.map_or(Measure::Input("plane_dim", None), Measure::Number)
    }

    fn add(&self, x: Measure, y: Measure) -> Measure {
        match (x, y) {
            (Measure::Number(x), Measure::Number(y)) => Measure::Number(x.wrapping_add(y)),
            (Measure::Number(0), other) | (other, Measure::Number(0)) => other,
            (x, y) => Measure::Of(S::IAdd, x.into(), y.into()),
        }
    }

    fn mul(&self, x: Measure, y: Measure) -> Measure {
        match (x, y) {
            (Measure::Number(x), Measure::Number(y)) => Measure::Number(x.wrapping_mul(y)),
            (Measure::Number(0), _) | (_, Measure::Number(0)) => Measure::Number(0),
            (Measure::Number(1), other) | (other, Measure::Number(1)) => other,
            (x, y) => Measure::Of(S::IMul, x.into(), y.into()),
        }
    }

    fn div(&self, x: Measure, y: Measure) -> Measure {
        match y {
            Measure::Number(1) => x,
            y => Measure::Of(S::UDiv, x.into(), y.into()),
        }
    }

    fn rem(&self, x: Measure, y: Measure) -> Measure {
        match y {
            Measure::Number(1) => Measure::Number(0),
            y => Measure::Of(S::UMod, x.into(), y.into()),
        }
    }

    fn along(&self, axis: usize) -> Measure {
        match self.is_linear && self.cube_dim[1..] != [1, 1] {
            true => self.add(self.mul(self.cube(axis), self.dim(axis)), self.unit(axis)),
            false => {
                let first = self.mul(Measure::Grid(axis as u32), self.dim(axis));
                self.add(Measure::Input("absolute_pos", Some(axis as u32)), first)
            }
        }
    }
}

impl<'p> Spirv<'p> {
    /// Emits a position.
    ///
    /// # Errors
    /// The refusal of a position without a value.
    pub(crate) fn position(&mut self, op: Op<'p>) -> Written {
        let Some(kind) = ops::Topology::of(op).and_then(|it| it.value()) else {
            return Err(self.refuse(op, "it has no value"));
        };
        let units = Units { cube_dim: self.cube_dim, is_linear: self.is_linear, plane_dim: self.plane_dim };
        let group = kind.topology().group;
        let measure = match group {
            Group::UnitPosPlane => Measure::Input("unit_pos_plane", None),
            Group::PlanePos => units.div(units.index(), units.plane_dim()),
            Group::UnitPos if kind.topology().axis.is_none() => units.index(),
            _ => evaluate(kind, &units),
        };
        let value = self.measured(&measure);
        self.bind(op.result(0), vec![Value { id: value, ty: WORD, is_variable: false }]);
        Ok(())
    }

    fn measured(&mut self, measure: &Measure) -> Word {
        match measure {
            Measure::Number(word) => self.asm.word(*word),
            Measure::Input(name, part) => self.input(name, *part),
            Measure::Grid(at) => self.grid(*at),
            Measure::Of(op, x, y) => {
                let (x, y) = (self.measured(x), self.measured(y));
                self.emit(*op, WORD, &[x, y]).id
            }
        }
    }

    /// A word of the grid: the first cube of the dispatch along x, y, z, then the cubes of the launch along x, y, z.
    fn grid(&mut self, at: u32) -> Word {
        let (word, member) = (self.asm.scalar(WORD), self.asm.word(self.arguments.words + at));
        let pointer = self.asm.pointer(StorageClass::Uniform, word);
        let place = self.asm.value(S::AccessChain, pointer, vec![id(self.arguments.block), id(member)]);
        self.asm.value(S::Load, word, vec![id(place)])
    }

    /// A built-in value, or a component of it.
    pub(crate) fn input(&mut self, name: &'static str, part: Option<u32>) -> Word {
        let lanes = if part.is_some() { 3 } else { 1 };
        let ty = self.asm.vector(WORD, lanes);
        let variable = match self.inputs.get(name) {
            Some(known) => *known,
            None => {
                if name.contains("plane") {
                    self.asm.need(Capability::GroupNonUniform);
                }
                let variable = self.asm.global(StorageClass::Input, ty);
                let of = INPUTS.iter().find(|(own, _)| *own == name).map_or(BuiltIn::WorkgroupId, |(_, of)| *of);
                self.asm.decorate(variable, Decoration::BuiltIn, vec![Operand::BuiltIn(of)]);
                self.asm.name(variable, name);
                self.inputs.insert(name, variable);
                variable
            }
        };
        let whole = self.asm.value(S::Load, ty, vec![id(variable)]);
        match part {
            None => whole,
            Some(part) => {
                let word = self.ty(WORD);
                self.asm.value(S::CompositeExtract, word, vec![id(whole), number(part)])
            }
        }
    }

    /// Emits a barrier, which orders accesses to memory of its scope.
    ///
    /// # Errors
    /// The refusal of a barrier without a scope.
    pub(crate) fn barrier(&mut self, op: Op<'p>) -> Written {
        let memory = match ops::Sync::of(op).and_then(|sync| sync.scope()) {
            Some(Scope::Cube | Scope::Plane) => MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::UNIFORM_MEMORY,
            Some(Scope::Storage) => MemorySemantics::UNIFORM_MEMORY,
            None => return Err(self.refuse(op, "it has no scope")),
        };
        let scope = match ops::Sync::of(op).and_then(|sync| sync.scope()) {
            Some(Scope::Plane) => spirv::Scope::Subgroup,
            _ => spirv::Scope::Workgroup,
        };
        if scope == spirv::Scope::Subgroup {
            self.asm.need(Capability::GroupNonUniform);
        }
        let order = (MemorySemantics::ACQUIRE_RELEASE | memory).bits();
        let (scope, order) = (self.asm.word(scope as u32), self.asm.word(order));
        self.asm.act(S::ControlBarrier, [scope, scope, order].map(id).to_vec());
        Ok(())
    }

    /// Emits a comparison of two words.
    pub(crate) fn compared(&mut self, op: S, a: Word, b: Word) -> Word {
        self.emit(op, Scalar::Bool, &[a, b]).id
    }
}
