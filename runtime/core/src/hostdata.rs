//! Host data that tools use: arrays with a type and a shape, their file formats, generators, and comparison.
//!
//! * [`npy`]: numpy's file format. * [`png`]: pictures. * [`Fill`]: generated contents. * [`compare`]: distance in ULP.
mod array;
mod compare;
mod error;
mod generate;
pub mod npy;
pub mod png;
mod write;

pub use array::HostArray;
pub use compare::{Report, compare};
pub use error::DataError;
pub use generate::Fill;
pub use write::{write_all_atomically, write_atomically};
