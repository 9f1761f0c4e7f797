//! Runs code on a large stack. MLIR and LLVM recurse over chains of operations, nested regions and locations.
use corosensei::{on_stack, stack::DefaultStack};
use std::cell::Cell;

/// Bytes of the stack, which suffice for the largest compiled kernel. The operating system allocates only the used
/// pages of the stack.
const BYTES: usize = 1 << 30;

/// The smallest stack in bytes that is tried if the system refuses larger stacks. A stack of 64 MiB suffices for
/// kernels of usual size.
const MIN_STACK: usize = 1 << 26;

thread_local!(static DEEP: Cell<bool> = const { Cell::new(false) });

/// Records that this thread runs on a large stack, until the value is dropped.
struct DeepStackGuard;

impl DeepStackGuard {
    fn set() -> DeepStackGuard {
        DEEP.set(true);
        DeepStackGuard
    }
}

impl Drop for DeepStackGuard {
    fn drop(&mut self) {
        DEEP.set(false);
    }
}

/// Runs `body` on a stack of 1 GiB, unless this thread already has such a stack. `body` runs on the calling thread. In
/// a new thread, the C library would use a separate heap for MLIR, and traversing a large block would take 1.7 times
/// as long.
///
/// # Errors
/// The system grants neither 1 GiB nor 64 MiB of address space. `body` does not run without a deep stack.
pub fn on_deep_stack<T>(body: impl FnOnce() -> T) -> std::io::Result<T> {
    if DEEP.get() {
        return Ok(body());
    }
    let mut bytes = BYTES;
    let stack = loop {
        match DefaultStack::new(bytes) {
            Ok(stack) => break stack,
            Err(error) if bytes <= MIN_STACK => return Err(error),
            Err(_) => bytes /= 2,
        }
    };
    let _mark = DeepStackGuard::set();
    Ok(on_stack(stack, body))
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
        let here = || {
            let local = 0_u8;
            std::ptr::from_ref(std::hint::black_box(&local)) as usize
        };
        let (outer, inner) = on_deep_stack(|| (here(), on_deep_stack(here).unwrap())).unwrap();
        assert!(outer.abs_diff(inner) < MIN_STACK, "{outer:x} {inner:x}");
        assert!(outer.abs_diff(here()) > MIN_STACK, "{outer:x}");
        assert!(!DEEP.get());
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let result = std::panic::catch_unwind(|| on_deep_stack(|| panic!("here")));
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"here"));
        assert!(!DEEP.get());
    }
}
