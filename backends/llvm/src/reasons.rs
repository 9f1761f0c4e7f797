//! Diagnostics of LLVM: its errors, and its reasons for loops that it did not vectorise.
use cube_ir::SessionError;
use inkwell::{
    context::{AsContextRef, Context},
    llvm_sys::{
        LLVMDiagnosticSeverity,
        core::{
            LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
        },
        prelude::LLVMDiagnosticInfoRef,
        support::LLVMParseCommandLineOptions,
    },
};
use std::{
    cell::RefCell,
    ffi::{CStr, c_void},
    ptr::null,
    sync::Once,
    sync::atomic::{AtomicBool, Ordering},
};

/// The prefixes of the reasons that LLVM's vectoriser reports.
const REASONS: [&str; 2] = ["loop not vectorized: ", "the cost-model indicates that vectorization is not"];

static WANTED: AtomicBool = AtomicBool::new(false);

thread_local!(static COLLECTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

// Warnings and notes of LLVM since the last [`take_warnings`] of this thread.
thread_local!(static WARNINGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

// Errors of the code generator since the last [`refusal`] of this thread.
thread_local!(static ERRORS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

/// Starts to collect the vectoriser's reasons in all threads. The function sets LLVM options that apply to the whole
/// process. Only the code that explains a launch therefore calls the function.
pub fn collect() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let words = [c"cube", c"-pass-remarks-missed=loop-vectorize", c"-pass-remarks-analysis=loop-vectorize"];
        let pointers = words.map(CStr::as_ptr);
        // SAFETY: three NUL-terminated strings with static lifetime; called once per process.
        unsafe { LLVMParseCommandLineOptions(3, pointers.as_ptr(), null()) }
        WANTED.store(true, Ordering::Relaxed);
    });
}

/// The reasons that LLVM has reported in this thread since the last call of this function, each once.
pub fn take_reasons() -> Vec<String> {
    COLLECTED.take()
}

/// The warnings and notes that LLVM has reported in this thread since the last call of this function.
pub fn take_warnings() -> Vec<String> {
    WARNINGS.take()
}

/// Receives LLVM's diagnostics. Without a handler, LLVM ends the process at an error.
pub(crate) fn install_handler(context: &Context) {
    ERRORS.take();
    // SAFETY: the handler does not keep its arguments, and needs no data.
    unsafe {
        LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), Some(on_diagnostic), std::ptr::null_mut());
    }
}

/// The errors that LLVM reported in this thread since [`install_handler`] or the last call of this function; `None`
/// without errors.
pub(crate) fn refusal() -> Option<String> {
    let errors = ERRORS.take();
    (!errors.is_empty()).then(|| errors.join("; "))
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, _: *mut c_void) {
    // SAFETY: this function owns the description and disposes of it.
    let (severity, text) = unsafe {
        let raw = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        (LLVMGetDiagInfoSeverity(info), text)
    };
    let text = text.strip_prefix("<unknown>:0:0: ").unwrap_or(&text).to_string();
    if matches!(severity, LLVMDiagnosticSeverity::LLVMDSError) {
        ERRORS.with_borrow_mut(|errors| errors.push(text));
        return;
    }
    if !matches!(severity, LLVMDiagnosticSeverity::LLVMDSRemark) {
        WARNINGS.with_borrow_mut(|warnings| warnings.push(text));
        return;
    }
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    // LLVM passes the remarks of all passes to the handler. Only the vectoriser's remarks are kept.
    if !REASONS.iter().any(|reason| text.contains(reason)) {
        return;
    }
    COLLECTED.with_borrow_mut(|reasons| {
        if !reasons.contains(&text) {
            reasons.push(text);
        }
    });
}

/// The error of a step of LLVM that failed.
pub(crate) fn failed(message: impl std::fmt::Display) -> SessionError {
    SessionError::from(cube_ir::diagnostic!(CUBE0400.refused { why: message }))
}
