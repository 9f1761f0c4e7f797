//! The bundles of compiled kernels that a device uses.
use super::variables::notice;
use super::{ComputeClient, ComputeServer};
use cube_artifact::{Artifact, CompileOptions, Target};
use cube_runtime::bundle::{Bundle, BundleError};
use cube_runtime::{ErrorKind, Kernel, RuntimeError};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

/// The bundles of a device. A search begins with the first bundle of the list.
#[derive(Debug, Default)]
pub(super) struct Bundles(RwLock<Vec<Arc<Bundle>>>);

impl Bundles {
    /// Opens the bundles that the configuration names. A notice reports a bundle that cannot be used, once.
    pub fn open(files: &[PathBuf]) -> Self {
        /// The open bundle files of the program, which all devices share.
        static OPENED: LazyLock<Mutex<HashMap<PathBuf, Option<Arc<Bundle>>>>> = LazyLock::new(Mutex::default);
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |file: &PathBuf| {
            let bundle = opened.entry(file.clone()).or_insert_with(|| match Bundle::open(file) {
                Ok(bundle) => Some(Arc::new(bundle)),
                Err(error) => {
                    notice(format_args!("{error}; the bundle is ignored"));
                    None
                }
            });
            bundle.clone()
        };
        Bundles(RwLock::new(files.iter().filter_map(open).collect()))
    }

    pub fn add(&self, bundle: Arc<Bundle>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(bundle);
    }

    /// Loads a kernel from the first bundle with code that the device accepts. `load` loads the code on the device.
    pub fn load(
        &self,
        load: impl Fn(&Artifact) -> Result<Kernel, RuntimeError>,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Option<(Artifact, Kernel)> {
        let bundles = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        for bundle in bundles {
            for entry in bundle.find(source, target, options) {
                let ignored = "the kernel of the bundle is ignored";
                match bundle.artifact(entry).map(|artifact| (load(&artifact), artifact)) {
                    Ok((Ok(kernel), artifact)) => return Some((artifact, kernel)),
                    // The code is for a chip with more features than this device has.
                    Ok((Err(error), _)) if error.kind == ErrorKind::DeviceLimit => {}
                    Ok((Err(error), _)) => notice(format_args!("{error}; {ignored}")),
                    Err(error) => notice(format_args!("{error}; {ignored}")),
                }
            }
        }
        None
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Adds a bundle to the device. All clients of this device then take the kernels of the bundle from the bundle,
    /// before they search the disk cache or call the compiler. Kernels that are already loaded are not replaced.
    ///
    /// # Errors
    /// The file is not a bundle of this version of Cube, or is damaged.
    pub fn load_bundle(&self, file: impl AsRef<Path>) -> Result<(), BundleError> {
        self.add_bundle(Bundle::open(file.as_ref())?);
        Ok(())
    }

    /// Like [`ComputeClient::load_bundle`], for a bundle that the program has already opened.
    pub fn add_bundle(&self, bundle: Bundle) {
        self.server().bundles.add(Arc::new(bundle));
    }
}
