//! Makes the build dependencies count; cargo leaves them out without a build script.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
