//! Positions, barriers, and plane operations.
//!
//! Plane operations occur only in uniform control flow (`uniform.rs`), so all units of a plane are active, and
//! lane 0 is the first active lane. `subgroupShuffle` reads the value of another lane, and the result is used
//! only if that lane is present.
use crate::accesses::COMPONENTS;
use crate::planes;
use crate::scalar::{Scalar, word};
use crate::state::Wgsl;
use cube_dialect::{Scope, Vote, ops};
use cube_ir::Op;
use cube_structured::planes::{PlaneOp, SourceLane};
use cube_structured::{CUBE, GRID, Input, Operator, Position, Writer, Written};

impl Wgsl {
    /// The positions of the cube that the text uses: the name and the expression of each.
    pub(crate) fn cube_positions(&self) -> Vec<(&'static str, String)> {
        let used = self.builtins();
        let values = CUBE.iter().filter(|(name, _)| used.contains(name));
        values.map(|(name, input)| (*name, unwrapped(&self.expression(&input.in_dispatch())).into())).collect()
    }

    /// Writes a position.
    ///
    /// # Errors
    /// The position has no expression in WGSL. A kernel that reads a position in a plane requires a plane
    /// width other than 1, although the planes of the chip have one unit.
    pub(crate) fn position<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let position = match self.has_subgroups {
            true => self.units.position(op),
            false => self.units.position_without_planes(op),
        };
        let Some(position) = position else { return Err(w.refuse(op, "it has no value")) };
        let kind = ops::Topology::of(op).and_then(|it| it.value());
        if kind.is_none_or(|kind| kind.inputs().plane_dim)
            && !self.has_subgroups
            && self.units.plane_dim.is_some_and(|width| width != 1)
        {
            return Err(w.refuse(op, "planes of the chip have one unit, but cube.plane_dim requests more"));
        }
        let value = self.expression(&position);
        match position {
            Position::Of(..) => w.define(op, op.result(0), vec![unwrapped(&value).into()]),
            // A component of a vector, or a number, requires no name.
            _ => {
                w.name(op.result(0), vec![value]);
                Ok(())
            }
        }
    }

    fn expression(&self, position: &Position) -> String {
        let input = match position {
            Position::Number(number) => return word(*number),
            Position::Of(operator, x, y) => {
                let sign = match operator {
                    Operator::Add => "+",
                    Operator::Mul => "*",
                    Operator::Div => "/",
                    Operator::Rem => "%",
                };
                return format!("({} {sign} {})", self.expression(x), self.expression(y));
            }
            Position::Input(input) => *input,
        };
        match input {
            Input::CubePos(axis) => self.builtin(CUBE[1 + axis].0),
            Input::CubeIndex => self.builtin(CUBE[0].0),
            Input::CubeCount(axis) => format!("arguments.{}.{}", self.builtin("cube_count"), COMPONENTS[axis]),
            Input::CubeTotal => format!("arguments.{}", self.builtin("cube_total")),
            Input::Grid(word) => format!("arguments.{}", GRID[word as usize]),
            Input::Workgroup(axis) => format!("{}.{}", self.builtin("workgroup_id"), COMPONENTS[axis]),
            Input::UnitIndex => self.builtin("unit_index"),
            Input::UnitPos(axis) => format!("{}.{}", self.builtin("unit_pos"), COMPONENTS[axis]),
            Input::PlaneDim => self.builtin("plane_dim"),
            Input::UnitPosPlane => self.builtin("unit_pos_plane"),
        }
    }

    /// Writes a barrier.
    ///
    /// # Errors
    /// The scope of the barrier is the plane.
    pub(crate) fn barrier<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        match ops::Sync::of(op).and_then(|sync| sync.scope()) {
            // `workgroupBarrier` and `storageBarrier` are two separate barriers.
            Some(Scope::Cube) => w.line(match (self.ordered.shared, self.ordered.buffers) {
                (_, false) => "workgroupBarrier();",
                (true, true) => "workgroupBarrier(); storageBarrier();",
                (false, true) => "storageBarrier();",
            }),
            Some(Scope::Storage) => w.line("storageBarrier();"),
            Some(Scope::Plane) | None => return Err(w.refuse(op, "WGSL has no barrier of a subgroup")),
        }
        Ok(())
    }

    /// Writes a plane operation.
    ///
    /// # Errors
    /// The backend does not support the plane operation, or WGSL cannot combine or move lanes of this type.
    pub(crate) fn plane<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let (lane, result, widest) = (self.builtin("unit_pos_plane"), op.result(0), self.units.widest_plane);
        match PlaneOp::of(w, op)? {
            // All units of a plane are active, so the first active unit is lane 0.
            PlaneOp::Elect => w.define(op, result, vec![format!("{lane} == 0u")]),
            PlaneOp::Vote(vote, value) => {
                let name = if vote == Vote::All { "subgroupAll" } else { "subgroupAny" };
                let value = w.scalar(op, value)?;
                w.define(op, result, vec![format!("{name}({value})")])
            }
            PlaneOp::Ballot(value) => {
                let (value, words) = (w.scalar(op, value)?, w.fresh('v'));
                w.line(format_args!("let {words} = subgroupBallot({value});"));
                w.name(result, ["x", "y", "z", "w"].map(|part| format!("{words}.{part}")).to_vec());
                Ok(())
            }
            PlaneOp::Combine(form, kind, value) => {
                let call = Scalar::of(result.ty()).and_then(|ty| planes::call(form, kind, ty, widest));
                let Some((name, text)) = call else {
                    return Err(w.refuse(op, "WGSL does not support this combination of lanes"));
                };
                self.helper(&name, text);
                let values = w.names(op, value)?;
                w.define(op, result, values.iter().map(|value| format!("{name}({value}, {lane})")).collect())
            }
            PlaneOp::Move(from, value, by) => {
                let (values, by) = (w.names(op, value)?, w.scalar(op, by)?);
                let from = match from {
                    SourceLane::Lane => by,
                    SourceLane::XOr => format!("{lane} ^ {by}"),
                    SourceLane::Below => format!("select({widest}u, {lane} - {by}, {by} <= {lane})"),
                    SourceLane::Above => format!("select({widest}u, {lane} + {by}, {by} < {widest}u)"),
                };
                let call = Scalar::of(result.ty()).and_then(|ty| planes::moved(ty, widest));
                let Some((name, text)) = call else {
                    return Err(w.refuse(op, "WGSL does not support this shuffle of lanes"));
                };
                self.helper(&name, text);
                w.define(op, result, values.iter().map(|value| format!("{name}({value}, {from})")).collect())
            }
        }
    }
}

// Removes the outer brackets, which formulas put around every sum and product.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}
