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

/// A kernel of 20 arguments.
#[cube(launch)]
fn many_arguments(
    x0: &Array<f32>,
    x1: &Array<f32>,
    x2: &Array<f32>,
    x3: &Array<f32>,
    x4: &Array<f32>,
    x5: &Array<f32>,
    x6: &Array<f32>,
    x7: &Array<f32>,
    x8: &Array<f32>,
    x9: &Array<f32>,
    x10: &Array<f32>,
    x11: &Array<f32>,
    x12: &Array<f32>,
    x13: &Array<f32>,
    x14: &Array<f32>,
    x15: &Array<f32>,
    x16: &Array<f32>,
    out: &mut Array<f32>,
    a: f32,
    b: f32,
) {
    if ABSOLUTE_POS < out.len() {
        let i = ABSOLUTE_POS;
        let first = x0[i] + x1[i] + x2[i] + x3[i] + x4[i] + x5[i] + x6[i] + x7[i];
        let last = x8[i] + x9[i] + x10[i] + x11[i] + x12[i] + x13[i] + x14[i] + x15[i] + x16[i];
        out[i] = a * first + b * last;
    }
}

/// Checks that launches allocate nothing on the host.
fn check(launch: &dyn Fn(), sync: &dyn Fn()) {
    // The queue contains one launch at a time. A queue allocates memory only if its length exceeds its earlier maximum.
    let allocations = || {
        let before = COUNT.get();
        launch();
        let made = COUNT.get() - before;
        sync();
        made
    };
    // A short launch runs on the calling thread, and others run through the queue. Which launch is short depends on measured
    // times. The first launch of each kind allocates the arrays of this thread, so the test waits for ten launches without an
    // allocation.
    let ten = || (0..10).map(|_| allocations()).sum::<u64>();
    assert!((0..20).any(|_| ten() == 0), "each ten of 200 launches allocate");
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
        check(&launch, &|| drop(client.sync()));
    }
}

/// The lists of a launch of more than 16 arguments are memory that the thread reuses.
#[test]
fn cached_launch_of_20_arguments_does_not_allocate() {
    let (client, n) = (client(), 8);
    let values = |number: usize| (0..n).map(|i| (number * 10 + i) as f32).collect::<Vec<_>>();
    let x: Vec<_> = (0..17).map(|number| client.create(f32::as_bytes(&values(number)))).collect();
    let out = client.empty(n * 4);
    let launch = || {
        let of = |number: usize| array::<f32>(&x[number], n);
        many_arguments::launch::<R>(
            &client,
            one(),
            CubeDim::new_1d(8),
            of(0),
            of(1),
            of(2),
            of(3),
            of(4),
            of(5),
            of(6),
            of(7),
            of(8),
            of(9),
            of(10),
            of(11),
            of(12),
            of(13),
            of(14),
            of(15),
            of(16),
            array::<f32>(&out, n),
            ScalarArg::new(2.0),
            ScalarArg::new(3.0),
        );
    };
    check(&launch, &|| drop(client.sync()));
    let sum = |i: usize, numbers: std::ops::Range<usize>| numbers.map(|number| (number * 10 + i) as f32).sum::<f32>();
    let expected: Vec<_> = (0..n).map(|i| 2.0 * sum(i, 0..8) + 3.0 * sum(i, 8..17)).collect();
    assert_eq!(f32::from_bytes(&client.read_one(out.clone())), expected);
}
