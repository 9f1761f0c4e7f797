//! The debug output of kernels: a record buffer for each launch, and the destination of the printed lines.
use crate::buffer::Buffer;
use crate::device::{Device, Init};
use crate::error::{ErrorKind, RuntimeError};
use cube_artifact::{
    Artifact,
    prints::{WORDS, read},
};
use std::sync::{Mutex, PoisonError};

type Sink = Box<dyn Fn(&str) + Send>;

static SINK: Mutex<Option<Sink>> = Mutex::new(None);

/// Sends the printed lines of all kernels in this process to `sink`, with one call for each line. Without a sink, the
/// lines go to standard output.
pub fn set_sink(sink: impl Fn(&str) + Send + 'static) {
    *SINK.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(sink));
}

/// Makes standard output the destination of printed lines again.
pub fn clear_sink() {
    *SINK.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The printed records of one launch.
pub struct Prints<'a> {
    artifact: &'a Artifact,
    buffer: Option<Buffer>,
}

impl<'a> Prints<'a> {
    /// Allocates a buffer for the records, if the kernel prints.
    ///
    /// # Errors
    /// The errors of the device's methods.
    #[inline]
    pub fn new(device: &dyn Device, artifact: &'a Artifact) -> Result<Self, RuntimeError> {
        let needed = !artifact.prints.is_empty();
        let buffer = needed.then(|| device.alloc(u64::from(WORDS) * 4, Init::Zero)).transpose()?;
        Ok(Prints { artifact, buffer })
    }

    /// The record buffer, for [`crate::launch::BoundLaunch::with_prints`].
    #[inline]
    pub fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }

    /// Waits for the launch and delivers its printed lines.
    ///
    /// # Errors
    /// The errors of the launch. A failure that the kernel reports is also an error.
    #[inline]
    pub fn show(self, device: &dyn Device) -> Result<(), RuntimeError> {
        self.buffer.as_ref().map_or(Ok(()), |buffer| self.show_records(device, buffer))
    }

    fn show_records(&self, device: &dyn Device, buffer: &Buffer) -> Result<(), RuntimeError> {
        let mut requested = [0; 4];
        device.read(buffer, 0, &mut requested)?;
        let words = u32::from_le_bytes(requested).saturating_add(2).min(WORDS);
        let mut bytes = vec![0; words as usize * 4];
        device.read(buffer, 0, &mut bytes)?;
        let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let sink = SINK.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = read(&self.artifact.prints, &words);
        for line in printed.lines {
            match &*sink {
                Some(sink) => sink(&line),
                None => println!("{line}"),
            }
        }
        printed.failure.map_or(Ok(()), |why| Err(RuntimeError::new(ErrorKind::Stopped, why)))
    }
}
