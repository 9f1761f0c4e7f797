//! State of one context: the requested remarks, the code of the last error, and decoded attributes. A context serves
//! one compilation at a time.
//!
//! A [`Session`](crate::Session) owns a scope for its whole lifetime. The main function of `mlir-opt` creates its own
//! context, one per process. A context without a scope is a context that the main function of `mlir-opt` created.
use crate::remarks::{Remark, RemarkFilter};
use melior::ir::{Attribute, Location, attribute::AttributeLike};
use mlir_sys::{MlirContext, mlirAttributeGetContext, mlirLocationGetContext};
use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The scope that all contexts without their own scope share.
pub(crate) const MAIN_SCOPE: usize = 0;

/// The state of one context.
#[derive(Default)]
pub(crate) struct Scope {
    /// The requested remarks, and the remarks so far.
    pub remarks: Option<RemarkRequest>,
    /// The code of the last error.
    pub last_code: Option<String>,
    /// Decoded attributes, by their address and the decoded type.
    read: HashMap<(usize, TypeId), Arc<dyn Any + Send + Sync>>,
}

/// The result of `read` for an attribute; the result is cached as long as the attribute's context lives. The
/// cache is correct because an attribute never changes, and lives as long as its context. A context without a
/// scope caches nothing.
pub fn read_once<T: Any + Send + Sync>(attribute: Attribute<'_>, read: impl FnOnce() -> T) -> Arc<T> {
    // SAFETY: a live attribute.
    let context = key(unsafe { mlirAttributeGetContext(attribute.to_raw()) });
    let of = (attribute.to_raw().ptr as usize, TypeId::of::<T>());
    let known = scopes().get(&context).and_then(|scope| scope.read.get(&of).cloned());
    if let Some(known) = known.and_then(|known| known.downcast().ok()) {
        return known;
    }
    let made = Arc::new(read());
    if let Some(scope) = scopes().get_mut(&context) {
        scope.read.insert(of, made.clone());
    }
    made
}

/// The requested remarks, and the remarks that passes have emitted so far.
pub(crate) struct RemarkRequest {
    pub pick: RemarkFilter,
    /// Whether remarks are emitted as diagnostics too.
    pub diagnostics: bool,
    pub remarks: Vec<Remark>,
}

type Scopes = BTreeMap<usize, Scope>;

static SCOPES: Mutex<Scopes> = Mutex::new(BTreeMap::new());
/// Number of scopes with requested remarks; if it is 0, a remark costs one load.
static WANTED: AtomicUsize = AtomicUsize::new(0);

fn scopes() -> MutexGuard<'static, Scopes> {
    SCOPES.lock().unwrap_or_else(|e| e.into_inner())
}

pub(crate) fn key(context: MlirContext) -> usize {
    context.ptr as usize
}

/// Begins the scope of a context, if it does not exist yet.
pub(crate) fn open(key: usize) {
    scopes().entry(key).or_default();
}

/// Ends the scope of a context; returns its state.
pub(crate) fn end(key: usize) -> Scope {
    let mut scopes = scopes();
    let scope = scopes.remove(&key).unwrap_or_default();
    count(&scopes);
    scope
}

/// Requests the remarks of a scope, or cancels that request.
pub(crate) fn request_remarks(key: usize, request: Option<RemarkRequest>) {
    let mut scopes = scopes();
    scopes.entry(key).or_default().remarks = request;
    count(&scopes);
}

fn count(scopes: &Scopes) {
    WANTED.store(scopes.values().filter(|scope| scope.remarks.is_some()).count(), Ordering::Relaxed);
}

/// Whether any scope has requested remarks.
pub(crate) fn is_any_wanted() -> bool {
    WANTED.load(Ordering::Relaxed) > 0
}

/// Calls a function with the scope of a context, or with the scope of the main function if the context has none.
pub(crate) fn with<T>(key: usize, body: impl FnOnce(&mut Scope) -> T) -> Option<T> {
    let mut scopes = scopes();
    let key = if scopes.contains_key(&key) { key } else { MAIN_SCOPE };
    scopes.get_mut(&key).map(body)
}

/// Records the code of an error.
pub(crate) fn failed(at: Location<'_>, code: Option<&str>) {
    let Some(code) = code else { return };
    // SAFETY: a live location.
    let key = key(unsafe { mlirLocationGetContext(at.to_raw()) });
    with(key, |scope| scope.last_code = Some(code.to_string()));
}

#[cfg(test)]
mod tests {
    use super::read_once;
    use crate::{Cx, Session};

    #[test]
    fn an_attribute_is_read_once_a_context_and_a_type() {
        let read = |session: &Session, value: i64| {
            let cx = Cx::new(session.context());
            *read_once(cx.int_attr(cx.int(64), 7), || value)
        };
        let (first, second) = (Session::new(), Session::new());
        assert_eq!([read(&first, 1), read(&first, 2), read(&second, 3), read(&first, 4)], [1, 1, 3, 1]);
        let cx = Cx::new(first.context());
        assert_eq!(*read_once(cx.int_attr(cx.int(64), 7), || "text"), "text");
        assert_eq!(*read_once(cx.int_attr(cx.int(64), 8), || 9_i64), 9);
        // A new context at the address of an earlier context has decoded no attribute yet.
        drop(first);
        assert_eq!(read(&Session::new(), 5), 5);
    }
}
