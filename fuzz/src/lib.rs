//! The results of a kernel on the interpreter at each level and on the CPU, side by side.
//!
//! [`table`] holds every elementwise operation with its types, [`values`] the operands worth trying, [`judge`] runs a kernel
//! everywhere and compares.
#![forbid(unsafe_code)]
pub mod alone;
pub mod chips;
pub mod conversions;
pub mod device;
pub mod elements;
pub mod judge;
pub mod kernels;
pub mod mutate;
pub mod processor;
pub mod proven;
pub mod table;
pub mod upstream;
pub mod validate;
pub mod values;
pub mod vectors;
pub mod words;
