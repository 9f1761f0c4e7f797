//! Transports diagnostics as values through MLIR's diagnostic engine.
//!
//! MLIR's diagnostic engine transports only text. While a diagnostic is emitted, the thread stores the diagnostic as a
//! value, with the emitted text as its key. MLIR calls the session's handler before the emission returns, and the
//! handler replaces the text by the stored value. If no value is stored for a text, the text is a message of upstream
//! MLIR, and the handler does not change the text.
use crate::op::{append, string_ref};
use cube_artifact::{Diagnostic, Message, Severity, SourceLocation, messages::Language};
use cube_bridge::cubeEmit;
use melior::ir::Location;
use mlir_sys::*;
use std::{cell::RefCell, iter::once};

/// Diagnostic values, by their text.
#[derive(Default)]
struct PendingDiagnostics {
    /// The values of diagnostics that are currently emitted.
    emitted: Vec<(String, Message)>,
    /// The diagnostic for the last attribute that a verifier refused. The parser emits the text of this
    /// diagnostic after the verifier has returned.
    refused: Option<(String, Message)>,
}

thread_local!(static PENDING: RefCell<PendingDiagnostics> = RefCell::default());

fn carried(text: &str) -> Option<Message> {
    PENDING.with_borrow(|carried| {
        let all = carried.emitted.iter().rev().chain(&carried.refused);
        all.filter(|(key, _)| key == text).map(|(_, message)| message.clone()).next()
    })
}

/// Stores the value of a message that a parser or builder is about to emit, and returns its text.
pub(crate) fn refuse(message: Message) -> String {
    let text = message.text_with_code();
    PENDING.with_borrow_mut(|carried| carried.refused = Some((text.clone(), message)));
    text
}

pub(crate) fn emit(at: Location<'_>, severity: Severity, message: Message, notes: &[(Location<'_>, Message)]) {
    if severity == Severity::Error {
        crate::scope::failed(at, message.code.as_deref());
    }
    let locations: Vec<MlirLocation> = notes.iter().map(|(location, _)| location.to_raw()).collect();
    let all = once(&message).chain(notes.iter().map(|(_, note)| note));
    let all: Vec<(String, Message)> = all.map(|m| (m.text_with_code(), m.clone())).collect();
    let texts: Vec<MlirStringRef> = all.iter().map(|(text, _)| string_ref(text)).collect();
    let number = match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        _ => 2,
    };
    let before = PENDING.with_borrow_mut(|carried| {
        let before = carried.emitted.len();
        carried.emitted.extend(all.iter().cloned());
        before
    });
    // SAFETY: all slices live during the call.
    unsafe {
        cubeEmit(at.to_raw(), number, texts[0], notes.len() as isize, locations.as_ptr(), texts[1..].as_ptr());
    }
    PENDING.with_borrow_mut(|carried| carried.emitted.truncate(before));
}

/// The innermost file position of a location.
pub fn location_of(at: Location<'_>) -> Option<SourceLocation> {
    if at.is_file_line_col_range() {
        return Some(SourceLocation {
            file: at.file_line_col_range_filename().as_string_ref().as_str().unwrap_or("?").to_string(),
            line: at.file_line_col_range_start_line() as u32,
            column: at.file_line_col_range_start_column() as u32,
        });
    }
    if at.is_name() {
        return location_of(at.name_child_location());
    }
    if at.is_call_site() {
        return location_of(at.call_site_callee());
    }
    if at.is_fused() {
        return (0..at.fused_num_locations()).find_map(|i| location_of(at.fused_location(i)));
    }
    None
}

/// # Safety
/// `raw` must be a live diagnostic.
pub(crate) unsafe fn read(raw: MlirDiagnostic, around: Option<&SourceLocation>) -> Diagnostic {
    let mut text = String::new();
    // SAFETY: live diagnostic, the callback gets its String back.
    let (severity, location, notes) = unsafe {
        mlirDiagnosticPrint(raw, Some(append), (&raw mut text).cast());
        let severity = match mlirDiagnosticGetSeverity(raw) {
            x if x == MlirDiagnosticSeverity_MlirDiagnosticError => Severity::Error,
            x if x == MlirDiagnosticSeverity_MlirDiagnosticWarning => Severity::Warning,
            x if x == MlirDiagnosticSeverity_MlirDiagnosticNote => Severity::Note,
            _ => Severity::Remark,
        };
        let location = location_of(Location::from_raw(mlirDiagnosticGetLocation(raw)));
        let around = location.as_ref().or(around);
        let notes = (0..mlirDiagnosticGetNumNotes(raw)).map(|i| read(mlirDiagnosticGetNote(raw, i), around));
        let notes: Vec<_> = notes.collect();
        (severity, location, notes)
    };
    let message = carried(&text).unwrap_or_else(|| text.into());
    let language = Language::of(location.as_ref().or(around));
    Diagnostic { notes, ..Diagnostic::in_language(severity, message, location, language) }
}
