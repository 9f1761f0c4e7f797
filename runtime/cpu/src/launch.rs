//! One launch: locks the buffers and runs the cubes.
use crate::code::{Code, NotRun};
use crate::entry::LaunchBlock;
use crate::fault::Region;
use crate::limit::{self, TimeLimit};
use crate::memory::{Allocation, HostMemory, own};
use crate::workers::Workers;
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::launch::{BoundLaunch, LaunchArrays, bind_into, emptied};
use cube_runtime::{Arg, Buffer, DeviceProperties, ErrorKind, Kernel, RuntimeError};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock, RwLockReadGuard, RwLockWriteGuard};

/// Empty arrays that a thread keeps between its launches. A launch allocates only if they are too small.
#[derive(Default)]
struct Arrays {
    launch: LaunchArrays,
    allocations: Vec<&'static Allocation>,
    wanted: Vec<(&'static Allocation, bool)>,
    guards: Vec<Guard<'static>>,
    pointers: Vec<*mut c_void>,
}

// A launch inside a launch, for example by a function that receives printed lines, takes new arrays.
thread_local!(static ARRAYS: Cell<Option<Arrays>> = const { Cell::new(None) });

/// Threads, memory and settings of a device, for its launches.
pub(crate) struct Launcher {
    pub properties: DeviceProperties,
    pub workers: Workers,
    pub memory: Arc<HostMemory>,
    /// Whether buffers are between guard pages.
    pub guard: bool,
    /// Whether a fault of a kernel is an error of its launch.
    pub catch: bool,
    pub limit: Option<TimeLimit>,
}

impl Launcher {
    /// Runs a kernel; `prints` is the buffer of its prints.
    pub fn run(
        &self,
        kernel: &Kernel,
        code: &Code,
        args: &[Arg],
        cube_count: [u32; 3],
        prints: Option<&Buffer>,
    ) -> Result<(), RuntimeError> {
        let Arrays { launch, allocations, wanted, guards, mut pointers } = ARRAYS.take().unwrap_or_default();
        let artifact = kernel.artifact();
        let bound = bind_into(artifact, kernel.plan(), args, cube_count, &self.properties, launch)?.with_prints(prints);
        let mut allocations = emptied(allocations);
        for (buffer, _) in &bound.buffers {
            allocations.push(own(buffer)?);
        }
        if self.guard {
            let aligned = |(param, allocation): (&_, &&Allocation)| allocation.align_to(alignment(param));
            buffer_params(artifact).map(|(_, kind)| kind).zip(&allocations).try_for_each(aligned)?;
        }
        let mut wanted = emptied(wanted);
        let mut guards = emptied(guards);
        lock(&allocations, &bound, &mut wanted, &mut guards);
        pointers
            .extend(allocations.iter().zip(&bound.buffers).map(|(a, (b, _))| a.address(b.offset()).cast::<c_void>()));
        let result = run_locked(self, artifact, code, &bound, &pointers);
        guards.clear();
        pointers.clear();
        let (guards, wanted, allocations) = (emptied(guards), emptied(wanted), emptied(allocations));
        ARRAYS.set(Some(Arrays { launch: bound.into_arrays(), allocations, wanted, guards, pointers }));
        result
    }
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
    match &device.limit {
        None => run_block(device, code, bound, &block, &regions),
        Some(limit) => limit.watch(block, |block| run_block(device, code, bound, block, &regions)),
    }
}

fn run_block<'a>(
    device: &Launcher,
    code: &Code,
    bound: &BoundLaunch,
    block: &LaunchBlock,
    regions: &dyn Fn() -> Vec<Region<'a>>,
) -> Result<(), RuntimeError> {
    // SAFETY: `bind` has built the arrays from the artifact's own declaration, every buffer is alive and as long as its
    // length in `info` says, and the guards of `run` keep other users of the written buffers out until all cubes are done.
    let run = |first, last| unsafe { code.run(block, first, last, device.catch) };
    // The first failure; no more cubes begin after it.
    let failed = OnceLock::new();
    device.workers.run(bound.cubes, &code.cost, &|first, last| {
        if failed.get().is_some() || !limit::may_begin(block) {
            return;
        }
        let mut ran = run(first, last);
        if matches!(ran, Err(NotRun::Memory)) {
            // None of these cubes has begun. The pool can hold the memory that they lack.
            device.memory.cleanup();
            ran = run(first, last);
        }
        if let Err(why) = ran {
            let _ = failed.set(why);
        }
    })?;
    match failed.into_inner() {
        None => Ok(()),
        Some(NotRun::Memory) => Err(RuntimeError::device_limit(
            "the system gives no memory for what its units share and keep across barriers: free some buffers or set CUBE_CPU_THREADS to fewer",
        )),
        Some(NotRun::Fault(caught)) => Err(RuntimeError::new(ErrorKind::Fault, caught.message(&regions()))),
    }
}

/// Guaranteed alignment of a buffer's first address in bytes.
fn alignment(kind: &ParamKind) -> usize {
    let ParamKind::Buffer { elem, line, align, .. } = kind else { return 1 };
    (elem.size() * *line as usize).max(*align as usize)
}

/// Locks an allocation against other threads.
#[allow(dead_code)]
enum Guard<'a> {
    Shared(RwLockReadGuard<'a, ()>),
    Exclusive(RwLockWriteGuard<'a, ()>),
}

/// Locks each allocation once, always in the order of addresses, so that no two launches wait for each other.
fn lock<'a>(
    allocations: &[&'a Allocation],
    bound: &BoundLaunch<'_>,
    wanted: &mut Vec<(&'a Allocation, bool)>,
    guards: &mut Vec<Guard<'a>>,
) {
    wanted.extend(allocations.iter().copied().zip(bound.buffers.iter().map(|(_, writes)| *writes)));
    // Writers first among equals, because the first one stays. A stable sort of many elements allocates.
    wanted.sort_unstable_by_key(|(allocation, writes)| (std::ptr::from_ref(*allocation), !writes));
    wanted.dedup_by_key(|(allocation, _)| std::ptr::from_ref(*allocation));
    guards.extend(wanted.iter().map(|&(allocation, writes)| {
        if writes { Guard::Exclusive(allocation.exclude()) } else { Guard::Shared(allocation.share()) }
    }));
}
