//! Executes one launch: locks the buffers and runs the cubes.
use crate::code::{Code, LaunchFailure};
use crate::command::{Command, Used};
use crate::entry::LaunchBlock;
use crate::fault::Region;
use crate::limit::{self, Limit, TimeLimits};
use crate::memory::{Allocation, HostMemory, own, own_allocation};
use crate::queues::Execute;
use crate::workers::{SHORT_NS, Workers};
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::buffer::Storage;
use cube_runtime::launch::{BoundLaunch, Known, LaunchArrays, bind_into, emptied};
use cube_runtime::{Arg, Buffer, DeviceProperties, ErrorKind, Kernel, RuntimeError};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock, RwLockReadGuard, RwLockWriteGuard};

/// Empty arrays that a thread reuses for its next launches. A launch allocates memory only if the empty
/// arrays of its thread are too small.
#[derive(Default)]
struct Arrays {
    locks: Vec<(&'static Allocation, bool)>,
    guards: Vec<Guard<'static>>,
    pointers: Vec<*mut c_void>,
}

// A nested launch uses new arrays, for example a launch in the function that receives printed lines.
thread_local! {
    static BOUND: Cell<Option<LaunchArrays>> = const { Cell::new(None) };
    static ARRAYS: Cell<Option<Arrays>> = const { Cell::new(None) };
    static SCALARS: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// A buffer of a launch.
#[derive(Clone, Copy)]
struct Place<'a> {
    allocation: &'a Allocation,
    offset: u64,
    /// Size in bytes, for the message about a caught fault.
    size: u64,
    writes: bool,
}

impl<'a> Place<'a> {
    fn queued(used: &'a Used) -> Place<'a> {
        let (allocation, offset, writes) = (used.allocation(), used.offset(), used.writes());
        // The size is at most too large. A queued launch catches no fault, see `Launcher::blocks`.
        Place { allocation, offset, size: allocation.size() - offset, writes }
    }
}

/// The values of a launch: the info words and the slots of all scalars.
struct Values<'a> {
    info: &'a [u64],
    scalars: &'a [u64],
    cube_count: [u32; 3],
    cubes: u64,
}

/// A hash of the buffer lengths and scalars of a launch. A collision of two hashes can cost time, but never
/// changes a result.
#[derive(Clone, Copy)]
pub(crate) struct ArgumentsHash(u64);

impl ArgumentsHash {
    /// The hash of a launch with these scalars, which the derived scalars follow.
    #[inline]
    pub fn of(info: &[u64], scalars: impl Iterator<Item = u64>, derived: &[u64]) -> ArgumentsHash {
        let mut hash = 1;
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64).rotate_left(29);
        info.iter().for_each(|word| add(*word));
        scalars.for_each(&mut add);
        derived.iter().for_each(|word| add(*word));
        ArgumentsHash(hash)
    }
}

/// The threads, memory and settings that a device uses for its launches.
pub(crate) struct Launcher {
    pub properties: DeviceProperties,
    pub workers: Workers,
    pub memory: Arc<HostMemory>,
    /// Whether buffers are placed between guard pages.
    pub guard: bool,
    /// Whether a fault of a kernel becomes an error of its launch.
    pub catches_faults: bool,
    /// The time limit of every launch.
    pub limit: Option<Limit>,
    pub limits: TimeLimits,
}

impl Launcher {
    /// Whether a launch is complete when the call returns, so that the call can return the failure of its launch. The
    /// settings for debugging require complete launches.
    pub fn blocks(&self) -> bool {
        self.guard || self.catches_faults || self.time_limit().is_some()
    }

    fn time_limit(&self) -> Option<Limit> {
        limit::of_thread().or(self.limit)
    }

    /// Whether executing a launch is expected to be faster than queuing it.
    #[inline]
    pub fn is_short(&self, code: &Code, known: &Known<'_>, scalars: impl Iterator<Item = u64>) -> bool {
        let hash = ArgumentsHash::of(known.info, scalars, known.derived);
        code.cost.expected_ns(known.cubes, hash.0).is_some_and(|ns| ns <= SHORT_NS)
    }

