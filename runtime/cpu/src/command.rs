//! The commands of the CPU's queues.
//!
//! ```text
//! line    contents                                      written by
//! 0       work, kernel, cube count, numbers of entries  the caller; the thread of the queue empties it
//! 1..7    24 buffers, 4 in each line                    the caller; the thread of the queue drops the references
//! 7..13   48 words: info words, then scalars            the caller
//! 13      condition, if the device has several queues   the caller
//! ```
//!
//! The thread of a queue and the callers are on different processors, and each line that both write costs the time of a transfer
//! between processors. A launch of up to four buffers and eight words has three lines in one allocation. A command with more entries
//! than the lines hold has lists ([`Many`]). The memory of a command is reused, with its lists and with its kernel: a command for the
//! same kernel changes no reference count, which all threads would share.
use crate::memory::{Allocation, own};
use cube_runtime::launch::Known;
use cube_runtime::queue::Ticks;
use cube_runtime::{Buffer, Kernel, RuntimeError};

/// Number of buffers in the lines of a command.
const BUFFERS: usize = 24;

/// Number of words in the lines of a command.
const WORDS: usize = 48;

#[cfg(target_arch = "x86_64")]
fn prefetch_for_write<T>(address: *const T) {
    use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: a prefetch has no effect on memory, and does not fault for any address.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch_for_write<T>(_: *const T) {}

/// A function that the thread of a queue calls. If a command that wrote an input buffer has failed, the
/// argument of the function is this failure.
pub(crate) type Call = Box<dyn FnOnce(Result<(), RuntimeError>) -> Result<(), RuntimeError> + Send>;

/// A buffer of a command. The command keeps the allocation.
pub(crate) struct Used {
    allocation: std::sync::Arc<Allocation>,
    /// Twice the offset of the buffer in its allocation, plus 1 if the command writes the buffer.
    place: u64,
}

impl Used {
    #[inline]
    pub fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    /// First byte of the buffer in its allocation.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.place >> 1
    }

    #[inline]
    pub fn writes(&self) -> bool {
        self.place & 1 != 0
    }
}

/// The buffers and the words that exceed the lines of a command.
#[derive(Default)]
struct Many {
    /// The buffers after the first [`BUFFERS`].
    used: Vec<Used>,
    /// All words, if there are more than [`WORDS`].
    words: Vec<u64>,
}

/// A queued command.
#[repr(C, align(64))]
pub(crate) struct Command {
    call: Option<Call>,
    /// The kernel of this launch or of an earlier one.
    kernel: Option<Kernel>,
    many: Option<Box<Many>>,
    cubes: u64,
    cube_count: [u32; 3],
    info_count: u32,
    /// Number of entries of `used`.
    buffer_count: u8,
    /// Number of entries of `words`; larger than [`WORDS`] if the words are in `many`.
    word_count: u8,
    is_launch: bool,
    /// Whether the command is a launch with a short expected time.
    pub is_short: bool,
    has_condition: bool,
    used: [Option<Used>; BUFFERS],
    words: [u64; WORDS],
    condition: Ticks,
}

impl Command {
    pub fn unused() -> Box<Command> {
        Box::new(Command {
            call: None,
            kernel: None,
            many: None,
            cubes: 0,
            cube_count: [0; 3],
            info_count: 0,
            buffer_count: 0,
            word_count: 0,
            is_launch: false,
            is_short: false,
            has_condition: false,
            used: Default::default(),
            words: [0; WORDS],
            condition: Ticks::default(),
        })
    }

    /// Requests the lines of a small command for writing. The thread of a queue wrote them last, on another processor.
    #[inline]
    pub fn prefetch(&self) {
        prefetch_for_write(self);
        prefetch_for_write(&raw const self.used);
        prefetch_for_write(&raw const self.words);
    }

    fn many(&mut self) -> &mut Many {
        self.many.get_or_insert_default()
    }

