//! Copies between the host and buffers of the device.
//!
//! WebGPU copies whole words of four bytes. If a write covers only a part of a word, the runtime reads this
//! word first.
use crate::context::IN_BROWSER;
use crate::engine::Engine;
use crate::segments::Segment;
use crate::staging::STEP;
use cube_runtime::transfer::promise;
use cube_runtime::{ErrorKind, HostBytes, Reading, RuntimeError};
use std::ops::Range;
use std::sync::{Arc, mpsc};

const WORD: u64 = wgpu::COPY_BUFFER_ALIGNMENT;

/// Copies `data` to byte `start` of a buffer.
///
/// # Errors
/// The device is lost or out of memory.
pub(crate) fn write(engine: &Engine, to: &Segment, start: u64, data: &[u8]) -> Result<(), RuntimeError> {
    let end = start + data.len() as u64;
    let words = start / WORD * WORD..end.next_multiple_of(WORD);
    if start == words.start && (end == words.end) {
        return write_words(engine, to, start, data);
    }
    let mut whole = vec![0; (words.end - words.start) as usize];
    read(engine, to, words.start, &mut whole)?;
    whole[(start - words.start) as usize..][..data.len()].copy_from_slice(data);
    write_words(engine, to, words.start, &whole)
}

fn write_words(engine: &Engine, to: &Segment, start: u64, data: &[u8]) -> Result<(), RuntimeError> {
    let mut stream = engine.stream()?;
    stream.flush(engine)?;
    engine.checked(|| {
        for (step, part) in data.chunks(STEP as usize).enumerate() {
            engine.queue.write_buffer(&to.buffer, start + step as u64 * STEP, part);
            if part.len() as u64 == STEP {
                engine.queue.submit([]);
            }
        }
        Ok(())
    })
}

/// Copies the bytes of a buffer from offset `start` to the host. The copy runs after all commands that were
/// recorded before this call.
///
/// # Errors
/// The device is lost or out of memory.
pub(crate) fn read(engine: &Engine, from: &Segment, start: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
    for (step, part) in out.chunks_mut(STEP as usize).enumerate() {
        let start = start + step as u64 * STEP;
        begin(engine, from, start..start + part.len() as u64)?.finish(engine, part)?;
    }
    Ok(())
}

/// Queues the copy that [`read`] performs, and returns a future with the bytes. In a browser, a read has at
/// most [`STEP`] bytes.
///
/// # Errors
/// The device is lost or out of memory.
pub(crate) fn read_later(engine: &Arc<Engine>, from: &Segment, bytes: Range<u64>) -> Result<Reading, RuntimeError> {
    if IN_BROWSER {
        return read_in_browser(engine, from, bytes);
    }
    let starts = bytes.clone().step_by(STEP as usize);
    let parts = starts.map(|start| begin(engine, from, start..bytes.end.min(start + STEP)));
    let parts: Vec<Copied> = parts.collect::<Result<_, _>>()?;
    let (promise, pending) = promise();
    let of = Arc::clone(engine);
    engine.later(move || {
        let mut out = vec![0; (bytes.end - bytes.start) as usize];
        let mut each = out.chunks_mut(STEP as usize).zip(parts);
        let result = each.try_for_each(|(out, part)| part.finish(&of, out));
        promise.complete(result.map(|()| HostBytes::from(out)));
    });
    Ok(pending)
}

/// [`read_later`] without a thread: the callback of the browser completes the future.
fn read_in_browser(engine: &Arc<Engine>, from: &Segment, bytes: Range<u64>) -> Result<Reading, RuntimeError> {
    let len = (bytes.end - bytes.start) as usize;
    if len as u64 > STEP {
        return Err(RuntimeError::user(format!(
            "a read in a browser is limited to {STEP} bytes, not {len}; read the buffer in parts"
        )));
    }
    let (promise, pending) = promise();
    if len == 0 {
        promise.complete(Ok(HostBytes::from(vec![])));
        return Ok(pending);
    }
    let words = words(&bytes);
    let (staging, _) = copied(engine, from, &words)?;
    let (skipped, of, mapped) = ((bytes.start - words.start) as usize, Arc::clone(engine), staging.clone());
    staging.map_async(wgpu::MapMode::Read, 0..words.end - words.start, move |result| {
        let mut out = vec![0; len];
        let result = result.map_err(|error| unreadable(&error.to_string()));
        let result = result.and_then(|()| taken(&of, mapped, skipped, &mut out));
        promise.complete(result.map(|()| HostBytes::from(out)));
    });
    Ok(pending)
}

/// The whole words that contain a range of bytes.
fn words(bytes: &Range<u64>) -> Range<u64> {
    bytes.start / WORD * WORD..bytes.end.next_multiple_of(WORD)
}

/// Submits a copy of words to a staging buffer.
fn copied(
    engine: &Engine,
    from: &Segment,
    words: &Range<u64>,
) -> Result<(wgpu::Buffer, Option<wgpu::SubmissionIndex>), RuntimeError> {
    let size = words.end - words.start;
    let mut stream = engine.stream()?;
    let staging = engine.checked(|| Ok(stream.staging(&engine.device, size)))?;
    stream.encoder(&engine.device).copy_buffer_to_buffer(&from.buffer, words.start, &staging, 0, size);
    stream.flush(engine)?;
    Ok((staging, stream.last()))
}

/// Copies the bytes of a mapped staging buffer, and stores the buffer for the next read.
fn taken(engine: &Engine, staging: wgpu::Buffer, skipped: usize, out: &mut [u8]) -> Result<(), RuntimeError> {
    let size = ((skipped + out.len()) as u64).next_multiple_of(WORD);
    let view = staging.slice(0..size).get_mapped_range();
    let view = view.map_err(|error| unreadable(&error.to_string()))?;
    out.copy_from_slice(&view[skipped..skipped + out.len()]);
    drop(view);
    staging.unmap();
    engine.stream()?.keep(staging);
    Ok(())
}

/// A submitted copy into a buffer that the host can read.
struct Copied {
    staging: wgpu::Buffer,
    /// Number of bytes of the first copied word that precede the requested range.
    skipped: usize,
    submission: Option<wgpu::SubmissionIndex>,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

fn begin(engine: &Engine, from: &Segment, bytes: Range<u64>) -> Result<Copied, RuntimeError> {
    let words = words(&bytes);
    let (staging, submission) = copied(engine, from, &words)?;
    let (done, mapped) = mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, 0..words.end - words.start, move |result| drop(done.send(result)));
    Ok(Copied { staging, skipped: (bytes.start - words.start) as usize, submission, mapped })
}

impl Copied {
    fn finish(self, engine: &Engine, out: &mut [u8]) -> Result<(), RuntimeError> {
        engine.wait(self.submission)?;
        let mapped = loop {
            match self.mapped.try_recv() {
                Ok(mapped) => break mapped,
                // The poll of another thread is currently running the callback, so this thread waits.
                Err(mpsc::TryRecvError::Empty) => engine.wait(None)?,
                Err(mpsc::TryRecvError::Disconnected) => return Err(unreadable("the callback was dropped")),
            }
        };
        mapped.map_err(|error| unreadable(&error.to_string()))?;
        taken(engine, self.staging, self.skipped, out)
    }
}

fn unreadable(why: &str) -> RuntimeError {
    RuntimeError::new(ErrorKind::Driver, format!("a buffer cannot be read ({why}); please report this error"))
}
