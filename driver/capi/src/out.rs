//! Conversion between C and Rust: input pointers, output pointers and texts.
use cube_artifact::{Diagnostic, Message, Severity, diagnostic};
use cube_runtime::RuntimeError;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::null_mut,
    slice,
};

/// The result of the body of a C function.
pub(crate) type Outcome<T> = Result<T, Fault>;

/// The failure of a C function.
pub(crate) enum Fault {
    /// `cube.h` does not allow the call. The text contains the rule and the way out, but not the name of the function.
    Usage(String),
    /// A complete text, with `error[CODE]` at the beginning of a line.
    Reported(String),
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Fault::Reported(text)
    }
}

impl Fault {
    /// The text for C callers of the function.
    fn text(&self, function: &str) -> String {
        match self {
            Fault::Usage(why) => text_of(diagnostic!(CUBE0925.call { function, why })),
            Fault::Reported(text) => text.clone(),
        }
    }
}

/// The result of `body`, or `otherwise` if `body` panics.
pub(crate) fn guarded<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// The failure of a call that `cube.h` does not allow.
pub(crate) fn usage_error(why: impl Into<String>) -> Fault {
    Fault::Usage(why.into())
}

/// The text of a message, with its code.
pub(crate) fn text_of(message: Message) -> String {
    Diagnostic::new(Severity::Error, message, None).to_string()
}

/// Copies the text up to its first zero byte to a C string. Names never contain a zero byte.
pub(crate) fn c_text(text: &str) -> CString {
    let end = text.bytes().position(|b| b == 0).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// The failure with the text of an error of the runtime.
pub(crate) fn of_runtime(error: RuntimeError) -> Fault {
    Fault::Reported(error.to_string())
}

/// # Safety
/// `text` is null or a zero-terminated text that lives as long as the result is used.
// SAFETY: the text is checked for null, and is read up to the zero that the caller promises.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Outcome<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| usage_error(format!("{what} is not UTF-8; pass UTF-8 text")))
}

/// Reads a required text, as [`text`] does. A null pointer is an error.
///
/// # Safety
/// As for [`text`].
// SAFETY: see `text`.
pub(crate) unsafe fn given_text<'a>(given: *const c_char, what: &str) -> Outcome<&'a str> {
    // SAFETY: the caller's promise.
    unsafe { text(given, what)? }.ok_or_else(|| usage_error(format!("{what} is null; pass a zero-terminated string")))
}

/// Reads a required handle. A null pointer is an error, which names the C function `source` that creates such handles.
///
/// # Safety
/// `handle` is null, or points to a live value. No other code writes the value while the result is in use.
// SAFETY: the pointer is checked for null.
pub(crate) unsafe fn given<'a, T>(handle: *const T, what: &str, source: &str) -> Outcome<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { handle.as_ref() }.ok_or_else(|| null_handle(what, source))
}

/// The failure of a call with a null handle.
pub(crate) fn null_handle(what: &str, source: &str) -> Fault {
    let is = if what.ends_with('s') { "are" } else { "is" };
    usage_error(format!("{what} {is} null; pass the result of {source}"))
}

/// # Safety
/// `bytes` points to `length` readable bytes, or is null.
// SAFETY: the slice covers the bytes that the caller promises to be readable, and nothing for a null pointer or an
// empty range.
pub(crate) unsafe fn bytes_of<'a>(bytes: *const c_void, length: usize) -> &'a [u8] {
    // SAFETY: not null and not empty, and the caller's promise.
    if bytes.is_null() || length == 0 { &[] } else { unsafe { slice::from_raw_parts(bytes.cast(), length) } }
}

/// Runs `body`, the body of the C function `function`, and writes its error message, or null, through `error`.
///
/// # Safety
/// `error` is null or points to a writable pointer.
// SAFETY: writes through `error` only if `error` is not null.
pub(crate) unsafe fn out<T>(error: *mut *mut c_char, function: &str, body: impl FnOnce() -> Outcome<T>) -> Option<T> {
    let panicked = Err(Fault::Reported(text_of(diagnostic!(CUBE0399.library))));
    let result = guarded(panicked, body);
    // SAFETY: null, or the caller's promise.
    if let Some(error) = unsafe { error.as_mut() } {
        *error = result.as_ref().err().map_or(null_mut(), |fault| c_text(&fault.text(function)).into_raw());
    }
    result.ok()
}

/// Runs `body`; returns its value on the heap, or null and an error message.
///
/// # Safety
/// `error` is null or points to a writable pointer.
// SAFETY: see `out`.
pub(crate) unsafe fn new_handle<T>(
    error: *mut *mut c_char,
    function: &str,
    body: impl FnOnce() -> Outcome<T>,
) -> *mut T {
    // SAFETY: the caller's promise.
    unsafe { out(error, function, body) }.map_or(null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// Runs `body`; returns 1 for success, or 0 and an error message.
///
/// # Safety
/// `error` is null or points to a writable pointer.
// SAFETY: see `out`.
pub(crate) unsafe fn done(error: *mut *mut c_char, function: &str, body: impl FnOnce() -> Outcome<()>) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(unsafe { out(error, function, body) }.is_some())
}

/// Frees a value of [`new_handle`].
///
/// # Safety
/// `handle` is null, or a handle of [`new_handle`] that is not used again.
// SAFETY: `Box::into_raw` made the pointer, and the caller frees it once.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        guarded((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// `cube_text_free`.
///
/// # Safety
/// The pointer is null, or points to an error text of this library that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `CString::into_raw` in `out` made the pointer, and the caller frees it once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// `cube_error_code`.
///
/// # Safety
/// `text` is null or zero-terminated; `code` is null or has room for nine bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_error_code(text: *const c_char, code: *mut [c_char; 9]) -> c_int {
    // SAFETY: null, or the caller's promise.
    let (text, code) = unsafe { ((!text.is_null()).then(|| CStr::from_ptr(text)), code.as_mut()) };
    let (Some(text), Some(code)) = (text, code) else { return 0 };
    let found = guarded(None, || {
        let text = text.to_string_lossy();
        let after = text.match_indices("[CUBE").map(|(at, _)| &text[at + 1..]);
        let mut codes = after.filter_map(|rest| rest.split_once(']').map(|(code, _)| code.to_string()));
        codes.find(|code| code.len() == 8 && code.bytes().all(|b| b.is_ascii_alphanumeric()))
    });
    let Some(found) = found else { return 0 };
    for (to, from) in code.iter_mut().zip(found.bytes().chain([0])) {
        *to = from as c_char;
    }
    1
}
