//! Refuses a static link of MLIR, because the plugin does not work in this mode. Without this check,
//! `mlir-opt` would crash when it loads the plugin.
fn main() {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_LINK_SHARED");
    if std::env::var("MLIR_SYS_LINK_SHARED").as_deref() != Ok("1") {
        eprintln!(
            "cube-plugin shares libMLIR.so with the mlir-opt that loads it; build it with MLIR_SYS_LINK_SHARED=1, as .cargo/config.toml sets it"
        );
        std::process::exit(1);
    }
}
