//! The lists of a launch. A list has a few entries in itself. More entries are in memory of the heap, which the thread keeps for
//! its next launch, so that a repeated launch of any number of arguments allocates nothing.
use cube_runtime::launch::emptied;
use smallvec::{Array, SmallVec};
use std::cell::Cell;
use std::thread::LocalKey;

/// The memory that a thread keeps for one list. The type of the entries differs from the type in the list only in its lifetimes.
pub(super) type Kept<T> = LocalKey<Cell<Vec<T>>>;

/// Appends a value to a list.
#[inline]
pub(super) fn push<A: Array, K>(list: &mut SmallVec<A>, value: A::Item, kept: &'static Kept<K>) {
    if list.len() == A::size() && !list.spilled() {
        move_to_heap(list, kept);
    }
    list.push(value);
}

#[cold]
fn move_to_heap<A: Array, K>(list: &mut SmallVec<A>, kept: &'static Kept<K>) {
    // While a thread ends, its memory can already be destroyed. The list then has new memory.
    let mut memory: Vec<A::Item> = emptied(kept.try_with(Cell::take).unwrap_or_default());
    memory.reserve(4 * A::size());
    memory.extend(list.drain(..));
    *list = SmallVec::from_vec(memory);
}

/// Empties a list, and keeps its memory of the heap for the next launch of this thread.
#[inline]
pub(super) fn keep<A: Array, K>(list: &mut SmallVec<A>, kept: &'static Kept<K>) {
    if list.spilled() {
        let memory = emptied(std::mem::take(list).into_vec());
        let _ = kept.try_with(|kept| kept.set(memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local!(static KEPT: Cell<Vec<&'static str>> = const { Cell::new(Vec::new()) });

    #[test]
    fn a_long_list_uses_the_memory_of_the_list_before() {
        let mut addresses = Vec::new();
        for length in [3, 4, 5, 9, 2, 16] {
            let texts: Vec<String> = (0..length).map(|n| n.to_string()).collect();
            let mut list: SmallVec<[&str; 4]> = SmallVec::new();
            texts.iter().for_each(|text| push(&mut list, text, &KEPT));
            assert_eq!(
                (&list[..], list.spilled()),
                (&texts.iter().map(|text| &**text).collect::<Vec<_>>()[..], length > 4)
            );
            if list.spilled() {
                addresses.push(list.as_ptr().addr());
            }
            keep(&mut list, &KEPT);
        }
        assert_eq!(addresses, [addresses[0]; 3]);
    }
}
