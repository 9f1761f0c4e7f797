//! Source locations, and names of values in the source.
use crate::{
    Cx,
    counters::count_edit,
    op::{Op, Val, str_of, string_ref},
};
use melior::ir::{Attribute, Location, attribute::AttributeLike};
use mlir_sys::*;

/// The name in a location. For a call-site location, the result is the name in the location of the callee.
/// For a fused location, the result is the first name in its parts.
pub fn name_of(at: Location<'_>) -> Option<String> {
    if at.is_name() {
        // SAFETY: a live location that is a name; the text is copied at once.
        return Some(unsafe { str_of(mlirIdentifierStr(mlirLocationNameGetName(at.to_raw()))) }.to_string());
    }
    if at.is_call_site() {
        return name_of(at.call_site_callee());
    }
    if at.is_fused() {
        return (0..at.fused_num_locations()).find_map(|i| name_of(at.fused_location(i)));
    }
    None
}

impl<'p> Cx<'p> {
    /// The location `file:line:column`.
    pub fn file_location(self, file: &str, line: u32, column: u32) -> Location<'p> {
        // SAFETY: valid context, the name is copied.
        unsafe { Location::from_raw(mlirLocationFileLineColGet(self.raw(), string_ref(file), line, column)) }
    }

    /// The location `at` with a name.
    pub fn named_location(self, name: &str, at: Location<'p>) -> Location<'p> {
        // SAFETY: valid context and location, the name is copied.
        unsafe { Location::from_raw(mlirLocationNameGet(self.raw(), string_ref(name), at.to_raw())) }
    }

    /// The location `at` with an attribute, for example a debug scope.
    pub fn fused_location(self, at: Location<'p>, metadata: Attribute<'p>) -> Location<'p> {
        let at = at.to_raw();
        // SAFETY: valid context, location and attribute; the one location is live during the call.
        unsafe { Location::from_raw(mlirLocationFusedGet(self.raw(), 1, &at, metadata.to_raw())) }
    }
}

impl<'p> Op<'p> {
    /// Sets the source location of an operation.
    pub fn set_location(self, at: Location<'p>) {
        count_edit();
        // SAFETY: valid operation and location of one context.
        unsafe { mlirOperationSetLocation(self.to_raw(), at.to_raw()) }
    }
}

impl<'p> Val<'p> {
    /// Sets the location of a block's argument; a result has the location of its operation.
    pub fn set_argument_location(self, at: Location<'p>) {
        if self.block_arg().is_some() {
            count_edit();
            // SAFETY: an argument of a block, and a location of the same context.
            unsafe { mlirBlockArgumentSetLocation(self.to_raw(), at.to_raw()) }
        }
    }
}
