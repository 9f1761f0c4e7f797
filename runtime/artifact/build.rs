//! Computes a number that identifies the layout of messages between program and compiler: a hash of the sources that
//! define this layout.
//!
//! The program and the compiler both link this crate, but can link different builds of this crate. If the numbers of
//! two builds differ, the layouts of their messages can differ. The greeting between program and compiler detects
//! different layouts before a message is misread. The hash does not include comments and tests.
use std::path::{Path, PathBuf};

/// Source files of this crate that define no types of the wire format.
const OTHERS: &[&str] = &["codes.rs", "consistency.rs", "suggestion.rs", "tests.rs"];

fn main() {
    let source = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("src");
    let mut files = Vec::new();
    list(&source, &mut files);
    files.sort();
    // FNV-1a (Fowler, Noll and Vo).
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source can be read");
        let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("mod tests {"));
        for byte in lines.filter(|line| !line.is_empty() && !line.starts_with("//")).flat_map(str::bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=CUBE_LAYOUT_OF_MESSAGES={hash:016x}");
    println!("cargo::rerun-if-changed=src");
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            list(&path, files);
        } else if name.ends_with(".rs") && !OTHERS.contains(&name) {
            files.push(path);
        }
    }
}
