//! Kernels that an earlier run has compiled, if `CUBE_CACHE` enables the cache.
use crate::failure::Failure;
use crate::report::Times;
use cube_artifact::{Artifact, CompileOptions, Target};
use cube_runtime::cache::KernelCache;
use std::path::PathBuf;
use std::time::Instant;

/// The artifact from the cache, or the result of `compile`, which is then cached. `compiler` is the program that compiles.
///
/// # Errors
/// The errors of `compile`, or the size of the cache is invalid. A failure to cache the kernel is only reported.
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
