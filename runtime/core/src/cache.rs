//! A cache of compiled kernels that persists between runs of a program, with one file for each kernel.
//!
//! The name of a file is a hash of all inputs of the compiled code: the source, the target, the options and this
//! machine. The header of each cache file contains this hash, and a stamp that identifies the compiler. If another
//! compiler wrote the file, the kernel is compiled again. If no compiler is installed, the cache accepts files of any
//! compiler, so a program with a filled cache needs no compiler.
//!
//! Several processes can share a folder, because each file is written atomically. A damaged or truncated file, or a
//! file of another kernel, is a cache miss and is replaced. Each cache folder has a size limit. When a folder reaches
//! its size limit, the cache removes the least recently used files first.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cube_runtime::{ChildCompiler, cache::{CachedCompiler, KernelCache}};
//!
//! // What CUBE_CACHE asks for, or this folder.
//! let variables = cube_artifact::Variables::of_process();
//! let compiler_program = cube_runtime::child::installed(&variables);
//! let cache = KernelCache::of(&variables, compiler_program.clone())?;
//! let cache = cache.unwrap_or_else(|| KernelCache::new("kept".into(), compiler_program));
//! let compiler = CachedCompiler::new(ChildCompiler::new(&variables), Some(cache));
//! # Ok(()) }
//! ```
mod folder;
mod key;

pub use folder::CacheConfig;
pub use key::machine;

use cube_artifact::Variables;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target, codes};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The environment variable that sets the cache folder: a path, `local`, `target`, `global` or `1`; `0` disables the
/// cache.
pub const CACHE_VARIABLE: &str = "CUBE_CACHE";

/// The environment variable that sets the size limit of the cache in MiB.
pub const SIZE_VARIABLE: &str = "CUBE_CACHE_MIB";

/// Default size limit of a folder in bytes.
pub const DEFAULT_LIMIT: u64 = 256 << 20;

/// The size to which a full cache is reduced, for a given size limit. A reduced cache has room for further
/// kernels before files must be removed again.
const LEFT: fn(u64) -> u64 = |limit| limit / 4 * 3;

/// The first bytes of a cache file, which include the version of the file format.
const MAGIC: &[u8; 8] = b"CUBEKRN\x01";

/// Size of the header of a cache file in bytes: magic bytes, key and stamp.
const HEAD: usize = 8 + 32 + 32;

/// Minimum time between two updates of a file's time of last use.
const USED_AGAIN: Duration = Duration::from_secs(600);

/// Minimum age of an unfinished file that the cache considers abandoned.
const ABANDONED: Duration = Duration::from_secs(600);

/// A folder of compiled kernels.
#[derive(Clone, Debug)]
pub struct KernelCache {
    folder: PathBuf,
    limit: u64,
    stamp: Option<[u8; 32]>,
}

/// The reason why the cache did not store a compiled kernel. The program can use the compiled kernel although
/// the cache did not store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheError {
    /// The file that could not be written.
    pub file: PathBuf,
    /// The cause of the error and the fix.
    pub reason: String,
}

impl CacheError {
    /// The error code for `--explain`.
    pub fn code(&self) -> &'static str {
        codes::KERNEL_CACHE
    }
}

impl std::fmt::Display for CacheError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "error[{}]: a compiled kernel cannot be kept in {}: {}; it is compiled again the next time, unless {CACHE_VARIABLE} names another folder",
            self.code(),
            self.file.display(),
            self.reason
        )
    }
}

impl std::error::Error for CacheError {}

impl KernelCache {
    /// The cache in the folder `root`, for the compiler at the path `compiler`. If `compiler` is `None`, the cache
    /// accepts files of any compiler.
    pub fn new(root: PathBuf, compiler: Option<PathBuf>) -> Self {
        KernelCache { folder: root.join("kernels"), limit: DEFAULT_LIMIT, stamp: compiler.and_then(key::stamp) }
    }

    /// The cache that the environment variables request, if any: `CUBE_CACHE` sets its folder,
    /// `CUBE_CACHE_MIB` its size.
    ///
    /// # Errors
    /// The value of `CUBE_CACHE_MIB` is not a size.
    pub fn of(variables: &Variables, compiler: Option<PathBuf>) -> Result<Option<Self>, CompileError> {
        let value = variables.get(CACHE_VARIABLE).unwrap_or_default();
        let Some(config) = CacheConfig::from_variable(value) else { return Ok(None) };
        Ok(Some(Self::new(config.root(variables), compiler).limit(Self::limit_of(variables)?)))
    }

    /// The size limit that `CUBE_CACHE_MIB` sets.
    ///
    /// # Errors
    /// The value of `CUBE_CACHE_MIB` is not a size.
    pub fn limit_of(variables: &Variables) -> Result<u64, CompileError> {
        limit_from(variables.get(SIZE_VARIABLE))
    }

