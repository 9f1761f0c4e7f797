//! A device with its compiler, and the kernels that it has seen.
use super::Features;
use super::arguments::{LaunchError, Written};
use cube_artifact::{CompileOptions, Compiler, Target};
use cube_runtime::{Device, Kernel};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Kernels that are remembered.
const MOST_KERNELS: usize = 4096;

/// A device, its compiler and its kernels.
pub struct Core {
    /// The device.
    pub device: Box<dyn Device>,
    /// What kernels are compiled for.
    pub target: Target,
    /// What it can do.
    pub features: Features,
    compiler: Arc<dyn Compiler>,
    kernels: Mutex<HashMap<[u8; 32], Arc<Prepared>>>,
    dump: Option<PathBuf>,
}

/// A kernel that is ready.
pub struct Prepared {
    /// The device's form of it.
    pub kernel: Kernel,
    /// The names of its arguments, for messages.
    pub writes: Vec<bool>,
}

impl Core {
    /// A device with a compiler for it.
    pub fn new(device: Box<dyn Device>, target: Target, compiler: Arc<dyn Compiler>) -> Self {
        let dump = std::env::var_os("CUBE_DUMP").map(PathBuf::from);
        let features = Features::of(&target);
        Core { device, target, features, compiler, kernels: Mutex::default(), dump }
    }

    /// The kernel of a key, written and compiled where it is new.
    ///
    /// # Errors
    /// What is wrong with the kernel, or with the compiler.
    pub fn prepared(
        &self,
        key: [u8; 32],
        name: &str,
        write: impl FnOnce() -> Result<Written, LaunchError>,
    ) -> Result<Arc<Prepared>, LaunchError> {
        let kernels = || self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kernels().get(&key) {
            return Ok(found.clone());
        }
        let written = write()?;
        self.dump(name, &written.text);
        let options = CompileOptions { kernel: None, params: Vec::new(), file_name: Some(format!("{name}.mlir")) };
        let artifact = self.compiler.compile(written.text.as_bytes(), &self.target, &options)?;
        let kernel = self.device.load(&artifact)?;
        let writes = artifact
            .params
            .iter()
            .map(|p| matches!(p.kind, cube_artifact::ParamKind::Buffer { access, .. } if access.writes()))
            .collect();
        let prepared = Arc::new(Prepared { kernel, writes });
        let mut kernels = kernels();
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        Ok(kernels.entry(key).or_insert(prepared).clone())
    }

    /// `CUBE_DUMP`: the text of each kernel as the compiler gets it.
    fn dump(&self, name: &str, text: &str) {
        let Some(folder) = &self.dump else { return };
        let file = folder.join(format!("{name}-{}.mlir", &blake3::hash(text.as_bytes()).to_hex()[..8]));
        // A kernel is not held up by a folder that cannot be written.
        let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    }
}
