//! Graphs: launches and copies that a program records once and submits many times.
//!
//! ```text
//! let (graph, position) = client.graph(|client| {
//!     let position = client.recorded();
//!     scale::launch::<R>(client, count, dim, x, y, ScalarArg::new(2.0));
//!     position
//! })?;
//! graph.replay()?;
//! graph.set_scalar(position, "factor", 3.0f32)?;
//! graph.replay()?;
//! ```
use super::arguments::{LaunchError, failures_of};
use super::core::{LoadedKernel, Session};
use super::handle::Validity;
use super::{ComputeClient, ComputeServer, CubeCount, Handle};
use crate::lang::math::Scalar;
use cube_artifact::ParamKind;
use cube_runtime::graph::Command;
use cube_runtime::launch::bind;
use cube_runtime::{Arg, CommandList, Graph, Queue};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The recording of a graph, which the recording client and its clones share.
pub struct Recorder(Mutex<Recording>);

struct Recording {
    /// `None` after the end of the recording.
    commands: Option<CommandList>,
    /// The buffers that the commands write.
    written: Vec<Validity>,
    /// The first failure of a launch.
    failure: Option<LaunchError>,
}

impl Recorder {
    fn new() -> Self {
        Recorder(Mutex::new(Recording { commands: Some(CommandList::new()), written: Vec::new(), failure: None }))
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a failure, unless the recording already has an earlier failure.
    pub(super) fn fail(&self, error: &LaunchError) {
        self.lock().failure.get_or_insert_with(|| error.clone());
    }

    /// Appends a launch. The function checks the arguments, so that errors appear at the recorded launch.
    pub(super) fn launch<'a>(
        &self,
        session: &Session,
        loaded: &LoadedKernel,
        args: &[Arg],
        count: &CubeCount,
        written: impl Iterator<Item = &'a Validity>,
    ) -> Result<(), LaunchError> {
        let CubeCount::Static(x, y, z) = count else {
            return Err(LaunchError::of_user(
                "a graph cannot record a dynamic cube count; pass the count as numbers, or launch outside of the graph",
            ));
        };
        let cubes = [*x, *y, *z];
        bind(loaded.kernel.artifact(), args, cubes, session.device.properties())?;
        self.lock().append(|commands| commands.launch(&loaded.kernel, args, cubes), written)
    }

    /// Appends a copy between two handles.
    pub(super) fn copy(&self, from: &Handle, to: &Handle) -> Result<(), LaunchError> {
        let (source, target) = (from.buffer()?, to.buffer()?);
        cube_runtime::device::check_copy(&source, &target)?;
        self.lock().append(|commands| commands.copy(&source, &target), std::iter::once(to.validity()))
    }
}

impl Recording {
    fn append<'a>(
        &mut self,
        push: impl FnOnce(&mut CommandList) -> usize,
        written: impl Iterator<Item = &'a Validity>,
    ) -> Result<(), LaunchError> {
        let Some(commands) = &mut self.commands else {
            return Err(LaunchError::of_user(
                "the recording of the graph has ended; use its client only in the function that `graph` calls",
            ));
        };
        push(commands);
        for buffer in written {
            if !self.written.iter().any(|kept| kept.is(buffer)) {
                self.written.push(buffer.clone());
            }
        }
        Ok(())
    }
}

/// Recorded launches and copies of a client. The graph keeps the memory of its commands alive.
pub struct RecordedGraph<S> {
    graph: Graph,
    session: Session,
    written: Vec<Validity>,
    of: PhantomData<fn() -> S>,
}

impl<S> std::fmt::Debug for RecordedGraph<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecordedGraph({} commands on {})", self.len(), self.session.device.name())
    }
}

impl<S> RecordedGraph<S> {
    /// Number of recorded commands.
    pub fn len(&self) -> usize {
        self.graph.commands().len()
    }

    /// Whether the graph has no commands.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Submits all commands to the queue of the client that recorded them. The call does not wait for the
    /// commands.
    ///
    /// # Errors
    /// The device refuses a command. A read of the memory that the graph writes then returns the error.
    pub fn replay(&self) -> Result<(), LaunchError> {
        self.submit(self.session.queue)
    }

