//! The package for the tests of the kernel language, which are in `tests/`.
