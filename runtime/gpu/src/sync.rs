//! The locks of the streams. The test `interleavings` compiles the streams with the types of the crate shuttle instead of
//! this module.
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
