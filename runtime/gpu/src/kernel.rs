//! Kernel code on the device, and the conversion of launch arguments to the parameters of the code.
use crate::context::{ContextGuard, Contexts};
use crate::driver::{Class, Driver, DriverError, DriverResult, Function, Grid, Stream};
use crate::engine::Engine;
use cube_artifact::{Artifact, InfoWord, ParamKind};
use cube_runtime::RuntimeError;
use cube_runtime::launch::{BoundLaunch, Repeat};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One parameter of the code, identified by its index in a bound launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// The address of buffer `n`.
    Buffer(usize),
    /// Info word n.
    Info(usize),
    /// Scalar n.
    Scalar(usize),
}

/// A kernel that can run in any context of the device.
pub(crate) struct Loaded<D: Driver> {
    contexts: Arc<Contexts<D>>,
    name: Arc<str>,
    slots: Vec<Slot>,
    dim: [u32; 3],
    /// Bytes of dynamic shared memory.
    shared: u32,
    function: ContextFunction,
}

/// The handles of a kernel in the newest context that has loaded it, with the generation number of this context, which
/// starts at 1. A launch reads the handles without a lock.
#[derive(Default)]
struct ContextFunction {
    /// The generation of the context, which is written after the handles. If a thread has entered a context and reads
    /// the generation of this context, the handles also belong to this context. The reason is that the next context
    /// begins only when no thread is in the current context.
    generation: AtomicU64,
    function: AtomicU64,
    module: AtomicU64,
    waits: AtomicBool,
    /// Held during a load.
    loading: Mutex<()>,
}

impl ContextFunction {
    #[inline]
    fn get(&self, generation: u64) -> Option<Function> {
        (self.generation.load(Ordering::Acquire) == generation).then(|| Function {
            function: self.function.load(Ordering::Relaxed),
            module: self.module.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
        })
    }

    fn set(&self, generation: u64, function: Function) {
        self.function.store(function.function, Ordering::Relaxed);
        self.module.store(function.module, Ordering::Relaxed);
        self.waits.store(function.waits, Ordering::Relaxed);
        self.generation.store(generation, Ordering::Release);
    }
}

impl<D: Driver> Loaded<D> {
    /// Computes the order of the code's parameters. [`Loaded::function`] loads the code to the device.
    pub fn new(artifact: &Artifact, contexts: Arc<Contexts<D>>) -> Result<Self, RuntimeError> {
        let name = artifact.kernel.as_str().into();
        let static_shared = artifact.shared_bytes <= D::STATIC_SHARED_BYTES;
        let (dim, shared) = (artifact.cube_dim, if static_shared { 0 } else { artifact.shared_bytes });
        Ok(Loaded { contexts, name, slots: slots(artifact)?, dim, shared, function: ContextFunction::default() })
    }

    /// The data of a kernel of another compiler. Its parameters contain no lengths, and its declared shared memory is
    /// dynamic.
    pub fn foreign(artifact: &Artifact, contexts: Arc<Contexts<D>>) -> Self {
        let (mut buffers, mut scalars) = (0..artifact.params.len(), 0..artifact.params.len());
        let slot = |param: &cube_artifact::Param| match param.kind {
            ParamKind::Buffer { .. } => buffers.next().map(Slot::Buffer),
            ParamKind::Scalar { .. } => scalars.next().map(Slot::Scalar),
        };
        let slots = artifact.params.iter().filter_map(slot).collect();
        let (name, dim, shared) = (artifact.kernel.as_str().into(), artifact.cube_dim, artifact.shared_bytes);
        Loaded { contexts, name, slots, dim, shared, function: ContextFunction::default() }
    }

    /// Name of the kernel, for the message about a fault.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The grid of a launch.
    pub fn grid(&self, cubes: [u32; 3]) -> Grid {
        Grid { cubes, dim: self.dim, shared: self.shared }
    }

    /// Whether the device with the contexts `contexts` has loaded the kernel.
    pub fn is_of(&self, contexts: &Arc<Contexts<D>>) -> bool {
        Arc::ptr_eq(&self.contexts, contexts)
    }

