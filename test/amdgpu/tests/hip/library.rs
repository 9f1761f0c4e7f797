//! The test library, compiled from `fake/hip.c`.
use cubecl_hip_sys::hipDeviceProp_tR0600 as Properties;
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

/// The name of HIP's library.
pub const LIBRARY: &str = "libamdhip64.so.6";

/// Compiles the library into a folder.
pub fn build(folder: &Path, flags: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let places = [
        format!("-DARCH_OFFSET={}", offset_of!(Properties, gcnArchName)),
        format!("-DPROCESSORS_OFFSET={}", offset_of!(Properties, multiProcessorCount)),
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake/hip.c");
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-Wl,-z,nodelete"])
        .args(places)
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(folder.join(LIBRARY))
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("the library does not compile: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("no C compiler: {error}")),
    }
}
