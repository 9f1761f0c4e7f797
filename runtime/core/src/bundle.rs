//! Bundles: files with the compiled kernels of a program for several targets.
//!
//! `cubec bundle` writes a bundle ahead of time. A client that loads the bundle needs no compiler for the kernels of the
//! bundle.
//!
//! ```text
//! 8 bytes magic | u32 format version | u64 size of the file | u64 size of the index | blake3 of the index
//! index (postcard) | artifacts
//! ```
//!
//! The index has one entry per kernel and target, with the checksum of the entry's artifact. [`Bundle::open`] checks the
//! index, and [`Bundle::artifact`] checks an artifact. A damaged or truncated file is an error, and never a wrong kernel.
use cube_artifact::protocol::COMPILER_BUILD;
use cube_artifact::{Artifact, CompileOptions, Target, codes};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable with the paths of bundles, separated as in `PATH`.
pub const BUNDLE_VARIABLE: &str = "CUBE_BUNDLE";

/// Version of the file format.
pub const BUNDLE_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"CUBEBNDL";

/// Size of the header in bytes: magic bytes, version, both sizes and the checksum.
const HEAD: usize = 8 + 4 + 8 + 8 + 32;

/// Maximum size of an index in bytes.
const MAX_INDEX: u64 = 256 << 20;

/// The reason why a bundle, or one of its kernels, cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleError {
    /// The file, if the bundle is a file.
    pub file: Option<PathBuf>,
    /// The cause.
    pub cause: BundleErrorCause,
}

/// The causes of a [`BundleError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleErrorCause {
    /// The file cannot be read, for the reason in the text.
    Unreadable(String),
    /// The file does not begin with the magic bytes of a bundle.
    NotABundle,
    /// The file has another version of the format.
    Version {
        /// The version found.
        found: u32,
    },
    /// Another build of the compiler wrote the file.
    Build {
        /// The build found.
        found: String,
    },
    /// The size of the file differs from the size in its header.
    Truncated {
        /// The size in the header, in bytes.
        expected: u64,
        /// The size of the file, in bytes.
        found: u64,
    },
    /// The checksum of the named part of the file is wrong, so this part was changed after it was written.
    Damaged(&'static str),
}

impl BundleError {
    /// The error code for `--explain`.
    pub fn code(&self) -> &'static str {
        codes::BUNDLE
    }
}

impl std::fmt::Display for BundleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use BundleErrorCause as Cause;
        let file = self.file.as_ref().map_or("the bundle".into(), |file| file.display().to_string());
        write!(f, "error[{}]: ", self.code())?;
        match &self.cause {
            Cause::Unreadable(reason) => write!(f, "{file} cannot be read: {reason}"),
            Cause::NotABundle => write!(f, "{file} is not a bundle; write one with `cubec bundle KERNELS -o FILE`"),
            Cause::Version { found } => {
                write!(
                    f,
                    "{file} has format version {found}, but this program reads version {BUNDLE_VERSION}; write the bundle again"
                )
            }
            Cause::Build { found } => {
                write!(
                    f,
                    "{file} was written by the compiler {found}, but this program needs {COMPILER_BUILD}; write the bundle again"
                )
            }
            Cause::Truncated { expected, found } => {
                write!(f, "{file} has {found} bytes, but its header says {expected} bytes; write the bundle again")
            }
            Cause::Damaged(part) => write!(f, "{part} of {file} is damaged; write the bundle again"),
        }
    }
}

impl std::error::Error for BundleError {}

/// A kernel of a bundle for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleEntry {
    /// Name of the kernel.
    pub kernel: String,
    /// The target for which `cubec bundle` compiled the kernel, as its command line named the target.
    pub target: Target,
    key: [u8; 32],
    checksum: [u8; 32],
    start: u64,
    size: u64,
}

#[derive(Serialize, Deserialize)]
struct Index {
    build: String,
    entries: Vec<BundleEntry>,
}

