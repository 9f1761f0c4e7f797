//! Libraries of Vulkan drivers. Vulkan loads all of them in each process that opens a device, and Mesa's libraries load a second LLVM.

use std::ffi::CString;
use std::path::Path;

/// The folders with the descriptions of the drivers.
const FOLDERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// The library that programs load, which loads the drivers.
const LOADER: &str = "libvulkan.so.1";

/// Loads the libraries of the installed Vulkan drivers, so that they are loaded already in child processes. A library that this
/// process cannot load is left out: a child process that needs it reports the reason. Returns the number of loaded libraries.
pub fn load() -> usize {
    let files = FOLDERS.iter().flat_map(|folder| Path::new(folder).read_dir()).flatten().flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let drivers = texts.filter_map(|text| library(&text).and_then(|path| CString::new(path).ok()));
    // SAFETY: the names end with 0. Vulkan loads the same libraries in the same way, and each stays loaded.
    let load = |name: &CString| unsafe { !libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL).is_null() };
    CString::new(LOADER).into_iter().chain(drivers).filter(load).count()
}

/// The path of the library in the description of a driver, a JSON text.
fn library(text: &str) -> Option<&str> {
    let after = text.split_once("\"library_path\"")?.1.split_once(':')?.1;
    after.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_of_a_driver_is_found() {
        let text =
            "{ \"ICD\": {\n \"api_version\": \"1.1.230\",\n \"library_path\": \"/usr/lib/libvulkan_lvp.so\"\n } }";
        assert_eq!(library(text), Some("/usr/lib/libvulkan_lvp.so"));
        assert_eq!(library("{ \"ICD\": {} }"), None);
    }
}
