//! Graphs: the driver records a list of commands once, and then one call launches all of them.
use crate::context::{Contexts, Entered, Failure};
use crate::device::{GpuDevice, refused_launch};
use crate::driver::{Driver, GraphHandle, Stream};
use crate::kernel;
use crate::memory::own;
use cube_runtime::device::replay_list;
use cube_runtime::graph::Command;
use cube_runtime::launch::bind;
use cube_runtime::{Arg, Buffer, Device, Graph, Queue, RuntimeError};
use std::any::Any;
use std::sync::{Arc, PoisonError};

/// A recorded graph of one context.
struct Recorded<D: Driver> {
    contexts: Arc<Contexts<D>>,
    generation: u64,
    version: u64,
    handle: GraphHandle,
}

impl<D: Driver> Drop for Recorded<D> {
    fn drop(&mut self) {
        self.contexts.release(self.generation, |engine| {
            // The last launch can still run. The next call reports its failure.
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
        let recorded = match graph.commands().iter().any(prints) {
            true => None,
            false => self.recorded(graph)?,
        };
        let Some(recorded) = recorded else { return replay_list(self, queue, graph) };
        self.contexts.call(|entered| {
            if entered.generation() != recorded.generation {
                return Err(self.contexts.lost(recorded.generation).into());
            }
            let used = graph.commands().iter().flat_map(buffers);
            let uses = used.filter_map(|(buffer, writes)| Some((&own(buffer, &self.contexts).ok()?.uses, writes)));
            let launch =
                |engine: &crate::engine::Engine<D>, stream| engine.graphs()?.launch_graph(stream, recorded.handle);
            entered.submit(queue, uses, launch)?;
            graph.commands().iter().for_each(|command| {
                if let Command::Launch { kernel, .. } = command
                    && let Ok(loaded) = self.loaded(kernel)
                {
                    self.contexts.note(loaded.name());
                }
            });
            Ok(())
        })
    }

    /// The driver's graph; `None` for a driver without graphs.
    fn recorded(&self, graph: &Graph) -> Result<Option<Arc<Recorded<D>>>, RuntimeError> {
        let mut native = graph.native().lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.contexts.call(|entered| Ok(entered.generation()))?;
        let present = native.as_ref().and_then(|native| native.clone().downcast::<Recorded<D>>().ok());
        let fits = |recorded: &Arc<Recorded<D>>| {
            recorded.generation == generation
                && recorded.version == graph.version()
                && Arc::ptr_eq(&recorded.contexts, &self.contexts)
        };
        if let Some(recorded) = present.filter(fits) {
            return Ok(Some(recorded));
        }
        let recorded = self.contexts.call(|entered| self.record_graph(entered, graph))?;
        *native = recorded.clone().map(|recorded| recorded as Arc<dyn Any + Send + Sync>);
        Ok(recorded)
    }

    fn record_graph(&self, entered: &Entered<'_, D>, graph: &Graph) -> Result<Option<Arc<Recorded<D>>>, Failure> {
        let Ok(context) = entered.engine().graphs() else { return Ok(None) };
        let mut recorder = self.recorder.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = match *recorder {
            Some((generation, stream)) if generation == entered.generation() => stream,
            _ => entered.engine().stream()?,
        };
        *recorder = Some((entered.generation(), stream));
        // Code is loaded before the recording begins, because a driver refuses loads during a recording.
        for command in graph.commands() {
            if let Command::Launch { kernel, .. } = command {
                self.function(entered, self.loaded(kernel)?, kernel.artifact())?;
            }
        }
        if context.begin_graph(stream).is_err() {
            return Ok(None);
        }
        let filled = graph.commands().iter().try_for_each(|command| self.record_command(entered, stream, command));
        let handle = context.end_graph(stream);
        filled?;
        let (contexts, generation, version) = (self.contexts.clone(), entered.generation(), graph.version());
        Ok(Some(Arc::new(Recorded { contexts, generation, version, handle: handle? })))
    }

    fn record_command(&self, entered: &Entered<'_, D>, stream: Stream, command: &Command) -> Result<(), Failure> {
        match command {
            Command::Copy { from, to } => {
                let (source, target) = (own(from, &self.contexts)?, own(to, &self.contexts)?);
                let (start, end) = (source.address(entered, from.offset())?, target.address(entered, to.offset())?);
                Ok(entered.engine().copy(stream, start, end, from.size())?)
            }
            Command::Launch { kernel, args, cubes } => {
                let artifact = kernel.artifact();
                let bound = bind(artifact, args, *cubes, self.properties())?;
                if bound.cubes == 0 {
                    return Ok(());
                }
                let loaded = self.loaded(kernel)?;
                let (mut addresses, mut slots) = (Vec::new(), Vec::new());
                self.parameters(entered, loaded, &bound, &mut addresses, &mut slots)?;
                let function = self.function(entered, loaded, artifact)?;
                let launched = kernel::launch(entered.engine(), stream, function, loaded, &bound, &mut slots);
                launched.map_err(|error| match error.class {
                    crate::driver::Class::Fault => Failure::Driver(error),
                    _ => Failure::Reported(refused_launch::<D>(&error, artifact).in_kernel(&artifact.kernel)),
                })
            }
        }
    }
}
