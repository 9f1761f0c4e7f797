//! `cube-launch`: `cube-run` for a machine without a compiler. The program runs artifacts and does not
//! contain LLVM.
#![forbid(unsafe_code)]
use cube_run_cli::{NoCompiler, main_with};

fn main() -> std::process::ExitCode {
    cube_run_cli::serve_if_asked();
    cube_run_cli::output::end_quietly();
    main_with(&NoCompiler, std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect())
}
