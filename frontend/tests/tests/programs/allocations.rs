//! A launch of a cached kernel allocates nothing on the host, for any size of the data.
#![cfg(not(any(feature = "on-cuda", feature = "on-hip", feature = "on-wgpu")))]
#![allow(unsafe_code)]
use crate::common::{R, array, client, one};
use cubecl::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local!(static COUNT: Cell<u64> = const { Cell::new(0) });

// SAFETY: all calls go to the system's allocator; only a counter is added.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller's promise holds for the system's allocator.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    // SAFETY: the pointer comes from `alloc` above, and so from the system's allocator.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cube(launch)]
fn two_arrays(x: &Array<f32>, out: &mut Array<f32>, a: f32) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = a * x[ABSOLUTE_POS];
    }
}

#[test]
fn cached_launch_does_not_allocate() {
    let client = client();
    for n in [8usize, 1 << 16] {
        let (x, out) = (client.empty(n * 4), client.empty(n * 4));
        let launch = || {
            let (x, out) = (array::<f32>(&x, n), array::<f32>(&out, n));
            two_arrays::launch::<R>(&client, one(), CubeDim::new_1d(64), x, out, ScalarArg::new(2.0));
        };
        // The queue contains one launch at a time. A queue allocates memory only if its length exceeds its earlier maximum.
        let allocations = || {
            let before = COUNT.get();
            launch();
            let made = COUNT.get() - before;
            let _done = client.sync();
            made
        };
        // A short launch runs on the calling thread, and others run through the queue. Which launch is short depends on measured
        // times. The first launch of each kind allocates the arrays of this thread, so the test waits for ten launches without an
        // allocation.
        let ten = || (0..10).map(|_| allocations()).sum::<u64>();
        assert!((0..20).any(|_| ten() == 0), "each ten of 200 launches of {n} elements allocate");
    }
}
