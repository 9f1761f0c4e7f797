#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

pub use cube_frontend::*;
#[cfg(feature = "stdlib")]
pub use cube_std as std;

#[cfg(feature = "cpu")]
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
