//! A stack on which deep recursion has room. MLIR and LLVM recurse over chains of operations, nested regions and locations.
use std::{
    cell::Cell,
    panic::resume_unwind,
    thread::{Builder, scope},
};

/// Bytes of the stack: room for the largest kernel that is compiled. The system commits what is used.
const BYTES: usize = 1 << 30;

/// Bytes that are enough for kernels of usual size, where the system grants no more.
const LEAST: usize = 1 << 26;

thread_local!(static DEEP: Cell<bool> = const { Cell::new(false) });

/// A value that is lent to another thread while the thread of its owner waits.
struct Lent<T>(T);

// SAFETY: `on_deep_stack` is the only user. Its caller waits until the other thread has ended, so that a value is used by one
// thread at a time, and the start and the end of a thread order its accesses.
unsafe impl<T> Send for Lent<T> {}

impl<T> Lent<T> {
    // A method, so that closures capture the wrapper and not its field.
    fn take(self) -> T {
        self.0
    }
}

/// Runs `body` on a stack of 1 GiB, in a thread of its own unless this thread has such a stack. `body` must not depend on
/// thread-local values of the caller, nor leave values in its own.
///
/// # Errors
/// The system grants neither that nor 64 MiB of address space; `body` was not run.
pub fn on_deep_stack<T>(body: impl FnOnce() -> T) -> std::io::Result<T> {
    if DEEP.get() {
        return Ok(body());
    }
    let mut body = Some(Lent(body));
    let mut bytes = BYTES;
    loop {
        let lent = Lent(&mut body);
        let run = move || {
            DEEP.set(true);
            lent.take().take().map(|body| Lent((body.take())()))
        };
        let ended =
            scope(|scope| Builder::new().stack_size(bytes).spawn_scoped(scope, run).map(|thread| thread.join()));
        match ended {
            Ok(Ok(Some(result))) => return Ok(result.take()),
            Ok(Ok(None)) => unreachable!("the body is taken once, by the thread that was started"),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(error) if bytes <= LEAST => return Err(error),
            Err(_) => bytes /= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: u64) -> u64 {
        let frame = std::hint::black_box([n; 32]);
        if n == 0 { 0 } else { 1 + depth(n - 1) + frame[0] - n }
    }

    #[test]
    fn recursion_has_room() {
        let here = std::cell::RefCell::new(1);
        let result = on_deep_stack(|| {
            *here.borrow_mut() += 1;
            depth(500_000)
        });
        assert_eq!((result.unwrap(), here.into_inner()), (500_000, 2));
    }

    #[test]
    fn a_stack_is_made_once() {
        let id = || std::thread::current().id();
        let (outer, inner) = on_deep_stack(|| (id(), on_deep_stack(id).unwrap())).unwrap();
        assert_eq!(outer, inner);
        assert_ne!(outer, id());
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let result = std::panic::catch_unwind(|| on_deep_stack(|| panic!("here")));
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"here"));
    }
}
