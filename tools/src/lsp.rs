//! `cube-lsp-server`: MLIR's language server with Cube's dialects, behind a proxy that extends it and survives its
//! crashes.
//!
//! MLIR's server runs in a child process. The proxy checks the nesting of each document before MLIR's server reads the
//! document. The proxy adds error codes to diagnostics, and adds reference documentation of operations, types,
//! passes and options to hover texts. After a crash, the proxy restarts the child process. The proxy does not
//! send the document that caused the crash again until this document changes.
mod documents;
mod hover;
mod rpc;
mod server;

use crate::say;
use std::process::ExitCode;

/// The environment variable that marks a process as the child process that runs MLIR's server.
const CHILD: &str = "CUBE_LSP_CHILD";

const HELP: &str = "\
cube-lsp-server: diagnostics, hover and definitions for editors

usage: cube-lsp-server        speak the language server protocol on standard input and output
       cube-lsp-server --explain CODE

It takes no options; docs/editors.md shows how VS Code, Neovim and Helix start it.
CUBE_LSP_LOG=1 lets MLIR's server write its log to standard error.
";

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    cube_driver::register();
    if std::env::var_os(CHILD).is_some() {
        let level = if std::env::var_os("CUBE_LSP_LOG").is_some() { "--log=verbose" } else { "--log=error" };
        let code = cube_ir::lsp_main(&["cube-lsp-server".into(), level.into()]);
        return ExitCode::from(u8::try_from(code).unwrap_or(say::FAILED));
    }
    let rest: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    match rest.as_slice() {
        [] => server::serve(),
        ["--help" | "-h"] => {
            say::print(HELP);
            ExitCode::SUCCESS
        }
        ["--version" | "-V"] => {
            say::print(&format!("cube-lsp-server {}\n", env!("CARGO_PKG_VERSION")));
            ExitCode::SUCCESS
        }
        ["--explain", code] => say::explain_code("cube-lsp-server", code),
        [other, ..] => say::usage("cube-lsp-server", &format!("it takes no argument {other}")),
    }
}
