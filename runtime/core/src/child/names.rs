//! Names of the compiler's program.

/// The command that installs the compiler.
pub const INSTALL_COMMAND: &str = "cargo install --path tools";

/// Name of the compiler's program.
pub const PROGRAM: &str = "cubec";

/// The program that is the compiler under its subcommand `c`, as cargo builds it.
pub const ALL_TOOLS: &str = "cube";