    /// The function of the kernel in this context. Loads the code if the context is newer than the loaded
    /// function.
    #[inline]
    pub fn function(
        &self,
        artifact: &Artifact,
        entered: &ContextGuard<'_, D>,
        max_shared: u32,
    ) -> Result<Function, Refusal> {
        match self.function.get(entered.generation()) {
            Some(function) => Ok(function),
            None => self.load(artifact, entered, max_shared),
        }
    }

    #[cold]
    fn load(&self, artifact: &Artifact, entered: &ContextGuard<'_, D>, max_shared: u32) -> Result<Function, Refusal> {
        let _one_thread = self.function.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = self.function.get(entered.generation()) {
            return Ok(function);
        }
        if (D::CODE_IS_TEXT && artifact.code.contains(&0)) || artifact.entry.contains('\0') {
            let message = "its code or entry contains a zero byte; compile the kernel again";
            return Err(Refusal::Reported(RuntimeError::invalid_artifact(message)));
        }
        let loaded = entered.engine().load(&artifact.code, &artifact.entry);
        let loaded = loaded.map_err(|(error, log)| Refusal::Driver(error, log))?;
        // If the kernel needs more shared memory than the device has, the launch returns the error that is
        // common to all devices.
        if (D::STATIC_SHARED_BYTES + 1..=max_shared).contains(&artifact.shared_bytes) {
            let allowed = entered.engine().allow_shared(loaded, artifact.shared_bytes);
            allowed.map_err(|error| Refusal::Driver(error, String::new()))?;
        }
        self.function.set(entered.generation(), loaded);
        Ok(loaded)
    }

    /// Appends the values of the code's parameters to `slots`; `addresses` are the addresses of the buffers.
    pub fn parameters(&self, bound: &BoundLaunch<'_>, addresses: &[u64], slots: &mut Vec<u64>) {
        let value = |slot: &Slot| match *slot {
            Slot::Buffer(n) => addresses[n],
            Slot::Info(n) => bound.info[n],
            Slot::Scalar(n) => bound.scalars[n],
        };
        slots.extend(self.slots.iter().map(value));
    }

    /// The number of the code's parameters.
    pub fn parameter_count(&self) -> usize {
        self.slots.len()
    }

    /// Computes the values of the code's parameters for a repeated launch, whose buffers and scalars follow the rules.
    /// `address` returns the address of a buffer. Returns `false` if a buffer has no address.
    pub fn repeated_parameters(
        &self,
        repeat: &Repeat,
        scalars: &[u64],
        mut address: impl FnMut(usize) -> Option<u64>,
        slots: &mut [u64],
    ) -> bool {
        let (info, derived) = (repeat.info(), repeat.derived());
        slots.iter_mut().zip(&self.slots).all(|(value, slot)| {
            *value = match *slot {
                Slot::Info(n) => info[n],
                Slot::Scalar(n) if n < scalars.len() => scalars[n],
                Slot::Scalar(n) => derived[n - scalars.len()],
                Slot::Buffer(n) => match address(n) {
                    Some(address) => address,
                    None => return false,
                },
            };
            true
        })
    }
}

/// Launches a kernel with the parameter values in `slots`.
pub(crate) fn launch<D: Driver>(
    engine: &Engine<D>,
    stream: Stream,
    function: Function,
    grid: &Grid,
    slots: &mut [u64],
) -> DriverResult<()> {
    // SAFETY: `slots` follows the artifact's declaration, from which the compiler also made the code's parameters. For
    // a kernel of another compiler, `ForeignKernel::new` has the promise.
    // `bind` has checked every buffer against the declaration. The addresses belong to the entered context.
    unsafe { engine.launch(stream, function, grid, slots) }
}

impl<D: Driver> Drop for Loaded<D> {
    fn drop(&mut self) {
        let generation = self.function.generation.load(Ordering::Acquire);
        if let Some(function) = self.function.get(generation).filter(|_| generation > 0) {
            self.contexts.release(generation, |engine| engine.unload(function));
        }
    }
}

