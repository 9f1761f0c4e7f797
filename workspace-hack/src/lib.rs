//! This crate is empty. The manifest of the crate contains the dependency features that all crates of the
//! workspace use.