    /// [`RecordedGraph::replay`] on the queue `number` of the device.
    ///
    /// # Errors
    /// The errors of [`RecordedGraph::replay`].
    pub fn replay_on(&self, number: u32) -> Result<(), LaunchError> {
        self.submit(Queue::new(number))
    }

    fn submit(&self, queue: Queue) -> Result<(), LaunchError> {
        let _span = tracing::trace_span!("graph", commands = self.len(), queue = queue.index()).entered();
        let session = Session { queue, ..self.session.clone() };
        let outcome = session
            .timed("graph", "graph", None, || session.device.replay(queue, &self.graph))
            .map_err(LaunchError::from);
        for buffer in &self.written {
            match &outcome {
                Ok(()) => buffer.mark_good(),
                Err(error) => buffer.mark_failed(error),
            }
        }
        outcome
    }

    /// Changes the scalar parameter with the name `parameter` for later replays. `position` is the position of
    /// the launch in the recording. See [`ComputeClient::recorded`].
    ///
    /// # Errors
    /// The command is not a launch, its kernel has no scalar parameter of this name, or the types differ.
    pub fn set_scalar<T: Scalar>(&mut self, position: usize, parameter: &str, value: T) -> Result<(), LaunchError> {
        // `Graph::set_scalar` reports commands that are not launches.
        let index = match self.graph.commands().get(position) {
            Some(Command::Launch { kernel, .. }) => {
                let params = &kernel.artifact().params;
                let is_scalar = |kind: &ParamKind| matches!(kind, ParamKind::Scalar { .. });
                let found = params.iter().position(|param| param.name == parameter && is_scalar(&param.kind));
                found.ok_or_else(|| {
                    let scalars = params.iter().filter(|param| is_scalar(&param.kind));
                    let names: Vec<_> = scalars.map(|param| format!("`{}`", param.name)).collect();
                    let kernel = &kernel.artifact().kernel;
                    LaunchError::of_user(match names.is_empty() {
                        true => {
                            format!("the kernel '{kernel}' has no scalar parameters, so `{parameter}` cannot change")
                        }
                        false => format!(
                            "the kernel '{kernel}' has no scalar parameter `{parameter}`; use one of {}",
                            names.join(", ")
                        ),
                    })
                })?
            }
            _ => 0,
        };
        Ok(self.graph.set_scalar(position, index, value.to_scalar())?)
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Records a graph. The function calls `work` with a client that records launches and copies, but does not execute
    /// them. Returns the graph and the result of `work`.
    ///
    /// CUDA and HIP execute a graph by one driver call. The CPU and wgpu submit the commands one by one. Kernels are
    /// compiled during the recording. `try_uninit` of the recording client allocates temporary memory of the graph.
    /// All other calls of the recording client that access memory return an error, because a replay would not repeat
    /// them.
    ///
    /// # Errors
    /// A launch or copy of the recording failed (the first error is returned), or this client already records a graph.
    pub fn graph<O>(&self, work: impl FnOnce(&Self) -> O) -> Result<(RecordedGraph<S>, O), LaunchError> {
        self.server().immediate("graph")?;
        let recorder = Arc::new(Recorder::new());
        let recording = self.with_recorder(recorder.clone());
        // The recorder stores the first failure of all threads. `failures_of` prevents that these failures are also
        // reported as notices.
        let (result, _) = failures_of(|| work(&recording));
        let mut state = recorder.lock();
        let commands = state.commands.take().unwrap_or_default();
        if let Some(failure) = state.failure.take() {
            return Err(failure);
        }
        let (session, written) = (self.server().clone(), std::mem::take(&mut state.written));
        Ok((RecordedGraph { graph: Graph::new(commands), session, written, of: PhantomData }, result))
    }

    /// Number of commands that this client has recorded: the position of the next launch or copy in the graph. The
    /// result is 0 if the client does not record a graph.
    pub fn recorded(&self) -> usize {
        let recorder = self.server().recorder.as_ref();
        recorder.map_or(0, |recorder| recorder.lock().commands.as_ref().map_or(0, CommandList::len))
    }
}
