//! Executes one launch: locks the buffers and runs the cubes.
use crate::code::{Code, LaunchFailure};
use crate::command::Command;
use crate::entry::LaunchBlock;
use crate::fault::Region;
use crate::limit::{self, Limit, TimeLimits};
use crate::memory::{Allocation, HostMemory, own, own_allocation};
use crate::queues::Execute;
use crate::workers::{SHORT_NS, Workers};
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::launch::{BoundLaunch, LaunchArrays, Repeat, bind_into, emptied};
use cube_runtime::{Arg, Buffer, DeviceProperties, ErrorKind, Kernel, RuntimeError};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock, RwLockReadGuard, RwLockWriteGuard};

/// Empty arrays that a thread reuses for its next launches. A launch allocates memory only if the empty
/// arrays of its thread are too small.
#[derive(Default)]
struct Arrays {
    allocations: Vec<&'static Allocation>,
    locks: Vec<(&'static Allocation, bool)>,
    guards: Vec<Guard<'static>>,
    pointers: Vec<*mut c_void>,
}

// A nested launch uses new arrays, for example a launch in the function that receives printed lines.
thread_local! {
    static REFERENCES: Cell<Vec<(&'static Buffer, bool)>> = const { Cell::new(Vec::new()) };
    static BOUND: Cell<Option<LaunchArrays>> = const { Cell::new(None) };
    static ARRAYS: Cell<Option<Arrays>> = const { Cell::new(None) };
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
    pub fn is_short(&self, code: &Code, bound: &BoundLaunch<'_>) -> bool {
        code.cost.expected_ns(bound.cubes, arguments(bound)).is_some_and(|ns| ns <= SHORT_NS)
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

    /// The launch that repeats an earlier one with these buffers and scalars. `None` if the launch is a case for [`Launcher::bind`].
    pub fn bind_again<'a>(
        &self,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&'a Buffer],
        scalars: &[u64],
    ) -> Option<BoundLaunch<'a>> {
        if !buffers.iter().all(|buffer| own_allocation(&self.memory, buffer).is_ok()) {
            return None;
        }
        let bound = repeat.bind(kernel, buffers, scalars, BOUND.take().unwrap_or_default());
        bound.map_err(|arrays| BOUND.set(Some(arrays))).ok()
    }

    /// Stores the arrays of a launch for the next launch of this thread.
    pub fn store_arrays(bound: BoundLaunch<'_>) {
        BOUND.set(Some(bound.into_arrays()));
    }

    /// Runs a launch that has passed the checks.
    pub fn run(&self, artifact: &Artifact, code: &Code, bound: &BoundLaunch<'_>) -> Result<(), RuntimeError> {
        let Arrays { allocations, locks, guards, mut pointers } = ARRAYS.take().unwrap_or_default();
        let mut allocations = emptied(allocations);
        for (buffer, _) in &bound.buffers {
            allocations.push(own(buffer)?);
        }
        if self.guard {
            let aligned = |(param, allocation): (&_, &&Allocation)| allocation.align_to(alignment(param));
            buffer_params(artifact).map(|(_, kind)| kind).zip(&allocations).try_for_each(aligned)?;
        }
        let mut locks = emptied(locks);
        let mut guards = emptied(guards);
        lock(&allocations, bound, &mut locks, &mut guards);
        pointers
            .extend(allocations.iter().zip(&bound.buffers).map(|(a, (b, _))| a.address(b.offset()).cast::<c_void>()));
        let result = run_locked(self, artifact, code, bound, &pointers);
        code.cost.measured(arguments(bound));
        guards.clear();
        pointers.clear();
        let (guards, locks, allocations) = (emptied(guards), emptied(locks), emptied(allocations));
        ARRAYS.set(Some(Arrays { allocations, locks, guards, pointers }));
        result
    }
}

impl Execute for Launcher {
    fn launch(&self, kernel: &Kernel, command: &mut Command) -> Result<(), RuntimeError> {
        let Some(code) = kernel.code::<Code>() else { return Ok(()) };
        let mut buffers = emptied(REFERENCES.take());
        buffers.extend(command.buffers.iter().map(|(buffer, writes)| (buffer, *writes)));
        let (info, scalars) = (std::mem::take(&mut command.info), std::mem::take(&mut command.scalars));
        let Command { cube_count, cubes, .. } = *command;
        let bound = BoundLaunch { buffers, info, scalars, values: Vec::new(), cube_count, cubes };
        let result = self.run(kernel.artifact(), code, &bound);
        let BoundLaunch { buffers, info, scalars, .. } = bound;
        REFERENCES.set(emptied(buffers));
        (command.info, command.scalars) = (info, scalars);
        result
    }
}

/// A hash of the buffer lengths and scalars of a launch. A collision of two hashes can cost time, but never
/// changes a result.
fn arguments(bound: &BoundLaunch<'_>) -> u64 {
    let words = bound.info.iter().chain(&bound.scalars);
    words.fold(1, |hash: u64, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

fn buffer_params(artifact: &Artifact) -> impl Iterator<Item = (&str, &ParamKind)> {
    let buffers = artifact.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. }));
    buffers.map(|param| (param.name.as_str(), &param.kind))
}

