//! Compares the results of a kernel on the interpreter at each level and on the CPU.
//!
//! [`table`] holds every elementwise operation with its types. [`values`] has test operands. [`judge`] runs a kernel on
//! all levels and the CPU, and compares the results.
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
pub mod sass;
pub mod settings;
pub mod table;
pub mod upstream;
pub mod validate;
pub mod values;
pub mod vectors;
pub mod without;
pub mod words;
