//! Diagnostics as values.
use crate::op::{append, string_ref};
use cube_bridge::cubeEmit;
use melior::ir::Location;
use mlir_sys::*;
use std::sync::Mutex;

/// One message of MLIR or of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The text without its code.
    pub message: String,
    /// The code that stood in brackets at the end of the text, for example `CUBE0102`.
    pub code: Option<String>,
    /// Where.
    pub place: Option<Place>,
    /// Notes that belong to it.
    pub notes: Vec<Diagnostic>,
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    Note,
    Remark,
}

/// File, line and column, the last two from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File name as given to the parser.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

static LAST_ERROR: Mutex<Option<String>> = Mutex::new(None);

/// The code of the last error of a pass or verifier of ours in this process, for a tool whose messages MLIR prints.
pub fn last_error_code() -> Option<String> {
    LAST_ERROR.lock().ok()?.clone()
}

pub(crate) fn emit(at: Location<'_>, severity: i32, message: &str, notes: &[(Location<'_>, String)]) {
    if let (0, (_, Some(code)), Ok(mut last)) = (severity, split_code(message), LAST_ERROR.lock()) {
        *last = Some(code);
    }
    let places: Vec<MlirLocation> = notes.iter().map(|(place, _)| place.to_raw()).collect();
    let texts: Vec<MlirStringRef> = notes.iter().map(|(_, text)| string_ref(text)).collect();
    // SAFETY: all slices live during the call.
    unsafe {
        cubeEmit(at.to_raw(), severity, string_ref(message), notes.len() as isize, places.as_ptr(), texts.as_ptr());
    }
}

/// The innermost file position of a location.
pub fn place_of(at: Location<'_>) -> Option<Place> {
    if at.is_file_line_col_range() {
        return Some(Place {
            file: at.file_line_col_range_filename().as_string_ref().as_str().unwrap_or("?").to_string(),
            line: at.file_line_col_range_start_line() as u32,
            column: at.file_line_col_range_start_column() as u32,
        });
    }
    if at.is_name() {
        return place_of(at.name_child_location());
    }
    if at.is_call_site() {
        return place_of(at.call_site_callee());
    }
    if at.is_fused() {
        return (0..at.fused_num_locations()).find_map(|i| place_of(at.fused_location(i)));
    }
    None
}

/// # Safety
/// `raw` must be a live diagnostic.
pub(crate) unsafe fn read(raw: MlirDiagnostic) -> Diagnostic {
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
        let notes = (0..mlirDiagnosticGetNumNotes(raw)).map(|i| read(mlirDiagnosticGetNote(raw, i))).collect();
        (severity, Location::from_raw(mlirDiagnosticGetLocation(raw)), notes)
    };
    let (message, code) = split_code(&text);
    Diagnostic { severity, message, code, place: place_of(location), notes }
}

/// Splits the code in brackets off the end of a message.
pub(crate) fn split_code(text: &str) -> (String, Option<String>) {
    let found = text.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [CUBE"));
    match found {
        Some((message, digits)) if digits.chars().all(|c| c.is_ascii_digit()) => {
            (message.to_string(), Some(format!("CUBE{digits}")))
        }
        _ => (text.to_string(), None),
    }
}
