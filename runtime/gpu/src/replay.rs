//! Graphs: the driver records a list of commands once, and then one call launches all of them.
use crate::context::{ContextGuard, Contexts, Failure, MAX_NAMES};
use crate::device::GpuDevice;
use crate::driver::{Class, Driver, GraphHandle, Stream};
use crate::engine::Engine;
use crate::kernel;
use crate::launch::refused_launch;
use crate::memory::own;
use cube_runtime::device::replay_list;
use cube_runtime::graph::Command;
use cube_runtime::launch::bind;
use cube_runtime::{Arg, Buffer, Device, Graph, Queue, RuntimeError};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

/// A recorded graph of one context.
struct Recorded<D: Driver> {
    contexts: Arc<Contexts<D>>,
    generation: u64,
    /// The version of the recorded graph to which the driver's graph corresponds. The version is changed only under the
    /// lock of the graph's native form.
    version: AtomicU64,
    handle: GraphHandle,
    /// For each command, the node of its launch, if the driver can change it.
    nodes: Vec<Option<u64>>,
    /// The names of the first kernels, for the message about a fault.
    names: Vec<Arc<str>>,
}

impl<D: Driver> Drop for Recorded<D> {
    fn drop(&mut self) {
        self.contexts.release(self.generation, |engine| {
            // The last launch of the graph can still be running, so this call waits. If the launch failed, the next
            // call reports the failure.
            let _ = engine.sync();
            engine.free_graph(self.handle);
        });
    }
}

/// The buffers of a command, and whether the command writes them.
fn buffers(command: &Command) -> impl Iterator<Item = (&Buffer, bool)> + Clone {
    let (args, copied) = match command {
        Command::Launch { kernel, args, .. } => (Some((kernel, args)), None),
        Command::Copy { from, to } => (None, Some([(from, false), (to, true)])),
    };
    let of_launch = args.into_iter().flat_map(|(kernel, args)| {
        let buffers =
            args.iter().filter_map(|arg| if let Arg::Buffer { buffer, .. } = arg { Some(buffer) } else { None });
        buffers.zip(kernel.writes())
    });
    of_launch.chain(copied.into_iter().flatten())
}

impl<D: Driver> GpuDevice<D> {
    pub(crate) fn replay_graph(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
        let prints = |command: &Command| match command {
            Command::Launch { kernel, .. } => !kernel.artifact().prints.is_empty(),
            Command::Copy { .. } => false,
        };
        if graph.commands().is_empty() {
            return Ok(());
        }
        let used = || graph.commands().iter().flat_map(buffers);
        self.contexts.call(|entered| self.clear_all(entered, queue, used().map(|(buffer, _)| buffer)))?;
        let recorded = match graph.commands().iter().any(prints) {
            true => None,
            false => self.recorded(graph)?,
        };
        let Some(recorded) = recorded else { return replay_list(self, queue, graph) };
        self.contexts.call(|entered| {
            if entered.generation() != recorded.generation {
                return Err(self.contexts.lost(recorded.generation).into());
            }
            let uses = used().filter_map(|(buffer, writes)| Some((&own(buffer, &self.contexts).ok()?.uses, writes)));
            let launch = |engine: &Engine<D>, stream| engine.graphs()?.launch_graph(stream, recorded.handle);
            entered.submit(queue, uses, launch)?;
            recorded.names.iter().for_each(|name| self.contexts.note(name));
            Ok(())
        })
    }

    /// The driver's graph; `None` for a driver without graphs.
    fn recorded(&self, graph: &Graph) -> Result<Option<Arc<Recorded<D>>>, RuntimeError> {
        let mut native = graph.native().lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.contexts.call(|entered| Ok(entered.generation()))?;
        let present = native.as_ref().and_then(|native| native.clone().downcast::<Recorded<D>>().ok());
        let fits = |recorded: &Arc<Recorded<D>>| {
            recorded.generation == generation && Arc::ptr_eq(&recorded.contexts, &self.contexts)
        };
        if let Some(recorded) = present.filter(fits) {
            let version = recorded.version.load(Ordering::Relaxed);
            if version == graph.version()
                || self.contexts.call(|entered| self.update_graph(entered, graph, &recorded, version))?
            {
                recorded.version.store(graph.version(), Ordering::Relaxed);
                return Ok(Some(recorded));
            }
        }
        let recorded = self.contexts.call(|entered| self.record_graph(entered, graph))?;
        *native = recorded.clone().map(|recorded| recorded as Arc<dyn Any + Send + Sync>);
        Ok(recorded)
    }

