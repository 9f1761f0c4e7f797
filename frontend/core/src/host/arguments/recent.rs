//! The last launches of a thread, so that a launch with the same facts is neither prepared nor checked again.
//!
//! ```text
//! launch of the program        entry of the thread          device
//! type of the kernel     ==    type of the kernel
//! key, cube count        ==    key, cube count
//! facts of each argument ==    facts of each argument
//! handles, scalars  ------------------------------------->  repeat(kernel, entry, buffers, scalars)
//! ```
//!
//! All properties that [`super::prepare`] and the checks of the device read are in the key and in the facts, except the
//! allocations and the scalars, which the device compares itself ([`cube_runtime::launch::Repeat`]). An entry has no reference to
//! a kernel or to memory: it names its kernel by a number, which a device gives to no other kernel. A launch enters an entry when
//! it occurs twice and no other launch of the same slot is between both, so that launches in turns do not allocate memory.
use super::error::LaunchError;
use super::launch::Launch;
use super::prepare::Input;
use super::values::{Named, StoredValue};
use crate::host::core::LoadedKernel;
use crate::host::long_launches::with_notices;
use crate::host::{CubeCount, Session, recording};
use cube_artifact::ElemType;
use cube_runtime::Arg;
use cube_runtime::launch::Repeat;
use std::any::TypeId;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};

/// Number of launches that a thread remembers; a power of two.
const SLOTS: usize = 128;

thread_local!(static RECENT: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) });

/// The entry for the launches with one hash modulo [`SLOTS`].
#[derive(Default)]
struct Slot {
    /// The hash of the last launch that had no entry.
    seen: u64,
    entry: Option<Entry>,
}

/// A launch that succeeded.
struct Entry {
    /// The number of the device.
    device: u64,
    kernel: TypeId,
    key: Box<[u64]>,
    values: Vec<StoredValue>,
    count: [u32; 3],
    facts: Vec<Fact>,
    /// The number of the loaded kernel.
    loaded: u32,
    repeat: Repeat,
    /// The arguments that the kernel writes.
    written: Vec<usize>,
}

/// The properties of an argument that the preparation of a launch reads.
#[derive(PartialEq)]
enum Fact {
    Scalar(ElemType),
    Buffer(BufferFact),
}

/// Shape and strides.
type TensorShape = (Box<[usize]>, Box<[usize]>);

#[derive(PartialEq)]
struct BufferFact {
    elem: ElemType,
    is_alias: bool,
    line: u32,
    elem_size: usize,
    length: usize,
    /// The range of the handle's buffer in its allocation.
    bytes: [u64; 2],
    /// The bytes that the handle skips at the start and at the end of its buffer.
    skipped: [Option<u64>; 2],
    shape: Option<TensorShape>,
}

impl Fact {
    fn of(input: &Input<'_>) -> Fact {
        match input {
            Input::Scalar(scalar) => Fact::Scalar(scalar.elem()),
            Input::Buffer(input) => {
                let buffer = input.handle.whole_buffer();
                Fact::Buffer(BufferFact {
                    elem: input.elem,
                    is_alias: input.is_alias,
                    line: input.line,
                    elem_size: input.elem_size,
                    length: input.length,
                    bytes: [buffer.offset(), buffer.end()],
                    skipped: [input.handle.offset_start, input.handle.offset_end],
                    shape: input.shape.map(|(shape, strides)| (shape.into(), strides.into())),
                })
            }
        }
    }

    #[inline]
    fn is_of(&self, input: &Input<'_>) -> bool {
        match (self, input) {
            (Fact::Scalar(elem), Input::Scalar(scalar)) => *elem == scalar.elem(),
            (Fact::Buffer(fact), Input::Buffer(input)) => {
                let buffer = input.handle.whole_buffer();
                let is_same_shape = match (&fact.shape, input.shape) {
                    (None, None) => true,
                    (Some((shape, strides)), Some(given)) => (&**shape, &**strides) == given,
                    _ => false,
                };
                fact.length == input.length
                    && fact.bytes == [buffer.offset(), buffer.end()]
                    && fact.line == input.line
                    && fact.elem == input.elem
                    && fact.is_alias == input.is_alias
                    && fact.elem_size == input.elem_size
                    && fact.skipped == [input.handle.offset_start, input.handle.offset_end]
                    && is_same_shape
            }
            _ => false,
        }
    }
}

impl Entry {
    #[inline]
    fn is_of(&self, launch: &Launch<'_>, device: u64, count: [u32; 3], values: &[Named<'_>]) -> bool {
        self.device == device
            && self.kernel == launch.kernel
            && self.count == count
            && self.facts.len() == launch.inputs.len()
            && self.facts.iter().zip(&launch.inputs).all(|(fact, input)| fact.is_of(input))
            && *self.key == *launch.key.words()
            && self.has_values(launch, values)
    }

    /// Compares the host values. This comparison calls the program's `Eq`, which can launch kernels: such a launch finds entries,
    /// but does not change them.
    #[inline]
    fn has_values(&self, launch: &Launch<'_>, values: &[Named<'_>]) -> bool {
        let (number, given) = (self.values.len(), values.len() + launch.values.len());
        number == 0 && given == 0 || number == given && self.has_some_values(launch, values)
    }

    fn has_some_values(&self, launch: &Launch<'_>, values: &[Named<'_>]) -> bool {
        values.iter().zip(&self.values).all(|((_, value), kept)| value.equals(&**kept))
            && launch.values.iter().zip(&self.values[values.len()..]).all(|((_, value), kept)| value.equals(&**kept))
    }
}

