//! Checks the arguments of a launch, and converts them to the arrays that a kernel's code expects.
mod alias;
mod arg;
mod derived;
mod facts;
mod limits;
mod memo;
mod plan;
mod repeat;
mod scalar;
#[cfg(test)]
mod tests;

pub use arg::{Arg, Dims, Extents, MAX_RANK};
pub use facts::{ArgFacts, LaunchFacts};
pub use plan::{LaunchArrays, LaunchPlan, emptied};
pub use repeat::{Part, Repeat};
pub use scalar::Scalar;

use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::properties::DeviceProperties;
use cube_artifact::{Artifact, BufferAccess, ElemType, InfoWord, Param, ParamKind};
use memo::Key;

/// A launch that has passed all checks: the arrays of the calling convention in `cube_artifact`.
#[derive(Debug)]
pub struct BoundLaunch<'a> {
    /// One entry for each buffer parameter, in parameter order: the buffer, and whether the kernel writes it.
    pub buffers: Vec<(&'a Buffer, bool)>,
    /// The values of the info words, in the order of [`Artifact::info`]. If the kernel prints, the last value is the
    /// length of the record buffer.
    pub info: Vec<u64>,
    /// One slot for each scalar parameter, in parameter order, followed by one slot for each derived scalar.
    pub scalars: Vec<u64>,
    /// The values of the steps of the plan.
    pub values: Vec<u64>,
    /// Number of cubes along x, y, z.
    pub cube_count: [u32; 3],
    /// Total number of cubes; if it is 0, nothing runs.
    pub cubes: u64,
}

impl<'a> BoundLaunch<'a> {
    /// A launch without values, in the arrays of an earlier launch.
    #[inline]
    fn of(arrays: LaunchArrays) -> Self {
        let LaunchArrays { buffers, info, scalars, values } = arrays;
        BoundLaunch { buffers: emptied(buffers), info, scalars, values, cube_count: [0; 3], cubes: 0 }
    }

    /// Adds the record buffer, if the kernel prints. The record buffer follows all other buffers.
    #[inline]
    pub fn with_prints(mut self, buffer: Option<&'a Buffer>) -> Self {
        if let Some(buffer) = buffer {
            self.buffers.push((buffer, true));
            self.info.push(buffer.size() / 4);
        }
        self
    }

    /// Whether the launch writes each byte of the buffer argument with the number `argument`, without a read of the
    /// earlier contents. `plan` is the plan of the launch. No other argument has a byte of the buffer.
    pub fn overwrites(&self, plan: &LaunchPlan, argument: usize) -> bool {
        let step = plan.overwritten.iter().find(|(param, _)| *param == argument);
        step.is_some_and(|(_, step)| self.values.get(*step as usize) == Some(&1))
    }

    /// The values that the facts of the launch of this artifact determine, and the slots of its scalars.
    #[inline]
    pub fn known(&self, artifact: &Artifact) -> (Known<'_>, &[u64]) {
        let (scalars, derived) = self.scalars.split_at(self.scalars.len() - artifact.derived.len());
        (Known { derived, info: &self.info, cube_count: self.cube_count, cubes: self.cubes }, scalars)
    }

    /// Empties the arrays, so that the next launch of this thread can reuse them.
    #[inline]
    pub fn into_arrays(self) -> LaunchArrays {
        let BoundLaunch { buffers, mut info, mut scalars, values, .. } = self;
        info.clear();
        scalars.clear();
        LaunchArrays { buffers: emptied(buffers), info, scalars, values }
    }
}

/// Checks a launch for a kernel and a device, and builds the input of the kernel's code.
///
/// The caller must have checked the artifact with [`Artifact::check`]. A device checks an artifact only once, when it
/// loads the kernel. Devices call [`bind_into`] instead, which does not parse expressions, and reuses arrays.
///
/// # Errors
/// [`crate::ErrorKind::User`] for arguments that the kernel does not take. [`crate::ErrorKind::DeviceLimit`] for cube
/// counts that exceed a limit of the device or the kernel. Each error names the kernel, the argument, the violated rule
/// and the fix.
pub fn bind<'a>(
    artifact: &Artifact,
    args: &'a [Arg],
    cube_count: [u32; 3],
    device: &DeviceProperties,
) -> Result<BoundLaunch<'a>, RuntimeError> {
    bind_into(artifact, &LaunchPlan::new(artifact), args, cube_count, device, LaunchArrays::default())
}

/// [`bind`] with the plan of the artifact and with arrays of an earlier launch. The function allocates memory only if
/// the arrays are too small, or for an error.
///
/// # Errors
/// The errors of [`bind`]. If the function returns an error, the arrays are dropped.
pub fn bind_into<'a>(
    artifact: &Artifact,
    plan: &LaunchPlan,
    args: &'a [Arg],
    cube_count: [u32; 3],
    device: &DeviceProperties,
    arrays: LaunchArrays,
) -> Result<BoundLaunch<'a>, RuntimeError> {
    let launch = derived::Launch { artifact, plan, args, cubes: cube_count, alignment: device.buffer_alignment };
    bind_unnamed(&launch, device, arrays).map_err(|error| error.in_kernel(&artifact.kernel))
}

