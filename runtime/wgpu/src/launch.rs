//! Records one launch: its bindings, its uniform words, and its dispatches.
use crate::engine::Engine;
use crate::memory::{Allocation, own};
use crate::pipelines::{Bound, Form, Pipeline, by_address};
use crate::repeats::{MAX_REPEATED, Recorded};
use crate::stream::{Accessed, Dispatch, Grid, Stream};
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::launch::{BoundLaunch, emptied};
use cube_runtime::{Buffer, RuntimeError};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the smallest binding: an element of a runtime-sized array of `vec4`.
const MIN_BYTES: u64 = 16;

/// Empty arrays that a thread reuses for its launches.
#[derive(Default)]
pub(crate) struct Arrays {
    bound: Vec<Bound<'static>>,
    pub words: Vec<u32>,
}

/// A copy of a buffer's bytes. The copy is necessary if the offset of the buffer is not a valid offset of a binding.
struct AlignedCopy<'a> {
    copy: Allocation,
    from: Bound<'a>,
    writes: bool,
}

/// Records a launch. The result is the recorded launch, if the launch can be repeated: it has few dispatches and no copies.
/// `arrays.words` then has its uniform words. `pipeline` returns the pipeline of a form of the kernel.
///
/// # Errors
/// A buffer belongs to another device, or is too large to bind. The offset of a buffer can neither be bound nor
/// copied. wgpu refuses the launch.
pub(crate) fn record(
    engine: &Arc<Engine>,
    pipeline: &dyn Fn(Form) -> Result<Arc<Pipeline>, RuntimeError>,
    artifact: &Artifact,
    launch: &BoundLaunch<'_>,
    arrays: &mut Arrays,
) -> Result<Option<Recorded>, RuntimeError> {
    let mut copies: Vec<AlignedCopy<'_>> = Vec::new();
    let mut bound: Vec<Bound<'_>> = emptied(std::mem::take(&mut arrays.bound));
    let by_address = by_address(artifact);
    let accessed = if by_address { accessed(engine, launch)? } else { Vec::new() };
    for (buffer, writes) in launch.buffers.iter().filter(|_| !by_address) {
        bound.push(bind_buffer(engine, buffer, *writes, &mut copies)?);
    }
    for copy in &copies {
        let copied = Bound { segment: &copy.copy.segment, offset: 0, size: copy.from.size };
        bound.iter_mut().filter(|own| **own == copy.from).for_each(|own| *own = copied);
    }
    arrays.words.clear();
    words(artifact, launch, &mut arrays.words);
    if by_address {
        addresses(engine, launch, &mut arrays.words)?;
    }
    // The words of the grid begin at a multiple of 16 bytes.
    arrays.words.resize(arrays.words.len().next_multiple_of(4), 0);
    // A kernel that accesses buffers by addresses assumes that the buffers can be the same.
    let aliased = !by_address && conflicts(&bound, launch);
    let first = first_cubes(artifact, launch);
    let count = launch.cube_count;
    let form = |cubes: Range<u32>, first| (!cubes.is_empty()).then(|| pipeline(Form { aliased, first })).transpose();
    let forms = [(0..first, form(0..first, true)?), (first..count[0], form(first..count[0], false)?)];
    // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
    let mut stream = engine.stream()?;
    copies.iter().for_each(|one| one.fill(&mut stream));
    let (mut dispatches, mut number) = (Vec::new(), 0);
    for (cubes, pipeline) in forms {
        let Some(pipeline) = pipeline else { continue };
        let group = pipeline.group(engine, &bound, &stream.uniforms)?;
        for part in parts([cubes.len() as u32, count[1], count[2]], engine.limits.max_compute_workgroups_per_dimension)
        {
            let part = Part { first: [part.first[0] + cubes.start, part.first[1], part.first[2]], ..part };
            let (pipeline, group) = (pipeline.pipeline.clone(), group.clone());
            let dispatch = Dispatch { pipeline, group, count: part.size, grid: part.words(count) };
            stream.dispatch(engine, &dispatch, &arrays.words, &accessed).map_err(|error| *error)?;
            number += 1;
            if dispatches.len() < MAX_REPEATED {
                dispatches.push(dispatch);
            }
        }
    }
    copies.iter().filter(|one| one.writes).for_each(|one| one.copy_back(&mut stream));
    // The memory of copies returns to the pool after the lock is released.
    drop(stream);
    arrays.bound = emptied(bound);
    Ok((number == dispatches.len() && copies.is_empty()).then_some(Recorded { dispatches, accessed }))
}

