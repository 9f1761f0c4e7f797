//! Has no code: the unit tests of this package are libraries of other crates, see `Cargo.toml`.
#![forbid(unsafe_code)]