/// The values of a launch that its facts determine, without its allocations and the values of its scalars. Its checks have succeeded.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The slots of the derived scalars, which follow the scalars of the launch.
    pub derived: &'a [u64],
    /// The values of the info words, in the order of [`Artifact::info`].
    pub info: &'a [u64],
    /// Number of cubes along x, y, z.
    pub cube_count: [u32; 3],
    /// Total number of cubes; if it is 0, nothing runs.
    pub cubes: u64,
}

/// Calls `call` with the results of an earlier launch of the kernel with the same facts, for which [`bind_into`] would compute the
/// same. Returns `None` if this thread does not remember such a launch, or if the buffers have common bytes that the kernel must not
/// receive. This thread does not remember a launch that `call` makes.
#[inline]
pub fn known<R>(
    artifact: &Artifact,
    plan: &LaunchPlan,
    args: &[Arg],
    cube_count: [u32; 3],
    device: &DeviceProperties,
    call: impl FnOnce(Known<'_>) -> R,
) -> Option<R> {
    if args.len() != artifact.params.len() {
        return None;
    }
    let key = Key::of(plan, args, cube_count, device)?;
    let same = |outcome: &memo::Outcome| {
        let memo::Outcome { derived, info, cube_count, cubes, .. } = outcome;
        if plan.writes.len() > 1 && !alias::are_separate(args) {
            alias::check(&artifact.params, args).ok()?;
        }
        Some(call(Known { derived, info, cube_count: *cube_count, cubes: *cubes }))
    };
    key.find(same).flatten()
}

fn bind_unnamed<'a>(
    launch: &derived::Launch<'a, '_>,
    device: &DeviceProperties,
    arrays: LaunchArrays,
) -> Result<BoundLaunch<'a>, RuntimeError> {
    let derived::Launch { artifact, args, .. } = *launch;
    if args.len() != artifact.params.len() {
        return Err(RuntimeError::user(format!(
            "it takes {}, but the launch has {}; pass one argument for each",
            count_of_params(&artifact.params),
            match args.len() {
                1 => "1 argument".into(),
                n => format!("{n} arguments"),
            }
        )));
    }
    let mut bound = BoundLaunch::of(arrays);
    let key = Key::of(launch.plan, args, launch.cubes, device);
    let known = key.and_then(|key| {
        key.find(|same| {
            bound.info.extend_from_slice(&same.info);
            bound.values.clone_from(&same.values);
            bound
                .scalars
                .extend(args.iter().filter_map(|arg| if let Arg::Scalar(s) = arg { Some(s.slot()) } else { None }));
            bound.scalars.extend_from_slice(&same.derived);
            (bound.cube_count, bound.cubes) = (same.cube_count, same.cubes);
        })
    });
    if known.is_some() {
        for (param, arg) in artifact.params.iter().zip(args) {
            if let Arg::Buffer { buffer, .. } = arg {
                bound.buffers.push((buffer, alias::is_written(param)));
            }
        }
        alias::check(&artifact.params, args)?;
        return Ok(bound);
    }
    bind_checked(launch, device, &mut bound)?;
    if let Some(key) = key {
        key.remember(|outcome| {
            outcome.derived.clear();
            outcome.derived.extend_from_slice(&bound.scalars[bound.scalars.len() - artifact.derived.len()..]);
            outcome.info.clone_from(&bound.info);
            outcome.values.clone_from(&bound.values);
            (outcome.cube_count, outcome.cubes) = (bound.cube_count, bound.cubes);
        });
    }
    Ok(bound)
}

/// Checks all rules for a launch, and computes its values.
fn bind_checked<'a>(
    launch: &derived::Launch<'a, '_>,
    device: &DeviceProperties,
    bound: &mut BoundLaunch<'a>,
) -> Result<(), RuntimeError> {
    let derived::Launch { artifact, args, .. } = *launch;
    let requested = limits::cubes(artifact, launch.cubes, device)?;
    for (param, arg) in artifact.params.iter().zip(args) {
        let checked = bind_one(param, arg).and_then(|bound| inside(artifact, param, arg).map(|()| bound));
        match checked.map_err(|error| error.at_argument(&param.name))? {
            Bound::Buffer(buffer, writes) => bound.buffers.push((buffer, writes)),
            Bound::Slot(slot) => bound.scalars.push(slot),
        }
    }
    alias::check(&artifact.params, args)?;
    derived::values(launch, &mut bound.values)?;
    derived::slots(launch, &bound.values, &mut bound.scalars)?;
    let count = derived::cube_count(launch, &bound.values, requested)?;
    let is_derived = artifact.cube_count.is_some();
    if is_derived {
        limits::count(count, device)?;
    }
    let cubes = if is_derived { count.iter().map(|n| u64::from(*n)).product() } else { requested };
    (bound.cube_count, bound.cubes) = (count, cubes);
    for word in &artifact.info {
        bound.info.push(info_word(artifact, args, *word)?);
    }
    Ok(())
}

