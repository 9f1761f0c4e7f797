//! Waits for short work by a word of host memory.
//!
//! ```text
//! host                                    stream
//! cuLaunchKernel          ------------->  kernel
//! cuStreamWriteValue32    ------------->  word = 7
//! read the word until it is 7  <-------
//! ```
//!
//! `cuStreamSynchronize` returns 0.4 to 0.8 us after the host could have seen the end of the work
//! (`benches/gpu/launch_latency.c`). The device therefore writes a number to a word of page-locked memory behind the work, and the host
//! reads the word. The write follows all memory accesses of the stream, as the driver's manual states for
//! `cuStreamWriteValue32` without flags. After [`LONGEST`], or if no word is free, the driver waits as usual. If a kernel faults, the word is not
//! written, and the driver's wait returns the fault.
use crate::driver::{Code, answer, version};
use cube_runtime_gpu::driver::DriverResult;
use cudarc::driver::sys;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest time in which the host reads a word.
const LONGEST: Duration = Duration::from_micros(50);

/// The version of the driver whose call `cuStreamWriteValue32` needs no setting of the operating system.
const WRITES_WORDS: i32 = 12_000;

/// Number of reads between two looks at the clock.
const READS: u32 = 64;

/// Bytes between two words: each word has its own cache line.
const STRIDE: usize = 64;

/// Bytes of page-locked memory for the words of a context.
const BYTES: usize = 4096;

/// The words of a context.
pub(crate) struct Words {
    /// The words that no thread uses.
    free: Mutex<Vec<Word>>,
    /// The address of the page-locked memory; null without words, and after the end of the context.
    page: AtomicPtr<u32>,
}

/// A word of page-locked memory, which one thread uses at a time.
struct Word {
    host: &'static AtomicU32,
    /// The address of the word for the device.
    device: u64,
    /// The number that the next wait expects.
    next: u32,
}

impl Words {
    /// The words of a page.
    ///
    /// # Safety
    /// `host` is the address of [`BYTES`] zero bytes with an alignment of 4, which the device writes at `device`. They exist for
    /// as long as words of the page are used, and only words access them.
    unsafe fn new(host: *mut u32, device: u64) -> Words {
        let word = |index: usize| Word {
            // SAFETY: the word is within the bytes of the caller, and no other part of the program accesses it without atomic operations.
            host: unsafe { AtomicU32::from_ptr(host.byte_add(index * STRIDE)) },
            device: device + (index * STRIDE) as u64,
            next: 1,
        };
        Words { free: Mutex::new((0..BYTES / STRIDE).map(word).collect()), page: AtomicPtr::new(host) }
    }

    /// No words, for a device that cannot write them.
    pub const fn none() -> Words {
        Words { free: Mutex::new(Vec::new()), page: AtomicPtr::new(null_mut()) }
    }

    /// A word for a wait. `None` if all words are in use.
    fn take(&self) -> Option<Word> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns a word after a wait. A word that the device can still write must not be returned.
    fn put(&self, word: Word) {
        let word = Word { next: word.next.wrapping_add(1), ..word };
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(word);
    }
}

impl Word {
    /// Reads the word until it has the expected number. Returns `false` after [`LONGEST`].
    fn is_written(&self) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..READS {
                if self.host.load(Ordering::Acquire) == self.next {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() > LONGEST {
                return false;
            }
        }
    }
}

impl Words {
    /// The words of the current context, which is new.
    pub fn of_context() -> DriverResult<Words> {
        if version()? < WRITES_WORDS {
            return Ok(Words::none());
        }
        let (mut host, mut device) = (null_mut(), 0);
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the driver writes one address.
        answer("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut host, BYTES, flags) })?;
        // SAFETY: the driver writes one address; flags must be 0.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut device, host, 0) };
        answer("cuMemHostGetDevicePointer", code).inspect_err(|_| {
            // SAFETY: the memory has just been allocated, and nothing uses it.
            let _ = unsafe { sys::cuMemFreeHost(host) };
        })?;
        // SAFETY: the memory has this length, and is page-aligned. `end` frees it, when no call of the context runs. Only the words
        // access it.
        Ok(unsafe {
            host.write_bytes(0, BYTES);
            Words::new(host.cast(), device)
        })
    }

    /// Frees the words when their context ends. No thread waits by a word at this time. A later wait uses the driver's call.
    pub fn end(&self) -> DriverResult<()> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let page = self.page.swap(null_mut(), Ordering::AcqRel);
        if page.is_null() {
            return Ok(());
        }
        // SAFETY: the words were the only users of the memory.
        answer("cuMemFreeHost", unsafe { sys::cuMemFreeHost(page.cast()) })
    }

    /// Waits for a stream, for a short time by a word.
    ///
    /// # Safety
    /// The stream belongs to the context of the words, and both are alive.
    pub unsafe fn sync(&self, stream: sys::CUstream) -> DriverResult<()> {
        // SAFETY: the caller's promise.
        let sync_by_driver = || answer("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(stream) });
        let Some(word) = self.take() else { return sync_by_driver() };
        // SAFETY: the caller's promise.
        let code = unsafe { sys::cuStreamWriteValue32_v2(stream, word.device, word.next, 0) };
        if code != Code::CUDA_SUCCESS {
            // The device of this driver cannot write words, or a kernel has faulted. The word is not used again, so that only a few calls fail.
            return sync_by_driver();
        }
        if !word.is_written() {
            // After an error, the device can still write the word, and the word is not used again.
            sync_by_driver()?;
        }
        self.put(word);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> (Words, &'static [AtomicU32]) {
        let page: &'static [AtomicU32] = Box::leak((0..BYTES / 4).map(|_| AtomicU32::new(0)).collect());
        // SAFETY: the page is leaked, has the length and alignment, and atomic operations may access it too.
        (unsafe { Words::new(page.as_ptr().cast_mut().cast(), 1 << 20) }, page)
    }

    #[test]
    fn each_wait_has_its_own_word_and_number() {
        let (words, page) = words();
        let taken: Vec<Word> = std::iter::from_fn(|| words.take()).collect();
        let mut addresses: Vec<u64> = taken.iter().map(|word| word.device).collect();
        addresses.sort();
        assert_eq!(addresses, (0..64).map(|index| (1 << 20) + 64 * index).collect::<Vec<u64>>());
        assert!(words.take().is_none());
        for word in taken {
            let index = (word.device - (1 << 20)) as usize / 4;
            assert!(!word.is_written(), "the word at {index} has not been written");
            page[index].store(word.next, Ordering::Release);
            assert!(word.is_written());
            words.put(word);
        }
        let again = words.take().expect("words were returned");
        assert_eq!(again.next, 2);
        assert!(!again.is_written(), "the number of the earlier wait does not end this one");
    }

    #[test]
    fn a_device_that_cannot_write_words_has_none() {
        assert!(Words::none().take().is_none());
    }
}
