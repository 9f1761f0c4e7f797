//! This library is empty. The test targets in `Cargo.toml` are the libraries of other crates.
#![forbid(unsafe_code)]
