//! Tests of the kernel language; see `tests/`.
