//! Registers loaded code with a debugger through gdb's JIT compilation interface (gdb manual, "JIT Compilation
//! Interface"), which lldb also supports.
//!
//! A debugger sets a breakpoint in `__jit_debug_register_code`. When this function is called, the debugger reads
//! `__jit_debug_descriptor`, which describes the added or removed object. The two symbols of the interface are weak,
//! because a process has only one list of objects. A program can therefore also contain another JIT compiler that
//! defines the symbols of the interface.
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    object: *const u8,
    size: u64,
}

#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

std::arch::global_asm!(
    ".pushsection .text.__jit_debug_register_code,\"ax\",@progbits",
    ".weak __jit_debug_register_code",
    ".type __jit_debug_register_code,@function",
    "__jit_debug_register_code:",
    "ret",
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
    ".pushsection .data.__jit_debug_descriptor,\"aw\",@progbits",
    ".weak __jit_debug_descriptor",
    ".type __jit_debug_descriptor,@object",
    ".p2align 3",
    "__jit_debug_descriptor:",
    ".long 1",
    ".long 0",
    ".quad 0",
    ".quad 0",
    ".size __jit_debug_descriptor, 24",
    ".popsection",
);

// SAFETY: both are defined above, with the types that the interface gives them.
unsafe extern "C" {
    fn __jit_debug_register_code();
    static mut __jit_debug_descriptor: Descriptor;
}

static LIST: Mutex<()> = Mutex::new(());

/// A registered object; dropping it removes the registration.
pub(crate) struct RegisteredObject {
    entry: *mut Entry,
    // The bytes of the object, to which the entry of the debugger's list points.
    _object: Vec<u8>,
}

// SAFETY: the entry belongs to this value and is only used under the lock.
unsafe impl Send for RegisteredObject {}
// SAFETY: a shared reference gives no access to the fields.
unsafe impl Sync for RegisteredObject {}

impl RegisteredObject {
    /// Registers an object whose section headers contain the load addresses.
    pub fn new(object: Vec<u8>) -> RegisteredObject {
        let entry =
            Entry { next: null_mut(), previous: null_mut(), object: object.as_ptr(), size: object.len() as u64 };
        let entry = Box::into_raw(Box::new(entry));
        let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the lock excludes other threads. All entries of the list are alive, because each entry is removed
        // before it is freed.
        unsafe {
            let descriptor = &raw mut __jit_debug_descriptor;
            (*entry).next = (*descriptor).first;
            if let Some(next) = (*entry).next.as_mut() {
                next.previous = entry;
            }
            (*descriptor).first = entry;
            notify_debugger(descriptor, REGISTER, entry);
        }
        RegisteredObject { entry, _object: object }
    }
}

impl Drop for RegisteredObject {
    fn drop(&mut self) {
        let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as in `new`. `new` created the entry, and only this code frees it.
        unsafe {
            let descriptor = &raw mut __jit_debug_descriptor;
            let Entry { next, previous, .. } = *self.entry;
            match previous.as_mut() {
                Some(previous) => previous.next = next,
                None => (*descriptor).first = next,
            }
            if let Some(next) = next.as_mut() {
                next.previous = previous;
            }
            notify_debugger(descriptor, UNREGISTER, self.entry);
            drop(Box::from_raw(self.entry));
        }
    }
}

/// # Safety
/// The descriptor and the entry are valid, and the caller holds the lock.
unsafe fn notify_debugger(descriptor: *mut Descriptor, action: u32, entry: *mut Entry) {
    // SAFETY: the caller's promise. The function is empty and exists only for a breakpoint.
    unsafe {
        (*descriptor).relevant = entry;
        (*descriptor).action = action;
        __jit_debug_register_code();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects() -> Vec<Vec<u8>> {
        let _lock = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        // SAFETY: under the lock, every entry of the list and the memory that it points to is alive.
        unsafe {
            let descriptor = &raw const __jit_debug_descriptor;
            let mut entry = (*descriptor).first;
            while let Some(at) = entry.as_ref() {
                found.push(std::slice::from_raw_parts(at.object, at.size as usize).to_vec());
                entry = at.next;
            }
        }
        found
    }

    #[test]
    fn objects_are_in_the_list_from_their_making_to_their_end() {
        let of = |n: u8| objects().iter().filter(|object| **object == [n; 3]).count();
        let [one, two, three] = [201, 202, 203].map(|n| RegisteredObject::new(vec![n; 3]));
        assert_eq!([of(201), of(202), of(203)], [1, 1, 1]);
        drop(two);
        assert_eq!([of(201), of(202), of(203)], [1, 0, 1]);
        drop(three);
        drop(one);
        assert_eq!([of(201), of(202), of(203)], [0, 0, 0]);
    }
}
