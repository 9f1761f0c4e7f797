//! The latest launches of a kernel. A launch that repeats one of them needs neither checks nor a search for its bind
//! group.
//!
//! The checks of a launch depend only on the kernel, the device, the arguments and the number of cubes. If these are
//! equal, the result is equal too. Scalars can differ if neither a derived scalar nor the kernel's number of cubes depends
//! on a scalar.
use crate::engine::Engine;
use crate::memory::own;
use crate::pipelines::Pipeline;
use cube_artifact::{Artifact, ElemType, ParamKind};
use cube_runtime::{Arg, Dims, RuntimeError, Scalar};
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

/// The words that describe the grid to the cubes of a dispatch.
pub(crate) type Grid = [u32; cube_artifact::GRID_WORDS as usize];

/// A launch without copies of unaligned buffers, as at most [`MAX_REPEATED`] dispatches.
pub(crate) struct Recorded {
    pub dispatches: Vec<Dispatch>,
}

/// A dispatch of a launch.
pub(crate) struct Dispatch {
    pub pipeline: Arc<Pipeline>,
    pub group: wgpu::BindGroup,
    /// Executed cubes along x, y and z.
    pub count: [u32; 3],
    pub grid: Grid,
}

struct Stored {
    engine: Arc<Engine>,
    recorded: Recorded,
    args: Vec<Key>,
    /// Requested cubes along x, y and z.
    requested: [u32; 3],
    words: Vec<u32>,
    /// The position of the first scalar in `words`, if a repeated launch can have other scalars.
    scalars: Option<usize>,
}

/// The properties of an argument on which the checks and the uniform words depend.
#[derive(PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation per launch")]
enum Key {
    Buffer { segment: u64, start: u64, len: u64, elem: ElemType, in_place: bool, dims: Option<Dims> },
    Scalar(ElemType, u64),
}

impl Key {
    /// `None` for a buffer that does not belong to `engine`.
    fn of(arg: &Arg, engine: &Arc<Engine>) -> Option<Key> {
        Some(match arg {
            Arg::Buffer { buffer, elem, in_place, dims } => Key::Buffer {
                segment: own(buffer, engine).ok()?.segment.number,
                start: buffer.offset(),
                len: buffer.size(),
                elem: *elem,
                in_place: *in_place,
                dims: dims.clone(),
            },
            Arg::Scalar(scalar) => Key::Scalar(scalar.elem(), scalar.slot()),
        })
    }

    fn fits(&self, arg: &Arg, engine: &Arc<Engine>, any_scalar: bool) -> bool {
        match (self, arg) {
            (Key::Scalar(elem, slot), Arg::Scalar(scalar)) => {
                *elem == scalar.elem() && (any_scalar || *slot == scalar.slot())
            }
            (
                Key::Buffer { segment, start, len, elem, in_place, dims },
                Arg::Buffer { buffer, elem: given_elem, in_place: given_in_place, dims: given_dims },
            ) => {
                *start == buffer.offset()
                    && *len == buffer.size()
                    && elem == given_elem
                    && in_place == given_in_place
                    && own(buffer, engine).is_ok_and(|own| own.segment.number == *segment)
                    && dims == given_dims
            }
            _ => false,
        }
    }
}

// The position of the first scalar in the uniform words; `None` if derived scalars or the number of cubes depend on
// scalars.
fn free_scalars(artifact: &Artifact) -> Option<usize> {
    let is_scalar = |word: &str| {
        let named = artifact.params.iter().find(|param| param.name == word);
        named.is_some_and(|param| matches!(param.kind, ParamKind::Scalar { .. }))
    };
    let derived = artifact.derived.iter().map(|derived| derived.expression.as_str());
    let counts = artifact.cube_count.iter().flatten().map(String::as_str);
    let mut words = derived.chain(counts).flat_map(|text| text.split(['(', ')', ',', ' ']));
    let buffers = || artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. })).count();
    (!words.any(is_scalar)).then(buffers)
}

impl Repeats {
    /// Repeats the stored launch with the same arguments and the same number of cubes, if the list contains it. The buffers
    /// belong to the engine of the stored launch. This engine is the device's own engine, unless the device was lost.
    pub fn launch(&mut self, args: &[Arg], requested: [u32; 3]) -> Option<Result<(), RuntimeError>> {
        let stored = self.launches.iter_mut().find(|stored| {
            let fits = |(key, arg): (&Key, &Arg)| key.fits(arg, &stored.engine, stored.scalars.is_some());
            stored.requested == requested
                && stored.args.len() == args.len()
                && stored.args.iter().zip(args).all(fits)
                && stored.engine.lost_reason().is_none()
        })?;
        if let Some(mut at) = stored.scalars {
            for arg in args {
                let Arg::Scalar(scalar) = arg else { continue };
                at += write_scalar(&mut stored.words[at..], scalar);
            }
        }
        // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
        let engine = &stored.engine;
        Some(engine.stream().and_then(|mut stream| {
            stored.recorded.dispatches.iter().try_for_each(|Dispatch { pipeline, group, count, grid }| {
                let base = stored.words.len() - grid.len();
                stored.words[base..].copy_from_slice(grid);
                stream.dispatch(engine, &pipeline.pipeline, group, &stored.words, *count)
            })
        }))
    }

    /// Stores a launch. `words` are its uniform words.
    pub fn store(
        &mut self,
        engine: &Arc<Engine>,
        artifact: &Artifact,
        recorded: Recorded,
        args: &[Arg],
        requested: [u32; 3],
        words: &[u32],
    ) {
        let keys: Option<Vec<Key>> = args.iter().map(|arg| Key::of(arg, engine)).collect();
        let Some(args) = keys else { return };
        let stored = Stored {
            engine: Arc::clone(engine),
            recorded,
            args,
            requested,
            words: words.to_vec(),
            scalars: free_scalars(artifact),
        };
        if self.launches.len() < MAX {
            self.launches.push(stored);
        } else {
            self.launches[self.oldest] = stored;
            self.oldest = (self.oldest + 1) % MAX;
        }
    }
}

// Writes the words of a scalar, and returns their number.
fn write_scalar(words: &mut [u32], scalar: &Scalar) -> usize {
    let slot = scalar.slot();
    words[0] = slot as u32;
    if scalar.elem().size() != 8 {
        return 1;
    }
    words[1] = (slot >> 32) as u32;
    2
}
