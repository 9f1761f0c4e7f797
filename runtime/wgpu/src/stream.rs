//! The commands that are recorded between two submissions.
//!
//! The stream records launches in one compute pass and submits them together. One uniform buffer contains the
//! uniform words (lengths and scalars) of all launches. Each launch has its own offset in the uniform buffer.
//! Launches with the same buffers therefore share a bind group.
use crate::context::Context;
use crate::staging::Staging;
use cube_runtime::RuntimeError;

/// Maximum bytes of uniform words between two submissions. This maximum is at least the size of the largest uniform
/// block that WebGPU guarantees.
const WORD_BYTES: u64 = 64 << 10;

/// Bytes of a uniform word.
const WORD: usize = size_of::<u32>();

/// Maximum number of dispatches between two submissions. With this limit, the device begins to execute while the host
/// records the next launches.
const MAX_DISPATCHES: u32 = 64;

/// The commands that are recorded and not submitted.
pub(crate) struct Stream {
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    /// The pipeline of the last dispatch in `pass`.
    pipeline: Option<wgpu::ComputePipeline>,
    /// The uniform words of the recorded launches, each at the offset that a binding requires.
    words: Vec<u32>,
    /// Number of words up to the end of the last launch.
    used: usize,
    /// The uniform buffer with the words of all launches.
    pub uniforms: wgpu::Buffer,
    /// The alignment of the words of a launch, minus 1. The alignment is a power of two.
    mask: usize,
    dispatches: u32,
    last: Option<wgpu::SubmissionIndex>,
    staging: Staging,
}

/// The words that describe the grid to the cubes of a dispatch.
pub(crate) type Grid = [u32; cube_artifact::GRID_WORDS as usize];

/// A dispatch of a launch.
pub(crate) struct Dispatch {
    pub pipeline: wgpu::ComputePipeline,
    pub group: wgpu::BindGroup,
    /// Executed cubes along x, y and z.
    pub count: [u32; 3],
    pub grid: Grid,
}

/// A buffer that a launch accesses by its address.
pub(crate) struct Accessed {
    pub buffer: wgpu::Buffer,
    pub is_written: bool,
}

impl Stream {
    /// A stream without commands.
    pub fn new(device: &wgpu::Device) -> Self {
        let uniforms = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("arguments of launches"),
            size: WORD_BYTES,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Stream {
            encoder: None,
            pass: None,
            pipeline: None,
            words: vec![0; WORD_BYTES as usize / WORD],
            used: 0,
            uniforms,
            mask: (device.limits().min_uniform_buffer_offset_alignment as usize / WORD).max(1) - 1,
            dispatches: 0,
            last: None,
            staging: Staging::default(),
        }
    }

    /// The command encoder, for copies. A copy in this encoder runs after all earlier launches.
    pub fn encoder(&mut self, device: &wgpu::Device) -> &mut wgpu::CommandEncoder {
        // A pass ends when it is dropped.
        self.pass = None;
        self.encoder.get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
    }

    /// Records one dispatch. `words` are the uniform words before the words of the grid, padded to 16 bytes; both together have
    /// at most [`WORD_BYTES`] bytes. `accessed` are the buffers that the bind group does not contain.
    ///
    /// # Errors
    /// The errors of [`Stream::flush`], in a box, because each launch copies its result several times.
    pub fn dispatch(
        &mut self,
        context: &Context,
        dispatch: &Dispatch,
        words: &[u32],
        accessed: &[Accessed],
    ) -> Result<(), Box<RuntimeError>> {
        let Dispatch { pipeline, group, count: [x, y, z], grid } = dispatch;
        let mut start = (self.used + self.mask) & !self.mask;
        let len = words.len() + grid.len();
        if start + len > self.words.len() || self.dispatches == MAX_DISPATCHES {
            self.flush(context)?;
            start = 0;
        }
        let (padded, _) = words.as_chunks::<4>();
        let (to, to_grid) = self.words[start..].split_at_mut(words.len());
        for (to, from) in to.as_chunks_mut().0.iter_mut().zip(padded) {
            *to = *from;
        }
        to_grid[..grid.len()].copy_from_slice(grid);
        self.used = start + len;
        if self.pass.is_none() {
            let descriptor = wgpu::ComputePassDescriptor::default();
            let pass = self.encoder(&context.device).begin_compute_pass(&descriptor).forget_lifetime();
            self.pass = Some(pass);
            self.pipeline = None;
        }
        let Some(pass) = &mut self.pass else { return Ok(()) };
        if self.pipeline.as_ref() != Some(pipeline) {
            pass.set_pipeline(pipeline);
            self.pipeline = Some(pipeline.clone());
        }
        pass.set_bind_group(0, group, &[(start * WORD) as u32]);
        if !accessed.is_empty() {
            // The states are in the submission of the dispatch, because wgpu orders the first state of a submission after
            // earlier submissions, and not after earlier dispatches of the submission.
            let states = accessed.iter().map(|one| wgpu::BufferTransition {
                buffer: &one.buffer,
                state: match one.is_written {
                    true => wgpu::BufferUses::STORAGE_READ_WRITE,
                    false => wgpu::BufferUses::STORAGE_READ_ONLY,
                },
            });
            pass.transition_resources(states, std::iter::empty());
        }
        pass.dispatch_workgroups(*x, *y, *z);
        self.dispatches += 1;
        Ok(())
    }

    /// Submits the recorded commands.
    ///
    /// # Errors
    /// wgpu refuses a command, or the device is lost.
    pub fn flush(&mut self, context: &Context) -> Result<(), RuntimeError> {
        self.pass = None;
        let Some(encoder) = self.encoder.take() else { return Ok(()) };
        let words = &self.words[..std::mem::take(&mut self.used)];
        self.dispatches = 0;
        let submitted = context.checked(|| {
            if !words.is_empty() {
                // The queue executes this write after all earlier submissions and before the next submission.
                context.queue.write_buffer(&self.uniforms, 0, bytemuck::cast_slice(words));
            }
            Ok(context.queue.submit([encoder.finish()]))
        });
        self.last = Some(submitted?);
        Ok(())
    }

    /// The last submission.
    pub fn last(&self) -> Option<wgpu::SubmissionIndex> {
        self.last.clone()
    }

    /// Returns a buffer for a read by the host, as [`Staging::take`] does.
    pub fn staging(&mut self, device: &wgpu::Device, size: u64) -> wgpu::Buffer {
        self.staging.take(device, size)
    }

    /// Stores a buffer for the next read by the host.
    pub fn keep(&mut self, buffer: wgpu::Buffer) {
        self.staging.keep(buffer);
    }
}
