//! The objects of a context. HIP, and the primary context of CUDA, have one context per device and process, which other
//! libraries of the process can use. A runtime therefore frees each of its objects separately.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The kinds of driver objects that a context owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    // The kinds are in the order in which objects are freed: each kind precedes the kinds that it uses.
    /// An executable graph.
    Graph,
    /// A graph from which an executable graph was made.
    Nodes,
    /// An event.
    Event,
    /// A stream.
    Stream,
    /// A module with code.
    Module,
    /// Device memory.
    Memory,
}

type Objects = BTreeSet<(ObjectKind, u64)>;

/// The objects of each context, by the number of the context.
static CONTEXTS: Mutex<(u64, BTreeMap<u64, Objects>)> = Mutex::new((0, BTreeMap::new()));

fn contexts() -> MutexGuard<'static, (u64, BTreeMap<u64, Objects>)> {
    CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates a context without objects, and returns its number.
pub fn new() -> u64 {
    let mut contexts = contexts();
    contexts.0 += 1;
    let number = contexts.0;
    contexts.1.insert(number, Objects::new());
    number
}

/// Records an object of a context.
pub fn add(context: u64, kind: ObjectKind, handle: u64) {
    if let Some(objects) = contexts().1.get_mut(&context) {
        objects.insert((kind, handle));
    }
}

/// Removes an object. Returns whether the context contained the object, so that no object is freed twice.
pub fn take(context: u64, kind: ObjectKind, handle: u64) -> bool {
    contexts().1.get_mut(&context).is_some_and(|objects| objects.remove(&(kind, handle)))
}

/// Ends a context. Returns the objects of the context in the order in which the caller must free them.
pub fn end(context: u64) -> Vec<(ObjectKind, u64)> {
    contexts().1.remove(&context).unwrap_or_default().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_destroyed_once_and_before_their_dependencies() {
        let (context, other) = (new(), new());
        for object in
            [(ObjectKind::Memory, 7), (ObjectKind::Stream, 9), (ObjectKind::Event, 8), (ObjectKind::Memory, 3)]
        {
            add(context, object.0, object.1);
        }
        add(other, ObjectKind::Memory, 7);
        assert!(take(context, ObjectKind::Memory, 7) && !take(context, ObjectKind::Memory, 7));
        assert_eq!(end(context), [(ObjectKind::Event, 8), (ObjectKind::Stream, 9), (ObjectKind::Memory, 3)]);
        assert!(!take(context, ObjectKind::Memory, 3) && end(context).is_empty());
        assert_eq!(end(other), [(ObjectKind::Memory, 7)]);
    }
}
