//! Converts panics of Rust code that C++ calls to errors, because a panic must not unwind into C++.
use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Once,
};

thread_local!(static GUARDED: Cell<bool> = const { Cell::new(false) });

/// Makes panics inside guarded code silent, because these panics become diagnostics. Panics outside of
/// guarded code use the previous panic hook.
pub fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                before(info);
            }
        }));
    });
}

/// Runs `body`; a panic becomes an error with its message.
///
/// # Errors
/// The error is the message of the panic.
pub fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(body)).map_err(message_of);
    GUARDED.set(outer);
    result
}

fn message_of(payload: Box<dyn Any + Send>) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text.to_string(),
        (_, Some(text)) => text.clone(),
        _ => "no message".to_string(),
    }
}
