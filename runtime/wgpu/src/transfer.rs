//! Copies between the host and buffers of the device.
//!
//! WebGPU copies whole words of four bytes. A write of other bytes reads the words at its ends first.
use crate::engine::Engine;
use crate::segments::Segment;
use crate::staging::STEP;
use cube_runtime::{ErrorKind, RuntimeError};
use std::ops::Range;
use std::sync::mpsc;

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

/// Copies from byte `start` of a buffer on, after all commands that were recorded before.
///
/// # Errors
/// The device is lost or out of memory.
pub(crate) fn read(engine: &Engine, from: &Segment, start: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
    for (step, part) in out.chunks_mut(STEP as usize).enumerate() {
        let start = start + step as u64 * STEP;
        read_step(engine, from, start..start + part.len() as u64, part)?;
    }
    Ok(())
}

fn read_step(engine: &Engine, from: &Segment, bytes: Range<u64>, out: &mut [u8]) -> Result<(), RuntimeError> {
    let words = bytes.start / WORD * WORD..bytes.end.next_multiple_of(WORD);
    let size = words.end - words.start;
    let mut stream = engine.stream()?;
    let staging = engine.checked(|| Ok(stream.staging(&engine.device, size)))?;
    stream.encoder(&engine.device).copy_buffer_to_buffer(&from.buffer, words.start, &staging, 0, size);
    stream.flush(engine)?;
    let (done, mapped) = mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, 0..size, move |result| drop(done.send(result)));
    let submission = stream.last();
    drop(stream);
    engine.wait(submission)?;
    let mapped = loop {
        match mapped.try_recv() {
            Ok(mapped) => break mapped,
            // Another thread's poll calls back just now.
            Err(mpsc::TryRecvError::Empty) => engine.wait(None)?,
            Err(mpsc::TryRecvError::Disconnected) => return Err(unreadable("the callback is gone")),
        }
    };
    mapped.map_err(|error| unreadable(&error.to_string()))?;
    let view = staging.slice(0..size).get_mapped_range().map_err(|error| unreadable(&error.to_string()))?;
    let skipped = (bytes.start - words.start) as usize;
    out.copy_from_slice(&view[skipped..skipped + out.len()]);
    drop(view);
    staging.unmap();
    engine.stream()?.keep(staging);
    Ok(())
}

fn unreadable(why: &str) -> RuntimeError {
    RuntimeError::new(ErrorKind::Driver, format!("a buffer cannot be read ({why}): report this"))
}
