//! Verifiers and folders of Cube's dialects: safe Rust functions that C++ calls through callbacks.
use crate::{
    Message, diagnostics,
    guard::{guarded, quiet_panics},
    op::{Op, Val, str_of, string_ref},
    ops::Dialect,
    pass::run_pass,
};
use cube_bridge::*;
use melior::ir::{Attribute, attribute::AttributeLike};
use mlir_sys::*;
use std::sync::OnceLock;
use std::{ffi::c_void, ptr::null};

/// The result of a fold.
#[derive(Clone, Copy, Debug)]
pub enum Fold<'p> {
    /// A constant, which the dialect materialises as an operation.
    Attr(Attribute<'p>),
    /// An existing value.
    Value(Val<'p>),
}

/// The rules of a dialect. A message contains the operation, the location, the rule and the fix. The text
/// of a message without a rule ends in its error code in brackets.
pub struct DialectRules {
    pub dialect: Dialect,
    /// Checks an operation; the error is the first violated rule.
    pub verify: for<'p> fn(Op<'p>) -> Result<(), Message>,
    /// Folds an operation, given the constants among its operands.
    pub fold: for<'p> fn(Op<'p>, &[Option<Attribute<'p>>]) -> Option<Fold<'p>>,
    /// The minimum and the maximum of the single unsigned 32-bit result; `None` if unknown.
    pub bounds: for<'p> fn(Op<'p>) -> Option<(u64, u64)>,
    /// Checks the parameters of an attribute with this name (`cube.target`). The error is the message to
    /// report.
    pub verify_attribute: for<'p> fn(&str, Attribute<'p>) -> Result<(), Message>,
    /// The stored numbers for the text of an attribute with this name (`layout.coord`). Never fails: an invalid text is
    /// encoded too, and the verifier of the operation reports it.
    pub parse_numbers: fn(&str, &str) -> Vec<i64>,
    /// The text that a list of stored numbers encodes.
    pub print_numbers: fn(&str, &[i64]) -> String,
    /// Called after an operation of the dialect was copied or moved, or after an operand of the operation changed. The
    /// function removes properties of the operation that can be wrong after the change.
    pub moved: for<'p> fn(Op<'p>),
    /// Called after an operand of an operation of the dialect changed. The function removes the properties that
    /// depended on the old operand.
    pub rewired: for<'p> fn(Op<'p>),
}

static RULES: OnceLock<&'static [&'static DialectRules]> = OnceLock::new();

/// Registers the dialects' verifiers and folders with the bridge. A program must call this function once per process.
/// Further calls of this function have no effect.
pub fn set_dialects(rules: &'static [&'static DialectRules]) {
    quiet_panics();
    RULES.get_or_init(|| rules);
    let callbacks = CubeCallbacks { verify, fold, bounds, run_pass, verify_attribute, parse_numbers, print_numbers };
    // SAFETY: copied by the callee.
    unsafe { cubeSetCallbacks(&callbacks) }
}

fn rules_of(op: Op<'_>) -> Option<&'static DialectRules> {
    let dialect = op.kind().dialect()?;
    RULES.get()?.iter().find(|rules| rules.dialect == dialect).copied()
}

unsafe extern "C" fn verify(raw: MlirOperation) -> bool {
    // SAFETY: MLIR hands in a live operation for the time of the call.
    let op = unsafe { Op::from_raw(raw) };
    let Some(rules) = rules_of(op) else { return true };
    match guarded(|| (rules.verify)(op)) {
        Ok(Ok(())) => true,
        Ok(Err(message)) => {
            op.error(match message.rule {
                Some(_) => message,
                None => Message { text: format!("'{}' {}", op.name(), message.text), ..message },
            });
            false
        }
        Err(panic) => {
            op.error(cube_artifact::diagnostic!(CUBE0399.verifier { panic }));
            false
        }
    }
}

unsafe extern "C" fn verify_attribute(
    name: MlirStringRef,
    parameters: MlirAttribute,
    say: MlirStringCallback,
    to: *mut c_void,
) -> bool {
    // SAFETY: MLIR hands in live text and a live attribute for the time of the call.
    let (name, parameters) = unsafe { (str_of(name), Attribute::from_raw(parameters)) };
    let Some(rules) = rules_of_attribute(name) else { return true };
    let wrong = match guarded(|| (rules.verify_attribute)(name, parameters)) {
        Ok(Ok(())) => return true,
        Ok(Err(message)) => message,
        Err(panic) => cube_artifact::diagnostic!(CUBE0399.attribute { name, panic }),
    };
    let wrong = diagnostics::refuse(wrong);
    // SAFETY: the caller appends the text, which lives until it returns, to what `to` points at.
    unsafe { say.expect("the caller passes a function")(string_ref(&wrong), to) };
    false
}

fn rules_of_attribute(name: &str) -> Option<&'static DialectRules> {
    let dialect = name.split('.').next();
    RULES.get()?.iter().find(|rules| Some(rules.dialect.name()) == dialect).copied()
}