    /// Changes the launches of a recorded graph that have changed after `version`. Returns `false` if the graph must be
    /// recorded again.
    fn update_graph(
        &self,
        entered: &ContextGuard<'_, D>,
        graph: &Graph,
        recorded: &Recorded<D>,
        version: u64,
    ) -> Result<bool, Failure> {
        let Some(context) = entered.engine().local_context().filter(|_| entered.generation() == recorded.generation)
        else {
            return Ok(false);
        };
        for position in graph.changed_after(version) {
            let (Command::Launch { kernel, args, cubes }, Some(node)) =
                (&graph.commands()[position], recorded.nodes[position])
            else {
                return Ok(false);
            };
            let bound = bind(kernel.artifact(), args, *cubes, self.properties())?;
            if bound.cubes == 0 {
                return Ok(false);
            }
            let loaded = self.loaded(kernel)?;
            let (mut addresses, mut slots) = (Vec::new(), Vec::new());
            self.parameters(entered, loaded, &bound, &mut addresses, &mut slots)?;
            let function = self.function(entered, loaded, kernel.artifact())?;
            let grid = loaded.grid(bound.cube_count);
            // SAFETY: as for a launch, see `kernel::launch`.
            match unsafe { context.update_launch(recorded.handle, node, function, &grid, &mut slots) } {
                Ok(()) => {}
                Err(error) if error.class == Class::Fault => return Err(error.into()),
                // The driver cannot make this change, so the device records the graph again. If the cause persists, the
                // recording reports the failure.
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn record_graph(&self, entered: &ContextGuard<'_, D>, graph: &Graph) -> Result<Option<Arc<Recorded<D>>>, Failure> {
        let Ok(context) = entered.engine().graphs() else { return Ok(None) };
        let mut recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = match *recorder {
            Some((generation, stream)) if generation == entered.generation() => stream,
            _ => entered.engine().stream()?,
        };
        *recorder = Some((entered.generation(), stream));
        // The code of all kernels is loaded before the recording begins, because a driver refuses loads during a
        // recording.
        for command in graph.commands() {
            if let Command::Launch { kernel, .. } = command {
                self.function(entered, self.loaded(kernel)?, kernel.artifact())?;
            }
        }
        let recording = Engine::<D>::start_recording();
        if context.begin_graph(stream).is_err() {
            return Ok(None);
        }
        let record = |command| -> Result<Option<u64>, Failure> {
            // A launch with a cube count of 0 has no node in the graph.
            Ok(self.record_command(entered, stream, command)?.then(|| context.last_node(stream).ok()).flatten())
        };
        let nodes: Result<Vec<_>, Failure> = graph.commands().iter().map(record).collect();
        let handle = context.end_graph(stream);
        drop(recording);
        let nodes = nodes.inspect_err(|_| {
            if let Ok(handle) = &handle {
                entered.engine().free_graph(*handle);
            }
        })?;
        let (contexts, generation, version) = (self.contexts.clone(), entered.generation(), graph.version());
        let mut names = Vec::<Arc<str>>::new();
        for command in graph.commands() {
            if let Command::Launch { kernel, .. } = command
                && let name = self.loaded(kernel)?.name()
                && names.len() < MAX_NAMES
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        let version = AtomicU64::new(version);
        Ok(Some(Arc::new(Recorded { contexts, generation, version, handle: handle?, nodes, names })))
    }

    /// Records a command. Returns whether the recording got a launch.
    fn record_command(
        &self,
        entered: &ContextGuard<'_, D>,
        stream: Stream,
        command: &Command,
    ) -> Result<bool, Failure> {
        match command {
            Command::Copy { from, to } => {
                let (source, target) = (own(from, &self.contexts)?, own(to, &self.contexts)?);
                let (start, end) =
                    (source.present_address(entered, from.offset())?, target.present_address(entered, to.offset())?);
                entered.engine().copy(stream, start, end, from.size())?;
                Ok(false)
            }
            Command::Launch { kernel, args, cubes } => {
                let artifact = kernel.artifact();
                let bound = bind(artifact, args, *cubes, self.properties())?;
                if bound.cubes == 0 {
                    return Ok(false);
                }
                let loaded = self.loaded(kernel)?;
                let (mut addresses, mut slots) = (Vec::new(), Vec::new());
                self.parameters(entered, loaded, &bound, &mut addresses, &mut slots)?;
                let function = self.function(entered, loaded, artifact)?;
                let launched =
                    kernel::launch(entered.engine(), stream, function, &loaded.grid(bound.cube_count), &mut slots);
                launched.map(|()| true).map_err(|error| match error.class {
                    Class::Fault => Failure::Driver(error),
                    _ => Failure::Reported(refused_launch::<D>(&error, artifact).in_kernel(&artifact.kernel)),
                })
            }
        }
    }
}
