//! A cache of random kernels for which translation validation found no difference. CI caches random kernels
//! by content.
//!
//! The result of a check depends on the kernel with its arguments, on the module after every pass, and on the
//! interpreter. For each passed check, the cache contains an empty file whose name is the hash of the kernel with its
//! arguments, the modules and the interpreter. After a change of a pass, only kernels with different output run
//! again. After a change of the interpreter, all kernels run again.
use crate::kernels::Kernel;
use cube_artifact::{CompileOptions, Target};
use cube_driver::stages;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The crates whose code affects the result of a check, relative to the root of the checkout.
const CHECKER_SOURCES: &[&str] =
    &["semantics/src", "interpreter/src", "dialects/cube/src", "dialects/mlir/src", "fuzz/src"];
/// The files with the tolerances of results.
const TOLERANCE: [&str; 2] = ["semantics/tables/tolerance.toml", "semantics/tables/ulp.toml"];

/// The cache of kernels that passed the check.
pub struct Proven {
    folder: PathBuf,
    checker_hash: blake3::Hasher,
}

impl Proven {
    /// Opens the cache in a folder. The entries of the cache are valid for the interpreter of the checkout at
    /// `root`.
    ///
    /// # Errors
    /// Sources cannot be read, or the folder cannot be created.
    pub fn load(folder: &Path, root: &Path) -> std::io::Result<Proven> {
        std::fs::create_dir_all(folder)?;
        let mut checker_hash = blake3::Hasher::new();
        for name in CHECKER_SOURCES {
            hash_folder(&root.join(name), &mut checker_hash)?;
        }
        for name in TOLERANCE {
            checker_hash.update(&std::fs::read(root.join(name))?);
        }
        Ok(Proven { folder: folder.into(), checker_hash })
    }

    /// The file name of a kernel's entry in the cache.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn key(&self, kernel: &Kernel, seed: u64) -> Result<String, String> {
        let mut hash = self.checker_hash.clone();
        let launch = [seed, u64::from(kernel.cubes), u64::from(kernel.plane_dim)];
        launch.iter().for_each(|word| _ = hash.update(&word.to_le_bytes()));
        kernel.scalars.iter().for_each(|word| _ = hash.update(&word.to_le_bytes()));
        for data in &kernel.buffers {
            hash.update(&(data.bytes.len() as u64).to_le_bytes()).update(&data.bytes);
            data.shape.iter().flatten().for_each(|extent| _ = hash.update(&extent.to_le_bytes()));
        }
        let request = CompileOptions::default();
        let compiled = stages(kernel.text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
            hash.update(stage.pass.as_bytes()).update(&[0]);
            hash.update(stage.module.print().as_bytes()).update(&[0]);
            ControlFlow::Continue(())
        });
        compiled.map_err(|e| e.to_string())?;
        Ok(hash.finalize().to_hex().to_string())
    }

    /// Whether the cache has an entry with the name `key`.
    pub fn has(&self, key: &str) -> bool {
        self.folder.join(key).exists()
    }

    /// Adds an entry to the cache. If the entry cannot be stored, the next run repeats the check.
    pub fn add(&self, key: &str) {
        let _ = std::fs::write(self.folder.join(key), []);
    }
}

// Names and contents of all files, in order.
fn hash_folder(folder: &Path, hash: &mut blake3::Hasher) -> std::io::Result<()> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?.map(|f| f.map(|f| f.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        if file.is_dir() {
            hash_folder(&file, hash)?;
            continue;
        }
        let name = file.file_name().unwrap_or_default();
        hash.update(name.as_encoded_bytes()).update(&[0]).update(&std::fs::read(&file)?).update(&[0]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::generate;

    #[test]
    fn cached_proof_depends_on_kernel_launch_and_interpreter() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in CHECKER_SOURCES.iter().map(|name| format!("{name}/a.rs")).chain(TOLERANCE.map(String::from)) {
            let file = folder.path().join(&name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, "one").expect("a file");
        }
        let load = || Proven::load(&folder.path().join("proven"), folder.path()).expect("sources");
        let (proven, kernel) = (load(), generate(7));
        let key = proven.key(&kernel, 7).expect("it compiles");
        assert!(!proven.has(&key));
        proven.add(&key);
        assert!(proven.has(&key) && load().has(&load().key(&kernel, 7).expect("it compiles")));
        let mut other = kernel.clone();
        other.scalars[0] ^= 1;
        assert!(!proven.has(&proven.key(&other, 7).expect("it compiles")));
        assert!(!proven.has(&proven.key(&generate(8), 7).expect("it compiles")));
        std::fs::write(folder.path().join("interpreter/src/a.rs"), "two").expect("a file");
        assert!(!load().has(&load().key(&kernel, 7).expect("it compiles")));
    }
}