fn run_locked(
    device: &Launcher,
    artifact: &Artifact,
    code: &Code,
    bound: &BoundLaunch<'_>,
    pointers: &[*mut c_void],
) -> Result<(), RuntimeError> {
    let regions = || {
        let named = buffer_params(artifact).zip(pointers).zip(&bound.buffers);
        named.map(|(((name, _), at), (buffer, _))| (name, *at as usize, buffer.size())).collect()
    };
    let block = LaunchBlock {
        buffers: pointers.as_ptr(),
        info: bound.info.as_ptr(),
        scalars: bound.scalars.as_ptr(),
        cube_count: bound.cube_count,
        stop: AtomicU32::new(0),
    };
    match device.time_limit() {
        None => run_block(device, code, bound, &block, &regions),
        Some(limit) => {
            let run = |block: &LaunchBlock| run_block(device, code, bound, block, &regions);
            device.limits.run_with_limit(limit, block, run)
        }
    }
}

fn run_block<'a>(
    device: &Launcher,
    code: &Code,
    bound: &BoundLaunch,
    block: &LaunchBlock,
    regions: &dyn Fn() -> Vec<Region<'a>>,
) -> Result<(), RuntimeError> {
    // SAFETY: `bind` has built the arrays from the artifact's declaration. Every buffer is alive and has the length in
    // `info`. The guards of `run` exclude other users of the written buffers until all cubes are completed.
    let run = |first, last| unsafe { code.run(block, first, last, device.catches_faults) };
    // The first failure of the launch. No cube begins after this failure.
    let failed = OnceLock::new();
    device.workers.run(bound.cubes, &code.cost, &|first, last| {
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
    allocations: &[&'a Allocation],
    bound: &BoundLaunch<'_>,
    locks: &mut Vec<(&'a Allocation, bool)>,
    guards: &mut Vec<Guard<'a>>,
) {
    locks.extend(allocations.iter().copied().zip(bound.buffers.iter().map(|(_, writes)| *writes)));
    // Among the entries of one allocation, an entry that writes comes first, because only the first entry is kept. The
    // sort is unstable, because a stable sort of many elements allocates memory.
    locks.sort_unstable_by_key(|(allocation, writes)| (std::ptr::from_ref(*allocation), !writes));
    locks.dedup_by_key(|(allocation, _)| std::ptr::from_ref(*allocation));
    guards.extend(locks.iter().map(|&(allocation, writes)| {
        if writes { Guard::Exclusive(allocation.exclude()) } else { Guard::Shared(allocation.share()) }
    }));
}
