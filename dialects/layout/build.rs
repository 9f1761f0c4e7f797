//! Locates the generated views of the dialect's operations, which the build script of `cube-ir` writes.
fn main() {
    let folder = std::env::var("DEP_CUBE_IR_OPS").expect("cube-ir sets the folder of its generated files");
    println!("cargo:rerun-if-changed={folder}/layout.rs");
    println!("cargo:rustc-env=CUBE_OPS={folder}/layout.rs");
}
