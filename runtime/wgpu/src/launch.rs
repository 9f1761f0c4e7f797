//! Records one launch: its bindings, its uniform words, and its dispatches.
use crate::engine::Engine;
use crate::memory::{Allocation, own};
use crate::pipelines::{Bound, Pipeline};
use crate::repeats::Recorded;
use crate::stream::Stream;
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::launch::{BoundLaunch, emptied};
use cube_runtime::{Buffer, RuntimeError};
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

/// Records a launch. The result is the recorded launch, if the launch can be repeated: it has one dispatch and no copies.
/// `arrays.words` then has its uniform words.
///
/// # Errors
/// A buffer belongs to another device, or is too large to bind. The offset of a buffer can neither be bound nor
/// copied. wgpu refuses the launch.
pub(crate) fn record(
    engine: &Arc<Engine>,
    plain: &Arc<Pipeline>,
    aliased: &dyn Fn() -> Result<Arc<Pipeline>, RuntimeError>,
    artifact: &Artifact,
    launch: &BoundLaunch<'_>,
    arrays: &mut Arrays,
) -> Result<Option<Recorded>, RuntimeError> {
    let mut copies: Vec<AlignedCopy<'_>> = Vec::new();
    let mut bound: Vec<Bound<'_>> = emptied(std::mem::take(&mut arrays.bound));
    for (buffer, writes) in &launch.buffers {
        bound.push(bind_buffer(engine, buffer, *writes, &mut copies)?);
    }
    for copy in &copies {
        let copied = Bound { segment: &copy.copy.segment, offset: 0, size: copy.from.size };
        bound.iter_mut().filter(|own| **own == copy.from).for_each(|own| *own = copied);
    }
    arrays.words.clear();
    words(artifact, launch, &mut arrays.words);
    let shared;
    let pipeline = if conflicts(&bound, launch) {
        shared = aliased()?;
        &shared
    } else {
        plain
    };
    // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
    let mut stream = engine.stream()?;
    let group = pipeline.group(engine, &bound, &stream.uniforms)?;
    copies.iter().for_each(|one| one.fill(&mut stream));
    let base = arrays.words.len().next_multiple_of(4);
    let count = launch.cube_count;
    let mut dispatch = |first: [u32; 3], part: [u32; 3]| {
        arrays.words.truncate(base);
        arrays.words.resize(base, 0);
        arrays.words.extend_from_slice(&[first[0], first[1], first[2], 0, count[0], count[1], count[2]]);
        stream.dispatch(engine, &pipeline.pipeline, &group, &arrays.words, part)
    };
    let most = engine.limits.max_compute_workgroups_per_dimension;
    // Most launches are within the limit.
    let is_whole = count.iter().all(|cubes| *cubes <= most);
    if is_whole {
        dispatch([0; 3], count)?;
    } else {
        parts(count, most).try_for_each(|(first, part)| dispatch(first, part))?;
    }
    copies.iter().filter(|one| one.writes).for_each(|one| one.copy_back(&mut stream));
    // The memory of copies returns to the pool after the lock is released.
    drop(stream);
    arrays.bound = emptied(bound);
    Ok((is_whole && copies.is_empty()).then(|| Recorded { pipeline: Arc::clone(pipeline), group, count }))
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

/// Splits a grid into parts of at most `most` cubes along each axis. Returns the first cube and the size of
/// each part.
fn parts(count: [u32; 3], most: u32) -> impl Iterator<Item = ([u32; 3], [u32; 3])> {
    let most = most.max(1);
    let along = move |axis: usize| {
        let all = count[axis];
        (0..all).step_by(most as usize).map(move |first| (first, (all - first).min(most)))
    };
    along(2).flat_map(move |(z, depth)| {
        along(1).flat_map(move |(y, height)| along(0).map(move |(x, width)| ([x, y, z], [width, height, depth])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_within_the_limit_is_one_dispatch() {
        assert_eq!(parts([7, 65535, 2], 65535).collect::<Vec<_>>(), [([0; 3], [7, 65535, 2])]);
        assert_eq!(parts([7, 0, 2], 65535).count(), 0);
        assert_eq!(parts([u32::MAX, 1, 1], 65535).count(), 65537);
    }

    #[test]
    fn grid_parts_cover_each_cube_once() {
        let count = [7, 4, 5];
        let mut cubes: Vec<[u32; 3]> = Vec::new();
        for (first, size) in parts(count, 3) {
            assert!(size.iter().all(|n| (1..=3).contains(n)));
            for z in 0..size[2] {
                for y in 0..size[1] {
                    cubes.extend((0..size[0]).map(|x| [first[0] + x, first[1] + y, first[2] + z]));
                }
            }
        }
        assert_eq!(cubes.len(), 140);
        cubes.sort_unstable();
        cubes.dedup();
        assert_eq!(cubes.len(), 140);
        assert_eq!((cubes[0], cubes[139]), ([0; 3], [6, 3, 4]));
    }
}
