//! The scratch memory that calls of kernels use. Each thread has one allocation, which grows to the largest size that
//! its kernels require.
use std::cell::RefCell;
use std::ffi::c_void;

/// Alignment of scratch memory: sufficient for a cache line, and for the largest line of numbers.
const ALIGNMENT: usize = 128;

#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Line {
    _bytes: [u8; ALIGNMENT],
}

thread_local!(static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) });

/// Runs `body` with at least `bytes` bytes of memory that only `body` uses; `None` if the allocation fails.
pub(crate) fn with<T>(bytes: usize, body: impl FnOnce(*mut c_void) -> T) -> Option<T> {
    if bytes == 0 {
        return Some(body(std::ptr::null_mut()));
    }
    let lines = bytes.div_ceil(ALIGNMENT);
    // If a kernel runs during the call of another kernel on this thread, the thread's allocation is in use until the
    // outer call ends.
    let mut scratch = SCRATCH.with(RefCell::take);
    if scratch.len() < lines {
        scratch.try_reserve_exact(lines - scratch.len()).ok()?;
        scratch.resize(lines, Line { _bytes: [0; ALIGNMENT] });
    }
    let result = body(scratch.as_mut_ptr().cast());
    SCRATCH.with(|stored| {
        let mut stored = stored.borrow_mut();
        if stored.len() < scratch.len() {
            *stored = scratch;
        }
    });
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_calls_have_separate_scratch_memory() {
        let both = with(1000, |outer| {
            assert_eq!(outer as usize % ALIGNMENT, 0);
            with(300, |inner| {
                let (outer, inner) = (outer as usize, inner as usize);
                assert!(inner + 300 <= outer || outer + 1000 <= inner, "{outer:x} {inner:x}");
            })
        });
        assert_eq!(both, Some(Some(())));
        let stored = with(10, |scratch| scratch as usize);
        assert_eq!(stored, with(1000, |scratch| scratch as usize), "the larger allocation is kept");
    }

    #[test]
    fn failed_scratch_allocation_skips_the_call_and_keeps_the_pool() {
        assert_eq!(with(1 << 60, |_| unreachable!("nobody has so much")), None::<()>);
        assert_eq!(with(100, |_| 7), Some(7));
    }
}
