//! The lock types of the streams. The test `interleavings` compiles the streams with shuttle's lock types instead of
//! those in this module.
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
