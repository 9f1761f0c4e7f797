//! Records one launch: its bindings, its uniform words, and its dispatches.
use crate::engine::Engine;
use crate::memory::{Allocation, own};
use crate::pipelines::{Bound, Pipeline, Pipelines};
use crate::stream::Stream;
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::launch::BoundLaunch;
use cube_runtime::{Buffer, RuntimeError};
use std::sync::Arc;

/// Bytes of the smallest binding: an element of a runtime-sized array of `vec4`.
const MIN_BYTES: u64 = 16;

/// Empty arrays that a thread reuses for its launches.
#[derive(Default)]
pub(crate) struct Arrays {
    bound: Vec<Bound>,
    words: Vec<u32>,
}

/// A copy of a buffer's bytes. The copy is necessary if the offset of the buffer is not a valid offset of a binding.
struct AlignedCopy {
    copy: Allocation,
    from: Bound,
    writes: bool,
}

/// Records a launch.
///
/// # Errors
/// A buffer belongs to another device, or is too large to bind. The offset of a buffer can neither be bound nor
/// copied. wgpu refuses the launch.
pub(crate) fn record(
    engine: &Arc<Engine>,
    pipelines: &Pipelines,
    aliased: &dyn Fn() -> Result<Arc<Pipeline>, RuntimeError>,
    artifact: &Artifact,
    launch: &BoundLaunch<'_>,
    arrays: &mut Arrays,
) -> Result<(), RuntimeError> {
    arrays.bound.clear();
    arrays.words.clear();
    let mut copies: Vec<AlignedCopy> = Vec::new();
    for (buffer, writes) in &launch.buffers {
        let bound = bind_buffer(engine, buffer, *writes, &mut copies)?;
        arrays.bound.push(bound);
    }
    words(artifact, launch, &mut arrays.words);
    let shared;
    let pipeline = if conflicts(&arrays.bound, launch) {
        shared = aliased()?;
        &shared
    } else {
        &pipelines.plain
    };
    // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
    let mut stream = engine.stream()?;
    let group = pipeline.group(engine, &arrays.bound, &stream.uniforms)?;
    copies.iter().for_each(|one| one.fill(&mut stream));
    let base = arrays.words.len().next_multiple_of(4);
    for (first, count) in parts(launch.cube_count, engine.limits.max_compute_workgroups_per_dimension) {
        arrays.words.truncate(base);
        arrays.words.resize(base, 0);
        arrays.words.extend(first.into_iter().chain([0]).chain(launch.cube_count));
        stream.dispatch(engine, &pipeline.pipeline, &group, &arrays.words, count)?;
    }
    copies.iter().filter(|one| one.writes).for_each(|one| one.copy_back(&mut stream));
    drop(stream);
    // The memory of copies returns to the pool here, after the lock is released. The bindings would keep this memory.
    arrays.bound.clear();
    Ok(())
}

/// The part of a wgpu buffer that is bound for an argument.
fn bind_buffer(
    engine: &Arc<Engine>,
    buffer: &Buffer,
    writes: bool,
    copies: &mut Vec<AlignedCopy>,
) -> Result<Bound, RuntimeError> {
    let own = own(buffer, engine)?;
    let (start, len) = (buffer.offset(), buffer.size());
    let most = engine.limits.max_storage_buffer_binding_size;
    if len > most {
        return Err(RuntimeError::device_limit(format!(
            "a buffer of {len} bytes is bound, but the device's limit is {most} (maxStorageBufferBindingSize); bind parts of it"
        )));
    }
    let whole = own.segment.buffer.size();
    if len == 0 {
        return Ok(Bound { segment: own.segment.clone(), offset: 0, size: whole.min(MIN_BYTES) });
    }
    let size = len.next_multiple_of(4).min(whole - start);
    let bound = Bound { segment: own.segment.clone(), offset: start, size };
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
    if let Some(known) = copies.iter_mut().find(|known| known.from == bound) {
        known.writes |= writes;
        return Ok(Bound { segment: known.copy.segment.clone(), offset: 0, size });
    }
    let copy = Allocation::new(engine, size).map_err(|error| error.error("the device", ""))?;
    let copied = Bound { segment: copy.segment.clone(), offset: 0, size };
    copies.push(AlignedCopy { copy, from: bound, writes });
    Ok(copied)
}

impl AlignedCopy {
    fn fill(&self, stream: &mut Stream) {
        let Bound { segment, offset, size } = &self.from;
        let device = &self.copy.engine.device;
        stream.encoder(device).copy_buffer_to_buffer(&segment.buffer, *offset, &self.copy.segment.buffer, 0, *size);
    }

    fn copy_back(&self, stream: &mut Stream) {
        let Bound { segment, offset, size } = &self.from;
        let device = &self.copy.engine.device;
        stream.encoder(device).copy_buffer_to_buffer(&self.copy.segment.buffer, 0, &segment.buffer, *offset, *size);
    }
}

/// Whether one argument reads a wgpu buffer that another argument writes. If one argument of a launch writes
/// a wgpu buffer, WebGPU requires that all bindings of this buffer are writable.
fn conflicts(bound: &[Bound], launch: &BoundLaunch<'_>) -> bool {
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
