//! Positions of the units of a group.
use super::form::ValueForm;
use super::state::{EmitContext, Sharing, SpmdEmitter};
use cube_dialect::{
    TopologyKind as T, ops,
    topology::{Group, Topology},
};
use cube_ir::{Builder, Op, Val};
use cube_passes::write::topology;

impl<'p> SpmdEmitter<'_, 'p> {
    pub(super) fn topology(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let Some(kind) = ops::Topology::of(op).map(|t| t.kind()) else { return };
        let of_units = [Group::AbsolutePos, Group::UnitPos, Group::PlanePos, Group::UnitPosPlane];
        if !of_units.contains(&kind.topology().group) {
            return self
                .each(at, op, Sharing::Always, |_, _, _, _| vec![ValueForm::Uniform(at.b.insert_copy(op).result(0))]);
        }
        for part in at.parts.clone() {
            let form = self.position(at.b, kind, part);
            self.set(at, op.result(0), part, form);
        }
    }

    fn position(&self, b: Builder<'p>, kind: T, part: usize) -> ValueForm<'p> {
        let i32t = b.cx().int(32);
        let constant = |n: u32| b.int(i32t, i64::from(n as i32));
        let dim = self.group.shape.dim;
        let first = b.muli(self.numbers[part], constant(self.group.lanes));
        let unit = ValueForm::affine(first, 1);
        let lane = |by: u32| self.remainder(b, unit, by);
        let Topology { group, axis } = kind.topology();
        match (group, axis) {
            (Group::UnitPos, None) => unit,
            (Group::PlanePos, _) => self.quotient(b, unit, self.group.plane),
            (Group::UnitPosPlane, _) => lane(self.group.plane),
            (Group::UnitPos, Some(axis)) => self.unit(b, unit, axis),
            (Group::AbsolutePos, Some(axis)) => self.absolute(b, unit, axis),
            // As `cube.topology` defines: x + size_x * (y + size_y * z).
            _ => {
                let all = [0, 1, 2].map(|axis| self.absolute(b, unit, axis));
                let counts = [T::CubeCountX, T::CubeCountY].map(|count| topology(b, count));
                let sizes = [0, 1].map(|axis| b.muli(constant(dim[axis]), counts[axis]));
                let yz = self.sum(b, all[1], self.times(b, all[2], sizes[1], i32t), i32t);
                self.sum(b, all[0], self.times(b, yz, sizes[0], i32t), i32t)
            }
        }
    }

    fn absolute(&self, b: Builder<'p>, unit: ValueForm<'p>, axis: usize) -> ValueForm<'p> {
        let i32t = b.cx().int(32);
        let cube = topology(b, [T::CubePosX, T::CubePosY, T::CubePosZ][axis]);
        let size = b.int(i32t, i64::from(self.group.shape.dim[axis] as i32));
        self.sum(b, ValueForm::Uniform(b.muli(cube, size)), self.unit(b, unit, axis), i32t)
    }

    fn unit(&self, b: Builder<'p>, unit: ValueForm<'p>, axis: usize) -> ValueForm<'p> {
        let dim = self.group.shape.dim;
        if dim[axis] == 1 {
            return ValueForm::Uniform(b.int(b.cx().int(32), 0));
        }
        let above: u32 = dim[..axis].iter().product();
        let row = self.quotient(b, unit, above);
        let outermost = dim[axis + 1..].iter().all(|units| *units == 1);
        if outermost { row } else { self.remainder(b, row, dim[axis]) }
    }

    fn quotient(&self, b: Builder<'p>, form: ValueForm<'p>, by: u32) -> ValueForm<'p> {
        let i32t = b.cx().int(32);
        let by_value = b.int(i32t, i64::from(by as i32));
        match form {
            _ if by == 1 => form,
            ValueForm::Uniform(value) => ValueForm::Uniform(b.divui(value, by_value)),
            ValueForm::Affine(step) if by.is_multiple_of(self.group.lanes) => {
                ValueForm::Uniform(b.divui(step.base, by_value))
            }
            _ => {
                let all = self.group.broadcast(b, form, i32t);
                ValueForm::Varying(b.divui(all, b.int(all.ty(), i64::from(by as i32))))
            }
        }
    }

    // The remainder of the unit's number or of a quotient. The base of the unit's number is a multiple of the number
    // of lanes.
    fn remainder(&self, b: Builder<'p>, form: ValueForm<'p>, by: u32) -> ValueForm<'p> {
        let i32t = b.cx().int(32);
        let rest = |value: Val<'p>| b.remui(value, b.int(value.ty(), i64::from(by as i32)));
        match form {
            ValueForm::Uniform(value) => ValueForm::Uniform(rest(value)),
            ValueForm::Affine(_) if by == self.group.lanes => ValueForm::affine(b.int(i32t, 0), 1),
            // The base is computed as a number of groups times the number of lanes, so that analyses see the
            // multiple.
            ValueForm::Affine(step) if by.is_multiple_of(self.group.lanes) => {
                let groups = b.divui(step.base, b.int(i32t, i64::from(self.group.lanes)));
                let first = b.remui(groups, b.int(i32t, i64::from(by / self.group.lanes)));
                ValueForm::affine(b.muli(first, b.int(i32t, i64::from(self.group.lanes))), 1)
            }
            _ => ValueForm::Varying(rest(self.group.broadcast(b, form, i32t))),
        }
    }
}
