//! Tests of the cache of compiled kernels. A damaged file, a killed process or a full disk causes a cache miss or a
//! typed error, and never a wrong kernel. The launch after a cache miss or an error succeeds.
use cube_artifact::{Artifact, CodeFormat, CompileError, CompileOptions, Compiler, Target};
use cube_runtime::cache::{CachedCompiler, KernelCache};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

fn artifact(name: &str, bytes: usize) -> Artifact {
    Artifact {
        kernel: name.into(),
        entry: name.into(),
        target: Target::cpu(),
        format: CodeFormat::ELF_OBJECT,
        code: vec![7; bytes],
        params: vec![],
        derived: vec![],
        info: vec![],
        prints: vec![],
        cube_dim: [1; 3],
        checked: true,
        shared_bytes: 0,
        scratch_bytes: 0,
        overwritten: vec![],
        plane_dim: None,
        cube_count: None,
        unit_limit: None,
        first_cubes: None,
        features: vec![],
    }
}

/// Creates a file that the cache accepts as a compiler.
fn compiler(folder: &Path, version: &str) -> PathBuf {
    let program = folder.join("cubec");
    std::fs::write(&program, version).unwrap();
    program
}

/// Creates a cache in a new folder.
fn cache() -> (tempfile::TempDir, KernelCache) {
    let folder = tempfile::tempdir().unwrap();
    let program = compiler(folder.path(), "1");
    let cache = KernelCache::new(folder.path().into(), Some(program));
    (folder, cache)
}

fn load(cache: &KernelCache, source: &str) -> Option<Artifact> {
    cache.load(source.as_bytes(), &Target::cpu(), &CompileOptions::default())
}

fn store(cache: &KernelCache, source: &str, bytes: usize) {
    let kept = cache.store(source.as_bytes(), &Target::cpu(), &CompileOptions::default(), &artifact(source, bytes));
    kept.unwrap_or_else(|error| panic!("{error}"));
}

fn files(cache: &KernelCache) -> Vec<PathBuf> {
    std::fs::read_dir(cache.folder()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn cached_kernel_is_found_by_the_same_request_only() {
    let (_folder, cache) = cache();
    store(&cache, "k", 10);
    assert_eq!(load(&cache, "k"), Some(artifact("k", 10)));
    assert_eq!(load(&cache, "l"), None);
    let other = CompileOptions { params: vec![("N".into(), "2".into())], ..CompileOptions::default() };
    assert_eq!(cache.load(b"k", &Target::cpu(), &other), None);
    assert_eq!(cache.load(b"k", &"cpu:x86-64-v2".parse().unwrap(), &CompileOptions::default()), None);
}

#[test]
fn reporting_compilation_bypasses_the_cache() {
    let (_folder, cache) = cache();
    let mut reporting = CompileOptions::default();
    reporting.reports.explain = true;
    let compiler = CachedCompiler::new(Second(AtomicU32::new(1)), Some(cache.clone()));
    assert!(compiler.compile_and_report(b"k", &Target::cpu(), &reporting).is_ok());
    assert!(!cache.folder().exists());
    store(&cache, "k", 10);
    assert_eq!(cache.load(b"k", &Target::cpu(), &reporting), None);
    assert!(cache.store(b"l", &Target::cpu(), &reporting, &artifact("l", 10)).is_ok() && load(&cache, "l").is_none());
}

#[test]
fn newer_compiler_misses_the_cache_and_absent_compiler_hits_it() {
    let (folder, cache) = cache();
    store(&cache, "k", 10);
    let newer = KernelCache::new(folder.path().into(), Some(compiler(folder.path(), "22")));
    assert_eq!(load(&newer, "k"), None);
    let none = KernelCache::new(folder.path().into(), None);
    assert!(load(&none, "k").is_some());
    // Code without a compiler is not stored.
    store(&none, "l", 10);
    assert_eq!(load(&none, "l"), None);
}

#[test]
fn corrupt_or_truncated_entry_is_a_miss_and_is_replaced() {
    let (folder, cache) = cache();
    store(&cache, "k", 200);
    let file = files(&cache).pop().unwrap();
    let good = std::fs::read(&file).unwrap();
    let none = KernelCache::new(folder.path().into(), None);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&file, &bad).unwrap();
        assert_eq!(load(&cache, "k"), None, "byte {at}");
        // Without a compiler the stamp is not checked. All other bytes are checked.
        let stamp = 40..72;
        assert_eq!(load(&none, "k").is_some(), stamp.contains(&at), "byte {at}");
        std::fs::write(&file, &good[..at]).unwrap();
        assert_eq!(load(&cache, "k"), None, "cut at {at}");
    }
    std::fs::write(&file, [&good[..], b"more"].concat()).unwrap();
    assert_eq!(load(&cache, "k"), None);
    store(&cache, "k", 200);
    assert_eq!(load(&cache, "k"), Some(artifact("k", 200)));
}

