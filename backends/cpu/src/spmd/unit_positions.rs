//! Positions of the units of a group.
use super::form::ValueForm;
use super::state::{EmitContext, Sharing, SpmdEmitter};
use cube_dialect::topology::{Measures, evaluate};
use cube_dialect::{TopologyKind as T, ops};
use cube_ir::{Builder, Op, Val};
use cube_passes::write::topology;

impl<'p> SpmdEmitter<'_, 'p> {
    pub(super) fn topology(&mut self, at: &EmitContext<'p>, op: Op<'p>) {
        let Some(kind) = ops::Topology::of(op).map(|t| t.kind()) else { return };
        if !kind.inputs().unit {
            return self
                .each(at, op, Sharing::Always, |_, _, _, _| vec![ValueForm::Uniform(at.b.insert_copy(op).result(0))]);
        }
        for part in at.parts.clone() {
            let i32t = at.b.cx().int(32);
            let first = at.b.muli(self.numbers[part], at.b.int(i32t, i64::from(self.group.lanes as i32)));
            let positions = Positions { emitter: self, b: at.b, number: ValueForm::affine(first, 1) };
            let form = positions.form(evaluate(kind, &positions));
            self.set(at, op.result(0), part, form);
        }
    }

    // The position along an axis with several units, from the number of the unit in its cube.
    fn unit(&self, b: Builder<'p>, unit: ValueForm<'p>, axis: usize) -> ValueForm<'p> {
        let dim = self.group.shape.dim;
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

/// The inputs of the formulas for a group of units, at an insertion point.
struct Positions<'a, 's, 'p> {
    emitter: &'a SpmdEmitter<'s, 'p>,
    b: Builder<'p>,
    /// The number of a unit in its cube.
    number: ValueForm<'p>,
}

/// A number of 32 bits: a constant, or a value of the units of the group.
#[derive(Clone, Copy)]
enum Number<'p> {
    Known(u32),
    Value(ValueForm<'p>),
}
use Number::{Known, Value};

impl<'p> Positions<'_, '_, 'p> {
    fn form(&self, number: Number<'p>) -> ValueForm<'p> {
        match number {
            Known(n) => ValueForm::Uniform(self.b.int(self.b.cx().int(32), i64::from(n as i32))),
            Value(form) => form,
        }
    }

    fn read(&self, kind: T) -> Number<'p> {
        Value(ValueForm::Uniform(topology(self.b, kind)))
    }

    fn lanes(&self, number: Number<'p>) -> Val<'p> {
        self.emitter.group.broadcast(self.b, self.form(number), self.b.cx().int(32))
    }
}

impl<'p> Measures for Positions<'_, '_, 'p> {
    type Value = Number<'p>;
    fn unit(&self, axis: usize) -> Number<'p> {
        match self.emitter.group.shape.dim[axis] {
            1 => Known(0),
            _ => Value(self.emitter.unit(self.b, self.number, axis)),
        }
    }
    fn units(&self) -> Number<'p> {
        Value(self.number)
    }
    fn cube(&self, axis: usize) -> Number<'p> {
        self.read([T::CubePosX, T::CubePosY, T::CubePosZ][axis])
    }
    fn dim(&self, axis: usize) -> Number<'p> {
        Known(self.emitter.group.shape.dim[axis])
    }
    fn count(&self, axis: usize) -> Number<'p> {
        self.read([T::CubeCountX, T::CubeCountY, T::CubeCountZ][axis])
    }
    // Clusters have one cube.
    fn cluster(&self, _: usize) -> Number<'p> {
        Known(1)
    }
    fn plane_dim(&self) -> Number<'p> {
        Known(self.emitter.group.plane)
    }
    fn add(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match (x, y) {
            (Known(x), Known(y)) => Known(x.wrapping_add(y)),
            (Known(0), other) | (other, Known(0)) => other,
            (x, y) => Value(self.emitter.sum(self.b, self.form(x), self.form(y), self.b.cx().int(32))),
        }
    }
    fn mul(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        let form = match (x, y) {
            (Known(x), Known(y)) => return Known(x.wrapping_mul(y)),
            (Known(0), _) | (_, Known(0)) => return Known(0),
            (Known(1), other) | (other, Known(1)) => return other,
            (x, y) => (self.form(x), self.form(y)),
        };
        Value(match form {
            (ValueForm::Uniform(by), other) | (other, ValueForm::Uniform(by)) => {
                self.emitter.times(self.b, other, by, self.b.cx().int(32))
            }
            _ => ValueForm::Varying(self.b.muli(self.lanes(x), self.lanes(y))),
        })
    }
    fn div(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match (x, y) {
            (Known(x), Known(y)) if y != 0 => Known(x / y),
            (Value(form), Known(by)) => Value(self.emitter.quotient(self.b, form, by)),
            (x, y) => Value(ValueForm::Varying(self.b.divui(self.lanes(x), self.lanes(y)))),
        }
    }
    fn rem(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match (x, y) {
            (Known(x), Known(y)) if y != 0 => Known(x % y),
            (Value(form), Known(by)) => Value(self.emitter.remainder(self.b, form, by)),
            (x, y) => Value(ValueForm::Varying(self.b.remui(self.lanes(x), self.lanes(y)))),
        }
    }
}