    /// Adds a buffer that the command uses. `false` if the buffer belongs to another kind of device.
    #[inline]
    pub fn add(&mut self, buffer: &Buffer, writes: bool) -> bool {
        let Some(allocation) = buffer.shared_storage() else { return false };
        let used = Used { allocation, place: buffer.offset() << 1 | u64::from(writes) };
        match self.used.get_mut(usize::from(self.buffer_count)) {
            Some(entry) => {
                *entry = Some(used);
                self.buffer_count += 1;
            }
            None => self.many().used.push(used),
        }
        true
    }

    /// Makes the command call a function.
    pub fn set_call(&mut self, call: Call) {
        self.call = Some(call);
    }

    /// Makes the command launch a kernel with the buffers of the command, with info words and with scalars. The derived scalars
    /// follow the scalars.
    #[inline]
    pub fn set_launch(&mut self, kernel: &Kernel, known: &Known<'_>, scalars: impl Iterator<Item = u64>) {
        if !self.kernel.as_ref().is_some_and(|kept| kept.is(kernel)) {
            self.kernel = Some(kernel.clone());
        }
        self.is_launch = true;
        (self.cube_count, self.cubes) = (known.cube_count, known.cubes);
        self.set_words(known.info, scalars, known.derived);
    }

    #[inline]
    fn set_words(&mut self, info: &[u64], scalars: impl Iterator<Item = u64>, derived: &[u64]) {
        self.info_count = info.len() as u32;
        info.iter().for_each(|word| self.push_word(*word));
        scalars.for_each(|word| self.push_word(word));
        derived.iter().for_each(|word| self.push_word(*word));
    }

    #[inline]
    fn push_word(&mut self, word: u64) {
        match self.words.get_mut(usize::from(self.word_count)) {
            Some(entry) => {
                *entry = word;
                self.word_count += 1;
            }
            None => self.push_many(word),
        }
    }

    #[cold]
    fn push_many(&mut self, word: u64) {
        let words = self.words;
        let many = self.many();
        if many.words.is_empty() {
            many.words.extend(words);
        }
        many.words.push(word);
        self.word_count = WORDS as u8 + 1;
    }

    /// The info words and the scalars of a launch.
    #[inline]
    pub fn words(&self) -> (&[u64], &[u64]) {
        let few = self.words.get(..usize::from(self.word_count));
        let words = few.or_else(|| Some(&self.many.as_ref()?.words[..])).unwrap_or_default();
        words.split_at(self.info_count as usize)
    }

    /// The number of cubes along x, y, z of a launch, and in total.
    pub fn cubes(&self) -> ([u32; 3], u64) {
        (self.cube_count, self.cubes)
    }

    /// The buffers that the command uses.
    #[inline]
    pub fn buffers(&self) -> impl Iterator<Item = &Used> + Clone {
        let few = self.used[..usize::from(self.buffer_count)].iter().flatten();
        few.chain(self.many.iter().flat_map(|many| &many.used))
    }

    /// Calls `call` with each buffer that the command uses. This loop takes a third of the instructions of [`Command::buffers`].
    #[inline]
    pub fn for_each_buffer(&self, mut call: impl FnMut(&Used)) {
        self.used[..usize::from(self.buffer_count)].iter().flatten().for_each(&mut call);
        if let Some(many) = &self.many {
            many.used.iter().for_each(call);
        }
    }

    /// Sets the commands of all queues that must precede this one.
    pub fn set_condition(&mut self, condition: Ticks) {
        (self.condition, self.has_condition) = (condition, true);
    }

    /// The commands of all queues that must precede this one. `None` if the order of the queue is sufficient.
    #[inline]
    pub fn condition(&self) -> Option<&Ticks> {
        self.has_condition.then_some(&self.condition)
    }

    /// The kernel, if the command is a launch.
    #[inline]
    pub fn kernel(&self) -> Option<&Kernel> {
        self.kernel.as_ref().filter(|_| self.is_launch)
    }

    /// The function that the command calls, once.
    pub fn take_call(&mut self) -> Option<Call> {
        self.call.take()
    }