/// Checks that the buffer contains all elements of its shape, because code without bounds checks accesses all
/// of them.
fn inside(artifact: &Artifact, param: &Param, arg: &Arg) -> Result<(), RuntimeError> {
    if matches!(param.kind, ParamKind::Buffer { access: BufferAccess::Unaccessed, .. }) {
        return Ok(());
    }
    let Arg::Buffer { buffer, elem, dims: Some(dims), .. } = arg else { return Ok(()) };
    let held = buffer.size() / elem.size() as u64;
    if artifact.checked || dims.extent() <= held {
        return Ok(());
    }
    Err(RuntimeError::user(format!(
        "shape {:?} with strides {:?} requires {} elements, but the buffer has {held}, and the accesses of the kernel are unchecked; bind a larger buffer, or compile the kernel with checks",
        dims.shape,
        dims.strides,
        dims.extent()
    )))
}

fn count_of_params(params: &[Param]) -> String {
    let names: Vec<_> = params.iter().map(|p| p.name.as_str()).collect();
    match params.len() {
        0 => "no arguments".into(),
        1 => format!("1 argument ({})", names[0]),
        n => format!("{n} arguments ({})", names.join(", ")),
    }
}

enum Bound<'a> {
    Buffer(&'a Buffer, bool),
    Slot(u64),
}

fn bind_one<'a>(param: &Param, arg: &'a Arg) -> Result<Bound<'a>, RuntimeError> {
    match (&param.kind, arg) {
        (ParamKind::Buffer { elem, line, align, access }, Arg::Buffer { buffer, elem: given, dims, .. }) => {
            same_type(*elem, *given, "a buffer of ")?;
            dims.as_ref().map_or(Ok(()), derived::check_dims)?;
            let line_bytes = elem.size() as u64 * u64::from(*line);
            if *access == BufferAccess::Unaccessed {
                return in_lines(buffer, line_bytes).map(|()| Bound::Buffer(buffer, false));
            }
            if !buffer.size().is_multiple_of(line_bytes) {
                return Err(RuntimeError::user(format!(
                    "{} bytes are not a whole number of lines of {line} x {elem} ({line_bytes} bytes); bind a multiple of {line_bytes} bytes or compile with another line size",
                    buffer.size()
                )));
            }
            // This check is necessary, because the code moves whole lines with aligned instructions.
            if !buffer.offset().is_multiple_of(line_bytes) {
                return Err(RuntimeError::user(format!(
                    "it begins at byte {} of its allocation, which is not a multiple of the {line_bytes} bytes of a line of {line} x {elem}; begin the slice at a multiple",
                    buffer.offset()
                )));
            }
            if !buffer.offset().is_multiple_of(u64::from(*align)) {
                return Err(RuntimeError::user(format!(
                    "it begins at byte {} of its allocation, which is not a multiple of {align}, to which the kernel has it aligned (cube.align); begin the slice at a multiple",
                    buffer.offset()
                )));
            }
            in_lines(buffer, line_bytes)?;
            Ok(Bound::Buffer(buffer, access.writes()))
        }
        (ParamKind::Scalar { elem }, Arg::Scalar(scalar)) => {
            same_type(*elem, scalar.elem(), "a scalar of type ")?;
            Ok(Bound::Slot(scalar.slot()))
        }
        (ParamKind::Buffer { elem, .. }, Arg::Scalar(scalar)) => Err(RuntimeError::user(format!(
            "the kernel takes a buffer of {elem}, but the argument is a scalar of type {}; put the value into a buffer",
            scalar.elem()
        ))),
        (ParamKind::Scalar { elem }, Arg::Buffer { .. }) => Err(RuntimeError::user(format!(
            "the kernel takes a scalar of type {elem}, but the argument is a buffer; pass the value itself"
        ))),
    }
}

fn in_lines(buffer: &Buffer, line_bytes: u64) -> Result<(), RuntimeError> {
    let lines = buffer.size() / line_bytes;
    if lines <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(RuntimeError::device_limit(format!(
        "it has {lines} lines, and lengths are u32, at most {}; bind a part of it, or use longer lines",
        u32::MAX
    )))
}

fn same_type(declared: ElemType, given: ElemType, what: &str) -> Result<(), RuntimeError> {
    if declared == given {
        return Ok(());
    }
    Err(RuntimeError::user(format!(
        "the kernel takes {what}{declared}, but the argument has type {given}; convert the data or compile the kernel for {given}"
    )))
}

fn info_word(artifact: &Artifact, args: &[Arg], word: InfoWord) -> Result<u64, RuntimeError> {
    let InfoWord::Length { param } = word;
    let index = param as usize;
    match (artifact.params.get(index).map(|p| &p.kind), args.get(index)) {
        (Some(ParamKind::Buffer { elem, line, .. }), Some(Arg::Buffer { buffer, .. })) => {
            Ok(buffer.size() / (elem.size() as u64 * u64::from(*line)))
        }
        _ => Err(RuntimeError::invalid_artifact(format!(
            "its info refers to the length of parameter {param}, which is not a buffer; compile the kernel again"
        ))),
    }
}