    /// Sets the size limit of the cache in bytes.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    /// The folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: &[u8; 32]) -> PathBuf {
        self.folder.join(format!("{}.artifact", blake3::Hash::from_bytes(*key).to_hex()))
    }

    /// Loads the compiled kernel of a source; `None` for a cache miss. A damaged file, or a file of another compiler,
    /// is a cache miss. The result is also a cache miss if `options` request reports.
    pub fn load(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Option<Artifact> {
        if !options.reports.is_empty() {
            return None;
        }
        let key = key::of(source, target, options);
        let file = self.file(&key);
        let bytes = fs::read(&file).ok()?;
        let (head, artifact) = bytes.split_at_checked(HEAD)?;
        if head[..8] != MAGIC[..] || head[8..40] != key || self.stamp.is_some_and(|mine| head[40..] != mine) {
            return None;
        }
        let artifact = Artifact::from_bytes(artifact).ok()?;
        mark_used(&file);
        Some(artifact)
    }

    /// Stores a compiled kernel.
    ///
    /// # Errors
    /// The folder cannot be created or written, or the disk is full. After an error, no partial file remains.
    pub fn store(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        artifact: &Artifact,
    ) -> Result<(), CacheError> {
        // Without a compiler, there is nothing to store. The result of a compilation with reports is not stored,
        // because it can depend on files that the user has edited.
        let Some(stamp) = self.stamp.filter(|_| options.reports.is_empty()) else { return Ok(()) };
        let key = key::of(source, target, options);
        let bytes = [&MAGIC[..], &key, &stamp, &artifact.to_bytes()].concat();
        if bytes.len() as u64 > self.limit {
            return Ok(());
        }
        let failed = |file: &Path, error: std::io::Error| CacheError { file: file.into(), reason: error.to_string() };
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        self.make_room(bytes.len() as u64);
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let file = self.file(&key);
        let unique = format!("{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let part = file.with_extension(unique);
        let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &file));
        written.map_err(|error| {
            let _ = fs::remove_file(&part);
            failed(&file, error)
        })
    }

    // Removes the least recently used files until `bytes` bytes fit. Another process can remove files at the same time,
    // so a file can be missing already.
    fn make_room(&self, bytes: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let Ok(found) = entry.metadata() else { continue };
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let path = entry.path();
            let unfinished = path.extension().is_some_and(|ending| ending == "part");
            match unfinished && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                true => drop(fs::remove_file(path)),
                false if unfinished => {}
                false => files.push((used, found.len(), path)),
            }
        }
        let mut total = files.iter().map(|(_, len, _)| len).sum::<u64>();
        if total + bytes <= self.limit {
            return;
        }
        files.sort();
        for (_, len, path) in files {
            if total + bytes <= LEFT(self.limit) {
                break;
            }
            let _ = fs::remove_file(path);
            total -= len;
        }
    }
}

// The function does not update the time of last use at every read, so that most reads of the cache write nothing. In a
// read-only folder, the files keep the times of their creation.
fn mark_used(file: &Path) {
    let long_ago = || fs::metadata(file).ok()?.modified().ok()?.elapsed().ok();
    if long_ago().is_some_and(|age| age > USED_AGAIN) {
        let _ = fs::File::options().append(true).open(file).and_then(|open| open.set_modified(SystemTime::now()));
    }
}

fn limit_from(value: Option<&std::ffi::OsStr>) -> Result<u64, CompileError> {
    let Some(value) = value else { return Ok(DEFAULT_LIMIT) };
    let mib = value.to_str().and_then(|text| text.trim().parse::<u64>().ok()).filter(|mib| (1..1 << 24).contains(mib));
    mib.map(|mib| mib << 20).ok_or_else(|| {
        let value = value.to_string_lossy();
        CompileError::from(cube_artifact::diagnostic!(CUBE0923.megabytes { variable: SIZE_VARIABLE, value }))
    })
}

/// A compiler with a cache: the compiler is called only on a cache miss.
#[derive(Debug)]
pub struct CachedCompiler<C> {
    compiler: C,
    cache: Option<KernelCache>,
    problem: std::sync::Mutex<Option<CacheError>>,
}

impl<C: Compiler> CachedCompiler<C> {
    /// Combines a compiler with a cache. If the cache is `None`, every kernel is compiled.
    pub fn new(compiler: C, cache: Option<KernelCache>) -> Self {
        CachedCompiler { compiler, cache, problem: std::sync::Mutex::default() }
    }

    /// The reason why the last kernel was not stored, if any; the next call returns `None`.
    pub fn take_problem(&self) -> Option<CacheError> {
        self.problem.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }
}

impl<C: Compiler> Compiler for CachedCompiler<C> {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        let Some(cache) = &self.cache else { return self.compiler.compile(source, target, options) };
        if let Some(kept) = cache.load(source, target, options) {
            return Ok(kept);
        }
        let artifact = self.compiler.compile(source, target, options)?;
        if let Err(problem) = cache.store(source, target, options, &artifact) {
            *self.problem.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(problem);
        }
        Ok(artifact)
    }

    fn parallelism(&self) -> usize {
        self.compiler.parallelism()
    }

    fn compile_and_report(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, String), CompileError> {
        match options.reports.is_empty() {
            true => self.compile(source, target, options).map(|artifact| (artifact, String::new())),
            false => self.compiler.compile_and_report(source, target, options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_size_limit_is_parsed_or_rejected_with_a_fix() {
        let read = |text: &str| limit_from(Some(text.as_ref()));
        assert_eq!((limit_from(None), read("3")), (Ok(DEFAULT_LIMIT), Ok(3 << 20)));
        for text in ["", "0", "-1", "much", "1.5", "99999999999"] {
            let error = read(text).expect_err(text);
            assert_eq!(error.diagnostics[0].code.as_deref(), Some(codes::ENVIRONMENT));
            assert!(error.to_string().contains(&format!("CUBE_CACHE_MIB is '{text}'")), "{error}");
        }
    }
}