/// The buffers of a launch that accesses buffers by their addresses. A buffer of several arguments occurs once.
///
/// # Errors
/// A buffer belongs to another device.
fn accessed(engine: &Arc<Engine>, launch: &BoundLaunch<'_>) -> Result<Vec<Accessed>, RuntimeError> {
    let mut all: Vec<Accessed> = Vec::new();
    for (buffer, writes) in &launch.buffers {
        let segment = &own(buffer, engine)?.segment;
        match all.iter_mut().find(|known| known.buffer == segment.buffer) {
            Some(known) => known.is_written |= writes,
            None => all.push(Accessed { buffer: segment.buffer.clone(), is_written: *writes }),
        }
    }
    Ok(all)
}

/// Writes two words for the address of each buffer.
///
/// # Errors
/// A buffer belongs to another device, or has no address.
fn addresses(engine: &Arc<Engine>, launch: &BoundLaunch<'_>, out: &mut Vec<u32>) -> Result<(), RuntimeError> {
    for (buffer, _) in &launch.buffers {
        let address = own(buffer, engine)?.segment.address.ok_or_else(|| {
            RuntimeError::user("a buffer of the program has no address; copy it to a buffer that the runtime allocates")
        })?;
        let first = address + buffer.offset();
        out.extend([first as u32, (first >> 32) as u32]);
    }
    Ok(())
}

/// The number of cubes along x that run the entry point of the first cubes.
fn first_cubes(artifact: &Artifact, launch: &BoundLaunch<'_>) -> u32 {
    let Some(first) = &artifact.first_cubes else { return 0 };
    let scalars = launch.scalars.len() - artifact.derived.len();
    let most = u64::from(launch.cube_count[0]);
    launch.scalars.get(scalars + first.derived as usize).map_or(0, |number| (*number).min(most) as u32)
}

/// The part of a wgpu buffer that is bound for an argument. If the part cannot be bound, `copies` contains a copy of
/// the part afterwards.
fn bind_buffer<'a>(
    engine: &Arc<Engine>,
    buffer: &'a Buffer,
    writes: bool,
    copies: &mut Vec<AlignedCopy<'a>>,
) -> Result<Bound<'a>, RuntimeError> {
    let own = own(buffer, engine)?;
    let (start, len) = (buffer.offset(), buffer.size());
    let most = engine.limits.max_storage_buffer_binding_size;
    if len > most {
        return Err(RuntimeError::device_limit(format!(
            "a buffer of {len} bytes is bound, but the device's limit is {most} (maxStorageBufferBindingSize); bind parts of it"
        )));
    }
    let (segment, whole) = (&own.segment, own.segment.buffer.size());
    if len == 0 {
        return Ok(Bound { segment, offset: 0, size: whole.min(MIN_BYTES) });
    }
    let size = len.next_multiple_of(4).min(whole - start);
    let bound = Bound { segment, offset: start, size };
    let alignment = u64::from(engine.limits.min_storage_buffer_offset_alignment);
    if start.is_multiple_of(alignment) {
        return Ok(bound);
    }
    if !start.is_multiple_of(4) || (writes && size != len) {
        return Err(RuntimeError::user(format!(
            "a buffer of {len} bytes begins at byte {start} of its allocation; begin the slice at a multiple of {alignment} bytes, or use a start and a length in multiples of 4 bytes"
        )));
    }
    // Two arguments of the same bytes share one copy.
    match copies.iter_mut().find(|known| known.from == bound) {
        Some(known) => known.writes |= writes,
        None => {
            let copy = Allocation::new(engine, size).map_err(|error| error.error("the device", ""))?;
            copies.push(AlignedCopy { copy, from: bound, writes });
        }
    }
    Ok(bound)
}

