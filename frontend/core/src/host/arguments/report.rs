//! What `launch` says of a launch that failed: it returns nothing, and who reads the outputs is told again.
use super::LaunchError;
use crate::host::variables::notice;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Messages that have been told, and how often each was to be.
#[derive(Default)]
struct Told(HashMap<String, u64>);

/// Messages that are remembered; programs do not fail in more ways, and one that does is told some of them again.
const MOST: usize = 1000;

impl Told {
    /// What to say: the message when it is new, later only how often it has come, at 10 times, 100 times and so on.
    fn say(&mut self, message: String) -> Option<String> {
        if self.0.len() >= MOST && !self.0.contains_key(&message) {
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
    /// The first failure of this thread's launches, where somebody asks for it.
    static ASKED: Cell<Option<Option<LaunchError>>> = const { Cell::new(None) };
}

/// Does work, and gives the first launch of this thread that failed in it, which is then not told of.
pub fn failures_of<T>(work: impl FnOnce() -> T) -> (T, Option<LaunchError>) {
    /// As it was before, also where the work panics.
    struct Before(Option<Option<LaunchError>>);
    impl Drop for Before {
        fn drop(&mut self) {
            ASKED.set(self.0.take());
        }
    }
    let _before = Before(ASKED.replace(Some(None)));
    let result = work();
    (result, ASKED.take().flatten())
}

/// Tells of a launch that failed, on standard error: each message once, and how often it has come.
pub fn report(outcome: Result<(), LaunchError>) {
    static TOLD: LazyLock<Mutex<Told>> = LazyLock::new(Mutex::default);
    let Err(error) = outcome else { return };
    if let Some(first) = ASKED.take() {
        ASKED.set(Some(first.or(Some(error))));
        return;
    }
    if let Some(said) = TOLD.lock().unwrap_or_else(PoisonError::into_inner).say(error.to_string()) {
        notice(said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_once_and_then_counted() {
        let mut told = Told::default();
        let said: Vec<_> = (0..1000).filter_map(|_| told.say("x.rs:1: wrong\n  in k".into())).collect();
        let counted = |n| format!("{n} launches have failed like this: x.rs:1: wrong");
        assert_eq!(said, ["x.rs:1: wrong\n  in k".to_string(), counted(10), counted(100), counted(1000)]);
        assert_eq!(told.say("another".into()).as_deref(), Some("another"));
        (0..2 * MOST).for_each(|n| assert!(told.say(n.to_string()).is_some(), "{n}"));
        assert!(told.0.len() <= MOST);
    }
}
