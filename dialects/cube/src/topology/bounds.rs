//! The bounds of topology values in every launch of a kernel, by the formulas of the table.
use super::{Measures, evaluate};
use crate::{ops, widest_plane};
use cube_ir::{AttrExt, Op};
use cube_target::Target;

const MAX: u64 = u32::MAX as u64;

/// The least and the largest value of a topology value, as unsigned numbers; `None` if the value depends on the launch,
/// or if the operation is not in a kernel.
pub fn bounds(topology: ops::Topology<'_>) -> Option<(u64, u64)> {
    with_planes(topology, widest_plane(topology.op()))
}

/// The bounds of the result of an operation, for MLIR's analysis of integer ranges. The bounds hold for all chips. With
/// the plane width of one chip, the analysis could fold a `plane_dim`, although the target must refuse the operation.
pub(crate) fn of_result(op: Op<'_>) -> Option<(u64, u64)> {
    with_planes(ops::Topology::of(op)?, Target::WIDEST_PLANE)
}

fn with_planes(topology: ops::Topology<'_>, widest: u32) -> Option<(u64, u64)> {
    let kernel = topology.op().ancestors().find_map(ops::Kernel::of)?;
    let dim = <[i32; 3]>::try_from(kernel.cube_dim()?.as_i32_array()?).ok()?;
    evaluate(topology.value()?, &Launches { dim: dim.map(|units| units.max(1) as u64), widest: widest.into() })
}

/// All launches of a kernel with cubes of the size `dim`, on a chip whose planes have at most `widest` units.
struct Launches {
    dim: [u64; 3],
    widest: u64,
}

/// Intervals; `None` if a value can wrap.
impl Measures for Launches {
    type Value = Option<(u64, u64)>;
    fn unit(&self, axis: usize) -> Self::Value {
        Some((0, self.dim[axis] - 1))
    }
    fn cube(&self, _: usize) -> Self::Value {
        Some((0, MAX - 1))
    }
    fn dim(&self, axis: usize) -> Self::Value {
        Some((self.dim[axis], self.dim[axis]))
    }
    // A launch without cubes has no units, so the count is at least 1.
    fn count(&self, _: usize) -> Self::Value {
        Some((1, MAX))
    }
    fn cluster(&self, _: usize) -> Self::Value {
        Some((1, MAX))
    }
    fn plane_dim(&self) -> Self::Value {
        Some((1, self.widest))
    }
    fn add(&self, x: Self::Value, y: Self::Value) -> Self::Value {
        in_word(x?.0.checked_add(y?.0)?, x?.1.checked_add(y?.1)?)
    }
    fn mul(&self, x: Self::Value, y: Self::Value) -> Self::Value {
        in_word(x?.0.checked_mul(y?.0)?, x?.1.checked_mul(y?.1)?)
    }
    fn div(&self, x: Self::Value, y: Self::Value) -> Self::Value {
        Some((x?.0.checked_div(y?.1)?, x?.1.checked_div(y?.0)?))
    }
    fn rem(&self, x: Self::Value, y: Self::Value) -> Self::Value {
        Some((0, x?.1.min(y?.1.checked_sub(1)?)))
    }
}

fn in_word(least: u64, most: u64) -> Option<(u64, u64)> {
    (most <= MAX).then_some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TopologyKind as T;
    use crate::topology::PartialInputs;

    #[test]
    fn bounds_contain_the_values_of_launches_and_are_tight() {
        let dim = [6, 3, 2];
        let of = |kind| evaluate(kind, &Launches { dim: dim.map(u64::from), widest: 32 });
        assert_eq!(of(T::UnitPos), Some((0, 35)));
        assert_eq!((of(T::UnitPosY), of(T::CubeDim)), (Some((0, 2)), Some((36, 36))));
        assert_eq!((of(T::CubePosX), of(T::CubeCountZ)), (Some((0, MAX - 1)), Some((1, MAX))));
        assert_eq!(
            (of(T::PlaneDim), of(T::UnitPosPlane), of(T::PlanePos)),
            (Some((1, 32)), Some((0, 31)), Some((0, 35)))
        );
        // Products of counts can wrap.
        assert_eq!(
            (of(T::AbsolutePos), of(T::CubeCount), of(T::CubePos), of(T::AbsolutePosX)),
            (None, None, None, None)
        );
        for (unit, plane_dim, cube) in [(0, 1, 0), (35, 1, 4), (35, 32, 9), (17, 8, 1)] {
            let inputs = PartialInputs {
                cube: Some([cube, 0, cube]),
                count: Some([10; 3]),
                cluster: Some([2, 1, 1]),
                plane_dim: Some(plane_dim),
                ..PartialInputs::unit_of(unit, dim)
            };
            for kind in T::ALL.iter().copied() {
                let (value, bound) = (inputs.value(kind).map(u64::from), of(kind));
                let inside = bound.zip(value).is_none_or(|((least, most), value)| (least..=most).contains(&value));
                assert!(inside, "{kind:?} {value:?} {bound:?}");
            }
        }
    }
}
