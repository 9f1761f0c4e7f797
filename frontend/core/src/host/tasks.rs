//! Kernels that a program provides as text of the `cube` dialect, and access to the device's representation of a
//! buffer.
use super::arguments::{LaunchError, LaunchKey, SharedValue, Writes, Written, report};
use super::core::{KernelRequest, KernelSource, LoadedKernel};
use super::recording;
use super::{ComputeClient, ComputeServer, CubeCount, Handle};
use crate::CubeElement;
use cube_artifact::{Artifact, ParamKind};
use cube_runtime::{Arg, Buffer, RuntimeError, Scalar};
use std::any::TypeId;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The identity of a kernel. Kernels with equal identities are compiled once.
#[derive(Clone, Debug)]
pub struct KernelId {
    type_id: TypeId,
    type_name: &'static str,
    info: Option<SharedValue>,
}

impl KernelId {
    /// The identity of the kernels of the type `T`.
    pub fn new<T: 'static>() -> Self {
        KernelId { type_id: TypeId::of::<T>(), type_name: std::any::type_name::<T>(), info: None }
    }

    /// Distinguishes kernels of one type by a value.
    pub fn info<I: Clone + Eq + Hash + Debug + Send + Sync + 'static>(mut self, info: I) -> Self {
        self.info = Some(Arc::new(info));
        self
    }

    fn key(&self) -> LaunchKey {
        let mut key = LaunchKey::default();
        key.update(b"task").update(self.type_name.as_bytes());
        if let Some(info) = &self.info {
            info.hash_into(&mut key);
        }
        key
    }
}

impl PartialEq for KernelId {
    fn eq(&self, other: &Self) -> bool {
        let infos = match (&self.info, &other.info) {
            (Some(a), Some(b)) => a.equals(&*b.keep()),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.type_id == other.type_id && infos
    }
}

impl Eq for KernelId {}

impl Hash for KernelId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.type_id.hash(state);
        self.key().words().hash(state);
    }
}

/// Name and identity of a kernel.
pub trait KernelMetadata: Send + Sync + 'static {
    /// The name in messages.
    fn name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }
    /// The identity, by which the device finds the compiled kernel.
    fn id(&self) -> KernelId;
}

/// A kernel as text.
pub trait CubeTask: KernelMetadata {
    /// The text of a module with one kernel in the `cube` dialect. The text states the units of a cube, and whether
    /// accesses are checked. The client asks for the text once for each [`KernelId`].
    fn source(&self) -> String;
}

/// The arguments of a [`CubeTask`], in the order of the kernel's parameters.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    buffers: Vec<Handle>,
    scalars: Vec<Vec<u8>>,
}

impl Bindings {
    /// No arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the memory of a handle.
    pub fn with_buffer(mut self, buffer: Handle) -> Self {
        self.buffers.push(buffer);
        self
    }

    /// Adds the memory of several handles.
    pub fn with_buffers(mut self, buffers: Vec<Handle>) -> Self {
        self.buffers.extend(buffers);
        self
    }

    /// Adds a number.
    pub fn with_scalar<E: CubeElement>(mut self, value: E) -> Self {
        self.scalars.push(E::as_bytes(&[value]).to_vec());
        self
    }

    /// The arguments for the parameters of a kernel.
    fn args(&self, kernel: &Artifact) -> Result<Vec<Arg>, LaunchError> {
        let params = &kernel.params;
        let (mut buffers, mut scalars) = (self.buffers.iter(), self.scalars.iter());
        let of_user = |message: String| LaunchError::from(RuntimeError::user(message).in_kernel(&kernel.kernel));
        let missing =
            |what: &str, name: &str| of_user(format!("the parameter `{name}` has no {what}; add one to the bindings"));
        let args = params.iter().map(|param| match &param.kind {
            ParamKind::Buffer { elem, .. } => {
                let handle = buffers.next().ok_or_else(|| missing("buffer", &param.name))?;
                handle.failure().map_or(Ok(()), Err)?;
                Ok(Arg::buffer(&handle.buffer()?, *elem))
            }
            ParamKind::Scalar { elem } => {
                let bytes = scalars.next().ok_or_else(|| missing("number", &param.name))?;
                let wrong = |reason| of_user(format!("the argument `{}`: {reason}", param.name));
                Ok(Arg::Scalar(Scalar::from_bytes(*elem, bytes).map_err(wrong)?))
            }
        });
        let args = args.collect::<Result<Vec<_>, LaunchError>>()?;
        match (buffers.len(), scalars.len()) {
            (0, 0) => Ok(args),
            (buffers, scalars) => Err(of_user(format!(
                "the kernel has no parameters for {buffers} buffers and {scalars} numbers of the bindings; remove them"
            ))),
        }
    }
}