    /// Checks a launch, and uses the arrays of this thread. `prints` is the buffer for printed lines.
    pub fn bind<'a>(
        &self,
        kernel: &Kernel,
        args: &'a [Arg],
        cube_count: [u32; 3],
        prints: Option<&'a Buffer>,
    ) -> Result<BoundLaunch<'a>, RuntimeError> {
        let arrays = BOUND.take().unwrap_or_default();
        let bound = bind_into(kernel.artifact(), kernel.plan(), args, cube_count, &self.properties, arrays)?;
        let bound = bound.with_prints(prints);
        bound.buffers.iter().try_for_each(|(buffer, _)| own_allocation(&self.memory, buffer).map(drop))?;
        Ok(bound)
    }

    /// Stores the arrays of a launch for the next launch of this thread.
    pub fn store_arrays(bound: BoundLaunch<'_>) {
        BOUND.set(Some(bound.into_arrays()));
    }

    /// Runs a launch that has passed the checks.
    pub fn run<'a>(
        &self,
        artifact: &Artifact,
        code: &Code,
        known: &Known<'_>,
        buffers: impl Iterator<Item = (&'a Buffer, bool)> + Clone,
        scalars: impl Iterator<Item = u64>,
    ) -> Result<(), RuntimeError> {
        let place = |(buffer, writes): (&'a Buffer, bool)| {
            Some(Place { allocation: own(buffer).ok()?, offset: buffer.offset(), size: buffer.size(), writes })
        };
        // A nested launch uses a new array.
        let mut slots = SCALARS.take();
        slots.extend(scalars);
        slots.extend_from_slice(known.derived);
        let Known { info, cube_count, cubes, .. } = *known;
        let values = Values { info, scalars: &slots, cube_count, cubes };
        let result = self.run_at(artifact, code, &values, buffers.filter_map(place));
        slots.clear();
        SCALARS.set(slots);
        result
    }

    /// Runs a launch that has passed the checks.
    pub fn run_bound(&self, artifact: &Artifact, code: &Code, bound: &BoundLaunch<'_>) -> Result<(), RuntimeError> {
        let (known, scalars) = bound.known(artifact);
        self.run(artifact, code, &known, bound.buffers.iter().copied(), scalars.iter().copied())
    }

    fn run_at<'a>(
        &self,
        artifact: &Artifact,
        code: &Code,
        values: &Values<'_>,
        places: impl Iterator<Item = Place<'a>> + Clone,
    ) -> Result<(), RuntimeError> {
        let Arrays { locks, guards, mut pointers } = ARRAYS.take().unwrap_or_default();
        if self.guard {
            let aligned = |((_, kind), place): ((_, &_), Place<'_>)| place.allocation.align_to(alignment(kind));
            buffer_params(artifact).zip(places.clone()).try_for_each(aligned)?;
        }
        let mut locks = emptied(locks);
        let mut guards = emptied(guards);
        lock(places.clone(), &mut locks, &mut guards);
        pointers.extend(places.clone().map(|place| place.allocation.address(place.offset).cast::<c_void>()));
        let regions = || {
            let named = buffer_params(artifact).zip(&pointers).zip(places.clone());
            named.map(|(((name, _), at), place)| (name, *at as usize, place.size)).collect()
        };
        let result = run_locked(self, code, values, &pointers, &regions);
        code.cost.measured(ArgumentsHash::of(values.info, values.scalars.iter().copied(), &[]).0);
        guards.clear();
        pointers.clear();
        let (guards, locks) = (emptied(guards), emptied(locks));
        ARRAYS.set(Some(Arrays { locks, guards, pointers }));
        result
    }
}

impl Execute for Launcher {
    fn launch(&self, kernel: &Kernel, command: &Command) -> Result<(), RuntimeError> {
        let Some(code) = kernel.code::<Code>() else { return Ok(()) };
        let (info, scalars) = command.words();
        let (cube_count, cubes) = command.cubes();
        let values = Values { info, scalars, cube_count, cubes };
        self.run_at(kernel.artifact(), code, &values, command.buffers().map(Place::queued))
    }
}

