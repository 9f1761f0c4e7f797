//! The cache of kernels that earlier runs have compiled. The variable `CUBE_CACHE` enables the cache.
use crate::failure::Failure;
use crate::report::Times;
use cube_artifact::{Artifact, CompileOptions, Target};
use cube_runtime::cache::KernelCache;
use std::path::PathBuf;
use std::time::Instant;

/// Returns the artifact from the cache, or calls `compile` and stores the result in the cache. `compiler` is the
/// program that compiles.
///
/// # Errors
/// The errors of `compile`, or an error for an invalid cache size. If the artifact cannot be stored in the
/// cache, the function only prints a message.
pub fn cached(
    compiler: Option<PathBuf>,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    times: &mut Times,
    compile: impl FnOnce(&mut Times) -> Result<Artifact, Failure>,
) -> Result<Artifact, Failure> {
    let start = Instant::now();
    let Some(cache) = KernelCache::of(&crate::variables(), compiler)? else { return compile(times) };
    if let Some(kept) = cache.load(source, target, options) {
        times.add("cache", start.elapsed(), format!("compiled before, {}", cache.folder().display()));
        return Ok(kept);
    }
    let artifact = compile(times)?;
    if let Err(error) = cache.store(source, target, options, &artifact) {
        eprintln!("{error}");
    }
    Ok(artifact)
}
