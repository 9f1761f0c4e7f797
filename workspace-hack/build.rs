//! Makes cargo include the build dependencies, which it omits without a build script.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
