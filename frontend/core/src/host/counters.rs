//! Counters of the commands and the compiled kernels of a device.
//!
//! Each thread adds to one of several groups of numbers, so that threads do not wait for each other's cache lines.
use super::precompile::KernelOrigin;
use super::{ComputeClient, ComputeServer};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Number of groups. Threads beyond this number share groups.
const GROUPS: usize = 16;

/// Numbers of successful commands and of loaded kernels since the first client of the device. A graph counts as one command,
/// independently of its launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Submitted launches.
    pub launches: u64,
    /// Submitted graphs.
    pub graphs: u64,
    /// Copies between host and device, on the device, and between devices.
    pub copies: u64,
    /// Bytes of these copies.
    pub copied_bytes: u64,
    /// Kernels that the compiler compiled.
    pub compiled: u64,
    /// Kernels from the disk cache.
    pub from_disk: u64,
    /// Kernels from bundles.
    pub from_bundles: u64,
}

/// Number of fields of [`Counters`].
const FIELDS: usize = 7;

#[derive(Default)]
#[repr(align(128))]
struct Group([AtomicU64; FIELDS]);

/// The counters of a device.
#[derive(Default)]
pub(super) struct DeviceCounters([Group; GROUPS]);

thread_local!(static GROUP: Cell<usize> = const { Cell::new(usize::MAX) });

impl DeviceCounters {
    fn add(&self, field: usize, number: u64) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let group = GROUP.try_with(|group| {
            if group.get() == usize::MAX {
                group.set(NEXT.fetch_add(1, Ordering::Relaxed) % GROUPS);
            }
            group.get()
        });
        // A destructor of another thread-local value can submit a command after the end of `GROUP`.
        self.0[group.unwrap_or(0)].0[field].fetch_add(number, Ordering::Relaxed);
    }

    /// Counts a launch.
    #[inline]
    pub fn launch(&self) {
        self.add(0, 1);
    }

    /// Counts a command of a kind of the timeline.
    pub fn command(&self, kind: &str, bytes: Option<u64>) {
        match kind {
            "launch" => self.launch(),
            "graph" => self.add(1, 1),
            _ => self.add(2, 1),
        }
        if let Some(bytes) = bytes {
            self.add(3, bytes);
        }
    }

    /// Counts a loaded kernel.
    pub fn kernel(&self, origin: KernelOrigin) {
        match origin {
            KernelOrigin::Memory => {}
            KernelOrigin::Compiled => self.add(4, 1),
            KernelOrigin::Disk => self.add(5, 1),
            KernelOrigin::Bundle => self.add(6, 1),
        }
    }

    fn sum(&self) -> Counters {
        let field = |field: usize| self.0.iter().map(|group| group.0[field].load(Ordering::Relaxed)).sum();
        let [launches, graphs, copies, copied_bytes, compiled, from_disk, from_bundles] =
            std::array::from_fn::<u64, FIELDS, _>(field);
        Counters { launches, graphs, copies, copied_bytes, compiled, from_disk, from_bundles }
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// The counters of the device. All clients of the device share them.
    pub fn counters(&self) -> Counters {
        self.server().counters.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_all_threads_are_added() {
        let counters = DeviceCounters::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * GROUPS {
                scope.spawn(|| (0..100).for_each(|_| counters.command("launch", None)));
            }
        });
        counters.command("copy", Some(12));
        counters.command("graph", None);
        counters.kernel(KernelOrigin::Disk);
        counters.kernel(KernelOrigin::Memory);
        let expected =
            Counters { launches: 3200, graphs: 1, copies: 1, copied_bytes: 12, from_disk: 1, ..Counters::default() };
        assert_eq!(counters.sum(), expected);
    }
}
