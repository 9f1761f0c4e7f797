//! The interface of devices, independent of their kind.
use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::launch::{Arg, LaunchPlan};
use crate::pool::MemoryUsage;
use crate::properties::DeviceProperties;
use cube_artifact::Artifact;
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Initial bytes of a new buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Init {
    /// All zero.
    #[default]
    Zero,
    /// Undefined; the caller writes before it reads.
    Any,
}

/// A kernel that a device has loaded. It is cheap to clone, and the fast handle for repeated launches.
#[derive(Clone)]
pub struct Kernel {
    artifact: Arc<Artifact>,
    plan: Arc<LaunchPlan>,
    code: Arc<dyn Any + Send + Sync>,
}

impl Kernel {
    /// For devices: `code` is the device's own form of the code, returned by [`Kernel::code`]. The artifact has been
    /// checked.
    pub fn new(artifact: Arc<Artifact>, code: Arc<dyn Any + Send + Sync>) -> Self {
        let plan = Arc::new(LaunchPlan::new(&artifact));
        Kernel { artifact, plan, code }
    }

    /// The loaded artifact.
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// The expressions of the artifact, for [`crate::launch::bind_into`].
    pub fn plan(&self) -> &LaunchPlan {
        &self.plan
    }

    /// The device's own form of the code; `None` if another device loaded it.
    pub fn code<T: Any>(&self) -> Option<&T> {
        self.code.downcast_ref()
    }
}

/// Clock of a measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The host's clock, from the submission of the work to its completion.
    Host,
    /// Events of the device around the work.
    Device,
}

/// Memory and launches of one device.
///
/// All methods can be called from several threads at the same time. Writes, reads and launches take effect in the order
/// of one thread's calls.
pub trait Device: Send + Sync {
    /// Name of this device in messages.
    fn name(&self) -> &str;

    /// Limits and facts.
    fn properties(&self) -> &DeviceProperties;

    /// A new buffer of this many bytes.
    ///
    /// The memory comes from a pool of the device, and the last drop of the buffer returns it there. Neither waits for queued
    /// work, except under memory pressure.
    ///
    /// # Errors
    /// Out of memory: [`RuntimeError::memory`] has the used, free and reserved bytes.
    fn alloc(&self, bytes: u64, init: Init) -> Result<Buffer, RuntimeError>;

    /// Memory of the device's buffers and of its pool, in bytes.
    fn memory_usage(&self) -> MemoryUsage;

    /// Waits for queued work, and returns the pool's free memory to the driver or the system.
    fn memory_cleanup(&self);

    /// Copies `data` into the buffer from byte `offset` on.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer belongs to another device.
    fn write(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError>;

    /// Copies from byte `offset` of the buffer on, as many bytes as `out` has, after all launches that write there.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer belongs to another device.
    fn read(&self, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError>;

    /// Prepares a kernel for launches; a kernel that was loaded before is found by its content.
    ///
    /// # Errors
    /// The artifact is inconsistent, is for another device, or requires a feature that this device lacks.
    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError>;

    /// Runs a loaded kernel over `cube_count` cubes; if the count along one axis is 0, nothing runs.
    ///
    /// # Errors
    /// Errors of [`crate::launch::bind`]; a kernel or buffer of another device.
    fn launch_kernel(&self, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError>;

    /// [`Device::load`] and [`Device::launch_kernel`] in one.
    ///
    /// # Errors
    /// Those of both.
    fn launch(&self, artifact: &Artifact, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        self.launch_kernel(&self.load(artifact)?, args, cube_count)
    }

    /// The time of the launches and copies that `work` submits, and its clock. A device with event times overrides the method.
    ///
    /// # Errors
    /// Errors of `work`, and a failure of the submitted or of earlier work.
    fn measure(&self, work: &mut dyn FnMut() -> Result<(), RuntimeError>) -> Result<(Duration, Clock), RuntimeError> {
        self.sync()?;
        let start = Instant::now();
        work()?;
        self.sync()?;
        Ok((start.elapsed(), Clock::Host))
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// A failure of earlier work that nothing else has reported.
    fn sync(&self) -> Result<(), RuntimeError>;
}
