//! The tests of the macro as a library.
mod error_texts;
mod mutated_kernels;
mod name_tables;
