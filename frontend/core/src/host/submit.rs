//! Submission of launches: to the device, or to the recording of a graph.
use super::CubeCount;
use super::arguments::{LaunchError, count_buffer};
use super::core::{LoadedKernel, Session};
use super::handle::Validity;
use super::long_launches::with_notices;
use cube_runtime::{Arg, Cubes};

impl Session {
    /// Launches a kernel, or appends the launch to the recording. `written` are the buffers that the kernel
    /// writes.
    ///
    /// # Errors
    /// The device refuses the launch, or a recording cannot contain it.
    pub(super) fn launch<'a>(
        &self,
        loaded: &LoadedKernel,
        args: &[Arg],
        count: &CubeCount,
        written: impl Iterator<Item = &'a Validity>,
    ) -> Result<(), LaunchError> {
        if let Some(recorder) = &self.recorder {
            return recorder.launch(self, loaded, args, count, written);
        }
        let indirect;
        let (cubes, known) = match count {
            CubeCount::Static(x, y, z) => (Cubes::Count([*x, *y, *z]), Some([*x, *y, *z])),
            CubeCount::Dynamic(handle) => {
                indirect = count_buffer(handle)?;
                (Cubes::Of(&indirect), None)
            }
        };
        // The clock is read only for the log, because it takes longer than the rest of this function on some machines.
        let start = self.logs_launches().then(std::time::Instant::now);
        let name = loaded.source.name;
        let _span = tracing::trace_span!("launch", kernel = name, queue = self.queue.index()).entered();
        let launch = || self.device.launch_on(self.queue, &loaded.kernel, args, cubes);
        self.timed("launch", name, None, || with_notices(loaded.notice, launch))?;
        if let Some(start) = start {
            self.profile_launch(name, start, known, args);
        }
        written.for_each(Validity::mark_good);
        Ok(())
    }

    /// Returns this session if its calls execute immediately. `call` is the name of the calling function.
    ///
    /// # Errors
    /// The session records a graph.
    pub(super) fn immediate(&self, call: &str) -> Result<&Session, LaunchError> {
        match &self.recorder {
            None => Ok(self),
            Some(_) => Err(LaunchError::of_user(format!(
                "`{call}` cannot be recorded, because a graph has only launches and copies between buffers; call `{call}` of the first client, before or after the recording"
            ))),
        }
    }
}