#[test]
fn the_file_of_another_kernel_is_a_miss() {
    let (_folder, cache) = cache();
    store(&cache, "k", 10);
    let first = files(&cache).pop().unwrap();
    let bytes = std::fs::read(&first).unwrap();
    store(&cache, "l", 20);
    let second = files(&cache).into_iter().find(|file| *file != first).unwrap();
    std::fs::write(&second, bytes).unwrap();
    assert_eq!(load(&cache, "l"), None);
}

#[test]
fn cache_folder_limit_evicts_least_recently_used_kernels() {
    let (_folder, cache) = cache();
    let cache = cache.limit(100_000);
    for i in 0..40u64 {
        let source = format!("k{i}");
        store(&cache, &source, 8_000);
        // The files are one day apart in the order of creation. The second file is used repeatedly.
        for file in files(&cache) {
            let age = Duration::from_secs(86_400 * (100 - i));
            let open = std::fs::File::options().append(true).open(file).unwrap();
            if open.metadata().unwrap().modified().unwrap().elapsed().is_ok_and(|t| t < Duration::from_secs(60)) {
                open.set_modified(SystemTime::now() - age).unwrap();
            }
        }
        if i >= 1 {
            assert!(load(&cache, "k1").is_some(), "after {i}");
        }
        let total: u64 = files(&cache).iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(total <= 100_000, "{total} bytes after {i}");
    }
    assert!(load(&cache, "k39").is_some() && load(&cache, "k0").is_none() && load(&cache, "k2").is_none());
    // A file that exceeds the folder's limit alone is not stored.
    store(&cache, "huge", 200_000);
    assert!(load(&cache, "huge").is_none() && load(&cache, "k39").is_some());
}

#[test]
fn a_folder_that_cannot_be_made_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiler(folder.path(), "1");
    std::fs::write(folder.path().join("taken"), "").unwrap();
    // The folder's name belongs to a file; or no user, not even root, can write the folder.
    for root in [folder.path().join("taken"), "/proc/self/nothing".into()] {
        let cache = KernelCache::new(root.clone(), Some(program.clone()));
        assert_eq!(load(&cache, "k"), None);
        let kept = cache.store(b"k", &Target::cpu(), &CompileOptions::default(), &artifact("k", 10));
        let error = kept.expect_err("nothing can be written there");
        assert_eq!(error.code(), "CUBE0924");
        assert!(error.to_string().contains(&format!("cannot be kept in {}", root.display())), "{error}");
    }
}

/// A compiler that fails at the first call, as if its process was killed, and compiles at later calls.
struct Second(AtomicU32);

impl Compiler for Second {
    fn compile(&self, source: &[u8], _: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Err(CompileError::from(cube_artifact::Message::from(
                "the compiler ended before it answered [CUBE0904]",
            ))),
            _ => Ok(artifact(&String::from_utf8_lossy(source), 10)),
        }
    }
}

