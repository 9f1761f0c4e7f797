//! The latest launches of a kernel, as dispatches. A launch with the same buffers needs neither new uniform words nor a search for
//! its bind groups.
//!
//! A launch arrives here after its checks: those of [`cube_runtime::launch::known`], or those of a
//! [`Repeat`](cube_runtime::launch::Repeat), an earlier launch that the caller remembers. The dispatches and the uniform words then depend on
//! few facts: the ranges of the buffers in their segments, the number of cubes, and the derived scalars. The other scalars are
//! written for each launch.
use crate::engine::Engine;
use crate::memory::Allocation;
use crate::stream::{Accessed, Dispatch};
use cube_artifact::{Artifact, Param, ParamKind};
use cube_runtime::buffer::Storage;
use cube_runtime::launch::Known;
use cube_runtime::{Buffer, RuntimeError};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of stored launches of a kernel. Two launches that exchange their buffers in turn need two.
const MAX: usize = 4;

/// The stored launches of one kernel.
#[derive(Default)]
pub(crate) struct Repeats {
    launches: Vec<Stored>,
    /// The launch that the next new launch replaces, if the list is full.
    oldest: usize,
}

/// Maximum number of dispatches of a stored launch: the first cubes of a coarsened kernel, and the other cubes.
pub(crate) const MAX_REPEATED: usize = 2;

/// A launch without copies of unaligned buffers, as at most [`MAX_REPEATED`] dispatches.
pub(crate) struct Recorded {
    pub dispatches: Vec<Dispatch>,
    /// The buffers that the launch accesses by addresses.
    pub accessed: Vec<Accessed>,
}

/// A part of an allocation.
struct Place {
    /// The number of the allocation's segment, which is unique in the program. A later allocation can have the same segment.
    segment: u64,
    start: u64,
    end: u64,
}

impl Place {
    /// `None` if the buffer is not one of wgpu.
    fn of(buffer: &Buffer, bytes: &Range<u64>) -> Option<Place> {
        let own = buffer.storage::<Allocation>()?;
        Some(Place { segment: own.segment.number, start: bytes.start, end: bytes.end })
    }

    /// Whether `bytes` of the allocation of `buffer` are this part.
    fn is_of(&self, buffer: &Buffer, bytes: &Range<u64>) -> bool {
        self.start == bytes.start
            && self.end == bytes.end
            && buffer
                .storage::<Allocation>()
                .is_some_and(|own| own.segment.number == self.segment && self.end <= own.size())
    }
}

struct Stored {
    engine: Arc<Engine>,
    recorded: Recorded,
    buffers: Vec<Place>,
    cube_count: [u32; 3],
    derived: Vec<u64>,
    words: Vec<u32>,
    /// The position in `words` of each scalar of the host, and whether the scalar has two words.
    scalars: Vec<(usize, bool)>,
}

impl Repeats {
    /// Repeats the stored launch with the same facts and the same buffers, with the `slots` of the scalars of the host. `None` if
    /// the list does not contain it, or its device is lost. The kernel has as many buffers as `buffers`, and as many scalars as
    /// `slots`, as the caller has checked.
    pub fn launch<'b>(
        &mut self,
        known: Known<'_>,
        buffers: impl Iterator<Item = (&'b Buffer, Range<u64>)> + Clone,
        slots: impl Iterator<Item = u64>,
    ) -> Option<Result<(), Box<RuntimeError>>> {
        let Stored { engine, recorded, words, scalars, .. } = self.launches.iter_mut().find(|stored| {
            stored.cube_count == known.cube_count
                && stored.derived == known.derived
                && stored
                    .buffers
                    .iter()
                    .zip(buffers.clone())
                    .all(|(place, (buffer, bytes))| place.is_of(buffer, &bytes))
        })?;
        for ((at, is_wide), slot) in scalars.iter().zip(slots) {
            words[*at] = slot as u32;
            if *is_wide {
                words[at + 1] = (slot >> 32) as u32;
            }
        }
        // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
        let mut stream = engine.open_stream()?;
        let mut dispatches = recorded.dispatches.iter();
        Some(dispatches.try_for_each(|one| stream.dispatch(engine, one, words, &recorded.accessed)))
    }

    /// Stores a launch. `words` are its uniform words.
    pub fn store<'b>(
        &mut self,
        engine: &Arc<Engine>,
        artifact: &Artifact,
        recorded: Recorded,
        known: Known<'_>,
        buffers: impl Iterator<Item = (&'b Buffer, Range<u64>)>,
        words: &[u32],
    ) {
        let Some(buffers) = buffers.map(|(buffer, bytes)| Place::of(buffer, &bytes)).collect() else { return };
        let stored = Stored {
            engine: Arc::clone(engine),
            recorded,
            buffers,
            cube_count: known.cube_count,
            derived: known.derived.to_vec(),
            words: words.to_vec(),
            scalars: positions(&artifact.params),
        };
        if self.launches.len() < MAX {
            self.launches.push(stored);
        } else {
            self.launches[self.oldest] = stored;
            self.oldest = (self.oldest + 1) % MAX;
        }
    }
}

/// The position of each scalar of the host in the uniform words, which begin with the lengths of the buffers.
fn positions(params: &[Param]) -> Vec<(usize, bool)> {
    let is_buffer = |kind: &ParamKind| matches!(kind, ParamKind::Buffer { .. });
    let buffers = params.iter().filter(|param| is_buffer(&param.kind)).count();
    let scalars = params.iter().filter_map(|param| match param.kind {
        ParamKind::Scalar { elem } => Some(elem.size() == 8),
        ParamKind::Buffer { .. } => None,
    });
    let positions = scalars.scan(buffers, |next, is_wide| {
        let at = *next;
        *next += 1 + usize::from(is_wide);
        Some((at, is_wide))
    });
    positions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::BufferAccess;
    use cube_artifact::ElemType::{F32, I64};

    #[test]
    fn a_scalar_of_64_bits_has_two_words() {
        let param = |kind| Param { name: "p".into(), kind };
        let buffer = || param(ParamKind::Buffer { elem: F32, line: 1, align: 1, access: BufferAccess::Read });
        let scalar = |elem| param(ParamKind::Scalar { elem });
        let params = [scalar(F32), buffer(), scalar(I64), scalar(F32), buffer()];
        assert_eq!(positions(&params), [(2, false), (3, true), (5, false)]);
    }
}
