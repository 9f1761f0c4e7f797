//! A library of kernels in several files. The programs in the folders beside this folder use the library as another crate.
pub mod operations;
pub mod shapes;
