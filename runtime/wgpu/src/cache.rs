//! Stores the pipelines that the driver has compiled, so that the next run of a program can use them.
//!
//! The cache has one file for each adapter. The file begins with a hash of its data, so that a damaged file is
//! ignored. The driver also checks that the same version of the driver has written the data. A write replaces
//! the complete file of the cache.
use crate::context::{Context, lock};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const MAGIC: &[u8; 8] = b"CUBEPIP\x01";

/// Maximum bytes of a cache file; larger files are neither read nor written.
const MAX_BYTES: usize = 256 << 20;

/// The pipeline cache of a context, with the file of the cache.
pub(crate) struct PipelineCache {
    cache: wgpu::PipelineCache,
    file: PathBuf,
    /// Hash of the data that this process wrote most recently; `None` before its first write.
    kept: Mutex<Option<blake3::Hash>>,
}

impl PipelineCache {
    /// The cache of an adapter in a folder; `None` if the device has no pipeline cache, as on every API except
    /// Vulkan.
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

    /// The cache as an argument for the creation of a pipeline.
    pub fn get(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Writes the cache file if new pipelines have changed the content of the cache. If the folder is not
    /// writable, later runs of the program compile the pipelines again.
    pub fn save(&self) {
        let Some(data) = self.cache.get_data().filter(|data| data.len() <= MAX_BYTES) else { return };
        let hash = blake3::hash(&data);
        let mut kept = lock(&self.kept);
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

/// The data of a cache file; `None` if the file is damaged.
fn sound(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (head, data) = bytes.split_at_checked(MAGIC.len() + blake3::OUT_LEN)?;
    let is_sound = bytes.len() <= MAX_BYTES && head.starts_with(MAGIC) && head.ends_with(blake3::hash(data).as_bytes());
    is_sound.then(|| data.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_cache_file_is_ignored() {
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
