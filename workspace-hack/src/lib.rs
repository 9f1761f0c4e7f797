//! Nothing: what counts is the list of features in this crate's manifest.
