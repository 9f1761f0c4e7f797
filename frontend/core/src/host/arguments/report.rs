//! Reports of failed launches. The function `launch` of a kernel returns no error, so its failure is reported as a
//! notice. A read of an output buffer of the failed launch reports the failure again.
use super::LaunchError;
use crate::host::variables::notice;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The reported messages, with the number of occurrences of each message.
#[derive(Default)]
struct ReportCounts(HashMap<String, u64>);

/// Maximum number of stored messages. When the limit is reached, all stored messages are deleted, so that a
/// repeated message can be reported in full again.
const MAX_MESSAGES: usize = 1000;

impl ReportCounts {
    /// The text that is reported for a message, if any. The first occurrence of a message is reported in full. For a
    /// later occurrence, only the number of occurrences is reported, and only if this number is a power of ten.
    fn next_text(&mut self, message: String) -> Option<String> {
        if self.0.len() >= MAX_MESSAGES && !self.0.contains_key(&message) {
            self.0.clear();
        }
        let times = self.0.entry(message.clone()).or_insert(0);
        *times += 1;
        if *times == 1 {
            return Some(message);
        }
        let round = *times >= 10 && 10u64.pow(times.ilog10()) == *times;
        round.then(|| format!("{times} launches have failed like this: {}", message.lines().next().unwrap_or_default()))
    }
}

thread_local! {
    /// The first failed launch of the current thread, while [`failures_of`] runs.
    static FIRST_FAILURE: Cell<Option<Option<LaunchError>>> = const { Cell::new(None) };
}

/// Runs `work`, and returns the result with the first launch of the current thread that failed in `work`. Failed
/// launches of `work` are not reported.
pub fn failures_of<T>(work: impl FnOnce() -> T) -> (T, Option<LaunchError>) {
    /// Guard that restores the previous [`FIRST_FAILURE`] when it is dropped, also after a panic.
    struct Restore(Option<Option<LaunchError>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FIRST_FAILURE.set(self.0.take());
        }
    }
    let _restore = Restore(FIRST_FAILURE.replace(Some(None)));
    let result = work();
    (result, FIRST_FAILURE.take().flatten())
}

/// Reports a failed launch as a notice. The first report of a message is the full text. Later reports of the
/// message contain only the number of its occurrences.
pub fn report(outcome: Result<(), LaunchError>) {
    static REPORTED: LazyLock<Mutex<ReportCounts>> = LazyLock::new(Mutex::default);
    let Err(error) = outcome else { return };
    if let Some(first) = FIRST_FAILURE.take() {
        FIRST_FAILURE.set(Some(first.or(Some(error))));
        return;
    }
    if let Some(text) = REPORTED.lock().unwrap_or_else(PoisonError::into_inner).next_text(error.to_string()) {
        notice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_reported_once_and_then_counted() {
        let mut counts = ReportCounts::default();
        let texts: Vec<_> = (0..1000).filter_map(|_| counts.next_text("x.rs:1: wrong\n  in k".into())).collect();
        let counted = |n| format!("{n} launches have failed like this: x.rs:1: wrong");
        assert_eq!(texts, ["x.rs:1: wrong\n  in k".to_string(), counted(10), counted(100), counted(1000)]);
        assert_eq!(counts.next_text("another".into()).as_deref(), Some("another"));
        (0..2 * MAX_MESSAGES).for_each(|n| assert!(counts.next_text(n.to_string()).is_some(), "{n}"));
        assert!(counts.0.len() <= MAX_MESSAGES);
    }
}
