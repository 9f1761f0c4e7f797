//! Compares the pool with a simple model of a pool. The heap in these tests refuses reservations at random.
use super::*;
use std::collections::{HashMap, HashSet};

/// A heap without memory, whose segments are numbers.
struct FakeHeap {
    live: HashMap<u64, u64>,
    next: u64,
    completed: HashSet<u64>,
    all_complete: bool,
    refuse: bool,
    waits: u64,
    reservations: u64,
}

impl FakeHeap {
    fn new() -> Self {
        FakeHeap {
            live: HashMap::new(),
            next: 0,
            completed: HashSet::new(),
            all_complete: false,
            refuse: false,
            waits: 0,
            reservations: 0,
        }
    }
}

impl Heap for FakeHeap {
    type Segment = u64;
    type Error = &'static str;
    const ZEROED: bool = true;

    fn reserve(&mut self, bytes: u64) -> Result<u64, &'static str> {
        self.reservations += 1;
        if self.refuse {
            return Err("injected");
        }
        self.next += 1;
        self.live.insert(self.next, bytes);
        Ok(self.next)
    }

    fn release(&mut self, segment: u64) {
        assert!(self.live.remove(&segment).is_some(), "segment {segment} is released twice");
    }

    fn is_complete(&mut self, event: u64) -> bool {
        self.all_complete || self.completed.contains(&event)
    }

    fn wait(&mut self) -> bool {
        self.waits += 1;
        self.all_complete = true;
        true
    }
}

/// The random number generator SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

const LIMIT: u64 = 512 << 20;

fn policy() -> PoolPolicy {
    PoolPolicy { keep: 64 << 20, ..PoolPolicy::new(256, LIMIT) }
}

/// The model of the pool: every block that is used or pending, with the event of a pending block.
struct Model {
    live: Vec<(u64, Block, u64)>,
    pending: Vec<(u64, u64, u64, u64)>,
    touched: HashSet<(u64, u64)>,
}

impl Model {
    fn ranges(&self, pool: &Pool<u64>) -> Vec<(u64, u64, u64)> {
        let live = self.live.iter().map(|(_, b, _)| (*pool.segment(b), b.offset, b.offset + pool.size(b)));
        let mut all: Vec<_> = live.chain(self.pending.iter().map(|(_, s, from, to)| (*s, *from, *to))).collect();
        all.sort_unstable();
        all
    }

    /// Checks that all blocks are inside live segments and do not overlap, and that the usage report counts
    /// all blocks.
    fn check(&self, pool: &Pool<u64>, heap: &FakeHeap) {
        pool.blocks.check();
        let ranges = self.ranges(pool);
        for (segment, from, to) in &ranges {
            assert!(*to <= heap.live[segment] && from.is_multiple_of(256), "{segment} {from}..{to}");
        }
        for pair in ranges.windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?} overlap");
        }
        let usage = pool.usage();
        let used: u64 = self.live.iter().map(|(bytes, ..)| bytes).sum();
        let held: u64 = self.live.iter().map(|(_, b, _)| pool.size(b)).sum();
        let pending: u64 = self.pending.iter().map(|(_, _, from, to)| to - from).sum();
        let reserved: u64 = heap.live.values().sum();
        let allocations = self.live.len() as u64;
        let expected = MemoryUsage { allocations, used, padding: held - used, pending, reserved };
        assert_eq!(usage, expected);
        assert!(usage.reserved <= LIMIT, "{usage}");
    }
}

#[test]
fn random_operations_agree_with_a_model() {
    for seed in 0..8 {
        random_operations(seed, 10_000);
    }
}

