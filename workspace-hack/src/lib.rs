//! This crate is empty; its manifest has the common list of features.