fn buffer_params(artifact: &Artifact) -> impl Iterator<Item = (&str, &ParamKind)> {
    let buffers = artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. }));
    buffers.map(|param| (param.name.as_str(), &param.kind))
}

fn run_locked<'a>(
    device: &Launcher,
    code: &Code,
    values: &Values<'_>,
    pointers: &[*mut c_void],
    regions: &dyn Fn() -> Vec<Region<'a>>,
) -> Result<(), RuntimeError> {
    let block = LaunchBlock {
        buffers: pointers.as_ptr(),
        info: values.info.as_ptr(),
        scalars: values.scalars.as_ptr(),
        cube_count: values.cube_count,
        stop: AtomicU32::new(0),
    };
    match device.time_limit() {
        None => run_block(device, code, values.cubes, &block, regions),
        Some(limit) => {
            let run = |block: &LaunchBlock| run_block(device, code, values.cubes, block, regions);
            device.limits.run_with_limit(limit, block, run)
        }
    }
}

fn run_block<'a>(
    device: &Launcher,
    code: &Code,
    cubes: u64,
    block: &LaunchBlock,
    regions: &dyn Fn() -> Vec<Region<'a>>,
) -> Result<(), RuntimeError> {
    // SAFETY: the checks of the launch have built the arrays from the artifact's declaration. Every buffer is alive and has the length in
    // `info`. The guards of `run` exclude other users of the written buffers until all cubes are completed.
    let run = |first, last| unsafe { code.run(block, first, last, device.catches_faults) };
    // The first failure of the launch. No cube begins after this failure.
    let failed = OnceLock::new();
    device.workers.run(cubes, &code.cost, &|first, last| {
        if failed.get().is_some() || !limit::can_start_cubes(block) {
            return;
        }
        let mut ran = run(first, last);
        if matches!(ran, Err(LaunchFailure::Memory)) {
            // None of these cubes has begun. The pool can hold the missing memory.
            device.memory.cleanup();
            ran = run(first, last);
        }
        if let Err(why) = ran {
            let _ = failed.set(why);
        }
    })?;
    match failed.into_inner() {
        None => Ok(()),
        Some(LaunchFailure::Memory) => Err(RuntimeError::device_limit(
            "out of memory for the kernel's scratch (shared memory and barrier spills); free some buffers, or set CUBE_CPU_THREADS to fewer",
        )),
        Some(LaunchFailure::Fault(caught)) => Err(RuntimeError::new(ErrorKind::Fault, caught.message(&regions()))),
    }
}

/// The alignment in bytes that the kernel requires of a buffer's first address.
fn alignment(kind: &ParamKind) -> usize {
    let ParamKind::Buffer { elem, line, align, .. } = kind else { return 1 };
    (elem.size() * *line as usize).max(*align as usize)
}

/// The lock of an allocation during a launch.
#[allow(dead_code)]
enum Guard<'a> {
    Shared(RwLockReadGuard<'a, ()>),
    Exclusive(RwLockWriteGuard<'a, ()>),
}

/// Locks each allocation once, in the order of their addresses, so that two launches cannot block each other.
fn lock<'a>(
    places: impl Iterator<Item = Place<'a>>,
    locks: &mut Vec<(&'a Allocation, bool)>,
    guards: &mut Vec<Guard<'a>>,
) {
    locks.extend(places.map(|place| (place.allocation, place.writes)));
    // Among the entries of one allocation, an entry that writes comes first, because only the first entry is kept. The
    // sort is unstable, because a stable sort of many elements allocates memory.
    locks.sort_unstable_by_key(|(allocation, writes)| (std::ptr::from_ref(*allocation), !writes));
    locks.dedup_by_key(|(allocation, _)| std::ptr::from_ref(*allocation));
    guards.extend(locks.iter().map(|&(allocation, writes)| {
        if writes { Guard::Exclusive(allocation.exclude()) } else { Guard::Shared(allocation.share()) }
    }));
}