/// The reason why code was not loaded.
pub(crate) enum Refusal {
    /// The driver's error, and the log of the driver's compiler.
    Driver(DriverError, String),
    Reported(RuntimeError),
}

/// The error for code that the driver refuses.
pub(crate) fn refused<D: Driver>(error: &DriverError, log: &str, version: &str) -> RuntimeError {
    let first_line = log.lines().next().map(|line| format!(": {line}")).unwrap_or_default();
    let (description, name) = (&error.description, D::NAME);
    match error.class {
        Class::NewerCode => RuntimeError::device_limit(format!(
            "the driver ({name} {version}) is older than its code; install a newer driver"
        )),
        Class::OutOfMemory => {
            RuntimeError::device_limit("the device has too little memory for its code; free some buffers")
        }
        Class::BrokenCode => RuntimeError::invalid_artifact(format!(
            "its code cannot be loaded ({description}){first_line}; compile the kernel again"
        )),
        _ => crate::context::unexpected::<D>(error),
    }
}

fn slots(artifact: &Artifact) -> Result<Vec<Slot>, RuntimeError> {
    let (mut buffers, mut scalars, mut slots) = (0, 0, Vec::new());
    for (index, param) in artifact.params.iter().enumerate() {
        match param.kind {
            ParamKind::Buffer { .. } => {
                let length = InfoWord::Length { param: index as u32 };
                let word = artifact.info.iter().position(|word| *word == length).ok_or_else(|| {
                    RuntimeError::invalid_artifact(format!(
                        "its parameter list has no length of '{}'; compile the kernel again with the matching cubec",
                        param.name
                    ))
                })?;
                slots.extend([Slot::Buffer(buffers), Slot::Info(word)]);
                buffers += 1;
            }
            ParamKind::Scalar { .. } => {
                slots.push(Slot::Scalar(scalars));
                scalars += 1;
            }
        }
    }
    // Derived scalars follow the scalars of the host, both in the array and in the parameters of the code.
    slots.extend((0..artifact.derived.len()).map(|n| Slot::Scalar(scalars + n)));
    if !artifact.prints.is_empty() {
        slots.extend([Slot::Buffer(buffers), Slot::Info(artifact.info.len())]);
    }
    Ok(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::{BufferAccess, CodeFormat, ElemType, Param, Target};

    fn artifact(params: Vec<Param>, info: Vec<InfoWord>) -> Artifact {
        Artifact {
            kernel: "k".into(),
            entry: "k".into(),
            target: Target { backend: "nvptx".into(), chip: Some("sm_90a".into()) },
            format: CodeFormat::PTX,
            code: b"x".to_vec(),
            params,
            derived: vec![],
            info,
            cube_dim: [1; 3],
            checked: true,
            shared_bytes: 0,
            cube_count: None,
            unit_limit: None,
            first_cubes: None,
            features: vec![],
            scratch_bytes: 0,
            prints: vec![],
            overwritten: vec![],
            plane_dim: None,
        }
    }

    fn buffer() -> Param {
        Param {
            name: "b".into(),
            kind: ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::Read },
        }
    }

    fn scalar() -> Param {
        Param { name: "s".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } }
    }

    #[test]
    fn parameters_keep_source_order_and_buffers_precede_their_lengths() {
        let params = vec![scalar(), buffer(), scalar(), buffer()];
        // The artifact defines the order of the info words.
        let info = vec![InfoWord::Length { param: 3 }, InfoWord::Length { param: 1 }];
        let derived =
            cube_artifact::DerivedParam { name: "d".into(), elem: ElemType::U32, expression: "len(b)".into() };
        let artifact = Artifact { derived: vec![derived], ..artifact(params, info) };
        use Slot::*;
        assert_eq!(
            slots(&artifact).unwrap(),
            [Scalar(0), Buffer(0), Info(1), Scalar(1), Buffer(1), Info(0), Scalar(2)]
        );
    }

    #[test]
    fn a_buffer_without_its_length_is_refused() {
        let error = slots(&artifact(vec![buffer()], vec![])).unwrap_err();
        assert!(error.message.contains("has no length of 'b'"), "{error}");
    }
}
