//! Names of the compiler's program.

/// The command that installs the compiler.
pub const INSTALL_COMMAND: &str = "cargo install --path tools";

/// Name of the compiler's program.
pub const PROGRAM: &str = "cubec";

/// Name of the program that contains all tools, as cargo builds it. The subcommand `c` of this program is the
/// compiler.
pub const ALL_TOOLS: &str = "cube";
