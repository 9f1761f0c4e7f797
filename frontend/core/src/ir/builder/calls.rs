//! Function calls during a kernel's construction: handling of panics and of unbounded recursion.
use super::with;

/// Payload of the panic that stops the construction after an error has been reported.
struct Stop;

/// Runs the code that builds a kernel. If the code panics, the panic becomes an error at the current source
/// location. For example, a `comptime!` block that divides by zero panics.
pub(super) fn guarded(work: &impl Fn()) {
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else { return };
    if payload.is::<Stop>() {
        return;
    }
    let message =
        payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    with(|b| {
        b.note(format!(
            "host code that builds this kernel panicked: {}",
            message.unwrap_or_else(|| "no message".into())
        ))
    });
}

/// Maximum depth of nested calls. The builder expands each recursive call again, so only a comptime condition
/// can end a recursion.
const MAX_CALL_DEPTH: usize = 96;

/// Starts the expansion of a function. If calls are nested more deeply than the maximum depth, an error stops the
/// construction.
pub fn enter(file: &'static str, name: &str) {
    let calls = with(|b| {
        b.enter(file);
        if b.calls > MAX_CALL_DEPTH {
            // The error has the location of the call. That location is not in the callee's file.
            b.files.pop();
            b.note(format!(
                "`{name}` calls itself without end during compilation, and kernels do not support recursion at run time; write a loop, or end the recursion by a `#[comptime]` value"
            ));
            b.files.push(file);
        }
        b.calls
    });
    if calls > MAX_CALL_DEPTH {
        std::panic::resume_unwind(Box::new(Stop));
    }
}