impl AlignedCopy<'_> {
    fn fill(&self, stream: &mut Stream) {
        let Bound { segment, offset, size } = self.from;
        let device = &self.copy.engine.device;
        stream.encoder(device).copy_buffer_to_buffer(&segment.buffer, offset, &self.copy.segment.buffer, 0, size);
    }

    fn copy_back(&self, stream: &mut Stream) {
        let Bound { segment, offset, size } = self.from;
        let device = &self.copy.engine.device;
        stream.encoder(device).copy_buffer_to_buffer(&self.copy.segment.buffer, 0, &segment.buffer, offset, size);
    }
}

/// Whether one argument reads a wgpu buffer that another argument writes. If one argument of a launch writes
/// a wgpu buffer, WebGPU requires that all bindings of this buffer are writable.
fn conflicts(bound: &[Bound<'_>], launch: &BoundLaunch<'_>) -> bool {
    let all = || bound.iter().zip(launch.buffers.iter().map(|(_, writes)| *writes));
    all()
        .filter(|(_, writes)| *writes)
        .any(|(written, _)| all().any(|(read, writes)| !writes && read.segment.number == written.segment.number))
}

/// Writes the uniform words of `CodeFormat::WGSL` that precede the words of the grid: the lengths in lines,
/// then the scalars.
fn words(artifact: &Artifact, launch: &BoundLaunch<'_>, out: &mut Vec<u32>) {
    let mut buffers = launch.buffers.iter();
    for param in &artifact.params {
        let ParamKind::Buffer { elem, line, .. } = param.kind else { continue };
        let bytes = buffers.next().map_or(0, |(buffer, _)| buffer.size());
        // `bind` has refused lengths in lines that exceed a word.
        out.push((bytes / (elem.size() as u64 * u64::from(line))) as u32);
    }
    out.extend(buffers.map(|(prints, _)| (prints.size() / 4) as u32));
    let mut slots = launch.scalars.iter();
    let scalars = artifact.params.iter().filter_map(|param| match param.kind {
        ParamKind::Scalar { elem } => Some(elem),
        ParamKind::Buffer { .. } => None,
    });
    for (elem, slot) in scalars.chain(artifact.derived.iter().map(|derived| derived.elem)).zip(&mut slots) {
        out.push(*slot as u32);
        if elem.size() == 8 {
            out.push((*slot >> 32) as u32);
        }
    }
}

/// A dispatch of a launch. The workgroup `w` is the cube at `first + (w.x + w.y * step[0], w.y * step[1], w.z)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: [u32; 3],
    /// Workgroups along x, y and z.
    size: [u32; 3],
    step: [u32; 2],
}

impl Part {
    /// The words that describe the grid (`GRID_WORDS`), for a launch of `count` cubes along x, y and z.
    fn words(&self, count: [u32; 3]) -> Grid {
        let ([x, y, z], [step_x, step_y]) = (self.first, self.step);
        let layer = count[0].wrapping_mul(count[1]);
        let first = x.wrapping_add(y.wrapping_mul(count[0])).wrapping_add(z.wrapping_mul(layer));
        let row = step_x.wrapping_add(step_y.wrapping_mul(count[0]));
        [x, y, z, step_x, count[0], count[1], count[2], step_y, first, row, layer, layer.wrapping_mul(count[2])]
    }
}

