//! Derived scalars, which a launch computes from its arguments.
use super::{Arg, Dims, LaunchPlan, MAX_RANK, Scalar};
use crate::error::RuntimeError;
use cube_artifact::derived::{NumberedArguments, Property};
use cube_artifact::{Artifact, ElemType, ParamKind};

/// Computes the values of the steps of the plan.
pub(super) fn values(launch: &Launch<'_, '_>, values: &mut Vec<u64>) -> Result<(), RuntimeError> {
    launch.plan.steps.evaluate(launch, values).map_err(|number| {
        let of = launch.artifact.params.get(number as usize).map_or("", |param| param.name.as_str());
        invalid(format!("its expressions for a launch cannot read '{of}'"))
    })
}

fn invalid(what: String) -> RuntimeError {
    RuntimeError::invalid_artifact(format!("{what}; compile the kernel again"))
}

/// Appends the slots of the derived scalars to `slots`, in order. `values` are the values of the steps.
pub(super) fn slots(launch: &Launch<'_, '_>, values: &[u64], slots: &mut Vec<u64>) -> Result<(), RuntimeError> {
    for (derived, step) in launch.artifact.derived.iter().zip(&launch.plan.derived) {
        let step = step.as_ref().map_err(|why| invalid(format!("its derived argument '{}': {why}", derived.name)))?;
        let value = values[*step as usize];
        let fits = matches!(derived.elem, ElemType::U64 | ElemType::I64) || u32::try_from(value).is_ok();
        if !fits {
            return Err(RuntimeError::device_limit(format!(
                "{} is {value}, but kernels count in u32, up to {}; bind a smaller part",
                derived.expression,
                u32::MAX
            )));
        }
        slots.push(value);
    }
    Ok(())
}

/// The number of cubes to execute along x, y and z, at most `requested` in total. `values` are the values of the steps.
pub(super) fn cube_count(launch: &Launch<'_, '_>, values: &[u64], requested: u64) -> Result<[u32; 3], RuntimeError> {
    let Some(steps) = &launch.plan.cube_count else { return Ok(launch.cubes) };
    let mut count = [0; 3];
    for (axis, (count, step)) in count.iter_mut().zip(steps).enumerate() {
        let value = step.as_ref().map_err(String::clone).and_then(|step| {
            let value = values[*step as usize];
            u32::try_from(value).map_err(|_| format!("{value} exceeds {}", u32::MAX))
        });
        *count = value.map_err(|why| invalid(format!("its cube count along axis {axis}: {why}")))?;
    }
    let executed = count.iter().try_fold(1u64, |all, n| all.checked_mul(u64::from(*n)));
    match executed {
        Some(executed) if executed <= requested => Ok(count),
        _ => Err(invalid(format!("its cube count {count:?} is more than the requested {:?}", launch.cubes))),
    }
}

/// Refuses an argument whose shape has too many dimensions or another number of dimensions than its strides.
pub(super) fn check_dims(dims: &Dims) -> Result<(), RuntimeError> {
    if dims.shape.len() != dims.strides.len() {
        return Err(RuntimeError::user(format!(
            "its shape has {} dimensions, but it has {} strides; pass one stride for each dimension",
            dims.shape.len(),
            dims.strides.len()
        )));
    }
    if dims.shape.len() > MAX_RANK {
        return Err(RuntimeError::user(format!(
            "it has {} dimensions, but the limit is {MAX_RANK}; merge dimensions",
            dims.shape.len()
        )));
    }
    Ok(())
}

/// The properties of a launch that expressions can read.
pub(super) struct Launch<'a, 'k> {
    pub artifact: &'k Artifact,
    pub plan: &'k LaunchPlan,
    pub args: &'a [Arg],
    /// Requested cube counts along x, y, z.
    pub cubes: [u32; 3],
    /// Alignment in bytes that the device guarantees for every allocation.
    pub alignment: u32,
}

/// The value of an integer scalar, extended to 64 bits; `None` for a float.
pub(super) fn integer(scalar: Scalar) -> Option<u64> {
    match scalar {
        Scalar::I8(v) => Some(v as i64 as u64),
        Scalar::I16(v) => Some(v as i64 as u64),
        Scalar::I32(v) => Some(v as i64 as u64),
        Scalar::U8(_) | Scalar::U16(_) | Scalar::U32(_) | Scalar::U64(_) | Scalar::I64(_) | Scalar::Bool(_) => {
            Some(scalar.slot())
        }
        _ => None,
    }
}

/// A property of a buffer of `bytes` bytes that begins at byte `offset` of its allocation; `None` if the parameter is a
/// scalar.
pub(super) fn property_of(
    kind: &ParamKind,
    bytes: u64,
    offset: u64,
    dims: Option<&Dims>,
    property: Property,
    dimension: u32,
) -> Option<u64> {
    let ParamKind::Buffer { elem, line, .. } = kind else { return None };
    let elements = bytes / elem.size() as u64;
    let line = u64::from((*line).max(1));
    // A buffer without dimensions is a one-dimensional array of all its elements.
    let at = |list: Option<&[u64]>, whole: u64| match list {
        Some(list) => list.get(dimension as usize).copied().unwrap_or(0),
        None if dimension == 0 => whole,
        None => 0,
    };
    Some(match property {
        Property::Len => dims.map_or(elements, |dims| dims.len) / line,
        Property::BufferLen => elements / line,
        Property::Rank => dims.map_or(1, |dims| dims.shape.len() as u64),
        Property::Shape => at(dims.map(|dims| &dims.shape[..]), elements),
        Property::Stride => at(dims.map(|dims| &dims.strides[..]), 1),
        Property::Offset => offset % 256,
    })
}

impl NumberedArguments for Launch<'_, '_> {
    fn scalar(&self, argument: u32) -> Option<u64> {
        if let Arg::Scalar(scalar) = self.args.get(argument as usize)? { integer(*scalar) } else { None }
    }

    fn of(&self, property: Property, argument: u32, dimension: u32) -> Option<u64> {
        let kind = &self.artifact.params.get(argument as usize)?.kind;
        let Arg::Buffer { buffer, dims, .. } = self.args.get(argument as usize)? else { return None };
        // The expressions assume that allocations are aligned to 256 bytes. If a device guarantees a lower alignment, the
        // alignment of the address is unknown, so the result is 1.
        let offset = if self.alignment.is_multiple_of(256) { buffer.offset() } else { 1 };
        property_of(kind, buffer.size(), offset, dims.as_ref(), property, dimension)
    }

    fn cubes(&self, axis: u32) -> u64 {
        u64::from(self.cubes[axis as usize])
    }
}