fn random_operations(seed: u64, operations: u64) {
    let (mut random, mut heap, mut pool) = (Random(seed), FakeHeap::new(), Pool::new(policy()));
    let mut model = Model { live: Vec::new(), pending: Vec::new(), touched: HashSet::new() };
    let (mut event, mut refused) = (0, 0);
    for operation in 0..operations {
        heap.refuse = random.below(20) == 0;
        // Phases of growth and phases of release alternate, so that the test covers memory pressure and an empty pool.
        let grows = (operation / 500).is_multiple_of(2);
        match random.below(10) {
            choice if choice < if grows { 6 } else { 3 } => {
                let bits = random.below(26);
                let bytes = random.below(1 << bits);
                let before = pool.usage();
                match pool.alloc(bytes, &mut heap) {
                    Ok(block) => {
                        assert!(pool.size(&block) >= bytes);
                        let place = (*pool.segment(&block), block.offset);
                        let fresh = model.touched.insert(place);
                        assert!(fresh || !block.zeroed, "seed {seed}: a used block is reported as zero");
                        model.live.push((bytes, block, event));
                    }
                    Err(error) => {
                        refused += 1;
                        assert_eq!(error.requested, bytes);
                        assert!(error.usage.used == before.used && error.usage.reserved <= before.reserved);
                        assert!(heap.refuse || error.refusal.is_none(), "seed {seed}: {error:?}");
                    }
                }
                // The pool waited for the device under memory pressure, so all events are complete.
                if heap.all_complete {
                    let pending = std::mem::take(&mut model.pending);
                    assert!(pending.iter().all(|(e, ..)| *e <= event));
                    pool.collect(&mut heap);
                    heap.all_complete = false;
                }
                model.pending.retain(|(event, ..)| !heap.completed.contains(event));
            }
            6 | 7 if !model.live.is_empty() => {
                let (_, block, _) = model.live.swap_remove(random.below(model.live.len() as u64) as usize);
                pool.release(block, &mut heap);
            }
            8 if !model.live.is_empty() => {
                let (_, block, _) = model.live.swap_remove(random.below(model.live.len() as u64) as usize);
                event += 1;
                let (from, to) = (block.offset, block.offset + pool.size(&block));
                model.pending.push((event, *pool.segment(&block), from, to));
                pool.release_after(block, event);
            }
            9 if random.below(50) == 0 => pool.trim(&mut heap),
            _ => {
                // Events complete out of order.
                if event > 0 {
                    heap.completed.insert(1 + random.below(event));
                }
                pool.collect(&mut heap);
                model.pending.retain(|(event, ..)| !heap.completed.contains(event));
            }
        }
        if heap.all_complete {
            pool.collect(&mut heap);
            model.pending.clear();
            heap.all_complete = false;
        }
        if operation % 16 == 0 {
            model.check(&pool, &heap);
        }
    }
    assert!(refused > 0, "seed {seed}: no refusal was injected");
    for (_, block, _) in std::mem::take(&mut model.live) {
        pool.release(block, &mut heap);
    }
    heap.all_complete = true;
    pool.collect(&mut heap);
    pool.trim(&mut heap);
    assert_eq!((pool.usage(), heap.live.len()), (MemoryUsage::default(), 0), "seed {seed}");
}

#[test]
fn a_released_block_is_reused_without_the_driver() {
    let (mut heap, mut pool) = (FakeHeap::new(), Pool::new(policy()));
    let first = pool.alloc(1000, &mut heap).unwrap();
    assert!(first.zeroed);
    let place = (*pool.segment(&first), first.offset);
    pool.release(first, &mut heap);
    for _ in 0..1000 {
        let block = pool.alloc(1000, &mut heap).unwrap();
        assert_eq!((place, block.zeroed), ((*pool.segment(&block), block.offset), false));
        pool.release(block, &mut heap);
    }
    assert_eq!((heap.reservations, heap.waits), (1, 0));
}

#[test]
fn a_pending_block_is_reused_only_after_its_event() {
    let (mut heap, mut pool) = (FakeHeap::new(), Pool::new(policy()));
    let block = pool.alloc(20 << 20, &mut heap).unwrap();
    let segment = *pool.segment(&block);
    pool.release_after(block, 7);
    assert_eq!((pool.usage().pending, pool.usage().used), (20 << 20, 0));
    let other = pool.alloc(20 << 20, &mut heap).unwrap();
    assert_ne!(*pool.segment(&other), segment);
    heap.completed.insert(7);
    let again = pool.alloc(20 << 20, &mut heap).unwrap();
    assert_eq!(*pool.segment(&again), segment);
    pool.release(again, &mut heap);
    pool.release(other, &mut heap);
}

