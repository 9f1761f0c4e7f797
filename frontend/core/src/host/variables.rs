//! The environment variables that the kernel language reads, and the sink that receives notices. When a program creates
//! its first client, the crate `cube-mlir` passes the variables of the process, and sets standard error as the sink. A
//! program can set other variables with [`set_variables`], and another sink with [`notices_to`]. Code that reads a
//! variable before both calls reads the variable of the process.
use cube_artifact::Variables;
use std::sync::{Mutex, OnceLock, PoisonError};

static VARIABLES: OnceLock<Variables> = OnceLock::new();

/// Makes configuration, reports and caches read `variables` instead of the process's environment variables. Only
/// the first call has an effect, and only if no variable has been read before. A call without an effect returns
/// `false`.
pub fn set_variables(variables: Variables) -> bool {
    VARIABLES.set(variables).is_ok()
}

/// The active variables: the variables that [`set_variables`] set before the first read, or otherwise the process's
/// variables.
pub(crate) fn variables() -> &'static Variables {
    VARIABLES.get_or_init(Variables::of_process)
}

/// Receiver of notices.
pub type Sink = Box<dyn Fn(&str) + Send>;

static NOTICES: Mutex<Notices> = Mutex::new(Notices { named: None, fallback: None, waiting: Vec::new() });

/// The sink of the program, the sink of the crate `cube-mlir`, and the notices that were sent before a sink was set.
struct Notices {
    named: Option<Sink>,
    fallback: Option<fn(&str)>,
    /// Notices that were sent before a sink was set.
    waiting: Vec<String>,
}

/// Maximum number of waiting notices. Notices beyond this maximum are dropped.
const MAX_WAITING: usize = 64;

/// Makes `sink` the receiver of notices, as text without a final newline. `None` restores the sink of the crate
/// `cube-mlir`, which is standard error. Notices report invalid settings, failures of launches that return no error,
/// and requested reports.
pub fn notices_to(sink: Option<Sink>) {
    set(|notices| notices.named = sink);
}

/// Sets the sink of the crate `cube-mlir`. A sink of the program has precedence over this sink.
pub fn fall_back_to(sink: fn(&str)) {
    set(|notices| notices.fallback = Some(sink));
}

fn set(change: impl FnOnce(&mut Notices)) {
    let mut notices = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut notices);
    let waiting = std::mem::take(&mut notices.waiting);
    waiting.into_iter().for_each(|text| notices.send(text));
}

impl Notices {
    fn send(&mut self, text: String) {
        match (&self.named, self.fallback) {
            (Some(sink), _) => sink(&text),
            (None, Some(sink)) => sink(&text),
            (None, None) if self.waiting.len() < MAX_WAITING => self.waiting.push(text),
            (None, None) => {}
        }
    }
}

/// Sends a notice. A notice is a message about an event that no function result reports.
#[doc(hidden)]
pub fn notice(text: impl std::fmt::Display) {
    let text = text.to_string();
    NOTICES.lock().unwrap_or_else(PoisonError::into_inner).send(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn notices_reach_the_current_sink() {
        static FALLBACK: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let received: Arc<Mutex<Vec<String>>> = Arc::default();
        let to = received.clone();
        notice("this one waits");
        notices_to(Some(Box::new(move |text| to.lock().unwrap().push(text.to_string()))));
        notice(format_args!("{} is wrong", "a setting"));
        notices_to(None);
        notice("this one waits for the facade");
        fall_back_to(|text| FALLBACK.lock().unwrap().push(text.to_string()));
        notice("this one goes to the facade");
        assert_eq!(received.lock().unwrap().iter().filter(|text| *text == "a setting is wrong").count(), 1);
        assert_eq!(received.lock().unwrap().iter().filter(|text| *text == "this one waits").count(), 1);
        assert!(!received.lock().unwrap().iter().any(|text| text.contains("facade")));
        let fallback = FALLBACK.lock().unwrap();
        let own: Vec<&String> = fallback.iter().filter(|text| text.contains("facade")).collect();
        assert_eq!(own, ["this one waits for the facade", "this one goes to the facade"]);
    }
}