/// A hasher that combines words, for the slots of a thread.
#[derive(Default)]
struct Words(u64);

impl Hasher for Words {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = self.0.rotate_left(7) ^ word;
    }
}

/// The hash of a launch. Launches with the same hash only share a slot.
#[inline]
fn hash(launch: &Launch<'_>, count: [u32; 3]) -> u64 {
    let mut words = Words::default();
    launch.kernel.hash(&mut words);
    launch.key.words().iter().for_each(|word| words.write_u64(*word));
    for buffer in launch.inputs.iter().filter_map(Input::buffer) {
        words.write_u64(buffer.length as u64 ^ buffer.handle.whole_buffer().end());
    }
    words.write_u64(u64::from(count[0]) ^ u64::from(count[1]) << 24 ^ u64::from(count[2]) << 48);
    words.finish()
}

/// The number of a slot.
fn slot_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

/// The cube count of a launch that can repeat an earlier one.
#[inline]
fn repeatable(core: &Session, count: &CubeCount) -> Option<[u32; 3]> {
    match *count {
        CubeCount::Static(x, y, z) if core.repeats() && !recording::is_active() => Some([x, y, z]),
        _ => None,
    }
}

/// Repeats an earlier launch of this thread. `None` if this thread remembers no launch with the same facts, or if the device
/// does not repeat it.
#[inline]
pub(super) fn repeat(
    launch: &Launch<'_>,
    core: &Session,
    count: &CubeCount,
    values: &[Named<'_>],
) -> Option<Result<(), LaunchError>> {
    let count = repeatable(core, count)?;
    let repeat = |recent: &RefCell<Vec<Slot>>| {
        let recent = recent.try_borrow().ok()?;
        let entry = recent.get(slot_of(hash(launch, count)))?.entry.as_ref()?;
        if !entry.is_of(launch, core.number(), count, values) {
            return None;
        }
        let loaded = core.numbered(entry.loaded)?;
        let repeat = || core.device.repeat(core.queue, &loaded.kernel, &entry.repeat, &launch.buffers, &launch.scalars);
        match with_notices(loaded.notice, repeat) {
            Ok(false) => None,
            Ok(true) => {
                core.counters.launch();
                for argument in &entry.written {
                    if let Some(input) = launch.inputs[*argument].buffer() {
                        input.handle.mark_good();
                    }
                }
                Some(Ok(()))
            }
            Err(error) => {
                launch.set_writes(loaded);
                Some(Err(error.into()))
            }
        }
    };
    // While a thread ends, its entries can already be destroyed.
    RECENT.try_with(repeat).ok().flatten()
}

/// Remembers a launch that succeeded, if it is the second in turn with the same facts. `args` are the arguments on the device.
pub(super) fn remember(
    launch: &Launch<'_>,
    core: &Session,
    count: &CubeCount,
    values: &[Named<'_>],
    loaded: &LoadedKernel,
    args: &[Arg],
) {
    let (Some(count), Some(number)) = (repeatable(core, count), loaded.number.get()) else { return };
    if !loaded.kernel.artifact().prints.is_empty() {
        return;
    }
    let _ = RECENT.try_with(|recent| {
        // This launch can be part of a comparison of the program.
        let Ok(mut recent) = recent.try_borrow_mut() else { return };
        if recent.is_empty() {
            recent.resize_with(SLOTS, Slot::default);
        }
        let hash = hash(launch, count);
        let slot = &mut recent[slot_of(hash)];
        // A scalar that an expression reads distinguishes launches.
        let seen = launch.scalars.iter().fold(hash | 1, |hash, slot| (hash ^ slot).wrapping_mul(0x2545_f491_4f6c_dd1d));
        if slot.seen != seen {
            slot.seen = seen;
            return;
        }
        let Ok(repeat) = Repeat::of(&loaded.kernel, args, count, core.device.properties()) else { return };
        let all = values.iter().map(|(_, value)| *value);
        let all = all.chain(launch.values.iter().map(|(_, value)| -> &dyn super::KnownValue { &**value }));
        slot.entry = Some(Entry {
            device: core.number(),
            kernel: launch.kernel,
            key: launch.key.words().into(),
            values: all.map(|value| value.keep()).collect(),
            count,
            facts: launch.inputs.iter().map(Fact::of).collect(),
            loaded: *number,
            repeat,
            written: (0..launch.inputs.len()).filter(|i| loaded.writes.get(*i) == Some(&true)).collect(),
        });
    });
}
