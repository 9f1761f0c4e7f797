//! The latest launches of a kernel. A launch that repeats one of them needs neither checks nor a search for its bind
//! group.
//!
//! The checks of a launch depend only on the kernel, the device, the arguments and the number of cubes. If these are
//! equal, the result is equal too. Scalars can differ if neither a derived scalar nor the kernel's number of cubes depends
//! on a scalar.
use crate::engine::Engine;
use crate::memory::{Allocation, own};
use crate::stream::{Accessed, Dispatch};
use cube_artifact::{Artifact, ElemType, ParamKind};
use cube_runtime::buffer::AllocationId;
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

/// A launch without copies of unaligned buffers, as at most [`MAX_REPEATED`] dispatches.
pub(crate) struct Recorded {
    pub dispatches: Vec<Dispatch>,
    /// The buffers that the launch accesses by addresses.
    pub accessed: Vec<Accessed>,
}

struct Stored {
    engine: Arc<Engine>,
    recorded: Recorded,
    args: Vec<Key>,
    /// Requested cubes along x, y and z.
    requested: [u32; 3],
    words: Vec<u32>,
    /// The scalars that a repeated launch can change, as positions in `args` and in `words`.
    scalars: Vec<(usize, usize)>,
}

/// The properties of an argument on which the checks and the uniform words depend.
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation per launch")]
enum Key {
    Buffer {
        allocation: AllocationId,
        /// The number of the allocation's segment. A later allocation can have the same segment.
        segment: u64,
        start: u64,
        len: u64,
        elem: ElemType,
        in_place: bool,
        dims: Option<Dims>,
    },
    /// A scalar, with its value if the checks or other words depend on the value.
    Scalar(ElemType, Option<u64>),
}

impl Key {
    /// `None` for a buffer that does not belong to `engine`.
    fn of(arg: &Arg, engine: &Arc<Engine>, is_free: bool) -> Option<Key> {
        Some(match arg {
            Arg::Buffer { buffer, elem, in_place, dims } => Key::Buffer {
                allocation: buffer.allocation_id(),
                segment: own(buffer, engine).ok()?.segment.number,
                start: buffer.offset(),
                len: buffer.size(),
                elem: *elem,
                in_place: *in_place,
                dims: dims.clone(),
            },
            Arg::Scalar(scalar) => Key::Scalar(scalar.elem(), (!is_free).then(|| scalar.slot())),
        })
    }

    fn fits(&self, arg: &Arg) -> bool {
        match (self, arg) {
            (Key::Scalar(elem, slot), Arg::Scalar(scalar)) => {
                *elem == scalar.elem() && slot.is_none_or(|slot| slot == scalar.slot())
            }
            (
                Key::Buffer { allocation, segment, start, len, elem, in_place, dims },
                Arg::Buffer { buffer, elem: given_elem, in_place: given_in_place, dims: given_dims },
            ) => {
                // The number of a segment is unique in the program, and thus belongs to one engine.
                *start == buffer.offset()
                    && *len == buffer.size()
                    && elem == given_elem
                    && in_place == given_in_place
                    && dims == given_dims
                    && (buffer.is_of(allocation)
                        || buffer.storage::<Allocation>().is_some_and(|own| own.segment.number == *segment))
            }
            _ => false,
        }
    }
}

/// The positions of the scalars in the arguments and in the uniform words; `None` if derived scalars or the number of cubes
/// depend on scalars.
fn free_scalars(artifact: &Artifact) -> Option<Vec<(usize, usize)>> {
    let is_scalar = |word: &str| {
        let named = artifact.params.iter().find(|param| param.name == word);
        named.is_some_and(|param| matches!(param.kind, ParamKind::Scalar { .. }))
    };
    let derived = artifact.derived.iter().map(|derived| derived.expression.as_str());
    let counts = artifact.cube_count.iter().flatten().map(String::as_str);
    let mut words = derived.chain(counts).flat_map(|text| text.split(['(', ')', ',', ' ']));
    if words.any(is_scalar) {
        return None;
    }
    let buffers = artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. })).count();
    let scalars = artifact.params.iter().enumerate().filter_map(|(number, param)| match param.kind {
        ParamKind::Scalar { elem } => Some((number, elem)),
        ParamKind::Buffer { .. } => None,
    });
    let positions = scalars.scan(buffers, |next, (number, elem)| {
        let at = *next;
        *next += if elem.size() == 8 { 2 } else { 1 };
        Some((number, at))
    });
    Some(positions.collect())
}

impl Repeats {
    /// Repeats the stored launch with the same arguments and the same number of cubes. `None` if the list does not contain it,
    /// or its device is lost.
    pub fn launch(&mut self, args: &[Arg], requested: [u32; 3]) -> Option<Result<(), Box<RuntimeError>>> {
        let Stored { engine, recorded, words, scalars, .. } = self.launches.iter_mut().find(|stored| {
            stored.requested == requested
                && stored.args.len() == args.len()
                && stored.args.iter().zip(args).all(|(key, arg)| key.fits(arg))
        })?;
        for (arg, at) in scalars {
            if let Arg::Scalar(scalar) = &args[*arg] {
                write_scalar(&mut words[*at..], scalar);
            }
        }
        // A thread takes the lock of the stream after all other locks: see `docs/why/wgpu.md`.
        let mut stream = engine.open_stream()?;
        let mut dispatches = recorded.dispatches.iter();
        Some(dispatches.try_for_each(|one| stream.dispatch(engine, one, words, &recorded.accessed)))
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
        let scalars = free_scalars(artifact);
        let keys: Option<Vec<Key>> = args.iter().map(|arg| Key::of(arg, engine, scalars.is_some())).collect();
        let Some(args) = keys else { return };
        let stored = Stored {
            engine: Arc::clone(engine),
            recorded,
            args,
            requested,
            words: words.to_vec(),
            scalars: scalars.unwrap_or_default(),
        };
        if self.launches.len() < MAX {
            self.launches.push(stored);
        } else {
            self.launches[self.oldest] = stored;
            self.oldest = (self.oldest + 1) % MAX;
        }
    }
}

// Writes the one or two words of a scalar.
fn write_scalar(words: &mut [u32], scalar: &Scalar) {
    let slot = scalar.slot();
    words[0] = slot as u32;
    if scalar.elem().size() == 8 {
        words[1] = (slot >> 32) as u32;
    }
}