unsafe extern "C" fn parse_numbers(
    name: MlirStringRef,
    text: MlirStringRef,
    say: CubeNumbersCallback,
    to: *mut c_void,
) {
    // SAFETY: MLIR hands in live text for the time of the call.
    let (name, text) = unsafe { (str_of(name), str_of(text)) };
    let Some(rules) = rules_of_attribute(name) else { return };
    // The empty list is not a layout. The verifier of the operation reports the error.
    let numbers = guarded(|| (rules.parse_numbers)(name, text)).unwrap_or_default();
    // SAFETY: the caller copies the numbers, which live until it returns, to what `to` points at.
    unsafe { say.expect("the caller passes a function")(numbers.as_ptr(), numbers.len() as isize, to) }
}

unsafe extern "C" fn print_numbers(
    name: MlirStringRef,
    numbers: *const i64,
    count: isize,
    say: MlirStringCallback,
    to: *mut c_void,
) {
    // SAFETY: MLIR hands in live text and `count` live numbers for the time of the call.
    let (name, numbers) =
        unsafe { (str_of(name), if count == 0 { &[] } else { std::slice::from_raw_parts(numbers, count as usize) }) };
    let Some(rules) = rules_of_attribute(name) else { return };
    let text = guarded(|| (rules.print_numbers)(name, numbers)).unwrap_or_default();
    // SAFETY: the caller prints the text, which lives until it returns.
    unsafe { say.expect("the caller passes a function")(string_ref(&text), to) }
}

/// Notifies an operation's dialect after an operand of the operation was replaced.
pub(crate) fn rewired(op: Op<'_>) {
    if let Some(rules) = rules_of(op) {
        (rules.moved)(op);
        (rules.rewired)(op);
    }
}

/// Notifies the dialects that an operation with its regions was copied or moved.
pub(crate) fn moved(op: Op<'_>) {
    let notify = |op: Op<'_>| {
        if let Some(rules) = rules_of(op) {
            (rules.moved)(op);
        }
    };
    match op.regions().len() {
        0 => notify(op),
        _ => op.walk().into_iter().for_each(notify),
    }
}

unsafe extern "C" fn fold(raw: MlirOperation, count: isize, operands: *const MlirAttribute) -> CubeFold {
    let none = CubeFold { kind: 0, attribute: MlirAttribute { ptr: null() }, value: MlirValue { ptr: null() } };
    // SAFETY: MLIR passes a live operation and `count` attributes, null for each operand that is not a constant.
    let (op, constants) = unsafe {
        let raws = if count == 0 { &[] } else { std::slice::from_raw_parts(operands, count as usize) };
        let read = |a: &MlirAttribute| (!a.ptr.is_null()).then(|| Attribute::from_raw(*a));
        (Op::from_raw(raw), raws.iter().map(read).collect::<Vec<_>>())
    };
    let Some(rules) = rules_of(op) else { return none };
    match guarded(|| (rules.fold)(op, &constants)) {
        Ok(Some(Fold::Attr(attribute))) => CubeFold { kind: 1, attribute: attribute.to_raw(), ..none },
        Ok(Some(Fold::Value(value))) => CubeFold { kind: 2, value: value.to_raw(), ..none },
        _ => none,
    }
}

unsafe extern "C" fn bounds(raw: MlirOperation, least: *mut u64, most: *mut u64) {
    // SAFETY: MLIR hands in a live operation for the time of the call.
    let op = unsafe { Op::from_raw(raw) };
    let Some(rules) = rules_of(op) else { return };
    if let Ok(Some((low, high))) = guarded(|| (rules.bounds)(op)) {
        // SAFETY: the caller hands in two numbers that it owns.
        unsafe { (*least, *most) = (low, high) };
    }
}
