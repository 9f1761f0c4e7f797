//! This build script exists because cargo omits the build dependencies of a package without a build script.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
