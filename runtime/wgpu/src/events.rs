//! Events: points of the queue.
use crate::context::IN_BROWSER;
use crate::engine::Engine;
use cube_runtime::RuntimeError;
use cube_runtime::device::Completion;
use std::sync::Arc;
use std::time::Duration;

/// The end of the queue when this value was created.
pub(crate) struct Submitted {
    pub engine: Arc<Engine>,
    pub submission: Option<wgpu::SubmissionIndex>,
}

impl Completion for Submitted {
    fn is_complete(&self) -> bool {
        let Some(index) = self.submission.clone() else { return true };
        // A browser has no such query.
        if IN_BROWSER {
            return self.engine.lost_reason().is_some();
        }
        // With a timeout of zero, this call only queries the state and does not wait. A lost device has no remaining
        // work.
        let wait = wgpu::PollType::Wait { submission_index: Some(index), timeout: Some(Duration::ZERO) };
        self.engine.lost_reason().is_some() || self.engine.device.poll(wait).is_ok()
    }

    fn wait(&self) -> Result<(), RuntimeError> {
        self.engine.wait(self.submission.clone())
    }
}
