//! Host programs around kernels: clients, launches, reports, the library, the examples.
// External programs use this crate name.
extern crate cubecl as cube;

#[path = "../common/mod.rs"]
mod common;

mod allocations;
mod examples;
mod host;
mod layouts;
mod repeats;
mod reports;
mod std_library;
mod v11;
mod v11_names;
