//! A wgpu device with its recorded commands and its memory. If the device is lost, the commands and the
//! memory are lost too.
use crate::context::{Context, lock};
use crate::segments::{Segment, Segments, policy};
use crate::stream::Stream;
use cube_runtime::pool::Pool;
use cube_runtime::{MemoryUsage, RuntimeError};
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, OnceLock, mpsc};

/// A wgpu device with its recorded commands and its memory.
///
/// Lock order: a thread locks the pool before the stream, and takes no other lock while it holds the lock of
/// the stream.
pub(crate) struct Engine {
    context: Context,
    stream: Mutex<Stream>,
    pool: Mutex<Pool<Segment>>,
    /// Sends jobs to the thread for asynchronous reads, which waits for the device.
    waiter: OnceLock<mpsc::Sender<Job>>,
}

/// A function that runs on the thread for asynchronous reads.
type Job = Box<dyn FnOnce() + Send>;

impl Deref for Engine {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Engine {
    /// An engine with a pool of at most `memory_bytes` bytes.
    pub fn new(context: Context, memory_bytes: u64) -> Self {
        let stream = Mutex::new(Stream::new(&context.device));
        Engine { context, stream, pool: Mutex::new(Pool::new(policy(memory_bytes))), waiter: OnceLock::new() }
    }

    /// The commands that are recorded and not submitted.
    ///
    /// # Errors
    /// The device is lost.
    pub fn stream(&self) -> Result<MutexGuard<'_, Stream>, RuntimeError> {
        self.open_stream().ok_or_else(|| self.lost_error())
    }

    /// [`Engine::stream`], or `None` if the device is lost.
    pub fn open_stream(&self) -> Option<MutexGuard<'_, Stream>> {
        self.lost_reason().is_none().then(|| lock(&self.stream))
    }

    /// Runs a job that waits for the device. The job runs on the engine's thread for asynchronous reads, after all
    /// earlier jobs. The thread ends with the engine.
    pub fn later(&self, job: impl FnOnce() + Send + 'static) {
        let waiter = self.waiter.get_or_init(|| {
            let (sender, jobs) = mpsc::channel::<Job>();
            std::thread::spawn(move || jobs.into_iter().for_each(|job| job()));
            sender
        });
        // If the thread has ended, the job is dropped, and the job's promise returns an error.
        let _ = waiter.send(Box::new(job));
    }

    /// The memory pool, with the source of the pool's segments.
    pub fn pool(&self) -> (MutexGuard<'_, Pool<Segment>>, Segments<'_>) {
        (lock(&self.pool), Segments { context: &self.context, stream: &self.stream })
    }

    /// The memory usage of the pool.
    pub fn usage(&self) -> MemoryUsage {
        lock(&self.pool).usage()
    }

    /// Returns free buffers to the driver.
    pub fn cleanup(&self) {
        let (mut pool, mut segments) = self.pool();
        pool.trim(&mut segments);
    }
}
