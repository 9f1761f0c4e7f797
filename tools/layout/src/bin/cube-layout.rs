//! `cube-layout` as a separate program. The multi-call binary `cube` also calls this function `main`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    cube_layout_cli::main(std::env::args().collect())
}
