//! The settings of a program that uses the kernel language, and where its notices go. This is the one file of the language that
//! asks the process: a program hands in others by [`give`] and [`notices_to`].
use cube_artifact::Variables;
use std::sync::{Mutex, OnceLock, PoisonError};

static GIVEN: OnceLock<Variables> = OnceLock::new();

/// Sets the variables that configuration, reports and caches come from, in the place of those of the process. The first call
/// before anything has been asked counts; `false` says that this one came too late.
pub fn give(variables: Variables) -> bool {
    GIVEN.set(variables).is_ok()
}

/// The variables that count: those of the process, where nobody has given others before they were first asked for.
pub(crate) fn given() -> &'static Variables {
    GIVEN.get_or_init(|| Variables::of(std::env::vars_os()))
}

/// Takes a notice.
pub type Sink = Box<dyn Fn(&str) + Send>;

static NOTICES: Mutex<Option<Sink>> = Mutex::new(None);

/// Hands notices to `sink`, a text of one or several lines without the last end of line; `None` for standard error. Notices are
/// failures of launches that return nothing, settings without a meaning, and reports that were asked for.
pub fn notices_to(sink: Option<Sink>) {
    *NOTICES.lock().unwrap_or_else(PoisonError::into_inner) = sink;
}

/// Says something that no result carries.
pub(crate) fn notice(text: impl std::fmt::Display) {
    let text = text.to_string();
    match &*NOTICES.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(sink) => sink(&text),
        None => eprintln!("{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn notices_go_to_the_sink_while_there_is_one() {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let to = heard.clone();
        notices_to(Some(Box::new(move |text| to.lock().unwrap().push(text.to_string()))));
        notice(format_args!("{} is wrong", "a setting"));
        notices_to(None);
        notice("this one is on standard error");
        assert_eq!(heard.lock().unwrap().iter().filter(|text| *text == "a setting is wrong").count(), 1);
        assert!(!heard.lock().unwrap().iter().any(|text| text.contains("standard error")));
    }
}
