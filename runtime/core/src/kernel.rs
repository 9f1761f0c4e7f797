//! Loaded kernels.
use crate::launch::LaunchPlan;
use cube_artifact::Artifact;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A kernel that a device has loaded. Cloning a kernel is cheap. A launch of a loaded kernel does not compile
/// or load anything.
#[derive(Clone)]
pub struct Kernel(Arc<Parts>);

/// The parts of a kernel. They have one reference count, because a queued launch clones its kernel. The fields that each launch reads
/// are in one cache line.
#[repr(C)]
struct Parts {
    /// The number of the kernel among all kernels of the process, above 0.
    id: u64,
    code: Arc<dyn Any + Send + Sync>,
    artifact: Arc<Artifact>,
    plan: LaunchPlan,
}

impl Kernel {
    /// Creates a kernel whose method [`Kernel::code`] returns `code`; devices call this function. The caller
    /// must have checked the artifact.
    pub fn new(artifact: Arc<Artifact>, code: Arc<dyn Any + Send + Sync>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let plan = LaunchPlan::new(&artifact).of_kernel(id);
        Kernel(Arc::new(Parts { id, artifact, plan, code }))
    }

    /// The loaded artifact.
    #[inline]
    pub fn artifact(&self) -> &Artifact {
        &self.0.artifact
    }

    /// The identity of the kernel, which no other kernel of the process has.
    #[inline]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// The parsed expressions of the artifact, for [`crate::launch::bind_into`].
    #[inline]
    pub fn plan(&self) -> &LaunchPlan {
        &self.0.plan
    }

    /// For each buffer parameter, in order, returns whether the kernel writes the buffer.
    #[inline]
    pub fn writes(&self) -> impl Iterator<Item = bool> + Clone {
        self.0.plan.writes.iter().copied()
    }

    /// Whether this value and `other` are the same loaded kernel.
    #[inline]
    pub fn is(&self, other: &Kernel) -> bool {
        Arc::ptr_eq(&self.0.code, &other.0.code)
    }

    /// The code in the device's own representation; `None` if another kind of device loaded the kernel.
    #[inline]
    pub fn code<T: Any>(&self) -> Option<&T> {
        self.0.code.downcast_ref()
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({})", self.0.artifact.kernel)
    }
}
