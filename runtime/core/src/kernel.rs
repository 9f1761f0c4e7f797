//! Loaded kernels.
use crate::launch::LaunchPlan;
use cube_artifact::{Artifact, ParamKind};
use std::any::Any;
use std::sync::Arc;

/// A kernel that a device has loaded. Cloning a kernel is cheap. A launch of a loaded kernel does not compile
/// or load anything.
#[derive(Clone)]
pub struct Kernel {
    artifact: Arc<Artifact>,
    plan: Arc<LaunchPlan>,
    code: Arc<dyn Any + Send + Sync>,
}

impl Kernel {
    /// Creates a kernel whose method [`Kernel::code`] returns `code`; devices call this function. The caller
    /// must have checked the artifact.
    pub fn new(artifact: Arc<Artifact>, code: Arc<dyn Any + Send + Sync>) -> Self {
        let plan = Arc::new(LaunchPlan::new(&artifact));
        Kernel { artifact, plan, code }
    }

    /// The loaded artifact.
    pub fn artifact(&self) -> &Artifact {
        &self.artifact
    }

    /// The parsed expressions of the artifact, for [`crate::launch::bind_into`].
    pub fn plan(&self) -> &LaunchPlan {
        &self.plan
    }

    /// For each buffer parameter, in order, returns whether the kernel writes the buffer.
    pub fn writes(&self) -> impl Iterator<Item = bool> + Clone {
        let kinds = self.artifact.params.iter().map(|param| &param.kind);
        kinds.filter_map(|kind| if let ParamKind::Buffer { access, .. } = kind { Some(access.writes()) } else { None })
    }

    /// Whether this value and `other` are the same loaded kernel.
    pub fn is(&self, other: &Kernel) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
    }

    /// The code in the device's own representation; `None` if another kind of device loaded the kernel.
    pub fn code<T: Any>(&self) -> Option<&T> {
        self.code.downcast_ref()
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({})", self.artifact.kernel)
    }
}
