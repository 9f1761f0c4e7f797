//! Positions, barriers, and plane operations.
//!
//! Plane operations are in uniform control flow (`uniform.rs`), so all units of a plane are active, from lane 0 on.
//! `subgroupShuffle` reads the value of another lane, and the result is used only if that lane is present.
use crate::planes;
use crate::scalar::{Scalar, as_word, word};
use crate::state::Wgsl;
use cube_dialect::topology::{Group, Measures, evaluate};
use cube_dialect::{Scan, Scope, Shuffle, Vote, ops};
use cube_ir::Op;
use cube_structured::{Writer, Written};

impl Wgsl {
    /// Writes a position.
    ///
    /// # Errors
    /// The refusal of a position in a plane if the kernel fixes the plane width, because WGSL cannot fix it.
    pub(crate) fn position<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let Some(kind) = ops::Topology::of(op).and_then(|it| it.value()) else {
            return Err(w.refuse(op, "it has no value"));
        };
        let value = match kind.topology().group {
            Group::PlaneDim | Group::PlanePos | Group::UnitPosPlane => {
                self.plane_position(w, op, kind.topology().group)?
            }
            Group::UnitPos if kind.topology().axis.is_none() => self.unit_index(),
            _ => evaluate(kind, self),
        };
        match value.contains(' ') {
            true => w.define(op, op.result(0), vec![unwrapped(&value).into()]),
            // A part of a vector, or a number, is a name already.
            false => {
                w.name(op.result(0), vec![value]);
                Ok(())
            }
        }
    }

    fn plane_position<'p>(&self, w: &Writer<'p, '_>, op: Op<'p>, group: Group) -> Written<String> {
        // Planes of a chip without subgroups have one unit.
        if !self.has_subgroups {
            if self.plane_dim.is_some_and(|width| width != 1) {
                return Err(w.refuse(op, "planes of the chip have one unit, and cube.plane_dim asks for more"));
            }
            return Ok(match group {
                Group::PlaneDim => "1u".into(),
                Group::PlanePos => self.unit_index(),
                _ => "0u".into(),
            });
        }
        Ok(match group {
            Group::PlaneDim => self.plane_dim(),
            Group::PlanePos => self.div(self.unit_index(), self.plane_dim()),
            _ => self.builtin("unit_pos_plane"),
        })
    }

    fn unit_index(&self) -> String {
        if self.cube_dim == [1; 3] { "0u".into() } else { self.builtin("unit_index") }
    }

    /// Writes a barrier.
    ///
    /// # Errors
    /// The refusal of the barrier of a plane.
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
    /// The refusal of an operation in control flow that is not uniform, and of a combination that WGSL lacks.
    pub(crate) fn plane<'p>(&self, w: &mut Writer<'p, '_>, op: Op<'p>) -> Written {
        let lane = self.builtin("unit_pos_plane");
        let result = op.result(0);
        let values = op.operands().next().map(|value| w.names(op, value)).transpose()?.unwrap_or_default();
        let value = values.first().cloned().unwrap_or_default();
        match op.kind() {
            // All units of a plane come, so the first is lane 0.
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

// The formulas put every sum and product in brackets.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text)
}

/// Expressions, with constants folded.
impl Measures for Wgsl {
    type Value = String;

    fn unit(&self, axis: usize) -> String {
        let [x, y, _] = self.cube_dim;
        match axis {
            _ if self.cube_dim[axis] == 1 => "0u".into(),
            _ if !self.is_linear => format!("{}.{}", self.builtin("unit_pos"), AXES[axis]),
            0 if self.cube_dim[1..] == [1, 1] => self.unit_index(),
            0 => format!("({} % {x}u)", self.unit_index()),
            1 if self.cube_dim[2] == 1 => self.div(self.unit_index(), word(x)),
            1 => format!("({} % {y}u)", self.div(self.unit_index(), word(x))),
            _ => self.div(self.unit_index(), word(x * y)),
        }
    }

    fn cube(&self, axis: usize) -> String {
        format!("{}.{}", self.builtin("cube_pos"), AXES[axis])
    }

    fn dim(&self, axis: usize) -> String {
        word(self.cube_dim[axis])
    }

    fn count(&self, axis: usize) -> String {
        format!("arguments.{}.{}", self.builtin("cube_count"), AXES[axis])
    }

    fn cluster(&self, _: usize) -> String {
        "1u".into()
    }

    fn plane_dim(&self) -> String {
        self.plane_dim.map_or_else(|| self.builtin("plane_dim"), word)
    }

    fn add(&self, x: String, y: String) -> String {
        match (as_word(&x), as_word(&y)) {
            (Some(x), Some(y)) => word(x.wrapping_add(y)),
            (Some(0), None) => y,
            (None, Some(0)) => x,
            _ => format!("({x} + {y})"),
        }
    }

    fn mul(&self, x: String, y: String) -> String {
        match (as_word(&x), as_word(&y)) {
            (Some(x), Some(y)) => word(x.wrapping_mul(y)),
            (Some(0), None) | (None, Some(0)) => "0u".into(),
            (Some(1), None) => y,
            (None, Some(1)) => x,
            _ => format!("({x} * {y})"),
        }
    }

    fn div(&self, x: String, y: String) -> String {
        if as_word(&y) == Some(1) { x } else { format!("({x} / {y})") }
    }

    fn rem(&self, x: String, y: String) -> String {
        if as_word(&y) == Some(1) { "0u".into() } else { format!("({x} % {y})") }
    }

    fn along(&self, axis: usize) -> String {
        match self.is_linear && self.cube_dim[1..] != [1, 1] {
            true => self.add(self.mul(self.cube(axis), self.dim(axis)), self.unit(axis)),
            false => format!("{}.{}", self.builtin("absolute_pos"), AXES[axis]),
        }
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];
