//! The settings of a program that uses the kernel language, and where its notices go. The facade `cube` hands in the variables
//! of the process and standard error when a program makes its first client; a program hands in others by [`give`] and
//! [`notices_to`]. Variables that are asked for before anybody has given any are those of the process.
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

static NOTICES: Mutex<Notices> = Mutex::new(Notices { named: None, fallback: None, waiting: Vec::new() });

/// Where notices go: a sink that the program has named, or else that of the facade.
struct Notices {
    named: Option<Sink>,
    fallback: Option<fn(&str)>,
    /// Those before there was either.
    waiting: Vec<String>,
}

/// Notices that wait for somebody to take them; more are dropped.
const MOST_WAITING: usize = 64;

/// Hands notices to `sink`, a text of one or several lines without the last end of line; `None` for where the facade sends them,
/// which is standard error. Notices are failures of launches that return nothing, settings without a meaning, and reports that
/// were asked for.
pub fn notices_to(sink: Option<Sink>) {
    set(|notices| notices.named = sink);
}

/// Hands notices to `sink` as long as the program names none itself; for the facade.
pub fn fall_back_to(sink: fn(&str)) {
    set(|notices| notices.fallback = Some(sink));
}

fn set(change: impl FnOnce(&mut Notices)) {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut notices);
    let waiting = std::mem::take(&mut notices.waiting);
    waiting.into_iter().for_each(|text| notices.say(text));
}

impl Notices {
    fn say(&mut self, text: String) {
        match (&self.named, self.fallback) {
            (Some(sink), _) => sink(&text),
            (None, Some(sink)) => sink(&text),
            (None, None) if self.waiting.len() < MOST_WAITING => self.waiting.push(text),
            (None, None) => {}
        }
    }
}

/// Says something that no result carries.
#[doc(hidden)]
pub fn notice(text: impl std::fmt::Display) {
    let text = text.to_string();
    NOTICES.lock().unwrap_or_else(PoisonError::into_inner).say(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn notices_go_to_the_sink_while_there_is_one() {
        static FALLBACK: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let to = heard.clone();
        notice("this one waits");
        notices_to(Some(Box::new(move |text| to.lock().unwrap().push(text.to_string()))));
        notice(format_args!("{} is wrong", "a setting"));
        notices_to(None);
        notice("this one waits for the facade");
        fall_back_to(|text| FALLBACK.lock().unwrap().push(text.to_string()));
        notice("this one goes to the facade");
        assert_eq!(heard.lock().unwrap().iter().filter(|text| *text == "a setting is wrong").count(), 1);
        assert_eq!(heard.lock().unwrap().iter().filter(|text| *text == "this one waits").count(), 1);
        assert!(!heard.lock().unwrap().iter().any(|text| text.contains("facade")));
        let fallback = FALLBACK.lock().unwrap();
        let own: Vec<&String> = fallback.iter().filter(|text| text.contains("facade")).collect();
        assert_eq!(own, ["this one waits for the facade", "this one goes to the facade"]);
    }
}