#[test]
fn failed_compilation_is_retried_and_success_is_cached() {
    let (_folder, cache) = cache();
    let compiler = CachedCompiler::new(Second(AtomicU32::new(0)), Some(cache));
    let compile = || compiler.compile(b"k", &Target::cpu(), &CompileOptions::default());
    assert_eq!(compile().unwrap_err().diagnostics[0].code.as_deref(), Some("CUBE0904"));
    assert_eq!((compile(), compile()), (Ok(artifact("k", 10)), Ok(artifact("k", 10))));
    assert_eq!(compiler.take_problem(), None);
    let second = Second(AtomicU32::new(1));
    let program = std::env::current_exe().ok();
    let full = CachedCompiler::new(second, Some(KernelCache::new("/proc/self/nothing".into(), program)));
    // A kernel that cannot be stored runs. The problem is reported, and the next request compiles the kernel again.
    assert!(full.compile(b"k", &Target::cpu(), &CompileOptions::default()).is_ok());
    assert!(full.take_problem().is_some() && full.take_problem().is_none());
}

const FOLDER: &str = "CUBE_TEST_CACHE";
const SOURCES: usize = 24;

fn size(i: usize) -> usize {
    2_000 + 100 * i
}

/// The part of a test that runs in separate processes: it stores and loads some kernels, and checks each loaded kernel.
#[test]
fn another_process() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let cache = KernelCache::new(folder.clone(), Some(folder.join("cubec"))).limit(30_000);
    let iterations = std::env::var("CUBE_TEST_ITERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
    for iteration in 0..iterations {
        let i = (iteration as usize * 7 + std::process::id() as usize) % SOURCES;
        let source = format!("k{i}");
        if let Some(found) = load(&cache, &source) {
            assert_eq!(found, artifact(&source, size(i)));
        }
        let kept =
            cache.store(source.as_bytes(), &Target::cpu(), &CompileOptions::default(), &artifact(&source, size(i)));
        if std::env::var_os("CUBE_TEST_FULL").is_some() {
            let error = kept.expect_err("the system refuses such a large file here");
            assert!(error.code() == "CUBE0924" && load(&cache, &source).is_none(), "{error}");
        } else {
            kept.unwrap();
        }
    }
}

fn process(folder: &Path, shell: &str) -> Command {
    let mut command = Command::new("sh");
    let exe = std::env::current_exe().unwrap();
    command.arg("-c").arg(format!("{shell} exec \"$0\" --exact another_process")).arg(exe);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn unfinished(cache: &KernelCache) -> Vec<PathBuf> {
    files(cache).into_iter().filter(|file| file.extension().is_some_and(|e| e == "part")).collect()
}

#[test]
fn many_processes_share_a_folder() {
    let (folder, cache) = cache();
    let start = |_| process(folder.path(), "").env("CUBE_TEST_ITERATIONS", "150").spawn().unwrap();
    let running: Vec<_> = (0..4).map(start).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(unfinished(&cache), Vec::<PathBuf>::new());
    assert!((0..SOURCES).any(|i| load(&cache, &format!("k{i}")) == Some(artifact(&format!("k{i}"), size(i)))));
}

#[test]
fn killed_processes_leave_no_valid_entries() {
    let (folder, cache) = cache();
    let cache = cache.limit(30_000);
    for after in [5, 15, 30, 45, 60] {
        let mut child = process(folder.path(), "").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        child.kill().unwrap();
        child.wait().unwrap();
        for i in 0..SOURCES {
            let source = format!("k{i}");
            assert!(load(&cache, &source).is_none_or(|found| found == artifact(&source, size(i))));
        }
        store(&cache, "next", 10);
        assert!(load(&cache, "next").is_some());
    }
    // An unfinished file is removed when it is so old that its writer must have ended.
    let left = cache.folder().join("x.0-0.part");
    std::fs::write(&left, "half").unwrap();
    store(&cache, "soon", 10);
    assert!(left.exists());
    let old = std::fs::File::options().append(true).open(&left).unwrap();
    old.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    store(&cache, "late", 10);
    assert!(!left.exists());
}

#[test]
fn full_disk_is_a_typed_error_and_leaves_no_file() {
    let (folder, cache) = cache();
    std::fs::create_dir_all(cache.folder()).unwrap();
    // Files are limited to one block of 512 or 1024 bytes. The signal for the limit is ignored, so the write fails.
    let mut command = process(folder.path(), "trap '' XFSZ; ulimit -f 1;");
    let output = command.env("CUBE_TEST_ITERATIONS", "5").env("CUBE_TEST_FULL", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(files(&cache), Vec::<PathBuf>::new());
}
