//! Positions, barriers, and plane operations.
//!
//! Plane operations occur only in uniform control flow (`uniform.rs`), so all units of a plane are active,
//! beginning with lane zero. `subgroupShuffle` reads the value of another lane, and the result is used only if
//! that lane is present.
use crate::planes;
use crate::scalar::{Scalar, word};
use crate::state::Wgsl;
use cube_dialect::topology::Group;
use cube_dialect::{Scan, Scope, Shuffle, Vote, ops};
use cube_ir::Op;
use cube_structured::{Input, Operator, Position, Writer, Written};

impl Wgsl {
    /// Writes a position.
    ///
    /// # Errors
    /// The kernel reads a position in a plane and fixes the plane width, which WGSL cannot fix.
    pub(crate) fn position<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let position = match self.has_subgroups {
            true => self.units.position(op),
            false => self.units.position_without_planes(op),
        };
        let Some(position) = position else { return Err(w.refuse(op, "it has no value")) };
        let of_planes = ops::Topology::of(op).and_then(|it| it.value()).map(|kind| kind.topology().group);
        let of_planes = matches!(of_planes, Some(Group::PlaneDim | Group::PlanePos | Group::UnitPosPlane));
        if of_planes && !self.has_subgroups && self.units.plane_dim.is_some_and(|width| width != 1) {
            return Err(w.refuse(op, "planes of the chip have one unit, and cube.plane_dim asks for more"));
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
        const AXES: [&str; 3] = ["x", "y", "z"];
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
            Input::AbsolutePos(axis) => format!("{}.{}", self.builtin("absolute_pos"), AXES[axis]),
            Input::CubePos(axis) => format!("{}.{}", self.builtin("cube_pos"), AXES[axis]),
            Input::CubeCount(axis) => format!("arguments.{}.{}", self.builtin("cube_count"), AXES[axis]),
            Input::UnitIndex => self.builtin("unit_index"),
            Input::UnitPos(axis) => format!("{}.{}", self.builtin("unit_pos"), AXES[axis]),
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
            Some(Scope::Cube) => {
                w.line("workgroupBarrier();");
                w.line("storageBarrier();");
            }
            Some(Scope::Storage) => w.line("storageBarrier();"),
            Some(Scope::Plane) | None => return Err(w.refuse(op, "WGSL has no barrier of a subgroup")),
        }
        Ok(())
    }

    /// Writes a plane operation.
    ///
    /// # Errors
    /// The plane operation is in control flow that is not uniform, or WGSL lacks the combination of the
    /// lanes.
    pub(crate) fn plane<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let lane = self.builtin("unit_pos_plane");
        let result = op.result(0);
        let values = op.operands().next().map(|value| w.names(op, value)).transpose()?.unwrap_or_default();
        let value = values.first().cloned().unwrap_or_default();
        match op.kind() {
            // All units of a plane are active, so the first active unit is lane 0.
            ops::PlaneElect::KIND => w.define(op, result, vec![format!("{lane} == 0u")]),
            ops::PlaneVote::KIND => {
                let name = match ops::PlaneVote::of(op).and_then(|vote| vote.vote()) {
                    Some(Vote::All) => "subgroupAll",
                    Some(Vote::Any) => "subgroupAny",
                    None => return Err(w.refuse(op, "it has no word")),
                };
                w.define(op, result, vec![format!("{name}({value})")])
            }
            ops::PlaneBallot::KIND => {
                let words = w.fresh('v');
                w.line(format_args!("let {words} = subgroupBallot({value});"));
                w.name(result, ["x", "y", "z", "w"].map(|part| format!("{words}.{part}")).to_vec());
                Ok(())
            }
            ops::PlaneReduce::KIND | ops::PlaneScan::KIND => {
                let form = match ops::PlaneScan::of(op) {
                    None => planes::Collective::Reduce,
                    Some(scan) if scan.scan() == Some(Scan::Exclusive) => planes::Collective::Exclusive,
                    Some(_) => planes::Collective::Inclusive,
                };
                let kind = cube_dialect::Combine::on(op);
                let call = kind.zip(Scalar::of(result.ty())).and_then(|(kind, ty)| planes::call(form, kind, ty));
                let Some((name, text)) = call else { return Err(w.refuse(op, "WGSL does not combine lanes so")) };
                self.helper(&name, text);
                w.define(op, result, values.iter().map(|value| format!("{name}({value}, {lane})")).collect())
            }
            ops::PlaneBroadcast::KIND | ops::PlaneShuffle::KIND => {
                let by = w.scalar(op, op.operand(1))?;
                let from = match ops::PlaneShuffle::of(op).map(|shuffle| shuffle.shuffle()) {
                    None | Some(Some(Shuffle::Idx)) => by,
                    Some(Some(Shuffle::XOr)) => format!("{lane} ^ {by}"),
                    // No lane has the number 128.
                    Some(Some(Shuffle::Up)) => format!("select(128u, {lane} - {by}, {by} <= {lane})"),
                    Some(Some(Shuffle::Down)) => format!("select(128u, {lane} + {by}, {by} < 128u)"),
                    Some(None) => return Err(w.refuse(op, "it has no word")),
                };
                let call = Scalar::of(result.ty()).and_then(planes::moved);
                let Some((name, text)) = call else { return Err(w.refuse(op, "WGSL does not move such a lane")) };
                self.helper(&name, text);
                w.define(op, result, values.iter().map(|value| format!("{name}({value}, {from})")).collect())
            }
            _ => Err(w.refuse(op, "the backend does not support it")),
        }
    }
}

// Removes the outer brackets, which formulas put around every sum and product.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}
