//! A plugin that adds Cube to stock `mlir-opt`, with the two entry points for MLIR's plugin loader.
//!
//! ```text
//! mlir-opt --load-dialect-plugin=libcube_plugin.so --load-pass-plugin=libcube_plugin.so \
//!   --pass-pipeline='builtin.module(cube.kernel(specialize))' kernel.mlir
//! ```
//!
//! The plugin must use the same `libMLIR.so` as `mlir-opt`, because two copies of MLIR in one process have different
//! type identities. The plugin is therefore built in shared mode, and its build script refuses a static
//! build.
use cube_bridge::{cubeInsertDialects, mlir_sys::MlirDialectRegistry};
use std::ffi::{CStr, c_char, c_void};

/// `MLIR_PLUGIN_API_VERSION` of mlir/Tools/Plugins/PassPlugin.h; the loader refuses other versions.
const API_VERSION: u32 = 1;

const NAME: &CStr = c"cube";

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version contains no zero byte"),
};

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
pub struct DialectPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(registry: *mut c_void),
}

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPlugin {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// # Safety
/// `registry` is the live `mlir::DialectRegistry` of the loader.
// SAFETY: the loader passes its live registry; nothing unwinds out of the function, since the body is guarded.
unsafe extern "C" fn register_dialects(registry: *mut c_void) {
    guarded(|| {
        // Verifiers and folders are Rust, and must be registered before anything is parsed.
        cube_driver::register();
        // SAFETY: the C API's handle is a pointer to the C++ registry, which the loader passes alive.
        unsafe { cubeInsertDialects(MlirDialectRegistry { ptr: registry }) }
    });
}

extern "C" fn register_passes() {
    guarded(cube_driver::register);
}

// A panic must not unwind into C++. Registration cannot report errors, so the loader continues without the plugin and
// reports unknown names.
fn guarded(body: impl FnOnce()) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err() {
        eprintln!("cube plugin: registration failed, please report it");
    }
}

/// Entry point of `--load-dialect-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPlugin {
    DialectPlugin {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: register_dialects,
    }
}

/// Entry point of `--load-pass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPlugin {
    PassPlugin { api_version: API_VERSION, name: NAME.as_ptr(), version: VERSION.as_ptr(), register: register_passes }
}