#[test]
fn pressure_waits_trims_and_retries_once() {
    let (mut heap, mut pool) = (FakeHeap::new(), Pool::new(PoolPolicy::new(256, 100 << 20)));
    let large = pool.alloc(60 << 20, &mut heap).unwrap();
    pool.release_after(large, 1);
    // Event 1 is not complete, and the two blocks do not fit together. The pool waits and returns the first segment.
    let other = pool.alloc(90 << 20, &mut heap).unwrap();
    assert_eq!((heap.live.len(), pool.usage().reserved), (1, 90 << 20));
    let error = pool.alloc(20 << 20, &mut heap).unwrap_err();
    let typed = error.error("the system", "");
    assert_eq!(typed.memory.as_deref(), Some(&pool.usage()));
    assert_eq!(
        typed.message,
        "20971520 bytes of memory exceed the limit of 104857600 bytes (94371840 bytes used, 0 free, 94371840 reserved); \
         free some buffers or use smaller ones"
    );
    // A shared segment of 32 MiB would exceed the limit, but a segment for only this block does not.
    let small = pool.alloc(1 << 20, &mut heap).unwrap();
    assert_eq!(pool.usage().reserved, 91 << 20);
    heap.refuse = true;
    let before = heap.reservations;
    let error = pool.alloc(8 << 20, &mut heap).unwrap_err();
    assert_eq!((error.refusal, heap.reservations - before), (Some("injected"), 1));
    pool.release(small, &mut heap);
    pool.release(other, &mut heap);
}

#[test]
fn sizes_beyond_the_address_space_are_refused() {
    let (mut heap, mut pool) = (FakeHeap::new(), Pool::new(PoolPolicy::new(256, u64::MAX)));
    let error = pool.alloc(u64::MAX, &mut heap).unwrap_err();
    assert_eq!((error.requested, error.refusal, heap.reservations), (u64::MAX, None, 0));
    let block = pool.alloc(0, &mut heap).unwrap();
    assert_eq!(pool.size(&block), 256);
    pool.release(block, &mut heap);
}

#[test]
fn persistent_blocks_have_separate_segments() {
    let (mut pool, mut heap) = (Pool::new(PoolPolicy::new(256, 1 << 30)), FakeHeap::new());
    for size in [4096, 1 << 20] {
        let mut alloc = |lasts: bool| {
            let mut request = || pool.alloc(size, &mut heap).unwrap();
            if lasts { persistent(request) } else { request() }
        };
        let blocks: Vec<Block> = (0..8).map(|n| alloc(n % 2 == 1)).collect();
        let segments: Vec<u64> = blocks.iter().map(|block| *pool.segment(block)).collect();
        assert!(segments.iter().all(|segment| *segment == segments[0] || *segment == segments[1]), "{segments:?}");
        assert!(segments[0] != segments[1] && (0..8).all(|n| segments[n] == segments[n % 2]), "{segments:?}");
        let (temporary, lasting): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|b| *pool.segment(b) == segments[0]);
        temporary.into_iter().for_each(|block| pool.release(block, &mut heap));
        pool.trim(&mut heap);
        assert_eq!(heap.live.keys().copied().collect::<Vec<_>>(), [segments[1]]);
        // A released persistent block is reused by persistent requests only.
        lasting.into_iter().for_each(|block| pool.release(block, &mut heap));
        let (other, same) = (pool.alloc(size, &mut heap).unwrap(), persistent(|| pool.alloc(size, &mut heap)).unwrap());
        assert_eq!((*pool.segment(&other) == segments[1], *pool.segment(&same)), (false, segments[1]));
        pool.blocks.check();
        [other, same].into_iter().for_each(|block| pool.release(block, &mut heap));
        pool.trim(&mut heap);
        assert_eq!((heap.live.len(), pool.usage()), (0, MemoryUsage::default()));
    }
    let panics = std::panic::catch_unwind(|| persistent(|| panic!("in the work")));
    assert!(panics.is_err() && !PERSISTENT.get());
}
