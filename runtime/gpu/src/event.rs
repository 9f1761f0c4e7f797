//! Events of a GPU.
use crate::context::Contexts;
use crate::driver::{Driver, EventHandle};
use cube_runtime::RuntimeError;
use cube_runtime::device::Completion;
use std::sync::Arc;

/// A point in a queue.
pub(crate) struct Point<D: Driver> {
    pub contexts: Arc<Contexts<D>>,
    pub generation: u64,
    pub event: EventHandle,
}

impl<D: Driver> Completion for Point<D> {
    fn is_complete(&self) -> bool {
        // If a fault has ended the context of the event, the work before the event has also ended.
        let complete = self.contexts.call(|entered| match entered.generation() == self.generation {
            true => Ok(entered.engine().is_complete(self.event)?),
            false => Ok(true),
        });
        complete.unwrap_or(true)
    }

    fn wait(&self) -> Result<(), RuntimeError> {
        self.contexts.call(|entered| match entered.generation() == self.generation {
            true => Ok(entered.engine().sync_event(self.event)?),
            false => Err(self.contexts.lost(self.generation).into()),
        })
    }
}

impl<D: Driver> Drop for Point<D> {
    fn drop(&mut self) {
        self.contexts.release(self.generation, |engine| engine.free_event(self.event));
    }
}