    /// Returns an error if an earlier command failed to write a buffer that this command only reads.
    pub fn inputs(&self) -> Result<(), RuntimeError> {
        check_inputs(self.buffers().map(|used| (used.allocation(), used.writes())))
    }

    /// Records the outcome of the command in its buffers, and drops the buffers.
    pub fn finish(&mut self, outcome: &Result<(), RuntimeError>) {
        for written in self.buffers().filter(|used| used.writes()) {
            match outcome {
                Ok(()) => written.allocation().tracking.succeed(),
                Err(error) => written.allocation().tracking.fail(error),
            }
        }
        self.clear();
    }

    /// Removes all entries. The memory of the lists and the kernel remain.
    pub fn clear(&mut self) {
        self.used[..usize::from(self.buffer_count)].fill_with(|| None);
        if let Some(many) = &mut self.many {
            many.used.clear();
            many.words.clear();
        }
        (self.buffer_count, self.word_count, self.info_count) = (0, 0, 0);
        (self.is_launch, self.is_short, self.has_condition) = (false, false, false);
    }
}

/// Returns an error if an earlier command failed to write a buffer that the current command only reads.
pub(crate) fn inputs<'a>(buffers: impl Iterator<Item = (&'a Buffer, bool)>) -> Result<(), RuntimeError> {
    for (buffer, _) in buffers.filter(|(_, writes)| !writes) {
        check_inputs(std::iter::once((own(buffer)?, false)))?;
    }
    Ok(())
}

fn check_inputs<'a>(mut used: impl Iterator<Item = (&'a Allocation, bool)>) -> Result<(), RuntimeError> {
    used.find_map(|(allocation, writes)| if writes { None } else { allocation.tracking.failure() }).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::buffer_of_8_bytes;

    #[test]
    fn a_small_launch_has_three_lines() {
        assert_eq!((align_of::<Command>(), size_of::<Command>()), (64, 64 * 14));
        let offsets = [std::mem::offset_of!(Command, used), std::mem::offset_of!(Command, words)];
        assert_eq!((offsets, size_of::<Option<Used>>() * 4), ([64, 64 * 7], 64));
        assert!(std::mem::offset_of!(Command, has_condition) < 64);
        assert_eq!(std::mem::offset_of!(Command, condition), 64 * 13);
    }

    /// Entries beyond the lines are in lists, in order, and the next command of the same memory has none of them.
    #[test]
    fn a_command_holds_any_number_of_buffers_and_words() {
        let mut command = Command::unused();
        for (buffer_count, infos, scalars) in
            [(3, 2, 1), (24, 24, 24), (25, 25, 24), (40, 0, 100), (1, 60, 0), (0, 0, 0), (2, 1, 1)]
        {
            let buffers: Vec<_> = (0..buffer_count).map(|_| buffer_of_8_bytes()).collect();
            for (number, buffer) in buffers.iter().enumerate() {
                let part = buffer.slice(number as u64 % 8..8).unwrap();
                assert!(command.add(&part, number % 3 == 0));
            }
            let numbers: Vec<u64> = (7..7 + infos + scalars).collect();
            let (info, given) = numbers.split_at(infos as usize);
            let (scalars, derived) = given.split_at(given.len() / 2);
            command.set_words(info, scalars.iter().copied(), derived);
            assert_eq!(command.words(), (info, given));
            assert_eq!(command.buffers().count(), buffer_count);
            for (number, (used, buffer)) in command.buffers().zip(&buffers).enumerate() {
                assert!(std::ptr::eq(used.allocation(), own(buffer).unwrap()));
                assert_eq!((used.offset(), used.writes()), (number as u64 % 8, number % 3 == 0));
            }
            command.clear();
            assert_eq!((command.buffers().count(), command.words()), (0, (&[][..], &[][..])));
            for buffer in buffers {
                let allocation = buffer.shared_storage::<Allocation>().unwrap();
                drop(buffer);
                assert_eq!(std::sync::Arc::strong_count(&allocation), 1, "the command keeps a buffer");
            }
        }
    }
}
