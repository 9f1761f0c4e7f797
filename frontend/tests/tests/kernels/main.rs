//! Kernels in Rust, executed and compared with plain Rust on the host.

#[path = "../common/mod.rs"]
mod common;

mod conditions;
mod control;
mod cubecl_constructs;
mod cubecl_dialect;
mod cubecl_idioms;
mod elementwise;
mod enums;
mod feature_combinations;
mod imports;
mod imports_of_traits;
mod kernel_libraries;
mod line_elements;
mod lints;
mod memory;
mod minifloats;
mod rust_function_names;
mod types;
mod unusual_statements;
mod user_defined_names;
