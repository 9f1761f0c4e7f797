//! The types of locks, atomic numbers and threads that the queues use, and their limits. The test `interleavings`
//! compiles the queues with the types of the crate shuttle and with smaller limits, instead of this module.
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::{thread, thread_local};

/// Maximum number of commands of a device that are waiting or executing.
pub(crate) const DEPTH: usize = 256;

/// Number of times that a waiting thread polls before it sleeps. Waking up a sleeping thread takes tens of
/// microseconds.
pub(crate) const POLLS: u32 = 60;
