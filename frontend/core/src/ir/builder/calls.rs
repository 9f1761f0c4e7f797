//! Functions of the host that write a kernel, and how they end: by a panic, or never.
use super::with;

/// Nothing more of a kernel is written: what is wrong has been noted.
struct Stop;

/// Runs the host's part of a kernel. Where it panics (in a `comptime!` that divides by zero, for example), that is an error of the
/// kernel, at the place that was being written.
pub(super) fn guarded(work: &impl Fn()) {
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) else { return };
    if payload.is::<Stop>() {
        return;
    }
    let said =
        payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
    with(|b| {
        b.note(format!(
            "what the host computes for this kernel failed: {}",
            said.unwrap_or_else(|| "it panicked".into())
        ))
    });
}

/// Functions of a kernel that may call each other: one that calls itself is written again each time, and has to end by what is known
/// when the kernel is compiled.
const MOST_CALLS: usize = 96;

/// Begins a function.
pub fn enter(file: &'static str, name: &str) {
    let calls = with(|b| {
        b.enter(file);
        if b.calls > MOST_CALLS {
            // At the place of the call, and not in the file of what is called.
            b.files.pop();
            b.note(format!(
                "`{name}` calls itself without end while the kernel is compiled: a kernel has no recursion at run time, write a loop, or end it by a `#[comptime]` value"
            ));
            b.files.push(file);
        }
        b.calls
    });
    if calls > MOST_CALLS {
        std::panic::resume_unwind(Box::new(Stop));
    }
}
