//! Launches of the device: with checks, or as the repetition of an earlier launch.
use crate::context::lock;
use crate::device::{Loaded, WgpuDevice};
use crate::engine::Engine;
use crate::launch::{self, Arrays};
use crate::memory::own;
use crate::pipelines::{Form, Pipelines};
use cube_runtime::launch::{BoundLaunch, LaunchArrays, Repeat, bind_into, known};
use cube_runtime::prints::Prints;
use cube_runtime::{Arg, Buffer, Device, Kernel, RuntimeError};
use std::cell::Cell;
use std::sync::Arc;

thread_local!(static ARRAYS: Cell<Option<(LaunchArrays, Arrays)>> = const { Cell::new(None) });

impl WgpuDevice {
    /// The data of a kernel that this device has loaded.
    fn loaded<'a>(&self, kernel: &'a Kernel) -> Option<&'a Loaded> {
        kernel.code::<Loaded>().filter(|loaded| std::ptr::eq(loaded.device.as_ptr(), Arc::as_ptr(&self.state)))
    }

    /// Checks a launch and records it.
    ///
    /// # Errors
    /// See [`cube_runtime::Device::launch_on`].
    pub(crate) fn run(&self, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        let loaded = self.loaded(kernel);
        let loaded = loaded
            .ok_or_else(|| RuntimeError::user("it was loaded by another device; load the kernel on this device"))?;
        let artifact = kernel.artifact();
        let stored = known(artifact, kernel.plan(), args, cube_count, self.properties(), |known| {
            let places = args.iter().filter_map(|arg| match arg {
                Arg::Buffer { buffer, .. } => Some((buffer, buffer.offset()..buffer.end())),
                Arg::Scalar(_) => None,
            });
            let slots = args.iter().filter_map(|arg| match arg {
                Arg::Buffer { .. } => None,
                Arg::Scalar(scalar) => Some(scalar.slot()),
            });
            lock(&loaded.repeats).launch(known, places, slots)
        });
        match stored.flatten() {
            Some(launched) => launched.map_err(|error| *error),
            None => self.run_new(kernel, loaded, args, cube_count),
        }
    }

    /// Checks and records a launch that is not stored. The function is separate, so that a repeated launch stores few registers.
    #[inline(never)]
    fn run_new(
        &self,
        kernel: &Kernel,
        loaded: &Loaded,
        args: &[Arg],
        cube_count: [u32; 3],
    ) -> Result<(), RuntimeError> {
        let artifact = kernel.artifact();
        let prints = Prints::new(self, artifact)?;
        // If the launch fails, the arrays are dropped, and the next launch allocates new arrays.
        let (launch, mut arrays) = ARRAYS.take().unwrap_or_default();
        let bound = bind_into(artifact, kernel.plan(), args, cube_count, self.properties(), launch)?;
        let bound = bound.with_prints(prints.buffer());
        self.record_bound(kernel, loaded, &self.present()?, &bound, &mut arrays)?;
        ARRAYS.set(Some((bound.into_arrays(), arrays)));
        prints.show(self)
    }

    /// Records a launch that has passed the checks, and stores it.
    #[inline(never)]
    fn record_bound(
        &self,
        kernel: &Kernel,
        loaded: &Loaded,
        engine: &Arc<Engine>,
        bound: &BoundLaunch<'_>,
        arrays: &mut Arrays,
    ) -> Result<(), RuntimeError> {
        let artifact = kernel.artifact();
        if bound.cubes == 0 {
            return bound.buffers.iter().try_for_each(|(buffer, _)| own(buffer, engine).map(drop));
        }
        let pipeline = |form: Form| {
            let mut own = lock(&loaded.pipelines);
            // After the loss of the device, the kernel is compiled again for the new device.
            if own.engine.lost_reason().is_some() {
                *own = Pipelines::new(Arc::clone(engine));
            }
            own.of(form, || self.pipeline(artifact, engine, form))
        };
        let recorded = launch::record(engine, &pipeline, artifact, bound, arrays)?;
        if let Some(recorded) = recorded.filter(|_| artifact.prints.is_empty()) {
            let buffers = bound.buffers.iter().map(|(buffer, _)| (*buffer, buffer.offset()..buffer.end()));
            let (known, _) = bound.known(artifact);
            lock(&loaded.repeats).store(engine, artifact, recorded, known, buffers, &arrays.words);
        }
        Ok(())
    }

    /// See [`cube_runtime::Device::repeat`].
    pub(crate) fn repeat_launch(
        &self,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&Buffer],
        scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        let Some(loaded) = self.loaded(kernel) else { return Ok(false) };
        if repeat.cubes() == 0 || !repeat.allows(kernel, buffers, scalars) {
            return Ok(false);
        }
        let places = repeat.parts().iter().zip(buffers).map(|(part, buffer)| (*buffer, part.bytes.clone()));
        if let Some(launched) = lock(&loaded.repeats).launch(repeat.known(), places, scalars.iter().copied()) {
            return launched.map(|()| true).map_err(|error| *error);
        }
        let engine = self.present()?;
        if buffers.iter().any(|buffer| own(buffer, &engine).is_err()) {
            return Ok(false);
        }
        let (launch, mut arrays) = ARRAYS.take().unwrap_or_default();
        let Ok(bound) = repeat.bind(kernel, buffers, scalars, launch) else { return Ok(false) };
        self.record_bound(kernel, loaded, &engine, &bound, &mut arrays)?;
        ARRAYS.set(Some((bound.into_arrays(), arrays)));
        Ok(true)
    }
}