/// The memory of a handle in the form of the device's runtime.
#[derive(Clone, Debug)]
pub struct BindingResource {
    buffer: Buffer,
}

impl BindingResource {
    /// The buffer. `Buffer::storage` returns the device's representation of the memory. `Buffer::offset` returns the
    /// start of the handle's bytes in this memory.
    pub fn resource(&self) -> &Buffer {
        &self.buffer
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Runs a kernel that the program provides as text. A notice reports a failure. A read of one of the buffers then
    /// returns the failure again.
    pub fn execute(&self, kernel: Box<dyn CubeTask>, count: CubeCount, bindings: Bindings) {
        report(self.try_execute(kernel, count, bindings));
    }

    /// As [`ComputeClient::execute`].
    ///
    /// # Errors
    /// The text is not a valid kernel, or the bindings do not match the kernel's parameters.
    pub fn try_execute(
        &self,
        kernel: Box<dyn CubeTask>,
        count: CubeCount,
        bindings: Bindings,
    ) -> Result<(), LaunchError> {
        self.run_task(&*kernel, &count, &bindings).inspect_err(|error| self.task_failed(error, &bindings))
    }

    /// Marks the buffers of a failed launch, or the recording that contains the launch.
    pub(super) fn task_failed(&self, error: &LaunchError, bindings: &Bindings) {
        match &self.server().recorder {
            Some(recorder) => recorder.fail(error),
            None => bindings.buffers.iter().for_each(|handle| handle.mark_failed(error)),
        }
    }

    /// Launches a loaded kernel with bindings.
    pub(super) fn launch_with(
        &self,
        loaded: &LoadedKernel,
        count: &CubeCount,
        bindings: &Bindings,
    ) -> Result<(), LaunchError> {
        let params = &loaded.kernel.artifact().params;
        let args = bindings.args(loaded.kernel.artifact())?;
        let buffers = params.iter().zip(&loaded.writes).filter(|(p, _)| matches!(p.kind, ParamKind::Buffer { .. }));
        let written =
            buffers.zip(&bindings.buffers).filter(|((_, writes), _)| **writes).map(|(_, handle)| handle.validity());
        self.server().launch(loaded, &args, count, written)
    }

    /// Runs a task.
    fn run_task(&self, task: &dyn CubeTask, count: &CubeCount, bindings: &Bindings) -> Result<(), LaunchError> {
        let (core, name, id) = (self.server(), task.name(), task.id());
        let key = id.key();
        let request = KernelRequest {
            key: key.words(),
            source: KernelSource { name, file: "", line: 0 },
            values: &[("id", &id)],
            debug: false,
            instance: &|| name.to_string(),
        };
        if recording::is_active() {
            let written = || Ok((Written { text: task.source(), notes: Vec::new() }, Writes::Any));
            recording::add(core, &request, None, written);
            bindings.buffers.iter().for_each(|handle| recording::invalidate(handle.validity()));
            return Ok(());
        }
        let loaded = core.kernel(&request, || Ok(Written { text: task.source(), notes: Vec::new() }))?;
        self.launch_with(&loaded, count, bindings)
    }

    /// The memory of a handle in the form of the device's runtime, for code that calls the device directly. The call
    /// submits all earlier launches.
    ///
    /// # Panics
    /// The handle's offsets exceed its memory, or the device is lost.
    pub fn get_resource(&self, binding: Handle) -> BindingResource {
        self.try_get_resource(binding).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`ComputeClient::get_resource`].
    ///
    /// # Errors
    /// The handle's offsets exceed its memory, or the device is lost.
    pub fn try_get_resource(&self, binding: Handle) -> Result<BindingResource, LaunchError> {
        self.try_flush()?;
        Ok(BindingResource { buffer: binding.buffer()? })
    }
}