/// A hash of the source and of the options that determine a kernel's code. The result is `None` for code for a debugger
/// and for requests with reports, because a bundle does not contain such kernels.
fn key(source: &[u8], options: &CompileOptions) -> Option<[u8; 32]> {
    if options.debug || !options.reports.is_empty() {
        return None;
    }
    let rest = postcard::to_stdvec(&(&options.kernel, &options.params)).expect("options contain only plain data");
    let mut hash = blake3::Hasher::new();
    hash.update(&(rest.len() as u64).to_le_bytes()).update(&rest).update(source);
    Some(*hash.finalize().as_bytes())
}

/// Collects compiled kernels for a bundle.
#[derive(Debug, Default)]
pub struct BundleWriter {
    entries: Vec<BundleEntry>,
    seen: HashSet<([u8; 32], Target)>,
    artifacts: Vec<u8>,
}

impl BundleWriter {
    /// Adds the artifact of a source for a target, and returns whether the bundle did not have this source and target.
    /// Kernels for a debugger are not added.
    pub fn add(&mut self, source: &[u8], target: &Target, options: &CompileOptions, artifact: &Artifact) -> bool {
        let Some(key) = key(source, options) else { return false };
        if !self.seen.insert((key, target.clone())) {
            return false;
        }
        let bytes = artifact.to_bytes();
        self.entries.push(BundleEntry {
            kernel: artifact.kernel.clone(),
            target: target.clone(),
            key,
            checksum: *blake3::hash(&bytes).as_bytes(),
            start: self.artifacts.len() as u64,
            size: bytes.len() as u64,
        });
        self.artifacts.extend_from_slice(&bytes);
        true
    }

    /// The content of the bundle's file. The same kernels in the same order give the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let index = Index { build: COMPILER_BUILD.into(), entries: self.entries.clone() };
        let index = postcard::to_stdvec(&index).expect("an index contains only plain data");
        let size = HEAD + index.len() + self.artifacts.len();
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&BUNDLE_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(size as u64).to_le_bytes());
        bytes.extend_from_slice(&(index.len() as u64).to_le_bytes());
        bytes.extend_from_slice(blake3::hash(&index).as_bytes());
        bytes.extend_from_slice(&index);
        bytes.extend_from_slice(&self.artifacts);
        bytes
    }
}

trait Storage: Read + Seek + Send {}

impl<T: Read + Seek + Send> Storage for T {}

/// A bundle whose index has been read. The artifacts are read on demand.
pub struct Bundle {
    file: Option<PathBuf>,
    entries: Vec<BundleEntry>,
    /// Indices of the entries of each key.
    by_key: HashMap<[u8; 32], Vec<usize>>,
    storage: Mutex<Box<dyn Storage>>,
    /// Position of the first artifact in the file.
    artifacts: u64,
}

impl std::fmt::Debug for Bundle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bundle({:?}, {} entries)", self.file, self.entries.len())
    }
}

