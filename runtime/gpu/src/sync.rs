//! The lock types of the streams. The test `interleavings` compiles the streams with the lock types of the crate
//! shuttle instead of this module.
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