/// Splits a grid into dispatches of at most `most` workgroups along each axis. If only the size along x exceeds `most`, a
/// dispatch contains several rows of a line of cubes.
fn parts(count: [u32; 3], most: u32) -> impl Iterator<Item = Part> {
    let most = most.max(1);
    let along = move |axis: usize| {
        let all = count[axis];
        (0..all).step_by(most as usize).map(move |first| (first, (all - first).min(most)))
    };
    let is_line = count[0] > most && count[1..] == [1, 1];
    let rows = move |done: &u32| {
        let left = count[0] - done;
        let (width, height) = rectangle(left, most);
        (left > 0).then_some((*done, [width, height, 1]))
    };
    let lines = std::iter::successors(Some(0).filter(|_| is_line), move |done| {
        rows(done).map(|(first, [width, height, _])| first + width * height)
    });
    let lines = lines.filter_map(move |done| rows(&done));
    let lines = lines.map(|(x, size)| Part { first: [x, 0, 0], size, step: [size[0], 0] });
    let boxes = along(2).flat_map(move |(z, depth)| {
        along(1).flat_map(move |(y, height)| along(0).map(move |(x, width)| ([x, y, z], [width, height, depth])))
    });
    lines.chain(boxes.filter(move |_| !is_line).map(|(first, size)| Part { first, size, step: [0, 1] }))
}

/// The width and height, each at most `most`, of a rectangle of at most `cubes` cubes. All cubes are in the rectangle if a
/// small number of rows divides `cubes`; otherwise fewer cubes than rows are left.
fn rectangle(cubes: u32, most: u32) -> (u32, u32) {
    let least = cubes.div_ceil(most).clamp(1, most);
    let height = (least..=most.min(least + 64)).find(|height| cubes.is_multiple_of(*height)).unwrap_or(least);
    ((cubes / height).min(most), height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_within_the_limit_is_one_dispatch() {
        let whole = Part { first: [0; 3], size: [7, 65535, 2], step: [0, 1] };
        assert_eq!(parts([7, 65535, 2], 65535).collect::<Vec<_>>(), [whole]);
        assert_eq!(parts([7, 0, 2], 65535).count(), 0);
        assert_eq!(parts([0, 1, 1], 65535).count(), 0);
        assert_eq!(parts([u32::MAX, 2, 1], 65535).count(), 65537);
    }

    #[test]
    fn a_line_of_cubes_is_one_dispatch_of_rows() {
        let rows = Part { first: [0; 3], size: [32768, 4, 1], step: [32768, 0] };
        assert_eq!(parts([1 << 17, 1, 1], 65535).collect::<Vec<_>>(), [rows]);
        // 131071 is a prime number.
        let of_prime: Vec<_> = parts([131_071, 1, 1], 65535).collect();
        let rest = Part { first: [131_070, 0, 0], size: [1, 1, 1], step: [1, 0] };
        assert_eq!(of_prime, [Part { first: [0; 3], size: [43690, 3, 1], step: [43690, 0] }, rest]);
        assert_eq!(
            parts([u32::MAX, 1, 1], 65535).map(|part| part.size.map(u128::from).iter().product::<u128>()).sum::<u128>(),
            u128::from(u32::MAX)
        );
        assert!(parts([u32::MAX, 1, 1], 65535).count() <= 3);
    }

    #[test]
    fn grid_parts_cover_each_cube_once() {
        for count in [[7, 4, 5], [140, 1, 1], [23, 1, 1], [139, 1, 1]] {
            let mut cubes: Vec<[u32; 3]> = Vec::new();
            for part in parts(count, 3) {
                let Part { first, size, step } = part;
                assert!(size.iter().all(|n| (1..=3).contains(n)));
                let [.., index, row, layer, _] = part.words(count);
                for z in 0..size[2] {
                    for y in 0..size[1] {
                        let x = first[0] + y * step[0];
                        let line = (0..size[0]).map(|w| [x + w, first[1] + y * step[1], first[2] + z]);
                        for (w, cube) in line.enumerate() {
                            let linear = cube[0] + count[0] * (cube[1] + count[1] * cube[2]);
                            assert_eq!(index + w as u32 + y * row + z * layer, linear, "{cube:?} of {count:?}");
                            cubes.push(cube);
                        }
                    }
                }
            }
            let all = count.iter().product::<u32>() as usize;
            assert_eq!(cubes.len(), all);
            cubes.sort_unstable();
            cubes.dedup();
            assert_eq!(cubes.len(), all);
            assert_eq!((cubes[0], cubes[all - 1]), ([0; 3], count.map(|n| n - 1)));
        }
    }
}
