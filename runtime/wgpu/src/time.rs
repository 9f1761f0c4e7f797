//! Measures the time of launches with timestamps of the device.
use crate::engine::Engine;
use crate::segments::Segment;
use crate::transfer;
use cube_runtime::RuntimeError;
use std::time::Duration;

/// The wgpu features that the time measurement requires.
pub(crate) const FEATURES: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// The two timestamps before and after the measured work.
pub(crate) struct Timer {
    queries: wgpu::QuerySet,
}

impl Timer {
    /// Records the first timestamp after all earlier work.
    ///
    /// # Errors
    /// The device is lost or out of memory.
    pub fn begin(engine: &Engine) -> Result<Self, RuntimeError> {
        let descriptor = wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count: 2 };
        let queries = engine.checked(|| Ok(engine.device.create_query_set(&descriptor)))?;
        let mut stream = engine.stream()?;
        stream.flush(engine)?;
        // The timestamp and the work are submitted together, so the device does not wait for the host between them.
        stream.encoder(&engine.device).write_timestamp(&queries, 0);
        Ok(Timer { queries })
    }

    /// Records the second timestamp, waits for the device, and returns the time between the two timestamps.
    ///
    /// # Errors
    /// The device is lost or out of memory.
    pub fn end(self, engine: &Engine) -> Result<Duration, RuntimeError> {
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size: wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        };
        let resolved = engine.checked(|| Ok(engine.device.create_buffer(&descriptor)))?;
        let mut stream = engine.stream()?;
        let encoder = stream.encoder(&engine.device);
        encoder.write_timestamp(&self.queries, 1);
        encoder.resolve_query_set(&self.queries, 0..2, &resolved, 0);
        drop(stream);
        let mut bytes = [0; 16];
        transfer::read(engine, &Segment::new(resolved), 0, &mut bytes)?;
        let [begin, end] = [&bytes[..8], &bytes[8..]].map(|half| half.try_into().map_or(0, u64::from_le_bytes));
        let ticks = end.saturating_sub(begin) as f64;
        Ok(Duration::from_secs_f64(ticks * f64::from(engine.queue.get_timestamp_period()) / 1e9))
    }
}