impl Bundle {
    /// Opens a bundle and checks its index.
    ///
    /// # Errors
    /// The file cannot be read, is not a bundle of this version and build of Cube, or is truncated or damaged.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, BundleError> {
        let file = file.into();
        match File::open(&file) {
            Ok(open) => Self::read(Box::new(open), Some(file)),
            Err(error) => Err(BundleError { file: Some(file), cause: BundleErrorCause::Unreadable(error.to_string()) }),
        }
    }

    /// Reads a bundle from memory, for example from `include_bytes!`.
    ///
    /// # Errors
    /// The bytes are not a bundle of this version and build of Cube, or are truncated or damaged.
    pub fn from_bytes(bytes: impl Into<std::borrow::Cow<'static, [u8]>>) -> Result<Self, BundleError> {
        Self::read(Box::new(Cursor::new(bytes.into())), None)
    }

    fn read(mut storage: Box<dyn Storage>, file: Option<PathBuf>) -> Result<Self, BundleError> {
        match read_index(&mut *storage) {
            Ok((entries, artifacts)) => {
                let mut by_key = HashMap::<_, Vec<usize>>::new();
                entries.iter().enumerate().for_each(|(i, entry)| by_key.entry(entry.key).or_default().push(i));
                Ok(Bundle { file, entries, by_key, storage: Mutex::new(storage), artifacts })
            }
            Err(cause) => Err(BundleError { file, cause }),
        }
    }

    /// The file, if the bundle is a file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// All kernels, in the order in which they were added.
    pub fn entries(&self) -> &[BundleEntry] {
        &self.entries
    }

    /// The entries of a source that a device can use. The entry for exactly this target comes first. If `target` names
    /// no chip, the entries for all chips of the backend follow. The device refuses code for a chip whose features it
    /// lacks.
    pub fn find(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Vec<&BundleEntry> {
        let Some(of_key) = key(source, options).and_then(|key| self.by_key.get(&key)) else { return Vec::new() };
        let entries = || of_key.iter().map(|&i| &self.entries[i]);
        let exact = entries().filter(|entry| entry.target == *target);
        let any_chip = |entry: &&BundleEntry| {
            target.chip.is_none() && entry.target.backend == target.backend && entry.target != *target
        };
        exact.chain(entries().filter(any_chip)).collect()
    }

    /// Reads the artifact of an entry of this bundle.
    ///
    /// # Errors
    /// The file cannot be read, or the artifact is damaged.
    pub fn artifact(&self, entry: &BundleEntry) -> Result<Artifact, BundleError> {
        let failed = |cause| BundleError { file: self.file.clone(), cause };
        let mut bytes = vec![0; entry.size as usize];
        let mut storage = self.storage.lock().unwrap_or_else(PoisonError::into_inner);
        storage
            .seek(SeekFrom::Start(self.artifacts + entry.start))
            .and_then(|_| storage.read_exact(&mut bytes))
            .map_err(|error| failed(BundleErrorCause::Unreadable(error.to_string())))?;
        drop(storage);
        if *blake3::hash(&bytes).as_bytes() != entry.checksum {
            return Err(failed(BundleErrorCause::Damaged("a kernel")));
        }
        Artifact::from_checked_bytes(&bytes).map_err(|_| failed(BundleErrorCause::Damaged("a kernel")))
    }
}

/// Reads and checks the header and the index. Returns the entries, and the position of the first artifact.
fn read_index(storage: &mut dyn Storage) -> Result<(Vec<BundleEntry>, u64), BundleErrorCause> {
    use BundleErrorCause as Cause;
    let unreadable = |error: std::io::Error| Cause::Unreadable(error.to_string());
    let found = storage.seek(SeekFrom::End(0)).map_err(unreadable)?;
    storage.rewind().map_err(unreadable)?;
    let mut head = [0; HEAD];
    let known = found.min(HEAD as u64) as usize;
    storage.read_exact(&mut head[..known]).map_err(unreadable)?;
    if known < MAGIC.len() || head[..8] != MAGIC[..] {
        return Err(Cause::NotABundle);
    }
    let word = |at: usize| u64::from_le_bytes(*head[at..].first_chunk().expect("the header has these bytes"));
    let version = u32::from_le_bytes(*head[8..].first_chunk().expect("the header has these bytes"));
    if known == HEAD && version != BUNDLE_VERSION {
        return Err(Cause::Version { found: version });
    }
    let (size, index_size) = (word(12), word(20));
    if known < HEAD || size != found {
        return Err(Cause::Truncated { expected: size.max(HEAD as u64), found });
    }
    if index_size > MAX_INDEX || HEAD as u64 + index_size > found {
        return Err(Cause::Damaged("the header"));
    }
    let mut index = vec![0; index_size as usize];
    storage.read_exact(&mut index).map_err(unreadable)?;
    if blake3::hash(&index).as_bytes()[..] != head[28..] {
        return Err(Cause::Damaged("the index"));
    }
    // The build number is the first field and is checked first, because another build can use another format of the
    // index.
    let (build, _) = postcard::take_from_bytes::<String>(&index).map_err(|_| Cause::Damaged("the index"))?;
    if build != COMPILER_BUILD {
        return Err(Cause::Build { found: build });
    }
    let index: Index = match postcard::take_from_bytes(&index) {
        Ok((index, [])) => index,
        _ => return Err(Cause::Damaged("the index")),
    };
    let artifacts = HEAD as u64 + index_size;
    let inside = |entry: &BundleEntry| entry.start.checked_add(entry.size).is_some_and(|end| end <= found - artifacts);
    if !index.entries.iter().all(inside) {
        return Err(Cause::Damaged("the index"));
    }
    Ok((index.entries, artifacts))
}

#[cfg(test)]
mod tests;
