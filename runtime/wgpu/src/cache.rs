//! Keeps the driver's compiled pipelines between runs of a program.
//!
//! Each adapter has one file. The file begins with a hash of its data, so that a damaged file is ignored. The driver
//! also checks
//! that the data are from its own version. A write replaces the complete file.
use crate::context::{Context, locked};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const MAGIC: &[u8; 8] = b"CUBEPIP\x01";

/// The largest file that is read or written.
const MOST_BYTES: usize = 256 << 20;

/// The cache of a context, with its file.
pub(crate) struct PipelineCache {
    cache: wgpu::PipelineCache,
    file: PathBuf,
    /// Hash of the file's data.
    kept: Mutex<Option<blake3::Hash>>,
}

impl PipelineCache {
    /// The cache of an adapter in a folder; `None` for a device without pipeline caches: only Vulkan has them.
    pub fn open(context: &Context, info: &wgpu::AdapterInfo, folder: &Path) -> Option<Self> {
        let key = wgpu::util::pipeline_cache_key(info)?;
        if !context.device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let file = folder.join("pipelines").join(format!("{key}.bin"));
        let data = fs::read(&file).ok().and_then(sound);
        let descriptor = wgpu::PipelineCacheDescriptor { label: None, data: data.as_deref(), fallback: true };
        // SAFETY: `get_data` has returned these data, as the hash in the file shows.
        let cache = context.checked(|| Ok(unsafe { context.device.create_pipeline_cache(&descriptor) })).ok()?;
        Some(PipelineCache { cache, file, kept: Mutex::default() })
    }

    /// The cache, for a new pipeline.
    pub fn get(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Writes the file if a pipeline has changed the content. If the folder cannot be written, later runs compile
    /// again.
    pub fn save(&self) {
        let Some(data) = self.cache.get_data().filter(|data| data.len() <= MOST_BYTES) else { return };
        let hash = blake3::hash(&data);
        let mut kept = locked(&self.kept);
        if *kept == Some(hash) {
            return;
        }
        let bytes: Vec<u8> = MAGIC.iter().chain(hash.as_bytes()).chain(&data).copied().collect();
        let Some(folder) = self.file.parent() else { return };
        let unfinished = folder.join(format!("{}.{}", std::process::id(), hash.to_hex()));
        let written = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&unfinished, bytes))
            .and_then(|()| fs::rename(&unfinished, &self.file));
        match written {
            Ok(()) => *kept = Some(hash),
            Err(_) => drop(fs::remove_file(&unfinished)),
        }
    }
}

/// The data of an undamaged file.
fn sound(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (head, data) = bytes.split_at_checked(MAGIC.len() + blake3::OUT_LEN)?;
    let is_sound =
        bytes.len() <= MOST_BYTES && head.starts_with(MAGIC) && head.ends_with(blake3::hash(data).as_bytes());
    is_sound.then(|| data.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_counts_as_none() {
        let data = b"pipelines".to_vec();
        let file = || MAGIC.iter().chain(blake3::hash(&data).as_bytes()).chain(&data).copied().collect::<Vec<u8>>();
        assert_eq!(sound(file()), Some(data.clone()));
        for at in 0..file().len() {
            let mut broken = file();
            broken[at] ^= 1;
            assert_eq!(sound(broken), None, "byte {at}");
            assert_eq!(sound(file()[..at].to_vec()), None, "cut at {at}");
        }
    }
}
